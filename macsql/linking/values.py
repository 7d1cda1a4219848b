"""Which stored values a question mentions: its groups of words looked up among the cells.

What is shown to the model it takes for a fact, so that precision comes before recall.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from macsql.database.value_keys import INITIALS, value_key
from macsql.database.value_store import StoredValue
from macsql.linking.dates import day_keys, numbers_of, stored_orders
from macsql.linking.names import words
from macsql.linking.phrases import Phrase, is_common, read_phrases
from macsql.linking.value_scores import Candidate, Question, Weighed
from macsql.message import ValueMatch
from macsql.regions import may_be_regions, other_names
from macsql.schema import Schema
from macsql.schema_text import is_on_one_line
from macsql.spelling import SHORTEST_MISSPELT, is_misspelling

MAX_MATCHES = 6
THRESHOLD = 0.4
"""How certain it must be that a group of words stands for a cell."""
FLOOR = 0.05
"""The least score: less is the share of one of very many places, and shows none of them."""
SMALL_FLOOR = 0.1
"""The same for one word in small letters that has a capital where it is stored ("nice", Nice), if
nothing beside it names the column."""
RIVAL = 0.85
"""A place less likely than this share of the best place for the same words is not shown; other
spellings in the best place are."""
MAX_MISSPELT = 6
"""Groups of words of one question that are looked for with spelling errors."""

TEXTS_OF_COLUMN = 200
"""Texts of a column that are looked at to see whether the day or the month comes first."""

_LETTERS = {
    **dict.fromkeys(("male", "men", "man", "boy"), "m"),
    **dict.fromkeys(("female", "women", "woman", "girl"), "f"),
}
"""Words that a column of single letters stands for, if it has both letters."""
_OF_DATES = frozenset(["date", "day", "month", "year"])
"""Words of the names of columns that may hold a part of a date."""


class StoredValues(Protocol):
    """Where cells are looked up."""

    def find(self, keys: Iterable[str]) -> Sequence[tuple[str, StoredValue]]:
        """The texts with one of the keys, each with the key it was found by."""
        ...

    def near(self, text: str) -> Sequence[StoredValue]:
        """The texts that are spelt like ``text``, the likest first."""
        ...

    def column_texts(self, table: str, column: str, text: str, limit: int) -> Sequence[str]:
        """Texts of one column: all, or where there are more than ``limit``, those like ``text``."""
        ...


def link_values(
    question: str, evidence: str, schema: Schema, stored: StoredValues
) -> tuple[ValueMatch, ...]:
    """The cells that a group of words of the question stands for, best first; at most six.

    Case, accents, punctuation, plural, word order and a spelling error may differ; a country or a
    state may have another of its names. A group inside a longer one that was found is not shown.
    ``score`` is about how likely it is that the answer needs a condition on that cell.
    """
    text = f"{question}\n{evidence}"
    phrases = read_phrases(text)
    asked = Question(text, phrases, schema)
    weighed = asked.weigh([*_candidates(phrases, asked, stored), *_days(phrases, stored)])
    sure = [w.candidate for w in weighed if w.certainty >= THRESHOLD]
    taken = [candidate.phrase for candidate in sure]
    weighed += asked.weigh(_elsewhere_named(phrases, sure, stored))
    weighed += asked.weigh(_misspelt(phrases, taken, stored))
    # A blank before a text is a fault of the data, said and not copied (checks.padded_values).
    # One that does not stand on one line cannot be shown as it is.
    texts = ((w, w.candidate.value.text) for w in weighed)
    clean = [w for w, text in texts if not text[:1].isspace() and is_on_one_line(text)]
    return tuple(map(_match, _chosen(clean)[:MAX_MATCHES]))


def _match(found: Weighed) -> ValueMatch:
    value, phrase = found.candidate.value, found.candidate.phrase
    return ValueMatch(value.table, value.column, value.text, phrase.text, round(found.score, 3))


def _candidates(
    phrases: Sequence[Phrase], asked: Question, stored: StoredValues
) -> list[Candidate]:
    """The cells that have the key of a phrase, or that it is a short form of, or reversely."""
    wanted: dict[str, list[tuple[Phrase, str]]] = defaultdict(list)
    for phrase in phrases:
        if phrase.dates or (_says_nothing(phrase) and not asked.names_column_beside(phrase)):
            continue
        for key, way in _keys(phrase):
            wanted[key].append((phrase, way))
    found = stored.find(wanted)
    letters = _columns_of_letters(found)
    return [
        Candidate(phrase, value, way)
        for key, value in found
        for phrase, way in wanted[key]
        if _fits(phrase, value, way, letters)
        and not (_says_nothing(phrase) and not asked.is_beside(phrase, value.column))
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
    if phrase.is_of_date and not _OF_DATES & set(words(value.column)):
        return False
    if way == "short":
        return any(c.isupper() for c in value.text)
    # Keys have lost the order of words, which means something for numbers.
    return numbers_of(value.text)[:3] == numbers_of(phrase.text)


def _days(phrases: Sequence[Phrase], stored: StoredValues) -> list[Candidate]:
    """The cells that are a day which a phrase names, in whatever form they are stored.

    Points in time are not: a condition on a day needs more than one of them.
    """
    wanted = defaultdict(list)
    for phrase in phrases:
        for key, is_sure in day_keys(*phrase.dates[0]) if phrase.dates else ():
            wanted[key].append((phrase, is_sure))
    return [
        Candidate(phrase, value)
        for key, value in stored.find(wanted)
        for phrase, is_sure in wanted[key]
        if is_sure or _is_day(phrase, value, stored)
    ]


def _is_day(phrase: Phrase, value: StoredValue, stored: StoredValues) -> bool:
    """Whether the numbers of a cell are those of the day, in the order of the cell's column."""
    numbers = numbers_of(value.text)[:3]
    if numbers not in phrase.dates:
        return False
    if numbers == phrase.dates[0]:
        return True
    texts = stored.column_texts(value.table, value.column, value.text, TEXTS_OF_COLUMN)
    return any(numbers == phrase.dates[order] for order in stored_orders(value.text, texts))


