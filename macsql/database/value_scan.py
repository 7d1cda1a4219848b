"""Reading the texts of a table bit by bit, so that each part of the way is a fair sample."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from macsql.database.engines import Backend, Cursor
from macsql.schema import Table

ROWS = 5_000
"""Rows read at a time."""
MAX_BLOCKS = 4_096
SCANNED_ROWS = 200_000
"""Rows read of what has no row numbers, such as a view."""
WHOLE = "whole"
PART = "part"

Texts = dict[str, set[str]]
"""Different texts by column."""

_TEXT_TYPE = re.compile(r"char|text|clob|string|enum|date|time|^$", re.IGNORECASE)


def text_columns(table: Table) -> list[str]:
    """The columns that may hold texts, by their declared types; SQLite keeps dates as text."""
    return [column.name for column in table.columns if _TEXT_TYPE.search(column.type)]


class NumberedScan:
    """The way through a table with row numbers, in blocks of about ``ROWS`` numbers.

    Blocks are taken in the order of their reversed binary numbers, so that after any count of them
    the whole range of ``span`` is covered evenly. ``state`` is how far it is, as text.
    """

    def __init__(self, table: Table, span: tuple[int, int], state: str) -> None:
        self.table = table
        self._span = span
        numbers = span[1] - span[0] + 1
        self._bits = min(max(0, numbers - 1) // ROWS, MAX_BLOCKS - 1).bit_length()
        self.state = state

    @property
    def is_done(self) -> bool:
        """Whether all rows were read."""
        return self.state == WHOLE

    @property
    def order(self) -> tuple[int, int]:
        """Which of several scans goes on first: the one that has read least, then the smallest."""
        return self._place()[0], self._span[1] - self._span[0]

    def _place(self) -> tuple[int, int | None]:
        """The block, and the last row read of it."""
        block, _, after = self.state.partition(" ")
        return int(block or 0), int(after) if after else None

    def _rows(self, block: int) -> tuple[int, int]:
        """The numbers of the first and the last row of a block."""
        first, last = self._span
        blocks = 1 << self._bits
        reverse = int(f"{block:0{self._bits}b}"[::-1], 2) if self._bits else 0
        numbers = last - first + 1
        return first + numbers * reverse // blocks, first + numbers * (reverse + 1) // blocks - 1

    def read(self, backend: Backend, cursor: Cursor, columns: Sequence[str]) -> tuple[Texts, str]:
        """The texts of ``columns`` in the next rows, and the state after them."""
        if not columns:
            return {}, WHOLE
        block, after = self._place()
        first, last = self._rows(block)
        start = first if after is None else after + 1
        rows = backend.texts_between(cursor, self.table, columns, (start, last), ROWS)
        texts = {
            column: {row[place] for row in rows if row[place] is not None}
            for place, column in enumerate(columns, start=1)
        }
        if len(rows) == ROWS and rows[-1][0] < last:
            return texts, f"{block} {rows[-1][0]}"
        return texts, WHOLE if block + 1 == 1 << self._bits else str(block + 1)


def read_whole(backend: Backend, cursor: Cursor, table: Table) -> Iterator[tuple[Texts, str]]:
    """The texts of anything, ``ROWS`` rows at a time, with the state should no more rows come."""
    columns = text_columns(table)
    texts: Texts = defaultdict(set)
    count = 0
    for count, row in enumerate(backend.all_texts(cursor, table, columns, SCANNED_ROWS), start=1):
        for column, text in zip(columns, row, strict=True):
            if text is not None:
                texts[column].add(text)
        if count % ROWS == 0:
            yield texts, PART
            texts = defaultdict(set)
    yield texts, WHOLE if count < SCANNED_ROWS else PART
