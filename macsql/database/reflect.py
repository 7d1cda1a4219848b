"""Reading the catalog of a SQLite file: tables, views, columns, keys."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from sqlite3 import SQLITE_INTERRUPT, OperationalError
from typing import Any

from macsql.database.engines import Cursor
from macsql.schema import Column, ForeignKey, Table

# The tables in which the modules of SQLite keep the contents of a virtual table.
_SHADOW_SUFFIXES = {
    "fts3": ("content", "segments", "segdir", "stat", "docsize"),
    "fts4": ("content", "segments", "segdir", "stat", "docsize"),
    "fts5": ("data", "idx", "content", "docsize", "config"),
    "rtree": ("node", "rowid", "parent"),
    "rtree_i32": ("node", "rowid", "parent"),
    "geopoly": ("node", "rowid", "parent"),
}
_MODULE = re.compile(r"""\bUSING\s+["'`\[]?(\w+)""", re.IGNORECASE)
_HIDDEN_COLUMN = 1


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    is_view: bool
    module: str


def quote(name: str) -> str:
    """``name`` as an SQL identifier.

    >>> quote('my "best" table')
    '"my ""best"" table"'
    """
    return '"' + name.replace('"', '""') + '"'


def shadow_tables(cursor: Cursor) -> frozenset[str]:
    """Names of the tables that belong to virtual tables (full text, R-tree)."""
    entries = list(_entries(cursor))
    names = {entry.name for entry in entries}
    return frozenset(
        f"{entry.name}_{suffix}"
        for entry in entries
        for suffix in _SHADOW_SUFFIXES.get(entry.module, ())
        if f"{entry.name}_{suffix}" in names
    )


def read_tables(cursor: Cursor) -> tuple[Table, ...]:
    """Every table and view that can be read, in the order of creation.

    SQLite's own tables and shadow tables are left out, and so are views whose definition is broken
    and virtual tables whose module is missing. Declared types are verbatim.
    """
    shadow = shadow_tables(cursor)
    tables: list[Table] = []
    for entry in list(_entries(cursor)):
        if entry.name in shadow:
            continue
        try:
            table = _table(cursor, entry)
        except OperationalError as error:
            if error.sqlite_errorcode == SQLITE_INTERRUPT:
                raise
            continue
        if table.columns:
            tables.append(table)
    return _with_foreign_keys(cursor, tables)


def read_views(cursor: Cursor) -> dict[str, str]:
    """The CREATE VIEW statement of each view."""
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view' AND sql IS NOT NULL")
    return dict(cursor.fetchall())


def _entries(cursor: Cursor) -> Iterator[_Entry]:
    cursor.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND lower(name) NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    for name, kind, sql in cursor.fetchall():
        text = sql or ""
        virtual = text[:30].upper().startswith("CREATE VIRTUAL TABLE")
        found = _MODULE.search(text) if virtual else None
        yield _Entry(name, kind == "view", found.group(1).lower() if found else "")


def _table(cursor: Cursor, entry: _Entry) -> Table:
    rows = _pragma(cursor, "table_xinfo", entry.name)
    key = sorted((position, name) for _, name, _, _, _, position, _ in rows if position)
    return Table(
        entry.name,
        tuple(Column(row[1], row[2] or "") for row in rows if row[6] != _HIDDEN_COLUMN),
        primary_key=tuple(name for _, name in key),
        is_view=entry.is_view,
    )


def _with_foreign_keys(cursor: Cursor, tables: Sequence[Table]) -> tuple[Table, ...]:
    by_name = {table.name.casefold(): table for table in tables}
    return tuple(
        replace(table, foreign_keys=tuple(dict.fromkeys(_foreign_keys(cursor, table, by_name))))
        for table in tables
    )


def _foreign_keys(cursor: Cursor, table: Table, by_name: dict[str, Table]) -> Iterator[ForeignKey]:
    """The usable keys of ``table``, in the order of declaration, with names as they are stored."""
    rows = sorted(_pragma(cursor, "foreign_key_list", table.name), key=lambda r: (-r[0], r[1]))
    for _, group in groupby(rows, key=lambda row: row[0]):
        pairs = list(group)
        target = by_name.get(pairs[0][2].casefold())
        if target is None:
            continue
        named = [row[4] for row in pairs if row[4] is not None]
        here = _stored_names(table, [row[3] for row in pairs])
        there = _stored_names(target, named or target.primary_key)
        if here and len(here) == len(there):
            yield ForeignKey(here, target.name, there)


def _stored_names(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """``names`` as ``table`` spells them; nothing if one of them is not there."""
    found = [table.column(name) for name in names]
    return tuple(c.name for c in found if c) if all(found) else ()


def _pragma(cursor: Cursor, pragma: str, name: str) -> list[Any]:
    cursor.execute(f"PRAGMA {pragma}({quote(name)})")
    return cursor.fetchall()
