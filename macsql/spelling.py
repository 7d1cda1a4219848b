"""Whether a name is a misspelling of another, or another name that looks like it."""

from rapidfuzz.distance import OSA, Levenshtein

from macsql.database.value_keys import folded_words, stem, value_key
from macsql.regions import other_names

SHORTEST_MISSPELT = 5
SHORTEST_WITH_WRONG_LETTER = 7
"""Of two shorter words that differ in one letter, both are often words: Pride and Price."""
LONG = 8
"""Letters of a word that may have two errors."""
MAX_ERRORS = 2


def is_misspelling(written: str, stored: str) -> bool:
    """Whether ``written`` may be meant for ``stored``.

    A letter is one too many, one lacks, two are swapped, or in a long word one is wrong. Numbers,
    single letters, short words, and the names of countries and states say what they say.

    >>> is_misspelling("Britanny Harris", "Brittany Harris"), is_misspelling("Newyork", "New York")
    (True, True)
    >>> is_misspelling("Hepatitis B", "Hepatitis A"), is_misspelling("Ireland", "Iceland")
    (False, False)
    """
    if value_key(written) == value_key(stored) or other_names(written):
        return False
    ones, others = folded_words(written), folded_words(stored)
    if len(ones) != len(others):
        return "".join(ones) == "".join(others)
    pairs = [(stem(a), stem(b)) for a, b in zip(ones, others, strict=True)]
    errors = [_errors(a, b) for a, b in pairs if a != b]
    return 0 < sum(errors) <= MAX_ERRORS


def _errors(written: str, stored: str) -> int:
    """How many errors make the one word of the other; too many if it is another word.

    >>> _errors("brooklin", "brooklyn"), _errors("pride", "price"), _errors("open", "opens")
    (1, 3, 3)
    """
    other_word = MAX_ERRORS + 1
    shortest = min(len(written), len(stored))
    if shortest < SHORTEST_MISSPELT or written[0] != stored[0] or not written.isalpha():
        return other_word
    count = OSA.distance(written, stored)
    if count > (MAX_ERRORS if shortest >= LONG else 1) or other_names(written):
        return other_word
    wrong = sum(edit.tag == "replace" for edit in Levenshtein.editops(written, stored))
    is_swapped = sorted(written) == sorted(stored)
    if wrong and not is_swapped and (shortest < SHORTEST_WITH_WRONG_LETTER or wrong > 1):
        return other_word
    return count
