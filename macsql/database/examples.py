"""Value examples of columns, read from a bounded part of each table (paper, section 3.2)."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from macsql.database.engines import Backend, Cursor
from macsql.errors import DatabaseError
from macsql.schema import Column, ExampleValue, Schema, Table

SAMPLED_ROWS = 2_000
SECONDS_IN_ALL = 5.0
SECONDS_PER_VIEW = 0.5
MAX_EXAMPLES = 6
MAX_DISTINCT_NUMBERS = 10
MAX_TEXT = 50

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_UNTELLING_WORDS = frozenset({"id", "uid", "uuid", "guid", "email", "url", "uri"})
_LINK = re.compile(r"https?://|www\.|[\w.+-]+@[\w-]+\.\w", re.IGNORECASE)
_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ].*)?|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2})( .*)?"
)


def with_examples(
    schema: Schema, backend: Backend, told: Callable[[int], None] = lambda done: None
) -> tuple[Table, ...]:
    """The tables of ``schema`` with value examples; ``told`` how many are done, after each.

    Tables are read before views, each of which has a moment only since it may be slow. What cannot
    be read in time has no examples.
    """
    deadline = time.monotonic() + SECONDS_IN_ALL
    done: dict[str, Table] = {}
    tables = [table for table in schema.tables if not table.is_view]
    while tables and (seconds := deadline - time.monotonic()) > 0:
        with suppress(DatabaseError), backend.reading(seconds) as cursor:
            while tables:
                table = tables.pop(0)
                done[table.name] = _with_examples(schema, table, backend, cursor)
                told(len(done))
    for view in (table for table in schema.tables if table.is_view):
        seconds = min(deadline - time.monotonic(), SECONDS_PER_VIEW)
        if seconds > 0:
            with suppress(DatabaseError), backend.reading(seconds) as cursor:
                done[view.name] = _with_examples(schema, view, backend, cursor)
                told(len(done))
    return tuple(done.get(table.name, table) for table in schema.tables)


def _with_examples(schema: Schema, table: Table, backend: Backend, cursor: Cursor) -> Table:
    keys = schema.key_columns(table)
    telling = [
        column.name
        for column in table.columns
        if column.name.casefold() not in keys and not is_untelling_name(column.name)
    ]
    rows = list(backend.sample(cursor, table, telling, SAMPLED_ROWS)) if telling else []
    cells = dict(zip(telling, zip(*rows, strict=True), strict=True)) if rows else {}
    columns = tuple(_with_column_examples(c, cells.get(c.name, ())) for c in table.columns)
    return replace(table, columns=columns)


def _with_column_examples(column: Column, cells: Sequence[Any]) -> Column:
    return replace(column, examples=choose_examples(column.type, cells)) if cells else column


def is_untelling_name(name: str) -> bool:
    """Whether the last word of a column's name says that its values mean nothing to a reader.

    >>> [n for n in ("userId", "user_id", "ID", "paid", "PAID", "home_url") if is_untelling_name(n)]
    ['userId', 'user_id', 'ID', 'home_url']
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _UNTELLING_WORDS or words[-2:] == ["e", "mail"])


def choose_examples(type_: str, cells: Iterable[Any]) -> tuple[ExampleValue, ...]:
    """The most frequent values of a column, None in front when NULLs occur; often nothing.

    Nothing is shown of columns with blobs, links, e-mail addresses, frequent long texts, or more
    than ten different numbers; of dates only one.

    >>> choose_examples("TEXT", ["b", "a", "b", None, ""])
    (None, 'b', 'a')
    """
    counts = Counter(cells)
    has_null = counts.pop(None, 0) > 0
    values = [value for value in counts if not (isinstance(value, str) and not value.strip())]
    ranked = sorted(values, key=lambda value: (-counts[value], type(value).__name__, value))
    top = ranked[:MAX_EXAMPLES]
    if not top or not _may_be_shown(ranked, top):
        return ()
    if _are_dates(type_, top):
        top = top[:1]
    return (None, *top) if has_null else tuple(top)


def _may_be_shown(values: Sequence[Any], top: Sequence[Any]) -> bool:
    if all(isinstance(value, int | float) for value in values):
        return len(values) <= MAX_DISTINCT_NUMBERS
    if any(isinstance(value, bytes) or len(str(value)) > MAX_TEXT for value in top):
        return False
    return not any(isinstance(value, str) and _LINK.search(value) for value in values)


def _are_dates(type_: str, values: Sequence[Any]) -> bool:
    if type_.upper().startswith(("DATE", "TIMESTAMP")):
        return True
    return all(isinstance(value, str) and _DATE.fullmatch(value.strip()) for value in values)
