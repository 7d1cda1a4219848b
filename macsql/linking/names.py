"""Which tables and columns a question names: words against names, descriptions and examples.

The score of a name is the share of its words found in the question (a word counts when its stem
is equal, or nearly), so that "singers" finds ``singer_in_concert`` less than ``singer``.
"""

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

from macsql.database.value_keys import stem
from macsql.message import Focus
from macsql.schema import Column, Schema, Table

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "did",
        "do",
        "does",
        "each",
        "every",
        "find",
        "for",
        "from",
        "give",
        "had",
        "has",
        "have",
        "how",
        "in",
        "is",
        "it",
        "its",
        "list",
        "many",
        "me",
        "more",
        "most",
        "much",
        "no",
        "not",
        "number",
        "of",
        "on",
        "or",
        "our",
        "show",
        "than",
        "that",
        "the",
        "their",
        "them",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whose",
        "will",
        "with",
        "you",
        "all",
        "any",
        "please",
        "tell",
        "return",
        "least",
        "id",
        "name",
        "names",
        "type",
    ]
)
_FOCUS_SCORE = 0.6
_OF_DESCRIPTION = 0.6
_NEAR = 88


def words(text: str) -> list[str]:
    """The stems of the words in ``text``; names are split at case changes and underscores.

    >>> words("howManySingers_IDs")
    ['how', 'many', 'singer', 'id']
    """
    return [stem(w.lower()) for part in _WORD.findall(text) for w in _HUMP.split(part)]


def is_filler(word: str) -> bool:
    """Whether the word says nothing about which table or value is meant.

    >>> is_filler("Which"), is_filler("Berlin")
    (True, False)
    """
    return word.casefold() in _STOP or len(word) == 1


def link_names(question: str, evidence: str, schema: Schema) -> Focus:
    """The tables and columns that question and evidence name, best first.

    Only what is named whole, or nearly, counts, and keys do not: a model that is shown
    ``product_supplier``
    and its ``product_id`` for a question about products joins them.
    """
    asked = _asked(f"{question} {evidence}")
    tables = {n: s for n, s in _table_scores(asked, schema).items() if s >= _FOCUS_SCORE}
    columns = {
        _full(t, c): score
        for t in schema.tables
        for c in t.columns
        if c.name.casefold() not in schema.key_columns(t)
        and (score := _column_score(asked, c)) >= _FOCUS_SCORE
    }
    return Focus(_best_first(tables), _best_first(columns))


def rank_tables(question: str, evidence: str, schema: Schema) -> list[Table]:
    """All tables, those the question seems to need first; ties keep the schema's order.

    A table counts for its own name, for its best columns, and a little for its neighbours, since
    the tables between two that are asked for are needed to join them.
    """
    asked = _asked(f"{question} {evidence}")
    own = _table_scores(asked, schema)
    by_column = _column_scores(asked, schema)
    score = {}
    for table in schema.tables:
        best = sorted((by_column[_full(table, c)] for c in table.columns), reverse=True)[:3]
        score[table.name] = 1.5 * own[table.name] + sum(best)
    total = dict(score)
    for table, key in schema.joins():
        target = schema.table(key.ref_table)
        if target is not None:
            total[table.name] += 0.3 * score[target.name]
            total[target.name] += 0.3 * score[table.name]
    return sorted(schema.tables, key=lambda t: -total[t.name])


def rank_columns(question: str, evidence: str, table: Table) -> list[Column]:
    """The columns of ``table``, those the question seems to name first."""
    asked = _asked(f"{question} {evidence}")
    return sorted(table.columns, key=lambda c: -_column_score(asked, c))


def _best_first(scores: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(scores, key=lambda name: -scores[name]))


def _full(table: Table, column: Column) -> str:
    return f"{table.name}.{column.name}"


def _asked(text: str) -> frozenset[str]:
    return frozenset(w for w in words(text) if w not in _STOP)


def _table_scores(asked: frozenset[str], schema: Schema) -> dict[str, float]:
    return {
        t.name: max(_overlap(asked, t.name), _OF_DESCRIPTION * _overlap(asked, t.description))
        for t in schema.tables
    }


def _column_scores(asked: frozenset[str], schema: Schema) -> dict[str, float]:
    return {_full(t, c): _column_score(asked, c) for t in schema.tables for c in t.columns}


def _column_score(asked: frozenset[str], column: Column) -> float:
    examples = " ".join(v for v in column.examples if isinstance(v, str))
    return max(
        _overlap(asked, column.name),
        _OF_DESCRIPTION * _overlap(asked, column.description),
        0.5 if set(words(examples)) & asked else 0.0,
    )


def _overlap(asked: Iterable[str], name: str) -> float:
    parts = [w for w in words(name) if w not in _STOP]
    if not parts:
        return 0.0
    found = sum(any(_same(w, a) for a in asked) for w in parts)
    return found / len(parts)


def _same(name_word: str, question_word: str) -> bool:
    if name_word == question_word:
        return True
    if min(len(name_word), len(question_word)) < 4:
        return False
    return fuzz.ratio(name_word, question_word) >= _NEAR
