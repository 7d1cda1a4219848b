"""What runs, and silently means something else: repaired where what was meant is plain."""

from typing import Any

import pytest

from macsql.checks import check, repair
from macsql.schema import Column, Schema, Table


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            """SELECT first_name + ' ' + "last name" FROM pupil""",
            """SELECT first_name || ' ' || "last name" FROM pupil""",
        ),
        ("SELECT CAST(age AS STRING) FROM pupil", "SELECT CAST(age AS TEXT) FROM pupil"),
        ("SELECT CAST(founded AS DATE) FROM school", "SELECT DATE(founded) FROM school"),
        (
            "SELECT STRFTIME(founded, '%Y') FROM school",
            "SELECT STRFTIME('%Y', founded) FROM school",
        ),
        ('SELECT "T1.first_name" FROM pupil AS T1', "SELECT T1.first_name FROM pupil AS T1"),
        ('SELECT "first name" FROM pupil', "SELECT first_name FROM pupil"),
        ('SELECT SUM("Age") + SUM("a-g-e") FROM pupil', None),
        (
            "SELECT first_name FROM pupil WHERE 'age' > (SELECT AVG(age) FROM pupil)",
            "SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil)",
        ),
        (
            "SELECT TOP(2) first_name FROM pupil ORDER BY age DESC",
            "SELECT first_name FROM pupil ORDER BY age DESC LIMIT 2",
        ),
    ],
)
def test_what_sqlite_misreads_is_written_right(
    written: str, meant: str | None, school: Any
) -> None:
    found = repair(written, school.schema)
    assert [r.sql for r in found[:1]] == ([meant] if meant else [])
    assert all(r.is_certain for r in found[:1])
    assert meant is None or school.refusal(meant) == ""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age + '1' FROM pupil",
        "SELECT DATE('now') + '1 day'",
        "SELECT CAST(age AS DATE) FROM pupil",
        "SELECT STRFTIME('%Y', founded) FROM school",
        'SELECT name FROM school WHERE name = "first name"',
        "SELECT first_name, name FROM pupil, school",
        "SELECT first_name, name FROM pupil CROSS JOIN school",
        "SELECT first_name, name FROM pupil JOIN school",
        "SELECT city FROM school GROUP BY city HAVING COUNT(*) > 1 ORDER BY COUNT(*)",
    ],
)
def test_what_may_be_meant_is_left(sql: str, school: Any) -> None:
    assert [f for f in check(sql, school.schema) if f.severity == "error"] == []


def test_a_second_select_is_not_dropped_for_certain(school: Any) -> None:
    best = repair("SELECT name FROM school SELECT city FROM school", school.schema)[0]
    assert not best.is_certain


def test_conditions_beside_a_window_make_the_repair_doubtful(school: Any) -> None:
    sql = "SELECT first_name FROM pupil WHERE age > 3 AND RANK() OVER (ORDER BY age) = 1"
    best = repair(sql, school.schema)[0]
    assert not best.is_certain
    assert school.refusal(best.sql) == ""


def test_a_window_before_a_limit_is_left(school: Any) -> None:
    sql = "SELECT first_name FROM pupil WHERE RANK() OVER (ORDER BY age) = 1 LIMIT 1"
    assert repair(sql, school.schema) == []


def test_a_name_that_may_be_two_longer_ones_is_doubtful() -> None:
    columns = (Column("festival_id", "INTEGER"), Column("festival_name", "TEXT"))
    table = Table("detail", columns, ("festival_id",))
    best = repair("SELECT festival FROM detail", Schema("sqlite", (table,)))[0]
    assert not best.is_certain


def test_no_column_is_compared_with_itself() -> None:
    trip = Table("trip", (Column("id", "INTEGER"), Column("end_place", "TEXT")), ("id",))
    station = Table("station", (Column("no", "INTEGER"), Column("city", "TEXT")), ("no",))
    sql = "SELECT T2.city FROM trip AS T1 JOIN station AS T2 ON T1.end_place = T2.end_place"
    found = repair(sql, Schema("sqlite", (trip, station)))
    assert all("T1.end_place = T1.end_place" not in r.sql for r in found)


def test_a_cast_that_forgives_is_doubtful(school: Any) -> None:
    best = repair("SELECT TRY_CAST(grade AS INT) FROM pupil", school.schema)[0]
    assert best.sql == "SELECT CAST(grade AS INT) FROM pupil"
    assert not best.is_certain
