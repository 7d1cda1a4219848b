"""Whole runs on a small benchmark: every question answered once, judged once, whatever happens."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from macsql.chat import ChatMessage
from macsql.database import Database
from macsql.errors import ConfigError, LLMError
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.folder import Manifest, RunFolder
from macsql.evaluation.runner import Progress, Runner
from macsql.evaluation.runner_agents import Makeup
from macsql.llm import ScriptedLLM
from macsql.records import load
from macsql.schema_text import show_schema

# Question, gold SQL, what the model says, and whether that is right.
ASKED = [
    ("How many pupils are there?", "SELECT count(*) FROM pupil", "SELECT count(id) FROM pupil", 1),
    ("Which cities have schools?", "SELECT city FROM school", "SELECT name FROM school", 0),
    ("What are the courses called?", "SELECT title FROM course", "SELECT title FROM courses", 1),
    ("Which term is the newest?", "SELECT max(term) FROM enrolment", "NO SQL: not known", 0),
    ("What is the best mark?", "SELECT min(mark) FROM enrolment", "I cannot say.", 0),
    ("Who is the oldest pupil?", "SELECT max(age) FROM pupil", "SELECT max(age) FROM pupil", 1),
]
SPOKEN = {question: said for question, _, said, _ in ASKED}
RIGHT = {f"q{i}": bool(right) for i, (*_, right) in enumerate(ASKED)}


BASELINE = Makeup(baseline=True)


def spoken(messages: Sequence[ChatMessage]) -> str:
    """The reply to the question that was asked last."""
    text = "\n".join(m["content"] for m in messages)
    return SPOKEN[max(SPOKEN, key=text.rfind)]


def model() -> ScriptedLLM:
    return ScriptedLLM([spoken], loop=True)


@pytest.fixture
def toy(school_db: Path, tmp_path: Path) -> Benchmark:
    """Six questions, in turn on two databases of the same content."""
    other = tmp_path / "other.sqlite"
    shutil.copy(school_db, other)
    examples = tuple(
        Example(f"q{i}", question, gold, str((school_db, other)[i % 2]), ("school", "other")[i % 2])
        for i, (question, gold, *_) in enumerate(ASKED)
    )
    return Benchmark("toy", "spider", examples, "c0ffee")


@pytest.fixture(scope="module")
def judges() -> Iterator[JudgePool]:
    with JudgePool("spider", workers=1) as pool:
        yield pool


def folder_of(path: Path, benchmark: Benchmark) -> RunFolder:
    ids = tuple(e.id for e in benchmark.examples)
    return RunFolder.create(path, Manifest("eval", "toy", "spider", benchmark.checksum, ids))


def run(
    path: Path,
    benchmark: Benchmark,
    llm: ScriptedLLM,
    judges: JudgePool,
    makeup: Makeup | None = None,
    *,
    workers: int = 1,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> RunFolder:
    """Run to the end; the closed folder."""
    pipelines = (makeup or Makeup(candidates=1)).pipelines(llm)
    with folder_of(path, benchmark) as folder:
        Runner(benchmark, folder, pipelines, judges, workers=workers, on_progress=on_progress).run()
    return folder


def test_every_question_leaves_an_answer_a_verdict_and_a_trace(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    folder = run(tmp_path / "run", toy, model(), judges)
    assert {id_: v.ex for id_, v in folder.verdicts.items()} == RIGHT
    assert set(folder.answers) == set(RIGHT)
    for example in toy.examples:
        answer = folder.answers[example.id]
        message, about = load(folder.path / answer.trace)
        assert (message.question, message.sql) == (example.question, answer.sql)
        assert about["id"] == example.id
    kinds = {id_: a.error_kind for id_, a in folder.answers.items() if a.error}
    assert kinds == {"q3": "NoSQL", "q4": "ParseError"}


def test_the_answer_says_how_it_came_about(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    folder = run(tmp_path / "run", toy, model(), judges)
    repaired = folder.answers["q2"]
    assert repaired.first_sql == "SELECT title FROM courses"
    assert repaired.sql == "SELECT title FROM course"
    assert repaired.origins == ("decomposer", "repair")
    assert (repaired.rounds, repaired.selection, repaired.fallback) == (0, None, False)
    assert repaired.schema_size == 24
    assert folder.verdicts["q2"].first_ex is False
    assert folder.verdicts["q0"].first_ex is None
    assert repaired.usage.calls == 1
    assert folder.answers["q4"].usage.calls == 2


def test_workers_in_parallel_give_the_same_verdicts(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    alone = run(tmp_path / "one", toy, model(), judges)
    together = run(tmp_path / "four", toy, model(), judges, workers=4)
    for id_ in RIGHT:
        plain = [replace(f.verdicts[id_], seconds=0, gold_seconds=0) for f in (alone, together)]
        assert plain[0] == plain[1]
        assert alone.answers[id_].sql == together.answers[id_].sql


def test_questions_of_one_database_are_asked_together(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    folder = run(tmp_path / "run", toy, model(), judges, BASELINE)
    assert [a.db_id for a in folder.answers.values()] == ["school"] * 3 + ["other"] * 3


def test_a_finished_run_asks_nothing_again(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    first = run(tmp_path / "run", toy, model(), judges)
    again = run(tmp_path / "run", toy, ScriptedLLM([]), judges)
    assert (again.answers, again.verdicts) == (first.answers, first.verdicts)


def test_answers_without_verdicts_are_judged(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    run(tmp_path / "run", toy, model(), judges)
    lines = (tmp_path / "run" / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "verdicts.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:20])
    again = run(tmp_path / "run", toy, ScriptedLLM([]), judges)
    assert {id_: v.ex for id_, v in again.verdicts.items()} == RIGHT


def test_a_model_that_always_fails_ends_the_run_early(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    broken = ScriptedLLM([LLMError("the API key is missing or wrong.")], loop=True)
    with pytest.raises(LLMError, match="3 questions in a row without a reply: the API key"):
        run(tmp_path / "run", toy, broken, judges)
    assert len(broken.calls) == 3
    assert len(RunFolder.open(tmp_path / "run").answers) == 3
    mended = run(tmp_path / "run", toy, model(), judges)
    assert {id_: v.ex for id_, v in mended.verdicts.items()} == RIGHT


def test_a_prompt_too_long_is_the_questions_own_failure(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    small = ScriptedLLM([LLMError("the context window is 512 tokens.")], loop=True)
    folder = run(tmp_path / "run", toy, small, judges)
    assert {a.error_kind for a in folder.answers.values()} == {"LLMError"}
    assert not any(v.ex for v in folder.verdicts.values())


def test_a_model_that_fails_on_the_way_is_asked_again(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    one = replace(toy, examples=toy.examples[:1])
    # The paper's prompts have an empty result rewritten; the first SQL is all there is then.
    makeup = Makeup(prompts="paper", without=("selector",))
    empty = "SELECT id FROM pupil WHERE id = 99"
    halfway = run(tmp_path / "run", one, ScriptedLLM([empty, LLMError("gone")]), judges, makeup)
    assert (halfway.answers["q0"].sql, halfway.answers["q0"].error) == (empty, "")
    assert "no-reply" in halfway.answers["q0"].findings
    again = run(tmp_path / "run", one, model(), judges, makeup)
    assert "no-reply" not in again.answers["q0"].findings
    assert again.verdicts["q0"].ex


def test_a_database_that_is_not_there_costs_its_own_questions(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    Path(toy.examples[1].database).unlink()
    folder = run(tmp_path / "run", toy, model(), judges)
    lost = {id_ for id_, a in folder.answers.items() if a.error_kind == "DatabaseUnavailable"}
    assert lost == {"q1", "q3", "q5"}
    assert {id_ for id_, v in folder.verdicts.items() if v.ex} == {"q0", "q2"}


@pytest.mark.parametrize("workers", [1, 3])
def test_a_fault_in_one_question_is_raised_and_the_rest_is_kept(
    toy: Benchmark, judges: JudgePool, tmp_path: Path, workers: int
) -> None:
    def faulty(messages: Sequence[ChatMessage]) -> str:
        if "oldest pupil" in messages[-1]["content"]:
            raise ZeroDivisionError("a fault")
        return spoken(messages)

    llm = ScriptedLLM([faulty], loop=True)
    with pytest.raises(ZeroDivisionError) as caught:
        run(tmp_path / "run", toy, llm, judges, workers=workers)
    assert "question q5 of toy" in caught.value.__notes__[0]
    assert set(RunFolder.open(tmp_path / "run").answers) == set(RIGHT) - {"q5"}


def test_a_full_disk_ends_the_run_in_one_line(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    with folder_of(tmp_path / "run", toy) as folder:
        (tmp_path / "run" / "traces").rmdir()
        with pytest.raises(ConfigError, match="What was finished is kept"):
            Runner(toy, folder, Makeup().pipelines(model()), judges).run()


def test_two_workers_ask_two_at_a_time_and_never_three(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    both = threading.Barrier(2)
    asking: list[int] = []

    def together(messages: Sequence[ChatMessage]) -> str:
        asking.append(1)
        both.wait(timeout=60)
        assert len(asking) <= 2
        both.wait(timeout=60)
        asking.clear()
        both.wait(timeout=60)
        return spoken(messages)

    llm = ScriptedLLM([together], loop=True)
    folder = run(tmp_path / "run", toy, llm, judges, BASELINE, workers=2)
    assert len(folder.answers) == len(llm.calls) == 6


def test_progress_counts_up_to_the_whole(toy: Benchmark, judges: JudgePool, tmp_path: Path) -> None:
    seen: list[Progress] = []
    run(tmp_path / "run", toy, model(), judges, on_progress=seen.append)
    last = seen[-1]
    assert (last.total, last.answered, last.judged, last.right) == (6, 6, 6, 3)
    assert last.failed == 2
    assert last.usage.calls == 7
    answered = [progress.answered for progress in seen]
    assert answered == sorted(answered)


@pytest.mark.parametrize(
    ("makeup", "names"),
    [
        (Makeup(), ["selector", "decomposer", "voter", "refiner"]),
        (Makeup(candidates=1), ["selector", "decomposer", "refiner"]),
        (Makeup(without=("selector",)), ["decomposer", "voter", "refiner"]),
        (Makeup(without=("decomposer",)), ["selector", "baseline", "voter", "refiner"]),
        (Makeup(without=("decomposer", "refiner")), ["selector", "baseline"]),
        (Makeup(baseline=True), ["baseline"]),
        (Makeup(oracle_schema=True), ["oracle-selector", "decomposer", "voter", "refiner"]),
    ],
)
def test_ablations_are_other_tuples_of_agents(
    toy: Benchmark, makeup: Makeup, names: list[str]
) -> None:
    pipeline = makeup.pipelines(model())(toy.examples[0])
    assert [agent.name for agent in pipeline.agents] == names


@pytest.mark.parametrize(
    "options",
    [
        {"baseline": True, "without": ("refiner",)},
        {"baseline": True, "oracle_schema": True},
        {"oracle_schema": True, "without": ("selector",)},
    ],
)
def test_contradicting_makeups_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Makeup(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "makeup",
    [
        Makeup(),
        Makeup(baseline=True),
        Makeup(without=("decomposer",)),
        Makeup(prompts="paper"),
        Makeup(oracle_schema=True),
    ],
)
def test_no_prompt_holds_the_gold_sql(
    toy: Benchmark, judges: JudgePool, tmp_path: Path, makeup: Makeup
) -> None:
    marked = replace(
        toy,
        examples=tuple(
            replace(e, gold_sql=f"{e.gold_sql} /* gold-{e.id} */") for e in toy.examples
        ),
    )
    llm = model()
    run(tmp_path / "run", marked, llm, judges, makeup)
    said = json.dumps(llm.calls)
    assert llm.calls
    assert "gold-q" not in said
    assert not any(example.gold_sql in said for example in toy.examples)


def test_the_oracle_shows_the_golds_tables_and_columns_alone(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    llm = model()
    folder = run(tmp_path / "run", toy, llm, judges, Makeup(oracle_schema=True))
    assert folder.answers["q1"].selection == ("school.id", "school.city")
    prompt = next(m for m in llm.calls if "Which cities" in m[-1]["content"])
    schema = prompt[0]["content"]
    assert "city TEXT" in schema
    assert "founded" not in schema
    assert "pupil" not in schema


def test_a_gold_that_cannot_be_read_leaves_the_schema_whole(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    broken = replace(toy, examples=(replace(toy.examples[0], gold_sql="SELEC"),))
    folder = run(tmp_path / "run", broken, model(), judges, Makeup(oracle_schema=True))
    assert folder.answers["q0"].selection is None
    assert folder.verdicts["q0"].gold_error


def test_the_baseline_is_one_prompt_of_schema_and_question(
    toy: Benchmark, judges: JudgePool, tmp_path: Path
) -> None:
    llm = model()
    run(tmp_path / "run", replace(toy, examples=toy.examples[:1]), llm, judges, BASELINE)
    with Database(toy.examples[0].database) as database:
        schema = show_schema(database.schema, "ddl", examples=3)
    content = (
        f"{schema}\n\nWrite one SQLite query that answers the question.\n"
        "Question: How many pupils are there?"
    )
    assert llm.calls == [({"role": "user", "content": content},)]


def test_each_database_is_opened_once(toy: Benchmark, judges: JudgePool, tmp_path: Path) -> None:
    opened: list[str] = []

    def open_database(example: Example) -> Database:
        opened.append(example.db_id)
        return Database(example.database)

    with folder_of(tmp_path / "run", toy) as folder:
        pipelines = BASELINE.pipelines(model())
        Runner(toy, folder, pipelines, judges, workers=3, open_database=open_database).run()
    assert sorted(opened) == ["other", "school"]
