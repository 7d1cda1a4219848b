"""Whether one name is another written otherwise, or the name of another thing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache
from itertools import permutations

from rapidfuzz.distance import OSA

from macsql.checks.names import LIKE_WORDS, SAME_WORDS, word_likeness, words

_UMLAUTS = str.maketrans(
    {umlaut: f"{plain}e" for umlaut, plain in zip("äöøü", "aoou", strict=True)}
)
_NUMBERS = frozenset({"number", "num", "no", "nr", "nbr"})
_IDENTIFIERS = frozenset({"id", "identifier", "code", "key", *_NUMBERS})
_GENERIC = frozenset({"name", "version", "at", "on", "is", "has", "flag"})
"""Words that a name may have or lack and still be of the same thing."""
_AMOUNTS = frozenset({"count", "cnt", "total", "title", *_IDENTIFIERS})
"""Words that the wrong name may have without need: ``page_count`` for ``pages``."""
_EMPTY = frozenset({"of", "the", "a", "an"})
_UNITS = frozenset(
    {
        *("mm", "cm", "m", "km", "kg", "g", "lb", "ft", "kmh", "mph"),
        *("usd", "eur", "pct", "percent", "h", "hr", "hour", "min", "minute", "sec", "ms"),
    }
)
_SHORT = 6
"""One letter more or less makes another word of a word shorter than this."""


class Sameness(IntEnum):
    """Whether two names are of one thing."""

    OTHER = 0
    LIKELY = 1
    SAME = 2


def is_correction(
    wrong: str, right: str, table: str = "", said: frozenset[str] = frozenset()
) -> bool:
    """Whether ``wrong`` may be ``right`` written otherwise, and not the name of another thing.

    >>> is_correction("frist_name", "first_name"), is_correction("school_name", "name", "school")
    (True, True)
    >>> is_correction("weight_cm", "height_cm"), is_correction("max_budget", "min_budget")
    (False, False)
    """
    return sameness(wrong, right, table, said) is not Sameness.OTHER


@lru_cache(maxsize=65536)
def sameness(
    wrong: str,
    right: str,
    table: str = "",
    said: frozenset[str] = frozenset(),
    is_key: bool = False,
) -> Sameness:
    """How certainly ``wrong`` is ``right`` written otherwise.

    The words in which they differ must be slips of one another, short forms or synonyms; else only
    one may have words more: its table's name, or such as every column may have. Words of the
    question (``said``) are no slips. Only a key (``is_key``) is called an id without need.

    >>> sameness("frist_name", "first_name").name, sameness("title", "name").name
    ('SAME', 'LIKELY')
    >>> sameness("age", "agency").name, sameness("year", "year_id").name
    ('OTHER', 'OTHER')
    """
    ours, theirs = words(wrong), words(right)
    one, other, owner = "".join(ours), "".join(theirs), words(table) if table else ()
    if one == other or _letters(wrong) & _letters(right) or _is_plural(wrong, right):
        return Sameness.SAME
    bare = "".join(word for word in ours if word not in owner)
    longer = {*_GENERIC, *(_IDENTIFIERS if is_key else ())}
    if _is_lengthened(bare, other, owner, longer):
        return Sameness.SAME
    if _is_lengthened(other, one, owner, {*_GENERIC, *_IDENTIFIERS}):
        return Sameness.SAME
    found = max(_by_words(ours, theirs, owner, said, is_key), _run_together(ours, theirs, said))
    if found is not Sameness.SAME and (
        _is_slip_as_a_whole(ours, theirs, said) or _is_slip_as_written(wrong, right, said)
    ):
        return Sameness.SAME if max(len(wrong), len(right)) >= _SHORT else Sameness.LIKELY
    return found


def _is_slip_as_a_whole(
    ours: tuple[str, ...], theirs: tuple[str, ...], said: frozenset[str]
) -> bool:
    one, other = "".join(ours), "".join(theirs)
    if len(ours) != len(theirs) and 1 in (len(ours), len(theirs)):
        return _is_slip(one, other, 1)
    is_said = bool((set(ours) - set(theirs)) & said)
    is_changed = len(one) == len(other) and sorted(one) != sorted(other)
    return (
        len(ours) + len(theirs) > 2 and not is_said and not is_changed and _is_slip(one, other, 1)
    )


def _is_slip_as_written(wrong: str, right: str, said: frozenset[str]) -> bool:
    """``scors`` for ``scores``: the singular of a slip is another word."""
    one, other = wrong.casefold(), right.casefold()
    if one in said or len(words(wrong)) != len(words(right)):
        return False
    is_changed = len(one) == len(other) and sorted(one) != sorted(other)
    return not is_changed and one.isascii() and _is_slip(one, other, 1)


def _is_plural(one: str, other: str) -> bool:
    """``ids`` for ``id``, which are too short to be seen as words in the plural."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long == f"{short}s"


