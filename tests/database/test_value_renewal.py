"""What the value index knows after the data have changed: never a text that is stored no more."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.database.value_store import ValueStore
from tests.database.conftest import found, opened

Build = Callable[..., Path]

MANY = """
CREATE TABLE big (id INTEGER PRIMARY KEY, word TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO big SELECT i, 'word ' || (i / 10) FROM n;
CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO pair VALUES ('left', 'right');
"""


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_change_of_the_data_is_noticed(build: Build, tmp_path: Path, mode: str) -> None:
    path, folder = build("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('old');"), tmp_path
    with closing(sqlite3.connect(path)) as writer:
        writer.execute(f"PRAGMA journal_mode = {mode}")
        index = opened(path, folder)
        index.build(600)
        assert found(index, "old")
        writer.execute("UPDATE t SET name = 'new'")
        writer.commit()
        index.build(600)
        assert not found(index, "old")
        assert found(index, "new")
        assert not found(opened(path, folder), "old")


def test_after_a_change_the_old_texts_are_found_while_they_are_stored(
    build: Build, tmp_path: Path
) -> None:
    path = build(MANY)
    index = opened(path, tmp_path / "values")
    index.build(600)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE big SET word = 'word new' WHERE word = 'word 7'")
        writer.execute("INSERT INTO pair VALUES ('up', 'down')")
        writer.commit()
    for again in (index, opened(path, tmp_path / "values")):
        state = again.build(0)
        assert (state.texts, state.done, state.is_complete) == (0, 0, False)
        assert found(again, "word 8") == {("big", "word", "word 8")}
        assert again.near("word 88")[0].text == "word 88"
        assert found(again, "word 7") == set()
        assert "word 7" not in [value.text for value in again.near("word 7")]
        assert found(again, "word new") == set()
        assert not again.knows("big", "word")
    state = index.build(600)
    assert (state.is_complete, index.knows("big", "word")) == (True, True)
    assert found(index, "word new") == {("big", "word", "word new")}
    assert found(index, "word 7") == set()
    assert state.texts == opened(path, None).build(600).texts
    with closing(sqlite3.connect(state.file or "")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM value").fetchone() == (state.texts,)


def test_old_texts_in_memory_are_found_too(build: Build) -> None:
    path = build("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('old'), ('older');")
    index = opened(path, None)
    index.build(600)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("DELETE FROM t WHERE name = 'old'")
        writer.commit()
    index.build(0)
    assert found(index, "older") == {("t", "name", "older")}
    assert found(index, "old") == set()


def test_a_table_that_is_gone_has_no_old_texts(build: Build, tmp_path: Path) -> None:
    path = build("CREATE TABLE a (name TEXT); INSERT INTO a VALUES ('one'); CREATE TABLE b (x);")
    opened(path, tmp_path).build(600)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("DROP TABLE a")
        writer.commit()
    index = opened(path, tmp_path)
    index.build(0)
    assert found(index, "one") == set()


def test_an_old_text_is_stored_only_if_it_is_letter_for_letter(build: Build) -> None:
    path = build("CREATE TABLE t (name TEXT COLLATE NOCASE); INSERT INTO t VALUES ('Rome');")
    index = opened(path, None)
    index.build(600)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE t SET name = 'ROME'")
        writer.commit()
    index.build(0)
    assert found(index, "rome") == set()


def test_columns_that_another_process_did_not_know_are_read(build: Build, tmp_path: Path) -> None:
    path = build("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('one');")
    before = opened(path, tmp_path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("ALTER TABLE t ADD COLUMN nick TEXT DEFAULT 'ace'")
        writer.commit()
    before.build(600)
    index = opened(path, tmp_path)
    index.build(600)
    assert found(index, "ace") == {("t", "nick", "ace")}


def test_a_removed_text_leaves_the_index_of_spelling(tmp_path: Path) -> None:
    store = ValueStore(tmp_path / "values.sqlite", scanned=0)
    for version, texts in (("1", ["Brooklyn", "Boston"]), ("2", ["Boston", "Brookline"])):
        store.renew(version)
        with store.changing():
            store.add("t", "city", texts)
            store.finish("t")
        while store.index_spelling(1) or store.drop_old(1):
            pass
        assert [value.text for value in store.near("bostan")] == ["Boston"]
    assert [value.text for value in store.near("brooklyn")] == ["Brookline"]
    store.close()


def test_under_a_policy_old_texts_are_those_that_may_be_seen(build: Build) -> None:
    path = build(
        "CREATE TABLE person (name TEXT, team TEXT);"
        "INSERT INTO person VALUES ('Ann', 'red'), ('Cy', 'red'), ('Bob', 'blue');"
    )
    rules = {"roles": {"clerk": {"tables": {"person": {"rows": "team = 'red'"}}}}}
    with Database(path, policy=rules, role="clerk") as database:
        database.value_index(60)
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("UPDATE person SET team = 'blue' WHERE name = 'Cy'")
            writer.commit()
        index = database.value_index(0)
        assert found(index, "ann") == {("person", "name", "Ann")}
        assert found(index, "cy") == set()
        assert found(index, "bob") == set()
