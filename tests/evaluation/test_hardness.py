"""Hardness: what counts, and how the official script counts it."""

import pytest

from macsql.evaluation.hardness import HARDNESS, hardness
from macsql.schema import Column, Schema, Table

SCHEMA = Schema(
    "sqlite",
    (
        Table("t", tuple(Column(c, "") for c in "abcd")),
        Table("u", tuple(Column(c, "") for c in "abcd")),
    ),
)
JOIN = "FROM t AS T1 JOIN u AS T2 ON T1.a = T2.a"

CASES = [
    ("SELECT a FROM t", "easy"),
    ("SELECT count(*) FROM t WHERE a = 1", "easy"),
    ("SELECT a FROM t WHERE a BETWEEN 1 AND 2", "easy"),
    ("SELECT count(*) FROM (SELECT a FROM t WHERE b = 1 GROUP BY a)", "easy"),
    ("SELECT a, b FROM t", "medium"),
    ("SELECT max(a), min(a) FROM t", "medium"),
    ("SELECT a FROM t WHERE a = 1 AND b = 2", "medium"),
    ("SELECT a FROM t WHERE a LIKE 'x'", "medium"),
    ("SELECT a FROM t ORDER BY b LIMIT 1", "medium"),
    (f"SELECT T1.a {JOIN} WHERE T1.b = 1", "medium"),
    # Negation in conditions is counted as an aggregate, so two of them are "more than one".
    ("SELECT a, b FROM t WHERE a != 1 AND b != 2", "medium"),
    ("SELECT a, b FROM t WHERE a NOT IN ('x') AND b NOT IN ('y')", "hard"),
    ("SELECT a FROM t GROUP BY a HAVING count(*) > 1 AND max(b) > 1 AND max(c) > 1", "medium"),
    (f"SELECT T1.a {JOIN} WHERE T1.b = 1 ORDER BY T1.a", "hard"),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u)", "hard"),
    ("SELECT a FROM t UNION SELECT a FROM u", "hard"),
    ("SELECT max(a), min(a) FROM t WHERE b = 1 AND c = 2", "hard"),
    # Two parts with exactly two things in plenty are in no line of the official table.
    (f"SELECT T1.a, T2.b {JOIN} WHERE T1.b = 1 AND T1.c = 2", "extra"),
    ("SELECT a, b FROM t WHERE a IN (SELECT a FROM u)", "extra"),
    ("SELECT a FROM t WHERE a = 1 UNION SELECT a FROM u WHERE a IN (SELECT b FROM u)", "hard"),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u) UNION SELECT a FROM u", "extra"),
    (f"SELECT T1.a {JOIN} WHERE T1.b = 1 GROUP BY T1.a ORDER BY T1.a", "extra"),
    ("SELECT CASE WHEN a = 1 THEN 2 END FROM t", None),
    ("SELECT nothing FROM t", None),
    ("", None),
]


@pytest.mark.parametrize(("sql", "expected"), CASES)
def test_classes(sql: str, expected: str | None) -> None:
    assert hardness(sql, SCHEMA) == expected
    assert expected is None or expected in HARDNESS
