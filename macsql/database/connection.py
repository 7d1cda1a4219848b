"""``Database``: one database, asked read-only and within limits."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from macsql.database.descriptions import Descriptions, apply_descriptions, read_descriptions
from macsql.database.engines import Backend, TextErrors, Version, open_backend
from macsql.database.examples import with_examples
from macsql.database.guard import guard_sql
from macsql.database.matching import nearest
from macsql.database.policy import Parameter
from macsql.database.policy_backend import PolicySource, RestrictedBackend, restrict
from macsql.database.policy_rewrite import MARK, Rewritten
from macsql.database.progress import Progress, reports_of
from macsql.database.result import Result
from macsql.database.running import Limits, fetch, run
from macsql.database.value_index import Report, ValueIndex
from macsql.database.value_store import MAX_TEXT
from macsql.errors import (
    AccessDenied,
    DatabaseError,
    DatabaseUnavailable,
    ExecutionError,
    UnsafeSQLError,
)
from macsql.folders import default_cache_dir
from macsql.schema import Schema

SCHEMA_SECONDS = 30.0
VALUES_SECONDS = 2.0
VALUES_READ = 20_000


class Database:
    """One database, opened read-only; a context manager, safe for several threads.

    ``url`` is the path of a SQLite file or a URL such as ``sqlite:///shop.db``. A query is stopped
    after ``timeout`` seconds; opening, and waiting for another program's lock, may take
    ``connect_timeout`` seconds. Results are cut at ``max_rows`` rows, ``max_bytes`` bytes in all
    and ``max_cell`` characters (or bytes) in one cell, and then say so. ``descriptions`` names
    BIRD's ``database_description`` folder, or a CSV or YAML file of one's own. Stored text that is
    not UTF-8 is read with ``text_errors``: "strict" makes the query fail. With a ``policy`` (a
    Policy, or the path of its file) nothing exists but what it allows to ``role``; ``parameters``
    are the values that its row filters ask for. Queries may call ``allowed_functions`` besides the
    listed ones, and read the system tables with ``allow_catalog``. The value index of a large
    database is kept in ``cache_dir``, by default the folder of ``MACSQL_CACHE_DIR`` or the user's.

    Raises DatabaseUnavailable when the database cannot be opened, ConfigError on an unknown engine,
    a missing extra, a missing descriptions file or a limit that is not positive.
    """

    def __init__(  # noqa: PLR0913 - what there is to say about a database
        self,
        url: str | Path,
        *,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        max_rows: int = 1000,
        max_bytes: int = 20_000_000,
        max_cell: int = 100_000,
        descriptions: str | Path | None = None,
        text_errors: TextErrors = "replace",
        policy: PolicySource | None = None,
        role: str | None = None,
        parameters: Mapping[str, Parameter] | None = None,
        allowed_functions: Iterable[str] = (),
        allow_catalog: bool = False,
        cache_dir: str | Path | None = None,
    ) -> None:
        self.limits = Limits(timeout, max_rows, max_bytes, max_cell)
        self._descriptions: Descriptions | None = (
            read_descriptions(descriptions) if descriptions is not None else None
        )
        self._functions = frozenset(name.lower() for name in allowed_functions)
        self._allow_catalog = allow_catalog
        backend = open_backend(
            url,
            connect_timeout=connect_timeout,
            text_errors=text_errors,
            functions=self._functions,
            catalog=allow_catalog,
        )
        self._backend: Backend = restrict(
            backend,
            policy,
            role,
            parameters,
            seconds=SCHEMA_SECONDS,
            guard=partial(guard_sql, dialect=backend.dialect, functions=self._functions),
        )
        self._schema: Schema | None = None
        self._read_at: Version | None = None
        self._values: ValueIndex | None = None
        self._cache_dir = Path(cache_dir) if cache_dir is not None else default_cache_dir()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def dialect(self) -> str:
        """sqlglot's name of the SQL dialect."""
        return self._backend.dialect

    @property
    def name(self) -> str:
        """The name of the database: for a file, its name without the extension."""
        return self._backend.name

    @property
    def display_url(self) -> str:
        """The URL without a password."""
        return self._backend.display_url

    def __repr__(self) -> str:
        return f"Database({self.display_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Refuse further work. May be called twice; queries that are running end by themselves."""
        self._closed = True
        if self._values is not None:
            self._values.close()

    @property
    def schema(self) -> Schema:
        """Tables, views, keys, descriptions and value examples; read once, at the first use.

        Raises DatabaseError when the catalog cannot be read, and ConfigError when the descriptions
        name a table or column that does not exist.
        """
        return self._schema_once(lambda progress: None)

    def reading_schema(self) -> Iterator[Progress]:
        """Read the schema, unless it was read, and say now and then how far that is.

        Under a policy it is read again when the data have changed: a row whose values were shown as
        examples may be hidden by now. Raises what ``schema`` raises.
        """
        if self._is_restricted() and self._backend.version() != self._read_at:
            self._schema = None
        if self._schema is None:
            yield from reports_of(self._schema_once)

    def _schema_once(self, report: Callable[[Progress], None]) -> Schema:
        with self._lock:
            if self._schema is None:
                self._read_at = self._backend.version() if self._is_restricted() else None
                self._schema = self._read_schema(report)
            return self._schema

    def read_structure(self) -> Schema:
        """Tables, views and keys alone, read anew: no descriptions and no value examples.

        Raises DatabaseError when the catalog cannot be read.
        """
        self._check_open()
        with self._backend.reading(SCHEMA_SECONDS) as cursor:
            tables = self._backend.reflect(cursor)
        return Schema(self.dialect, tables, name=self.name)

    def _read_schema(self, report: Callable[[Progress], None]) -> Schema:
        report(Progress("schema", 0, 0))
        schema = self.read_structure()
        count = len(schema.tables)
        if self._descriptions is not None:
            # Under a policy, what they say about hidden names is passed over, without a word.
            is_strict = self._descriptions.strict and not self._is_restricted()
            schema = apply_descriptions(schema, replace(self._descriptions, strict=is_strict))
        tables = with_examples(
            schema, self._backend, lambda done: report(Progress("schema", done, count))
        )
        return replace(schema, tables=tables)

    def check(self, sql: str) -> str:
        """The statement as it would be executed, without closing semicolons.

        Raises UnsafeSQLError when it is anything but one harmless query, and AccessDenied when it
        reads what the policy hides.
        """
        checked = self._guard(sql)
        self._under_policy(checked)
        return checked

    def rewritten(self, sql: str) -> str:
        """What the database itself is asked: ``sql`` under the policy. Raises as ``check`` does."""
        return self._under_policy(self._guard(sql)).sql

    def _guard(self, sql: str) -> str:
        return guard_sql(sql, self.dialect, functions=self._functions, catalog=self._allow_catalog)

    def _is_restricted(self) -> bool:
        return isinstance(self._backend, RestrictedBackend)

    def _under_policy(self, checked: str) -> Rewritten:
        """What may run; both the statement and what the policy made of it pass the guard."""
        if not isinstance(self._backend, RestrictedBackend):
            return Rewritten(checked, checked)
        rewritten = self._backend.access.rewrite(checked)
        if rewritten.sql != checked:
            try:
                self._guard(rewritten.sql)
            except UnsafeSQLError:
                raise AccessDenied(
                    "Access denied: under an access policy the statement is too large or not "
                    "clear enough.",
                    sql=checked,
                ) from None
        return rewritten

    def execute(self, sql: str, *, timeout: float | None = None) -> Result:
        """Run one query within the limits, and within ``timeout`` seconds if these are fewer.

        Raises UnsafeSQLError (refused before execution), ExecutionError (in the database's own
        words), AccessDenied, QueryTimeout, or DatabaseUnavailable.
        """
        self._check_open()
        seconds = min(self.limits.timeout, timeout or self.limits.timeout)
        return self._run(run, sql, replace(self.limits, timeout=seconds))

    def fetch_all(self, sql: str) -> Result:
        """Run one query and read its rows whole, for comparing them: nothing is ever cut.

        ``types`` of the result are not worked out. Raises what ``execute`` raises, and
        ResultTooLarge when there is more than ``max_rows`` or ``max_bytes``.
        """
        self._check_open()
        return self._run(fetch, sql, self.limits)

    def _run(
        self, way: Callable[[Backend, str, Limits], Result], sql: str, limits: Limits
    ) -> Result:
        rewritten = self._under_policy(self._guard(sql))
        with _as_asked(rewritten.asked, restricted=self._is_restricted()):
            result = way(self._backend, rewritten.sql, limits)
        return replace(result, columns=tuple(map(rewritten.heading, result.columns)))

    def similar_values(self, table: str, column: str, text: str, *, limit: int = 5) -> list[str]:
        """Up to ``limit`` stored texts that resemble ``text``, the closest first.

        Texts that are equal but for upper and lower case come before all others. They come from
        the value index if it knows the column; else a bounded part of the column is read, for at
        most ``VALUES_SECONDS``. An unknown column has no values.
        """
        known = self.schema.table(table)
        found = known.column(column) if known else None
        if known is None or found is None or not text.strip() or limit < 1:
            return []
        place = (known.name, found.name)
        index = self._value_index()
        if len(text) <= MAX_TEXT // 2 and index.knows(*place):
            return nearest(text, index.column_texts(*place, text, VALUES_READ), limit=limit)
        equal = self._read_texts(self._backend.equal_texts, *place, text, limit)
        stored = self._read_texts(self._backend.texts, *place, VALUES_READ)
        return nearest(text, [*equal, *stored], limit=limit)

    def indexed_values(self, table: str, column: str, text: str) -> list[str] | None:
        """The same where the value index has every text of the column, else None.

        ``text`` is among them if the database finds it by its own rules, which may ignore case; if
        it is not, it is not stored.
        """
        known = self.schema.table(table)
        found = known.column(column) if known else None
        if known is None or found is None or not self._value_index().knows(known.name, found.name):
            return None
        near = self.similar_values(known.name, found.name, text)
        return (
            near if text in near or not self._has(known.name, found.name, text) else [text, *near]
        )

    def _has(self, table: str, column: str, text: str) -> bool:
        """Whether the database finds the text; also True when it cannot say."""
        from sqlglot import exp

        name, place = (exp.to_identifier(n, quoted=True) for n in (column, table))
        condition = exp.column(name).eq(exp.Literal.string(text))
        query = exp.select("1").from_(exp.Table(this=place)).where(condition).limit(1)
        try:
            return bool(self.execute(query.sql(dialect=self.dialect)).rows)
        except DatabaseError:
            return True

    def value_index(self, seconds: float = 0.0, report: Report | None = None) -> ValueIndex:
        """The index of the stored texts, after building on it for at most ``seconds``.

        ``report`` is told now and then how far it is.
        """
        self._check_open()
        index = self._value_index()
        index.build(seconds, report)
        return index

    def reading_values(self, seconds: float) -> Iterator[Progress]:
        """Build on the index for at most ``seconds``, and say now and then how far it is."""
        self._check_open()
        index = self._value_index()

        def work(report: Callable[[Progress], None]) -> None:
            index.build(seconds, lambda s: report(Progress("values", s.done, s.tables, s.texts)))

        yield from reports_of(work)

    def _value_index(self) -> ValueIndex:
        schema = self.schema
        with self._lock:
            if self._values is None:
                self._values = ValueIndex(self._backend, schema.tables, self._cache_dir / "values")
            return self._values

    def _read_texts(self, read: Callable[..., Iterable[str]], *arguments: Any) -> list[str]:
        """What could be read in time: values are a help, so their lack is not an error."""
        self._check_open()
        values: list[str] = []
        with suppress(DatabaseError), self._backend.reading(VALUES_SECONDS) as cursor:
            values.extend(read(cursor, *arguments))
        return values

    def _check_open(self) -> None:
        if self._closed:
            raise DatabaseUnavailable(f"The database {self.name} has been closed; open it again.")


@contextmanager
def _as_asked(sql: str, *, restricted: bool) -> Iterator[None]:
    """Errors speak of the statement that was asked, never of what a policy made of it."""
    try:
        yield
    except UnsafeSQLError as error:
        if error.reason != "not-authorized" or not restricted:
            error.sql = sql
            raise
        raise AccessDenied(
            "Access denied: the statement reads something that you may not read.", sql=sql
        ) from None
    except DatabaseError as error:
        # SQLite may go on after a wrong name, and then misses what stands inside the policy's text.
        if restricted and MARK in str(error):
            raise ExecutionError("no such table or column", sql=sql) from None
        error.sql = sql
        raise
