"""How often a selected example has SQL of the gold's shape, without a model.

    python benchmarks/worked_examples.py --data DIR [--questions 1000] [--seed 0]

DIR holds Spider in its own layout (train_spider.json, train_others.json). Questions of the train
set are asked with no example about their own database in sight. "top 1" and "top 3": the share of
the questions where the first, or one of the first three, has the gold's shape; "keywords": its
keywords and functions. "fixed" are the examples of the default prompt set, all together.
"""

import argparse
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from macsql.prompts import PromptSet
from macsql.shots import ExampleStore, WorkedExample, open_examples
from macsql.shots.shape import shape_of
from macsql.shots.worked import read_examples

FILES = ("train_spider.json", "train_others.json")
Choose = Callable[[WorkedExample], Sequence[str]]
"""Shapes of the examples for a question, the best first."""


def keywords(shape: str) -> frozenset[str]:
    """The words of a shape, without what stands between them."""
    return frozenset(word for word in shape.split() if word.isupper())


def selected_from(store: ExampleStore) -> Choose:
    """The shapes of the first three examples for a question."""

    def choose(asked: WorkedExample) -> list[str]:
        ranked = store.unseen(asked.db_id).rank(asked.question)
        return [shape_of(example.sql) for example in islice(ranked, 3)]

    return choose


def at_random(examples: Sequence[WorkedExample], chance: random.Random) -> Choose:
    """Three examples drawn from other databases."""

    def choose(asked: WorkedExample) -> list[str]:
        drawn = (e for e in chance.sample(examples, 500) if e.db_id != asked.db_id)
        return [shape_of(example.sql) for example in islice(drawn, 3)]

    return choose


def fixed() -> Choose:
    """The worked examples of the default prompt set."""
    text = (PromptSet.load().folder / "direct_examples.md.j2").read_text(encoding="utf-8")
    shapes = [shape_of(sql) for sql in re.findall(r"```sql\n(.*?)\n```", text, re.DOTALL)]
    return lambda asked: shapes


def measure(label: str, choose: Choose, questions: Sequence[WorkedExample]) -> None:
    """Print one line of the table."""
    hits: Counter[str] = Counter()
    seconds = []
    for asked in questions:
        began = time.process_time()
        shapes = choose(asked)
        seconds.append(time.process_time() - began)
        gold = shape_of(asked.sql)
        kinds = [keywords(shape) for shape in shapes]
        hits["top 1"] += gold in shapes[:1]
        hits["top 3"] += gold in shapes
        hits["keywords 1"] += keywords(gold) in kinds[:1]
        hits["keywords 3"] += keywords(gold) in kinds
        hits["none"] += not shapes
    share = {name: f"{100 * count / len(questions):5.1f}" for name, count in hits.items()}
    print(f"{label:10}", *(f"{name} {value} %  " for name, value in share.items()), end="")
    print(f"median {1000 * statistics.median(seconds):.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = options.data / "spider" if (options.data / "spider").is_dir() else options.data
    examples = list(dict.fromkeys(e for name in FILES for e in read_examples(folder / name)))
    chance = random.Random(options.seed)
    questions = chance.sample(examples, min(options.questions, len(examples)))
    began = time.process_time()
    train, builtin = ExampleStore(examples), open_examples("builtin")
    assert builtin is not None
    train.unseen("")
    print(f"{len(train.examples):,} pairs read and indexed in {time.process_time() - began:.1f} s")
    measure("random", at_random(examples, chance), questions)
    measure("fixed", fixed(), questions)
    measure("built in", selected_from(builtin), questions)
    measure("train", selected_from(train), questions)


if __name__ == "__main__":
    main()
