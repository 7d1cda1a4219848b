"""Alternatives: one step from what was written, and what that step is."""

import pytest

from macsql.schema import Schema
from macsql.verifier.alternatives import alternatives

JOINED = "FROM reader AS r JOIN loan AS l ON r.reader_id = l.reader_id"


@pytest.mark.parametrize(
    ("sql", "other"),
    [
        (
            "SELECT town, COUNT(*) FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
            "SELECT town FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
        ),
        (
            "SELECT town, COUNT(*) AS n FROM reader GROUP BY town ORDER BY n DESC LIMIT 1",
            "SELECT town FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
        ),
        (
            "SELECT title, SUM(pages) FROM book GROUP BY title",
            "SELECT title, pages FROM book",
        ),
        (
            "SELECT language FROM book WHERE pages > 500 AND pages < 100",
            "SELECT language FROM book WHERE pages > 500 "
            "INTERSECT SELECT language FROM book WHERE pages < 100",
        ),
        (
            "SELECT town FROM reader WHERE age = 9 AND name <> 'Ann' AND age = 12",
            "SELECT town FROM reader WHERE age = 9 AND name <> 'Ann' "
            "INTERSECT SELECT town FROM reader WHERE age = 12 AND name <> 'Ann'",
        ),
        (
            "SELECT name FROM reader WHERE town = 'Ulm' OR town = 'Bonn'",
            "SELECT name FROM reader WHERE town = 'Ulm' "
            "INTERSECT SELECT name FROM reader WHERE town = 'Bonn'",
        ),
        (
            f"SELECT r.name {JOINED} WHERE l.days <> 7 ORDER BY r.name",
            "SELECT r.name FROM reader AS r WHERE NOT r.reader_id IN "
            f"(SELECT r.reader_id {JOINED} WHERE l.days = 7) ORDER BY r.name",
        ),
        (
            f"SELECT l.reader_id {JOINED}",
            f"SELECT r.reader_id {JOINED}",
        ),
    ],
)
def test_one_step_further(library: Schema, sql: str, other: str) -> None:
    assert other in [a.sql for a in alternatives(sql, library)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM reader",
        "SELECT COUNT(*) FROM reader",
        "SELECT language FROM book WHERE pages > 100 AND pages < 500",
        "SELECT name FROM reader WHERE town <> 'Ulm'",
        "SELECT name FROM reader WHERE age = 9 AND town = 'Ulm'",
        "SELECT FROM reader",
        "",
    ],
)
def test_what_has_none(library: Schema, sql: str) -> None:
    assert alternatives(sql, library) == []


def test_each_says_in_what_it_differs(library: Schema) -> None:
    sql = "SELECT town, COUNT(*) FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1"
    assert [a.explanation for a in alternatives(sql, library)] == [
        "without COUNT(*), which is not asked for"
    ]
