"""Every published prediction and edge case gets the verdict of the official scripts."""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.verdict import Verdict

DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
pytestmark = pytest.mark.skipif(
    not (DATA / "verdicts").is_dir(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)

SETS = {"spider": "spider", "bird": "bird", "bird_mini": "mini-dev"}
METRICS = {
    "spider": ("ex_testsuite", "em", "hardness", "ran"),
    "bird": ("ex_bird", "soft_f1", "ran"),
}
ROWS = {"ex_testsuite": 6877, "em": 6877, "hardness": 6877, "ex_bird": 5232, "soft_f1": 5232}

UPDATE = "an UPDATE is refused; the official script runs it"
DIFFERENCES = {
    ("edge_cases", 45, "ex_testsuite"): UPDATE,
    ("edge_cases", 45, "ex_bird"): UPDATE,
    ("edge_cases", 45, "soft_f1"): UPDATE,
    ("edge_cases", 45, "spider ran"): UPDATE,
    ("edge_cases", 45, "bird ran"): UPDATE,
    ("edge_cases", 43, "bird ran"): "no SQL is a failure; the official script runs the empty text",
}
"""File, index and metric of each row that differs, and why; docs/agreement.md says the same."""

Place = tuple[str, int, str]


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def ours(verdict: Verdict, rule: str) -> dict[str, Any]:
    if rule == "bird":
        return {"ex_bird": verdict.ex, "soft_f1": verdict.soft_f1, "ran": not verdict.error}
    hardness = verdict.hardness or None
    return {
        "ex_testsuite": verdict.ex,
        "em": verdict.em,
        "hardness": hardness,
        "ran": not verdict.error,
    }


def official(row: dict[str, Any], rule: str) -> dict[str, Any]:
    """The verdicts of one row, and whether the prediction ran."""
    error = row["error"]
    if isinstance(error, dict):
        error = error.get("ex_bird" if rule == "bird" else "ex_testsuite")
    failed = bool(error) and ("execution failed" in error or "crashed" in error)
    return {**row, "ran": not failed}


def published(benchmarks: dict[str, Benchmark]) -> Iterator[tuple[str, str, Example, str, dict]]:
    """Name of the file, rule, example, SQL and official row of every published prediction."""
    for file in sorted((DATA / "predictions").glob("*.jsonl")):
        rows = lines(f"verdicts/{file.name}")
        for prediction, row in zip(lines(f"predictions/{file.name}"), rows, strict=True):
            benchmark = benchmarks[prediction["set"]]
            example = benchmark.examples[prediction["index"]]
            assert (example.db_id, row["index"]) == (prediction["db_id"], prediction["index"])
            yield file.stem, benchmark.rule, example, prediction["sql"], row


def edge_cases(benchmarks: dict[str, Benchmark]) -> Iterator[tuple[str, str, Example, str, dict]]:
    places = {e.db_id: e.database for b in benchmarks.values() for e in b.examples}
    for row in lines("verdicts/edge_cases.jsonl"):
        database = places[row["db_id"]]
        example = Example(str(row["index"]), "", row["gold"], database, row["db_id"])
        for rule in ("spider", "bird"):
            yield "edge_cases", rule, example, row["pred"], row


@pytest.fixture(scope="module")
def compared() -> dict[Place, tuple[Any, Any]]:
    """Our verdict and the official one, by file, index and metric."""
    benchmarks = {name: open_benchmark(ours, DATA) for name, ours in SETS.items()}
    asked = [*published(benchmarks), *edge_cases(benchmarks)]
    found: dict[Place, tuple[Any, Any]] = {}
    for rule in ("spider", "bird"):
        keys = benchmarks["spider"].key_groups if rule == "spider" else {}
        with JudgePool(rule, workers=2, official_only=True, key_groups=keys) as judges:
            verdicts = [
                (name, row, judges.submit(replace(example, id=str(row["index"])), sql))
                for name, by, example, sql, row in asked
                if by == rule
            ]
        for name, row, verdict in verdicts:
            given, wanted = ours(verdict.result(), rule), official(row, rule)
            for metric in METRICS[rule]:
                found[name, row["index"], f"{rule} {metric}" if metric == "ran" else metric] = (
                    given[metric],
                    wanted[metric],
                )
    return found


def test_every_row_is_compared(compared: dict[Place, tuple[Any, Any]]) -> None:
    for metric, rows in ROWS.items():
        assert sum(place[2] == metric for place in compared) == rows


@pytest.mark.parametrize(
    "metric", ["ex_testsuite", "em", "hardness", "ex_bird", "soft_f1", "spider ran", "bird ran"]
)
def test_verdicts_agree(compared: dict[Place, tuple[Any, Any]], metric: str) -> None:
    if metric == "soft_f1" and sqlite3.sqlite_version_info[:2] != (3, 40):
        pytest.skip("the order of rows, and so soft F1, was written down with SQLite 3.40")
    differing = {p: v for p, v in compared.items() if p[2] == metric and not is_same(*v)}
    assert set(differing) == {place for place in DIFFERENCES if place[2] == metric}, differing


def is_same(given: Any, wanted: Any) -> bool:
    both = isinstance(given, float) and isinstance(wanted, float)
    return abs(given - wanted) <= 1e-9 if both else given == wanted
