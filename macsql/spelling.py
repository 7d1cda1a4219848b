"""Whether one text is the other misspelt, or something else of a like name."""

from rapidfuzz.distance import OSA

from macsql.database.value_keys import folded_words
from macsql.regions import other_names

SHORTEST = 5
"""Letters from which a word may be misspelt; one letter for another from ``SURE`` on.

The first letter is nearly always right; where it differs it is "unpaid" for "paid"."""
SURE = 7


def is_misspelt(written: str, stored: str) -> bool:
    """Whether ``written`` may be a slip of the pen for ``stored``.

    At most one letter of a word is missing, doubled, changed or in its neighbour's place, two in
    words of twice ``SHORTEST``. Short words, numbers and letters that stand alone are names of
    their own, and so are countries.

    >>> is_misspelt("Hartfort", "Hartford"), is_misspelt("Amsterdm", "Amsterdam")
    (True, True)
    >>> is_misspelt("Hepatitis B", "Hepatitis A"), is_misspelt("Ireland", "Iceland")
    (False, False)
    >>> is_misspelt("unapproved", "approved"), is_misspelt("North Sea", "South Sea")
    (False, False)
    """
    one, other = folded_words(written), folded_words(stored)
    if len(one) != len(other) or (other_names(written) and other_names(stored)):
        return False
    return all(a == b or _is_slip(a, b) for a, b in zip(one, other, strict=True))


def _is_slip(one: str, other: str) -> bool:
    letters = min(len(one), len(other))
    if letters < SHORTEST or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    allowed = 2 if letters >= 2 * SHORTEST else 1
    is_changed = len(one) == len(other) and sorted(one) != sorted(other)
    if is_changed and letters < SURE:
        return False
    return bool(OSA.distance(one, other, score_cutoff=allowed) <= allowed)
