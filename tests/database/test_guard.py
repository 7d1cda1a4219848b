"""The guard alone: which statements pass, and why the others do not."""

import contextlib
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialect

from macsql.database import guard_sql
from macsql.errors import ConfigError, UnsafeSQLError

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from guard_statements import Statement, read_statements

STATEMENTS = read_statements()
HARMLESS_ONES = [s for s in STATEMENTS if not s.reason]
HOSTILE = [s for s in STATEMENTS if s.reason]
REASONS = {"", *(s.reason for s in HOSTILE)}
ENGINES = ("sqlite", "postgres", "mysql", "duckdb", "spark")


def verdict(sql: str, dialect: str) -> str:
    """Why the guard refuses; empty when it does not."""
    try:
        guard_sql(sql, dialect)
    except UnsafeSQLError as error:
        return error.reason
    return ""


@pytest.mark.parametrize("dialect", sorted({s.dialect for s in HARMLESS_ONES}))
def test_harmless_queries_pass_with_their_text_unchanged(dialect: str) -> None:
    for statement in HARMLESS_ONES:
        if statement.dialect == dialect:
            checked = guard_sql(statement.sql, dialect)
            assert statement.sql.startswith(checked)
            assert re.match(r"\s*($|;|--|#|/\*)", statement.sql[len(checked) :])


@pytest.mark.parametrize("dialect", sorted({s.dialect for s in HOSTILE}))
def test_anything_else_is_refused_with_the_reason(dialect: str) -> None:
    wrong = [
        (statement, reason)
        for statement in HOSTILE
        if statement.dialect == dialect
        and (reason := verdict(statement.sql, dialect)) != statement.reason
    ]
    assert wrong == []


@pytest.mark.parametrize("statement", HOSTILE[::23], ids=lambda s: s.sql[:30])
def test_a_refusal_is_one_line_and_keeps_the_statement(statement: Statement) -> None:
    with pytest.raises(UnsafeSQLError) as caught:
        guard_sql(statement.sql, statement.dialect)
    assert caught.value.sql == statement.sql
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_the_corpus_is_as_large_as_it_has_to_be() -> None:
    harmless = Counter(s.dialect for s in HARMLESS_ONES)
    hostile = Counter(s.dialect for s in HOSTILE)
    assert min(harmless[dialect] for dialect in ENGINES) >= 200
    assert sum(hostile[dialect] for dialect in ENGINES) >= 400
    assert len(set(STATEMENTS)) == len(STATEMENTS)


SCARY = ("drop", "delete", "update", "insert", "truncate", "alter", "grant", "exec", "call",
         "pragma", "attach", "union", "replace", "copy", "load_extension", "shutdown", "--", ";",
         "/*", "*/")  # fmt: skip
HARMLESS = (
    "SELECT '{} it' FROM t",
    "SELECT \"{}\" FROM t",
    "SELECT a AS \"the {}\" FROM [{}]",
    "SELECT a FROM t WHERE b LIKE '%{}%' ORDER BY `{}`",
    "SELECT count(*) FROM t WHERE note <> 'please {} me; {} t' -- {}",
)  # fmt: skip


@pytest.mark.parametrize("template", HARMLESS)
@pytest.mark.parametrize("word", SCARY)
def test_a_scary_word_in_a_text_name_or_comment_raises_no_alarm(word: str, template: str) -> None:
    sql = template.replace("{}", word)
    assert sql.startswith(guard_sql(sql, "sqlite"))


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("DELETE FROM t", "'DELETE'"),
        ("SELECT load_extension('x')", "load_extension()"),
        ("SELECT * FROM sqlite_master", "sqlite_master"),
        ("SELECT * FORM t", "FORM t"),
        ("SELECT 1; SELECT 2", "';'"),
    ],
)
def test_the_message_names_what_is_wrong(sql: str, word: str) -> None:
    with pytest.raises(UnsafeSQLError, match=re.escape(word)):
        guard_sql(sql, "sqlite")


def test_the_closing_semicolon_and_what_follows_it_are_removed() -> None:
    assert (
        guard_sql("  SELECT 1 FROM dual ; -- done\n/* end */ ;", "oracle") == "SELECT 1 FROM dual"
    )


