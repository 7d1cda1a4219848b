"""Learn what the verifier knows from training questions, and measure it on databases held out.

    pip install scikit-learn
    python benchmarks/verifier.py --data DIR [--write macsql/verifier/weights.json]

Spider's training questions with their SQL (``DIR/spider/train_*.json``) teach how likely each
trait of a statement is, given the words of the question, and each table and column. A quarter of
the databases is held out to measure; what is written has learnt from all.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from macsql.database import Database
from macsql.evaluation.benchmark import open_benchmark
from macsql.linking import link_values
from macsql.message import ValueMatch
from macsql.names import fold
from macsql.schema import Schema
from macsql.verifier import Verifier
from macsql.verifier.clues import QuestionClues, features
from macsql.verifier.reading import Reading, read_statement
from macsql.verifier.weights import Weights, chance
from macsql.verifier.wording import wording

BIAS = ""
DATABASES_OF_A_WORDING = 6
"""Words of fewer databases say what a database is about, not what is asked."""
STRENGTH = {"trait": 0.5, "column": 0.05, "table": 0.1}
"""Inverse strength of the L1 penalty: most weights are zero."""

Model = dict[str, float]


@dataclass(frozen=True)
class Question:
    """A question, what its gold query reads, and the values linked to it."""

    text: str
    db_id: str
    schema: Schema
    values: tuple[ValueMatch, ...]
    sql: str
    gold: Reading


def read_questions(data: Path) -> list[Question]:
    """All training questions whose gold query can be read."""
    by_database = defaultdict(list)
    for example in open_benchmark("spider-train", data).examples:
        by_database[example.database].append(example)
    found = []
    for path, examples in by_database.items():
        with Database(path) as database:
            index, schema = database.value_index(60), database.schema
            for example in examples:
                gold = read_statement(example.gold_sql, schema)
                values = link_values(example.question, "", schema, index)
                if gold is not None:
                    found.append(
                        Question(
                            example.question, example.db_id, schema, values, example.gold_sql, gold
                        )
                    )
    print(f"{len(found):,} questions read", file=sys.stderr)
    return found


def fit(
    rows: Sequence[Iterable[str]], answers: Sequence[bool], strength: float, keep: set[str]
) -> Model:
    """Weights of a logistic regression over features that are there or not."""
    number = {name: i for i, name in enumerate(sorted(keep))}
    places, starts = [], [0]
    for row in rows:
        places += [number[name] for name in row if name in number]
        starts.append(len(places))
    matrix = csr_matrix(
        (np.ones(len(places), dtype=np.float32), places, starts), (len(starts) - 1, len(number))
    )
    regression = LogisticRegression(
        C=strength, penalty="l1", solver="liblinear", random_state=0, intercept_scaling=10
    )
    regression.fit(matrix, np.array(answers))
    weights = regression.coef_[0]
    model = {name: round(float(weights[i]), 3) for name, i in number.items()}
    return {
        BIAS: round(float(regression.intercept_[0]), 3),
        **{name: weight for name, weight in model.items() if abs(weight) >= 0.02},
    }


def fit_traits(questions: Sequence[Question]) -> dict[str, Model]:
    """A model for each trait and value ("order=desc"); of two values only for "1"."""
    said = [wording(q.text, q.schema, q.values) for q in questions]
    where = defaultdict(set)
    for words, question in zip(said, questions, strict=True):
        for word in words:
            where[word].add(question.db_id)
    keep = {word for word, found in where.items() if len(found) >= DATABASES_OF_A_WORDING}
    values = defaultdict(set)
    for question in questions:
        for name, value in question.gold.traits.items():
            values[name].add(value)
    models = {}
    for name, known in sorted(values.items()):
        for value in ["1"] if known <= {"0", "1"} else sorted(known):
            answers = [q.gold.traits[name] == value for q in questions]
            models[f"{name}={value}"] = fit(said, answers, STRENGTH["trait"], keep)
    return models


def fit_usage(questions: Sequence[Question], count: int) -> dict[str, Model]:
    """Models for columns to be used and to be selected, and for tables."""
    some = random.Random(0).sample(questions, min(count, len(questions)))
    rows, used, selected, clues = [], [], [], []
    for question in some:
        known = QuestionClues(question.text, "", question.schema, question.values)
        clues.append(known)
        for table, column, found in known.columns():
            rows.append(list(features(found)))
            used.append((table.name, fold(column.name)) in question.gold.used)
            selected.append((table.name, fold(column.name)) in question.gold.selected)
    keep = frequent(rows, 40)
    models = {
        "used": fit(rows, used, STRENGTH["column"], keep),
        "selected": fit(rows, selected, STRENGTH["column"], keep),
    }
    rows, needed = [], []
    for question, known in zip(some, clues, strict=True):
        chances = {
            (t.name, fold(c.name)): chance(models["used"], features(found))
            for t, c, found in known.columns()
        }
        for table, found in known.of_tables(chances):
            rows.append(list(features(found)))
            needed.append(table.name in question.gold.tables)
    models["table"] = fit(rows, needed, STRENGTH["table"], frequent(rows, 20))
    return models


def frequent(rows: Iterable[Iterable[str]], least: int) -> set[str]:
    """Features that are there at least so often."""
    counts = Counter(name for row in rows for name in row)
    return {name for name, count in counts.items() if count >= least}


def learn(questions: Sequence[Question], count: int) -> dict[str, dict[str, Model]]:
    """Everything that is learnt."""
    began = time.perf_counter()
    weights = {"traits": fit_traits(questions), "usage": fit_usage(questions, count)}
    size = sum(len(m) for models in weights.values() for m in models.values())
    print(f"{size:,} weights learnt in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return weights


def main() -> None:
    """Learn, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", type=Path, help="write what is learnt from all questions")
    parser.add_argument("--columns-of", type=int, default=3000, help="questions that teach usage")
    parser.add_argument("--without", type=Path, help="leave out the databases of these questions")
    arguments = parser.parse_args()
    questions = read_questions(arguments.data)
    if arguments.without:
        left = {int(line) for line in arguments.without.read_text().split()}
        examples = open_benchmark("spider-train", arguments.data).examples
        out = {e.db_id for e in examples if int(e.id) in left}
        questions = [q for q in questions if q.db_id not in out]
    else:
        databases = sorted({q.db_id for q in questions})
        random.Random(1).shuffle(databases)
        held = set(databases[::4])
        weights = learn([q for q in questions if q.db_id not in held], arguments.columns_of)
        measure(weights, [q for q in questions if q.db_id in held])
    if arguments.write:
        text = json.dumps(learn(questions, arguments.columns_of), indent=0, sort_keys=True)
        arguments.write.write_text(text + "\n", encoding="utf-8")


