"""Running gold and predicted SQL for comparison, each statement once, errors as plain words."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from macsql.database import Database
from macsql.database.engines import TextErrors
from macsql.database.running import CELL_BYTES
from macsql.errors import DatabaseError, MacSQLError, QueryTimeout, ResultTooLarge
from macsql.evaluation.compare import Rows
from macsql.evaluation.example import Rule
from macsql.schema import Schema

MAX_ROWS = 2_000_000
MAX_BYTES = 512_000_000
KEPT_BYTES = 64_000_000
KEPT_STATEMENTS = 20_000
OPEN_DATABASES = 64

TIMEOUT, OUT_OF_MEMORY, TOO_LARGE = "Timeout", "OutOfMemory", "TooLarge"

# Spider's script skips bytes that are not UTF-8; BIRD's uses the driver as it is, which fails.
_TEXT_ERRORS: dict[Rule, TextErrors] = {"spider": "ignore", "bird": "strict"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running one statement gave: all its rows, or None and the error."""

    rows: Rows | None
    seconds: float = 0.0
    error: str = ""
    error_kind: str = ""


class Results:
    """Results of statements on the databases of a benchmark; what was run lately is kept.

    Statements run read-only through the guard and the engine's own lock, like everything in macsql:
    of what SQLite runs, only what writes or reaches beyond the database is refused. Rows are read
    whole. A result over ``MAX_ROWS`` or ``MAX_BYTES`` cannot be compared and is an error.
    """

    def __init__(self, rule: Rule, *, timeout: float) -> None:
        self._rule = rule
        self._timeout = timeout
        self._databases: OrderedDict[str, Database] = OrderedDict()
        self._structures: dict[str, Schema] = {}
        self._kept: OrderedDict[tuple[str, str], tuple[Outcome, int]] = OrderedDict()
        self._size = 0

    def run(self, database: str, sql: str, starting: Callable[[], None]) -> Outcome:
        """The outcome of ``sql``; ``starting`` is called when it is really run."""
        key = (database, sql)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        starting()
        outcome = self._run(database, sql)
        self._keep(key, outcome)
        return outcome

    def _run(self, database: str, sql: str) -> Outcome:
        try:
            result = self.database(database).fetch_all(sql)
        except MemoryError:
            return Outcome(None, 0.0, "The memory limit was reached.", OUT_OF_MEMORY)
        except MacSQLError as error:
            return Outcome(None, 0.0, str(error), error_kind(error))
        return Outcome(result.rows, result.seconds)

    def seconds(self, database: str, sql: str) -> float:
        """How long ``sql`` takes now. Raises DatabaseError where it fails."""
        return self.database(database).fetch_all(sql).seconds

    def schema(self, database: str) -> Schema:
        """Tables, columns and keys. Raises DatabaseError where they cannot be read."""
        if database not in self._structures:
            self._structures[database] = self.database(database).read_structure()
        return self._structures[database]

    def database(self, path: str) -> Database:
        """The opened database. Raises DatabaseUnavailable or ConfigError."""
        if path not in self._databases:
            self._databases[path] = Database(
                path,
                timeout=self._timeout,
                max_rows=MAX_ROWS,
                max_bytes=MAX_BYTES,
                text_errors=_TEXT_ERRORS[self._rule],
            )
        self._databases.move_to_end(path)
        while len(self._databases) > OPEN_DATABASES:
            self._databases.popitem(last=False)
        return self._databases[path]

    def _keep(self, key: tuple[str, str], outcome: Outcome) -> None:
        size = len(key[1]) + _size(outcome.rows or ())
        if size > KEPT_BYTES // 4:
            return
        self._kept[key] = (outcome, size)
        self._size += size
        while self._size > KEPT_BYTES or len(self._kept) > KEPT_STATEMENTS:
            self._size -= self._kept.popitem(last=False)[1][1]


def error_kind(error: MacSQLError) -> str:
    """The word for it in ``Verdict.error_kind``: mostly the name of its class."""
    if isinstance(error, QueryTimeout):
        return TIMEOUT
    if isinstance(error, ResultTooLarge):
        return TOO_LARGE
    if isinstance(error, DatabaseError) and isinstance(error.__cause__, MemoryError):
        return OUT_OF_MEMORY
    return type(error).__name__


def _size(rows: Rows) -> int:
    width = len(rows[0]) if rows else 0
    texts = sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
    return 2 * CELL_BYTES * (width + 1) * len(rows) + texts
