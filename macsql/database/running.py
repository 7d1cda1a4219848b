"""Running one statement as it is, and reading its rows within limits."""

import time
from dataclasses import dataclass
from typing import Any

from macsql.database.engines import Backend, Cursor
from macsql.database.result import Result, type_names
from macsql.errors import ConfigError, ResultTooLarge

CELL_BYTES = 40
LARGEST_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may cost: seconds, rows, bytes in all, characters (or bytes) of one cell."""

    timeout: float
    max_rows: int
    max_bytes: int
    max_cell: int

    def __post_init__(self) -> None:
        for name in ("timeout", "max_rows", "max_bytes", "max_cell"):
            value = getattr(self, name)
            if not value > 0:
                raise ConfigError(f"{name} must be greater than 0, not {value!r}.")


def run(backend: Backend, sql: str, limits: Limits) -> Result:
    """Execute ``sql`` as it is, behind the engine's own lock, and read what the limits allow."""
    started = time.monotonic()
    with backend.querying(sql, limits.timeout) as cursor:
        cursor.execute(sql)
        columns = tuple(str(column[0]) for column in cursor.description or ())
        rows, truncated = _read_rows(cursor, limits)
    return Result(
        columns=columns,
        types=type_names(rows, len(columns)),
        rows=rows,
        truncated=truncated,
        seconds=time.monotonic() - started,
    )


def _read_rows(cursor: Cursor, limits: Limits) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """The rows within the limits, one at a time: a cell may be large before it is cut."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    truncated = False
    while (row := cursor.fetchone()) is not None:
        cut = tuple(_cut(cell, limits.max_cell) for cell in row)
        size += sum(_size(cell) for cell in cut)
        if len(rows) >= limits.max_rows or size > limits.max_bytes:
            return tuple(rows), True
        truncated = truncated or cut != row
        rows.append(cut)
    return tuple(rows), truncated


def fetch(backend: Backend, sql: str, limits: Limits) -> Result:
    """The same with every row as the driver gives it, or ResultTooLarge."""
    started = time.monotonic()
    rows: list[tuple[Any, ...]] = []
    size, wanted = 0, 1
    with backend.querying(sql, limits.timeout) as cursor:
        cursor.execute(sql)
        columns = tuple(str(column[0]) for column in cursor.description or ())
        # Few rows at first, since each may hold a cell of any length.
        while chunk := cursor.fetchmany(wanted):
            rows += chunk
            size += CELL_BYTES * len(chunk) * len(columns)
            size += sum(len(c) for row in chunk for c in row if isinstance(c, str | bytes))
            if len(rows) > limits.max_rows or size > limits.max_bytes:
                raise ResultTooLarge(
                    f"The result is too large: more than {limits.max_rows:,} rows or "
                    f"{limits.max_bytes:,} bytes.",
                    sql=sql,
                )
            wanted = min(2 * wanted, LARGEST_CHUNK)
    return Result(columns, (), tuple(rows), seconds=time.monotonic() - started)


def _cut(cell: Any, longest: int) -> Any:
    is_long = isinstance(cell, str | bytes) and len(cell) > longest
    return cell[:longest] if is_long else cell


def _size(cell: Any) -> int:
    return len(cell) if isinstance(cell, str | bytes) else 8
