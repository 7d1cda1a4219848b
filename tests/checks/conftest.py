"""The school database with its schema, and a way to run statements on it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.schema import Schema


class School:
    """A real database file, its schema, and what SQLite says to a statement."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self.schema = schema
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return self.connection.execute(sql).fetchall()

    def refusal(self, sql: str) -> str:
        """SQLite's message, empty when the statement runs."""
        try:
            self.rows(sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return str(error)
        return ""


@pytest.fixture(scope="session")
def known_schemas() -> dict[str, Schema]:
    """The schema is the same in every test; it is read from the database once."""
    return {}


@pytest.fixture
def school(school_db: Path, known_schemas: dict[str, Schema]) -> Iterator[School]:
    if "school" not in known_schemas:
        with Database(school_db) as database:
            known_schemas["school"] = database.schema
    opened = School(school_db, known_schemas["school"])
    yield opened
    opened.connection.close()
