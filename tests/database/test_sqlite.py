"""The second lock: the engine refuses what is not a query, with the guard out of the way."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from macsql.database.running import Limits, run
from macsql.database.sqlite import SQLiteBackend, path_in_url
from macsql.errors import ConfigError, DatabaseError, DatabaseUnavailable, UnsafeSQLError

LIMITS = Limits(timeout=5, max_rows=100, max_bytes=10**6, max_cell=1000)

MODULES = """
CREATE VIRTUAL TABLE f5 USING fts5(a, b);
INSERT INTO f5 VALUES ('hello world', 'x');
CREATE VIRTUAL TABLE f4 USING fts4(a);
INSERT INTO f4 VALUES ('hello there');
CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1);
INSERT INTO rt VALUES (1, 0, 1);
CREATE TABLE t (a, j);
INSERT INTO t VALUES (1, '{"k": [5]}');
CREATE VIEW v AS SELECT upper('x') AS u, a FROM t;
CREATE VIEW w AS SELECT a FROM t;
CREATE TRIGGER through_view INSTEAD OF INSERT ON w BEGIN DELETE FROM t; END;
CREATE INDEX i ON t (a);
"""


@pytest.fixture
def backend(build) -> SQLiteBackend:
    return SQLiteBackend(build(MODULES), connect_timeout=1)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "INSERT INTO t VALUES (1, 2)",
        "INSERT INTO t VALUES (1, 2) RETURNING a",
        "UPDATE t SET a = 2",
        "REPLACE INTO t VALUES (1, 2)",
        "WITH w AS (SELECT 1) DELETE FROM t",
        "DROP TABLE t",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "CREATE TEMP VIEW x AS SELECT 1",
        "CREATE VIRTUAL TABLE x USING fts5(a)",
        "ALTER TABLE t RENAME TO u",
        "INSERT INTO f5 VALUES ('a', 'b')",
        "INSERT INTO f5(f5) VALUES ('optimize')",
        "DELETE FROM rt",
        "INSERT INTO rt_node VALUES (9, x'00')",
        "UPDATE sqlite_master SET sql = ''",
        "PRAGMA writable_schema = ON",
        "PRAGMA query_only = OFF",
        "PRAGMA user_version = 7",
        "PRAGMA page_size = 1024",
        "PRAGMA journal_mode = WAL",
        "PRAGMA table_info(t)",
        "ATTACH ':memory:' AS x",
        "ATTACH '/tmp/macsql-must-not-exist.db' AS x",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO '/tmp/macsql-must-not-exist.db'",
        "REINDEX",
        "ANALYZE",
        "BEGIN EXCLUSIVE",
        "SAVEPOINT s",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT sqlite_log(1, 'x')",
        "SELECT name FROM sqlite_master",
        "SELECT name FROM sqlite_schema",
        "SELECT name FROM pragma_table_info('t')",
        "SELECT 1; DELETE FROM t",
        "INSERT INTO w VALUES (1)",
        "DELETE FROM w",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2",
        "INSERT INTO t VALUES (1, 2) ON CONFLICT DO NOTHING",
        "CREATE TABLE temp.x (a)",
        "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE temp.x USING fts5vocab('main', 'f5', 'row')",
        "CREATE INDEX x ON t (a)",
        "DROP INDEX i",
        "DROP VIEW v",
        "DROP TRIGGER through_view",
        "ALTER TABLE t ADD COLUMN z",
        "ALTER TABLE t DROP COLUMN j",
        "REINDEX i",
        "INSERT INTO f5_data VALUES (99, 'x')",
        "UPDATE f5_config SET v = 0",
        "DELETE FROM f5_content",
        "INSERT INTO f5(f5) VALUES ('rebuild')",
        "INSERT INTO f4(f4) VALUES ('optimize')",
        "DROP TABLE f5_data",
        "PRAGMA schema_version = 9",
        "PRAGMA trusted_schema = ON",
        "PRAGMA cache_size = 1",
        "PRAGMA hard_heap_limit = 1",
        "PRAGMA case_sensitive_like = 1",
        "PRAGMA wal_checkpoint",
        "PRAGMA incremental_vacuum",
        "PRAGMA optimize",
        "PRAGMA integrity_check",
        "PRAGMA function_list",
        "PRAGMA database_list",
        "PRAGMA user_version",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_user_version",
        "SELECT * FROM pragma_function_list",
        "SELECT * FROM t WHERE (1, 2, 3, 4, 5) IN sqlite_master",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM dbstat",
        "SELECT * FROM sqlite_dbpage",
        "SELECT fts5(1)",
        "SELECT optimize(f4) FROM f4",
        "SELECT rtreecheck('rt')",
        "SELECT load_extension('/tmp/x.so', 'entry')",
        "ATTACH 'file:/tmp/macsql-must-not-exist.db?mode=rwc' AS x",
        "EXPLAIN DELETE FROM t",
        "COMMIT",
        "ROLLBACK",
        "RELEASE s",
    ],
)
def test_the_engine_alone_refuses_what_is_not_a_query(backend: SQLiteBackend, sql: str) -> None:
    path = path_in_url(backend.display_url)
    before = path.read_bytes()
    with pytest.raises(DatabaseError):
        run(backend, sql, LIMITS)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert not Path("/tmp/macsql-must-not-exist.db").exists()


@pytest.mark.parametrize("sql", ["DELETE FROM t", "SELECT load_extension('x')", "ATTACH 'x' AS y"])
def test_a_refusal_by_the_engine_is_an_unsafe_statement(backend: SQLiteBackend, sql: str) -> None:
    with pytest.raises(UnsafeSQLError) as caught:
        run(backend, sql, LIMITS)
    assert caught.value.reason == "not-authorized"


def test_functions_and_system_tables_are_permitted_by_name(build) -> None:
    path = build(MODULES)
    sql = "SELECT count(*) FROM sqlite_master WHERE name = 't'"
    open_to_all = SQLiteBackend(path, connect_timeout=1, catalog=True)
    assert run(open_to_all, sql, LIMITS).rows == ((1,),)
    with pytest.raises(UnsafeSQLError):
        run(open_to_all, "SELECT * FROM pragma_table_info('t')", LIMITS)
    named = SQLiteBackend(path, connect_timeout=1, functions=frozenset({"sqlite_log", "fts5"}))
    with pytest.raises(UnsafeSQLError):
        run(named, sql, LIMITS)
    assert run(named, "SELECT sqlite_log(1, 'x')", LIMITS).rows == ((None,),)


def test_no_extension_is_loaded_even_when_its_function_is_allowed(build) -> None:
    named = SQLiteBackend(
        build(MODULES), connect_timeout=1, functions=frozenset({"load_extension"})
    )
    with pytest.raises(DatabaseError, match="not authorized"):
        run(named, "SELECT load_extension('x')", LIMITS)


def test_without_the_authorizer_the_file_is_read_only(backend: SQLiteBackend) -> None:
    def write() -> None:
        with backend.reading(1) as cursor:
            cursor.execute("PRAGMA query_only = OFF")
            cursor.execute("DELETE FROM t")

    with pytest.raises(UnsafeSQLError) as caught:
        write()
    assert caught.value.reason == "writes"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT a FROM f5 WHERE f5 MATCH 'hello'", (("hello world",),)),
        ("SELECT highlight(f5, 0, '[', ']') FROM f5 WHERE f5 MATCH 'world'", (("hello [world]",),)),
        ("SELECT a FROM f4 WHERE a MATCH 'there'", (("hello there",),)),
        ("SELECT id FROM rt WHERE x0 < 5", ((1,),)),
        ("SELECT u, a FROM v", (("X", 1),)),
        ("SELECT j ->> '$.k[0]', json_type(j) FROM t", ((5, "object"),)),
        ("SELECT e.value FROM t, json_each(j, '$.k') AS e", ((5,),)),
        ("SELECT sum(a) OVER (), row_number() OVER (ORDER BY a) FROM t", ((1, 1),)),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT 2) SELECT max(i) FROM n", ((2,),)),
        ("SELECT typeof(current_date), a LIKE 'x', a GLOB '1', rowid FROM t", (("text", 0, 1, 1),)),
        (
            "SELECT count(*), group_concat(a), strftime('%Y', '2024-01-01') FROM t",
            ((1, "1", "2024"),),
        ),
        ("VALUES (1), (2)", ((1,), (2,))),
    ],
)
def test_the_engine_allows_every_kind_of_query(
    backend: SQLiteBackend, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    assert run(backend, sql, LIMITS).rows == rows


def test_every_harmless_function_of_this_sqlite_is_allowed(backend: SQLiteBackend) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        listed = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
    internal = {
        "fts3_tokenizer", "fts5", "fts5_source_id", "load_extension", "optimize", "rtreecheck",
        "rtreedepth", "rtreenode", "sqlite_compileoption_get", "sqlite_log",
    }  # fmt: skip
    from macsql.database.functions import SQLITE_FUNCTIONS

    assert {name for (name,) in listed} - SQLITE_FUNCTIONS <= internal


def test_a_file_that_disappears_is_unavailable(backend: SQLiteBackend) -> None:
    path_in_url(backend.display_url).unlink()
    with pytest.raises(DatabaseUnavailable, match="cannot be opened"):
        run(backend, "SELECT 1", LIMITS)


def test_a_damaged_page_is_unavailable(build) -> None:
    path = build(
        "CREATE TABLE t (a);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        "INSERT INTO t SELECT 'some text ' || i FROM n;"
    )
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    backend = SQLiteBackend(path, connect_timeout=1)
    with pytest.raises(DatabaseUnavailable, match="damaged"):
        run(backend, "SELECT count(a || 'x') FROM t", LIMITS)


def test_a_file_left_in_the_middle_of_a_write_needs_recovery(build) -> None:
    path = build("CREATE TABLE t (a); INSERT INTO t SELECT zeroblob(100000);")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("UPDATE t SET a = randomblob(100000)")
        copy = path.with_name("copy.sqlite")
        copy.write_bytes(path.read_bytes())
        copy.with_name("copy.sqlite-journal").write_bytes(
            path.with_name(path.name + "-journal").read_bytes()
        )
        writer.execute("ROLLBACK")
    with pytest.raises(DatabaseUnavailable, match="not closed properly"):
        SQLiteBackend(copy, connect_timeout=1)


@pytest.mark.parametrize(
    "url", ["sqlite://shop.db", "sqlite://", "sqlite:///", "sqlite:///:memory:"]
)
def test_a_url_without_a_file_is_a_config_error(url: str) -> None:
    with pytest.raises(ConfigError):
        path_in_url(url)


@pytest.fixture(autouse=True)
def no_file_left() -> Iterator[None]:
    yield
    Path("/tmp/macsql-must-not-exist.db").unlink(missing_ok=True)
