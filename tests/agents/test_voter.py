"""The Voter: when it asks again, what it chooses, and what it never makes worse."""

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from macsql.agents.voter import Ballot, Budget, elect, read_count
from macsql.database import Database, Result
from macsql.errors import ConfigError, LLMError
from macsql.llm import ScriptedLLM
from macsql.message import Candidate, Finding, Message
from macsql.pipeline import Pipeline
from macsql.prompts import PromptSet

Answer = Callable[..., Message]
ALL = "SELECT first_name FROM pupil"
NONE = "SELECT first_name FROM pupil WHERE age > 100"
BROKEN = "SELECT first_name FROM pupil WHERE"
ONE = "SELECT first_name FROM pupil WHERE id = 1"


def origins(message: Message) -> list[str]:
    return [c.origin for c in message.candidates]


def ballot(rows: tuple[tuple[object, ...], ...] | None, logprob: float | None = None) -> Ballot:
    result = None if rows is None else Result(("a",), ("TEXT",), rows)
    return Ballot(Candidate(f"SELECT {rows!r}", "voter", result), logprob)


def test_what_most_attempts_find_is_the_answer(answer: Answer) -> None:
    message = answer(ALL, ONE, ONE, ONE, candidates=4)
    assert message.sql == ONE
    assert message.result is not None
    assert message.result.rows == (("Ann",),)
    assert message.confidence == 0.75
    assert origins(message) == ["decomposer", "voter", "voter", "voter"]


def test_results_are_compared_and_not_texts(answer: Answer) -> None:
    same = "SELECT p.first_name FROM pupil AS p"
    message = answer(ALL, same, ONE, ONE, same, candidates=5)
    assert (message.sql, message.confidence) == (ALL, 0.6)


class SmallModel(ScriptedLLM):
    """A scripted model whose name says that sub-questions do not pay."""

    name = "scripted-1b"


def asked(message: Message) -> list[str]:
    return [s.messages[-1]["content"] for s in message.steps if s.messages]


def test_first_it_is_asked_in_other_ways_and_then_by_chance(database: Database) -> None:
    pipeline = Pipeline.of(SmallModel([ALL, ONE, NONE, ALL, ONE]), candidates=5)
    fixed, best, next_best, *by_chance = asked(pipeline.run("How many pupils are there?", database))
    assert "author(author_id, name, country)" in fixed
    assert [best.count("Question:"), next_best.count("Question:")] == [4, 4]
    assert len({fixed, best, next_best}) == 3
    assert by_chance == [fixed, best]


def test_who_selects_examples_is_asked_with_the_fixed_ones_for_a_second_opinion(
    database: Database,
) -> None:
    pipeline = Pipeline.of(SmallModel([ALL, ONE]), candidates=2, examples="builtin", shots=1)
    best, fixed = asked(pipeline.run("How many pupils are there?", database))
    assert "author(author_id, name, country)" in fixed
    assert "author(author_id, name, country)" not in best


def test_a_large_model_is_asked_by_sub_questions_for_a_second_opinion(database: Database) -> None:
    pipeline = Pipeline.of(ScriptedLLM([ALL, ONE]), candidates=2)
    direct, steps = asked(pipeline.run("How many pupils are there?", database))
    assert "Think step by step" not in direct
    assert "Think step by step" in steps


def test_no_further_attempt_when_most_agree_already(answer: Answer) -> None:
    message = answer(ALL, ALL, ALL, candidates=5)
    assert (message.sql, message.confidence) == (ALL, 1.0)
    assert len(message.candidates) == 3


def test_where_there_is_no_doubt_nothing_more_is_asked(answer: Answer) -> None:
    message = answer(ALL, candidates="auto")
    assert (origins(message), message.confidence) == (["decomposer"], None)
    assert message.usage.calls == 1


@pytest.mark.parametrize("first", [NONE, BROKEN])
def test_a_failure_and_an_empty_result_are_doubts(answer: Answer, first: str) -> None:
    message = answer(first, ONE, ONE, ONE, ONE, candidates="auto")
    assert message.sql == ONE
    assert message.error == ""


def test_what_was_executed_is_not_executed_again(answer: Answer, database: Database) -> None:
    message = answer(ALL, ONE, ONE, candidates=3)
    assert len(origins(message)) == 3
    assert message.result is not None


def test_attempts_are_repaired_like_the_first(answer: Answer) -> None:
    wrong = (
        "SELECT s.first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id WHERE p.id=1"
    )
    message = answer(NONE, wrong, wrong, wrong, wrong, candidates="auto")
    assert message.result is not None
    assert message.result.rows == (("Ann",),)


def test_a_failing_model_does_not_cost_the_answer(answer: Answer) -> None:
    message = answer(NONE, LLMError("gone"), candidates="auto")
    assert (message.sql, message.error) == (NONE, "")
    assert message.result is not None


def test_replies_without_sql_are_no_attempts(answer: Answer) -> None:
    message = answer(NONE, "I cannot say.", "", ONE, ONE, candidates=5)
    assert message.sql == ONE


