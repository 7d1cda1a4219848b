"""Budgets: what can cost without end is stopped, in bounded memory, and leaves nothing behind."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.database.running import Limits, run
from macsql.database.sqlite import SQLiteBackend
from macsql.database.sqlite_cost import MEMORY, Watch, longest_cell
from macsql.errors import DatabaseError, ExecutionError, QueryTimeout, UnsafeSQLError

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
EXPENSIVE = (
    ENDLESS.format("count(*)"),
    ENDLESS.format("group_concat(hex(randomblob(1000)))"),
    ENDLESS.format("json_group_array(hex(zeroblob(1000)))"),
    ENDLESS.format("count(DISTINCT i)"),
    ENDLESS.format("sum(i) OVER (ORDER BY -i)"),
    ENDLESS.format("i") + " ORDER BY -i",
    "SELECT count(*) FROM pupil a, pupil b, pupil c, pupil d, pupil e, pupil f, pupil g,"
    " pupil h, pupil i, pupil j, pupil k, pupil l, pupil m, pupil n",
)
TOO_BIG = (
    "SELECT zeroblob(1000000000)",
    "SELECT hex(zeroblob(1000000000))",
    "SELECT hex(randomblob(900000000))",
    "SELECT length(hex(zeroblob(400000000)))",
    "SELECT replace(hex(zeroblob(200000)), '0', hex(zeroblob(200000)))",
    "SELECT group_concat(hex(zeroblob(3000000)), '') FROM pupil a, pupil b",
    "WITH RECURSIVE n(s) AS (SELECT 'ab' UNION ALL SELECT s || s FROM n) SELECT max(s) FROM n",
    "SELECT quote(zeroblob(40000000))",
    # One function call that would search for hours.
    "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')",
    "SELECT replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', '')",
    "SELECT hex(zeroblob(100000)) LIKE '%' || hex(zeroblob(10000)) || '1'",
    "SELECT hex(zeroblob(100000)) GLOB '*' || hex(zeroblob(10000)) || '1'",
)


@pytest.mark.parametrize("sql", EXPENSIVE)
def test_a_query_without_end_is_stopped_and_the_database_serves_on(
    school_db: Path, sql: str
) -> None:
    threads = threading.active_count()
    with Database(school_db, timeout=0.15) as database:
        with pytest.raises(QueryTimeout):
            database.execute(sql)
        assert database.execute("SELECT count(*) FROM school").rows == ((3,),)
    assert threading.active_count() == threads


@pytest.mark.parametrize("sql", TOO_BIG)
def test_a_cell_too_big_is_refused_by_the_engine_alone(school_db: Path, sql: str) -> None:
    backend = SQLiteBackend(school_db, connect_timeout=1)
    limits = Limits(timeout=60, max_rows=10, max_bytes=10**6, max_cell=100)
    with pytest.raises(ExecutionError, match=r"too (big|complex)"):
        run(backend, sql, limits)
    assert run(backend, "SELECT 1", limits).rows == ((1,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT printf('%.*c', 2000000000, 'x')",
        "SELECT format('%2000000000c', 'x')",
        "SELECT printf /* x */ ('%' || '2000000000c', 'x')",
        "SELECT \"format\"((SELECT '%2000000000c'), 'x')",
        "SELECT [printf](name, 2000000000, 'x') FROM school",
        "SELECT printf -- (\n('%-2000000000c', 'x')",
    ],
)
def test_a_character_is_not_repeated_without_end(school_db: Path, sql: str) -> None:
    limits = Limits(timeout=60, max_rows=10, max_bytes=10**6, max_cell=100)
    with pytest.raises(UnsafeSQLError, match="not authorized"):
        run(SQLiteBackend(school_db, connect_timeout=1), sql, limits)
    with Database(school_db) as database, pytest.raises(UnsafeSQLError):
        database.execute(sql)


def test_usual_formats_pass_both_locks(school_db: Path) -> None:
    sql = "SELECT printf('%05.1f %c, it''s', 2.5, 'x'), format ( '%d' , 7) AS format"
    with Database(school_db) as database:
        assert database.execute(sql).rows == (("002.5 x, it's", "7"),)


MEASURED = """
import re, sys, time
from pathlib import Path
from macsql.database.running import Limits, run
from macsql.database.sqlite import SQLiteBackend
from macsql.database.sqlite_cost import Watch, memory_in_use
from macsql.errors import DatabaseError

def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]) * 1024

limits = Limits(timeout=0.3, max_rows=10**9, max_bytes=10**12, max_cell=10**9)
backend = SQLiteBackend(Path(sys.argv[1]), connect_timeout=1)
run(backend, "SELECT 1", limits)
start = peak()
for sql in sys.stdin.read().split(";"):
    try:
        run(backend, sql, limits)
    except DatabaseError:
        pass
print(peak() - start)
watch = Watch("SELECT json_group_array(a)", 60, memory=50_000_000)
assert not watch()
ballast = b"x" * 100_000_000
while not watch():
    pass
assert watch.is_out_of_memory
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the memory")
def test_endless_queries_and_giant_cells_end_in_bounded_memory(school_db: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(school_db)],
        input=";".join([*EXPENSIVE, *TOO_BIG]),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    # How much of it is filled in the time that a query has depends on the machine.
    assert int(done.stdout) < 1.2 * MEMORY


def test_only_statements_that_can_grow_get_a_shorter_longest_cell() -> None:
    plain = "SELECT body, replace(body, 'a', 'b') FROM posts WHERE body LIKE '%x%' AND a || b = 'c'"
    assert longest_cell(plain, 50_000_000) == 50_000_000
    wide = "SELECT " + ", ".join(["randomblob(9000000)"] * 1000)
    assert longest_cell(wide, 50_000_000) * 1000 <= 512_000_000
    assert longest_cell("SELECT " + "instr(hex(a), b), " * 400 + "1", 10**7) < 16_000


def test_time_is_watched_more_closely_where_one_instruction_may_take_long() -> None:
    assert Watch("SELECT randomblob(1000000)", 1).opcodes < Watch("SELECT a FROM t", 1).opcodes
    assert not Watch("SELECT a FROM t", 60)()
    assert Watch("SELECT a FROM t", -1)()


@pytest.mark.parametrize("sql", ["SELECT " + "1," * 100_001 + "1", "SELECT 1 " + " " * 200_000])
def test_a_statement_too_long_is_refused_before_anything_reads_it(
    school_db: Path, sql: str
) -> None:
    with Database(school_db) as database, pytest.raises(UnsafeSQLError) as caught:
        database.execute(sql)
    assert caught.value.reason == "too-long"


def test_allowed_functions_and_the_catalog_pass_both_locks(school_db: Path) -> None:
    sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
    with Database(school_db, allow_catalog=True, allowed_functions=["SQLite_Log"]) as database:
        assert database.execute(sql).rows[0][0] > 3
        assert database.execute("SELECT sqlite_log(1, 'x')").rows == ((None,),)
        with pytest.raises(DatabaseError):
            database.execute("SELECT load_extension('x')")
    with Database(school_db) as database, pytest.raises(UnsafeSQLError) as caught:
        database.execute(sql)
    assert caught.value.reason == "system-catalog"
