"""The result of one executed query, and how its cells are written as JSON and as text."""

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

JS_SAFE_INTEGER = 2**53 - 1


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

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold, cells by ``to_jsonable``; the inverse of ``from_dict``.

        >>> Result(("a",), ("bytes",), ((b"hi",),)).to_dict()["rows"]
        [[{'base64': 'aGk='}]]
        """
        return {
            "columns": list(self.columns),
            "types": list(self.types),
            "rows": [[to_jsonable(cell) for cell in row] for row in self.rows],
            "truncated": self.truncated,
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Result":
        """Read what ``to_dict`` wrote. Raises ValueError on anything else."""
        try:
            return cls(
                columns=tuple(data["columns"]),
                types=tuple(data["types"]),
                rows=tuple(tuple(from_jsonable(cell) for cell in row) for row in data["rows"]),
                truncated=bool(data["truncated"]),
                seconds=float(data["seconds"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"Not a result: {error!r} is missing or of the wrong kind.") from error


def to_jsonable(cell: object) -> Any:
    """``cell`` as data that strict JSON can hold without loss.

    NULL, text, booleans, finite floats and integers a browser can hold stay as they are. The rest
    becomes an object with one key that names the type:

    ==============  =====================================================================
    bytes           ``{"base64": "aGk="}``
    float           ``{"float": "nan"}``, ``{"float": "inf"}``, ``{"float": "-inf"}``
    int             ``{"int": "9007199254740993"}`` beyond ±(2**53 - 1)
    Decimal         ``{"decimal": "1.20"}``
    date, time, …   ``{"date": "2024-07-01"}``, ``{"time": …}``, ``{"datetime": …}`` (ISO 8601)
    timedelta       ``{"timedelta": [days, seconds, microseconds]}``
    UUID            ``{"uuid": "…"}``
    list, tuple     ``{"list": [cells]}``;  dict  ``{"object": [[key, cell], …]}``
    anything else   ``{"text": str(cell)}``, the one encoding that loses the type
    ==============  =====================================================================

    >>> to_jsonable(float("nan")), to_jsonable(1.5), to_jsonable(None)
    ({'float': 'nan'}, 1.5, None)
    """
    if cell is None or isinstance(cell, str | bool):
        return cell
    for kind, tag, write in _WRITERS:
        if isinstance(cell, kind):
            return cell if _is_plain_number(cell) else {tag: write(cell)}
    return {"text": str(cell)}


def from_jsonable(data: Any) -> Any:
    """The cell that ``to_jsonable`` wrote. Raises ValueError on anything else.

    >>> from_jsonable({"decimal": "1.20"})
    Decimal('1.20')
    """
    if data is None or isinstance(data, str | bool | int | float):
        return data
    if isinstance(data, dict) and len(data) == 1:
        tag, value = next(iter(data.items()))
        if tag in _READERS:
            try:
                return _READERS[tag](value)
            except (ArithmeticError, TypeError, AttributeError) as error:
                raise ValueError(f"Not a cell: {data!r}") from error
    raise ValueError(f"Not a cell: {data!r}")


def to_text(cell: object, *, null: str = "NULL") -> str:
    """``cell`` for people and for CSV (there with ``null=""``): one text, never cut.

    Bytes are written as an SQL hex literal, dates in ISO 8601.

    >>> to_text(None), to_text(b"hi"), to_text(2.0), to_text("a")
    ('NULL', "x'6869'", '2.0', 'a')
    """
    if cell is None:
        return null
    if isinstance(cell, bytes | bytearray | memoryview):
        return f"x'{bytes(cell).hex()}'"
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)


def type_names(rows: tuple[tuple[Any, ...], ...], width: int) -> tuple[str, ...]:
    """Python type names for each of ``width`` columns, several joined by "|" in order of names.

    >>> type_names(((1, None), ("a", None)), 2)
    ('int|str', 'NoneType')
    """
    found: list[set[str]] = [set() for _ in range(width)]
    for row in rows:
        for names, cell in zip(found, row, strict=True):
            if cell is not None:
                names.add(type(cell).__name__)
    return tuple("|".join(sorted(names)) or "NoneType" for names in found)


def _is_plain_number(cell: object) -> bool:
    if isinstance(cell, int):
        return abs(cell) <= JS_SAFE_INTEGER
    return isinstance(cell, float) and math.isfinite(cell)


def _encode_bytes(cell: Any) -> str:
    return base64.b64encode(bytes(cell)).decode("ascii")


def _iso(cell: Any) -> str:
    return str(cell.isoformat())


# datetime is a date, so it comes first.
_WRITERS: tuple[tuple[type | tuple[type, ...], str, Callable[[Any], Any]], ...] = (
    (int, "int", str),
    (float, "float", str),
    ((bytes, bytearray, memoryview), "base64", _encode_bytes),
    (Decimal, "decimal", str),
    (datetime, "datetime", _iso),
    (date, "date", _iso),
    (time, "time", _iso),
    (timedelta, "timedelta", lambda cell: [cell.days, cell.seconds, cell.microseconds]),
    (UUID, "uuid", str),
    ((list, tuple), "list", lambda cell: [to_jsonable(item) for item in cell]),
    (dict, "object", lambda cell: [[str(k), to_jsonable(v)] for k, v in cell.items()]),
)

_READERS: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "base64": lambda value: base64.b64decode(value, validate=True),
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda value: timedelta(*value),
    "uuid": UUID,
    "list": lambda value: [from_jsonable(item) for item in value],
    "object": lambda value: {key: from_jsonable(item) for key, item in value},
    "text": str,
}
