"""Text in conditions against the values that are stored: 'manhattan' where 'MANHATTAN' is kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.edits import Repair
from macsql.checks.rules import own_nodes
from macsql.checks.same_text import (
    CLOSE,
    StoredValues,
    as_digit,
    is_like,
    is_same,
    likeness,
    same_meaning,
)
from macsql.checks.scopes import Scope, Status, Use
from macsql.checks.text import Edit, apply_edits, span
from macsql.message import Finding
from macsql.schema import Schema

_LEADER = 0.1
_SHORT_CODE = 2
_CLAUSES = ("where", "having", "group", "order")


@dataclass(frozen=True, slots=True)
class _Change:
    """A text as ``written``, in the place of which ``shown`` is put."""

    place: tuple[int, int]
    shown: str
    written: str
    stored: Sequence[str]
    column: str
    cost: float
    is_certain: bool = True

    def reason(self) -> str:
        stored = " and ".join(map(repr, self.stored))
        if self.is_certain:
            return f"{self.written!r} is stored as {stored} in {self.column}"
        return f"{self.written!r} is not stored in {self.column}, and {stored} is like it"


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
    Spellings that differ in case are taken together; of others that fit equally well, each is a
    candidate. A text that is stored as written stays. ``only_certain`` leaves alone what may be
    meant otherwise: close ones, and choices.

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
        near = (values(table.name, use.name, literal.name) if table else None) or ()
        if any(_has_blank_before(v, literal.name) and v.strip() == literal.name for v in near):
            message = f"{literal.name!r} is stored with a blank before it in {use.name}."
            hint = f"compare TRIM({use.name})"
            found.append(Finding("value-padded", "warning", message, hint, span(literal)))
    return found


def _repair(sql: str, changes: Sequence[_Change]) -> Repair | None:
    text = apply_edits(sql, (Edit(*c.place, c.shown) for c in changes))
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
            if use is not None and literal.name and span(literal):
                # What is left out by a text that is only like it would be another thing.
                excluded = _is_excluded(literal)
                changes = _changes(use, literal, values)
                yield [c for c in changes if c.is_certain or not excluded]


def _changes(use: Use, literal: exp.Expr, values: StoredValues) -> Iterator[_Change]:
    """What the text may stand for in its column; nothing when it is stored, or nobody knows."""
    table, place, text = use.relation and use.relation.table, span(literal), literal.name
    column = table.column(use.name) if table else None
    if table is None or column is None or place is None:
        return
    title = f"{table.name}.{column.name}"
    if digit := as_digit(text, column):
        yield _Change(place, digit, text, [digit], title, 0.2)
        return
    near = values(table.name, column.name, text)
    if near is None or is_stored(literal, near):
        return
    for stored, cost, is_certain in _options(text, table.name, column.name, near, values):
        where, shown = _as_list(use, literal, stored) if len(stored) > 1 else (place, "")
        shown = shown or exp.Literal.string(stored[0]).sql()
        yield _Change(where, shown, text, stored, title, cost, is_certain)


def _options(
    text: str, table: str, column: str, near: Sequence[str], values: StoredValues
) -> Iterator[tuple[Sequence[str], float, bool]]:
    """Stored texts that ``text`` may stand for, the cost, and whether it is certain."""
    near = [value for value in near if not _has_blank_before(value, text)]
    same = {value: True for value in near if is_same(text, value)}
    spellings = [value for value in same if value.casefold() == text.casefold()]
    # CO is not Co, and MW is not mW.
    is_long = len(text) > _SHORT_CODE
    if len(spellings) > 1:
        yield sorted(spellings), 0.2, is_long
        return
    if options := same or same_meaning(text, table, column, values):
        for rank, (value, is_certain) in enumerate(options.items()):
            is_only = len(options) == 1 and (is_long or not same)
            yield [value], 0.2 + 0.1 * rank, is_certain and is_only
        return
    scored = sorted(((likeness(text, value), value) for value in near), reverse=True)
    close = [(score, value) for score, value in scored if score >= CLOSE and is_like(text, value)]
    # Two values that are about as close show that the text could be either, or neither.
    if close and (len(close) == 1 or close[0][0] - close[1][0] >= _LEADER):
        yield [close[0][1]], 0.5 + 2 * (1 - close[0][0]), False


def _as_list(use: Use, literal: exp.Expr, stored: Sequence[str]) -> tuple[tuple[int, int], str]:
    """Where several texts are written in place of one, and how: ``IN ('High', 'high')``."""
    node, column, place = literal.parent, span(use.column), span(literal)
    assert place is not None
    texts = ", ".join(exp.Literal.string(text).sql() for text in stored)
    if isinstance(node, exp.In):
        return place, texts
    if not isinstance(node, (exp.EQ, exp.NEQ)) or column is None or column[1] > place[0]:
        return place, ""
    word = "IN" if isinstance(node, exp.EQ) else "NOT IN"
    return (column[1], place[1]), f" {word} ({texts})"


def is_stored(literal: exp.Expr, near: Sequence[str]) -> bool:
    """Whether the text is there as it is compared: to LIKE the case of letters is all the same."""
    text = literal.name
    ignores_case = isinstance(literal.parent, (exp.Like, exp.ILike))
    return text in near or (ignores_case and any(v.lower() == text.lower() for v in near))


def _is_excluded(text: exp.Expr) -> bool:
    """Whether rows with the text are those that the condition leaves out."""
    node = text.parent
    while node is not None and not isinstance(node, exp.Query):
        if isinstance(node, (exp.NEQ, exp.Not)) or node.args.get("negate"):
            return True
        node = node.parent
    return False


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
    # SUM(CASE WHEN city = 'Paris' ...) chooses rows as well as WHERE does.
    roots = (*(scope.select.args.get(c) for c in _CLAUSES), *joins, *scope.select.expressions)
    for root in roots:
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


def _has_blank_before(value: str, text: str) -> bool:
    return value[:1].isspace() and not text[:1].isspace()