def measure(weights: Weights, questions: Sequence[Question]) -> None:
    """Print how often the likeliest value of each trait, and what is likely read, is the gold's,
    and how often the gold is expected more than that of another question on the same database.
    """
    right: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    others = defaultdict(list)
    for question in questions:
        others[question.db_id].append(question.sql)
    chance_of = random.Random(0)
    for question in questions:
        verifier = Verifier(question.text, question.schema, values=question.values, weights=weights)
        for name, value in question.gold.traits.items():
            right[name] += (
                max(verifier.traits[name], key=verifier.traits[name].__getitem__) == value
            )
        used = {key for key, p in verifier.used.items() if p >= 0.5}
        columns["found"] += len(used & question.gold.used)
        columns["all"] += len(question.gold.used)
        columns["taken"] += len(used)
        tables = {name for name, p in verifier.tables.items() if p >= 0.5}
        right["(exactly these tables)"] += tables == question.gold.tables
        own = verifier.surprise(question.sql)
        other = verifier.surprise(chance_of.choice(others[question.db_id]))
        if own and other:
            # Two questions often have one answer.
            right["(before another's)"] += own.total <= other.total
    for name, count in sorted(right.items()):
        print(f"{name:24} {count / len(questions):.3f}")
    print(f"columns used: recall {columns['found'] / columns['all']:.3f}", end=", ")
    print(f"precision {columns['found'] / columns['taken']:.3f}; {len(questions):,} questions")


if __name__ == "__main__":
    main()
