"""SQL read into a tree: one form for what may be written, or kept by the parser, in several."""

import sqlite3

import pytest
from sqlglot import exp

from macsql.checks.text import Statement, read, span

DENIED = [
    ("a NOT LIKE 'x%'", "NOT a LIKE 'x%'"),
    ("a NOT LIKE 'x!%' ESCAPE '!'", "NOT a LIKE 'x!%' ESCAPE '!'"),
    ("NOT a NOT LIKE 'x%'", "NOT NOT a LIKE 'x%'"),
    ("a NOT LIKE 'x%' OR b NOT LIKE 'y'", "NOT a LIKE 'x%' OR NOT b LIKE 'y'"),
    ("a NOT LIKE 'x%' = 1", "(NOT a LIKE 'x%') = 1"),
    ("a NOT LIKE 'x%' IN (0, 1)", "(NOT a LIKE 'x%') IN (0, 1)"),
    ("a NOT LIKE 'x%' BETWEEN 1 AND 2", "(NOT a LIKE 'x%') BETWEEN 1 AND 2"),
    ("a IS NOT NULL", "NOT a IS NULL"),
    ("CASE WHEN a NOT LIKE 'x%' THEN 1 END", "CASE WHEN NOT a LIKE 'x%' THEN 1 END"),
]


def tree(sql: str, dialect: str) -> exp.Query:
    found = read(sql, dialect).tree
    assert found is not None
    return found


@pytest.mark.parametrize(("written", "denied"), DENIED)
@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql"])
def test_a_denied_condition_is_a_not_however_it_is_written(
    dialect: str, written: str, denied: str
) -> None:
    one, other = (tree(f"SELECT a FROM t WHERE {text}", dialect) for text in (written, denied))
    assert one == other
    assert not any(node.args.get("negate") for node in one.walk())


def test_not_ilike_is_a_not_too() -> None:
    one, other = (
        tree(f"SELECT a FROM t WHERE {text}", "postgres")
        for text in ("a NOT ILIKE 'x'", "NOT a ILIKE 'x'")
    )
    assert one == other


@pytest.mark.parametrize(("written", "_"), DENIED)
def test_the_tree_says_what_was_written(written: str, _: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b)")
    cells = (None, "x", "xy", "x%", "y", 0, 1)
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(a, b) for a in cells for b in cells])
    sql = f"SELECT a, b, {written} FROM t WHERE {written}"
    assert (
        connection.execute(tree(sql, "sqlite").sql("sqlite")).fetchall()
        == connection.execute(sql).fetchall()
    )
    connection.close()


def test_leaves_of_a_denied_condition_keep_their_places() -> None:
    sql = "SELECT a FROM t WHERE a NOT LIKE 'x'"
    statement: Statement = read(sql, "sqlite")
    assert statement.tree is not None
    like = statement.tree.find(exp.Like)
    assert like is not None
    assert [sql[slice(*(span(leaf) or ()))] for leaf in (like.this, like.expression)] == [
        "a",
        "'x'",
    ]


def test_rows_without_a_table_are_a_query_in_which_nothing_is_wrong() -> None:
    assert read("VALUES (1), (2)", "sqlite").problem is None
    problem = read("PRAGMA table_info(t)", "sqlite").problem
    assert problem is not None
    assert problem.code == "not-a-query"
