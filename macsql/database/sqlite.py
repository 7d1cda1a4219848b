"""SQLite: a file opened read-only, and the engine's own locks and limits."""

import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from macsql.database import reflect, sampling
from macsql.database.engines import Cursor, MayRead, TextErrors, Version
from macsql.database.functions import SQLITE_FUNCTIONS
from macsql.database.sqlite_cost import MEMORY, Watch, can_repeat, longest_cell
from macsql.database.sqlite_version import file_version
from macsql.errors import (
    ConfigError,
    DatabaseError,
    DatabaseUnavailable,
    ExecutionError,
    QueryTimeout,
    ResultTooLarge,
    UnsafeSQLError,
)
from macsql.redaction import hide_password
from macsql.schema import Table

MAGIC = b"SQLite format 3\x00"
SMALLEST_LENGTH_LIMIT = 10_000_000
LARGEST_LENGTH_LIMIT = 50_000_000
STATEMENT_LIMIT = 1_000_000
PATTERN_LIMIT = 500

DRIVER_ERRORS = (sqlite3.Error, sqlite3.Warning, MemoryError, OverflowError, UnicodeEncodeError)

# PRAGMAs that the full-text modules ask for when they are used.
_INTERNAL_PRAGMAS = frozenset({"data_version", "page_size"})
_UNSTOPPABLE = frozenset({"printf", "format"})
_CATALOGS = frozenset({"sqlite_master", "sqlite_temp_master"})
_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "is locked by another program. Close that program, or try again later.",
    sqlite3.SQLITE_LOCKED: "is locked by another program. Close that program, or try again later.",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check the permissions of the file and its folder.",
    sqlite3.SQLITE_PERM: "cannot be read. Check the permissions of the file.",
    sqlite3.SQLITE_IOERR: "cannot be read from disk. Check the disk, or use a copy.",
    sqlite3.SQLITE_NOTADB: "is not a SQLite database, or it is encrypted.",
    sqlite3.SQLITE_CORRUPT: "is damaged. Restore it from a backup, or recover it with sqlite3.",
}
_NEEDS_RECOVERY = (
    "was not closed properly by another program. Open it once with that program, then try again."
)


