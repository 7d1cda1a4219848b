"""The value index: built bit by bit, resumed, shared, renewed, and never a reason to fail."""

import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.database import Database
from macsql.database.value_index import IndexState
from macsql.database.value_scan import ROWS, NumberedScan
from macsql.database.value_store import MAX_TEXT, ValueStore
from macsql.schema import Column, Table
from tests.database.conftest import found, opened

Build = Callable[..., Path]

ROWS_MADE = 12 * ROWS
MANY = f"""
CREATE TABLE big (id INTEGER PRIMARY KEY, word TEXT, kind TEXT, long TEXT, number INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS_MADE})
INSERT INTO big SELECT i, 'word ' || (i / 10), CASE WHEN i % 2 THEN 'odd' ELSE 'even' END,
    printf('%.{MAX_TEXT + 1}c', 'x'), i FROM n;
CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO pair VALUES ('left', 'right');
CREATE TABLE empty (name TEXT);
CREATE VIEW words AS SELECT kind AS sort FROM big LIMIT 1;
"""


class Stop:
    """A report that ends the build, as Ctrl-C would, after so many steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.states: list[IndexState] = []

    def __call__(self, state: IndexState) -> None:
        self.states.append(state)
        if len(self.states) == self.steps:
            raise KeyboardInterrupt


def test_every_short_text_is_found(build: Build, tmp_path: Path) -> None:
    index = opened(build(MANY), tmp_path / "values")
    state = index.build(600)
    assert state.texts == ROWS_MADE // 10 + 1 + 2 + 2 + 1
    assert (state.done, state.tables, state.is_complete, state.parts) == (4, 4, True, ())
    assert found(index, "WORD 77") == {("big", "word", "word 77")}
    assert found(index, "odd") == {("big", "kind", "odd"), ("words", "sort", "odd")}
    assert found(index, "left") == {("pair", "a", "left")}
    assert found(index, "x" * (MAX_TEXT + 1)) == set()


def test_a_stopped_build_goes_on_where_it_was(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "values"
    stopped = Stop(5)
    with pytest.raises(KeyboardInterrupt):
        opened(path, folder).build(600, stopped)
    again = Stop(0)
    state = opened(path, folder).build(600, again)
    assert state.is_complete
    assert again.states[0].texts >= max(1, stopped.states[-1].texts)
    assert len(stopped.states) + len(again.states) <= 12 + 4 + 8
    assert state.texts == opened(path, None).build(600).texts


def test_a_part_of_the_way_is_a_sample_of_the_whole_table(build: Build, tmp_path: Path) -> None:
    index = opened(build(MANY), tmp_path / "values")
    with pytest.raises(KeyboardInterrupt):
        index.build(600, Stop(4))
    last = ROWS_MADE // 10
    known = [number for number in range(last) if found(index, f"word {number}")]
    assert 0 < len(known) < last
    assert any(number < last // 4 for number in known)
    assert any(number > last // 2 for number in known)
    assert not index.state().is_complete


@given(
    first=st.integers(-(10**6), 10**6),
    count=st.integers(1, 10**6) | st.integers(1, 2**40),
)
def test_blocks_are_the_whole_table_once(first: int, count: int) -> None:
    scan = NumberedScan(Table("t", (Column("a", "TEXT"),)), (first, first + count - 1), "")
    blocks = sorted(scan._rows(block) for block in range(1 << scan._bits))
    assert blocks[0][0] == first
    assert blocks[-1][1] == first + count - 1
    assert all(end + 1 == start for (_, end), (start, _) in pairwise(blocks))


SPARSE = f"""
CREATE TABLE far (id INTEGER PRIMARY KEY, word TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {{rows}})
INSERT INTO far SELECT i * {10**8}, 'word ' || i FROM n;
"""


def test_row_numbers_with_gaps_take_no_more_reads(build: Build, tmp_path: Path) -> None:
    steps = Stop(0)
    index = opened(build(SPARSE.format(rows=2 * ROWS)), tmp_path / "values")
    assert index.build(600, steps).is_complete
    assert len(steps.states) == 3
    assert found(index, "word 9") == {("far", "word", "word 9")}
    outlier = MANY + f"INSERT INTO big (id, word) VALUES ({10**12}, 'last');"
    steps = Stop(0)
    index = opened(build(outlier, "outlier.sqlite"), tmp_path / "values")
    assert index.build(600, steps).is_complete
    assert len(steps.states) <= 12 + 4 + 8
    assert found(index, "last") == {("big", "word", "last")}


def test_a_part_of_rows_with_gaps_is_a_sample_too(build: Build, tmp_path: Path) -> None:
    index = opened(build(SPARSE.format(rows=8 * ROWS)), tmp_path / "values")
    with pytest.raises(KeyboardInterrupt):
        index.build(600, Stop(2))
    known = [number for number in range(8 * ROWS) if found(index, f"word {number}")]
    assert len(known) == 2 * ROWS
    assert known[0] < ROWS
    assert known[-1] > 7 * ROWS


def test_files_that_long_were_not_opened_are_removed(build: Build, tmp_path: Path) -> None:
    one = build("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one');", "one.sqlite")
    two = build("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('two');", "two.sqlite")
    folder = tmp_path / "values"
    file, other = opened(one, folder).build(600).file, folder / "other.sqlite"
    assert file is not None
    other.touch()
    years_ago = (0, 0)
    os.utime(file, years_ago)
    os.utime(other, years_ago)
    opened(one, folder).build(0)
    opened(two, folder).build(600)
    assert file.exists()
    os.utime(file, years_ago)
    opened(two, folder).build(0)
    assert not file.exists()
    assert other.exists()


def test_a_build_that_is_killed_loses_what_was_not_kept_alone(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "values"
    code = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, sys.argv[3]);"
        "from database.test_value_index import opened;"
        "opened(Path(sys.argv[1]), Path(sys.argv[2]))"
        ".build(60, lambda state: state.texts > 1_000 and os._exit(9))"
    )
    command = [sys.executable, "-c", code, str(path), str(folder), str(Path(__file__).parents[1])]
    assert subprocess.run(command, check=False).returncode == 9
    index = opened(path, folder)
    assert index.build(0).texts > 1_000
    assert index.build(600).texts == opened(path, None).build(600).texts


def test_two_that_build_at_once_make_one_index(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "values"
    first, other = opened(path, folder), opened(path, folder)

    def interleave(state: IndexState) -> None:
        with suppress(KeyboardInterrupt):
            other.build(600, Stop(2))

    first.build(600, interleave)
    state = first.build(600)
    assert state.is_complete
    assert state.texts == opened(path, None).build(600).texts


def test_several_processes_may_build_at_once(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "cache"
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3]);"
        "from database.test_value_index import opened;"
        "print(opened(Path(sys.argv[1]), Path(sys.argv[2])).build(60).texts)"
    )
    command = [sys.executable, "-c", code, str(path), str(folder), str(Path(__file__).parents[1])]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    state = opened(path, folder).build(600)
    assert state.is_complete
    assert state.texts == opened(path, None).build(600).texts
    with closing(sqlite3.connect(state.file or "")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_an_index_is_of_the_database_at_that_path_alone(build: Build, tmp_path: Path) -> None:
    one = build("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one');", "one.sqlite")
    two = build("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('two');", "two.sqlite")
    folder = tmp_path / "values"
    opened(one, folder).build(600)
    index = opened(two, folder)
    index.build(600)
    assert not found(index, "one")
    assert len(list(folder.iterdir())) == 2


def test_a_damaged_file_is_thrown_away(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "values"
    file = opened(path, folder).build(600).file
    assert file is not None
    file.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    index = opened(path, folder)
    state = index.build(600)
    assert found(index, "word 7")
    assert state.file is None
    assert opened(path, folder).build(600).file == file


def test_without_a_folder_to_write_to_it_is_kept_in_memory(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "no-folder").write_text("")
    index = opened(build(MANY), tmp_path / "no-folder" / "values")
    with caplog.at_level(logging.WARNING):
        assert index.build(600).is_complete
        index.build(600)
    assert found(index, "word 7")
    assert len(caplog.records) == 1


def test_a_full_disk_is_no_reason_to_fail(build: Build, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path, folder = build(MANY), tmp_path / "cache"
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3]);"
        "from database.test_value_index import opened, found;"
        "index = opened(Path(sys.argv[1]), Path(sys.argv[2]));"
        "print(index.build(60).file, len(found(index, 'word 7')))"
    )
    command = [sys.executable, "-B", "-c", code, str(path), str(folder)]
    run = subprocess.run(
        [*command, str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert run.stdout == "None 1\n"
    assert "no value index in" in run.stderr


def test_nothing_hidden_reaches_the_index(build: Build, tmp_path: Path) -> None:
    path = build(
        "CREATE TABLE person (name TEXT, ssn TEXT, team TEXT);"
        "INSERT INTO person VALUES ('Ann', 'secret one', 'red'), ('Bob', 'secret two', 'blue');"
        "CREATE TABLE salary (note TEXT); INSERT INTO salary VALUES ('secret three');"
        "CREATE TABLE free (word TEXT); INSERT INTO free VALUES ('open');"
        # Large enough for a file, were it not for the policy.
        "CREATE TABLE filler (b BLOB); INSERT INTO filler VALUES (zeroblob(2000000));"
    )
    cache = tmp_path / "cache"
    with Database(path, cache_dir=cache) as database:
        assert database.value_index(60).state().file is not None
    policy = {
        "roles": {
            "clerk": {
                "tables": {"person": {"hide": ["ssn"], "rows": "team = 'red'"}, "free": "all"}
            }
        }
    }
    with Database(path, policy=policy, role="clerk", cache_dir=tmp_path / "other") as database:
        index = database.value_index(60)
        assert index.state().file is None
        assert found(index, "open") == {("free", "word", "open")}
        assert found(index, "ann") == {("person", "name", "Ann")}
        for hidden in ("secret one", "secret two", "secret three", "Bob", "blue"):
            assert found(index, hidden) == set()
            assert hidden not in [value.text for value in index.near(hidden)]
            assert database.similar_values("person", "name", hidden) == []
    assert not (tmp_path / "other").exists()


def test_a_large_database_has_a_file_and_a_small_one_has_none(
    build: Build, school_db: Path, tmp_path: Path
) -> None:
    with Database(school_db, cache_dir=tmp_path / "cache") as database:
        assert database.value_index(60).state().is_complete
    assert not (tmp_path / "cache").exists()


def test_the_folder_may_be_given_as_text(build: Build, tmp_path: Path) -> None:
    path = build("CREATE TABLE t (a TEXT, b BLOB); INSERT INTO t VALUES ('x', zeroblob(2000000));")
    with Database(path, cache_dir=str(tmp_path / "cache")) as database:
        file = database.value_index(60).state().file
    assert file is not None
    assert file.parent == tmp_path / "cache" / "values"


def test_texts_spelt_alike_are_found_by_trigrams_and_without() -> None:
    texts = ["Brooklyn", "New York City", "Philadelphia", "a", *(f"city {i}" for i in range(200))]
    for scanned in (0, 1_000):
        store = ValueStore(None, scanned=scanned)
        with store.changing():
            store.add("t", "city", texts)
        while store.index_spelling(50):
            pass
        assert [v.text for v in store.near("brooklin")] == ["Brooklyn"]
        assert [v.text for v in store.near("Filadelphia")] == ["Philadelphia"]
        assert store.near("") == []
        assert "Brooklyn" in store.column_texts("t", "city", "Brooklin", 100)
        assert store.column_texts("t", "nope", "Brooklin", 100) == []
        store.close()


def test_similar_values_come_from_the_index_if_it_knows_the_column(school_db: Path) -> None:
    with Database(school_db) as database:
        before = database.similar_values("school", "city", "Pariss")
        index = database.value_index(60)
        assert index.knows("school", "city")
        assert database.similar_values("school", "city", "Pariss") == before == ["PARIS"]
        assert database.similar_values("school", "city", "Tokyo") == []


def test_a_table_that_cannot_be_read_does_not_stand_before_the_others(build: Build) -> None:
    path = build(
        "CREATE TABLE bad (name TEXT); INSERT INTO bad VALUES (CAST(x'ff' AS TEXT));"
        "CREATE TABLE good (name TEXT); INSERT INTO good VALUES ('a'), ('Rome');"
    )
    with Database(path, text_errors="strict") as database:
        index = database.value_index(60)
        state = index.state()
        assert found(index, "rome") == {("good", "name", "Rome")}
        assert (state.is_complete, state.parts) == (True, ("bad",))


def test_a_file_that_another_process_is_writing_to_is_no_reason_to_fail(
    build: Build, tmp_path: Path
) -> None:
    path, folder = build(MANY), tmp_path / "values"
    file = opened(path, folder).build(0).file
    assert file is not None
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        index = opened(path, folder)
        assert index.build(600).file is None
        assert found(index, "word 7")
        writer.execute("ROLLBACK")
    assert index.build(600).file == file
    assert found(index, "word 7")


def test_an_index_in_a_folder_without_write_access_is_read(build: Build, tmp_path: Path) -> None:
    path, folder = build(MANY), tmp_path / "values"
    file = opened(path, folder).build(600).file
    assert file is not None
    file.chmod(0o400)
    folder.chmod(0o500)
    try:
        index = opened(path, folder)
        assert index.build(600).file == file
        assert found(index, "word 7")
    finally:
        folder.chmod(0o700)


def test_a_closed_database_has_no_values(school_db: Path) -> None:
    database = Database(school_db)
    index = database.value_index(60)
    database.close()
    assert found(index, "Berlin") == set()
