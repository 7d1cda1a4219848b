"""Whole questions through the pipeline, on a real database, with the scripted model."""

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

import macsql
from macsql.database import Database, Progress
from macsql.errors import ConfigError, DatabaseUnavailable, LLMError, QuestionError
from macsql.llm import ScriptedLLM
from macsql.message import Message, Step
from macsql.pipeline import Pipeline


@pytest.fixture
def database(school_db: Path) -> Iterator[Database]:
    with Database(school_db) as opened:
        yield opened


def test_ask_answers_a_question_about_a_file(school_db: Path) -> None:
    model = ScriptedLLM(["SELECT COUNT(*) FROM pupil"])
    message = macsql.ask("How many pupils are there?", school_db, model=model)
    assert message.result is not None
    assert message.result.rows == ((5,),)


def test_events_come_in_order_and_end_with_done(database: Database) -> None:
    events = list(Pipeline.of(ScriptedLLM(["SELECT 1"])).stream("How many?", database))
    starts = [e.agent for e in events if e.kind == "start"]
    assert starts == ["selector", "decomposer", "voter", "refiner"]
    assert events[-1].kind == "done"


def test_reading_the_database_is_told_once(school_db: Path) -> None:
    with Database(school_db) as database:
        pipeline = Pipeline.of(ScriptedLLM(["SELECT 1"], loop=True))
        events = list(pipeline.stream("How many?", database))
        again = list(pipeline.stream("How many?", database))
    told = [e for e in events if e.kind == "progress"]
    tasks = [(e.agent, e.progress.task) for e in told if e.progress]
    assert list(dict.fromkeys(tasks)) == [("", "schema"), ("selector", "values")]
    assert told[0].progress == Progress("schema", 0, 0)
    assert told[-1].progress == Progress("values", 6, 6, 43)
    assert json.loads(json.dumps([asdict(e.progress) for e in told if e.progress]))
    assert not [e for e in again if e.kind == "progress"]


def test_a_stream_that_is_left_while_the_schema_is_read(school_db: Path) -> None:
    with Database(school_db) as database:
        pipeline = Pipeline.of(ScriptedLLM(["SELECT COUNT(*) FROM pupil"], loop=True))
        stream = pipeline.stream("How many pupils?", database)
        assert next(stream).kind == "progress"
        stream.close()
        message = pipeline.run("How many pupils?", database)
        assert message.result is not None
        assert message.result.rows == ((5,),)


def test_a_model_that_fails_ends_with_an_error_event(database: Database) -> None:
    model = ScriptedLLM([LLMError("wrong key")])
    last = list(Pipeline.of(model).stream("How many?", database))[-1]
    assert (last.kind, last.message.error, last.message.error_kind) == (
        "error",
        "wrong key",
        "LLMError",
    )
    assert last.message.steps[-1].error == "wrong key"


@pytest.mark.parametrize("question", ["thanks!", "Hello", "OK, thank you very much."])
def test_small_talk_costs_no_model_call(database: Database, question: str) -> None:
    model = ScriptedLLM([])
    message = Pipeline.of(model).run(question, database)
    assert (model.calls, message.sql, message.error_kind) == ([], "", "NoSQL")


@pytest.mark.parametrize("question", ["", "  \n", "x" * 100_000])
def test_a_question_that_cannot_be_asked(database: Database, question: str) -> None:
    with pytest.raises(QuestionError):
        Pipeline.of(ScriptedLLM([])).run(question, database)


def test_a_database_without_tables(tmp_path: Path) -> None:
    path = tmp_path / "bare.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.execute("DROP TABLE t")
    connection.commit()
    connection.close()
    with Database(path) as database, pytest.raises(DatabaseUnavailable, match="no tables"):
        Pipeline.of(ScriptedLLM([])).run("How many?", database)


def test_agents_of_ones_own_stand_in_the_tuple(database: Database) -> None:
    class Fixed:
        name = "fixed"

        def run(self, message: Message, database: Database) -> Iterator[Step]:
            message.sql = "SELECT 42"
            message.result = database.execute(message.sql)
            yield from ()

    message = Pipeline([Fixed()]).run("What is the answer?", database)
    assert message.result is not None
    assert message.result.rows == ((42,),)


def test_without_the_refiner_the_sql_is_not_executed(database: Database) -> None:
    model = ScriptedLLM(["SELECT COUNT(*) FROM pupil"])
    message = Pipeline.of(model, without=("refiner",)).run("How many pupils?", database)
    assert message.sql == "SELECT COUNT(*) FROM pupil"
    assert message.result is None


def test_without_linking_nothing_is_said_of_names_and_values(database: Database) -> None:
    question = "How many pupils have the first name Ann?"
    said = []
    for without in ((), ("linking",)):
        model = ScriptedLLM(["SELECT COUNT(*) FROM pupil"])
        Pipeline.of(model, without=without).run(question, database)
        said.append(model.calls[0][-1]["content"])
    assert "Relevant: " in said[0]
    assert "pupil.first_name = 'Ann'" in said[0]
    assert "Relevant: " not in said[1]
    assert "Stored values: " not in said[1]


def test_without_repair_the_model_is_asked(database: Database) -> None:
    broken, right = "SELECT firstname FROM pupil", "SELECT first_name FROM pupil"
    with_repair, without = ScriptedLLM([broken]), ScriptedLLM([broken, right])
    message = Pipeline.of(with_repair, candidates=1).run("Who is there?", database)
    assert (message.sql, len(with_repair.calls)) == (right, 1)
    message = Pipeline.of(without, without=("repair",), candidates=1).run("Who is there?", database)
    assert (message.sql, len(without.calls)) == (right, 2)


def test_what_is_no_part_cannot_be_left_out() -> None:
    with pytest.raises(ConfigError, match="'voter' cannot be left out: only selector, decomposer"):
        Pipeline.of(ScriptedLLM([]), without=("voter",))


def test_one_pipeline_serves_many_threads(database: Database) -> None:
    model = ScriptedLLM(["SELECT first_name FROM pupil WHERE id = 1"], loop=True)
    pipeline = Pipeline.of(model)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: pipeline.run(f"Who is {i}?", database), range(40)))
    assert {a.question for a in answers} == {f"Who is {i}?" for i in range(40)}
    assert all(a.result and a.result.rows == (("Ann",),) for a in answers)


def test_the_same_request_gives_the_same_prompts(database: Database) -> None:
    model = ScriptedLLM(["SELECT 1"], loop=True)
    for _ in range(5):
        Pipeline.of(model, candidates=1).run("How many pupils are in Berlin?", database)
    assert all(call == model.calls[0] for call in model.calls)


def test_a_message_survives_the_way_to_json_and_back(database: Database) -> None:
    model = ScriptedLLM(["SELECT qq FROM nowhere_at_all", "SELECT x'00ff', 1.5, NULL, 'ä'"])
    message = Pipeline.of(model).run("How many pupils?", database)
    text = json.dumps(message.to_dict(), allow_nan=False)
    assert Message.from_dict(json.loads(text)) == message


def test_usage_is_the_sum_over_the_steps(database: Database) -> None:
    model = ScriptedLLM(["SELECT qq FROM nowhere_at_all", "SELECT 1"])
    message = Pipeline.of(model).run("How many pupils?", database)
    assert message.usage.calls == 2
    assert message.usage.input_tokens == sum(s.usage.input_tokens for s in message.steps)
