"""How long does scoring take? Ours against the official protocol, in the same run.

    python benchmarks/scoring.py DATA [--workers 2] [--questions N]

DATA is the folder with spider/, bird/ and predictions/. The stand-in does what the official
scripts do: one process, one query after the other, a new connection for each, all rows fetched,
Spider's results compared under every order of columns, BIRD's as sets. It is timed for execution
accuracy alone and with the script's other score: exact match, which reads the schema again for each
question, and soft F1, which is a script of its own and runs all queries again. Ours runs each
statement, once checked, in another process with limits of time and memory; it is timed with all
that ``macsql score`` computes (strict EX and classes of mistakes too), and with the official scores
alone. Both must come to the same number of right answers.
"""

import argparse
import itertools
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.exact_match import ExactMatcher
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.hardness import hardness
from macsql.evaluation.official_text import spider_executed, spider_prediction
from macsql.evaluation.predictions import Prediction, read_predictions
from macsql.evaluation.scoring import answers_of, score_answers
from macsql.evaluation.soft_f1 import soft_f1
from macsql.schema import Column, Schema, Table

RUNS = (
    ("spider", "spider_codes-7b.jsonl", "spider_dail-sql-gpt4.jsonl"),
    ("bird", "bird_codes-7b-evidence.jsonl", "bird_dail-sql-gpt4.jsonl"),
)
"""Benchmark, the file that is timed, and one scored before it so that gold results are kept."""

Rows = list[tuple[Any, ...]]


def main() -> None:
    """Print what each file of predictions takes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--questions", type=int, default=None, help="only the first N")
    options = parser.parse_args()
    for name, file, other in RUNS:
        whole = open_benchmark(name, options.data)
        predicted, before = (
            read_predictions(options.data / "predictions" / f, whole) for f in (file, other)
        )
        benchmark = whole.only([e.id for e in whole.examples[: options.questions]])
        print(f"{file}: {len(benchmark.examples)} questions")
        measure(benchmark, predicted, before, options.workers)


def measure(
    benchmark: Benchmark,
    predicted: Mapping[str, Prediction],
    before: Mapping[str, Prediction],
    workers: int,
) -> None:
    """Time ``predicted``, every way after the other; ``before`` is scored to know the golds."""
    is_spider = benchmark.rule == "spider"
    right, other = (spider_right, exact) if is_spider else (bird_right, soft)

    def stand_in(judge: Callable[[Example, str], Any]) -> int:
        return sum(bool(judge(e, predicted[e.id].sql)) for e in benchmark.examples)

    ex_seconds, expected = timed(lambda: stand_in(right))
    more_seconds, _ = timed(lambda: stand_in(other))
    print(f"  stand-in: EX {ex_seconds:.1f} s, all its scores {ex_seconds + more_seconds:.1f} s")
    for what, official_only in (("all scores", False), ("official scores", True)):
        for is_warm in (False, True):
            with JudgePool(
                benchmark.rule,
                workers=workers,
                key_groups=benchmark.key_groups,
                official_only=official_only,
            ) as judges:
                if is_warm:
                    right_answers(benchmark, before, judges)
                seconds, found = timed(lambda: right_answers(benchmark, predicted, judges))
            when = "gold results cached" if is_warm else "first"
            print(
                f"  ours, {what}, {when}: {seconds:.1f} s; the stand-in takes "
                f"{ex_seconds / seconds:.2f} times that for EX, "
                f"{(ex_seconds + more_seconds) / seconds:.2f} times for all its scores"
            )
            if found != expected:
                print(f"  differs: {found} right, {expected} by the stand-in")


def right_answers(
    benchmark: Benchmark, predicted: Mapping[str, Prediction], judges: JudgePool
) -> int:
    """How many are right by our scoring."""
    scored = score_answers(benchmark, answers_of(benchmark, predicted), judges)
    return sum(v.ex for v in scored.verdicts.values())


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Seconds, and what the work came to."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def spider_right(example: Example, predicted: str) -> bool:
    """Whether the rows agree under some order of columns."""
    gold_sql = spider_executed(example.gold_sql)
    gold = fetch_all(example.database, gold_sql)
    rows = fetch_all(example.database, spider_executed(spider_prediction(predicted)))
    return rows is not None and same(gold or [], rows, "order by" in gold_sql.lower())


def bird_right(example: Example, predicted: str) -> bool:
    """Whether the sets of rows are equal."""
    rows = fetch_all(example.database, predicted)
    return rows is not None and set(fetch_all(example.database, example.gold_sql) or []) == set(
        rows
    )


def exact(example: Example, predicted: str) -> bool:
    """Exact match, with the schema read for this question, and hardness."""
    schema = read_schema(example.database)
    hardness(example.gold_sql, schema)
    return bool(ExactMatcher(schema).match(example.gold_sql, predicted).em)


def soft(example: Example, predicted: str) -> bool:
    """Soft F1 of the rows."""
    rows = fetch_all(example.database, predicted)
    gold = fetch_all(example.database, example.gold_sql)
    return rows is not None and soft_f1(gold or [], rows) == 1


def read_schema(database: str) -> Schema:
    """Names of tables and columns, as exact match needs them."""
    names = fetch_all(database, "SELECT name FROM sqlite_master WHERE type = 'table'") or []
    tables = []
    for (name,) in names:
        columns = fetch_all(database, f'PRAGMA table_info("{name}")') or []
        tables.append(Table(name, tuple(Column(column[1], column[2]) for column in columns)))
    return Schema("sqlite", tuple(tables))


def fetch_all(database: str, sql: str) -> Rows | None:
    """All rows, on a connection of its own; None when the query fails."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.text_factory = lambda text: text.decode(errors="ignore")
    try:
        return connection.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        connection.close()


def same(gold: Rows, rows: Rows, ordered: bool) -> bool:
    """Whether some order of columns makes the results equal."""
    if not gold and not rows:
        return True
    if len(gold) != len(rows) or len(gold[0]) != len(rows[0]):
        return False
    for order in itertools.permutations(range(len(gold[0]))):
        moved = [tuple(row[i] for i in order) for row in rows]
        if moved == gold if ordered else Counter(moved) == Counter(gold):
            return True
    return False


if __name__ == "__main__":
    main()
