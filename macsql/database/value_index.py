"""The value index of one database: built bit by bit, kept as long as the data stay the same."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from macsql.database.engines import Backend, Version
from macsql.database.value_check import OldTexts
from macsql.database.value_files import file_of, note_use
from macsql.database.value_scan import PART, WHOLE, Batch, NumberedScan, read_whole, text_columns
from macsql.database.value_store import MAX_VALUES, StoredValue, StoreError, ValueStore
from macsql.errors import DatabaseError, ExecutionError
from macsql.schema import Table

_log = logging.getLogger(__name__)

SMALL = 1_000_000
"""Bytes below which each process reads the database again: that takes no longer than a file."""
MAX_IN_MEMORY = 200_000
"""Texts kept where there is no file."""
SECONDS_PER_VIEW = 0.5
SPELLED_AT_ONCE = 2_000
DROPPED_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far an index is: ``texts`` different texts, ``done`` of ``tables`` tables and views read.

    ``is_complete`` says that there is nothing left to do; ``parts`` are the tables of which there
    is only a sample all the same. ``file`` is None where all is kept in memory.
    """

    texts: int
    done: int
    tables: int
    is_complete: bool
    parts: tuple[str, ...]
    file: Path | None


Report = Callable[[IndexState], None]


class ValueIndex:
    """The texts stored in ``tables``, to be looked up; safe for several threads.

    Kept in a file in ``folder`` when the database is large and may be shared with later questions,
    else in memory. Large is what has ``small`` bytes or more. When the data change, all is read
    anew; until a table is done, its old texts are found too, if they are still stored. Nothing here
    fails: a value that cannot be looked up is not found.
    """

    def __init__(
        self, backend: Backend, tables: Sequence[Table], folder: Path | None, *, small: int = SMALL
    ) -> None:
        self._backend = backend
        self._small = small
        self._tables = {table.name: table for table in tables if text_columns(table)}
        self._folder = folder
        self._lock = threading.RLock()
        self._store = ValueStore(None)
        self._old = OldTexts(backend)
        self._file: Path | None = None
        self._version: Version | None = None
        self._is_open = False
        self._is_complete = False

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._store.close()
            self._is_open = False

    def build(self, seconds: float, report: Report | None = None) -> IndexState:
        """Read on for at most ``seconds``; what was kept of other data is old from now on."""
        deadline = time.monotonic() + seconds
        with self._lock:
            self._old.allow_time()
            self._open()
            try:
                if not self._is_complete and seconds > 0:
                    self._read(deadline, report)
            except StoreError as error:
                self._give_up(error)
                if not error.is_busy:
                    with suppress(StoreError):
                        self._read(deadline, report)
            return self.state()

    def state(self) -> IndexState:
        """How far the index is."""
        with self._lock:
            progress = self._store.progress()
            counts = self._store.counts()
            parts = {name for name, state in progress.items() if state == PART}
            parts |= {table for (table, _), count in counts.items() if count >= MAX_VALUES}
            done = sum(state in (WHOLE, PART) for state in progress.values())
            return IndexState(
                sum(counts.values()),
                done,
                len(self._tables),
                self._is_complete,
                tuple(sorted(parts)),
                self._file,
            )

    def knows(self, table: str, column: str) -> bool:
        """Whether every text of the column that is not very long is here."""
        with self._lock:
            self._open()
            try:
                count = self._store.counts().get((table, column), 0)
                return self._store.progress().get(table) == WHOLE and count < MAX_VALUES
            except StoreError as error:
                self._give_up(error)
                return False

    def find(self, keys: Iterable[str]) -> list[tuple[str, StoredValue]]:
        """The texts with one of the keys, each with the key it was found by."""
        with self._lock:
            try:
                found = self._store.find(keys)
            except StoreError as error:
                self._give_up(error)
                return []
            stored = self._old.without_stale(value for _, value in found)
            return [(key, value) for key, value in found if value in stored]

    def near(self, text: str) -> list[StoredValue]:
        """The texts that are spelt like ``text``, the likest first."""
        with self._lock:
            try:
                found = self._store.near(text)
            except StoreError as error:
                self._give_up(error)
                return []
            stored = self._old.without_stale(found)
            return [value for value in found if value in stored]

    def column_texts(self, table: str, column: str, text: str, limit: int) -> list[str]:
        """Texts of one column: all, or where there are more than ``limit``, those like ``text``."""
        with self._lock:
            try:
                return self._store.column_texts(table, column, text, limit)
            except StoreError as error:
                self._give_up(error)
                return []

    def _open(self) -> None:
        """Have a store for the database as it is now."""
        version = self._backend.version()
        if self._is_open and version == self._version:
            return
        file = file_of(self._folder, version, self._small)
        if not self._is_open or file is not None or self._file is not None:
            self._store.close()
            self._store = ValueStore(None)
        self._file, self._version = file, version
        self._is_open, self._is_complete = True, False
        self._old.forget()
        if version is None:
            return
        try:
            if file is not None:
                self._store = ValueStore(file)
                note_use(file)
            self._store.renew(self._mark(version))
        except StoreError as error:
            self._give_up(error)
            if error.is_busy:
                self._store.close()
                self._file, self._store, self._is_open = None, ValueStore(None), False

    def _mark(self, version: Version) -> str:
        """What the texts are of: the data, and the columns that are read of them."""
        columns = repr([(name, text_columns(table)) for name, table in self._tables.items()])
        digest = hashlib.sha256(columns.encode("utf-8", "surrogateescape")).hexdigest()
        return f"{version.mark} {digest[:20]}"

    def _give_up(self, error: StoreError) -> None:
        """Go on in memory, unless the file is only in use."""
        if error.is_busy or self._file is None:
            return
        _log.warning("no value index in %s: %s", self._file, error)
        self._store.close()
        if error.is_damaged:
            with suppress(OSError):
                self._file.unlink()
        self._file, self._store, self._is_complete = None, ValueStore(None), False

    def _read(self, deadline: float, report: Report | None) -> None:
        def told() -> None:
            if report:
                report(self.state())

        try:
            is_read = self._read_numbered(deadline, told) and self._read_others(deadline, told)
        except DatabaseError as error:
            _log.info("the value index is not complete: %s", error)
            return
        while is_read and self._store.index_spelling(SPELLED_AT_ONCE):
            if time.monotonic() > deadline:
                return
            told()
        while is_read and self._store.drop_old(DROPPED_AT_ONCE):
            if time.monotonic() > deadline:
                return
        self._is_complete = is_read
        told()

    def _read_numbered(self, deadline: float, told: Callable[[], None]) -> bool:
        """Read tables by row number, each a block in turn; whether all are done."""
        while self._left() and time.monotonic() < deadline:
            reading: list[str] = []
            try:
                return self._read_blocks(deadline, told, reading)
            except ExecutionError as error:
                # One table that cannot be read does not stand before the others.
                _log.info("the values of %s cannot be read: %s", reading[-1:], error)
                if not reading:
                    raise
                with self._batch() as batch:
                    batch.add(reading[-1], {}, self._store.progress().get(reading[-1], ""), PART)
        return not self._left()

    def _read_blocks(self, deadline: float, told: Callable[[], None], reading: list[str]) -> bool:
        """The same as long as nothing fails; ``reading`` ends with the table that is read."""
        with self._backend.reading(_until(deadline)) as cursor, self._batch() as batch:
            scans = {
                table.name: NumberedScan(table, span, state)
                for table, state in self._left()
                if (span := self._backend.row_span(cursor, table)) is not None
            }
            while self._has_room():
                left = [scan for scan in scans.values() if not scan.is_done]
                if batch.is_due() or not left:
                    # Another process that was faster is followed.
                    states = self._keep(batch)
                    for name, state in states.items():
                        scans[name].state = state
                    if not left and all(scan.is_done for scan in scans.values()):
                        return True
                    continue
                if time.monotonic() > deadline:
                    return False
                scan = min(left, key=lambda scan: scan.order)
                reading.append(scan.table.name)
                texts, state = scan.read(self._backend, cursor, self._open_columns(scan.table))
                batch.add(scan.table.name, texts, scan.state, state)
                scan.state = state
                told()
        return True

    def _open_columns(self, table: Table) -> list[str]:
        """The columns of which more texts may be kept."""
        counts = self._store.counts()
        columns = text_columns(table)
        return [name for name in columns if counts.get((table.name, name), 0) < MAX_VALUES]

    def _read_others(self, deadline: float, told: Callable[[], None]) -> bool:
        """Read tables without row numbers, and views; whether all are done.

        Each has a moment only, since a view may be slow.
        """
        with self._batch() as batch:
            for table, before in sorted(self._left(), key=lambda left: left[0].is_view):
                if time.monotonic() > deadline:
                    return False
                if not self._has_room():
                    return True
                batch.add(table.name, {}, before, PART)
                with suppress(DatabaseError):
                    seconds = min(_until(deadline), SECONDS_PER_VIEW)
                    with self._backend.reading(seconds) as cursor:
                        for texts, state in read_whole(self._backend, cursor, table):
                            batch.add(table.name, texts, before, state)
                if batch.is_due():
                    self._keep(batch)
                told()
        return True

    def _left(self) -> list[tuple[Table, str]]:
        """The tables that are not done, and how far they are."""
        progress = self._store.progress()
        states = ((table, progress.get(name, "")) for name, table in self._tables.items())
        return [(table, state) for table, state in states if state not in (WHOLE, PART)]

    def _has_room(self) -> bool:
        return self._file is not None or sum(self._store.counts().values()) < MAX_IN_MEMORY

    @contextmanager
    def _batch(self) -> Iterator[Batch]:
        """A batch that is kept in the end, and what was read before an error too."""
        batch = Batch()
        try:
            yield batch
        except BaseException:
            with suppress(StoreError):
                self._keep(batch)
            raise
        self._keep(batch)

    def _keep(self, batch: Batch) -> dict[str, str]:
        """Keep a batch, and empty it; the states that its tables are in then.

        That is another one than it brings when another process was faster.
        """
        states: dict[str, str] = {}
        reads = dict(batch.reads)
        batch.clear()
        if not reads:
            return states
        with self._store.changing():
            if self._version and self._file and not self._store.is_of(self._mark(self._version)):
                raise StoreError("it belongs to newer data now", is_busy=True)
            progress = self._store.progress()
            for table, (texts, before, after) in reads.items():
                states[table] = progress.get(table, "")
                if states[table] != before:
                    continue
                for column, different in texts.items():
                    self._store.add(table, column, sorted(different))
                self._store.set_progress(table, after)
                if after in (WHOLE, PART):
                    self._store.finish(table)
                states[table] = after
        return states


def _until(deadline: float) -> float:
    return max(0.01, deadline - time.monotonic())
