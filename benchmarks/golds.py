"""Are right queries left alone? Gold queries go through the Refiner as if a model wrote them.

    python benchmarks/golds.py --data DIR [--split dev] [--limit 500] [--findings]

Counts the queries whose result the Refiner changed, and lists each; the model that it may ask for
a rewrite gives the same query back, and how often it was asked is counted too. With ``--findings``
it also counts how often each finding is said of a gold query that finds something, and how often
of the query of another question on the same database: a finding is worth as much as they differ.
"""

import argparse
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from macsql.agents.refiner import Refiner
from macsql.checks import check, repair
from macsql.checks.output import check_output
from macsql.checks.silent import diagnose_result
from macsql.checks.stored import check_literals, check_values_used
from macsql.database import Database
from macsql.errors import DatabaseError
from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.compare import bird_equal, spider_equal
from macsql.evaluation.example import Example
from macsql.linking import link_values
from macsql.llm.scripted import ScriptedLLM
from macsql.message import Finding, Message
from macsql.prompts import PromptSet

SPLITS = {"train": "spider-train", "dev": "spider-dev", "bird": "bird", "bird-mini": "bird-mini"}


@dataclass
class Tally:
    """What became of the gold queries."""

    queries: int = 0
    refused: int = 0
    asked: int = 0
    milliseconds: list[float] = field(default_factory=list)
    rewritten: int = 0
    were_empty: int = 0
    changed: list[str] = field(default_factory=list)
    with_rows: set[tuple[str, str]] = field(default_factory=set)

    def print(self) -> None:
        """Every change, then the sums."""
        for line in self.changed:
            print(line)
        kept = self.queries - len(self.changed)
        times = statistics.quantiles(self.milliseconds, n=20)
        print(f"{self.queries} gold queries; {self.refused} more do not run")
        print(f"result unchanged: {kept} ({100 * kept / max(self.queries, 1):.2f} %)")
        print(f"of the changed, had no rows, or only 0 or NULL in them: {self.were_empty}")
        print(f"text changed, same result: {self.rewritten}; model asked for: {self.asked}")
        median, most = times[9], times[18]
        print(
            f"check and repair: median {median:.1f} ms, 95 % below {most:.1f} ms of processor time"
        )


def refine(example: Example, database: Database, prompts: PromptSet, tally: Tally) -> None:
    """Let the Refiner have one gold query, and compare what it makes of it."""
    sql = example.gold_sql
    begin = time.process_time()
    if any(f.severity == "error" for f in check(sql, database.schema)):
        repair(sql, database.schema)
    took = 1000 * (time.process_time() - begin)
    try:
        gold = database.execute(sql)
    except DatabaseError as error:
        tally.refused += 1
        print(f"{example.db_id} {example.id} does not run: {error}\n  {sql}")
        return
    tally.queries += 1
    if any(cell for row in gold.rows for cell in row):
        tally.with_rows.add((example.db_id, sql))
    tally.milliseconds.append(took)
    model = ScriptedLLM([f"```sql\n{sql}\n```"], loop=True)
    message = Message(example.question, database.schema, evidence=example.evidence, sql=sql)
    for _ in Refiner(model, prompts).run(message, database):
        pass
    tally.asked += bool(model.calls)
    if message.sql == sql and message.result is not None:
        return
    rows = message.result.rows if message.result else ()
    ordered = "order by" in sql.lower()
    same = bird_equal(gold.rows, rows) or spider_equal(gold.rows, rows, ordered=ordered)
    tally.rewritten += same
    if not same:
        tally.were_empty += all(not cell for row in gold.rows for cell in row)
        reasons = "; ".join(step.note for step in message.steps)
        title = f"{example.db_id} {example.id}: {example.question}"
        tally.changed.append(f"{title}\n  {sql}\n  {message.sql}\n  {reasons}")


def said(example: Example, sql: str, database: Database) -> Iterable[Finding]:
    """All that the checks say of ``sql`` as the answer to the question of ``example``."""
    schema = database.schema
    yield from check(sql, schema)
    yield from check_output(example.question, sql, schema, evidence=example.evidence)
    values = link_values(example.question, example.evidence, schema, database.value_index(5.0))
    yield from check_values_used(sql, values, schema)
    yield from check_literals(sql, schema, database.similar_values)
    with suppress(DatabaseError):
        yield from diagnose_result(
            sql, database.execute(sql), schema, database.execute, question=example.question
        )


def count_findings(examples: Sequence[Example], databases: dict[str, Database]) -> None:
    """Print how often each finding is said of the right and of another query."""
    chance = random.Random(0)
    golds: dict[str, list[str]] = defaultdict(list)
    for example in examples:
        golds[example.db_id].append(example.gold_sql)
    right: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    pairs = 0
    for example in examples:
        database = databases[example.db_id]
        right.update({(f.code, f.severity) for f in said(example, example.gold_sql, database)})
        other = chance.choice(golds[example.db_id])
        if other != example.gold_sql:
            pairs += 1
            wrong.update({(f.code, f.severity) for f in said(example, other, database)})
    print(f"\n{len(examples)} questions whose gold query finds something")
    print(f"{'finding':34} {'severity':9} {'gold':>8} {'other':>8}")
    for key in sorted({*right, *wrong}, key=lambda k: (k[1], -right[k], k[0])):
        rates = 100 * right[key] / len(examples), 100 * wrong[key] / max(pairs, 1)
        print(f"{key[0]:34} {key[1]:9} {rates[0]:6.2f} % {rates[1]:6.2f} %")


def main() -> None:
    """Refine, compare, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--limit", type=int, default=0, help="only so many queries, by chance")
    parser.add_argument("--findings", action="store_true", help="count findings, too")
    options = parser.parse_args()

    examples = list(open_benchmark(SPLITS[options.split], options.data).examples)
    if options.limit:
        examples = random.Random(0).sample(examples, min(options.limit, len(examples)))
    databases = {
        e.db_id: Database(e.database, descriptions=e.descriptions)
        for e in {e.db_id: e for e in examples}.values()
    }
    for database in databases.values():
        database.value_index(60)  # as the Selector leaves it to the Refiner
    prompts = PromptSet.load()
    tally, known = Tally(), set()
    for example in examples:
        if (example.db_id, example.gold_sql) not in known:
            known.add((example.db_id, example.gold_sql))
            refine(example, databases[example.db_id], prompts, tally)
    tally.print()
    if options.findings:
        having = [e for e in examples if (e.db_id, e.gold_sql) in tally.with_rows]
        count_findings(having, databases)


if __name__ == "__main__":
    main()
