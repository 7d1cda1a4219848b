"""Whether texts that were stored once still are: asked of the database before they are used."""

import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

from macsql.database.engines import Backend
from macsql.database.value_store import StoredValue
from macsql.errors import DatabaseError

CHECK_SECONDS = 1.0
"""What one question may spend on it."""


class OldTexts:
    """Answers about one version of the database, each found out once.

    A text of which nothing is known in time counts as not stored.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._seconds = CHECK_SECONDS
        self._answers: dict[tuple[str, str, str], bool] = {}

    def forget(self) -> None:
        """The database is another version now."""
        self._answers = {}

    def allow_time(self) -> None:
        """A question begins."""
        self._seconds = CHECK_SECONDS

    def without_stale(self, values: Iterable[StoredValue]) -> set[StoredValue]:
        """Those of ``values`` that are not old, or are stored all the same."""
        wanted = set(values)
        unknown: dict[tuple[str, str], set[str]] = defaultdict(set)
        for value in wanted:
            if value.is_old and value[:3] not in self._answers:
                unknown[value.table, value.column].add(value.text)
        for place in sorted(unknown):
            self._ask(*place, unknown[place])
        return {v for v in wanted if not v.is_old or self._answers.get(v[:3], False)}

    def _ask(self, table: str, column: str, texts: set[str]) -> None:
        began = time.monotonic()
        if self._seconds <= 0:
            return
        with suppress(DatabaseError):
            with self._backend.reading(self._seconds) as cursor:
                for text in self._backend.stored_texts(cursor, table, column, sorted(texts)):
                    self._answers[table, column, text] = True
            for text in texts:
                self._answers.setdefault((table, column, text), False)
        self._seconds -= time.monotonic() - began
