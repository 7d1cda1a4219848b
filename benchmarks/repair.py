"""How often a broken query is repaired to what it was: gold queries, broken on purpose.

    python benchmarks/repair.py --data DIR [--queries 1500] [--split train] [--show wrong-qualifier]

DIR holds Spider in its own layout (train_spider.json, train_others.json, dev.json, database/).
Every mutation is counted only when the broken query no longer runs.
"""

import argparse
import json
import random
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from macsql.checks import check, repair
from macsql.checks.analysis import Analysis, analyse
from macsql.checks.scopes import Status
from macsql.checks.text import Edit, apply_edits, span
from macsql.database import Database
from macsql.schema import Schema

Rows = Counter[tuple[object, ...]]
Mutation = Callable[[Analysis, random.Random], str | None]
SPLITS = {"train": ("train_spider.json", "train_others.json"), "dev": ("dev.json",)}


# Mutations ----------------------------------------------------------------------------------


def wrong_qualifier(analysis: Analysis, chance: random.Random) -> str | None:
    """``T2.name`` becomes ``T1.name`` where T1 has no such column."""
    choices = [
        Edit(*place, other.name)
        for use in analysis.resolution.uses
        if use.qualifier and use.status is Status.FOUND and use.relation in use.scope.relations
        for other in use.scope.relations
        if not other.has(use.name) and (place := span(use.column.args["table"]))
    ]
    return apply_edits(analysis.statement.sql, [chance.choice(choices)]) if choices else None


def dropped_join(analysis: Analysis, chance: random.Random) -> str | None:
    """One join is left out; the columns of its table stay."""
    sql, tokens = analysis.statement.sql, analysis.statement.tokens
    choices = []
    for scope in analysis.resolution.scopes:
        joins = scope.select.args.get("joins") or ()
        for position, join in enumerate(joins):
            relation = scope.relations[position + 1] if len(scope.relations) > len(joins) else None
            used = {
                u.clause
                for u in analysis.resolution.uses
                if u.relation is relation and u.clause != "join"
            }
            place = span(join.this)
            if not used or not place or join.args.get("on") is None:
                continue
            start = max(t.start for t in tokens if t.text.upper() == "JOIN" and t.start < place[0])
            ends = [place[1], *(s[1] for c in join.find_all(exp.Column) if (s := span(c)))]
            choices.append(Edit(start, max(ends), ""))
    return apply_edits(sql, [chance.choice(choices)]) if choices else None


def misspelt_column(analysis: Analysis, chance: random.Random) -> str | None:
    """Every mention of one column gets the same spelling error."""
    uses = [u for u in analysis.resolution.uses if u.status is Status.FOUND and len(u.name) > 3]
    if not uses:
        return None
    chosen = chance.choice(uses)
    table = chosen.relation.table.name if chosen.relation and chosen.relation.table else ""
    wrong = misspell(chosen.name, table, chance)
    places = [span(u.column.this) for u in uses if u.name.lower() == chosen.name.lower()]
    return apply_edits(analysis.statement.sql, [Edit(*p, wrong) for p in places if p])


def misspelt_table(analysis: Analysis, chance: random.Random) -> str | None:
    """Every mention of one table gets the same spelling error."""
    relations = [r for s in analysis.resolution.scopes for r in s.relations if r.table]
    relations = [r for r in relations if r.table and len(r.table.name) > 3]
    if not relations:
        return None
    chosen = chance.choice(relations).node.name
    wrong = misspell(chosen, "", chance)
    edits = []
    for node in analysis.statement.tree.find_all(exp.Identifier) if analysis.statement.tree else ():
        is_column = isinstance(node.parent, exp.Column) and node.arg_key == "this"
        if node.name.lower() == chosen.lower() and not is_column and (place := span(node)):
            edits.append(Edit(*place, wrong))
    return apply_edits(analysis.statement.sql, edits)


def misspell(name: str, table: str, chance: random.Random) -> str:
    """A spelling error of the kinds that models and people make."""
    at = chance.randrange(1, len(name) - 1)
    kinds = [
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        name[:at] + name[at + 1 :],
        name + "s" if not name.endswith("s") else name[:-1],
        name.replace("_", "") if "_" in name else name[:at] + "_" + name[at:],
    ]
    if table:
        kinds.append(f"{table}_{name}")
        if name.lower().startswith(table.lower() + "_"):
            kinds.append(name[len(table) + 1 :])
    changed = [k for k in kinds if k.lower() != name.lower()]
    return chance.choice(changed) if changed else name + "_x"


