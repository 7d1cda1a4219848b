"""Reading the texts of a table bit by bit, so that each part of the way is a fair sample."""

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from macsql.database.engines import Backend, Cursor
from macsql.schema import Table

ROWS = 5_000
"""Rows read at a time."""
MAX_BLOCKS = 4_096
SCANNED_ROWS = 200_000
"""Rows read of what has no row numbers, such as a view."""
SECONDS_PER_BATCH = 0.2
TEXTS_PER_BATCH = 10_000
WHOLE = "whole"
PART = "part"

Texts = dict[str, set[str]]
"""Different texts by column."""

_TEXT_TYPE = re.compile(r"char|text|clob|string|enum|date|time|^$", re.IGNORECASE)


def text_columns(table: Table) -> list[str]:
    """The columns that may hold texts, by their declared types; SQLite keeps dates as text."""
    return [column.name for column in table.columns if _TEXT_TYPE.search(column.type)]


class NumberedScan:
    """The way through a table with row numbers, ``ROWS`` rows at a time.

    Blocks of about ``ROWS`` numbers are taken in the order of their reversed binary numbers, so
    that after any count of them the whole range of ``span`` is covered evenly. Where the numbers
    have gaps, one read goes on into the next blocks. ``state`` is how far it is, as text.
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

    def _place(self) -> tuple[int, int, int | None]:
        """How many rows were read, the block, and the last row read of it."""
        count, block, *after = self.state.split() or ("0", "0")
        return int(count), int(block), int(after[0]) if after else None

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
        texts: Texts = defaultdict(set)
        count, block, after = self._place()
        wanted = ROWS
        while wanted:
            first, last = self._rows(block)
            start = first if after is None else after + 1
            rows = backend.texts_between(cursor, self.table, columns, (start, last), wanted)
            for place, column in enumerate(columns, start=1):
                texts[column].update(row[place] for row in rows if row[place] is not None)
            count += len(rows)
            if len(rows) == wanted and rows[-1][0] < last:
                return texts, f"{count} {block} {rows[-1][0]}"
            if block + 1 == 1 << self._bits:
                return texts, WHOLE
            wanted, block, after = wanted - len(rows), block + 1, None
        return texts, f"{count} {block}"


class Batch:
    """What was read of several tables and is to be kept at once: each transaction costs a while."""

    def __init__(self) -> None:
        self.reads: dict[str, tuple[Texts, str, str]] = {}
        self._texts = 0
        self._began = time.monotonic()

    def add(self, table: str, texts: Texts, before: str, after: str) -> None:
        """Take in texts that bring a table from one state to another."""
        known, first, _ = self.reads.get(table, (defaultdict(set), before, ""))
        for column, different in texts.items():
            known[column] |= different
            self._texts += len(different)
        self.reads[table] = known, first, after

    def is_due(self) -> bool:
        """Whether it is time to keep it: no more than this is lost, nor waited for, at an end."""
        is_late = time.monotonic() - self._began > SECONDS_PER_BATCH
        return bool(self.reads) and (is_late or self._texts >= TEXTS_PER_BATCH)

    def clear(self) -> None:
        """Begin anew."""
        self.reads, self._texts, self._began = {}, 0, time.monotonic()


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
