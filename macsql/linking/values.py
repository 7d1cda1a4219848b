"""Which stored values a question mentions: its groups of words looked up among the cells.

What is found is weighed, since it is shown to the model as a fact: how the words are written, how
telling they are, and whether the question names the column too. The weights are those of a logistic
regression on Spider's training questions (is the cell in the gold query's condition?), rounded.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import OSA

from macsql.database.value_keys import INITIALS, folded_words
from macsql.database.value_store import StoredValue
from macsql.linking.names import is_filler, words
from macsql.linking.phrases import Phrase, is_common, is_number, read_phrases
from macsql.message import ValueMatch
from macsql.schema import Schema

MAX_MATCHES = 6
THRESHOLD = 0.4
"""How likely it must be that a group of words stands for one of the cells found for it."""
RIVAL = 0.7
"""A place less likely than this share of the best place for the same words is not shown."""
MAX_MISSPELT = 6
"""Groups of words of one question that are looked for with spelling errors."""
NEIGHBOURS = 3
SHORTEST_MISSPELT = 5

_WEIGHTS = {
    "always": 1.0,
    "more words": 0.2,
    "as stored": 1.2,
    "quoted": 0.3,
    "short form": 0.5,
    "misspelt": 1.0,
    "a code in small letters": -1.2,
    "number": -3.8,
    "common word": -1.9,
    "word of the schema": -2.9,
    "column named beside it": 1.2,
    "table named": 1.3,
    "other places": -1.8,
    "different texts": -0.65,
    "different texts, one small word": -0.5,
    "primary key": -1.3,
}
_LETTERS = {
    **dict.fromkeys(("male", "men", "man", "boy"), "m"),
    **dict.fromkeys(("female", "women", "woman", "girl"), "f"),
}
"""Words that a column of single letters stands for, if it has both letters."""


class StoredValues(Protocol):
    """Where cells are looked up."""

    def find(self, keys: Iterable[str]) -> Sequence[tuple[str, StoredValue]]:
        """The texts with one of the keys, each with the key it was found by."""
        ...

    def near(self, text: str) -> Sequence[StoredValue]:
        """The texts that are spelt like ``text``, the likest first."""
        ...


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A cell that words may stand for. ``way`` is how it was found: "key", "short" (one is a short
    form of the other) or "misspelt".
    """

    phrase: Phrase
    value: StoredValue
    way: str = "key"


def link_values(
    question: str, evidence: str, schema: Schema, stored: StoredValues
) -> tuple[ValueMatch, ...]:
    """The cells that a group of words of the question stands for, best first; at most six.

    Case, accents, punctuation, plural, word order and a spelling error may differ. A group inside a
    longer one that was found is not shown. ``score`` is about how likely it is that the answer
    needs a condition on that cell.
    """
    text = f"{question}\n{evidence}"
    phrases = read_phrases(text)
    asked = _Question(text, phrases, schema)
    scored = asked.scores(_candidates(phrases, stored))
    taken = [c.phrase for c, score in scored if score >= THRESHOLD]
    scored += asked.scores(_misspelt(phrases, taken, stored))
    return tuple(
        ValueMatch(c.value.table, c.value.column, c.value.text, c.phrase.text, round(score, 3))
        for c, score in _chosen(scored)[:MAX_MATCHES]
    )


def _candidates(phrases: Sequence[Phrase], stored: StoredValues) -> list[_Candidate]:
    """The cells that have the key of a phrase, or that it is a short form of, or reversely."""
    wanted: dict[str, list[tuple[Phrase, str]]] = defaultdict(list)
    for phrase in phrases:
        if _says_nothing(phrase):
            continue
        for key, way in _keys(phrase):
            wanted[key].append((phrase, way))
    found = stored.find(wanted)
    letters = _columns_of_letters(found)
    return [
        _Candidate(phrase, value, way)
        for key, value in found
        for phrase, way in wanted[key]
        if _fits(phrase, value, way, letters)
    ]


