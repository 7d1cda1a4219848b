"""Which stored values a question mentions: its word groups looked up among the cells."""

import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from macsql.linking.names import is_filler
from macsql.message import ValueMatch
from macsql.schema import Column, Schema, Table

StoredTexts = Callable[[str, str], Sequence[str]]
"""The distinct texts of a column, given table and column."""

MAX_WORDS = 6
MAX_MATCHES = 6
SECONDS = 1.0
"""Time for reading cells of one question's database; what is not reached is not linked."""

_TOKEN = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_TEXT_TYPE = re.compile(r"char|text|clob|string|enum|^$", re.IGNORECASE)


def link_values(
    question: str, evidence: str, schema: Schema, stored: StoredTexts, *, seconds: float = SECONDS
) -> tuple[ValueMatch, ...]:
    """Cells that equal a group of words of the question, but for case, accents and punctuation.

    Longer groups come first, and a group inside a longer one that was found is not shown. Reading
    stops after ``seconds``.
    """
    phrases = dict(_phrases(f"{question}\n{evidence}"))
    deadline = time.monotonic() + seconds
    found: list[ValueMatch] = []
    for table, column in _text_columns(schema):
        if time.monotonic() > deadline:
            break
        for value in stored(table.name, column.name):
            if phrase := phrases.get(_folded(value)):
                found.append(_match(table, column, value, phrase))
    found.sort(key=lambda m: -m.score)
    return tuple(_outermost(found)[:MAX_MATCHES])


def _match(table: Table, column: Column, value: str, phrase: str) -> ValueMatch:
    """The more of a phrase there is, the less likely it is found by chance."""
    certainty = 1.0 - 0.5 ** (len(phrase.split()) + (phrase == value))
    return ValueMatch(table.name, column.name, value, phrase, round(certainty, 3))


def _outermost(matches: Sequence[ValueMatch]) -> list[ValueMatch]:
    kept: list[ValueMatch] = []
    for match in matches:
        longer = (m.phrase for m in kept if len(m.phrase) > len(match.phrase))
        if not any(match.phrase.casefold() in phrase.casefold() for phrase in longer):
            kept.append(match)
    return kept


def _text_columns(schema: Schema) -> Iterator[tuple[Table, Column]]:
    for table in schema.tables:
        for column in table.columns:
            if _TEXT_TYPE.search(column.type):
                yield table, column


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    """Every group of up to six neighbouring words, folded, with the words as written."""
    for line in text.splitlines():
        tokens = list(_TOKEN.finditer(line))
        for length in range(1, MAX_WORDS + 1):
            for start in range(len(tokens) - length + 1):
                group = tokens[start : start + length]
                written = line[group[0].start() : group[-1].end()]
                if length > 1 or not (is_filler(written) or written.isdigit()):
                    yield _folded(written), written


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(_PART.findall("".join(c for c in plain if not unicodedata.combining(c))))
