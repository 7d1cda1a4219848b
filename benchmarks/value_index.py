"""How well stored values are linked to questions, and what their index costs.

    python benchmarks/value_index.py link --data DIR [--every 3]
    python benchmarks/value_index.py build [--rows 1000000] [--seconds 600]

``link`` takes Spider's training questions on databases with rows. The truth are the texts that the
gold query compares with a column and that are stored there: recall is the share of them that are
among the cells shown, precision the share of cells shown that are among them. ``build`` makes a
table of so many rows, three columns of text in each, and indexes it.
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlglot import exp

from macsql.checks.analysis import analyse
from macsql.checks.scopes import Status
from macsql.database import Database
from macsql.database.value_index import IndexState
from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.example import Example
from macsql.linking import link_values

Cell = tuple[str, str, str]
"""Table, column, text."""

COMPARISONS = (exp.EQ, exp.NEQ, exp.Like)
TABLE = """
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, status TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO sale SELECT i, printf('%s %s', substr(hex(randomblob(4)), 1, 6), hex(randomblob(4))),
    'city ' || (abs(random()) % 5000), 'status ' || (i % 7) FROM n;
"""


def gold_cells(sql: str, database: Database) -> set[Cell]:
    """The stored texts that a query compares with a column."""
    analysis = analyse(sql, database.schema)
    uses = {id(use.column): use for use in analysis.resolution.uses}
    found = set()
    for use in analysis.resolution.uses:
        table = use.relation.table if use.relation else None
        column = table.column(use.name) if table else None
        for other in compared(use.column) if table and column else ():
            quoted = uses.get(id(other))
            is_text = isinstance(other, exp.Literal) and other.is_string
            if is_text or (quoted is not None and quoted.status is Status.TEXT):
                found.add((table.name, column.name, other.name))
    return {cell for cell in found if cell[2] in database.similar_values(*cell, limit=1)}


def compared(column: exp.Expr) -> list[exp.Expr]:
    """What a column is compared with."""
    node = column.parent
    if isinstance(node, COMPARISONS):
        return [node.right if node.left is column else node.left]
    return list(node.expressions) if isinstance(node, exp.In) and node.this is column else []


def questions(data: Path, every: int) -> Iterator[tuple[Database, list[Example]]]:
    """The databases with rows, each opened, with every so many-th of their questions."""
    by_database: dict[str, list[Example]] = defaultdict(list)
    for example in open_benchmark("spider-train", data).examples[::every]:
        by_database[example.database].append(example)
    for path, examples in by_database.items():
        if not Path(path).exists():
            continue
        with Database(path) as database:
            if any(c.examples for table in database.schema.tables for c in table.columns):
                yield database, examples


def measure_linking(data: Path, every: int) -> None:
    """Print recall, precision and the time that a question takes."""
    hits = wanted = shown = asked = 0
    milliseconds = []
    for database, examples in questions(data, every):
        index = database.value_index(600)
        for example in examples:
            started = time.perf_counter()
            matches = link_values(example.question, "", database.schema, database.value_index())
            milliseconds.append(1000 * (time.perf_counter() - started))
            cells = {(m.table, m.column, m.value) for m in matches}
            gold = gold_cells(example.gold_sql, database)
            hits += len(cells & gold)
            wanted += len(gold)
            shown += len(cells)
            asked += 1
        assert index.state().is_complete
    print(
        f"{asked:,} questions, {wanted:,} stored texts compared in the gold, {shown:,} cells shown"
    )
    print(f"recall {hits / wanted:.3f}, precision {hits / shown:.3f}")
    p95 = statistics.quantiles(milliseconds, n=20)[-1]
    print(f"milliseconds a question: median {statistics.median(milliseconds):.1f}, p95 {p95:.1f}")


def measure_build(rows: int, seconds: float) -> None:
    """Print time and size of an index, and what one second of it knows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sales.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(TABLE.format(rows=rows))
        print(f"{rows:,} rows, {3 * rows:,} cells, {path.stat().st_size / 1e6:,.0f} MB")
        with Database(path, cache_dir=Path(folder)) as database:
            _ = database.schema
            report("a question's second", *timed(database, 1.0), rows)
            report("to its end", *timed(database, seconds), rows)
            for text in ("city 77", "citty 77", "status"):
                started = time.perf_counter()
                count = len(database.value_index().near(text))
                milliseconds = 1000 * (time.perf_counter() - started)
                print(f"{count} texts like {text!r} in {milliseconds:.1f} ms")


def timed(database: Database, seconds: float) -> tuple[IndexState, float, float]:
    """How far a build comes, in seconds by the clock and of the processor."""
    started, used = time.perf_counter(), time.process_time()
    state = database.value_index(seconds).state()
    return state, time.perf_counter() - started, time.process_time() - used


def report(what: str, state: IndexState, seconds: float, used: float, rows: int) -> None:
    """One line about a build."""
    size = state.file.stat().st_size / 1e6 if state.file else 0.0
    end = "complete" if state.is_complete else "not complete"
    print(
        f"{what}: {seconds:.1f} s ({used:.1f} s of the processor), {end}, {state.texts:,} texts, "
        f"{size:,.0f} MB, {used / (3 * rows / 1e6):.1f} s a million cells"
    )


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    link = commands.add_parser("link")
    link.add_argument("--data", type=Path, required=True)
    link.add_argument("--every", type=int, default=3)
    build = commands.add_parser("build")
    build.add_argument("--rows", type=int, default=1_000_000)
    build.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    if given.command == "link":
        measure_linking(given.data, given.every)
    else:
        measure_build(given.rows, given.seconds)


if __name__ == "__main__":
    main()
