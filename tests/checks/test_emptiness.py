"""Which condition leaves a query without rows."""

from typing import Any

import pytest

from macsql.checks import why_no_rows
from macsql.errors import ExecutionError

NO_CITY = "Without the condition city = 'Rome' there would be rows."


@pytest.mark.parametrize(
    ("sql", "messages"),
    [
        ("SELECT name FROM school WHERE city = 'Rome'", [NO_CITY]),
        ("SELECT name FROM school WHERE id > 0 AND city = 'Rome'", [NO_CITY]),
        (
            "SELECT count(*), city FROM school WHERE city = 'Rome' GROUP BY 2 ORDER BY 1 LIMIT 3",
            [NO_CITY],
        ),
        # Each is enough by itself: neither alone is to blame.
        ("SELECT name FROM school WHERE id < 0 AND city = 'Rome'", []),
        (
            "SELECT name FROM school JOIN pupil ON pupil.school_id = -school.id WHERE age > 1",
            ["Without any condition there would be no rows either."],
        ),
        ("SELECT name FROM school", []),
        ("SELECT name FROM school UNION SELECT name FROM school WHERE id < 0", []),
        ("SELECT FROM WHERE", []),
    ],
)
def test_the_condition_to_blame_is_named(school: Any, sql: str, messages: list[str]) -> None:
    found = why_no_rows(sql, "sqlite", lambda probe: bool(school.rows(probe)))
    assert [f.message for f in found] == messages
    assert {f.severity for f in found} <= {"hint"}


def test_the_place_of_the_condition_is_its_text() -> None:
    sql = "SELECT name FROM school WHERE id > 0 AND city = 'Rome'"
    [finding] = why_no_rows(sql, "sqlite", lambda probe: "Rome" not in probe)
    assert finding.span is not None
    assert sql[slice(*finding.span)] == "city = 'Rome'"


def test_a_probe_that_fails_says_nothing() -> None:
    def fails(sql: str) -> bool:
        raise ExecutionError("too slow", sql=sql)

    assert why_no_rows("SELECT 1 FROM t WHERE a = 1", "sqlite", fails) == []
