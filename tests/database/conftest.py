"""Small SQLite files, made from scripts."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from macsql.database.engines import open_backend
from macsql.database.value_index import ValueIndex
from macsql.database.value_keys import value_key

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """A function that makes a database file from a script, and gives its path."""

    def build(script: str, name: str = "made.sqlite") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.executescript(script)
            connection.commit()
        return path

    return build


def opened(path: Path, folder: Path | None) -> ValueIndex:
    """The value index of a database as it is now, kept in a file however small that is."""
    backend = open_backend(path, connect_timeout=5)
    with backend.reading(5) as cursor:
        tables = backend.reflect(cursor)
    return ValueIndex(backend, tables, folder, small=0)


def found(index: ValueIndex, text: str) -> set[tuple[str, str, str]]:
    """(table, column, text) of what has the key of ``text``."""
    return {(v.table, v.column, v.text) for _, v in index.find([value_key(text)])}
