"""How likely it is that words of a question mean a certain cell.

The weights are those of a logistic regression on Spider's training questions (is the cell in a
condition of the gold query?), rounded; benchmarks/value_index.py measures what comes of them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from macsql.database.value_store import StoredValue
from macsql.linking.names import is_filler, words
from macsql.linking.phrases import Phrase, is_common, is_number
from macsql.schema import Schema

NEIGHBOURS = 3
"""Words before and after a phrase that may name its column."""

WEIGHTS = {
    "always": 1.0,
    "more words": 0.2,
    "as stored": 1.2,
    "quoted": 0.3,
    "short form": 0.5,
    "misspelt": 0.0,
    "other name": 0.0,
    "a code in small letters": -1.2,
    "number": -3.8,
    "common word": -1.9,
    "word of the schema": -2.9,
    "column named beside it": 1.2,
    "table named": 1.3,
    "different texts": -0.65,
    "different texts, one small word": -0.5,
    "primary key": -1.3,
}
MOST_TEXTS = 2.4
"""Of different texts, as a logarithm, where several words are the same: two names are equal by
chance more seldom than two words.
"""
OTHER_PLACES = 1.8
"""Taken off each time that the cells found for the same words are twice as many."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cell that words may stand for. ``way`` is how it was found: "key", "short" (one is a short
    form of the other), "other name" (of a country or state) or "misspelt".
    """

    phrase: Phrase
    value: StoredValue
    way: str = "key"

    @property
    def cell(self) -> tuple[str, str, str]:
        """Table, column and text: texts that are one but for their case are one cell."""
        return self.value.table, self.value.column, self.value.text.strip().casefold()


@dataclass(frozen=True, slots=True)
class Weighed:
    """``certainty`` is the probability that the words stand for the cell if it is the only one that
    they may stand for, ``score`` the same among all those found. ``is_column_named`` says that the
    column is named beside the words.
    """

    candidate: Candidate
    certainty: float
    score: float
    is_column_named: bool = False


class Question:
    """What candidates are weighed by: the words of the question and the names of the schema."""

    def __init__(self, text: str, phrases: Sequence[Phrase], schema: Schema) -> None:
        self._schema = schema
        self._stems = Counter(words(text))
        self._word_at = {p.start: words(p.text) for p in phrases if p.length == 1}
        names = (n for t in schema.tables for n in (t.name, *(c.name for c in t.columns)))
        self._column_words = {w for t in schema.tables for c in t.columns for w in words(c.name)}
        self._names = {word for name in names for word in words(name)}

    def weigh(self, found: Iterable[Candidate]) -> list[Weighed]:
        """Those in columns of the schema, weighed.

        A view is passed over when a table has the text: most likely it shows that table's.
        """
        known = [c for c in found if self._has_column(c.value)]
        in_tables = {c.value.text for c in known if not self._is_view(c.value)}
        shown = [c for c in known if not (self._is_view(c.value) and c.value.text in in_tables)]
        places = Counter(place for place, _ in {(c.phrase.place, c.cell) for c in shown})
        return [self._weighed(c, places[c.phrase.place]) for c in shown]

    def _has_column(self, value: StoredValue) -> bool:
        table = self._schema.table(value.table)
        return table is not None and table.column(value.column) is not None

    def _is_view(self, value: StoredValue) -> bool:
        table = self._schema.table(value.table)
        return table is not None and table.is_view

    def _weighed(self, candidate: Candidate, places: int) -> Weighed:
        evidence = self.evidence(candidate)
        total = sum(WEIGHTS[name] * amount for name, amount in evidence.items())
        return Weighed(
            candidate,
            _probability(total),
            _probability(total - OTHER_PLACES * math.log2(places)),
            is_column_named=evidence["column named beside it"] > 0,
        )

    def evidence(self, candidate: Candidate) -> dict[str, float]:
        """How much of each of the weighed things there is."""
        phrase, value = candidate.phrase, candidate.value
        is_one = phrase.length == 1
        is_small = phrase.text.islower() and not phrase.is_quoted
        table = self._schema.table(value.table)
        texts = math.log10(max(1, value.texts))
        if not is_one:
            texts = min(texts, MOST_TEXTS)
        return {
            "always": 1,
            "more words": min(phrase.length - 1, 2),
            "as stored": phrase.text == value.text,
            "quoted": phrase.is_quoted,
            "short form": candidate.way == "short",
            "misspelt": candidate.way == "misspelt",
            "other name": candidate.way == "other name",
            "a code in small letters": is_small
            and candidate.way == "key"
            and value.text.isupper()
            and len(value.text) <= 5,
            "number": is_number(phrase.text) and not phrase.dates,
            "common word": is_one and phrase.text[1:].islower() and is_common(phrase.text),
            "word of the schema": is_one and bool(self._names & set(words(phrase.text))),
            "column named beside it": self._named_beside(phrase, value.column),
            "table named": self._named(phrase, value.table),
            "different texts": texts,
            "different texts, one small word": texts * (is_one and is_small),
            "primary key": table is not None and value.column in table.primary_key,
        }

    def names_column_beside(self, phrase: Phrase) -> bool:
        """Whether the word just before or after a single word is one of a column's name."""
        return any(
            word in self._column_words
            for place in (phrase.start - 1, phrase.end)
            for word in self._word_at.get(place, ())
            if phrase.length == 1 and not is_filler(phrase.text)
        )

    def is_beside(self, phrase: Phrase, column: str) -> bool:
        """Whether the column's whole name stands just before or after the phrase."""
        names = words(column)
        count = len(names)
        return any(
            names
            == [w for place in range(start, start + count) for w in self._word_at.get(place, ())]
            for start in (phrase.start - count, phrase.end)
        )

    def _named_beside(self, phrase: Phrase, column: str) -> float:
        """The share of the column's words that stand just before or after the phrase."""
        around = range(phrase.start - NEIGHBOURS, phrase.end + NEIGHBOURS)
        beside = {
            word
            for place in around
            if not phrase.start <= place < phrase.end
            for word in self._word_at.get(place, ())
        }
        names = set(words(column))
        return len(names & beside) / len(names) if names else 0.0

    def _named(self, phrase: Phrase, table: str) -> float:
        """The share of the table's words that are elsewhere in the question."""
        rest = self._stems - Counter(words(phrase.text))
        names = [word for word in words(table) if not is_filler(word)]
        return sum(word in rest for word in names) / len(names) if names else 0.0


def _probability(total: float) -> float:
    return 1 / (1 + math.exp(-total))