def _says_nothing(phrase: Phrase) -> bool:
    """Whether the phrase is made of small words that every question has."""
    if phrase.is_quoted or phrase.is_capital:
        return False
    return all(is_common(word) for word in phrase.text.split())


def _keys(phrase: Phrase) -> Iterator[tuple[str, str]]:
    yield phrase.key, "key"
    letters = phrase.text.replace(".", "")
    if phrase.length == 1 and letters.isalpha() and letters.isupper() and 2 <= len(letters) <= 4:
        yield INITIALS + phrase.key, "short"
        is_of_america = phrase.key.endswith("a")
        yield (phrase.key[:-1] if is_of_america else phrase.key + "a"), "short"
    if letter := _LETTERS.get(phrase.key):
        yield letter, "letter"
        yield "mf".replace(letter, ""), "other letter"


def _columns_of_letters(found: Sequence[tuple[str, StoredValue]]) -> set[tuple[str, str]]:
    """The columns that hold M and F, and hardly anything else."""
    seen = defaultdict(set)
    for key, value in found:
        if key in ("m", "f") and value.texts <= len("MF") + 1:
            seen[value.table, value.column].add(key)
    return {place for place, keys in seen.items() if len(keys) == len("MF")}


def _fits(phrase: Phrase, value: StoredValue, way: str, letters: set[tuple[str, str]]) -> bool:
    if way in ("letter", "other letter"):
        return way == "letter" and (value.table, value.column) in letters
    if way == "short":
        return any(c.isupper() for c in value.text)
    # Keys have lost the order of words, which means something for numbers.
    return _numbers(value.text)[:3] in (phrase.dates or (_numbers(phrase.text),))


def _numbers(text: str) -> list[str]:
    return [w for w in folded_words(text) if w[0].isdigit()] if not text.isalpha() else []


def _misspelt(
    phrases: Sequence[Phrase], taken: Sequence[Phrase], stored: StoredValues
) -> Iterator[_Candidate]:
    """Cells that differ by a letter or two from names and quoted words that were not found."""
    names = [p for p in phrases if _may_be_misspelt(p) and not any(_is_in(p, t) for t in taken)]
    names.sort(key=lambda p: (-p.is_quoted, -p.length))
    looked_for: list[Phrase] = []
    for phrase in names:
        if len(looked_for) == MAX_MISSPELT:
            return
        if any(_is_in(phrase, p) and p.is_quoted for p in looked_for):
            continue
        looked_for.append(phrase)
        for value in stored.near(phrase.text):
            if _is_misspelt(phrase.text, value.text):
                yield _Candidate(phrase, value, "misspelt")


def _may_be_misspelt(phrase: Phrase) -> bool:
    """Whether it may be a name: quoted, or all words but the small ones have a capital letter."""
    text = phrase.text
    if len(text) < SHORTEST_MISSPELT or not text[0].isalpha() or is_common(text):
        return False
    is_name = phrase.is_capital and all(w[0].isupper() or is_common(w) for w in text.split())
    return phrase.is_quoted or is_name


def _is_misspelt(written: str, stored: str) -> bool:
    """Whether a letter, or two of a long text, make the one the other; numbers must be equal."""
    if _numbers(written) != _numbers(stored):
        return False
    one, other = "".join(folded_words(written)), "".join(folded_words(stored))
    allowed = 1 if len(one) < 2 * SHORTEST_MISSPELT else 2
    return min(len(one), len(other)) >= SHORTEST_MISSPELT and (
        OSA.distance(one, other, score_cutoff=allowed) <= allowed and one[0] == other[0]
    )


def _is_in(phrase: Phrase, other: Phrase) -> bool:
    """Whether the words of the phrase are all among those of the other."""
    return other.start <= phrase.start and phrase.end <= other.end


def _is_part(phrase: Phrase, longer: Phrase) -> bool:
    return _is_in(phrase, longer) and phrase.length < longer.length


