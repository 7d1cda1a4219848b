"""The examples that come with macsql: each runs, and they are of many kinds."""

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.shots import ExampleStore, WorkedExample, open_examples
from macsql.shots.shape import shape_of

SCHEMAS = (Path(__file__).parent / "invented.sql").read_text(encoding="utf-8").split("\n-- ")[1:]


def builtin() -> ExampleStore:
    store = open_examples("builtin")
    assert store is not None
    return store


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    """A database for each name that the examples are about."""
    folder = tmp_path_factory.mktemp("invented")
    databases = {}
    for schema in SCHEMAS:
        name, _, script = schema.partition("\n")
        connection = sqlite3.connect(folder / f"{name}.sqlite")
        connection.executescript(script)
        connection.close()
        databases[name] = Database(folder / f"{name}.sqlite")
    return databases


@pytest.mark.parametrize("example", builtin().examples, ids=lambda e: e.question)
def test_each_runs_and_finds_something(
    example: WorkedExample, invented: dict[str, Database]
) -> None:
    result = invented[example.db_id].execute(example.sql)
    assert result.rows
    assert all(cell is not None for cell in result.rows[0])


def test_none_is_there_twice_or_too_long_to_be_shown() -> None:
    path = Path(__file__).parents[2] / "macsql" / "shots" / "builtin.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(builtin().examples) == len(lines)
    assert max(Counter(e.question for e in builtin().examples).values()) == 1


def test_they_are_of_many_shapes() -> None:
    shapes = Counter(shape_of(e.sql) for e in builtin().examples)
    assert len(shapes) > 300
    assert max(shapes.values()) <= 10
