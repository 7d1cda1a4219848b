"""Whether two results say the same in another form, judged by their rows alone."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import isfinite
from typing import Literal

Rows = Sequence[Sequence[object]]
Likeness = Literal["", "same", "repeated", "reordered", "wider", "narrower"]

MOST_ROWS = 5_000
FEWEST_DECIMALS = 2
_MOST_PAIRINGS = 200
_ROUNDING = re.compile(r"\b(?:round|cast|printf|format)\s*\(|::", re.IGNORECASE)


def is_rounded(*statements: str) -> bool:
    """Whether one of them may round its numbers.

    >>> is_rounded("SELECT a FROM t", "SELECT round(a, 1) FROM t"), is_rounded("SELECT a / 3")
    (True, False)
    """
    return any(_ROUNDING.search(sql) for sql in statements)


def likeness(gold: Rows, predicted: Rows, *, is_rounded: bool = False) -> Likeness:
    """How the predicted rows differ from the gold ones, when only in form.

    Numbers written as text, roundings and the order of columns do not matter. A number counts as
    rounded when it has two decimals or more, and with one where a statement rounds
    (``is_rounded``): 2.5 is not simply 2.4752. "same": the same
    rows in the same order; "reordered": in another order; "repeated": some are there more often
    in one of the two; "wider": there are further columns; "narrower": some are missing; "": other
    rows, or too many.

    >>> likeness([("a", 1.234)], [("1.23", "a")]), likeness([("a",)], [("a", 7)])
    ('same', 'wider')
    >>> likeness([(1,), (2,)], [(2,), (1,)]), likeness([(1,)], [(2,)])
    ('reordered', '')
    """
    if not gold or not predicted or max(len(gold), len(predicted)) > MOST_ROWS:
        return ""
    digits = _common_digits(gold, predicted, fewest=1 if is_rounded else FEWEST_DECIMALS)
    left, right = _plain(gold, digits), _plain(predicted, digits)
    if not left[0] or not right[0]:
        return ""
    if len(left[0]) < len(right[0]):
        return "wider" if _is_within(left, right) else ""
    if len(left[0]) > len(right[0]):
        return "narrower" if _is_within(right, left) else ""
    return _same_width(left, right)


def is_part(some: Rows, all_: Rows) -> bool:
    """Whether every row of ``some`` is among ``all_``, of which there are more.

    >>> is_part([(1,)], [(1,), (2,)]), is_part([(1,)], [(1,)])
    (True, False)
    """
    if not some or len(all_) > MOST_ROWS or len(some) >= len(all_):
        return False
    known = set(_plain(all_, None))
    return all(row in known for row in _plain(some, None))


_Row = tuple[Hashable, ...]


def _same_width(gold: list[_Row], predicted: list[_Row]) -> Likeness:
    found: Likeness = ""
    for order in _pairings(gold, predicted):
        projected = [tuple(row[i] for i in order) for row in predicted]
        if projected == gold:
            return "same"
        if Counter(projected) == Counter(gold):
            found = "reordered"
        elif set(projected) == set(gold):
            found = found or "repeated"
    return found


def _is_within(narrow: list[_Row], wide: list[_Row]) -> bool:
    for order in _pairings(narrow, wide):
        if {tuple(row[i] for i in order) for row in wide} == set(narrow):
            return True
    return False


def _pairings(narrow: list[_Row], wide: list[_Row]) -> Iterator[tuple[int, ...]]:
    """The ways to find each column of ``narrow`` among those of ``wide``, the plain one first."""
    wide_sets = [set(column) for column in zip(*wide, strict=True)]
    candidates = [
        [i for i, values in enumerate(wide_sets) if values == set(column)]
        for column in zip(*narrow, strict=True)
    ]
    tried = 0
    pending: list[tuple[int, ...]] = [()]
    while pending and tried < _MOST_PAIRINGS:
        chosen = pending.pop()
        tried += 1
        if len(chosen) == len(candidates):
            yield chosen
            continue
        place = len(chosen)
        free = [i for i in reversed(candidates[place]) if i not in (*chosen, place)]
        # The last one pushed is tried first: the column in the same place, where it fits.
        free += [place] * (place in candidates[place] and place not in chosen)
        pending += [(*chosen, i) for i in free]


def _plain(rows: Rows, digits: int | None) -> list[_Row]:
    width = len(rows[0]) if rows else 0
    return [tuple(_cell(c, digits) for c in row) for row in rows if len(row) == width]


def _cell(cell: object, digits: int | None) -> Hashable:
    number = _number(cell)
    if number is not None:
        return round(number, 6 if digits is None else digits) + 0.0
    if isinstance(cell, str):
        return cell.strip()
    return cell if isinstance(cell, Hashable) else repr(cell)


def _number(cell: object) -> float | None:
    if isinstance(cell, str):
        # Codes such as 007 and texts such as 1e5 or nan are no numbers here.
        plain = cell.strip().removeprefix("-")
        if not plain.replace(".", "", 1).isdecimal() or (plain[:1] == "0" and plain[1:2].isdigit()):
            return None
        cell = plain if cell.strip() == plain else f"-{plain}"
    if not isinstance(cell, int | float | str):
        return None
    try:
        value = float(cell)
    except (ValueError, OverflowError):
        return None
    return value if isfinite(value) else None


def _common_digits(gold: Rows, predicted: Rows, *, fewest: int) -> int | None:
    """Decimals of the side that was rounded to fewer; None where it has less than ``fewest``."""
    longest = [
        max((_decimals(c) for row in side for c in row), default=0) for side in (gold, predicted)
    ]
    fewer = min(longest)
    return fewer if fewer >= fewest else None


def _decimals(cell: object) -> int:
    if not isinstance(cell, float | str) or _number(cell) is None:
        return 0
    _, point, decimals = str(cell).strip().partition(".")
    return min(len(decimals.rstrip("0")) if "e" not in decimals else 6, 6) if point else 0