def _by_words(
    ours: tuple[str, ...],
    theirs: tuple[str, ...],
    owner: tuple[str, ...],
    said: frozenset[str],
    is_key: bool,
) -> Sameness:
    """Each word with its partner; those without one must be needless."""
    left, rest, found = [word for word in theirs if word not in _EMPTY], [], [Sameness.SAME]
    for word in sorted(set(ours) - _EMPTY, key=lambda word: word not in theirs):
        graded = ((w, _same_word(word, w, said)) for w in _by_likeness(word, left))
        partner, grade = next(((w, g) for w, g in graded if g), ("", Sameness.OTHER))
        if partner:
            left.remove(partner)
            found.append(grade)
        else:
            rest.append(word)
    if rest and left:
        rest = [word for word in rest if not _is_owner(word, owner)]
        left = [word for word in left if not _is_owner(word, owner)]
    if rest and left:
        return Sameness.OTHER
    if (ours[0] in _NUMBERS) != (theirs[0] in _NUMBERS) and not (rest or left):
        found.append(Sameness.LIKELY)  # num_students is how many, student_no which
    found += [_needless(word, ours, owner, _AMOUNTS, is_key) for word in rest]
    found += [
        _needless(word, theirs, owner, _IDENTIFIERS if is_key else frozenset(), is_key)
        for word in left
    ]
    return min(found)


def _needless(
    word: str, name: tuple[str, ...], owner: tuple[str, ...], more: frozenset[str], is_key: bool
) -> Sameness:
    """Whether ``name`` is of the same thing without ``word``."""
    if word in _GENERIC or _is_owner(word, owner) or (word in _UNITS and word == name[-1]):
        return Sameness.SAME
    if word not in more:
        return Sameness.OTHER
    is_counted = word in {"count", "cnt"} or (word in _NUMBERS and word == name[0])
    return Sameness.SAME if is_key or is_counted else Sameness.LIKELY


def _is_owner(word: str, owner: tuple[str, ...]) -> bool:
    return any(_same_word(word, own, frozenset()) for own in owner)


def _run_together(ours: tuple[str, ...], theirs: tuple[str, ...], said: frozenset[str]) -> Sameness:
    """``custid`` for ``customer_id``, ``dname`` for ``dept_name``."""
    mine, others = ([w for w in name if w not in _EMPTY] for name in (ours, theirs))
    if len(mine) == 1 and len(others) == 2 and mine[0] not in said:
        whole, parts = mine[0], others
    elif len(others) == 1 and len(mine) == 2:
        whole, parts = others[0], mine
    else:
        return Sameness.OTHER
    return max(_splits(whole, parts, said), default=Sameness.OTHER)


def _splits(whole: str, parts: list[str], said: frozenset[str]) -> Iterator[Sameness]:
    for at in range(1, len(whole) - 1):
        start, end = whole[:at], whole[at:]
        for first, second in permutations(parts):
            if at == 1:
                is_initial = end == second == "name" and first.startswith(start)
                yield Sameness.LIKELY if is_initial else Sameness.OTHER
                continue
            grades = (_same_word(start, first, said), _same_word(end, second, said))
            is_plain = start == first or end == second or Sameness.SAME in grades
            yield min(grades) if is_plain else Sameness.OTHER


