"""``Databases``: each database of a run opened at its first question and closed after its last."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from macsql.database import Database
from macsql.evaluation.example import Example


class Databases:
    """Lends open databases to threads; those of the same address share one."""

    def __init__(
        self, open_database: Callable[[Example], Database], examples: Iterable[Example]
    ) -> None:
        self._open = open_database
        self._left = Counter(e.database for e in examples)
        self._opened: dict[str, Database] = {}
        self._mutex = threading.Lock()

    @contextmanager
    def lent(self, example: Example) -> Iterator[Database]:
        """The database of ``example``; each question is expected to borrow it once.

        Raises DatabaseUnavailable and ConfigError as ``Database`` does.
        """
        try:
            with self._mutex:
                if example.database not in self._opened:
                    self._opened[example.database] = self._open(example)
                database = self._opened[example.database]
            yield database
        finally:
            with self._mutex:
                self._left[example.database] -= 1
                if self._left[example.database] <= 0 and example.database in self._opened:
                    self._opened.pop(example.database).close()

    def close(self) -> None:
        """Close what is still open."""
        with self._mutex:
            for database in self._opened.values():
                database.close()
            self._opened.clear()