def test_when_all_fail_the_refiner_goes_on(answer: Answer) -> None:
    broken = [f"SELECT qqqq{i} FROM zzzz" for i in range(5)]
    message = answer(*broken, ONE, candidates="auto")
    assert message.sql == ONE
    assert origins(message)[-1] == "refiner"


def test_a_write_is_refused_and_not_voted_on(answer: Answer) -> None:
    message = answer("DROP TABLE pupil", candidates=5)
    assert message.error_kind == "UnsafeSQLError"
    assert message.usage.calls == 1


def test_without_the_refiner_nothing_is_executed_and_nothing_voted_on(
    database: Database, prompts: PromptSet
) -> None:
    model = ScriptedLLM([ALL])
    pipeline = Pipeline.of(model, prompts=prompts, without=("refiner",), candidates=5)
    assert [a.name for a in pipeline.agents] == ["selector", "decomposer"]


def test_likelier_words_weigh_more() -> None:
    chosen, share = elect([ballot((("x",),), -2.0), ballot((("y",),), -0.01)])
    assert chosen.result is not None
    assert chosen.result.rows == (("y",),)
    assert share == pytest.approx(math.exp(-0.01) / (math.exp(-0.01) + math.exp(-2.0)))


def test_of_two_results_the_simpler_statement_weighs_more() -> None:
    joined = ballot((("x",),), -0.05)
    sql = "SELECT p.name FROM pupil AS p JOIN school AS s ON p.school_id = s.id"
    joined = replace(joined, candidate=replace(joined.candidate, sql=sql))
    text = replace(
        joined.candidate, sql="SELECT ' JOIN JOIN JOIN '", result=ballot((("y",),)).candidate.result
    )
    chosen, share = elect([joined, Ballot(text, -0.05)])
    assert chosen is text
    assert share == pytest.approx(1 / 1.9)


def test_a_failure_never_wins_against_a_result() -> None:
    chosen, _ = elect([ballot(None), ballot(None), ballot((("x",),), -3.0)])
    assert chosen.result is not None


def test_a_certain_fault_never_wins_against_a_clean_statement() -> None:
    fault = Finding("unknown-column", "error", "no such column")
    rows = Result(("a",), ("TEXT",), (("x",),))
    faulty = Ballot(Candidate("SELECT 1", "voter", rows, (fault,)), 0.0)
    chosen, _ = elect([faulty, faulty, ballot((("y",),))])
    assert chosen.result is not None
    assert chosen.result.rows == (("y",),)


def test_a_repair_is_told_by_the_voter_too(answer: Answer) -> None:
    broken = "SELECT T2.first_name FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id"
    message = answer(broken, broken, candidates=2)
    notes = [s.note for s in message.steps if s.agent == "voter"]
    assert any(n.startswith("repaired: ") for n in notes)
    [told] = [f for f in message.findings if f.code == "repaired"]
    assert (told.severity, told.message) == ("hint", "The query was corrected.")
    assert f"repaired: {told.hint}" in notes


def test_a_text_that_is_replaced_by_a_like_one_is_a_warning(answer: Answer) -> None:
    asked = "SELECT COUNT(*) FROM school WHERE name = 'Hill Schoool'"
    message = answer(asked, asked, candidates=2)
    assert message.sql == "SELECT COUNT(*) FROM school WHERE name = 'Hill School'"
    [told] = [f for f in message.findings if f.code == "repaired"]
    assert told.severity == "warning"
    assert told.hint == "'Hill Schoool' is not stored in school.name, and 'Hill School' is like it"


def test_two_queries_that_find_nothing_do_not_agree(answer: Answer) -> None:
    other = "SELECT id, age FROM pupil WHERE grade = '99'"
    message = answer(NONE, other, ONE, candidates=3)
    assert message.sql == ONE
    assert message.usage.calls == 3


def test_attempts_that_all_failed_have_no_confidence(answer: Answer) -> None:
    broken = ["SELECT nothing_like_it FROM pupil", "SELECT neither_this FROM pupil"]
    message = answer(*broken, *broken, *broken, candidates=2)
    assert message.result is None
    assert message.confidence is None
    assert "none of 2 attempts could be executed" in [s.note for s in message.steps]


def ordered(order: str) -> Ballot:
    rows = ((1,), (2,)) if order == "age" else ((2,), (1,))
    result = Result(("age",), ("INTEGER",), rows)
    return Ballot(Candidate(f"SELECT age FROM pupil ORDER BY {order}", "voter", result), -0.05)


def test_the_other_way_round_is_another_result() -> None:
    chosen, share = elect([ordered("age"), ordered("age DESC"), ordered("age DESC, id")])
    assert chosen.sql.endswith("age DESC")
    assert share == pytest.approx(2 / 3)


