"""What the words of a question are like, with names and values of the database taken out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from macsql.database.value_keys import stem
from macsql.linking.names import is_filler, words
from macsql.message import ValueMatch
from macsql.schema import Schema

_QUOTED = re.compile(r"(['\"“”‘’`])(?:(?!\1).){1,60}\1")
_NUMBER = re.compile(r"\b\d[\d,.]*\b")
_TOKEN = re.compile(r"[^\W\d_]+|\?")
_KEYS = frozenset(["id", "name"])
_WINDOW = 6
_MOST_WORDS = 100
"""A longer question is read to this word: the time grows with its length."""


def wording(question: str, schema: Schema, values: Iterable[ValueMatch] = ()) -> frozenset[str]:
    """Groups of words, of words at some distance, and of both with C, T and V for what names a
    column, a table (B: either) or a stored value.

    >>> from macsql.schema import Column, Table
    >>> school = Schema("sqlite", (Table("pupil", (Column("age", "INTEGER"),)),))
    >>> found = wording("What is the age of each pupil?", school)
    >>> "the C of each T" in found, "what is the" in found, "age .. each" in found
    (True, True, True)
    """
    plain = _NUMBER.sub(" num ", _QUOTED.sub(" valx ", question.lower()))
    said = ["^", *_TOKEN.findall(plain)[:_MOST_WORDS], "$"]
    masked = list(_masked(said, schema, values))
    counts = Counter(m for m in masked if m in "CTBV")
    return frozenset(
        [
            *_groups(said, (1, 2, 3)),
            *_distant(said),
            *(g for g in _groups(masked, (2, 3, 4, 5)) if set(g.split()) & set("CTBV")),
            *(f"#{mark}{min(count, 5)}" for mark, count in counts.items()),
        ]
    )


def _masked(said: Sequence[str], schema: Schema, values: Iterable[ValueMatch]) -> Iterator[str]:
    tables = {w for t in schema.tables for w in words(t.name)}
    columns = {w for t in schema.tables for c in t.columns for w in words(c.name)} | _KEYS
    stored = {w for v in values for w in words(v.phrase)}
    marks = [_mark(word, tables, columns, stored) for word in said]
    yield marks[0]
    # The words of one name, or of several side by side, are one mark.
    yield from (now for last, now in pairwise(marks) if now != last or now not in "CTBV")


def _mark(word: str, tables: set[str], columns: set[str], stored: set[str]) -> str:
    key = stem(word)
    if word == "valx" or (key in stored and not is_filler(word)):
        return "V"
    if key in _KEYS:
        return "C"
    if is_filler(word):
        return word
    if key in columns:
        return "B" if key in tables else "C"
    return "T" if key in tables else word


def _groups(said: Sequence[str], lengths: Sequence[int]) -> Iterator[str]:
    for n in lengths:
        for start in range(len(said) - n + 1):
            yield " ".join(said[start : start + n])


def _distant(said: Sequence[str]) -> Iterator[str]:
    for start, word in enumerate(said):
        for other in said[start + 2 : start + _WINDOW]:
            yield f"{word} .. {other}"
