"""The result of one executed query."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of an executed query, within the row, byte and cell limits.

    ``types`` are the Python type names of the values in each column ("NoneType" when all NULL).
    ``truncated`` is true when the database had more rows, or a cell was cut.
    ``seconds`` is the time from sending the statement to the last row read.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    seconds: float = 0.0