class SQLiteBackend:
    """A SQLite file. Nothing is ever created or changed, not even a side file of WAL mode.

    Every block has a fresh connection: a stopped or failed statement leaves nothing behind.
    """

    dialect = "sqlite"

    def __init__(
        self,
        path: Path,
        *,
        connect_timeout: float,
        text_errors: TextErrors = "replace",
        functions: frozenset[str] = frozenset(),
        catalog: bool = False,
    ) -> None:
        self._path = path
        self._functions = SQLITE_FUNCTIONS | functions
        self._catalog = catalog
        # Python's own decoder is faster, and fails in the driver's words.
        self._decode = str if text_errors == "strict" else partial(_decode, errors=text_errors)
        self._file = path.absolute()
        self.name = path.stem
        self.display_url = f"sqlite:///{hide_password(str(path))}"
        self._connect_timeout = connect_timeout
        self._check_file()
        self._length_limit = min(
            max(path.stat().st_size, SMALLEST_LENGTH_LIMIT), LARGEST_LENGTH_LIMIT
        )
        with self.reading(connect_timeout) as cursor:
            self._shadow = reflect.shadow_tables(cursor)

    def _check_file(self) -> None:
        try:
            status = self._path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise self._unavailable("is a folder. Give the path of the database file in it.")
            if not stat.S_ISREG(status.st_mode):
                raise self._unavailable("is not a file.")
            with self._path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError as error:
            raise self._unavailable("does not exist. Check the path.") from error
        except PermissionError as error:
            raise self._unavailable(_UNAVAILABLE[sqlite3.SQLITE_PERM]) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self._unavailable(f"cannot be opened: {reason}. Check the path.") from error
        if not head:
            raise self._unavailable("is empty: there is nothing to ask about.")
        if head != MAGIC:
            raise self._unavailable(_UNAVAILABLE[sqlite3.SQLITE_NOTADB])

    def _unavailable(self, why: str) -> DatabaseUnavailable:
        # What was meant for a server, with its password, may have come here as a path.
        shown = hide_password(repr(str(self._path))[1:-1])
        return DatabaseUnavailable(f"The database {shown} {why}")

    def _connect(self, sql: str) -> sqlite3.Connection:
        uri = self._file.as_uri() + "?mode=ro"
        # A reader of a WAL database makes side files, or fails in a read-only folder. Without a
        # log nobody is writing, so the file may be read as it is.
        if self._uses_wal() and not Path(f"{self._file}-wal").exists():
            uri += "&immutable=1"
        connection = sqlite3.connect(uri, uri=True, timeout=self._connect_timeout)
        try:
            connection.text_factory = self._decode
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            longest = longest_cell(sql, self._length_limit)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_LIMIT)
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, STATEMENT_LIMIT)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _uses_wal(self) -> bool:
        with self._file.open("rb") as file:
            return file.read(20)[18:20] == b"\x02\x02"

    @contextmanager
    def reading(self, seconds: float) -> Iterator[Cursor]:
        """A read-only cursor for our own statements; they are cancelled after ``seconds``."""
        with self._cursor("", seconds) as cursor:
            yield cursor

    @contextmanager
    def querying(
        self, sql: str, seconds: float, may_read: MayRead | None = None
    ) -> Iterator[Cursor]:
        """The same for a foreign statement: the engine itself refuses everything but queries, and
        what ``may_read`` does not allow.
        """
        refused = _UNSTOPPABLE if can_repeat(sql) else frozenset()
        authorize: Callable[..., int] = partial(self._authorize, refused)
        if may_read is not None:
            authorize = partial(_authorize_reading, may_read, authorize)
        with self._cursor(sql, seconds) as cursor:
            cursor.connection.set_authorizer(authorize)
            yield cursor

    @contextmanager
    def _cursor(self, sql: str, seconds: float) -> Iterator[sqlite3.Cursor]:
        try:
            connection = self._connect(sql)
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error, sql) from error
        watch = Watch(sql, seconds)
        connection.set_progress_handler(watch, watch.opcodes)
        try:
            yield connection.cursor()
        except DRIVER_ERRORS as error:
            if _code(error) != sqlite3.SQLITE_INTERRUPT:
                raise self._failure(error, sql) from error
            raise _stopped(watch) from error
        finally:
            connection.close()

    def _authorize(
        self,
        refused: frozenset[str],
        action: int,
        first: str | None,
        second: str | None,
        *_: str | None,
    ) -> int:
        """SQLite's own question, for each thing a statement does, whether it may."""
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            allowed = True
        elif action == sqlite3.SQLITE_READ:
            # Declaring a virtual table touches the catalog's ROWID; its contents stay closed.
            allowed = first not in _CATALOGS or second == "ROWID" or self._catalog
        elif action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            allowed = name in self._functions and name not in refused
        elif action == sqlite3.SQLITE_UPDATE:
            # Also part of declaring a virtual table; for a statement it is refused by SQLite.
            allowed = first == "sqlite_master"
        elif action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE):
            # The R-tree module prepares its writes when opened; query_only keeps them from running.
            allowed = first in self._shadow
        else:
            allowed = (
                action == sqlite3.SQLITE_PRAGMA and first in _INTERNAL_PRAGMAS and second is None
            )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def _failure(self, error: Exception, sql: str) -> DatabaseError:
        primary = _code(error) & 0xFF
        if _code(error) in (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY):
            return self._unavailable(_NEEDS_RECOVERY)
        if primary == sqlite3.SQLITE_READONLY:
            return UnsafeSQLError(f"The database is read-only: {error}.", sql=sql, reason="writes")
        if primary == sqlite3.SQLITE_AUTH or str(error).startswith("not authorized"):
            return UnsafeSQLError(
                f"The database refused it: {error}.", sql=sql, reason="not-authorized"
            )
        if primary in _UNAVAILABLE:
            return self._unavailable(_UNAVAILABLE[primary])
        if isinstance(error, OSError):
            return self._unavailable(f"cannot be opened: {error.strerror}. Check the path.")
        return ExecutionError(str(error) or "out of memory", sql=sql)

    def reflect(self, cursor: Cursor) -> tuple[Table, ...]:
        """Tables and views without value examples."""
        return reflect.read_tables(cursor)

    def read_views(self, cursor: Cursor) -> Mapping[str, str]:
        """The CREATE VIEW statement of each view."""
        return reflect.read_views(cursor)

    def sample(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterable[Sequence[Any]]:
        """About ``limit`` rows of ``columns``, spread over the table; long cells come cut."""
        return sampling.sample(cursor, table, columns, limit, source)

    def texts(
        self, cursor: Cursor, table: str, column: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct stored texts from a bounded part of the column."""
        return sampling.texts(cursor, table, column, limit, source)

    def equal_texts(
        self, cursor: Cursor, table: str, column: str, text: str, limit: int, source: str = ""
    ) -> Iterable[str]:
        """Up to ``limit`` distinct stored texts that equal ``text`` when case is ignored."""
        return sampling.equal_texts(cursor, table, column, text, limit, source)

    def stored_texts(
        self, cursor: Cursor, table: str, column: str, texts: Sequence[str], source: str = ""
    ) -> Iterable[str]:
        """Those of ``texts`` that the column has, letter for letter."""
        return sampling.stored_texts(cursor, table, column, texts, source)

    def version(self) -> Version | None:
        """The version of the file; None when it cannot be read."""
        return file_version(self._file)

    def row_span(self, cursor: Cursor, table: Table) -> tuple[int, int] | None:
        """The least and the greatest row number; None where rows cannot be read by number."""
        span = sampling.rowid_span(cursor, table)
        return span[1:] if span else None

    def texts_between(
        self,
        cursor: Cursor,
        table: Table,
        columns: Sequence[str],
        rows: tuple[int, int],
        limit: int,
    ) -> list[Sequence[Any]]:
        """Row numbers and texts of the first ``limit`` rows in a range of numbers."""
        return sampling.texts_between(cursor, table, columns, rows, limit)

    def all_texts(
        self, cursor: Cursor, table: Table, columns: Sequence[str], limit: int, source: str = ""
    ) -> Iterator[Sequence[Any]]:
        """The texts of the first ``limit`` rows of any table or view."""
        return sampling.all_texts(cursor, table, columns, limit, source)


def path_in_url(url: str) -> Path:
    """The file that a ``sqlite:///path`` URL names; percent escapes and options are understood,
    unless a file has exactly the name written.

    >>> path_in_url("sqlite:///data/my%20school.db?mode=ro").as_posix()
    'data/my school.db'
    """
    rest = url.partition("://")[2]
    if not rest.startswith("/"):
        raise ConfigError(
            "A SQLite URL has three slashes: sqlite:///file.db, or four before /path."
        )
    written = Path(rest[1:])
    if not rest[1:] or rest[1:] == ":memory:":
        raise ConfigError("A database in memory has nothing to ask about. Give a file.")
    return written if _exists(written) else Path(unquote(rest[1:].partition("?")[0]))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _authorize_reading(
    may_read: MayRead,
    otherwise: Callable[..., int],
    action: int,
    first: str | None,
    second: str | None,
    database: str | None,
    inside: str | None,
) -> int:
    """Refuse to read a column of a table that is hidden; the rest is asked ``otherwise``."""
    # A table of which no column is read may be a WITH query: it comes without a column.
    is_column = action == sqlite3.SQLITE_READ and bool(second) and first != "sqlite_master"
    if is_column and not may_read(first or "", inside):
        return sqlite3.SQLITE_DENY
    return otherwise(action, first, second, database, inside)


def _stopped(watch: Watch) -> BaseException:
    """Why a statement was interrupted."""
    if watch.is_out_of_memory:
        return ResultTooLarge(
            f"The query was stopped because it needs more than {MEMORY:,} bytes of memory: "
            "collect fewer rows.",
            sql=watch.sql,
        )
    if watch.is_out_of_time:
        return QueryTimeout(
            f"The query was stopped because it ran longer than {watch.seconds:g} seconds.",
            sql=watch.sql,
            seconds=watch.seconds,
        )
    # Ctrl-C was noticed inside the progress handler, and sqlite3 swallowed it there.
    return KeyboardInterrupt()


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0))


def _decode(stored: bytes, *, errors: TextErrors) -> str:
    return stored.decode("utf-8", errors=errors)
