"""Small SQLite files, made from scripts."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

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