def test_a_dialect_may_be_called_by_its_usual_name() -> None:
    assert guard_sql("SELECT TOP 1 a FROM t", "mssql") == "SELECT TOP 1 a FROM t"


def test_an_unknown_dialect_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'sqlite'"):
        guard_sql("SELECT 1", "sqlit")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "not-a-query"),
        ("SELECT 1\x00; DROP TABLE t", "unparsable"),
        ("SELECT '\ud800'", "unparsable"),
        ("SELECT " + "1," * 150_000 + "1", "too-long"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "too-complex"),
        ("SELECT " + "(SELECT " * 300 + "1" + ")" * 300, "too-complex"),
        ("SELECT " + "NOT " * 3_000 + "1", "too-complex"),
        ("SELECT " + "- " * 3_000 + "1", "too-complex"),
        ("SELECT " + "CASE WHEN " * 500 + "1", "too-complex"),
        ("SELECT 1" + " + 1" * 600, "too-complex"),
        ("SELECT 1" + " UNION SELECT 1" * 600, "too-complex"),
        ("SELECT 1 FROM t WHERE a" + " AND a" * 3_000, "too-complex"),
        ("SELECT 1" + ",1" * 60_000, "too-long"),
        # Texts that make the parser start over again and again.
        ("SELECT " + "DECIMAL(" * 40 + "1" + ")" * 40, "too-complex"),
        ("SELECT " + "STRUCT(" * 40 + "1 AS a" + ")" * 40, "too-complex"),
        ("SELECT " + "CASE WHEN CAST(" * 90 + "1", "too-complex"),
    ],
    ids=lambda value: value[:24],
)
def test_a_statement_of_an_unreasonable_kind_is_refused(sql: str, reason: str) -> None:
    with pytest.raises(UnsafeSQLError) as caught:
        guard_sql(sql, "sqlite")
    assert caught.value.reason == reason


def doubling(times: int) -> str:
    """WITH queries of which each uses the last one twice."""
    queries = ["c0 AS (SELECT 1 AS x)"]
    queries += [f"c{n + 1} AS (SELECT a.x FROM c{n} a, C{n} b)" for n in range(times)]
    return f"WITH {', '.join(queries)} SELECT count(*) FROM c{times}"


def test_with_queries_that_double_are_refused_before_the_engine_unfolds_them() -> None:
    assert verdict(doubling(8), "sqlite") == ""
    assert verdict(doubling(30), "sqlite") == "too-complex"
    in_a_row = ", ".join(f"d{n + 1} AS (SELECT x FROM d{n})" for n in range(40))
    assert verdict(f"WITH d0 AS (SELECT 1 AS x), {in_a_row} SELECT x FROM d40", "sqlite") == ""


def test_arrays_in_arrays_cannot_hang_the_parser() -> None:
    assert verdict("SELECT " + "ARRAY[" * 40 + "1" + "]" * 40, "duckdb") == "too-complex"


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "spark", "tsql"])
def test_any_number_of_arguments_passes_or_is_refused_by_name(dialect: str) -> None:
    parser = Dialect.get_or_raise(dialect).parser_class
    for function in (*parser.FUNCTIONS, *parser.FUNCTION_PARSERS):
        for arguments in ("", "1"):
            assert verdict(f"SELECT {function}({arguments}) FROM t", dialect) in REASONS


def test_a_long_list_of_values_passes() -> None:
    sql = f"SELECT a FROM t WHERE a IN ({','.join(['7'] * 10_000)})"
    assert guard_sql(sql, "sqlite") == sql


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb", "spark", "tsql"])
def test_functions_can_be_allowed_by_name(dialect: str) -> None:
    assert verdict("SELECT My_Score(a) FROM t", dialect) == "forbidden-function"
    guard_sql("SELECT My_Score(a) FROM t", dialect, functions=["MY_score"])
    with pytest.raises(UnsafeSQLError, match="other"):
        guard_sql("SELECT other(my_score(a)) FROM t", dialect, functions=["my_score"])


