"""When one text stands for another: the same but for how it is written, or in other words."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from rapidfuzz.distance import OSA

from macsql.database.value_keys import value_key
from macsql.regions import other_names
from macsql.schema import Column
from macsql.spelling import is_misspelling

StoredValues = Callable[[str, str, str], Sequence[str] | None]
"""(table, column, text) → stored values of that column that are like the text, best first; None
where it is not known what is stored."""

CLOSE = 0.8
SHORT_FORMS = (
    (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")),
    (("male", "female"), ("man", "woman"), ("m", "f")),
)
"""Pairs of texts for the same two things; a column has the one pair or another."""
_DIGITS = {"1": {pair[0] for pair in SHORT_FORMS[0]}, "0": {pair[1] for pair in SHORT_FORMS[0]}}
_NO_WORD = re.compile(r"[\W_]+")
_SIGN = re.compile(r"(?:(?<=\s)|^)-(?=\d)|-$|[^\w\s-]")
_KEPT = frozenset("-/@&%#*")
_SHORTEST_CUT = 3
"""Letters before the dot of a word cut short: "Dr." and "Co." are words of their own."""


def is_same(one: str, other: str) -> bool:
    """Whether case, spaces and punctuation are all that differs.

    Signs are no punctuation, nor is what stands before a digit, or a sign at the end.

    >>> is_same("st johns", "St. John's"), is_same("1.12", "11.2"), is_same("A", "A+")
    (True, False, False)
    """
    return (
        plain(one) == plain(other)
        and _signs(one) == _signs(other)
        and _numbers(one) == _numbers(other)
    )


def is_like(one: str, other: str) -> bool:
    """Whether accents, a plural or a slip of the pen make the difference: it may be meant."""
    if _signs(one) != _signs(other):
        return False
    return value_key(one) == value_key(other) or is_misspelling(one, other)


def likeness(one: str, other: str) -> float:
    """From 0 to 1; 0 where the numbers differ, since that is another thing."""
    one, other = plain(one), plain(other)
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return 0.0
    return 1 - int(OSA.distance(one, other)) / max(len(one), len(other), 1)


def plain(text: str) -> str:
    """The text without case, spaces and punctuation; a text of nothing else stays."""
    if text.isascii():
        return _NO_WORD.sub("", text).casefold() or text
    folded = unicodedata.normalize("NFC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LMN") or text


def same_meaning(text: str, table: str, column: str, values: StoredValues) -> dict[str, bool]:
    """Stored texts of the column that say the same in other words, and whether that is certain.

    Those are other names of a country or state ("USA", "United States"), certain where the column
    is named for them; short forms of yes and no or of male and female where the column has both;
    and words cut short ("Comp. Sci."), which may be others.

    >>> same_meaning("Female", "person", "sex", lambda table, column, text: ["F", "M"])
    {'F': True}
    >>> same_meaning("french", "team", "country", lambda table, column, text: ["Fiji", "France"])
    {'France': True}
    """

    def near(asked: str) -> Sequence[str]:
        return values(table, column, asked) or ()

    found = {
        stored: name.is_certain(column, table)
        for name in other_names(text)
        if name.fits(column, table)
        for stored in near(name.text)
        if name.is_written(stored)
    }
    if not found:
        found = dict.fromkeys(_short_forms(text, near), True)
    if not found:
        cut = " ".join(f"{word[:4]}." for word in text.split())
        found = {s: False for s in (*near(text), *near(cut)) if _is_cut_short(s, text)}
    return found


def as_digit(text: str, column: Column) -> str:
    """The 1 or 0 of a column of nothing else that a yes or a no stands for; else nothing."""
    known = {example for example in column.examples if example is not None}
    if known != {0, 1} or any(isinstance(example, str) for example in known):
        return ""
    return next((digit for digit, said in _DIGITS.items() if text.casefold() in said), "")


def _signs(text: str) -> list[str]:
    """What is neither word nor punctuation, and a plus or minus that is one of a number or grade.

    >>> _signs("-15.5 %"), _signs("AB-12"), _signs("A-"), _signs("👍 ok")
    (['-', '%'], [], ['-'], ['👍'])
    """
    return [sign[0] for sign in _SIGN.finditer(text.strip()) if not _is_punctuation(sign[0])]


def _is_punctuation(sign: str) -> bool:
    return sign not in _KEPT and unicodedata.category(sign) not in ("Sm", "Sc", "So")


def _numbers(text: str) -> list[str]:
    """Each number with the sign before it: 1-5 is no 1.5."""
    return re.findall(r"[-.,:/]?\d+", text)


def _short_forms(text: str, near: Callable[[str], Sequence[str]]) -> Iterator[str]:
    wanted = text.casefold()
    for family in SHORT_FORMS:
        for side in (0, 1):
            if wanted not in {pair[side] for pair in family}:
                continue
            for pair in family:
                stored = [[v for v in near(form) if v.casefold() == form] for form in pair]
                if wanted not in pair and all(stored):
                    yield from stored[side]


def _is_cut_short(one: str, other: str) -> bool:
    """Whether the one is the other, some words of it cut short and marked with a dot."""
    if "." in one:
        short, words = one.split(), other.split()
    elif "." in other:
        short, words = other.split(), one.split()
    else:
        return False
    return len(short) == len(words) and all(
        s.casefold() == w.casefold() or _is_cut(s, w) for s, w in zip(short, words, strict=True)
    )


def _is_cut(short: str, word: str) -> bool:
    beginning = short.removesuffix(".").casefold()
    is_marked = short.endswith(".") and len(beginning) >= _SHORTEST_CUT
    return is_marked and word.casefold().startswith(beginning)