class _Question:
    """What candidates are weighed by: the words of the question and the names of the schema."""

    def __init__(self, text: str, phrases: Sequence[Phrase], schema: Schema) -> None:
        self._schema = schema
        self._stems = Counter(words(text))
        self._word_at = {p.start: words(p.text) for p in phrases if p.length == 1}
        names = (n for t in schema.tables for n in (t.name, *(c.name for c in t.columns)))
        self._names = {word for name in names for word in words(name)}

    def scores(self, found: Iterable[_Candidate]) -> list[tuple[_Candidate, float]]:
        """Those in columns of the schema, each with its score in [0, 1].

        A view is passed over when a table has the text: most likely it shows that table's.
        """
        known = [c for c in found if self._has_column(c.value)]
        in_tables = {c.value.text for c in known if not self._is_view(c.value)}
        shown = [c for c in known if not (self._is_view(c.value) and c.value.text in in_tables)]
        places = Counter((c.phrase.start, c.phrase.end) for c in shown)
        return [(c, self._score(c, places[c.phrase.start, c.phrase.end])) for c in shown]

    def _has_column(self, value: StoredValue) -> bool:
        table = self._schema.table(value.table)
        return table is not None and table.column(value.column) is not None

    def _is_view(self, value: StoredValue) -> bool:
        table = self._schema.table(value.table)
        return table is not None and table.is_view

    def _score(self, candidate: _Candidate, places: int) -> float:
        evidence = self.evidence(candidate, places)
        total = sum(_WEIGHTS[name] * amount for name, amount in evidence.items())
        return 1 / (1 + math.exp(-total))

    def evidence(self, candidate: _Candidate, places: int) -> dict[str, float]:
        """How much of each of the weighed things there is."""
        phrase, value = candidate.phrase, candidate.value
        is_one = phrase.length == 1
        is_small = phrase.text.islower() and not phrase.is_quoted
        table = self._schema.table(value.table)
        texts = math.log10(max(1, value.texts))
        return {
            "always": 1,
            "more words": min(phrase.length - 1, 2),
            "as stored": phrase.text == value.text,
            "quoted": phrase.is_quoted,
            "short form": candidate.way == "short",
            "misspelt": candidate.way == "misspelt",
            "a code in small letters": is_small
            and candidate.way == "key"
            and value.text.isupper()
            and len(value.text) <= 5,
            "number": is_number(phrase.text) and not phrase.dates,
            "common word": is_one and phrase.text[1:].islower() and is_common(phrase.text),
            "word of the schema": is_one and bool(self._names & set(words(phrase.text))),
            "column named beside it": self._named_beside(phrase, value.column),
            "table named": self._named(phrase, value.table),
            "other places": math.log2(places),
            "different texts": texts,
            "different texts, one small word": texts * (is_one and is_small),
            "primary key": table is not None and value.column in table.primary_key,
        }

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


def _chosen(scored: Sequence[tuple[_Candidate, float]]) -> list[tuple[_Candidate, float]]:
    """What is likely enough to be shown, best first, each cell once."""
    likely = _likely(scored)
    ranked = sorted(scored, key=lambda s: (-s[1], -s[0].phrase.length))
    best: dict[tuple[int, int], float] = {}
    kept: dict[StoredValue, tuple[_Candidate, float]] = {}
    for candidate, score in ranked:
        place = (candidate.phrase.start, candidate.phrase.end)
        if place in likely and score >= RIVAL * best.setdefault(place, score):
            kept.setdefault(candidate.value, (candidate, score))
    shown = [c.phrase for c, _ in kept.values()]
    return [s for s in kept.values() if not any(_is_part(s[0].phrase, other) for other in shown)]


def _likely(scored: Iterable[tuple[_Candidate, float]]) -> set[tuple[int, int]]:
    """The groups of words that stand for some cell or other, more likely than not."""
    total: dict[tuple[int, int], float] = defaultdict(float)
    for candidate, score in scored:
        total[candidate.phrase.start, candidate.phrase.end] += score
    return {place for place, score in total.items() if score >= THRESHOLD}
