"""How alike two names are, as a person would judge it, and the nearest of several names."""

import math
import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", re.UNICODE)
SAME_WORDS = (
    {"id", "code", "identifier", "key"},
    {"number", "num", "no", "nr", "nbr"},
    {"count", "cnt"},
    {"description", "desc", "details", "text"},
    {"amount", "amt"},
    {"quantity", "qty"},
    {"date", "datetime"},
    {"phone", "telephone", "tel"},
    {"mail", "email"},
    {"address", "addr"},
    {"department", "dept", "dep"},
    {"kind", "type", "category"},
    {"year", "yr"},
    {"average", "avg", "mean"},
    {"first", "given", "fore", "f"},
    {"last", "family", "sur", "l"},
    {"sex", "gender"},
    {"nation", "country", "nationality"},
    {"customer", "client"},
    {"employee", "staff", "worker"},
    {"student", "pupil"},
    {"teacher", "instructor"},
    {"product", "item", "goods"},
    {"salary", "wage", "pay", "income"},
    {"town", "city"},
    {"zip", "postal"},
    {"movie", "film"},
    {"song", "track"},
    {"singer", "artist"},
    {"begin", "start", "from"},
    {"end", "finish", "to"},
    {"information", "info"},
)
LIKE_WORDS = (
    {"number", "num", "no", "nr", "count", "cnt", "nbr"},
    {"name", "title", "label"},
    {"amount", "amt", "total", "sum"},
    {"date", "day", "time", "datetime", "at", "on"},
    {"address", "addr", "street"},
    {"cost", "price"},
    {"is", "has", "flag"},
)
"""Words that often are of the same thing, but may well stand for two."""


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, folded and in the singular.

    >>> words("StudentIDs"), words("first_names"), words("Order Details")
    (('student', 'id'), ('first', 'name'), ('order', 'detail'))
    """
    name = re.sub(r"(?<=[A-Z])s(?![a-z])", "", name)
    found = _WORD.findall(name) or [name]
    return tuple(_singular(word.casefold()) for word in found)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def calls_rows(column: str, table: str) -> bool:
    """Whether a column says how the rows of its table are called.

    >>> calls_rows("Product_Name", "products"), calls_rows("lastName", "pupil")
    (True, True)
    >>> calls_rows("city_name", "pupil")
    False
    """
    *others, last = words(column)
    return last in {"name", "title"} and {*others} <= {*words(table), *_OF_PEOPLE}


_OF_PEOPLE = frozenset({"first", "last", "full", "given", "family"})


@lru_cache(maxsize=65536)
def similarity(wrong: str, right: str, table: str = "") -> float:
    """How likely ``right`` is what was meant by ``wrong``, in [0, 1]; ``table`` owns ``right``.

    A name may carry its table's name or leave it out.

    >>> similarity("student_name", "name", "student") > 0.9
    True
    >>> similarity("studentname", "student_name") > 0.9
    True
    >>> similarity("colour", "price") < 0.5
    True
    """
    if wrong.casefold() == right.casefold():
        return 1.0
    ours, theirs = words(wrong), words(right)
    if "".join(ours) == "".join(theirs):
        return 0.98
    spelled = _spelling("".join(ours), "".join(theirs))
    owner = set(words(table)) if table else set()
    return max(spelled, _by_words(ours, theirs), _without_owner(ours, theirs, owner))


def _spelling(ours: str, theirs: str) -> float:
    longest = max(len(ours), len(theirs))
    distance = int(OSA.distance(ours, theirs))
    if distance == 1 and longest >= 4:
        return 0.95
    ratio = 1 - distance / longest
    return 0.95 * ratio if ratio >= 0.6 else 0.6 * ratio


def _without_owner(ours: tuple[str, ...], theirs: tuple[str, ...], owner: set[str]) -> float:
    if not owner:
        return 0.0
    our_rest = tuple(w for w in ours if w not in owner)
    their_rest = tuple(w for w in theirs if w not in owner)
    if not our_rest or not their_rest or (our_rest, their_rest) == (ours, theirs):
        return 0.0
    if "".join(our_rest) == "".join(their_rest):
        return 0.94
    return 0.95 * max(
        _by_words(our_rest, their_rest), _spelling("".join(our_rest), "".join(their_rest))
    )


def _by_words(ours: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    """Each word paired with its best counterpart; words left over cost."""
    if sorted(ours) == sorted(theirs):
        return 0.95
    small, large = sorted((ours, theirs), key=len)
    left = list(large)
    score = 0.0
    for word in small:
        best = max(left, key=lambda other: word_likeness(word, other))
        score += word_likeness(word, best)
        left.remove(best)
    return 0.92 * score / len(small) * math.sqrt(len(small) / len(large))


def word_likeness(one: str, other: str) -> float:
    """How alike two words are, in [0, 1]."""
    if one == other:
        return 1.0
    if any(one in group and other in group for group in (*SAME_WORDS, *LIKE_WORDS)):
        return 0.9
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.9
    ratio = 1 - int(OSA.distance(one, other)) / len(long)
    if ratio >= 0.7:
        return float(ratio)
    return 0.8 if _abbreviates(short, long) else 0.0


def _abbreviates(short: str, long: str) -> bool:
    """ "usr" for "user", "nm" for "name": same beginning, letters in order, none of them new."""
    if len(short) < 2 or len(short) / len(long) < 0.4 or short[0] != long[0]:
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


def nearest(
    wrong: str, names: Iterable[str], *, table: str = "", at_least: float = 0.55, limit: int = 3
) -> list[tuple[str, float]]:
    """The names most like ``wrong`` with their similarity, best first.

    >>> nearest("usr_nm", ["user_name", "user_id", "city"])[0][0]
    'user_name'
    """
    scored = [(name, similarity(wrong, name, table)) for name in names]
    scored = [(name, score) for name, score in scored if score >= at_least]
    return sorted(scored, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))[:limit]
