"""The database engines, one entry each, and what ``Database`` asks of an engine."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

from macsql.errors import ConfigError
from macsql.schema import Table

TextErrors = Literal["replace", "ignore", "strict"]
"""What is done with the bytes of stored text that are not UTF-8, in Python's words for it."""

MayRead = Callable[[str, str | None], bool]
"""Whether a table may be read, given the view or WITH query that reads it."""


@dataclass(frozen=True, slots=True)
class Version:
    """Which database it is, a mark that every change of its data changes, and about how large it
    is, in bytes. ``database`` is empty where nothing that is read may be kept for others.
    """

    database: str
    mark: str
    size: int


class Cursor(Protocol):
    """The part of a PEP 249 cursor that is used here. Statements go without parameters when they
    are not ours, so that no driver looks for ``%`` or ``:`` in them.
    """

    @property
    def description(self) -> Any:
        """One sequence for each column, its name first; None when the statement has no rows."""
        ...

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run one statement."""
        ...

    def fetchone(self) -> Any:
        """The next row, or None."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """The next rows, at most ``size``; none at the end."""
        ...

    def fetchall(self) -> list[Any]:
        """The remaining rows."""
        ...


class Backend(Protocol):
    """One opened database of one engine. Safe for several threads: each block of ``reading`` or
    ``querying`` has a connection of its own.

    ``dialect`` is sqlglot's name, ``name`` the database's, ``display_url`` has no password.
    The driver's errors leave the blocks as the DatabaseError that they mean.
    """

    dialect: str
    name: str
    display_url: str

    def reading(self, seconds: float) -> AbstractContextManager[Cursor]:
        """A read-only cursor for our own statements; they are cancelled after ``seconds``."""
        ...

    def querying(
        self, sql: str, seconds: float, may_read: MayRead | None = None
    ) -> AbstractContextManager[Cursor]:
        """The same for a foreign statement: the engine itself refuses everything but queries, and
        what ``may_read`` does not allow.
        """
        ...

    def reflect(self, cursor: Cursor) -> tuple[Table, ...]:
        """Tables and views without value examples."""
        ...

    def read_views(self, cursor: Cursor) -> Mapping[str, str]:
        """The CREATE VIEW statement of each view."""
        ...

    def sample(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterable[Sequence[Any]]:
        """About ``limit`` rows of ``columns``, spread over the table; long cells come cut.

        ``source``, here and below, is SQL to read from in the place of the table.
        """
        ...

    def texts(
        self, cursor: Cursor, table: str, column: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct stored texts from a bounded part of the column."""
        ...

    def equal_texts(
        self, cursor: Cursor, table: str, column: str, text: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct stored texts that equal ``text`` when case is ignored."""
        ...

    def stored_texts(
        self, cursor: Cursor, table: str, column: str, texts: Sequence[str], source: str = ""
    ) -> Iterable[str]:
        """Those of ``texts`` that the column has, letter for letter."""
        ...

    def version(self) -> Version | None:
        """The version of what is stored; None when it is not known."""
        ...

    def row_span(self, cursor: Cursor, table: Table) -> tuple[int, int] | None:
        """The least and the greatest row number; None where rows cannot be read by number."""
        ...

    def texts_between(
        self,
        cursor: Cursor,
        table: Table,
        columns: Sequence[str],
        rows: tuple[int, int],
        limit: int,
    ) -> list[Sequence[Any]]:
        """The first ``limit`` rows numbered from ``rows[0]`` to ``rows[1]``: the number, and the
        texts of ``columns``; what is no text, or a long one, comes as None.
        """
        ...

    def all_texts(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterator[Sequence[Any]]:
        """The same without the number: the first ``limit`` rows of any table or view."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """How one engine is named, and what it needs. ``driver`` is a module, ``extra`` brings it."""

    title: str
    dialect: str
    schemes: tuple[str, ...]
    driver: str
    extra: str = ""
    supported: bool = False


ENGINES = (
    Engine("SQLite", "sqlite", ("sqlite",), "sqlite3", supported=True),
    Engine("PostgreSQL", "postgres", ("postgresql", "postgres"), "psycopg", "postgres"),
    Engine("MySQL", "mysql", ("mysql", "mariadb"), "pymysql", "mysql"),
    Engine("DuckDB", "duckdb", ("duckdb",), "duckdb_engine", "duckdb"),
)

DIALECT_ALIASES = {
    "mssql": "tsql",
    "sqlserver": "tsql",
    "sql server": "tsql",
    "transact-sql": "tsql",
    "postgresql": "postgres",
    "pg": "postgres",
    "sqlite3": "sqlite",
    "mariadb": "mysql",
    "spark sql": "spark",
    "sparksql": "spark",
}


def dialect_name(name: str) -> str:
    """sqlglot's name of a dialect, from that name or a usual alias, in any case.

    Raises ConfigError on an unknown one.

    >>> dialect_name("MSSQL"), dialect_name("postgresql"), dialect_name("sqlite")
    ('tsql', 'postgres', 'sqlite')
    """
    from sqlglot.dialects.dialect import Dialects

    wanted = name.strip().casefold()
    wanted = DIALECT_ALIASES.get(wanted, wanted)
    known = sorted(d.value for d in Dialects if d.value)
    if wanted in known:
        return wanted
    near = difflib.get_close_matches(wanted, [*known, *DIALECT_ALIASES], n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."
    raise ConfigError(f"Unknown SQL dialect {name!r}. {hint}")


def open_backend(
    url: str | Path,
    *,
    connect_timeout: float,
    text_errors: TextErrors = "replace",
    functions: frozenset[str] = frozenset(),
    catalog: bool = False,
) -> Backend:
    """Open the database at a path or URL, read-only. The engine's own lock permits ``functions``
    besides the listed ones, and reading the system tables if ``catalog``.

    Raises ConfigError (unknown engine, missing extra) or DatabaseUnavailable.
    """
    from macsql.database.sqlite import SQLiteBackend, path_in_url

    if isinstance(url, Path) or "://" not in url:
        path = Path(url)
    else:
        engine = find_engine(url)
        if not engine.supported:
            raise ConfigError(_why_not(engine))
        path = path_in_url(url)
    return SQLiteBackend(
        path,
        connect_timeout=connect_timeout,
        text_errors=text_errors,
        functions=functions,
        catalog=catalog,
    )


def find_engine(url: str) -> Engine:
    """The engine that a URL names. Raises ConfigError when there is none.

    >>> find_engine("postgresql+psycopg://localhost/sales").title
    'PostgreSQL'
    """
    scheme = url.partition("://")[0].partition("+")[0].strip().casefold()
    for engine in ENGINES:
        if scheme in engine.schemes:
            return engine
    # Anything else before "://" may hold a password, so only a plain word is repeated.
    shown = f" {scheme!r}" if re.fullmatch(r"(jdbc:)?[a-z][a-z0-9.-]{0,30}", scheme) else ""
    known = ", ".join(f"{engine.schemes[0]}://" for engine in ENGINES)
    raise ConfigError(f"Unknown database engine{shown}. Use a path to a SQLite file, or {known}")


def _why_not(engine: Engine) -> str:
    if find_spec(engine.driver) is None:
        return (
            f"{engine.title} needs a driver that is not installed. "
            f'Install it with: pip install "macsql[{engine.extra}]"'
        )
    return f"{engine.title} is not supported by this version of macsql yet; SQLite is."
