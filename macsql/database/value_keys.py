"""What a text is looked up by: its words without case, accents, punctuation, order and plural."""

import re
import unicodedata
from functools import lru_cache

_LETTER = r"(?:[^\W\d_]|[\u0900-\u0965\u0970-\u109f\u1780-\u17df\u3099\u309a])"
"""Also the vowels of Indian and neighbouring scripts, which are marks."""
_WORD = re.compile(rf"{_LETTER}+|\d+")
_ACCENT = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
"""Marks that people leave out: those of Latin, Greek and Cyrillic letters, and vowel points."""
_APOSTROPHE = re.compile(r"(?<=\w)['’`´]s?(?=\W|$)|(?<=\w)['’`´](?=\w)")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_MIDNIGHT = re.compile(r"(?<=\d)[ T]00:00(:00(\.0+)?)?$")
INITIALS = "~"
"""Comes before the initials of several words where they serve as a key."""
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "þ": "th", "æ": "ae"}
    | {"œ": "oe", "ŋ": "n", "ĸ": "k"}
)
"""Letters that are no other letter with an accent, and are written so where they lack."""


def folded_words(text: str) -> list[str]:
    """The words and numbers of ``text``, without case, accents and punctuation.

    Letters with dots are one word, a possessive s is none, and numbers lose leading zeros.

    >>> folded_words("O'Brien's U.S.A. Café, AB-012"), folded_words("Łódź, Ørsted, Weiß")
    (['obrien', 'usa', 'cafe', 'ab', '12'], ['lodz', 'orsted', 'weiss'])
    """
    if text.isascii():
        plain = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        plain = _ACCENT.sub("", decomposed).translate(_LETTERS)
    if "." in plain:
        plain = _DOTTED.sub(lambda match: match[0].replace(".", ""), plain)
    if "'" in plain or not plain.isascii():
        plain = _APOSTROPHE.sub("", plain)
    words = _WORD.findall(plain)
    return [w.lstrip("0") or "0" if w[0] == "0" else w for w in words]


def value_key(text: str) -> str:
    """The key of ``text``; empty when it has no word.

    >>> value_key("Schools of the Lake, 2") == value_key("lake the of school 02")
    True
    """
    if text[-3:] == ":00" or text[-2:] == ".0":
        text = _MIDNIGHT.sub("", text)
    words = folded_words(text)
    return " ".join(sorted(map(stem, words))) if len(words) != 1 else stem(words[0])


def initials_key(text: str) -> str:
    """The key of the initials of two to five words; empty for anything else.

    >>> initials_key("United States of America"), initials_key("Paris")
    ('~usa', '')
    """
    words = [w for w in folded_words(text) if w not in ("of", "the", "and")]
    if not 2 <= len(words) <= 5 or any(w[0].isdigit() for w in words):
        return ""
    return INITIALS + "".join(w[0] for w in words)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A folded word without its plural ending.

    >>> [stem(w) for w in ("cities", "churches", "goalies", "class", "us")]
    ['city', 'church', 'goaly', 'class', 'us']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith("ie"):
        return word[:-2] + "y"
    if len(word) > 4 and word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
