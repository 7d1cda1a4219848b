"""What repair without a model makes of the mistakes that language models make.

    python benchmarks/mutations.py --data DIR [--sample 40] [--kinds wrong-*,text-*]
        [--show other,fails] [--seed 0]

Right queries of Spider's training questions are broken on purpose, each in one way, and kept where
the broken query fails or finds something else. Each goes through check and repair as in the
Refiner, with its question and no model. Counted for each kind of mistake:

* same: what the right query finds (by Spider's rule), *told*: with a warning;
* other: something else after a repair, and no warning about it: the worst; *told*: with one;
* kept: it ran as it was, finds something else, and nobody is told; *told*: somebody is;
* fails: still refused by the database.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from mutation_kinds import Gold
from mutation_structure import KINDS

from macsql.agents.trial import Trial, finds_nothing
from macsql.checks.analysis import analyse
from macsql.checks.output import check_output
from macsql.database import Database, Result
from macsql.errors import MacSQLError
from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.compare import spider_equal
from macsql.evaluation.example import Example
from macsql.message import Candidate
from macsql.parsing.sql import read_sql

OUTCOMES = ("same", "same told", "other", "other told", "kept", "kept told", "fails")


@dataclass(slots=True)
class Databases:
    """The databases of the examples, opened when they are first needed."""

    opened: dict[str, Database]

    def get(self, example: Example) -> Database:
        """The database of an example, with all its values known, as the Selector leaves it."""
        if example.database not in self.opened:
            database = Database(example.database, descriptions=example.descriptions)
            database.value_index(60)
            self.opened[example.database] = database
        return self.opened[example.database]


def found(sql: str, database: Database) -> Result | None:
    """The result, or None when the statement fails."""
    try:
        return database.execute(sql)
    except MacSQLError:
        return None


def is_same(right: str, one: Result, other: Result | None) -> bool:
    """Whether the rows are the same by Spider's rule."""
    ordered = "order by" in right.lower()
    return other is not None and spider_equal(one.rows, other.rows, ordered=ordered)


def outcome(right: str, gold: Result, example: Example, broken: str, settled: Candidate,
            database: Database) -> str:  # fmt: skip
    """What became of a broken query, as counted."""
    if settled.result is None:
        return "fails"
    findings = [*settled.findings, *settled.repairs]
    said = check_output(example.question, settled.sql, database.schema, evidence=example.evidence)
    # The question was asked of the gold query: it says nothing of an expression put into it.
    findings += said if right == example.gold_sql else []
    told = any(f.severity in ("warning", "error") for f in findings)
    if is_same(right, gold, settled.result):
        what = "same"
    else:
        what = "other" if settled.sql != broken else "kept"
    return f"{what} told" if told else what


def cases(kind: str, examples: list[Example], databases: Databases, sample: int,
          seed: int) -> Iterator[tuple[Example, str, str, Result]]:  # fmt: skip
    """At most ``sample`` broken queries that fail or find something else."""
    chance = random.Random(f"{seed} {kind}")
    number = tried = 0
    for example in chance.sample(examples, len(examples)):
        if number >= sample or tried > 12 * sample:
            return
        if Path(example.database).stat().st_size > 20_000_000:
            continue
        sql = example.gold_sql.strip().rstrip(";")
        database = databases.get(example)
        pair = KINDS[kind](Gold(sql, analyse(sql, database.schema), chance))
        if pair is None:
            continue
        tried += 1
        right, broken = pair
        result = found(right, database)
        if (
            result is None
            or finds_nothing(result)
            or is_same(right, result, found(broken, database))
        ):
            continue
        number += 1
        yield example, right, broken, result


def main() -> None:
    """Break, repair, compare, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=40, help="broken queries of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default="*", help="patterns of names, with commas between")
    parser.add_argument("--show", default="", help="outcomes to list, with commas between")
    options = parser.parse_args()

    examples = list(open_benchmark("spider-train", options.data).examples)
    examples = list({(e.db_id, e.gold_sql): e for e in examples}.values())
    databases = Databases({})
    shown = options.show.split(",")
    total: Counter[str] = Counter()
    print(f"{'kind':28} {'n':>4} " + " ".join(f"{name:>10}" for name in OUTCOMES), flush=True)
    for kind in KINDS:
        if not any(fnmatch(kind, pattern) for pattern in options.kinds.split(",")):
            continue
        counts: Counter[str] = Counter()
        for example, right, broken, result in cases(
            kind, examples, databases, options.sample, options.seed
        ):
            database = databases.get(example)
            trial = Trial(database, question=example.question, evidence=example.evidence)
            written = read_reply(broken) if kind.startswith("reply-") else broken
            settled = trial.settle(written, "decomposer")
            what = outcome(right, result, example, written, settled, database)
            counts[what] += 1
            if what in shown:
                show(kind, what, example, right, broken, settled)
        print(line(kind, counts), flush=True)
        total += counts
    print(line("all", total))


def read_reply(reply: str) -> str:
    """The SQL that is found in a reply; the reply itself where there is none."""
    with suppress(MacSQLError):
        return read_sql(reply)
    return reply


def show(kind: str, what: str, example: Example, right: str, broken: str,
         settled: Candidate) -> None:  # fmt: skip
    """One case in full."""
    print(f"# {kind}, {what}, {example.db_id}: {example.question}")
    print(f"  right   {right}\n  broken  {broken}\n  settled {settled.sql}")
    for finding in (*settled.repairs, *settled.findings):
        print(f"    {finding.severity} {finding.code}: {finding.message} {finding.hint}")


def line(kind: str, counts: Counter[str]) -> str:
    """One line of the table."""
    numbers = " ".join(f"{counts[name] or '':>10}" for name in OUTCOMES)
    return f"{kind:28} {counts.total():4} {numbers}"


if __name__ == "__main__":
    main()
