"""The first rows of gold and predicted SQL, run again read-only for those who read a report."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from macsql.database import Database, Result
from macsql.errors import MacSQLError

ROWS = 10
TIMEOUT = 5.0
PATIENCE = 120.0
"""Seconds that the queries of one report may take together."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The first rows of a result, or why there are none."""

    result: Result | None = None
    error: str = ""


class Results:
    """Runs SQL on the databases of a run, by ``db_id``; a context manager.

    Each query is read-only, stopped after ``TIMEOUT`` seconds, and read to ``rows`` rows; what is
    asked twice is run once. After ``patience`` seconds in all nothing more is run.
    """

    def __init__(
        self, databases: Mapping[str, str], *, rows: int = ROWS, patience: float = PATIENCE
    ) -> None:
        self._places = databases
        self._rows = rows
        self._left = patience
        self._open: dict[str, Database | None] = {}
        self._known: dict[tuple[str, str], Shown] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def read(self, db_id: str, sql: str) -> Shown:
        """The first rows of ``sql`` on that database, or why not; never raises for a query."""
        if not sql.strip():
            return Shown(error="There is no SQL.")
        if (db_id, sql) not in self._known:
            self._known[db_id, sql] = self._run(db_id, sql)
        return self._known[db_id, sql]

    def _run(self, db_id: str, sql: str) -> Shown:
        if self._left <= 0:
            return Shown(error="Not run: the queries before it took too long.")
        began = time.monotonic()
        try:
            database = self._database(db_id)
            if database is None:
                return Shown(error="Not run: the database is not at hand.")
            return Shown(database.execute(sql))
        except MacSQLError as error:
            return Shown(error=" ".join(str(error).split()))
        finally:
            self._left -= time.monotonic() - began

    def _database(self, db_id: str) -> Database | None:
        """The database, where its file is still there. Raises MacSQLError when it is none."""
        if db_id not in self._open:
            place = self._places.get(db_id, "")
            path = place.removeprefix("sqlite:///")
            self._open[db_id] = None
            if path and Path(path).is_file():
                opened = Database(path, timeout=TIMEOUT, max_rows=self._rows, max_cell=200)
                self._open[db_id] = self._stack.enter_context(opened)
        return self._open[db_id]
