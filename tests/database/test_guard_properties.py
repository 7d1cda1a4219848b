"""The guard under mutation: what writes never passes, what is harmless always does, and the file
stays the same whatever is asked of it.
"""

import contextlib
import sqlite3
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect

from macsql.database import Database, guard_sql
from macsql.errors import DatabaseError, UnsafeSQLError

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from guard_statements import read_statements

STATEMENTS = read_statements()
ENGINES = ("sqlite", "postgres", "mysql", "duckdb", "spark")
GAPS = (" ", "\n", "\t ", " /**/ ", " /* SELECT 1; */ ", " -- x\n", " -- '\n", "\r\n")
FORBIDDEN = {
    "sqlite": ("load_extension", "writefile", "readfile", "fts3_tokenizer", "edit"),
    "postgres": ("pg_sleep", "setval", "lo_import", "dblink", "set_config", "query_to_xml"),
    "mysql": ("sleep", "load_file", "get_lock", "benchmark", "sys_exec"),
    "duckdb": ("read_text", "getenv", "nextval", "query", "read_csv"),
    "spark": ("reflect", "java_method", "input_file_name", "raise_error"),
}
PLACES = (
    "SELECT {} FROM t",
    "SELECT a FROM t WHERE b = {}",
    "SELECT a FROM t WHERE b IN (SELECT {} FROM u)",
    "SELECT a FROM t ORDER BY {}",
    "SELECT a FROM t GROUP BY a HAVING {} > 1",
    "SELECT CASE WHEN a > 1 THEN {} ELSE 2 END FROM t",
    "WITH c AS (SELECT {} AS x) SELECT x FROM c",
    "SELECT 1 UNION ALL SELECT {}",
    "SELECT coalesce(a, {}) FROM t",
    "SELECT sum(a) OVER (ORDER BY {}) FROM t",
    "SELECT * FROM (SELECT {} AS x) AS y",
    "SELECT a FROM t JOIN u ON {} = 1",
    "SELECT a FROM t LIMIT {}",
    "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE {} = a)",
    "SELECT upper({}) FROM t",
    "SELECT CAST({} AS CHAR(10)) FROM t",
    "SELECT a + {} * 2 FROM t",
)
AROUND = (
    "{}",
    "{};",
    "({})",
    "WITH x AS ({} RETURNING *) SELECT * FROM x",
    "WITH x AS ({}) SELECT * FROM x",
    "WITH x AS (SELECT 1) {}",
    "SELECT * FROM ({}) AS q",
    "SELECT ({})",
    "SELECT 1 UNION {}",
    "SELECT 1; {}",
    "{}; SELECT 1",
    "EXPLAIN {}",
    "SELECT a FROM t WHERE b IN ({})",
    "SELECT EXISTS ({})",
    "SELECT 1 WHERE 1 = 1 /* x */ ; {} -- end",
)
QUOTES = {"mysql": "`{}`", "spark": "`{}`"}
names = st.sampled_from(["t", "users", "order_lines", "user"])


@st.composite
def writes(draw: st.DrawFn) -> exp.Expr:
    """A writing statement, as a tree."""
    table, other = draw(names), draw(names)
    column = draw(st.sampled_from(["a", "update", "name"]))
    select = exp.select(exp.column(column, quoted=True)).from_(exp.to_table(other))
    return draw(
        st.sampled_from(
            [
                exp.delete(table).where("a = 1"),
                exp.delete(table),
                exp.update(table, {"a": 1}, where="b > 2"),
                exp.insert(select, table),
                exp.insert("VALUES (1, 2)", table, columns=["a", "b"]),
                exp.Drop(this=exp.to_table(table), kind="TABLE"),
                exp.Create(this=exp.to_table(table), kind="TABLE", expression=select),
                exp.Create(this=exp.to_table(table), kind="VIEW", expression=select),
                exp.TruncateTable(expressions=[exp.to_table(table)]),
                exp.Alter(
                    this=exp.to_table(table), kind="TABLE", actions=[exp.RenameColumn(
                        this=exp.column("a"), to=exp.column("b"))],
                ),
            ]
        )
    )  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, sql: str, dialect: str) -> str:
    """``sql`` with other gaps between its words and signs, and another case of its words."""
    pieces = []
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    end = 0
    for token in tokens:
        text = sql[token.start : token.end + 1]
        gap = sql[end : token.start]
        if gap.isspace():
            gap = draw(st.sampled_from(GAPS))
        if token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER) and text.isalpha():
            text = draw(st.sampled_from([text, text.upper(), text.lower(), text.swapcase()]))
        pieces += [gap, text]
        end = token.end + 1
    return "".join(pieces)


def passes(sql: str, dialect: str) -> bool:
    try:
        guard_sql(sql, dialect)
    except UnsafeSQLError:
        return False
    return True


@settings(max_examples=100, deadline=None)
@given(data=st.data(), dialect=st.sampled_from(ENGINES), tree=writes())
def test_no_writing_statement_passes_however_it_is_written_and_nested(
    data: st.DataObject, dialect: str, tree: exp.Expr
) -> None:
    around = data.draw(st.sampled_from(AROUND))
    sql = around.format(tree.sql(dialect=dialect))
    assert not passes(sql, dialect)
    assert not passes(data.draw(mutated(sql, dialect)), dialect)


@settings(max_examples=120, deadline=None)
@given(
    data=st.data(),
    dialect=st.sampled_from(ENGINES),
    place=st.sampled_from(PLACES),
    gap=st.sampled_from(["", *GAPS]),
    arguments=st.sampled_from(["", "1", "'x'", "'x', 2", "(SELECT 1)"]),
    is_quoted=st.booleans(),
    is_upper=st.booleans(),
)
def test_no_forbidden_function_passes_wherever_it_is_called(
    data: st.DataObject,
    dialect: str,
    place: str,
    gap: str,
    arguments: str,
    is_quoted: bool,
    is_upper: bool,
) -> None:
    name = data.draw(st.sampled_from(FORBIDDEN[dialect]))
    name = name.upper() if is_upper else name
    name = QUOTES.get(dialect, '"{}"').format(name) if is_quoted else name
    assert passes(place.format("lower('x')"), dialect)
    sql = place.format(f"{name}{gap}({arguments})")
    assert not passes(sql, dialect)
    assert not passes(data.draw(mutated(sql, dialect)), dialect)


HARMLESS = [s for s in STATEMENTS if not s.reason and s.dialect in ENGINES]


@settings(max_examples=120, deadline=None)
@given(data=st.data(), statement=st.sampled_from(HARMLESS))
def test_a_harmless_query_passes_however_it_is_written(data: st.DataObject, statement) -> None:
    assert passes(data.draw(mutated(statement.sql, statement.dialect)), statement.dialect)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE t (a, b, c); CREATE TABLE u (a, b); INSERT INTO t VALUES (1, 'x', 2.5);"
        "CREATE VIRTUAL TABLE docs USING fts5(body); INSERT INTO docs VALUES ('drop table');"
        "CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER tr INSTEAD OF DELETE ON v"
        " BEGIN DELETE FROM t; END;"
    )
    connection.close()
    return path


SQLITE_ONES = [s.sql for s in STATEMENTS if s.dialect == "sqlite"]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(SQLITE_ONES), min_size=1, max_size=8))
def test_no_sequence_of_statements_changes_the_file(shop: Path, statements: list[str]) -> None:
    before = shop.read_bytes()
    with Database(shop, timeout=0.2) as database:
        for sql in statements:
            with contextlib.suppress(DatabaseError):
                database.execute(sql)
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]
