"""Texts of a query and of its question against the values that are stored."""

import re
import time
from collections.abc import Iterator, Sequence

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.literals import compared_texts, is_stored
from macsql.checks.names import words
from macsql.checks.output_conditions import text_literals
from macsql.checks.same_text import StoredValues, is_same, likeness, plain, same_meaning
from macsql.checks.scopes import Use
from macsql.checks.text import quote, span
from macsql.message import Finding, ValueMatch
from macsql.schema import Column, Schema, Table

SECONDS = 1.0
"""Time for looking up where texts are stored; what is not reached is not known."""
_ALIKE = 0.5
LIKELY = 0.5
"""Score from which a value that the question names is expected to be used."""

# Numbers and dates are compared in more ways than as text.
_NUMBER_LIKE = re.compile(r"[\d\s:./,+-]*")
_TEXT_TYPE = re.compile(r"char|text|clob|string|enum|^$", re.IGNORECASE)


def check_values_used(
    sql: str, values: Sequence[ValueMatch], schema: Schema, *, at_least: float = LIKELY
) -> list[Finding]:
    """Stored values that the question names and ``sql`` does not use, as hints; never raises.

    ``values`` are what linking found for the question; those under ``at_least`` are not expected to
    be used. Of phrases that share a word one is enough.

    >>> city = Schema("sqlite", (Table("city", (Column("name", "TEXT"), Column("land", "TEXT"))),))
    >>> paris = ValueMatch("city", "name", "Paris", "Paris", 0.8)
    >>> [f.hint for f in check_values_used("SELECT 1 FROM city", [paris], city)]
    ["compare city.name = 'Paris'"]
    >>> check_values_used("SELECT 1 FROM city WHERE name = 'Paris'", [paris], city)
    []
    """
    analysis = analyse(sql, schema)
    if analysis.statement.tree is None:
        return []
    named = {w for u in analysis.resolution.uses for n in (u.name, *_owner(u)) for w in words(n)}
    written = [plain(literal.name) for literal in text_literals(analysis.resolution)]
    found = []
    for phrase in dict.fromkeys(v.phrase for v in values if v.score >= at_least):
        same = [v for v in values if _overlap(v.phrase, phrase)]
        if not any(_is_used(v, written, named) for v in same):
            best = max(same, key=lambda v: v.score)
            message = f"the question says {phrase!r}, and the query does not use it"
            hint = f"compare {_condition(best, schema.dialect)}"
            found.append(Finding("value-unused", "hint", message, hint))
    return found


def _owner(use: Use) -> tuple[str, ...]:
    return (use.relation.table.name,) if use.relation and use.relation.table else ()


def _is_used(value: ValueMatch, written: Sequence[str], named: set[str]) -> bool:
    """Whether a text of the query is the value or part of it, or the words are of its names."""
    if named.issuperset(w for part in value.phrase.split() for w in words(part)):
        return True
    texts = [t for t in (plain(value.value), plain(value.phrase)) if t]
    return any(w and (w in text or text in w) for text in texts for w in written)


def _overlap(one: str, other: str) -> bool:
    """Whether two phrases share a word: only one of them is meant then."""
    return not set(one.casefold().split()).isdisjoint(other.casefold().split())


def _condition(value: ValueMatch, dialect: str) -> str:
    cell = value.value.replace("'", "''")
    return f"{quote(value.table, dialect)}.{quote(value.column, dialect)} = '{cell}'"


def _elsewhere(use: Use, text: str, conditions: Sequence[str]) -> Finding:
    message = f"{text!r} is not stored in {use.column.sql()}"
    hint = "write " + " or ".join(dict.fromkeys(conditions[:3]))
    return Finding("value-in-other-column", "warning", message, hint, span(use.column))


def check_literals(
    sql: str, schema: Schema, values: StoredValues, *, seconds: float = SECONDS
) -> list[Finding]:
    """Texts that ``sql`` compares with columns that do not store them; never raises by itself.

    A "warning" says where the text is stored instead, or its nearest stored spelling; a "hint" that
    it is stored nowhere that was looked at. ``values`` is asked for other columns only for texts
    that their own column lacks, for at most ``seconds``.
    """
    analysis = analyse(sql, schema)
    deadline = time.monotonic() + seconds
    found: dict[tuple[str, str], Finding] = {}
    for use, literal in compared_texts(analysis):
        place = _place(use)
        if place is None or _NUMBER_LIKE.fullmatch(literal.name) or time.monotonic() > deadline:
            continue
        table, column = place
        near = values(table.name, column.name, literal.name)
        if near is not None and not is_stored(literal, near):
            finding = _not_here(use, literal.name, near, analysis, values, deadline)
            found.setdefault((use.column.sql(), literal.name), finding)
    return sorted(found.values(), key=lambda f: f.severity != "warning")


def _place(use: Use) -> tuple[Table, Column] | None:
    table = use.relation.table if use.relation else None
    column = table.column(use.name) if table else None
    return (table, column) if table and column and _TEXT_TYPE.search(column.type) else None


def _not_here(
    use: Use,
    text: str,
    near: Sequence[str],
    analysis: Analysis,
    values: StoredValues,
    deadline: float,
) -> Finding:
    """What to say of a text that its column lacks."""
    message = f"{text!r} is not stored in {use.column.sql()}"
    respelt = [value for value in near if is_same(value, text)]
    if not respelt and (place := _place(use)):
        respelt = list(same_meaning(text, place[0].name, place[1].name, values))
    if respelt:
        hint = f"it is stored as {' or '.join(map(repr, respelt[:3]))}"
        return Finding("value-not-stored", "warning", message, hint, span(use.column))
    conditions = [
        _condition(ValueMatch(table.name, column.name, stored, text, 1.0), analysis.schema.dialect)
        for table, column, stored in _stored(text, analysis, values, deadline)
        if (table, column) != _place(use)
    ]
    if conditions:
        return _elsewhere(use, text, conditions)
    alike = [value for value in near if likeness(value, text) >= _ALIKE]
    hint = "no stored text is like it"
    if alike:
        hint = f"near it {'is' if len(alike) == 1 else 'are'} {', '.join(map(repr, alike[:3]))}"
    return Finding("value-unknown", "hint", message, hint, span(use.column))


def _stored(
    text: str, analysis: Analysis, values: StoredValues, deadline: float
) -> Iterator[tuple[Table, Column, str]]:
    """Where the text is stored, up to case and punctuation; tables of the query come first."""
    inside = [r.table for s in analysis.resolution.scopes for r in s.relations if r.table]
    for table in dict.fromkeys((*inside, *analysis.schema.tables)):
        for column in table.columns:
            if time.monotonic() > deadline:
                return
            if _TEXT_TYPE.search(column.type):
                for stored in values(table.name, column.name, text) or ():
                    if is_same(stored, text):
                        yield table, column, stored