def test_an_order_inside_does_not_matter() -> None:
    inside = "(SELECT id FROM pupil ORDER BY age DESC LIMIT 2), id"
    _, share = elect([ordered("age"), ordered(inside)])
    assert share == 1.0


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (5, 5.0, True),
        (Decimal("2.50"), 2.5, True),
        (1 / 3, 0.33333333333, True),
        (1e-7, 4e-7, False),
        (10**16, 10**16 + 1, False),
        (9780306406157, 9780306406164, False),
        (0.0, -0.0, True),
        (float("inf"), float("inf"), True),
        ("5", 5, False),
        (None, "None", False),
    ],
)
def test_numbers_are_compared_by_their_value(one: object, other: object, agree: bool) -> None:
    _, share = elect([ballot(((one, "x"),), -0.05), ballot(((other, "x"),), -0.05)])
    assert (share == 1.0) is agree


def test_the_order_of_rows_does_not_make_another_result() -> None:
    _, share = elect([ballot((("x",), ("y",))), ballot((("y",), ("x",)))])
    assert share == 1.0


@pytest.mark.parametrize("text", ["0", "33", "many", "-1", "1.5"])
def test_a_count_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="candidates must be auto, or a number from 1 to 32"):
        read_count(text)


@pytest.mark.parametrize("budget", [Budget(seconds=0), Budget(tokens=1)])
def test_a_spent_budget_ends_the_asking(answer: Answer, budget: Budget) -> None:
    message = answer(ALL, candidates=5, budget=budget)
    assert (origins(message), message.confidence) == (["decomposer"], None)


def test_queries_that_run_long_are_part_of_the_budget(database: Database) -> None:
    slow = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
        "SELECT max(i) FROM n WHERE i < 0"
    )
    model = ScriptedLLM([slow, ONE, ONE])
    pipeline = Pipeline.of(model, candidates="auto", budget=Budget(seconds=0.01))
    pipeline.run("Which is it?", database)
    assert len(model.calls) == 1


def test_the_same_statement_is_executed_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[str] = []
    execute = database.execute
    monkeypatch.setattr(database, "execute", lambda sql: (executed.append(sql), execute(sql))[1])
    message = Pipeline.of(ScriptedLLM([ONE, ONE, ONE]), candidates=5).run("Who?", database)
    assert executed.count(ONE) == 1
    assert origins(message) == ["decomposer", "voter", "voter"]


def test_an_attempt_that_does_not_look_like_an_answer_weighs_less() -> None:
    doubtful = replace(ballot((("x",),)), doubts=1)
    chosen, share = elect([doubtful, ballot((("y",),))])
    assert chosen.result is not None
    assert (chosen.result.rows, share) == ((("y",),), pytest.approx(2 / 3))


def test_what_does_not_look_like_an_answer_is_in_doubt(answer: Answer) -> None:
    count = "SELECT count(*) FROM pupil"
    question = "How many pupils are there?"
    message = answer(ALL, count, count, count, count, question=question, candidates="auto")
    assert message.sql == count


SCHOOLED = "Which pupils have a school?"
CROSSED = "SELECT p.first_name FROM pupil AS p JOIN school AS s ON p.id = s.id"
RIGHT = "SELECT p.first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id"


def test_a_warning_about_the_joins_is_a_doubt(database: Database) -> None:
    message = Pipeline.of(SmallModel([CROSSED, RIGHT])).run(SCHOOLED, database)
    assert (message.sql, message.usage.calls) == (RIGHT, 2)


def test_of_two_attempts_the_one_without_a_warning_is_taken(database: Database) -> None:
    pipeline = Pipeline.of(SmallModel([CROSSED, RIGHT]), candidates=2)
    message = pipeline.run(SCHOOLED, database)
    assert message.sql == RIGHT
    assert message.confidence == pytest.approx(2 / 3, abs=0.001)


@pytest.mark.parametrize(
    ("question", "mixed", "right"),
    [
        (
            "How many pupils have a mark?",
            "SELECT count(*) FROM pupil p JOIN enrolment e ON e.pupil_id = p.id",
            "SELECT count(DISTINCT pupil_id) FROM enrolment",
        ),
        (
            "How many pupils have no certificate?",
            "SELECT count(*) FROM pupil WHERE id NOT IN (SELECT pupil_id FROM certificate)",
            "SELECT count(*) FROM pupil WHERE id NOT IN "
            "(SELECT pupil_id FROM certificate WHERE pupil_id IS NOT NULL)",
        ),
    ],
)
def test_a_result_of_rows_that_are_mixed_up_is_a_doubt(
    question: str, mixed: str, right: str, school_db: Path
) -> None:
    with closing(sqlite3.connect(school_db)) as connection, connection:
        connection.execute("INSERT INTO enrolment VALUES (1, 'M1', 'extra', 1.0)")
        connection.execute("INSERT INTO certificate VALUES (NULL, 'M1', 'extra', '2020-01-01')")
    with Database(school_db) as database:
        assert database.execute(mixed).rows != database.execute(right).rows
        message = Pipeline.of(SmallModel([mixed, right, right])).run(question, database)
    assert message.usage.calls > 1
    assert message.sql == right
