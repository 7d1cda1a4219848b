"""Execution accuracy, cost and time of the three agents on a sample of Spider, with any model.

    python benchmarks/spider_sample.py --data DATA --sample spider_200 --out run.jsonl
    python benchmarks/spider_sample.py --data DATA --train 150 --out tune.jsonl
    python benchmarks/spider_sample.py --data DATA --sample spider_200 --direct --out direct.jsonl

DATA holds ``samples.json`` and ``spider/`` (``dev.json``, ``train_spider.json``, ``database/``).
``--direct`` is the baseline: one prompt with the DDL and three values a column, no agents. Results
are compared plainly: the same rows, counting duplicates, columns in any order, and the order of
rows only where the gold query orders them. One line is written for each question as it ends; a
run that was stopped goes on where it was.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, permutations
from pathlib import Path
from typing import Any

from macsql.agents.base import ask_model
from macsql.database import Database
from macsql.errors import DatabaseError, MacSQLError
from macsql.llm import open_model
from macsql.llm.base import LLM
from macsql.llm.cache import CachedLLM
from macsql.message import Message, Step
from macsql.parsing import read_sql
from macsql.pipeline import Pipeline
from macsql.schema_text import show_schema

EMPTY = {"academic", "geo", "imdb", "music_2", "restaurants", "scholar", "yelp", "baseball_1"}


class Direct:
    """The baseline: the schema, the question, SQL."""

    name = "decomposer"

    def __init__(self, llm: LLM) -> None:
        self.llm = llm

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """One prompt, one execution."""
        prompt = (
            f"{show_schema(message.schema, 'ddl', examples=3)}\n\n"
            f"Write one SQLite query that answers the question.\nQuestion: {message.question}"
        )
        message.sql = ask_model(
            message, self.llm, self.name, [{"role": "user", "content": prompt}], read_sql
        )
        yield message.steps[-1]


def main() -> None:
    """Run, then print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", help="a list of positions in samples.json")
    parser.add_argument("--train", type=int, help="this many random training questions instead")
    parser.add_argument("--databases", type=int, default=10, help="of so many databases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--model", default="local")
    parser.add_argument("--cache", type=Path, help="keep the model's replies in this folder")
    parser.add_argument("--prompts", default="default")
    parser.add_argument("--shots", type=int)
    parser.add_argument("--style", choices=["auto", "direct", "decompose"])
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    examples = load(args)
    done = {json.loads(line)["id"] for line in args.out.open()} if args.out.exists() else set()
    pipeline = build(args)
    with args.out.open("a", encoding="utf-8") as out:
        run([e for e in examples if e["id"] not in done], pipeline, args.data, out)
    report([json.loads(line) for line in args.out.open(encoding="utf-8")])


def build(args: argparse.Namespace) -> Pipeline:
    """The agents that the options ask for."""
    llm = open_model(args.model)
    if args.cache:
        llm = CachedLLM(llm, args.cache)
    if args.direct:
        return Pipeline([Direct(llm)])
    return Pipeline.of(
        llm, prompts=args.prompts, without=args.without, shots=args.shots, style=args.style
    )


def load(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The sample's questions, by database so that each schema is read once."""
    name = "train_spider" if args.train else "dev"
    questions = json.loads((args.data / "spider" / f"{name}.json").read_text(encoding="utf-8"))
    if args.train:
        usable = [i for i, q in enumerate(questions) if q["db_id"] not in EMPTY]
        dbs = sorted({questions[i]["db_id"] for i in usable})
        chosen = set(random.Random(args.seed).sample(dbs, min(args.databases, len(dbs))))
        usable = [i for i in usable if questions[i]["db_id"] in chosen]
        positions = random.Random(args.seed).sample(usable, args.train)
    else:
        positions = json.loads((args.data / "samples.json").read_text())[args.sample]
    examples = [{"id": i, **questions[i]} for i in positions[: args.limit]]
    return sorted(examples, key=lambda e: e["db_id"])


def run(examples: list[dict[str, Any]], pipeline: Pipeline, data: Path, out: Any) -> None:
    """Answer each question and write its line at once."""
    began, right, count = time.perf_counter(), 0, 0
    for name, group in groupby(examples, key=lambda e: e["db_id"]):
        path = data / "spider" / "database" / name / f"{name}.sqlite"
        with Database(path, max_rows=100_000) as database:
            for example in group:
                line = answer(example, pipeline, database)
                out.write(json.dumps(line) + "\n")
                out.flush()
                right, count = right + line["right"], count + 1
                left = (time.perf_counter() - began) / count * (len(examples) - count)
                progress = f"{count}/{len(examples)}  EX {right / count:.1%}  {left:.0f} s left "
                print(f"\r{progress}", end="", file=sys.stderr)
    print(file=sys.stderr)


def answer(example: dict[str, Any], pipeline: Pipeline, database: Database) -> dict[str, Any]:
    """One question: what was predicted, whether it is right, what it cost."""
    message = pipeline.run(example["question"], database)
    error, right = message.error, False
    if message.sql:
        try:
            predicted = database.execute(message.sql)
            gold = database.execute(example["query"])
            ordered = "order by" in example["query"].lower()
            right = same_rows(gold.rows, predicted.rows, ordered)
        except DatabaseError as failure:
            error = str(failure)
    return {
        "id": example["id"],
        "db_id": example["db_id"],
        "question": example["question"],
        "gold": example["query"],
        "sql": message.sql,
        "right": right,
        "error": error,
        "origins": [c.origin for c in message.candidates],
        "seconds": message.seconds,
        "first_failed": bool(message.candidates and message.candidates[0].error),
        **message.usage.to_dict(),
    }


def same_rows(gold: Any, predicted: Any, ordered: bool) -> bool:
    """Equal rows, columns in any order; row order only when ``ordered``."""
    if len(gold) != len(predicted):
        return False
    if not gold:
        return True
    width = len(gold[0])
    if len(predicted[0]) != width:
        return False
    orders = permutations(range(width)) if width <= 5 else [tuple(range(width))]
    return any(_same_in_order(gold, predicted, order, ordered) for order in orders)


def _same_in_order(gold: Any, predicted: Any, order: tuple[int, ...], ordered: bool) -> bool:
    moved = [tuple(_cell(row[i]) for i in order) for row in predicted]
    wanted = [tuple(map(_cell, row)) for row in gold]
    return moved == wanted if ordered else Counter(moved) == Counter(wanted)


def _cell(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def report(lines: list[dict[str, Any]]) -> None:
    """The figures, one a line."""
    n = len(lines)
    mean = lambda key: statistics.fmean(line[key] for line in lines)  # noqa: E731
    print(f"questions            {n}")
    print(f"EX                   {sum(x['right'] for x in lines) / n:.1%}")
    print(f"execution errors     {sum(bool(x['error']) for x in lines)}")
    print(f"first SQL failed     {sum(x['first_failed'] for x in lines)}")
    print(f"repaired             {sum('repair' in x['origins'] for x in lines)}")
    print(f"refined by the model {sum('refiner' in x['origins'] for x in lines)}")
    for key in ("calls", "input_tokens", "cached_tokens", "output_tokens", "seconds"):
        print(f"{key:<20} {mean(key):.2f} per question")
    print(f"new prompt tokens    {mean('input_tokens') - mean('cached_tokens'):.1f} per question")


if __name__ == "__main__":
    try:
        main()
    except MacSQLError as problem:
        sys.exit(f"spider_sample: {problem}")
