"""Texts of a query and of its question against the values that are stored."""

from collections.abc import Sequence
from typing import Any

import pytest

from macsql.checks.stored import check_literals, check_values_used
from macsql.message import Finding, ValueMatch

PARIS = ValueMatch("school", "city", "PARIS", "Paris", 0.75)
ANN = ValueMatch("pupil", "first_name", "Ann", "Ann", 0.75)
HILL = ValueMatch("school", "name", "Hill School", "Hill School", 0.875)
STORED = {
    ("school", "city"): ["BERLIN", "PARIS"],
    ("school", "name"): ["Hill School", "Lake School", "New School"],
    ("pupil", "first_name"): ["Ann", "Ben"],
}


def stored(table: str, column: str, text: str) -> list[str]:
    """All values of the column: the closest first is not needed here."""
    return STORED.get((table, column), [])


def hints(found: Sequence[Finding]) -> list[tuple[str, str, str]]:
    return [(f.code, f.severity, f.hint) for f in found]


@pytest.mark.parametrize(
    ("values", "sql"),
    [
        ([PARIS], "SELECT name FROM school WHERE city = 'PARIS'"),
        ([PARIS], "SELECT name FROM school WHERE city = 'paris'"),
        ([PARIS], 'SELECT name FROM school WHERE city = "PARIS"'),
        ([HILL], "SELECT city FROM school WHERE name LIKE '%Hill%'"),
        ([ValueMatch("course", "title", "City", "city", 0.75)], "SELECT city FROM school"),
        ([ValueMatch("course", "title", "Paris", "Paris", 0.4)], "SELECT city FROM school"),
        (
            [HILL, ValueMatch("course", "title", "Hill", "Hill", 0.75)],
            "SELECT 1 FROM school WHERE name = 'Hill School'",
        ),
        ([], "SELECT name FROM school WHERE city = 'PARIS'"),
        ([PARIS], "not SQL ("),
    ],
)
def test_value_that_is_used_is_not_missed(values: list[ValueMatch], sql: str, school: Any) -> None:
    assert check_values_used(sql, values, school.schema) == []


def test_value_that_is_not_used_is_said_with_its_condition(school: Any) -> None:
    found = check_values_used("SELECT name FROM school", [PARIS, PARIS], school.schema)
    assert hints(found) == [("value-unused", "hint", "compare school.city = 'PARIS'")]


@pytest.mark.parametrize(
    ("condition", "code", "severity", "hint"),
    [
        ("city = 'Paris'", "value-not-stored", "warning", "it is stored as 'PARIS'"),
        ("name = 'Berlin'", "value-in-other-column", "warning", "write school.city = 'BERLIN'"),
        ("name = 'Ann'", "value-in-other-column", "warning", "write pupil.first_name = 'Ann'"),
        ("city = 'Rome'", "value-unknown", "hint", "no stored text is like it"),
        ("city = 'Berlins'", "value-unknown", "hint", "near it is 'BERLIN'"),
        ("city IN ('BERLIN', 'Ann')", "value-in-other-column", "warning", "first_name = 'Ann'"),
    ],
)
def test_text_that_is_not_stored_is_found(
    condition: str, code: str, severity: str, hint: str, school: Any
) -> None:
    sql = f"SELECT id FROM school WHERE {condition}"
    [finding] = check_literals(sql, school.schema, stored)
    assert (finding.code, finding.severity) == (code, severity)
    assert hint in finding.hint


@pytest.mark.parametrize(
    "condition", ["city = 'PARIS'", "city LIKE 'P%'", "id = 3", "founded = '1950-09-01'", "1 = 1"]
)
def test_text_that_is_stored_or_no_text_is_left_alone(condition: str, school: Any) -> None:
    assert check_literals(f"SELECT 1 FROM school WHERE {condition}", school.schema, stored) == []


def test_no_time_means_nothing_is_said(school: Any) -> None:
    sql = "SELECT 1 FROM school WHERE city = 'Rome'"
    assert check_literals(sql, school.schema, stored, seconds=-1.0) == []


def test_other_columns_are_not_read_for_texts_that_are_there(school: Any) -> None:
    asked: list[tuple[str, str]] = []

    def note(table: str, column: str, text: str) -> list[str]:
        asked.append((table, column))
        return stored(table, column, text)

    check_literals("SELECT 1 FROM school WHERE city = 'PARIS'", school.schema, note)
    assert asked == [("school", "city")]
