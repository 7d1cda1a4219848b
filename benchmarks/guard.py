"""What the guard lets through and refuses, its time, and how runaway queries end.

    python benchmarks/guard.py [--data DIR] [--repeat 3]

DIR, if given, holds spider/ and bird/: their gold queries count as harmless SQLite statements.
"""

import argparse
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from macsql.database import Database, guard_sql
from macsql.errors import DatabaseError, UnsafeSQLError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fixtures"))

from guard_statements import Statement, read_statements

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
RUNAWAYS = (
    ENDLESS.format("count(*)"),
    ENDLESS.format("max(i)"),
    ENDLESS.format("count(DISTINCT i)"),
    ENDLESS.format("sum(i) OVER (ORDER BY -i)"),
    ENDLESS.format("i") + " ORDER BY -i",
    ENDLESS.format("group_concat(hex(randomblob(1000)))"),
    ENDLESS.format("json_group_array(hex(zeroblob(1000)))"),
    ENDLESS.format("count(randomblob(1000000))"),
    "SELECT count(*) FROM t a, t b, t c, t d WHERE a.x + b.x + c.x + d.x < 0",
    "SELECT sum(instr(hex(zeroblob(100000 + x)), hex(zeroblob(50000)) || '1')) FROM t",
)
GOLDS = (
    ("spider/dev.json", "query"),
    ("spider/train_spider.json", "query"),
    ("bird/dev.json", "SQL"),
)
TIMEOUT = 0.5
MEMORY = """
import re, sys
from pathlib import Path
from macsql.database import Database
from macsql.errors import DatabaseError

def peak():
    # What Linux says of the process itself; getrusage counts the parent's memory, too.
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

with Database(sys.argv[1], timeout=5, max_rows=int(sys.argv[3]), max_bytes=10**12) as database:
    database.execute("SELECT 1")
    start = peak()
    try:
        database.execute(sys.argv[2])
        end = "ended by itself"
    except DatabaseError as error:
        end = type(error).__name__
    print(start, peak(), end)
"""


def golds(folder: Path) -> list[Statement]:
    """The gold queries of Spider and BIRD."""
    return [
        Statement(entry[key], "sqlite")
        for name, key in GOLDS
        for entry in json.loads((folder / name).read_text("utf-8"))
    ]


def verdict(statement: Statement) -> tuple[str, float]:
    """The guard's reason, empty if it passes, and the processor time it took."""
    started = time.process_time()
    try:
        guard_sql(statement.sql, statement.dialect)
    except UnsafeSQLError as error:
        return error.reason, time.process_time() - started
    return "", time.process_time() - started


def judge(statements: list[Statement], repeat: int) -> None:
    """Print who passes, and the guard's time."""
    tried: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    times = []
    for statement in statements:
        runs = [verdict(statement) for _ in range(repeat)]
        kind = "hostile" if statement.reason else "harmless"
        tried[kind, statement.dialect] += 1
        is_wrong = bool(runs[0][0]) != bool(statement.reason)
        wrong[kind, statement.dialect] += is_wrong
        if is_wrong:
            print("WRONG", statement)
        if not statement.reason:
            times.append(min(seconds for _, seconds in runs) * 1000)
    for kind, outcome in (("hostile", "passed"), ("harmless", "refused")):
        each = ", ".join(f"{d} {n}" for (k, d), n in sorted(tried.items()) if k == kind)
        total = sum(n for (k, _), n in tried.items() if k == kind)
        failed = sum(n for (k, _), n in wrong.items() if k == kind)
        print(f"{kind}: {total:,} tried ({each}), {failed} {outcome}")
    times.sort()
    print(
        f"guard, processor time of a harmless statement: median {statistics.median(times):.2f} ms,"
        f" p99 {times[int(len(times) * 0.99)]:.2f} ms, longest {times[-1]:.1f} ms"
    )


def stop(path: Path) -> None:
    """Print how long after its time limit each runaway query ended, and its memory."""
    late = []
    with Database(path, timeout=TIMEOUT, max_rows=10**9, max_bytes=10**12) as database:
        for sql in RUNAWAYS:
            started = time.monotonic()
            try:
                database.execute(sql)
                end = "ended by itself"
            except DatabaseError as error:
                end = type(error).__name__
            late.append((time.monotonic() - started - TIMEOUT, end, sql))
            assert database.execute("SELECT 1").rows == ((1,),)
    for seconds, end, sql in late:
        print(f"  {seconds * 1000:7.0f} ms  {end:14} {sql[:96]}")
    stopped = [seconds for seconds, end, _ in late if end == "QueryTimeout"]
    print(
        f"cancel latency, {len(stopped)} runaway queries: median "
        f"{statistics.median(stopped) * 1000:.0f} ms, longest {max(stopped) * 1000:.0f} ms"
    )
    for sql, max_rows in (
        (ENDLESS.format("i"), 1000),
        (ENDLESS.format("i"), 10**9),
        (RUNAWAYS[6], 1000),
        (RUNAWAYS[4], 1000),
        ("SELECT hex(zeroblob(500000000))", 1000),
    ):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(path), sql, str(max_rows)],
            capture_output=True,
            text=True,
            check=True,
        )
        start, peak, *end = done.stdout.split()
        print(
            f"memory +{float(peak) - float(start):.0f} MB, {' '.join(end)}, at most"
            f" {max_rows:,} rows, 5 s: {sql[:92]}"
        )


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{os.cpu_count()} cores"
    )
    judge(read_statements() + (golds(options.data) if options.data else []), options.repeat)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript(
            "CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
            " WHERE i < 1000) INSERT INTO t SELECT i FROM n;"
        )
        connection.close()
        stop(path)


if __name__ == "__main__":
    main()
