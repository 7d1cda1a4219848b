"""Stored values that a question mentions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.linking import link_values
from macsql.message import ValueMatch
from macsql.schema import Column, Schema, Table


@pytest.fixture
def database(school_db: Path) -> Iterator[Database]:
    with Database(school_db) as opened:
        yield opened


def linked(database: Database, question: str) -> list[tuple[str, str, str]]:
    matches = link_values(question, "", database.schema, database.distinct_texts)
    return [(m.table, m.column, m.value) for m in matches if m.table != "v_marks"]


@pytest.mark.parametrize(
    ("question", "match"),
    [
        ("Which schools are in Berlin?", ("school", "city", "BERLIN")),
        ("Who goes to the lake school?", ("school", "name", "Lake School")),
        ('How many pupils study "Maths"?', ("course", "title", "Maths")),
        ("Is Hill-School old?", ("school", "name", "Hill School")),
    ],
)
def test_a_value_is_found_in_other_case_and_punctuation(
    database: Database, question: str, match: tuple[str, str, str]
) -> None:
    assert match in linked(database, question)


def test_the_longest_group_wins() -> None:
    schema = Schema("sqlite", (Table("t", (Column("a", "TEXT"), Column("b", "TEXT"))),))
    cells = {"a": ["New York City"], "b": ["York", "New"]}
    matches = link_values("Who lives in New York City?", "", schema, lambda _, c: cells[c])
    assert [m.value for m in matches] == ["New York City"]


def test_filler_words_and_numbers_alone_are_no_values() -> None:
    schema = Schema("sqlite", (Table("t", (Column("a", "TEXT"),)),))
    assert (
        link_values("Which of the 12?", "", schema, lambda *_: ["of", "the", "12", "Which"]) == ()
    )


def test_numeric_columns_are_not_read(database: Database) -> None:
    read: list[str] = []

    def stored(table: str, column: str) -> list[str]:
        read.append(f"{table}.{column}")
        return []

    link_values("Who is 12?", "", database.schema, stored)
    assert "pupil.age" not in read
    assert "pupil.last name" in read


def test_reading_stops_when_the_time_is_up(database: Database) -> None:
    assert link_values("Berlin?", "", database.schema, lambda *_: ["Berlin"], seconds=-1) == ()


def test_the_match_says_which_words_it_comes_from() -> None:
    schema = Schema("sqlite", (Table("t", (Column("a", "TEXT"),)),))
    (match,) = link_values("In BERLIN?", "", schema, lambda *_: ["Berlin"])
    assert match == ValueMatch("t", "a", "Berlin", "BERLIN", match.score)
