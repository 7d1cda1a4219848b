"""A database as one role sees it: everything that is read of it goes through the policy."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from macsql.database.engines import Backend, Cursor, MayRead, Version
from macsql.database.policy import Parameter, Policy
from macsql.database.policy_access import Access
from macsql.errors import ConfigError
from macsql.schema import Schema, Table

PolicySource = Policy | Mapping[str, Any] | str | Path
"""A policy, the plain data of one, or the path of its file."""


class RestrictedBackend:
    """``backend`` with nothing in it but what ``access`` allows."""

    def __init__(self, backend: Backend, access: Access) -> None:
        self._backend = backend
        self.access = access
        self.dialect = backend.dialect
        self.name = backend.name
        self.display_url = backend.display_url

    @contextmanager
    def reading(self, seconds: float) -> Iterator[Cursor]:
        """A read-only cursor for our own statements; they are cancelled after ``seconds``."""
        with self._backend.reading(seconds) as cursor:
            yield cursor

    @contextmanager
    def querying(
        self, sql: str, seconds: float, may_read: MayRead | None = None
    ) -> Iterator[Cursor]:
        """The same for a rewritten statement: the engine itself refuses what is hidden."""
        allows = may_read or self.access.may_read
        with self._backend.querying(sql, seconds, allows) as cursor:
            yield cursor

    def reflect(self, cursor: Cursor) -> tuple[Table, ...]:
        """The visible tables and views, as they were when the database was opened."""
        return self.access.tables

    def read_views(self, cursor: Cursor) -> Mapping[str, str]:
        """Nothing: a definition may name what is hidden."""
        return {}

    def sample(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterable[Sequence[Any]]:
        """About ``limit`` visible rows of ``columns``, masked."""
        seen = source or self.access.source(table.name)
        return self._backend.sample(cursor, table, columns, limit, seen)

    def texts(
        self, cursor: Cursor, table: str, column: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct visible texts."""
        seen = source or self.access.source(table)
        return self._backend.texts(cursor, table, column, limit, seen)

    def equal_texts(
        self, cursor: Cursor, table: str, column: str, text: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct visible texts that equal ``text`` when case is ignored."""
        seen = source or self.access.source(table)
        return self._backend.equal_texts(cursor, table, column, text, limit, seen)

    def stored_texts(
        self, cursor: Cursor, table: str, column: str, texts: Sequence[str], source: str = ""
    ) -> Iterable[str]:
        """Those of ``texts`` that are visible."""
        seen = source or self.access.source(table)
        return self._backend.stored_texts(cursor, table, column, texts, seen)

    def version(self) -> Version | None:
        """The same without a name: what one caller sees is not kept where another may look."""
        version = self._backend.version()
        return replace(version, database="") if version else None

    def row_span(self, cursor: Cursor, table: Table) -> tuple[int, int] | None:
        """None for a table that is not shown as it is stored."""
        is_whole = not self.access.source(table.name)
        return self._backend.row_span(cursor, table) if is_whole else None

    def texts_between(
        self,
        cursor: Cursor,
        table: Table,
        columns: Sequence[str],
        rows: tuple[int, int],
        limit: int,
    ) -> list[Sequence[Any]]:
        """Row numbers and texts of a table with a ``row_span``."""
        return self._backend.texts_between(cursor, table, columns, rows, limit)

    def all_texts(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterator[Sequence[Any]]:
        """The visible texts of the first ``limit`` rows, masked."""
        seen = source or self.access.source(table.name)
        return self._backend.all_texts(cursor, table, columns, limit, seen)


def restrict(
    backend: Backend,
    policy: PolicySource | None,
    role: str | None,
    parameters: Mapping[str, Parameter] | None,
    *,
    seconds: float,
    guard: Callable[[str], str],
) -> Backend:
    """``backend`` as ``role`` sees it; unchanged when there is no policy. What the policy itself
    says in SQL has to pass ``guard``.

    Raises ConfigError when the policy cannot be applied, DatabaseError when the catalog cannot be
    read within ``seconds``.
    """
    if policy is None:
        if role is not None or parameters:
            raise ConfigError("A role or its parameters mean nothing without a policy: give one.")
        return backend
    rules = _policy(policy).role(role)
    with backend.reading(seconds) as cursor:
        whole = Schema(backend.dialect, backend.reflect(cursor), name=backend.name)
        views = backend.read_views(cursor)

    def outputs(sql: str) -> tuple[str, ...]:
        with backend.reading(seconds) as cursor:
            cursor.execute(f"SELECT * FROM ({sql}) LIMIT 0")  # noqa: S608
            return tuple(str(column[0]) for column in cursor.description)

    return RestrictedBackend(backend, Access(rules, parameters or {}, whole, views, outputs, guard))


def _policy(source: PolicySource) -> Policy:
    if isinstance(source, Policy):
        return source
    return Policy.of(source) if isinstance(source, Mapping) else Policy.read(source)