def _elsewhere_named(
    phrases: Sequence[Phrase], sure: Sequence[Candidate], stored: StoredValues
) -> list[Candidate]:
    """Cells that are another name of a country or state which is not stored as it is written.

    Where it is, as somebody's last name, it is looked for in columns of countries and states only.
    """
    wanted = defaultdict(list)
    for phrase in phrases:
        found = [c for c in sure if _overlap(c.phrase, phrase)]
        if phrase.text.lower().startswith("the ") or any(_is_settled(c, phrase) for c in found):
            continue
        for name in other_names(phrase.text):
            wanted[value_key(name.text)].append((phrase, name, bool(found)))
    return [
        Candidate(phrase, value, "other name")
        for key, value in stored.find(wanted)
        for phrase, name, is_found in wanted[key]
        if name.is_written(value.text)
        and name.fits(value.column, value.table)
        and (name.is_sure(value.column, value.table) or not is_found)
    ]


def _overlap(one: Phrase, other: Phrase) -> bool:
    return one.start < other.end and other.start < one.end


def _is_settled(found: Candidate, phrase: Phrase) -> bool:
    """Whether a phrase is part of what was found, or found where a country or state can be."""
    value = found.value
    is_whole = found.phrase.place == phrase.place
    return not is_whole or may_be_regions(value.column, value.table)


def _misspelt(
    phrases: Sequence[Phrase], taken: Sequence[Phrase], stored: StoredValues
) -> Iterator[Candidate]:
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
            if is_misspelling(phrase.text, value.text):
                yield Candidate(phrase, value, "misspelt")


def _may_be_misspelt(phrase: Phrase) -> bool:
    """Whether it may be a name: quoted, or all words but the small ones have a capital letter."""
    text = phrase.text
    if len(text) < SHORTEST_MISSPELT or not text[0].isalpha() or is_common(text):
        return False
    is_name = phrase.is_capital and all(w[0].isupper() or is_common(w) for w in text.split())
    return phrase.is_quoted or is_name


def _is_in(phrase: Phrase, other: Phrase) -> bool:
    """Whether the words of the phrase are all among those of the other."""
    return other.start <= phrase.start and phrase.end <= other.end


def _is_part(phrase: Phrase, longer: Phrase) -> bool:
    return _is_in(phrase, longer) and phrase.length < longer.length


def _chosen(weighed: Sequence[Weighed]) -> list[Weighed]:
    """What is likely enough to be shown, best first, each cell once."""
    sure = {w.candidate.phrase.place for w in weighed if w.certainty >= THRESHOLD}
    best: dict[tuple[int, int], Weighed] = {}
    kept: dict[StoredValue, Weighed] = {}
    for found in sorted(weighed, key=lambda w: (-w.score, -w.candidate.phrase.length)):
        place = found.candidate.phrase.place
        if place in sure and found.score >= _floor(found):
            first = best.setdefault(place, found)
            if found.score >= RIVAL * first.score or found.candidate.cell == first.candidate.cell:
                kept.setdefault(found.candidate.value, found)
    shown = [w.candidate.phrase for w in kept.values()]
    return [w for w in kept.values() if not any(_is_part(w.candidate.phrase, p) for p in shown)]


def _floor(found: Weighed) -> float:
    phrase, text = found.candidate.phrase, found.candidate.value.text
    is_small = phrase.length == 1 and phrase.text.islower() and not phrase.is_quoted
    is_name = text[:1].isupper() and not text.isupper()
    return SMALL_FLOOR if is_small and is_name and not found.is_column_named else FLOOR
