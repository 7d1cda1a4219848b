"""Traits: statements that say the same have the same ones; what differs shows."""

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from macsql.verifier.traits import traits_of


def traits(sql: str) -> dict[str, str]:
    return traits_of(sqlglot.parse_one(sql, read="sqlite"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SELECT name FROM pupil ORDER BY age LIMIT 1",
            "SELECT name FROM pupil WHERE age = (SELECT MIN(age) FROM pupil)",
        ),
        (
            "SELECT id FROM pupil EXCEPT SELECT pupil_id FROM loan",
            "SELECT id FROM pupil WHERE id NOT IN (SELECT pupil_id FROM loan)",
        ),
        (
            "SELECT p.id FROM pupil p LEFT JOIN loan l ON p.id = l.pupil_id WHERE l.id IS NULL",
            "SELECT id FROM pupil p WHERE NOT EXISTS (SELECT 1 FROM loan WHERE pupil_id = p.id)",
        ),
    ],
)
@pytest.mark.parametrize("trait", ["order", "limit", "without", "compared-query"])
def test_what_says_the_same_has_the_same_traits(one: str, other: str, trait: str) -> None:
    assert traits(one)[trait] == traits(other)[trait]


@pytest.mark.parametrize(
    ("sql", "trait", "value"),
    [
        ("SELECT * FROM t", "columns", "all"),
        ("SELECT COUNT(*) FROM t", "columns", "1"),
        ("SELECT a, b, c, d, e FROM t", "columns", "4"),
        ("SELECT a, COUNT(*) FROM t GROUP BY a", "only-aggregates", "0"),
        ("SELECT MAX(a), MIN(a) FROM t", "only-aggregates", "1"),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", "having", "1"),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 3", "order", "desc"),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 3", "limit", "more"),
        ("SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t WHERE c = 2", "either", "1"),
        ("SELECT a FROM t WHERE b IN (1, 2)", "either", "1"),
        ("SELECT a FROM t WHERE b IN (SELECT c FROM u)", "either", "0"),
        ("SELECT a FROM t WHERE b = 1 INTERSECT SELECT a FROM t WHERE b = 2", "both", "1"),
        ("SELECT a FROM t WHERE b > (SELECT AVG(b) FROM t)", "compared-query", "1"),
        ("SELECT a FROM t WHERE b = (SELECT MAX(b) FROM t)", "filtered", "0"),
        ("SELECT a FROM t WHERE b = 1 AND c = 2", "conditions", "2"),
        ("SELECT a FROM t JOIN u ON t.i = u.i", "conditions", "0"),
        ("SELECT a FROM t, u WHERE t.i = u.i", "conditions", "0"),
        ("SELECT a FROM t WHERE b NOT LIKE 'x%'", "without", "0"),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 2", "between", "1"),
    ],
)
def test_a_trait_is_seen(sql: str, trait: str, value: str) -> None:
    assert traits(sql)[trait] == value


WORDS = ["SELECT", "a", "FROM", "t", "WHERE", "(", ")", "=", "1", "UNION", "ORDER BY", "NOT", "IN"]


@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_every_statement_that_can_be_read_has_every_trait(words: list[str]) -> None:
    try:
        tree = sqlglot.parse_one(" ".join(words), read="sqlite")
    except sqlglot.errors.SqlglotError:
        return
    if isinstance(tree, sqlglot.exp.Query):
        assert traits_of(tree).keys() == traits("SELECT 1").keys()
