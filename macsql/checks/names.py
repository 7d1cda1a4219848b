"""How alike two names are, as a person would judge it, and the nearest of several names."""

import math
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", re.UNICODE)
_SAME_WORDS = (
    {"id", "code", "identifier", "key"},
    {"number", "num", "no", "nr", "count", "cnt", "nbr"},
    {"name", "title", "label"},
    {"description", "desc", "details", "text"},
    {"amount", "amt", "total", "sum"},
    {"quantity", "qty"},
    {"date", "day", "time", "datetime"},
    {"phone", "telephone", "tel"},
    {"address", "addr", "street"},
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
    {"cost", "price"},
    {"town", "city"},
    {"movie", "film"},
    {"song", "track"},
    {"singer", "artist"},
    {"begin", "start", "from"},
    {"end", "finish", "to"},
)
_UMLAUTS = str.maketrans(
    {umlaut: f"{plain}e" for umlaut, plain in zip("äöøü", "aoou", strict=True)}
)
_GENERIC = frozenset({"id", "identifier", "code", "key", "name", "number", "num", "no", "nr"})
"""Words that a name may have or lack and still be of the same thing."""
_EMPTY = frozenset({"of", "the", "a", "an"})
_UNITS = frozenset({"mm", "cm", "km", "kg", "lb", "usd", "eur", "pct", "percent", "sec", "ms"})


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
        best = max(left, key=lambda other: _word_likeness(word, other))
        score += _word_likeness(word, best)
        left.remove(best)
    return 0.92 * score / len(small) * math.sqrt(len(small) / len(large))


def _word_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if any(one in group and other in group for group in _SAME_WORDS):
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


@lru_cache(maxsize=65536)
def is_correction(
    wrong: str, right: str, table: str = "", said: frozenset[str] = frozenset()
) -> bool:
    """Whether ``wrong`` is ``right`` written otherwise, and not the name of another thing.

    The words in which they differ must be slips of one another, short forms or synonyms; else only
    one may have words more: its table's name, or such as every column may have. Words of the
    question (``said``) are no slips.

    >>> is_correction("frist_name", "first_name"), is_correction("school_name", "name", "school")
    (True, True)
    >>> is_correction("weight_cm", "height_cm"), is_correction("max_budget", "min_budget")
    (False, False)
    """
    ours, theirs = words(wrong), words(right)
    one, other, owner = "".join(ours), "".join(theirs), words(table) if table else ()
    if one == other or _letters(wrong) & _letters(right):
        return True
    bare = "".join(word for word in ours if word not in owner)
    if _is_lengthened(bare, other, owner) or _is_lengthened(other, one, owner):
        return True
    if len(ours) != len(theirs) and 1 in (len(ours), len(theirs)) and _is_slip(one, other, 1):
        return True
    left, rest = [word for word in theirs if word not in _EMPTY], []
    for word in sorted(set(ours) - _EMPTY, key=lambda word: word not in theirs):
        partner = next((w for w in _by_likeness(word, left) if _is_same_word(word, w, said)), None)
        if partner is None:
            rest.append(word)
        else:
            left.remove(partner)
    if rest and left:
        rest = [word for word in rest if word not in owner]
        left = [word for word in left if word not in owner]
    more = {*_GENERIC, *owner, *(_UNITS if left else ())}
    return not (rest and left) and more.issuperset((*rest, *left))


def _letters(name: str) -> set[str]:
    """Its letters, also as they are written where there is no ö: as o or as oe."""
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", name.casefold()))
    plain = "".join(c for c in unicodedata.normalize("NFKD", letters) if c.isalnum())
    return {letters, plain, letters.translate(_UMLAUTS)}


def _by_likeness(word: str, others: Iterable[str]) -> list[str]:
    return sorted(others, key=lambda other: -_word_likeness(word, other))


def _is_lengthened(short: str, long: str, owner: tuple[str, ...]) -> bool:
    """``dname`` of the table department, ``countryname``: two words written as one."""
    initials = "".join(word[0] for word in owner)
    more = {*_GENERIC, *owner, "".join(owner), initials}
    if len(short) < 3 or len(short) >= len(long):
        return False
    return (long.startswith(short) and long[len(short) :] in more) or (
        long.endswith(short) and long[: -len(short)] in more
    )


def _is_same_word(wrong: str, right: str, said: frozenset[str]) -> bool:
    if wrong == right or any(wrong in group and right in group for group in _SAME_WORDS):
        return True
    if wrong.isdigit() or right.isdigit():
        return False
    short, long = sorted((wrong, right), key=len)
    if wrong in said and (right not in said) and wrong is short:
        return False
    if (len(short) >= 3 and long.startswith(short)) or _is_short_form(short, long):
        return True
    return wrong not in said and _is_slip(wrong, right, 2)


def _is_short_form(short: str, long: str) -> bool:
    """ "mgr" for "manager", and not "cost" for "coast": what follows the same beginning is
    shortened to its consonants.
    """
    if not _abbreviates(short, long) or len(short) > 0.75 * len(long):
        return False
    pairs = enumerate(zip(short, long, strict=False))
    same = next((i for i, (a, b) in pairs if a != b), len(short))
    return not any(letter in "aeiou" for letter in short[same:])


def _is_slip(one: str, other: str, most: int) -> bool:
    """Whether the letters differ as by a slip of the fingers, and not as two words do.

    >>> _is_slip("enrolmnt", "enrolment", 2), _is_slip("weight", "height", 2)
    (True, False)
    """
    longest = max(len(one), len(other))
    swapped = sorted(one) == sorted(other)
    if one[0] != other[0] or longest < 5 - swapped or any(c.isdigit() for c in one + other):
        return False
    distance = int(OSA.distance(one, other))
    if distance == 1 and len(one) == len(other) and not swapped:
        return longest >= 7  # one letter for another mostly makes another short word
    return distance <= (most if longest >= 9 else 1)


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
