"""Whether a name is a misspelling of another, or another name that looks like it."""

from rapidfuzz.distance import OSA, Editops, Levenshtein

from macsql.database.value_keys import folded_words, stem, value_key
from macsql.regions import other_names

SHORTEST_MISSPELT = 5
SHORTEST_WITH_WRONG_LETTER = 7
"""Of two shorter words that differ in one letter, both are often words: Pride and Price."""
LONG = 8
"""Letters of a word that may have two errors."""
MAX_ERRORS = 2
OTHER_WORD = MAX_ERRORS + 1


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
    shortest = min(len(written), len(stored))
    if shortest < SHORTEST_MISSPELT or written[0] != stored[0] or not written.isalpha():
        return OTHER_WORD
    count = OSA.distance(written, stored)
    if count > (MAX_ERRORS if shortest >= LONG else 1) or other_names(written):
        return OTHER_WORD
    edits = Levenshtein.editops(written, stored)
    if sorted(written) == sorted(stored) and count == 1:
        return count
    wrong = [edit for edit in edits if edit.tag == "replace"]
    if wrong and (shortest < SHORTEST_WITH_WRONG_LETTER or len(wrong) > 1):
        return OTHER_WORD
    return OTHER_WORD if _is_another(edits, written, stored) else count


def _is_another(edits: Editops, written: str, stored: str) -> bool:
    """Whether the errors are those that make other words: at the end, or side by side.

    >>> pairs = [("antonio", "antonia"), ("daniel", "daniela"), ("hypertension", "hypotension")]
    >>> [_is_another(Levenshtein.editops(*pair), *pair) for pair in pairs]
    [True, True, True]
    """
    places = [edit.src_pos for edit in edits]
    has_wrong = any(edit.tag == "replace" for edit in edits)
    if has_wrong and len(places) > 1 and max(places) - min(places) <= 2:
        return True
    for edit in edits:
        is_last = max(edit.src_pos + 1, len(written)) == edit.src_pos + 1
        letter = stored[-1] if edit.tag == "insert" else written[-1]
        if is_last and (edit.tag == "replace" or letter in "aeio"):
            return True
    return False
