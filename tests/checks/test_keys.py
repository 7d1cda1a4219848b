"""Keys compared with the text that another table holds, where nothing was found."""

from typing import Any

import pytest

from macsql.checks import check, repair, repair_keys

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
            "SELECT first_name FROM pupil WHERE first_name = 'lake school'",
            "SELECT first_name FROM pupil "
            "WHERE school_id IN (SELECT id FROM school WHERE name = 'Lake School')",
        ),
        (
            "SELECT founded FROM school JOIN pupil ON school.id = school_id WHERE name = 'Berlin'",
            "SELECT founded FROM school JOIN pupil ON school.id = school_id WHERE city = 'BERLIN'",
        ),
        (
            "SELECT age FROM pupil, enrolment WHERE pupil.id = pupil_id AND first_name = 'Berlin'",
            "SELECT age FROM pupil, enrolment WHERE pupil.id = pupil_id AND pupil.school_id "
            "IN (SELECT id FROM school WHERE city = 'BERLIN')",
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
        "SELECT first_name FROM pupil AS p JOIN school AS s ON p.school_id = s.id",
        "SELECT a.id FROM pupil AS a JOIN pupil AS b ON a.id = b.school_id",
        "SELECT not SQL",
    ],
)
def test_what_cannot_be_proven_is_left_alone(school: Any, sql: str) -> None:
    assert repair_keys(sql, school.schema, stored) == []


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
    ],
)
def test_identifiers_are_counted_and_not_added_up(school: Any, broken: str, repaired: str) -> None:
    assert {f.code for f in check(broken, school.schema)} == {"summed-key"}
    assert repair(broken, school.schema)[0].sql == repaired
    school.rows(repaired)


@pytest.mark.parametrize("sql", ["SELECT SUM(age) FROM pupil", "SELECT SUM(1) FROM pupil"])
def test_amounts_may_be_added_up(school: Any, sql: str) -> None:
    assert check(sql, school.schema) == []
