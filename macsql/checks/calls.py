"""Calls of other dialects whose meaning depends on an argument, and templates to write them by."""

import re
from collections.abc import Callable

_PLACE = re.compile(r"\{(?:(\d)|\((\d)\)|(\*)|(\|\|))\}")
_SIMPLE = re.compile(r"""[\w.]+(?:\([^()]*\))?|'(?:[^']|'')*'|"[^"]*\"""")


def filled(template: str, arguments: list[str]) -> str:
    """A template with its arguments, which keep together beside an operator.

    >>> filled("({(0)} IS NULL)", ["a OR b"]), filled("({||})", ["a", "b + 1"])
    ('((a OR b) IS NULL)', '(a || (b + 1))')
    """

    def write(place: re.Match[str]) -> str:
        if place[1]:
            return arguments[int(place[1])]
        if place[2]:
            return operand(arguments[int(place[2])])
        return ", ".join(arguments) if place[3] else " || ".join(map(operand, arguments))

    return _PLACE.sub(write, template)


def operand(argument: str) -> str:
    """An argument as it can stand beside an operator."""
    return argument if _SIMPLE.fullmatch(argument) else f"({argument})"


def _first_part(name: str, arguments: list[str]) -> str | None:
    """SPLIT_PART(x, ' ', 1) and SUBSTRING_INDEX(x, ' ', 1): what stands before the first sign."""
    if len(arguments) != 3 or arguments[2] != "1" or not re.fullmatch(r"'[^']+'", arguments[1]):
        return None
    return filled("SUBSTR({0}, 1, INSTR({(0)} || {1}, {1}) - 1)", arguments)


def _padded(name: str, arguments: list[str]) -> str | None:
    """LPAD(x, 5, '0') fills up from the left, and cuts off what is longer."""
    if len(arguments) != 3 or not re.fullmatch(r"'[^']'", arguments[2]):
        return None
    if not re.fullmatch(r"[1-9]|[1-5]\d", arguments[1]):
        return None
    signs = "'" + arguments[2][1] * int(arguments[1]) + "'"
    template = (
        "CASE WHEN LENGTH({0}) > {1} THEN SUBSTR({0}, 1, {1}) ELSE SUBSTR({2} || {(0)}, -{1}) END"
    )
    return filled(template, [arguments[0], arguments[1], signs])


def _cut(name: str, arguments: list[str]) -> str | None:
    """TRUNCATE(x, 2) cuts off where ROUND would round."""
    if len(arguments) != 2 or arguments[1] not in {"0", "1", "2", "3", "4"}:
        return None
    places = 10 ** int(arguments[1])
    template = "CAST({0} AS INTEGER)"
    if places > 1:
        template = f"(CAST({{(0)}} * {places} AS INTEGER) / {places}.0)"
    return filled(template, arguments)


def _with_commas(name: str, arguments: list[str]) -> str | None:
    """FORMAT(x, 2) of MySQL; that of SQLite has the format first."""
    if len(arguments) != 2 or arguments[0].startswith("'") or not arguments[1].isdigit():
        return None
    number, places = arguments[0], int(arguments[1])
    return f"CASE WHEN {operand(number)} IS NOT NULL THEN PRINTF('%,.{places}f', {number}) END"


_TYPE = re.compile(
    r"(?:N?VARCHAR|N?CHAR|TEXT|(?:BIG|SMALL|TINY)?INT|INTEGER|DECIMAL|NUMERIC|FLOAT|REAL)"
    r"(?:\([\d, ]+\))?",
    re.IGNORECASE,
)


def _converted(name: str, arguments: list[str]) -> str | None:
    """CONVERT(INT, x) of SQL Server."""
    if len(arguments) != 2:
        return None
    if arguments[0].upper() in {"DATE", "DATETIME", "TIME"}:
        return f"{arguments[0].upper()}({arguments[1]})"
    if not _TYPE.fullmatch(arguments[0]) or _TYPE.fullmatch(arguments[1]):
        return None
    kind = "TEXT" if "CHAR" in arguments[0].upper() else arguments[0]
    return f"CAST({arguments[1]} AS {kind})"


def _cast(name: str, arguments: list[str]) -> str | None:
    """TRY_CAST(x AS INT)."""
    is_cast = len(arguments) == 1 and re.search(r"\sAS\s", arguments[0], re.IGNORECASE)
    return f"CAST({arguments[0]})" if is_cast else None


CALLS: dict[str, Callable[[str, list[str]], str | None]] = {
    **dict.fromkeys(("split_part", "substring_index"), _first_part),
    **dict.fromkeys(("try_cast", "safe_cast"), _cast),
    "convert": _converted,
    "format": _with_commas,
    "lpad": _padded,
    "truncate": _cut,
}
"""By name, what SQLite writes for a call with these arguments; None where it cannot be said."""
