"""What repair without a model makes of the queries that other systems wrote.

    python benchmarks/predictions.py --data DIR [--files spider_*] [--every 3] [--show lost]

Every published prediction is run and repaired as in the Refiner, with its question, but no model
is asked. Counts the right results before and after by the rule of its benchmark, and lists what
was won, lost, or changed from wrong to wrong.
"""

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

from macsql.agents.trial import Trial
from macsql.database import Database, Result
from macsql.errors import MacSQLError
from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.compare import bird_equal, spider_equal
from macsql.evaluation.example import Example
from macsql.evaluation.official_text import spider_executed
from macsql.evaluation.predictions import read_predictions

SETS = {"spider": "spider", "bird_mini": "mini-dev", "bird": "bird"}


def rows(name: str, sql: str, database: Database) -> Result | None:
    """What the official script of the benchmark compares: Spider's drops every DISTINCT."""
    try:
        return database.execute(spider_executed(sql) if name == "spider" else sql)
    except MacSQLError:
        return None


def is_right(name: str, sql: str, example: Example, database: Database) -> bool:
    """Whether the rows are right by the rule of the benchmark."""
    gold, found = rows(name, example.gold_sql, database), rows(name, sql, database)
    if gold is None or found is None:
        return False
    if name == "spider":
        ordered = "order by" in example.gold_sql.lower()
        return spider_equal(gold.rows, found.rows, ordered=ordered)
    return bird_equal(gold.rows, found.rows)


def measure(file: Path, data: Path, every: int, show: str) -> Counter[str]:
    """Count what became of the predictions of one file."""
    name = next(name for name in SETS if file.name.startswith(name))
    benchmark = open_benchmark(SETS[name], data)
    predictions = read_predictions(file, benchmark, ignore_unknown=True)
    by_database = defaultdict(list)
    for example in benchmark.examples[::every]:
        if example.id in predictions:
            by_database[example.database].append(example)
    counts: Counter[str] = Counter()
    for path, examples in by_database.items():
        with Database(path) as database:
            database.value_index(60)
            for example in examples:
                sql = predictions[example.id].sql
                trial = Trial(database, question=example.question, evidence=example.evidence)
                settled = trial.settle(sql, "decomposer")
                before = after = is_right(name, sql, example, database)
                if settled.sql != sql:
                    after = is_right(name, settled.sql, example, database)
                counts.update({"n": 1, "before": before, "after": after})
                what = "won" if after > before else "lost" if after < before else "other"
                if settled.sql != sql:
                    counts[what] += 1
                    if what in show:
                        print(
                            f"{what} {example.db_id}: {example.question}\n  {sql}\n  {settled.sql}"
                        )
    return counts


def main() -> None:
    """Measure every file, and all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--files", default="*", help="pattern of files in predictions/")
    parser.add_argument("--every", type=int, default=1, help="every so many-th question")
    parser.add_argument("--show", default="", help="list of won, lost, other")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    for file in sorted((arguments.data / "predictions").glob(f"{arguments.files}.jsonl")):
        counts = measure(file, arguments.data, arguments.every, arguments.show)
        total += counts
        print(line(file.stem, counts), file=sys.stderr)
    print(line("all", total))


def line(name: str, counts: Counter[str]) -> str:
    """One line of what was counted."""
    n = max(counts["n"], 1)
    shares = f"right {100 * counts['before'] / n:.1f} -> {100 * counts['after'] / n:.1f} %"
    return (
        f"{name}: {counts['n']:,} predictions, {shares}, {counts['won']} won, "
        f"{counts['lost']} lost, {counts['other']} others changed"
    )


if __name__ == "__main__":
    main()