MUTATIONS: tuple[Mutation, ...] = (wrong_qualifier, dropped_join, misspelt_column, misspelt_table)


# Measuring ----------------------------------------------------------------------------------


@dataclass
class Tally:
    """What became of the queries broken by one mutation."""

    broken: int = 0
    flagged: int = 0
    repaired: int = 0
    first_runs: int = 0
    first_same: int = 0
    any_same: int = 0


def execute(connection: sqlite3.Connection, sql: str) -> Rows | None:
    """The result as a multiset of rows; None when the statement fails or takes too long."""
    deadline = time.monotonic() + 3
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
    try:
        return Counter(connection.execute(sql).fetchmany(20_000))
    except (sqlite3.Error, OverflowError):
        return None


def golds(data: Path, split: str) -> list[tuple[str, str]]:
    """Distinct (database, gold SQL) pairs of databases that have rows."""
    pairs = {
        (e["db_id"], e["query"].strip().rstrip(";"))
        for file in SPLITS[split]
        for e in json.loads((data / file).read_text())
        if (data / "database" / e["db_id"] / f"{e['db_id']}.sqlite").exists()
    }
    return sorted(pairs)


def measure(
    sql: str, mutated: str, schema: Schema, connection: sqlite3.Connection, tally: Tally
) -> tuple[float, str]:
    """Repair one broken query; returns the seconds it took and what came out, for --show."""
    tally.broken += 1
    begin = time.process_time()
    tally.flagged += any(f.severity == "error" for f in check(mutated, schema))
    repairs = repair(mutated, schema)
    seconds = time.process_time() - begin
    tally.repaired += bool(repairs)
    right = execute(connection, sql)
    results = [execute(connection, r.sql) for r in repairs]
    tally.first_runs += bool(results) and results[0] is not None
    tally.first_same += bool(results) and results[0] == right
    tally.any_same += any(r == right for r in results)
    same = results and results[0] == right
    lines = [f"  {r.cost:.2f} {r.sql}   [{r.explanation}]" for r in repairs]
    return seconds, "" if same else "\n".join([f"GOLD {sql}", f"     {mutated}", *lines])


def main() -> None:
    """Break, repair, compare, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--queries", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", default="", help="print failures of this mutation")
    options = parser.parse_args()

    chance = random.Random(options.seed)
    pairs = golds(options.data, options.split)
    chance.shuffle(pairs)
    tallies = {m.__name__: Tally() for m in MUTATIONS}
    seconds: list[float] = []
    schemas: dict[str, Schema] = {}
    for name, sql in sorted(pairs[: options.queries]):
        path = options.data / "database" / name / f"{name}.sqlite"
        if name not in schemas:
            with Database(path) as database:
                schemas[name] = database.schema
        schema = schemas[name]
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        connection.text_factory = lambda b: b.decode(errors="replace")
        analysis = analyse(sql, schema)
        for mutation in MUTATIONS:
            mutated = mutation(analysis, chance) if execute(connection, sql) else None
            if mutated is None or execute(connection, mutated) is not None:
                continue
            took, shown = measure(sql, mutated, schema, connection, tallies[mutation.__name__])
            seconds.append(took)
            if shown and options.show == mutation.__name__:
                print(name, shown, sep="\n")
        connection.close()
    print(f"{'mutation':16} broken flagged repaired  first runs  first same  any of 3 same")
    for name, t in tallies.items():
        rate = [f"{100 * n / max(t.broken, 1):.1f}%" for n in (t.first_runs, t.first_same)]
        print(
            f"{name:16} {t.broken:6} {t.flagged:7} {t.repaired:8}  {rate[0]:>10}  {rate[1]:>10}"
            f"  {100 * t.any_same / max(t.broken, 1):.1f}%"
        )
    times = statistics.quantiles([1000 * s for s in seconds], n=20)
    median, most = times[9], times[18]
    print(f"check and repair: median {median:.1f} ms, 95 % below {most:.1f} ms of processor time")


if __name__ == "__main__":
    main()
