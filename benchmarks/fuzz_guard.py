"""Mutates statements, and watches what SQLite is asked to do by those that the guard lets through.

    python benchmarks/fuzz_guard.py --seconds 60 --seed 1

The corpus of the tests is cut, spliced, wrapped and peppered with what confuses parsers. What
passes is executed on a writable file with no other lock; SQLite's authorizer, asked for each thing
a statement wants to do, is the judge. A finding is a statement that wants more than to read tables
and call listed functions, one that changes a byte, and one on which the guard fails or takes long.
"""

import argparse
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from macsql.database import guard_sql
from macsql.database.functions import SQLITE_FUNCTIONS
from macsql.errors import UnsafeSQLError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fixtures"))

from guard_statements import read_statements

SLOW = 5.0
OTHERS = ("postgres", "mysql", "duckdb", "spark")
SCHEMA = """
CREATE TABLE t (a INTEGER, b TEXT, c REAL, j TEXT); INSERT INTO t VALUES (1, 'x', 2.5, '{"k": 1}');
CREATE TABLE u (a INTEGER, b TEXT, id INTEGER); INSERT INTO u VALUES (1, 'y', 1);
CREATE TABLE customers (id, name, city, country); CREATE TABLE orders (id, customer_id, total);
CREATE VIEW v AS SELECT a, b FROM t;
CREATE TRIGGER tr INSTEAD OF DELETE ON v BEGIN DELETE FROM t; END;
"""
PIECES = (
    *("'", '"', "`", "[", "]", "(", ")", ";", "--", "--\n", "/*", "*/", "/**/", "/*/", "\\", "\n"),
    *("\r", "\t", "\f", "\v", "\x00", "\ufeff", "\u00a0", "\u2028", "ſ", "K", "$", "$a(", "@", ":"),
    *("#", "?", "{", "}", "${", "::", "||", "->", "->>", ":=", "==", "<>", "%", "''", '""', "x'"),
    *("E'", "0x", "1e", ".", ",", "*", "+", "-", " IN ", " AS ", " UNION ", " SELECT ", " FROM "),
    *(" INTO ", " WITH x AS ", " DELETE FROM t ", " DROP TABLE t ", " RETURNING * ", " EXPLAIN "),
    *("; DELETE FROM t", " load_extension('x') ", " sqlite_master ", " pragma_table_info('t') "),
    *(" PRAGMA user_version=1 ", " ATTACH ':memory:' AS y ", " INSERT INTO t VALUES (1,2,3,4) "),
    *(" UPDATE t SET a = 2 ", " VALUES ", " EXISTS ", " CASE WHEN ", " END ", " OVER "),
    *(" MATERIALIZED ", " zeroblob(9) "),
)
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}


@dataclass
class Judge:
    """A writable database; ``asked`` is what the last statement wanted beyond reading."""

    path: Path
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        connection = sqlite3.connect(self.path)
        connection.executescript(SCHEMA)
        connection.close()
        self.content = self.path.read_bytes()

    def _authorize(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        harmless = action in READING
        if action == sqlite3.SQLITE_READ:
            harmless = not (first or "").lower().startswith("sqlite_") or second == "ROWID"
        if action == sqlite3.SQLITE_UPDATE:
            # SQLite's own question when it declares json_each; a statement may not do it at all.
            harmless = first == "sqlite_master"
        if action == sqlite3.SQLITE_FUNCTION:
            harmless = (second or "").lower() in SQLITE_FUNCTIONS
        if not harmless:
            self.asked.append(f"{action} {first} {second}")
        return sqlite3.SQLITE_OK

    def run(self, sql: str) -> bool:
        """Whether SQLite could execute it; what it asked for is in ``asked``."""
        self.asked.clear()
        connection = sqlite3.connect(self.path, isolation_level=None)
        deadline = time.monotonic() + 0.2
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 1000)
        connection.set_authorizer(self._authorize)
        try:
            connection.execute(sql).fetchmany(100)
        except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError):
            return False
        finally:
            connection.close()
        return True


def mutate(chance: random.Random, seeds: list[str]) -> str:
    """A statement with one to four changes."""
    sql = chance.choice(seeds)
    for _ in range(chance.randint(1, 4)):
        place = chance.randint(0, len(sql))
        match chance.randrange(7):
            case 0:
                sql = sql[:place] + chance.choice(PIECES) + sql[place:]
            case 1:
                sql = sql[:place] + sql[place + chance.randint(1, 8) :]
            case 2:
                other = chance.choice(seeds)
                sql = sql[:place] + other[chance.randint(0, len(other)) :]
            case 3:
                other = chance.choice(seeds)
                sql = sql[:place] + " " + other + " " + sql[place:]
            case 4:
                words = sql.split(" ")
                first, second = chance.randrange(len(words)), chance.randrange(len(words))
                words[first], words[second] = words[second], words[first]
                sql = " ".join(words)
            case 5:
                sql = sql.replace(" ", chance.choice(PIECES[:24]), 1)
            case _:
                around = ("({})", "SELECT * FROM ({})", "WITH x AS ({}) SELECT * FROM x", "{};{}")
                sql = chance.choice(around).replace("{}", sql, 1).replace("{}", "SELECT 1")
    return sql


def main() -> None:
    """Fuzz for a while, print each finding, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    seeds = [s.sql for s in read_statements() if s.dialect == "sqlite"]
    other_seeds = [s.sql for s in read_statements() if s.dialect in OTHERS]
    counts: Counter[str] = Counter()
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Path(folder) / "fuzz.sqlite")
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            is_sqlite = chance.random() < 0.8
            sql = mutate(chance, seeds if is_sqlite else other_seeds)
            started = time.process_time()
            try:
                checked = guard_sql(sql, "sqlite" if is_sqlite else chance.choice(OTHERS))
            except UnsafeSQLError as error:
                counts[error.reason] += 1
                continue
            except Exception as error:  # noqa: BLE001 - any other one is a finding
                counts["FINDING guard failed"] += 1
                print(f"guard failed: {error!r}: {sql!r}")
                continue
            finally:
                slowest = max(slowest, (time.process_time() - started, sql))
            counts["passed"] += 1
            if not is_sqlite:
                continue
            counts["executed"] += judge.run(checked)
            if judge.asked or judge.path.read_bytes() != judge.content:
                counts["FINDING wanted more than reading"] += 1
                print(f"wanted {judge.asked}: {sql!r}")
    for name, count in counts.most_common():
        print(f"{count:8,} {name}")
    print(f"slowest: {slowest[0]:.3f} s of processor time, {slowest[1][:80]!r}")
    sys.exit(any(name.startswith("FINDING") for name in counts) or slowest[0] > SLOW)


if __name__ == "__main__":
    main()
