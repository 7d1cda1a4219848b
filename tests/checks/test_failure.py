"""The words of the databases, in our codes."""

from typing import Any

import pytest

from macsql.checks import explain_failure
from macsql.schema import Schema

EMPTY = Schema("sqlite", ())


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no such table: x", "unknown-table"),
        ('relation "x" does not exist', "unknown-table"),
        ("(1146, \"Table 'db.x' doesn't exist\")", "unknown-table"),
        ("Catalog Error: Table with name x does not exist!", "unknown-table"),
        ("Invalid object name 'x'.", "unknown-table"),
        ("no such column: T1.x", "unknown-column"),
        ('column "x" does not exist', "unknown-column"),
        ("(1054, \"Unknown column 'x' in 'field list'\")", "unknown-column"),
        ('Binder Error: Referenced column "x" not found in FROM clause!', "unknown-column"),
        ("Invalid column name 'Activity'.", "unknown-column"),
        ("ambiguous column name: id", "ambiguous-column"),
        ('column reference "id" is ambiguous', "ambiguous-column"),
        ("no such function: YEAR", "unknown-function"),
        ("function year(date) does not exist", "unknown-function"),
        ("misuse of aggregate: count()", "aggregate-in-where"),
        ("aggregate functions are not allowed in WHERE", "aggregate-in-where"),
        ("(1111, 'Invalid use of group function')", "aggregate-in-where"),
        ("aggregate functions are not allowed in the GROUP BY clause", "aggregate-in-group-by"),
        ('column "a" must appear in the GROUP BY clause', "group-by"),
        (
            "SELECTs to the left and right of UNION do not have the same number of result columns",
            "set-operation-arity",
        ),
        ("sub-select returns 2 columns - expected 1", "sub-query-arity"),
        ("Incorrect number of bindings supplied. The current statement uses 1", "placeholder"),
        ("You did not supply a value for binding parameter :id.", "placeholder"),
        ("wrong number of arguments to function count()", "wrong-arguments"),
        ('near "FROM": syntax error', "syntax"),
        ('syntax error at or near "FROM"', "syntax"),
        ("incomplete input", "syntax"),
        ("You can only execute one statement at a time.", "several-statements"),
        ("disk I/O error", "execution-error"),
        ("", "execution-error"),
    ],
)
def test_message_of_a_database_has_a_code(message: str, code: str) -> None:
    assert explain_failure("SELECT 1", message, EMPTY)[0].code == code


def test_checks_say_more_than_the_database(school: Any) -> None:
    sql = "SELECT p.city FROM pupil p"
    [finding] = explain_failure(sql, school.refusal(sql), school.schema)
    assert (finding.code, finding.hint) == (
        "unjoined-table",
        "city is a column of school: join it",
    )


def test_message_that_the_checks_do_not_explain_is_kept(school: Any) -> None:
    sql = "SELECT count(id, age) FROM pupil"
    found = explain_failure(sql, school.refusal(sql), school.schema)
    assert found[0].message == "wrong number of arguments to function count()"


def test_place_of_the_complaint_is_marked() -> None:
    [finding] = explain_failure("SELECT frob(1)", "no such function: frob", EMPTY)[:1]
    assert finding.span == (7, 11)


def test_an_aggregate_inside_another_is_no_fault_of_where(school: Any) -> None:
    sql = "SELECT avg(count(*)) FROM pupil GROUP BY school_id"
    found = explain_failure(sql, school.refusal(sql), school.schema)
    assert [f.code for f in found] == ["nested-aggregate"]
