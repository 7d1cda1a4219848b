"""How long does scoring take? Ours against the official protocol, in the same run.

    python benchmarks/scoring.py DATA [--workers 2] [--questions N]

DATA is the folder with spider/, bird/ and predictions/. The stand-in does what the official
scripts do for execution accuracy and no more: one process, one query after the other, a new
connection for each, all rows fetched, Spider's results compared under every order of columns,
BIRD's as sets. Ours also computes strict EX, exact match, hardness, soft F1 and classes of
mistakes, in other processes with limits of time and memory. Both must come to the same count.
"""

import argparse
import itertools
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.official_text import spider_executed, spider_prediction
from macsql.evaluation.predictions import read_predictions
from macsql.evaluation.scoring import answers_of, score_answers

RUNS = (("spider", "spider_codes-7b.jsonl"), ("bird", "bird_codes-7b-evidence.jsonl"))
Rows = list[tuple[Any, ...]]


def main() -> None:
    """Print a line for each file of predictions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--questions", type=int, default=None, help="only the first N")
    options = parser.parse_args()
    for name, file in RUNS:
        whole = open_benchmark(name, options.data)
        predicted = read_predictions(options.data / "predictions" / file, whole)
        benchmark = whole.only([e.id for e in whole.examples[: options.questions]])
        sql = {e.id: predicted[e.id].sql for e in benchmark.examples}
        official, official_right = timed(lambda b=benchmark, s=sql: one_by_one(b, s))
        with JudgePool(workers=options.workers, rule=benchmark.rule) as judges:
            answers = answers_of(benchmark, predicted)

            def ours(b: Benchmark = benchmark, a: Any = answers, j: Any = judges) -> int:
                return sum(v.ex for v in score_answers(b, a, j).verdicts.values())

            first, right = timed(ours)
            again, _ = timed(ours)
        print(
            f"{file}: {len(sql)} questions, right {right} (stand-in {official_right}); "
            f"stand-in {official:.1f} s; ours {first:.1f} s, {official / first:.2f} times as fast; "
            f"with gold results cached {again:.1f} s, {official / again:.2f} times as fast"
        )


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Seconds, and what the work came to."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def one_by_one(benchmark: Benchmark, sql: dict[str, str]) -> int:
    """How many are right, by the official protocol."""
    right = spider_right if benchmark.rule == "spider" else bird_right
    return sum(right(example, sql[example.id]) for example in benchmark.examples)


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
