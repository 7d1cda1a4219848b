"""Reading a bounded part of the values stored in a SQLite table."""

from collections.abc import Iterator, Sequence
from sqlite3 import SQLITE_INTERRUPT, OperationalError
from typing import Any

from macsql.database.engines import Cursor
from macsql.database.reflect import quote
from macsql.database.value_store import MAX_TEXT
from macsql.schema import Table

CELL_CHARACTERS = 64
"""Texts are read to this length: enough to see that one is too long to be an example."""
TEXT_CHARACTERS = 200
SCANNED_ROWS = 200_000
FETCHED_ROWS = 5_000
SOUGHT_TEXTS = 400
BLOCKS = 40
_ROWID_NAMES = ("rowid", "_rowid_", "oid")


def sample(
    cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
) -> Iterator[Sequence[Any]]:
    """About ``limit`` rows of ``columns``: a small table whole, of a large one blocks of adjacent
    rows at equal distances in the order of storage. Blobs come empty, long texts cut.

    ``source``, here and below, is SQL to read from in the place of the table: its first rows.
    """
    cells = ", ".join(_cell(name) for name in columns)
    origin = source or quote(table.name)
    cursor.execute(f"SELECT {cells} FROM {origin} LIMIT ?", (limit + 1,))  # noqa: S608
    rows = cursor.fetchall()
    span = rowid_span(cursor, table) if len(rows) > limit and not source else None
    if span is not None:
        spread = list(_blocks(cursor, table, cells, span, limit))
        # Row numbers with wide gaps: the blocks missed most rows.
        rows = spread if len(spread) >= limit // 2 else rows
    yield from rows[:limit]


def _blocks(
    cursor: Cursor, table: Table, cells: str, span: tuple[str, int, int], limit: int
) -> Iterator[Sequence[Any]]:
    rowid, first, last = span
    sql = (
        f"SELECT {rowid}, {cells} FROM {quote(table.name)}"  # noqa: S608
        f" WHERE {rowid} >= ? ORDER BY {rowid} LIMIT ?"
    )
    start = first
    for number in range(BLOCKS):
        start = max(start, first + (last - first) * number // BLOCKS)
        cursor.execute(sql, (start, limit // BLOCKS))
        rows = cursor.fetchall()
        if not rows:
            return
        yield from (row[1:] for row in rows)
        start = rows[-1][0] + 1


def texts(cursor: Cursor, table: str, column: str, limit: int, source: str = "") -> Iterator[str]:
    """Up to ``limit`` distinct texts of the first ``SCANNED_ROWS`` rows, the long ones left out."""
    name, origin = quote(column), source or quote(table)
    cursor.execute(
        f"SELECT DISTINCT v FROM (SELECT {name} AS v FROM {origin} LIMIT {SCANNED_ROWS})"  # noqa: S608
        f" WHERE typeof(v) = 'text' AND length(v) <= {TEXT_CHARACTERS} LIMIT ?",
        (limit,),
    )
    yield from _first_column(cursor)


def equal_texts(
    cursor: Cursor, table: str, column: str, text: str, limit: int, source: str = ""
) -> Iterator[str]:
    """Up to ``limit`` distinct texts of the whole column that equal ``text`` but for ASCII case."""
    name, origin = quote(column), source or quote(table)
    cursor.execute(
        f"SELECT DISTINCT {name} FROM {origin} WHERE typeof({name}) = 'text'"  # noqa: S608
        f" AND {name} = ? COLLATE NOCASE LIMIT ?",
        (text, limit),
    )
    yield from _first_column(cursor)


def stored_texts(
    cursor: Cursor, table: str, column: str, texts: Sequence[str], source: str = ""
) -> Iterator[str]:
    """Those of ``texts`` that the column has, letter for letter."""
    name, origin = quote(column), source or quote(table)
    for start in range(0, len(texts), SOUGHT_TEXTS):
        missing = set(texts[start : start + SOUGHT_TEXTS])
        marks = ", ".join("?" * len(missing))
        # The column's own collation finds more, but may use an index.
        cursor.execute(
            f"SELECT DISTINCT {name} COLLATE BINARY FROM {origin}"  # noqa: S608
            f" WHERE typeof({name}) = 'text' AND {name} IN ({marks})",
            tuple(missing),
        )
        while missing and (row := cursor.fetchone()) is not None:
            if row[0] in missing:
                missing.remove(row[0])
                yield row[0]


def texts_between(
    cursor: Cursor, table: Table, columns: Sequence[str], rows: tuple[int, int], limit: int
) -> list[Sequence[Any]]:
    """Rows by number, as ``Backend`` says it."""
    rowid = _rowid_name(table)
    texts = ", ".join(map(_text, columns))
    cursor.execute(
        f"SELECT {rowid}, {texts} FROM {quote(table.name)}"  # noqa: S608
        f" WHERE {rowid} BETWEEN ? AND ? ORDER BY {rowid} LIMIT ?",
        (*rows, limit),
    )
    return list(cursor.fetchall())


def all_texts(
    cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
) -> Iterator[Sequence[Any]]:
    """The first rows of any table or view, as ``Backend`` says it."""
    texts, origin = ", ".join(map(_text, columns)), source or quote(table.name)
    cursor.execute(f"SELECT {texts} FROM {origin} LIMIT ?", (limit,))  # noqa: S608
    while rows := cursor.fetchmany(FETCHED_ROWS):
        yield from rows


def _first_column(cursor: Cursor) -> Iterator[str]:
    while (row := cursor.fetchone()) is not None:
        yield row[0]


def _text(column: str) -> str:
    name = quote(column)
    return f"CASE WHEN typeof({name}) = 'text' AND length({name}) <= {MAX_TEXT} THEN {name} END"


def _cell(column: str) -> str:
    name = quote(column)
    return (
        f"CASE typeof({name}) WHEN 'text' THEN substr({name}, 1, {CELL_CHARACTERS})"
        f" WHEN 'blob' THEN x'' ELSE {name} END"
    )


def rowid_span(cursor: Cursor, table: Table) -> tuple[str, int, int] | None:
    """The name of the row number with its least and greatest value; None where there is none."""
    rowid = _rowid_name(table)
    if rowid is None or table.is_view:
        return None
    try:
        # Two sub-queries: SQLite looks up min and max by the index only one at a time.
        source = quote(table.name)
        cursor.execute(
            f"SELECT (SELECT min({rowid}) FROM {source}), (SELECT max({rowid}) FROM {source})"  # noqa: S608
        )
        first, last = cursor.fetchone()
    except OperationalError as error:
        if error.sqlite_errorcode == SQLITE_INTERRUPT:
            raise
        return None
    return (rowid, first, last) if isinstance(first, int) and isinstance(last, int) else None


def _rowid_name(table: Table) -> str | None:
    """A name of the row number that no column of the table has."""
    return next((name for name in _ROWID_NAMES if table.column(name) is None), None)
