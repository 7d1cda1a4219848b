"""Digests of databases: other rows, another digest; the same file elsewhere, the same one."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from macsql.errors import ConfigError, DatabaseUnavailable
from macsql.evaluation import database_files
from macsql.evaluation.database_files import digests, place, refuse_unreadable
from macsql.evaluation.example import Example


def digest(database: Path | str, *suite: Path) -> dict[str, str]:
    return digests(
        [Example("1", "?", "SELECT 1", str(database), "shop", test_suite=(*map(str, suite),))]
    )


def test_a_digest_is_of_what_is_in_the_file(school_db: Path, tmp_path: Path) -> None:
    before = digest(school_db)
    copy = tmp_path / "copy.db"
    shutil.copy(school_db, copy)
    assert digest(copy) == digest(f"sqlite:///{copy}") == before
    connection = sqlite3.connect(copy)
    with connection:
        connection.execute("DELETE FROM pupil")
    connection.close()
    assert digest(copy) != before


def test_rows_that_sqlite_keeps_beside_the_file_count(school_db: Path) -> None:
    connection = sqlite3.connect(school_db)
    connection.execute("PRAGMA journal_mode = WAL")
    before = digest(school_db)
    with connection:
        connection.execute("DELETE FROM pupil")
    assert digest(school_db) != before
    connection.close()


def test_a_test_suite_has_a_digest_of_all_its_databases(school_db: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    alone, both = digest(school_db, one), digest(school_db, one, two)
    assert set(alone) == {"shop", "shop, test suite"}
    assert alone["shop"] == both["shop"]
    assert alone["shop, test suite"] != both["shop, test suite"]
    two.write_bytes(b"3")
    assert digest(school_db, one, two)["shop, test suite"] != both["shop, test suite"]


def test_a_large_file_is_read_at_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "large.sqlite"
    with path.open("wb") as file:
        file.truncate(database_files.READ_WHOLE + 1)
    before = digest(path)
    assert digest(path) == before
    for place_, content in ((0, b"x"), (-1, b"y")):
        about = path.stat()
        with path.open("r+b") as file:
            file.seek(place_, os.SEEK_SET if place_ == 0 else os.SEEK_END)
            file.write(content)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        assert digest(path) != before
        before = digest(path)
    os.utime(path, ns=(1, 1))
    assert digest(path) != before


def test_a_server_goes_by_its_address_without_the_password() -> None:
    one, two = (digest(f"postgresql://me:{word}@host/shop") for word in ("secret", "changed"))
    assert one == two
    assert one != digest("postgresql://me:secret@other/shop")
    assert "secret" not in place("postgresql://me:secret@host/shop")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.sqlite cannot be read: No such file"):
        digest(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("no database, " * 300)
    example = Example("1", "?", "SELECT 1", str(tmp_path / "text.sqlite"), "text")
    with pytest.raises(DatabaseUnavailable, match="is not a SQLite database"):
        refuse_unreadable([example])
