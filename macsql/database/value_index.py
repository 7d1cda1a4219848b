"""The value index of one database: built bit by bit, kept as long as the data stay the same."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from macsql.database.engines import Backend, Version
from macsql.database.value_scan import PART, WHOLE, NumberedScan, Texts, read_whole, text_columns
from macsql.database.value_store import MAX_VALUES, StoredValue, StoreError, ValueStore
from macsql.errors import DatabaseError, ExecutionError
from macsql.schema import Table

_log = logging.getLogger(__name__)

FORMAT = 2
"""Part of the file's name: another form of file is another file."""
SMALL = 1_000_000
"""Bytes below which each process reads the database again: that takes no longer than a file."""
MAX_IN_MEMORY = 200_000
"""Texts kept where there is no file."""
SECONDS_PER_VIEW = 0.5
SPELLED_AT_ONCE = 2_000


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
    else in memory. Large is what has ``small`` bytes or more. Nothing here fails: a value that
    cannot be looked up is not found.
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
        """Read on for at most ``seconds``; what was kept of other data is forgotten first."""
        deadline = time.monotonic() + seconds
        with self._lock:
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
                return self._store.find(keys)
            except StoreError as error:
                self._give_up(error)
                return []

    def near(self, text: str) -> list[StoredValue]:
        """The texts that are spelt like ``text``, the likest first."""
        with self._lock:
            try:
                return self._store.near(text)
            except StoreError as error:
                self._give_up(error)
                return []

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
        self._store.close()
        self._version, self._is_open, self._is_complete = version, True, False
        self._file = self._path(version)
        self._store = ValueStore(None)
        if self._file is None or version is None:
            return
        try:
            self._store = ValueStore(self._file)
            if not self._store.is_of(version.mark):
                with self._store.changing():
                    if not self._store.is_of(version.mark):
                        self._store.restart(version.mark)
        except StoreError as error:
            self._give_up(error)
            if error.is_busy:
                self._store.close()
                self._file, self._store, self._is_open = None, ValueStore(None), False

    def _path(self, version: Version | None) -> Path | None:
        if self._folder is None or version is None or not version.database:
            return None
        if version.size < self._small:
            return None
        digest = hashlib.sha256(version.database.encode("utf-8", "surrogateescape")).hexdigest()
        return self._folder / f"{digest[:20]}.{FORMAT}.sqlite"

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
        self._is_complete = is_read

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
                self._add(reading[-1], {}, self._store.progress().get(reading[-1], ""), PART)
        return not self._left()

    def _read_blocks(self, deadline: float, told: Callable[[], None], reading: list[str]) -> bool:
        """The same as long as nothing fails; ``reading`` ends with the table that is read."""
        with self._backend.reading(_until(deadline)) as cursor:
            scans = [
                NumberedScan(table, span, state)
                for table, state in self._left()
                if (span := self._backend.row_span(cursor, table)) is not None
            ]
            while scans and self._has_room():
                if time.monotonic() > deadline:
                    return False
                scan = min(scans, key=lambda scan: scan.order)
                reading.append(scan.table.name)
                texts, state = scan.read(self._backend, cursor, self._open_columns(scan.table))
                scan.state = self._add(scan.table.name, texts, scan.state, state)
                scans = [scan for scan in scans if not scan.is_done]
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
        for table, _ in sorted(self._left(), key=lambda left: left[0].is_view):
            if time.monotonic() > deadline:
                return False
            if not self._has_room():
                return True
            name = table.name
            with suppress(DatabaseError):
                seconds = min(_until(deadline), SECONDS_PER_VIEW)
                with self._backend.reading(seconds) as cursor:
                    for texts, state in read_whole(self._backend, cursor, table):
                        self._add(name, texts, self._store.progress().get(name, ""), state)
            if not self._store.progress().get(name):
                self._add(name, {}, "", PART)
            told()
        return True

    def _left(self) -> list[tuple[Table, str]]:
        """The tables that are not done, and how far they are."""
        progress = self._store.progress()
        states = ((table, progress.get(name, "")) for name, table in self._tables.items())
        return [(table, state) for table, state in states if state not in (WHOLE, PART)]

    def _has_room(self) -> bool:
        return self._file is not None or sum(self._store.counts().values()) < MAX_IN_MEMORY

    def _add(self, table: str, texts: Texts, before: str, after: str) -> str:
        """Keep texts that bring a table from one state to another; the state it is in then.

        That is another one when another process was faster.
        """
        with self._store.changing():
            if self._version and self._file and not self._store.is_of(self._version.mark):
                raise StoreError("it belongs to newer data now", is_busy=True)
            found = self._store.progress().get(table, "")
            if found != before:
                return found
            for column, different in texts.items():
                self._store.add(table, column, sorted(different))
            self._store.set_progress(table, after)
        return after


def _until(deadline: float) -> float:
    return max(0.01, deadline - time.monotonic())