def _letters(name: str) -> set[str]:
    """Its letters, also as they are written where there is no ö: as o or as oe."""
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", name.casefold()))
    plain = "".join(c for c in unicodedata.normalize("NFKD", letters) if c.isalnum())
    return {letters, plain, letters.translate(_UMLAUTS)}


def _by_likeness(word: str, others: Iterable[str]) -> list[str]:
    return sorted(others, key=lambda other: -word_likeness(word, other))


def _is_lengthened(short: str, long: str, owner: tuple[str, ...], more: set[str]) -> bool:
    """``dname`` of the table department, ``countryname``: two words written as one."""
    initials = "".join(word[0] for word in owner)
    more = {*more, *owner, "".join(owner), initials}
    if len(short) < 3 or len(short) >= len(long):
        return False
    return (long.startswith(short) and long[len(short) :] in more) or (
        long.endswith(short) and long[: -len(short)] in more
    )


def _same_word(wrong: str, right: str, said: frozenset[str]) -> Sameness:
    if wrong == right or any(wrong in group and right in group for group in SAME_WORDS):
        return Sameness.SAME
    if any(wrong in group and right in group for group in LIKE_WORDS):
        return Sameness.LIKELY
    if wrong.isdigit() or right.isdigit():
        return Sameness.OTHER
    short, long = sorted((wrong, right), key=len)
    if wrong in said and (right not in said) and wrong is short:
        return Sameness.OTHER
    if is_short_form(short, long) or _is_past(short, long):
        return Sameness.SAME
    if _begins(short, long):
        return Sameness.LIKELY
    if wrong in said or not _is_slip(wrong, right, 2):
        return Sameness.OTHER
    is_plain = len(long) >= _SHORT or (len(long) == _SHORT - 1 and sorted(short) == sorted(long))
    return Sameness.SAME if is_plain else Sameness.LIKELY


def _is_past(short: str, long: str) -> bool:
    return len(short) > 3 and long in {f"{short}d", f"{short}ed"}


def _begins(short: str, long: str) -> bool:
    """ "emp" for "employee", and not "age" for "agency", "count" for "country": who cuts a word
    off ends with a consonant, and leaves much away.
    """
    return (
        len(short) >= 3
        and long.startswith(short)
        and len(long) - len(short) >= 3
        and short[-1] not in "aeiou"
    )


def is_short_form(short: str, long: str) -> bool:
    """ "mgr" for "manager", and not "cost" for "coast": what follows the same beginning is
    shortened to its consonants.

    >>> is_short_form("dst", "destination"), is_short_form("cost", "coast")
    (True, False)
    """
    share = len(short) / len(long)
    if share > 0.75 or share < (0.25 if len(short) >= 3 else 0.4) or short[0] != long[0]:
        return False
    rest = iter(long)
    if not all(letter in rest for letter in short):
        return False
    pairs = enumerate(zip(short, long, strict=False))
    same = next((i for i, (a, b) in pairs if a != b), len(short))
    return same < len(short) and not any(letter in "aeiou" for letter in short[same:])


def _is_slip(one: str, other: str, most: int) -> bool:
    """Whether the letters differ as by a slip of the fingers, and not as two words do.

    >>> _is_slip("enrolmnt", "enrolment", 2), _is_slip("weight", "height", 2)
    (True, False)
    """
    short, long = sorted((one, other), key=len)
    swapped = sorted(one) == sorted(other)
    if one[0] != other[0] or len(long) < 4 or any(c.isdigit() for c in one + other):
        return False
    distance = int(OSA.distance(one, other))
    if distance == 1 and len(one) == len(other) and not swapped:
        return len(long) >= 7  # one letter for another mostly makes another short word
    if long.startswith(short) and len(long) < _SHORT:
        return False  # "star" is a word, and "start" too
    return distance <= (most if len(long) >= 9 else 1)