def test_a_function_of_a_schema_is_allowed_with_its_schema_only() -> None:
    sql = "SELECT sales.score(a) FROM t"
    assert guard_sql(sql, "postgres", functions=["sales.score"]) == sql
    with pytest.raises(UnsafeSQLError, match=r"sales\.score"):
        guard_sql(sql, "postgres", functions=["score"])


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT name FROM sqlite_master", "sqlite"),
        ("SELECT * FROM information_schema.tables", "postgres"),
        ("SELECT relname FROM pg_class", "postgres"),
        ("SELECT * FROM information_schema.columns", "mysql"),
        ("SELECT * FROM duckdb_tables", "duckdb"),
    ],
)
def test_the_system_tables_can_be_allowed(sql: str, dialect: str) -> None:
    assert verdict(sql, dialect) == "system-catalog"
    assert guard_sql(sql, dialect, catalog=True) == sql


class Unlocked:
    """A writable database without any other lock, and whether a statement did more than read."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute("CREATE TABLE t (a, b)")
        self.connection.execute("INSERT INTO t VALUES (1, 'x')")
        self.before = self.state()

    def state(self) -> list[object]:
        pragmas = ("user_version", "writable_schema", "database_list")
        settings = [self.connection.execute(f"PRAGMA {p}").fetchall() for p in pragmas]
        return [*self.connection.iterdump(), *settings, self.connection.total_changes]

    def is_changed_by(self, sql: str) -> bool:
        with contextlib.suppress(sqlite3.Error, sqlite3.Warning):
            self.connection.execute(sql).fetchall()
        return self.state() != self.before

    def close(self) -> None:
        self.connection.close()


@pytest.fixture(scope="module")
def unlocked() -> Iterator[Unlocked]:
    database = Unlocked()
    yield database
    database.close()


def runs(sql: str) -> str:
    """What the guard lets run of ``sql``: nothing, or a statement."""
    try:
        return guard_sql(sql, "sqlite")
    except UnsafeSQLError:
        return ""


@pytest.mark.parametrize("sql", ["PRAGMA user_version = 1", "DROP TABLE t", "DELETE FROM t"])
def test_the_unlocked_database_notices_a_write(sql: str) -> None:
    with contextlib.closing(Unlocked()) as database:
        assert not database.is_changed_by("SELECT * FROM t")
        assert database.is_changed_by(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 /* /* */ , load_extension('x') /* */",
        "SELECT 1 /* /* */ ; DROP TABLE t /* */ */",
        "SELECT 'a\\' , load_extension('x') -- '",
        "SELECT 1 --\r, load_extension('x')\n, load_extension('x')",
        "SELECT 1 -- \u2028 , 2 \n , load_extension('x')",
        "SELECT 1 {# #} , load_extension('x') {# #}",
    ],
)
def test_comments_that_sqlite_reads_differently_hide_nothing(sql: str) -> None:
    assert "load_extension" not in runs(sql)
    assert "DROP" not in runs(sql)


WRITES = (
    "DELETE FROM t",
    "DROP TABLE t",
    "INSERT INTO t VALUES (1, 2)",
    "UPDATE t SET a = 2",
    "ATTACH ':memory:' AS y",
    "PRAGMA user_version = 1",
    "CREATE TABLE x (a)",
    "REPLACE INTO t VALUES (1, 2)",
    "WITH w AS (SELECT 1) DELETE FROM t",
)
NOISE = st.text(st.sampled_from(" \n\t;()'\"-/*[]`,x1"), max_size=12)


@settings(max_examples=200, deadline=None)
@given(
    start=st.sampled_from(["", "SELECT 1 ", "SELECT 1; ", "WITH c AS (SELECT 1) ", "EXPLAIN "]),
    before=NOISE,
    write=st.sampled_from(WRITES),
    after=NOISE,
)
def test_no_surrounding_text_carries_a_write_through(
    unlocked: Unlocked, start: str, before: str, write: str, after: str
) -> None:
    assert not unlocked.is_changed_by(runs(start + before + write + after))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from([*ENGINES, "tsql"]))
def test_any_text_passes_or_is_refused_by_name(text: str, dialect: str) -> None:
    for sql in (text, "SELECT " + text):
        outcome = sql
        try:
            outcome = guard_sql(sql, dialect)
        except UnsafeSQLError as error:
            outcome = error.reason
        assert outcome
