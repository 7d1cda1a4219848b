"""Text in conditions against the values that are stored: 'manhattan' where 'MANHATTAN' is kept."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA
from sqlglot import exp

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.edits import Repair
from macsql.checks.rules import own_nodes
from macsql.checks.scopes import Scope, Status, Use
from macsql.checks.text import Edit, apply_edits, span
from macsql.database.value_keys import value_key
from macsql.message import Finding
from macsql.regions import other_names
from macsql.schema import Column, Schema
from macsql.spelling import is_misspelling

StoredValues = Callable[[str, str, str], Sequence[str]]
"""(table, column, text) → stored values of that column that are like the text, best first."""

SHORT_FORMS = (
    (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")),
    (("male", "female"), ("man", "woman"), ("m", "f")),
)
"""Pairs of texts for the same two things; a column has the one pair or another."""
DIGITS = {"1": {pair[0] for pair in SHORT_FORMS[0]}, "0": {pair[1] for pair in SHORT_FORMS[0]}}
_CLOSE = 0.8
_LEADER = 0.1
_CLAUSES = ("where", "having")


@dataclass(frozen=True, slots=True)
class _Change:
    place: tuple[int, int]
    written: str
    stored: str
    column: str
    cost: float
    is_number: bool = False
    is_certain: bool = True

    def reason(self) -> str:
        if self.is_certain:
            return f"{self.written!r} is stored as {self.stored!r} in {self.column}"
        return f"{self.written!r} is not stored in {self.column}, and {self.stored!r} is like it"

    def edit(self) -> Edit:
        text = self.stored if self.is_number else "'" + self.stored.replace("'", "''") + "'"
        return Edit(*self.place, text)


def repair_literals(
    sql: str,
    schema: Schema,
    values: StoredValues,
    *,
    max_candidates: int = 3,
    only_certain: bool = False,
) -> list[Repair]:
    """Statements whose text values are stored ones, best first; never raises by itself.

    Looks at ``column = 'text'``, ``<>``, IN lists and LIKE without a wildcard. A value is replaced
    by one that is equal but for case, spaces and punctuation, or says the same (``same_meaning``),
    or by a single very close one, but not by one with a blank before it (see ``padded_values``).
    When several fit equally well, each is a candidate. A text that is stored as written stays.
    ``only_certain`` leaves close ones and choices alone: one text at most says the same, whatever
    the query finds.

    >>> from macsql.schema import Column, Table
    >>> boro = Schema("sqlite", (Table("boro", (Column("name", "TEXT"),)),))
    >>> stored = lambda table, column, text: ["MANHATTAN", "BRONX"]
    >>> repair_literals("SELECT 1 FROM boro WHERE name = 'Manhattan'", boro, stored)[0].sql
    "SELECT 1 FROM boro WHERE name = 'MANHATTAN'"
    """
    analysis = analyse(sql, schema)
    options = [changes for changes in _all_changes(analysis, values) if changes]
    if only_certain:
        options = [changes for changes in options if len(changes) == 1 and changes[0].is_certain]
    if not options:
        return []
    best = [changes[0] for changes in options]
    repairs = [_repair(sql, best)]
    for position, changes in enumerate(options):
        for other in changes[1:]:
            repairs.append(_repair(sql, [*best[:position], other, *best[position + 1 :]]))
    return sorted((r for r in repairs if r), key=lambda r: r.cost)[:max_candidates]


def padded_values(sql: str, schema: Schema, values: StoredValues) -> list[Finding]:
    """Compared texts that are stored with a blank before them; never raises.

    They are not replaced: where the blank is a fault of the data, joins on the column fail too, and
    a count by this text would not agree with one by way of another table.
    """
    found = []
    for use, literal in compared_texts(analyse(sql, schema)):
        table = use.relation.table if use.relation else None
        near = values(table.name, use.name, literal.name) if table else ()
        if any(_has_blank_before(v, literal.name) and v.strip() == literal.name for v in near):
            message = f"{literal.name!r} is stored with a blank before it in {use.name}."
            hint = f"compare TRIM({use.name})"
            found.append(Finding("value-padded", "warning", message, hint, span(literal)))
    return found


def _repair(sql: str, changes: Sequence[_Change]) -> Repair | None:
    text = apply_edits(sql, (c.edit() for c in changes))
    if text is None:
        return None
    reasons = dict.fromkeys(c.reason() for c in changes)
    cost = round(sum(c.cost for c in changes), 3)
    return Repair(text, "; ".join(reasons), cost, all(c.is_certain for c in changes))


def _all_changes(analysis: Analysis, values: StoredValues) -> Iterator[list[_Change]]:
    by_column = {id(u.column): u for u in analysis.resolution.uses}
    for scope in analysis.resolution.scopes:
        for column, literal in _comparisons(scope, by_column):
            use = by_column.get(id(column))
            place, text = span(literal), literal.name
            table = use.relation.table if use and use.relation else None
            stored_column = table.column(use.name) if table and use else None
            if place and text and table and stored_column:
                where = (table.name, stored_column.name)
                title = ".".join(where)
                if digit := _as_digit(text, stored_column):
                    yield [_Change(place, text, digit, title, 0.2, is_number=True)]
                    continue
                near = values(*where, text)
                found = () if text in near else same_meaning(text, *where, values)
                changes = list(_changes(place, text, near, found, title))
                # What is left out by a text that is only like it would be another thing.
                yield [c for c in changes if c.is_certain or not _is_excluded(literal)]


def _is_excluded(text: exp.Expr) -> bool:
    """Whether rows with the text are those that the condition leaves out."""
    node = text.parent
    while node is not None and not isinstance(node, exp.Query):
        if isinstance(node, (exp.NEQ, exp.Not)) or node.args.get("negate"):
            return True
        node = node.parent
    return False


def _as_digit(text: str, column: Column) -> str:
    """The 1 or 0 of a column of nothing else that a yes or a no stands for; else nothing."""
    known = {example for example in column.examples if example is not None}
    if known != {0, 1} or any(isinstance(example, str) for example in known):
        return ""
    return next((digit for digit, said in DIGITS.items() if text.casefold() in said), "")


def compared_texts(analysis: Analysis) -> Iterator[tuple[Use, exp.Expr]]:
    """Every column compared with a text for equality, and the text."""
    by_column = {id(u.column): u for u in analysis.resolution.uses}
    for scope in analysis.resolution.scopes:
        for column, literal in _comparisons(scope, by_column):
            if use := by_column.get(id(column)):
                yield use, literal


def _comparisons(scope: Scope, by_column: dict[int, Use]) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """(column, text) pairs that are compared for equality."""
    joins = (j.args.get("on") for j in scope.select.args.get("joins") or ())
    for root in (*(scope.select.args.get(c) for c in _CLAUSES), *joins):
        for node in own_nodes(root) if root is not None else ():
            if isinstance(node, (exp.EQ, exp.NEQ, exp.Like, exp.ILike)):
                yield from _sides(node, by_column)
            elif isinstance(node, exp.In):
                for item in node.expressions:
                    if _is_text(item, by_column):
                        yield node.this, item


def _sides(node: exp.Binary, by_column: dict[int, Use]) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    for column, text in ((node.left, node.right), (node.right, node.left)):
        wild = isinstance(node, (exp.Like, exp.ILike)) and re.search("[%_]", text.name)
        if isinstance(column, exp.Column) and _is_text(text, by_column) and not wild:
            yield column, text


def _is_text(node: exp.Expr, by_column: dict[int, Use]) -> bool:
    if isinstance(node, exp.Literal):
        return bool(node.is_string)
    use = by_column.get(id(node))
    return use is not None and use.status is Status.TEXT


def same_meaning(text: str, table: str, column: str, values: StoredValues) -> list[str]:
    """Stored texts of the column that say the same in other words.

    Those are other names of a country or state ("USA", "United States"), short forms of yes and no
    or of male and female where the column has both, and words cut short ("Comp. Sci.").

    >>> same_meaning("Female", "person", "sex", lambda table, column, text: ["F", "M"])
    ['F']
    >>> same_meaning("french", "team", "country", lambda table, column, text: ["Fiji", "France"])
    ['France']
    """
    found = {
        stored: None
        for name in other_names(text)
        if name.fits(column)
        for stored in values(table, column, name.text)
        if name.is_written(stored)
    }
    if not found:
        found = dict.fromkeys(_short_forms(text, lambda asked: values(table, column, asked)))
    if not found:
        cut = " ".join(f"{word[:4]}." for word in text.split())
        near = (*values(table, column, text), *values(table, column, cut))
        found = {stored: None for stored in near if _is_cut_short(stored, text)}
    return list(found)


def _short_forms(text: str, near: Callable[[str], Sequence[str]]) -> Iterator[str]:
    wanted = text.casefold()
    for family in SHORT_FORMS:
        for side in (0, 1):
            if wanted not in {pair[side] for pair in family}:
                continue
            for pair in family:
                stored = [[v for v in near(form) if v.casefold() == form] for form in pair]
                if wanted not in pair and all(stored):
                    yield from stored[side]


def _is_cut_short(one: str, other: str) -> bool:
    """Whether the one is the other, some words of it cut short and marked with a dot."""
    if "." in one:
        short, words = one.split(), other.split()
    elif "." in other:
        short, words = other.split(), one.split()
    else:
        return False
    return len(short) == len(words) and all(
        s.casefold() == w.casefold()
        or (s[-1:] == "." and len(s) > 2 and w.casefold().startswith(s[:-1].casefold()))
        for s, w in zip(short, words, strict=True)
    )


def _changes(
    place: tuple[int, int], text: str, near: Sequence[str], said: Sequence[str], column: str
) -> Iterator[_Change]:
    """What ``text`` may stand for among ``near``, and ``said``, which mean the same; nothing when
    it is stored as it is.
    """
    if text in near:
        return
    near = [value for value in near if not _has_blank_before(value, text)]
    same = [value for value in near if is_same(text, value)]
    if same or said:
        for rank, value in enumerate(same or said):
            yield _Change(place, text, value, column, 0.2 + 0.1 * rank)
        return
    scored = sorted(((_likeness(text, value), value) for value in near), reverse=True)
    close = [(s, value) for s, value in scored if s >= _CLOSE and _is_like(text, value)]
    # Two values that are about as close show that the text could be either, or neither.
    if close and (len(close) == 1 or close[0][0] - close[1][0] >= _LEADER):
        cost = 0.5 + 2 * (1 - close[0][0])
        yield _Change(place, text, close[0][1], column, cost, is_certain=False)


def _has_blank_before(value: str, text: str) -> bool:
    return value[:1].isspace() and not text[:1].isspace()


def _is_like(one: str, other: str) -> bool:
    """Whether accents, a plural or a slip of the pen make the difference."""
    if value_key(one) == value_key(other):
        return _sign(one) == _sign(other)
    return is_misspelling(one, other)


def is_same(one: str, other: str) -> bool:
    """Whether case, spaces and punctuation are all that differs; in "A+" the sign says more."""
    return plain(one) == plain(other) and _sign(one) == _sign(other)


def _sign(text: str) -> str:
    return text[len(text.rstrip("+-#*")) :]


def plain(text: str) -> str:
    """The text without case, spaces and punctuation; a text of nothing else stays."""
    return re.sub(r"[\W_]+", "", text).casefold() or text


def _likeness(one: str, other: str) -> float:
    one, other = plain(one), plain(other)
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return 0.0  # another number is another thing, however alike the rest
    return 1 - int(OSA.distance(one, other)) / max(len(one), len(other), 1)
