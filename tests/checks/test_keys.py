"""Keys compared with the text that another table holds, where nothing was found."""

import time
from typing import Any

import pytest

from macsql.checks import check, repair, repair_keys
from macsql.checks.joins import links
from macsql.schema import Column, ForeignKey, Schema, Table

STORED = {("school", "name"): ["Lake School"], ("school", "city"): ["BERLIN"]}


def stored(table: str, column: str, text: str) -> list[str]:
    values = STORED.get((table.lower(), column.lower()), [])
    return [value for value in values if value.casefold() == text.casefold()]


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        (
            "SELECT first_name FROM pupil WHERE school_id = 'Lake School'",
            "SELECT first_name FROM pupil "
            "WHERE school_id IN (SELECT id FROM school WHERE name = 'Lake School')",
        ),
        (
            "SELECT p.age FROM pupil AS p WHERE p.age > 11 AND p.school_id = 'berlin'",
            "SELECT p.age FROM pupil AS p "
            "WHERE p.age > 11 AND p.school_id IN (SELECT id FROM school WHERE city = 'BERLIN')",
        ),
        (
            "SELECT founded FROM school JOIN pupil ON school.id = school_id WHERE name = 'Berlin'",
            "SELECT founded FROM school JOIN pupil ON school.id = school_id WHERE city = 'BERLIN'",
        ),
        (
            "SELECT first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.name",
            "SELECT first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id",
        ),
        (
            "SELECT city FROM school WHERE name IN (SELECT school_id FROM pupil)",
            "SELECT city FROM school WHERE id IN (SELECT school_id FROM pupil)",
        ),
    ],
)
def test_a_key_is_compared_as_a_key(school: Any, broken: str, repaired: str) -> None:
    [repair] = repair_keys(broken, school.schema, stored)
    assert repair.sql == repaired
    assert school.rows(broken) == []
    school.rows(repaired)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT first_name FROM pupil WHERE school_id = 'Hill School'",  # stored nowhere
        "SELECT first_name FROM pupil WHERE first_name = 'Hill School'",
        "SELECT first_name FROM pupil WHERE first_name = 'lake school'",  # no pupil of that name
        "SELECT age FROM pupil, enrolment WHERE pupil.id = pupil_id AND first_name = 'Berlin'",
        "SELECT first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id",
        "SELECT a.id FROM pupil AS a JOIN pupil AS b ON a.id = b.school_id",
        "SELECT not SQL",
    ],
)
def test_what_cannot_be_proven_is_left_alone(school: Any, sql: str) -> None:
    assert repair_keys(sql, school.schema, stored) == []


def test_two_keys_of_one_target_may_be_compared() -> None:
    person = Table(
        "person",
        (Column("id", "INTEGER"), Column("mother", "INTEGER"), Column("name", "TEXT")),
        ("id",),
        (ForeignKey(("mother",), "person", ("id",)),),
    )
    visit = Table(
        "visit",
        (Column("guest", "INTEGER"),),
        (),
        (ForeignKey(("guest",), "person", ("id",)),),
    )
    schema = Schema("sqlite", (person, visit))
    sql = "SELECT 1 FROM visit v JOIN person p ON v.guest = p."
    assert repair_keys(f"{sql}mother", schema, stored) == []
    assert repair_keys(f"{sql}name", schema, stored)[0].sql == f"{sql}id"


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        (
            "SELECT school_id, SUM(id) FROM pupil GROUP BY school_id",
            "SELECT school_id, COUNT(*) FROM pupil GROUP BY school_id",
        ),
        (
            "SELECT p.age FROM pupil AS p GROUP BY p.age ORDER BY sum(p.school_id) DESC LIMIT 1",
            "SELECT p.age FROM pupil AS p GROUP BY p.age ORDER BY COUNT(*) DESC LIMIT 1",
        ),
        (
            "SELECT SUM(DISTINCT school_id) FROM pupil",
            "SELECT COUNT(DISTINCT school_id) FROM pupil",
        ),
        ("SELECT SUM(+id) FROM pupil", "SELECT COUNT(*) FROM pupil"),
    ],
)
def test_identifiers_are_counted_and_not_added_up(school: Any, broken: str, repaired: str) -> None:
    assert {f.code for f in check(broken, school.schema)} == {"summed-key"}
    assert repair(broken, school.schema)[0].sql == repaired
    school.rows(repaired)


def test_a_running_sum_does_not_become_a_count(school: Any) -> None:
    sql = "SELECT id, SUM(id) OVER (ORDER BY id) FROM pupil"
    assert [(f.code, f.severity) for f in check(sql, school.schema)] == [("summed-key", "warning")]
    assert repair(sql, school.schema) == []


@pytest.mark.parametrize("sql", ["SELECT SUM(age) FROM pupil", "SELECT SUM(1) FROM pupil"])
def test_amounts_may_be_added_up(school: Any, sql: str) -> None:
    assert check(sql, school.schema) == []


@pytest.mark.parametrize(
    ("column", "severity"),
    [("mg", "warning"), ("dose_mg", "warning"), ("level_mg", "error"), ("number", "error")],
)
def test_a_key_that_is_an_amount_may_be_added_up(column: str, severity: str) -> None:
    level = Table("level", (Column("mg", "INTEGER"),), ("mg",))
    columns = tuple(Column(name, "INTEGER") for name in ("number", "dose_mg", "level_mg"))
    keys = tuple(ForeignKey((name,), "level", ("mg",)) for name in ("dose_mg", "level_mg"))
    schema = Schema("sqlite", (level, Table("dose", columns, ("number",), keys)))
    sql = f"SELECT SUM({column}) FROM {'level' if column == 'mg' else 'dose'}"
    assert [(f.code, f.severity) for f in check(sql, schema)] == [("summed-key", severity)]
    assert bool(repair(sql, schema)) == (severity == "error")


def test_keys_between_hundreds_of_tables_are_found_in_time() -> None:
    names = [f"note_{n}" for n in range(39)]
    tables = [
        Table(f"area{i}", tuple(Column(f"{name}_{i}", "TEXT") for name in ("id", *names)))
        for i in range(500)
    ]
    tables[3] = Table("area3", (Column("id", "INTEGER"),), ("id",))
    tables[8] = Table("area8", (*tables[8].columns, Column("area3_id", "INTEGER")))
    began = time.process_time()
    found = links(Schema("sqlite", tuple(tables)))
    assert [(k.left, k.right, k.pairs) for k in found] == [
        ("area8", "area3", (("area3_id", "id"),))
    ]
    assert time.process_time() - began < 10
