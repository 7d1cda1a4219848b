"""Which stored values are shown of a column."""

import time
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.database.examples import choose_examples, is_untelling_name
from macsql.schema import ExampleValue


def examples_of(path: Path, table: str = "t") -> dict[str, tuple[ExampleValue, ...]]:
    with Database(path) as database:
        return {c.name: c.examples for c in database.schema.table(table).columns}


@pytest.mark.parametrize(
    ("type_", "cells", "shown"),
    [
        ("TEXT", ["b", "a", "b", "c", "c", "c"], ("c", "b", "a")),
        ("TEXT", list("gfedcba"), tuple("abcdef")),
        ("TEXT", ["x", None], (None, "x")),
        ("TEXT", [None, None], ()),
        ("TEXT", ["", "  ", None], ()),
        ("TEXT", [], ()),
        ("TEXT", ["ok", "see https://example.org/x"], ()),
        ("TEXT", ["ok", "ann@example.org"], ()),
        ("TEXT", ["@home", "a @ b"], ("@home", "a @ b")),
        ("TEXT", ["x" * 51], ()),
        ("TEXT", ["x" * 50], ("x" * 50,)),
        ("BLOB", [b""], ()),
        ("INTEGER", list(range(10)), (0, 1, 2, 3, 4, 5)),
        ("INTEGER", list(range(11)), ()),
        ("REAL", [1.5, 1.5, 2.5, None], (None, 1.5, 2.5)),
        ("TEXT", [str(i) for i in range(11)], ("0", "1", "10", "2", "3", "4")),
        ("DATE", ["2024-01-02", "2023-01-02"], ("2023-01-02",)),
        ("TEXT", ["2024-01-02 10:00:00", None], (None, "2024-01-02 10:00:00")),
        ("TEXT", ["1/2/2024", "3/4/2024"], ("1/2/2024",)),
        ("TEXT", ["2024-01-02", "soon"], ("2024-01-02", "soon")),
        ("", ["a", 1, 2.5, "b"], (2.5, 1, "a", "b")),
        ("REAL", [float("inf"), 1.0], (1.0, float("inf"))),
    ],
)
def test_examples_are_the_telling_frequent_values(
    type_: str, cells: list[object], shown: tuple[ExampleValue, ...]
) -> None:
    assert choose_examples(type_, cells) == shown


@pytest.mark.parametrize(
    ("name", "untelling"),
    [
        ("id", True), ("ID", True), ("Id", True), ("user_id", True), ("userId", True),
        ("userID", True), ("Customer ID", True), ("e_mail", True), ("E-Mail", True),
        ("email", True), ("homeEmail", True), ("url", True), ("pageURL", True), ("URL", True),
        ("paid", False), ("PAID", False), ("Madrid", False), ("id_type", False), ("valid", False),
        ("idea", False), ("name", False), ("emails sent", False), ("größe", False), ("", False),
    ],
)  # fmt: skip
def test_a_name_that_ends_in_id_email_or_url_as_a_word_is_untelling(
    name: str, untelling: bool
) -> None:
    assert is_untelling_name(name) is untelling


def test_keys_show_nothing(school_db: Path) -> None:
    assert examples_of(school_db, "pupil")["school_id"] == ()
    assert examples_of(school_db, "course")["code"] == ()
    assert examples_of(school_db, "enrolment")["term"] == ()


def test_a_school_shows_its_values(school_db: Path) -> None:
    assert examples_of(school_db, "school") == {
        "id": (),
        "name": ("Hill School", "Lake School", "New School"),
        "city": (None, "BERLIN", "PARIS"),
        "founded": ("1950-09-01",),
    }


def test_a_view_shows_values_too(school_db: Path) -> None:
    assert examples_of(school_db, "v_marks")["title"] == ("Maths", "Art", "Physics")


def test_text_that_is_not_utf8_is_shown_with_a_replacement(build) -> None:
    path = build("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'4D617274ED6E' AS TEXT));")
    assert examples_of(path) == {"a": ("Mart�n",)}


@pytest.mark.parametrize(
    "declaration",
    ["(k TEXT PRIMARY KEY, a TEXT) WITHOUT ROWID", "(rowid TEXT PRIMARY KEY, a TEXT)",
     "(rowid TEXT, _rowid_ TEXT, oid TEXT, a TEXT)"],
)  # fmt: skip
def test_a_table_without_a_usable_row_number_is_read(build, declaration: str) -> None:
    path = build(
        f"CREATE TABLE t {declaration};"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        f"INSERT INTO t ({'k' if 'k ' in declaration else 'rowid'}, a) SELECT 'k' || i, 'v' FROM n;"
    )
    assert examples_of(path)["a"] == ("v",)


def test_rows_with_distant_numbers_are_not_missed(build) -> None:
    path = build(
        "CREATE TABLE t (a TEXT); INSERT INTO t(rowid, a) VALUES (9000000000000000000, 'far');"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        "INSERT INTO t(rowid, a) SELECT i, 'near' || (i % 2) FROM n;"
    )
    assert examples_of(path)["a"] == ("near0", "near1")


def test_slow_views_do_not_hold_up_the_schema(build) -> None:
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) m FROM n"
    )
    views = "".join(f"CREATE VIEW v{i} AS {endless};" for i in range(3))
    path = build(views + "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x');")
    started = time.monotonic()
    assert examples_of(path) == {"a": ("x",)}
    assert time.monotonic() - started < 5


def test_giant_cells_are_not_examples(build) -> None:
    path = build(
        "CREATE TABLE t (a TEXT, b BLOB, c TEXT);"
        "INSERT INTO t VALUES (printf('%1000000d', 1), zeroblob(1000000), 'c');"
    )
    assert examples_of(path) == {"a": (), "b": (), "c": ("c",)}
