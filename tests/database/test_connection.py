"""Database: opening, executing within limits, and what goes wrong."""

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.errors import (
    ConfigError,
    DatabaseUnavailable,
    ExecutionError,
    QueryTimeout,
    UnsafeSQLError,
)

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@contextmanager
def opened(path: Path | str, **limits: float) -> Iterator[Database]:
    with Database(path, **limits) as database:  # type: ignore[arg-type]
        yield database


# Opening


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.touch(), "is empty"),
        (lambda path: path.write_text("a,b\n1,2\n"), "is not a SQLite database"),
        (lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\x01" * 4096), "database"),
        (os.mkfifo, "is not a file"),
        (lambda path: path.symlink_to(path), "cannot be opened"),
    ],
    ids=["missing", "folder", "empty", "text", "damaged", "pipe", "loop"],
)
def test_what_cannot_be_opened_is_said_in_one_line(tmp_path: Path, make, why: str) -> None:
    path = tmp_path / "shop.db"
    make(path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(DatabaseUnavailable, match=why) as caught:
        Database(path)
    assert "shop.db" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["a\x00b.db", "x" * 5_000 + ".db"], ids=["nul", "long"])
def test_an_impossible_path_is_unavailable(name: str) -> None:
    with pytest.raises(DatabaseUnavailable, match="cannot be opened"):
        Database(name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_unavailable(school_db: Path) -> None:
    school_db.chmod(0)
    with pytest.raises(DatabaseUnavailable, match="permissions"):
        Database(school_db)


def test_a_locked_file_is_unavailable_after_the_connect_timeout(school_db: Path) -> None:
    with closing(sqlite3.connect(school_db, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises(DatabaseUnavailable, match="locked by another program"):
            Database(school_db, connect_timeout=0.2)
        assert 0.15 < time.monotonic() - started < 5


def test_a_lock_taken_later_stops_a_query_with_the_same_words(school_db: Path) -> None:
    with (
        opened(school_db, connect_timeout=0.1) as database,
        closing(sqlite3.connect(school_db, isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseUnavailable, match="locked by another program"):
            database.execute("SELECT * FROM school")
        other.execute("ROLLBACK")
        assert len(database.execute("SELECT * FROM school").rows) == 3


@pytest.mark.parametrize(
    "name",
    ["my school.db", "50%25.db", "what?.db", "a#b.db", "a&mode=rwc.db", "schüle 学.db", "x'y\".db"],
)
@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_any_file_name_opens(school_db: Path, name: str, form: str) -> None:
    path = school_db.rename(school_db.with_name(name))
    with opened(form.format(path)) as database:
        assert database.execute("SELECT count(*) FROM school").rows == ((3,),)
        assert database.name == path.stem
    assert sorted(path.parent.glob("*.db")) == [path]


def test_a_relative_path_opens(school_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(school_db.parent)
    for url in (
        "school.sqlite",
        "./school.sqlite",
        "sqlite:///school.sqlite",
        Path("school.sqlite"),
    ):
        with opened(url) as database:
            assert database.display_url.endswith("school.sqlite")
            assert database.execute("SELECT 1").rows == ((1,),)


def test_a_relative_path_still_means_the_same_after_a_change_of_folder(
    school_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(school_db.parent)
    with opened("school.sqlite") as database:
        monkeypatch.chdir("/")
        assert database.execute("SELECT count(*) FROM school").rows == ((3,),)


def test_percent_escapes_and_options_of_a_url_are_understood(school_db: Path) -> None:
    path = school_db.rename(school_db.with_name("my school.db"))
    url = f"sqlite+pysqlite:///{path.parent}/my%20school.db?mode=rwc&timeout=5"
    with opened(url) as database:
        assert database.execute("SELECT 1").rows == ((1,),)


def test_a_wal_database_opens_without_making_files(build) -> None:
    path = build("PRAGMA journal_mode = WAL; CREATE TABLE t AS SELECT 7 AS a;")
    before = files_of(path.parent)
    with opened(path) as database:
        assert database.execute("SELECT a FROM t").rows == ((7,),)
        assert database.schema.table("t")
    assert files_of(path.parent) == before


def test_what_is_still_in_the_log_of_a_wal_database_is_read(build) -> None:
    path = build("PRAGMA journal_mode = WAL; CREATE TABLE t (a);")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO t VALUES (8)")
        writer.commit()
        with opened(path) as database:
            assert database.execute("SELECT a FROM t").rows == ((8,),)


@pytest.mark.parametrize(
    ("limit", "value"), [("timeout", 0), ("max_rows", 0), ("max_bytes", -1), ("max_cell", 0)]
)
def test_a_limit_that_is_not_positive_is_a_config_error(
    school_db: Path, limit: str, value: int
) -> None:
    with pytest.raises(ConfigError, match=limit):
        Database(school_db, **{limit: value})


def test_a_closed_database_says_so(school_db: Path) -> None:
    database = Database(school_db)
    database.close()
    database.close()
    with pytest.raises(DatabaseUnavailable, match="has been closed"):
        database.execute("SELECT 1")


def test_the_representation_shows_the_url(school_db: Path) -> None:
    with opened(school_db) as database:
        assert repr(database) == f"Database('sqlite:///{school_db}')"


# Executing


def test_a_result_has_columns_types_and_rows(school_db: Path) -> None:
    with opened(school_db) as database:
        result = database.execute('SELECT first_name, age AS "Age", NULL FROM pupil LIMIT 2;')
    assert result.columns == ("first_name", "Age", "NULL")
    assert result.types == ("str", "int", "NoneType")
    assert result.rows == (("Ann", 12, None), ("Ben", 13, None))
    assert not result.truncated
    assert 0 < result.seconds < 5


def test_columns_of_the_same_name_are_all_kept(school_db: Path) -> None:
    with opened(school_db) as database:
        result = database.execute("SELECT a.id, b.id FROM school a JOIN pupil b ON b.id = a.id + 1")
    assert result.columns == ("id", "id")
    assert result.rows[0] == (1, 2)


def test_a_query_without_rows_still_has_columns(school_db: Path) -> None:
    with opened(school_db) as database:
        result = database.execute("SELECT id, name FROM school WHERE 0")
    assert (result.columns, result.rows, result.truncated) == (("id", "name"), (), False)


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT count(*) FROM school WHERE name LIKE '%l%'", 3),
        ("SELECT '100% :x ? $1 @y %s %(a)s {b}'", "100% :x ? $1 @y %s %(a)s {b}"),
        ("-- c\nSELECT 1", 1),
        ("SELECT ';'", ";"),
        ("SELECT CAST(x'4D617274ED6E' AS TEXT)", "Mart�n"),
        ("SELECT x'00FF'", b"\x00\xff"),
        ("SELECT 9e999", float("inf")),
        ("SELECT -9e999", float("-inf")),
        ("SELECT 9e999 - 9e999", None),
        ("SELECT 9223372036854775807", 2**63 - 1),
        ("SELECT floor(NULL)", None),
        ("SELECT upper('straße')", "STRAßE"),
        ("SELECT 'a' || char(0) || 'b'", "a\x00b"),
    ],
)
def test_a_value_arrives_as_it_is(school_db: Path, sql: str, value: object) -> None:
    with opened(school_db) as database:
        assert database.execute(sql).rows == ((value,),)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nope FROM school", "no such column: nope"),
        ("SELECT * FROM nope", "no such table: nope"),
        ("SELECT name FROM school WHERE id = :id", "binding"),
        ("SELECT substr('a')", "wrong number of arguments to function substr()"),
        ("SELECT name REGEXP 'x' FROM school", "no such function: REGEXP"),
        ("SELECT year('2024-01-01')", "no such function: year"),
        ("SELECT abs(-9223372036854775807 - 1)", "integer overflow"),
    ],
)
def test_the_database_is_quoted_when_it_refuses(school_db: Path, sql: str, words: str) -> None:
    with opened(school_db) as database, pytest.raises(ExecutionError) as caught:
        database.execute(sql)
    assert words in str(caught.value)
    assert caught.value.sql == sql


def test_a_command_to_drop_is_refused_and_the_table_is_still_there(school_db: Path) -> None:
    before = files_of(school_db.parent)
    with opened(school_db) as database:
        with pytest.raises(UnsafeSQLError):
            database.execute("DROP TABLE school")
        assert database.execute("SELECT count(*) FROM school").rows == ((3,),)
    assert files_of(school_db.parent) == before


def test_check_gives_the_statement_that_would_run(school_db: Path) -> None:
    with opened(school_db) as database:
        assert database.check(" SELECT 1 ; -- done") == "SELECT 1"


# Limits


@pytest.mark.parametrize(
    "expression", ["i", "count(*)", "max(i)", "group_concat(i % 2, '')", "i || zeroblob(1000)"]
)
def test_an_endless_query_is_stopped_and_leaves_no_thread(school_db: Path, expression: str) -> None:
    before = threading.active_count()
    with opened(school_db, timeout=0.2, max_rows=10**9, max_bytes=10**12) as database:
        started = time.monotonic()
        with pytest.raises((QueryTimeout, ExecutionError)) as caught:
            database.execute(ENDLESS.format(expression))
        assert time.monotonic() - started < 3
        assert database.execute("SELECT 1").rows == ((1,),)
    assert threading.active_count() == before
    if isinstance(caught.value, QueryTimeout):
        assert caught.value.seconds == 0.2
        assert "0.2 seconds" in str(caught.value)


def test_a_query_may_take_the_whole_timeout_after_a_slow_connect(school_db: Path) -> None:
    slow = "SELECT count(*) FROM (" + ENDLESS.format("i") + " LIMIT 300000)"
    with opened(school_db, timeout=20, connect_timeout=0.01) as database:
        assert database.execute(slow).rows == ((300_000,),)


def test_an_interrupt_from_the_keyboard_is_not_swallowed(school_db: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with opened(school_db, timeout=20) as database:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                database.execute(ENDLESS.format("count(*)"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_rows_are_cut_at_the_limit_and_that_is_said(school_db: Path) -> None:
    with opened(school_db, max_rows=3) as database:
        cut = database.execute("SELECT id FROM pupil ORDER BY id")
        whole = database.execute("SELECT id FROM school ORDER BY id")
    assert (cut.rows, cut.truncated) == (((1,), (2,), (3,)), True)
    assert (whole.rows, whole.truncated) == (((1,), (2,), (3,)), False)


def test_a_million_rows_end_soon(school_db: Path) -> None:
    with opened(school_db) as database:
        result = database.execute(ENDLESS.format("i"))
    assert (len(result.rows), result.truncated) == (1000, True)
    assert result.seconds < 5


def test_a_long_cell_is_cut_and_that_is_said(school_db: Path) -> None:
    with opened(school_db, max_cell=10) as database:
        text = database.execute("SELECT hex(zeroblob(2500000))")
        blob = database.execute("SELECT zeroblob(5000000)")
        short = database.execute("SELECT '1234567890'")
    assert (text.rows, text.truncated) == ((("0" * 10,),), True)
    assert (blob.rows, blob.truncated) == (((b"\x00" * 10,),), True)
    assert (short.rows, short.truncated) == ((("1234567890",),), False)


def test_the_whole_result_stays_within_the_byte_limit(school_db: Path) -> None:
    with opened(school_db, max_bytes=10_000) as database:
        result = database.execute(ENDLESS.format("zeroblob(3000)"))
    assert (len(result.rows), result.truncated) == (3, True)


@pytest.mark.parametrize(
    "expression",
    ["zeroblob(2000000000)", "replace(hex(zeroblob(4000000)), '0', '0123456789')"],
)
def test_a_giant_cell_is_refused_by_the_database(school_db: Path, expression: str) -> None:
    with opened(school_db) as database, pytest.raises(ExecutionError, match="too big"):
        database.execute(f"SELECT {expression}")


def test_several_threads_share_a_database(school_db: Path) -> None:
    with opened(school_db) as database, ThreadPoolExecutor(8) as pool:
        schemas = set(map(id, pool.map(lambda _: database.schema, range(8))))
        results = list(pool.map(lambda i: database.execute(f"SELECT {i}").rows, range(40)))
    assert len(schemas) == 1
    assert results == [((i,),) for i in range(40)]


# Values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Berlin", ["BERLIN"]),
        ("berlin ", ["BERLIN"]),
        ("PARIS", ["PARIS"]),
        ("Pariss", ["PARIS"]),
        ("Tokyo", []),
        ("", []),
        ("%", []),
        ("'; DROP TABLE school; --", []),
    ],
)
def test_similar_values_are_the_stored_ones(school_db: Path, text: str, found: list[str]) -> None:
    with opened(school_db) as database:
        assert database.similar_values("SCHOOL", "City", text) == found


def test_an_unknown_column_has_no_values(school_db: Path) -> None:
    with opened(school_db) as database:
        assert database.similar_values("school", "nope", "x") == []
        assert database.similar_values("nope", "city", "x") == []


def test_values_that_cannot_be_read_are_no_error(school_db: Path) -> None:
    with opened(school_db) as database:
        assert database.schema.tables
        school_db.unlink()
        assert database.similar_values("school", "city", "Berlin") == []


LARGE = """
CREATE TABLE big (id INTEGER PRIMARY KEY, word TEXT, long TEXT, kind TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
INSERT INTO big SELECT i, 'word ' || i, 'long', CASE WHEN i > 150000 THEN 'late' ELSE 'early' END
FROM n;
"""


def test_a_large_table_is_read_in_part(build) -> None:
    with opened(build(LARGE)) as database:
        started = time.monotonic()
        kind = database.schema.table("big").column("kind")
        assert set(kind.examples) == {"early", "late"}
        assert database.similar_values("big", "word", "WORD 299999")[0] == "word 299999"
        assert time.monotonic() - started < 5
