"""A schema of a library, which no question of a benchmark is about."""

import pytest

from macsql.schema import Column, ForeignKey, Schema, Table


@pytest.fixture(scope="package")
def library() -> Schema:
    reader = Table(
        "reader",
        (
            Column("reader_id", "INTEGER"),
            Column("name", "TEXT"),
            Column("age", "INTEGER"),
            Column("town", "TEXT"),
        ),
        ("reader_id",),
    )
    book = Table(
        "book",
        (
            Column("book_id", "INTEGER"),
            Column("title", "TEXT"),
            Column("pages", "INTEGER"),
            Column("language", "TEXT"),
        ),
        ("book_id",),
    )
    loan = Table(
        "loan",
        (
            Column("loan_id", "INTEGER"),
            Column("reader_id", "INTEGER"),
            Column("book_id", "INTEGER"),
            Column("days", "INTEGER"),
        ),
        ("loan_id",),
        (
            ForeignKey(("reader_id",), "reader", ("reader_id",)),
            ForeignKey(("book_id",), "book", ("book_id",)),
        ),
    )
    return Schema("sqlite", (reader, book, loan), "library")
