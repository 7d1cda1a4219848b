"""``macsql index``."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from macsql.cli.app import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["index", *arguments])


@pytest.fixture
def large_db(tmp_path: Path) -> Path:
    path = tmp_path / "large.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('Rome'), ('Oslo');"
            "CREATE TABLE filler (b BLOB); INSERT INTO filler VALUES (zeroblob(2000000));"
        )
    return path


def test_the_values_of_a_large_database_are_kept_in_a_file(large_db: Path, tmp_path: Path) -> None:
    done = run("--db", str(large_db))
    (file,) = (tmp_path / "cache" / "values").iterdir()
    assert done.exit_code == 0
    assert done.stdout == f"2 values, 1 of 1 tables and views read; kept in {file}\n"
    assert run("--db", str(large_db)).stdout == done.stdout


def test_a_small_database_needs_no_file(school_db: Path, tmp_path: Path) -> None:
    done = run("--db", str(school_db))
    assert "kept in no file" in done.stdout
    assert not (tmp_path / "cache").exists()


def test_a_build_that_is_not_finished_says_so(large_db: Path) -> None:
    done = run("--db", str(large_db), "--seconds", "0")
    assert done.exit_code == 0
    assert done.stdout.startswith("0 values, 0 of 1 tables and views read")
    assert "run the command again" in done.stderr


def test_under_a_policy_there_is_nothing_to_build(
    school_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACSQL_POLICY", "policy.yaml")
    done = run("--db", str(school_db))
    assert done.exit_code != 0
    assert "policy" in done.stderr
