"""Properties: never an exception; never an error that SQLite does not agree with; repairs run."""

import random
import sqlite3
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from macsql.checks import check, diagnose_result, explain_failure, repair, repair_literals
from macsql.checks.names import similarity
from macsql.database.result import Result
from macsql.errors import ExecutionError
from macsql.schema import Column, ForeignKey, Schema, Table

few = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
KEY = ForeignKey(("a_id",), "a", ("id",))
SMALL = Schema(
    "sqlite",
    (
        Table("a", (Column("id", "INT"), Column("b c", "TEXT"), Column("order", "TEXT")), ("id",)),
        Table(
            "d",
            (Column("a_id", "INT"), Column("x", "")),
            (),
            (ForeignKey(("a_id",), "a", ("id",)),),
        ),
    ),
)
TEXT = (
    "SELECT FROM WHERE a d id x b c order , ( ) * . = 'text' \"b c\" JOIN ON AS T1 T2 GROUP BY "
    "HAVING count sum max ORDER LIMIT 1 UNION IN AND OR NOT EXISTS WITH ; -- /* CASE WHEN "
    "THEN END BETWEEN LIKE NULL IS OVER VALUES :: ? @ [ ] ` \\ é 😀 "
)
WORDS = TEXT.split()
fragments = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@few
@given(st.one_of(st.text(max_size=80), fragments, fragments.map(lambda s: "SELECT " + s)))
def test_no_text_raises(text: str) -> None:
    for dialect in ("sqlite", "postgres", "mysql", "tsql", "duckdb", "unheard of"):
        schema = Schema(dialect, SMALL.tables)
        assert isinstance(check(text, schema), list)
    assert isinstance(explain_failure(text, text, SMALL), list)
    assert isinstance(repair_literals(text, SMALL, lambda *_: ["TEXT"]), list)


@settings(few, max_examples=60)
@given(fragments.map(lambda s: "SELECT " + s))
def test_no_text_makes_repair_raise(text: str) -> None:
    assert isinstance(repair(text, SMALL), list)


def test_deep_nesting_is_survived() -> None:
    deep = "SELECT " + "(" * 3000 + "1" + ")" * 3000
    assert isinstance(check(deep, SMALL), list)
    assert isinstance(check("SELECT 1" + " + 1" * 3000, SMALL), list)


# Random queries, right and wrong, against SQLite --------------------------------------------

COLUMNS = [
    "id",
    "name",
    "city",
    "first_name",
    '"last name"',
    "age",
    "school_id",
    "mark",
    "nonesuch",
]
TABLES = ["pupil", "school", "enrolment", "v_marks"]
aliases = st.sampled_from(["", "", "T1.", "T2.", "pupil.", "school."])
column = st.builds(lambda q, c: q + c, aliases, st.sampled_from(COLUMNS))
relation = st.builds(lambda t, a: t + a, st.sampled_from(TABLES), st.sampled_from(["", " AS T1"]))


@st.composite
def queries(draw: Any, depth: int = 1) -> str:
    """SELECTs whose names may or may not exist."""
    source = draw(relation)
    if draw(st.booleans()):
        other = draw(st.sampled_from(TABLES))
        source += f" JOIN {other} AS T2 ON {draw(column)} = {draw(column)}"
    if depth and draw(st.integers(0, 3)) == 0:
        source = f"({draw(queries(depth=0))}) AS T1"
    shown = ", ".join(draw(st.lists(column, min_size=1, max_size=2)))
    shown = draw(st.sampled_from([shown, shown, "*", f"count(*), {shown}", f"{shown} AS x"]))
    sql = f"SELECT {shown} FROM {source}"
    if depth and draw(st.booleans()):
        test = draw(st.sampled_from(["IN", "NOT IN"]))
        sql += f" WHERE {draw(column)} {test} ({draw(queries(depth=0))})"
    elif draw(st.booleans()):
        sql += f" WHERE {draw(column)} > 1"
    if draw(st.integers(0, 2)) == 0:
        sql += f" GROUP BY {draw(column)}"
    if draw(st.integers(0, 2)) == 0:
        sql += f" ORDER BY {draw(column)}"
    return sql


@settings(few, max_examples=250)
@given(sql=queries())
def test_errors_are_found_exactly_where_sqlite_refuses(sql: str, school: Any) -> None:
    errors = [f for f in check(sql, school.schema) if f.severity == "error"]
    assert bool(errors) == bool(school.refusal(sql)), (sql, errors, school.refusal(sql))


@settings(few, max_examples=80)
@given(sql=st.one_of(queries(), fragments.map(lambda s: "SELECT " + s)))
def test_no_text_makes_a_diagnosis_raise(sql: str, school: Any) -> None:
    def execute(probe: str) -> Result:
        try:
            return Result((), tuple(school.rows(probe)))
        except sqlite3.Error as error:
            raise ExecutionError(str(error)) from error

    question = "How many pupils has each school, and how many schools are there?"
    for schema in (school.schema, SMALL):
        assert isinstance(diagnose_result(sql, None, schema, execute, question=question), list)


@settings(few, max_examples=80)
@given(sql=queries())
def test_repair_that_checks_clean_runs(sql: str, school: Any) -> None:
    for found in repair(sql, school.schema):
        if not [f for f in check(found.sql, school.schema) if f.severity == "error"]:
            assert school.refusal(found.sql) == ""


# Right queries, broken in one place -----------------------------------------------------------

GOLD = [
    "SELECT T1.first_name, T2.name FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id",
    "SELECT T2.city, count(*) FROM pupil AS T1 JOIN school AS T2 ON T1.school_id = T2.id "
    "GROUP BY T2.city",
    "SELECT T1.first_name, T3.title FROM pupil AS T1 JOIN enrolment AS T2 ON T1.id = T2.pupil_id "
    "JOIN course AS T3 ON T2.course_code = T3.code WHERE T2.mark > 1",
    "SELECT name FROM school WHERE id NOT IN (SELECT school_id FROM pupil WHERE age > 12)",
    "SELECT title FROM course EXCEPT SELECT T2.title FROM enrolment AS T1 JOIN course AS T2 "
    "ON T1.course_code = T2.code",
]


def misspelt(sql: str, name: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(name) - 1)
    wrong = chance.choice([name[:at] + name[at + 1 :], name[:at] + "_" + name[at:], name + "s"])
    return sql.replace(name, wrong)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("gold", GOLD)
def test_misspelt_name_is_repaired_to_the_same_result(gold: str, seed: int, school: Any) -> None:
    chance = random.Random(seed)
    names = ["first_name", "title", "school_id", "pupil", "school", "course_code", "enrolment"]
    broken = misspelt(gold, chance.choice([n for n in names if n in gold]), chance)
    if not school.refusal(broken):
        pytest.skip("still runs")
    best = repair(broken, school.schema)[0]
    assert school.rows(best.sql) == school.rows(gold)


@few
@given(st.text(max_size=12), st.text(max_size=12))
def test_similarity_is_between_zero_and_one_and_symmetric_at_the_ends(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == 1.0
