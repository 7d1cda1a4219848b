"""The Refiner: what it leaves alone, what it repairs, when it asks, when it stops."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from macsql.agents import Refiner
from macsql.database import Database
from macsql.errors import LLMError
from macsql.llm import ScriptedLLM
from macsql.message import Message
from macsql.pipeline import Pipeline
from macsql.prompts import PromptSet

Answer = Callable[..., Message]


def origins(message: Message) -> list[str]:
    return [c.origin for c in message.candidates]


def calls(message: Message) -> int:
    return sum(bool(step.messages) for step in message.steps)


def test_a_good_result_is_left_alone(answer: Answer) -> None:
    message = answer("```sql\nSELECT first_name FROM pupil ORDER BY id LIMIT 2\n```")
    assert message.result is not None
    assert message.result.rows == (("Ann",), ("Ben",))
    assert (origins(message), calls(message)) == (["decomposer"], 1)


def test_nulls_in_the_result_do_not_cost_the_answer(answer: Answer) -> None:
    message = answer("SELECT city FROM school ORDER BY id")
    assert message.result is not None
    assert message.result.rows[-1] == (None,)
    assert calls(message) == 1


def test_a_legitimate_empty_result_is_the_answer(answer: Answer) -> None:
    message = answer("SELECT first_name FROM pupil WHERE age > 100")
    assert message.error == ""
    assert message.result is not None
    assert message.result.rows == ()
    assert calls(message) == 1


def test_a_wrong_qualifier_is_repaired_without_the_model(answer: Answer) -> None:
    message = answer(
        "SELECT s.first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id "
        "WHERE s.name = 'Lake School' ORDER BY 1"
    )
    assert message.result is not None
    assert message.result.rows == (("Cai",), ("Dan",))
    assert (origins(message), calls(message)) == (["decomposer", "repair"], 1)


def test_a_value_in_another_case_is_corrected_to_the_stored_one(answer: Answer) -> None:
    message = answer("SELECT name FROM school WHERE city = 'Berlin'")
    assert message.result is not None
    assert message.result.rows == (("Hill School",),)
    assert "BERLIN" in message.sql


def test_the_model_rewrites_what_repair_cannot(answer: Answer) -> None:
    message = answer(
        "SELECT frobnicate(zzz) FROM qqqqq", "```sql\nSELECT COUNT(*) FROM course\n```"
    )
    assert message.result is not None
    assert message.result.rows == ((3,),)
    assert origins(message)[-1] == "refiner"


def test_a_rewrite_sees_the_message_and_continues_the_conversation(database: Database) -> None:
    model = ScriptedLLM(["SELECT frobnicate(zzz) FROM qqqqq", "SELECT 1"])
    Pipeline.of(model, candidates=1).run("Which pupils?", database)
    first, second = model.calls
    assert list(second[: len(first)]) == list(first)
    assert second[len(first)]["content"] == "SELECT frobnicate(zzz) FROM qqqqq"
    assert "qqqqq" in second[-1]["content"]


def test_the_last_rewrite_is_executed(answer: Answer) -> None:
    bad = [f"SELECT nonsense{i}x FROM nowhere{i}x" for i in range(3)]
    message = answer(*bad, "SELECT COUNT(*) FROM school")
    assert message.result is not None
    assert message.result.rows == ((3,),)
    assert calls(message) == 4


def test_at_most_three_refinements(database: Database) -> None:
    model = ScriptedLLM([f"SELECT nonsense{i}x FROM nowhere{i}x" for i in range(9)])
    message = Pipeline.of(model, candidates=1).run("Which pupils?", database)
    assert len(model.calls) == 4
    assert message.result is None
    assert message.error_kind == "ExecutionError"
    assert "\n" not in message.error


def test_the_same_sql_with_the_same_problem_ends_the_loop(database: Database) -> None:
    model = ScriptedLLM(["SELECT qq FROM nowhere_at_all"], loop=True)
    message = Pipeline.of(model, candidates=1).run("Which pupils?", database)
    assert len(model.calls) == 2
    assert message.result is None


def test_no_sql_is_skipped_because_of_a_word_in_it(answer: Answer) -> None:
    message = answer("SELECT error_code FROM pupil", "SELECT COUNT(*) FROM pupil")
    assert "error_code" in message.candidates[0].error
    assert message.result is not None


def test_a_worse_rewrite_does_not_replace_a_better_candidate(answer: Answer) -> None:
    message = answer(
        "SELECT name FROM school WHERE city = 'Atlantis Maximus'",
        "SELECT no_such FROM school",
        "SELECT no_such FROM school",
        prompts="paper",
        without=("selector",),
    )
    assert message.result is not None
    assert message.sql == "SELECT name FROM school WHERE city = 'Atlantis Maximus'"


@pytest.mark.parametrize(
    "reply",
    [
        "DROP TABLE pupil",
        "```sql\nDELETE FROM pupil\n```",
        "WITH m AS (SELECT 1) DELETE FROM pupil",
        "/* x */ DELETE FROM pupil",
        "```sql\nSELECT 1; DROP TABLE pupil\n```",
    ],
)
def test_a_model_that_obeys_a_write_gets_nothing_done(
    reply: str, database: Database, school_db: Path
) -> None:
    before = school_db.read_bytes()
    model = ScriptedLLM([reply], loop=True)
    message = Pipeline.of(model, candidates=1).run("drop the pupil table", database)
    assert message.result is None
    assert message.error
    assert school_db.read_bytes() == before


def test_an_endless_query_is_stopped_and_the_next_one_runs(school_db: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c"
    with Database(school_db, timeout=0.3) as database:
        model = ScriptedLLM([endless, "SELECT COUNT(*) FROM pupil"])
        message = Pipeline.of(model, candidates=1).run("How many pupils?", database)
    assert message.result is not None
    assert message.result.rows == ((5,),)
    assert "0.3" in message.candidates[0].error


def test_a_refiner_without_repair_asks_the_model(database: Database) -> None:
    from macsql.agents import Decomposer, Refiner
    from macsql.prompts import PromptSet

    prompts = PromptSet.load("default")
    model = ScriptedLLM(["SELECT firstname FROM pupil", "SELECT first_name FROM pupil"])
    agents = (Decomposer(model, prompts), Refiner(model, prompts, use_repair=False))
    message = Pipeline(agents).run("Which pupils?", database)
    assert origins(message) == ["decomposer", "refiner"]


def test_a_model_that_fails_later_does_not_cost_the_result(database: Database) -> None:
    model = ScriptedLLM(
        ["SELECT name FROM school WHERE city = 'Atlantis Maximus'", LLMError("overloaded")]
    )
    message = Pipeline.of(model, prompts="paper", without=("selector",)).run("Which?", database)
    assert (message.error, message.steps[-1].error) == ("", "overloaded")
    assert message.result is not None


def test_a_model_that_fails_before_anything_ran_ends_the_question(database: Database) -> None:
    model = ScriptedLLM(["SELECT qq FROM nowhere_at_all", LLMError("overloaded")])
    message = Pipeline.of(model, candidates=1).run("Which pupils?", database)
    assert (message.error, message.error_kind) == ("overloaded", "LLMError")
    assert message.sql == "SELECT qq FROM nowhere_at_all"


def test_of_several_repairs_one_with_rows_is_taken(database: Database) -> None:
    model = ScriptedLLM(["SELECT title FROM pupil WHERE pupil.first_name = 'Ann' ORDER BY title"])
    message = Pipeline.of(model, candidates=1).run("Which courses does Ann take?", database)
    assert message.result is not None
    assert message.result.rows == (("Art",), ("Maths",))


def test_the_results_of_sub_questions_are_shown_with_the_request_to_rewrite(
    answer: Answer,
) -> None:
    steps = (
        "Sub-question 1: Who is the oldest?\n```sql\n"
        "SELECT first_name, age FROM pupil WHERE id < 3\n"
        "```\nSub-question 2: Which city?\n```sql\nSELECT town_ FROM nowhere_\n```"
    )
    message = answer(steps, "```sql\nSELECT city FROM school\n```", style="decompose")
    asked = next(s.messages for s in message.steps if s.agent == "refiner" and s.messages)
    shown = asked[-1]["content"]
    assert """Your SQL for "Who is the oldest?" gives: 'Ann', """ in shown
    assert " | 'Ben', " in shown


def test_a_dropped_table_that_is_needed_is_shown_with_the_request_to_rewrite(
    database: Database,
) -> None:
    model = ScriptedLLM(["SELECT title FROM course"])
    whole = database.schema
    kept = whole.only([t for t in whole.tables if t.name != "course"])
    message = Message("Which courses?", kept, sql="SELECT title_ FROM course WHERE x_y = 1")
    for _ in Refiner(model, PromptSet.load("default")).run(message, database):
        pass
    asked = next(s.messages for s in message.steps if s.messages)
    assert "course" not in asked[0]["content"].split("The database also has:")[0]
    assert "The database also has:\nCREATE TABLE course (" in asked[-1]["content"]
    assert message.sql == "SELECT title FROM course"


@pytest.mark.parametrize("asked", ["count(*)", "max(id)", "max(id) / 2, avg(id)"])
def test_a_count_of_nothing_is_diagnosed_like_no_rows(answer: Answer, asked: str) -> None:
    message = answer(f"SELECT {asked} FROM school WHERE city = 'Berlin'")
    assert message.sql == f"SELECT {asked} FROM school WHERE city = 'BERLIN'"
    assert calls(message) == 1


def test_a_count_of_nothing_that_is_right_is_the_answer(answer: Answer) -> None:
    sql = "SELECT count(*) FROM pupil WHERE age > 100"
    message = answer(sql, question="How many pupils are older than 100?")
    assert message.result is not None
    assert message.result.rows == ((0,),)
    assert {f.code for f in message.findings} == {"nothing-found", "empty-condition"}
    assert calls(message) == 1


def test_a_result_that_is_wrong_though_the_query_ran_is_said(answer: Answer) -> None:
    message = answer("SELECT first_name FROM pupil", question="How many pupils are there?")
    assert "count-missing" in {f.code for f in message.findings}
    assert message.error == ""
    assert calls(message) == 1


def test_the_model_sees_its_own_reply_as_it_wrote_it(answer: Answer) -> None:
    reply = "```sql\nSELECT x_y FROM pupil\n```"
    message = answer(reply, "```sql\nSELECT age FROM pupil\n```")
    asked = next(s.messages for s in message.steps if s.agent == "refiner" and s.messages)
    assert asked[-2] == {"role": "assistant", "content": reply}


@pytest.mark.parametrize(
    ("question", "descends"),
    [
        ("List the ages of the pupils, sorted by age.", False),
        ("List the ages of the pupils in descending order of age.", True),
        ("List the ages of the pupils, ordered from old to young.", True),
        ("What are the ages of the pupils?", True),
    ],
)
def test_an_order_that_nobody_turned_round_ascends(
    answer: Answer, question: str, descends: bool
) -> None:
    asked = "SELECT age FROM pupil ORDER BY age DESC"
    message = answer(asked, question=question)
    assert message.sql == (asked if descends else "SELECT age FROM pupil ORDER BY age")
    assert message.result is not None
    ages = [row[0] for row in message.result.rows if row[0] is not None]
    assert ages == sorted(ages, reverse=descends)
    assert calls(message) == 1
    assert [c.sql for c in message.candidates][-1] == message.sql


def test_an_order_turned_round_is_kept_after_a_vote(answer: Answer) -> None:
    asked = "SELECT age FROM pupil ORDER BY age DESC"
    message = answer(
        asked, asked, question="List the ages of the pupils, sorted by age.", candidates=2
    )
    assert message.sql == "SELECT age FROM pupil ORDER BY age"


def test_a_percentage_keeps_its_fraction(answer: Answer, database: Database) -> None:
    cut = "SELECT sum(age > 12) * 100 / (count(age) - 1) FROM pupil"
    message = answer(cut, question="What percentage of the others is over 12?")
    right = database.execute("SELECT 100.0 * sum(age > 12) / (count(age) - 1) FROM pupil")
    assert message.result is not None
    assert message.result.rows == right.rows
    assert message.result.rows != database.execute(cut).rows
    assert (calls(message), origins(message)) == (1, ["decomposer", "repair"])


@pytest.mark.parametrize(
    ("condition", "right", "rows"),
    [
        ("city <> 'Berlin'", "city <> 'BERLIN'", (("Lake School",),)),
        (
            "city IN ('paris', 'BERLIN')",
            "city IN ('PARIS', 'BERLIN')",
            (("Hill School",), ("Lake School",)),
        ),
    ],
)
def test_a_text_stored_otherwise_is_corrected_where_rows_are_found_too(
    answer: Answer, condition: str, right: str, rows: tuple[tuple[str], ...]
) -> None:
    message = answer(f"SELECT name FROM school WHERE {condition}")
    assert message.sql == f"SELECT name FROM school WHERE {right}"
    assert message.result is not None
    assert message.result.rows == rows
    assert "repaired" in [f.code for f in message.findings]


@pytest.fixture
def sales(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE sale (id INTEGER, state TEXT, code TEXT, place TEXT COLLATE NOCASE,"
            " first_name TEXT, last_name TEXT);"
            "INSERT INTO sale VALUES (1, 'Open', 'X 1', 'Rome', 'Bea', 'Berg'),"
            "(2, 'OPEN', 'X-1', 'Oslo', 'Cid', 'Wood'), (3, 'shut', 'Y', 'Bonn', 'Dora', 'Hill')"
        )
    with Database(path) as database:
        yield database


def ask(sql: str, database: Database, question: str = "Which sales?") -> Message:
    return Pipeline.of(ScriptedLLM([sql], loop=True)).run(question, database)


def test_all_spellings_of_a_text_are_meant(sales: Database) -> None:
    message = ask("SELECT id FROM sale WHERE state <> 'open'", sales)
    assert message.sql == "SELECT id FROM sale WHERE state NOT IN ('OPEN', 'Open')"
    assert message.result is not None
    assert message.result.rows == ((3,),)


def test_a_short_text_is_said_and_left_where_rows_are_found(
    sales: Database,
) -> None:
    sql = "SELECT id FROM sale WHERE code <> 'x1'"
    message = ask(sql, sales)
    assert message.sql == sql
    [said] = [f for f in message.findings if f.code == "value-not-stored"]
    assert said.hint == "it is stored as 'X 1'"


@pytest.mark.parametrize("condition", ["place <> 'rome'", "state LIKE 'open'", "place = 'OSLO'"])
def test_what_the_database_finds_by_its_own_rules_is_stored(
    sales: Database, condition: str
) -> None:
    message = ask(f"SELECT id FROM sale WHERE {condition}", sales)
    assert message.sql == f"SELECT id FROM sale WHERE {condition}"
    assert not {"repaired", "value-not-stored", "value-unknown"} & {
        f.code for f in message.findings
    }


def test_what_is_not_indexed_is_not_said_to_be_missing(sales: Database) -> None:
    sql = "SELECT id FROM sale WHERE state <> 'no such state'"
    pipeline = Pipeline.of(ScriptedLLM([sql], loop=True), without=("selector",))
    codes = {f.code for f in pipeline.run("Which sales?", sales).findings}
    assert not {"repaired", "value-not-stored", "value-unknown"} & codes


def test_a_column_that_the_question_names_is_not_another(sales: Database) -> None:
    sql = "SELECT COUNT(*) FROM sale WHERE first_name = 'Berg'"
    message = ask(sql, sales, "How many sales are by somebody with the first name Berg?")
    assert message.sql == sql
    message = ask(sql, sales, "How many sales are by Berg?")
    assert message.sql == "SELECT COUNT(*) FROM sale WHERE last_name = 'Berg'"
    [told] = [f for f in message.findings if f.code == "repaired"]
    assert told.severity == "warning"


def test_an_unknown_text_is_said_with_the_nearest(answer: Answer) -> None:
    message = answer("SELECT name FROM school WHERE name = 'Hall School'")
    assert message.result is not None
    assert message.result.rows == ()
    [said] = [f for f in message.findings if f.code == "value-unknown"]
    assert "'Hill School'" in said.hint


def left_out(message: Message) -> list[str]:
    return [f.message for f in message.findings if f.code == "left-out"]


def test_what_a_failed_attempt_looked_for_is_missed_in_the_answer(answer: Answer) -> None:
    message = answer(
        "SELECT avg(salary) FROM pupil",
        "SELECT avg(age) FROM pupil",
        question="What is the average salary of the pupils?",
    )
    assert message.sql == "SELECT avg(age) FROM pupil"
    assert left_out(message) == ["the question speaks of salary, which the query does without"]


def test_a_condition_that_a_rewrite_drops_is_missed(answer: Answer) -> None:
    message = answer(
        "SELECT first_name FROM pupil WHERE country = 'France'",
        "SELECT first_name FROM pupil",
        question="Which pupils are from France?",
    )
    assert left_out(message) == ["the question says 'France', and the query does without"]


def test_what_is_found_under_another_name_is_not_missed(answer: Answer) -> None:
    message = answer(
        "SELECT name FROM school WHERE place LIKE '%paris%'",
        "SELECT name FROM school WHERE city = 'PARIS'",
        question="Which school is in Paris?",
    )
    assert message.result is not None
    assert left_out(message) == []


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("SELECT count(*) FROM pupils", "SELECT count(*) FROM pupil", "How many pupils are there?"),
        ("SELECT average_age FROM pupil", "SELECT avg(age) FROM pupil", "What is the average age?"),
        ("SELECT town FROM school", "SELECT city FROM school", "In which town is each school?"),
        ("SELECT total FROM pupil", "SELECT count(*) FROM pupil", "What is the total of pupils?"),
    ],
)
def test_what_is_written_or_computed_otherwise_is_not_missed(
    first: str, second: str, question: str, answer: Answer
) -> None:
    assert left_out(answer(first, second, question=question)) == []


def test_a_text_in_a_case_is_written_as_it_is_stored(answer: Answer) -> None:
    message = answer(
        "SELECT sum(CASE WHEN city = 'Paris' THEN 1 ELSE 0 END) FROM school",
        question="How many schools are in Paris?",
    )
    assert message.result is not None
    assert message.result.rows == ((1,),)


def test_a_placeholder_is_no_text(answer: Answer) -> None:
    message = answer("SELECT first_name FROM pupil WHERE first_name <> $1")
    assert message.result is None
    assert [f.hint for f in message.findings if f.code == "placeholder"] == [
        "write the value itself in place of ?, $1, @name or :name"
    ]


def test_the_last_problem_comes_with_what_may_be_meant(answer: Answer) -> None:
    message = answer("SELECT frist_name FROM pupil", max_refinements=0, without=("repair",))
    said = "the last problem: no such column: frist_name; did you mean pupil.first_name or "
    assert message.error.startswith(f"No SQL could be executed; {said}")
