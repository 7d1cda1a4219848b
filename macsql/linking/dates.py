"""Days: as a question writes them, and as columns store them."""

import re
from collections.abc import Iterable, Iterator

from macsql.database.value_keys import folded_words, value_key

Span = tuple[int, int]
"""Where characters begin and end."""

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_SHORT = {month[:3]: number for number, month in enumerate(MONTHS, 1)} | {"sept": 9}
_NUMBERS = _SHORT | {month: number for number, month in enumerate(MONTHS, 1)}
_MONTH = rf"(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_YEAR = r"[12]\d{3}\b(?![-./]\d)"
_YEAR_FIRST = re.compile(r"(?P<y>\d{4})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})(?P<mark>[-/.])(\d{1,2})(?P=mark)(\d{4})(?!\d)")
_DATE = re.compile(
    rf"\b(?:{_DAY}\s+(?:of\s+)?)?{_MONTH},?\s+(?:{_DAY},?\s+)?(?:of\s+|in\s+)?{_YEAR}"
    r"|(?<![\w.-])\d{4}([-/.])\d{1,2}\1\d{1,2}(?![\w-])"
    r"|(?<![\w.-])\d{1,2}([-/.])\d{1,2}\2\d{4}(?![\w-])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(\d+)(?:st|nd|rd|th)?")


def dates(line: str) -> Iterator[Span]:
    """Where a line has a month with its year, or a day in numbers.

    >>> line = "May 2023, or on the 4th of May, 2024, or 2023-05-04"
    >>> [line[start:end] for start, end in dates(line)]
    ['May 2023', '4th of May, 2024', '2023-05-04']
    """
    return (match.span() for match in _DATE.finditer(line))


def day_orders(text: str) -> tuple[list[str], ...]:
    """Year, month and day in the orders in which they may be stored; nothing if it is no one day.

    >>> day_orders("4th of May 2023")
    (['2023', '5', '4'], ['4', '5', '2023'], ['5', '4', '2023'])
    >>> day_orders("13/05/2023")[0], day_orders("04/05/2023")
    (['2023', '5', '13'], ())
    """
    day = _day_in_numbers(text) or _day_with_month(text)
    if day is None or not 1 <= day[1] <= 12 or not 1 <= day[2] <= 31:
        return ()
    y, m, d = map(str, day)
    return [y, m, d], [d, m, y], [m, d, y]


def _day_in_numbers(text: str) -> tuple[int, int, int] | None:
    if match := _YEAR_FIRST.fullmatch(text):
        return int(match["y"]), int(match["m"]), int(match["d"])
    if match := _YEAR_LAST.fullmatch(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        is_day_first = _is_day_first([text])
        if is_day_first is not None:
            return (year, second, first) if is_day_first else (year, first, second)
    return None


def _day_with_month(text: str) -> tuple[int, int, int] | None:
    words = [w for w in re.findall(r"\w+", text.casefold()) if w not in ("of", "the")]
    months = [_NUMBERS[w] for w in words if w in _NUMBERS]
    numbers = sorted((m[1] for w in words if (m := _NUMBER.fullmatch(w))), key=len)
    if len(words) != 3 or len(months) != 1 or len(numbers) != 2 or len(numbers[1]) != 4:
        return None
    return int(numbers[1]), months[0], int(numbers[0])


def day_keys(year: str, month: str, day: str) -> Iterator[tuple[str, bool]]:
    """The keys of a day as it may be stored, and whether each can be of no other day.

    >>> [key for key, _ in day_keys("2023", "9", "4")]
    ['2023 4 9', '20230904', '2023 4 september', '2023 4 sep', '2023 4 sept']
    """
    yield value_key(f"{year} {month} {day}"), False
    yield f"{year}{month:0>2}{day:0>2}", True
    for name, number in ((MONTHS[int(month) - 1], int(month)), *_SHORT.items()):
        if number == int(month):
            yield value_key(f"{day} {name} {year}"), True


def stored_orders(text: str, texts: Iterable[str]) -> tuple[int, ...]:
    """Which of the orders of ``day_orders`` a text of a column may have, by the others there.

    Nothing is known of 04/05/2023 where no other text has a number above 12.

    >>> stored_orders("2023-05-04", []), stored_orders("04/05/2023", ["13/05/2023"])
    ((0,), (1,))
    >>> stored_orders("04/05/2023", ["05/06/2023", "13.05.2023"])
    ()
    """
    match = _YEAR_LAST.match(text)
    if match is None:
        return (0,)
    if match[1] == match[3]:
        return 1, 2
    alike = [t for t in texts if (m := _YEAR_LAST.match(t)) and m["mark"] == match["mark"]]
    is_day_first = _is_day_first([text, *alike])
    return () if is_day_first is None else (1,) if is_day_first else (2,)


def _is_day_first(texts: Iterable[str]) -> bool | None:
    """Whether the day comes before the month; None when nothing tells, or all sorts of things."""
    found = [match for t in texts if (match := _YEAR_LAST.match(t))]
    day_first = any(int(match[1]) > 12 for match in found)
    month_first = any(int(match[3]) > 12 for match in found)
    if day_first != month_first:
        return day_first
    # With dots the month is hardly ever first.
    return True if not day_first and all(match["mark"] == "." for match in found) else None


def numbers_of(text: str) -> list[str]:
    """The numbers in a text, without leading zeros.

    >>> numbers_of("AB-012, 7"), numbers_of("Berlin")
    (['12', '7'], [])
    """
    return [w for w in folded_words(text) if w[0].isdigit()] if not text.isalpha() else []
