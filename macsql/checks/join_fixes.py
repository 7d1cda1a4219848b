"""Cures for a column of a table that is not joined: add the join, or read from that table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix, replace_column, requalify, table_place
from macsql.checks.joins import Link, paths
from macsql.checks.names import words
from macsql.checks.scopes import Relation, Scope, Status, Use
from macsql.checks.text import Edit, clause_end, quote, span
from macsql.names import fold
from macsql.schema import Schema, Table

_JOIN_COST = 0.9
_HOP_COST = 0.6
_TWICE_COST = 1.0
FORGOTTEN = re.compile(r"[Tt]\d+")
"""T2 is never the name of a table: whoever wrote it had a second table in mind."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Columns that belong to ``table``; ``alias`` is what the statement calls it already.

    ``is_of_other`` says that the columns were said to be of another table, by its name.
    """

    uses: tuple[Use, ...]
    table: Table
    alias: str = ""
    is_of_other: bool = False


def join_fixes(analysis: Analysis, scope: Scope, wanted: Wanted) -> Iterator[Fix]:
    """Join ``wanted.table`` to what ``scope`` already has, over the shortest paths of keys."""
    place = _from_end(analysis, scope)
    if place is None or any(_is_in_outer_join(use) for use in wanted.uses):
        return
    # Joins are written as a chain, so the last table of it is the likeliest end to go on from.
    sources = [r.table.name for r in reversed(scope.relations) if r.table is not None]
    for path in paths(analysis.schema, sources, wanted.table.name):
        anchors = [r for r in scope.relations if r.table and r.table.name == path[0].left]
        anchors.sort(key=lambda r: not any(u.relation is r for u in wanted.uses))
        for rank, anchor in enumerate(anchors):
            joined, text = join_text(analysis, scope, path, anchor, wanted.alias)
            edits = [
                Edit(place, place, text),
                *requalify(wanted.uses, joined[-1][0], analysis.statement.dialect),
                *keep_meaning(analysis, scope, [t for _, t in joined], wanted.uses),
                *_count_once(analysis, scope, path, wanted),
            ]
            cost = _JOIN_COST + _HOP_COST * sum(link.cost for link in path) + 0.2 * rank
            cost += 0.3 * _is_compared(wanted, anchor, analysis)
            if wanted.table.name in sources:
                cost += _TWICE_COST
            elif FORGOTTEN.fullmatch(wanted.alias):
                cost -= 0.5
            is_far = len(path) > 1 or any(_is_to_many(link, analysis.schema) for link in path)
            is_certain = not (wanted.is_of_other and is_far)
            yield Fix(tuple(edits), cost, explain(path), is_certain)


def _is_compared(wanted: Wanted, anchor: Relation, analysis: Analysis) -> bool:
    """Whether a join condition connects the missing table to ``anchor`` already."""
    beside = [
        use.column.parent
        for use in wanted.uses
        if use.clause == "join" and isinstance(use.column.parent, exp.EQ)
    ]
    return any(u.relation is anchor and u.column.parent in beside for u in analysis.resolution.uses)


def _is_in_outer_join(use: Use) -> bool:
    """Whether it is a condition of an outer join: one that stands further on is none of it."""
    join = use.column.find_ancestor(exp.Join) if use.clause == "join" else None
    return join is not None and bool(join.side)


def is_optional(relation: Relation, scope: Scope) -> bool:
    """Whether an outer join may leave NULLs in place of the rows of ``relation``."""
    sides = [getattr(r.node.parent, "side", "").upper() for r in scope.relations]
    at = scope.relations.index(relation)
    return sides[at] in ("LEFT", "FULL") or any(s in ("RIGHT", "FULL") for s in sides[at + 1 :])


def _count_once(
    analysis: Analysis, scope: Scope, path: Sequence[Link], wanted: Wanted
) -> Iterator[Edit]:
    """COUNT(*) of one table goes on counting its rows, though a join that is there for a condition
    repeats them.
    """
    [relation, *more] = scope.relations
    key = relation.table.primary_key if relation.table else ()
    multiplies = any(_is_to_many(link, analysis.schema) for link in path)
    if more or len(key) != 1 or not multiplies or scope.select.args.get("group"):
        return  # in groups it may well be the rows of the other table that are counted
    if any(use.clause != "where" for use in wanted.uses):
        return
    dialect = analysis.statement.dialect
    for counted in scope.select.find_all(exp.Count):
        place = span(counted.this)
        if isinstance(counted.this, exp.Star) and counted.parent_select is scope.select and place:
            yield Edit(*place, f"DISTINCT {quote(relation.name, dialect)}.{quote(key[0], dialect)}")


def _is_to_many(link: Link, schema: Schema) -> bool:
    """Whether a row on the left may meet several on the right."""
    table = schema.table(link.right)
    met = {fold(right) for _, right in link.pairs}
    return table is None or not table.primary_key or not {*map(fold, table.primary_key)} <= met


def _from_end(analysis: Analysis, scope: Scope) -> int | None:
    """Where the FROM clause ends; found from a name that stands directly in it."""
    for relation in scope.relations:
        alias = relation.node.args.get("alias")
        place = table_place(relation) or (span(alias.this) if alias is not None else None)
        if place:
            return clause_end(analysis.statement, place[0])
    return None


def join_text(
    analysis: Analysis, scope: Scope, path: Sequence[Link], anchor: Relation, alias: str = ""
) -> tuple[list[tuple[str, Table]], str]:
    """The joins of ``path`` as text, and the (name, table) pairs that they add, in order."""
    dialect = analysis.statement.dialect
    taken = {r.name.casefold() for r in scope.relations}
    left, text = anchor.name, ""
    word = " LEFT JOIN" if is_optional(anchor, scope) else " JOIN"
    added: list[tuple[str, Table]] = []
    for link in path:
        table = analysis.schema.table(link.right)
        assert table is not None, "links connect tables of the schema"
        name = alias if link is path[-1] and alias else table.name
        name = free_name(name, taken)
        written = _table_text(table, dialect)
        if name.casefold() != table.name.casefold():
            written += f" AS {quote(name, dialect)}"
        on = " AND ".join(
            f"{quote(left, dialect)}.{quote(a, dialect)} = "
            f"{quote(name, dialect)}.{quote(b, dialect)}"
            for a, b in link.pairs
        )
        text += f"{word} {written} ON {on}"
        added.append((name, table))
        taken.add(name.casefold())
        left = name
    return added, text


def _table_text(table: Table, dialect: str) -> str:
    return ".".join(quote(part, dialect) for part in table.name.split("."))


def free_name(name: str, taken: set[str]) -> str:
    """``name``, or with a number after it where that is taken; ``taken`` is folded."""
    name = name.rsplit(".", 1)[-1]
    number, free = 2, name
    while free.casefold() in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def keep_meaning(
    analysis: Analysis, scope: Scope, tables: Sequence[Table], fixed: Sequence[Use]
) -> Iterator[Edit]:
    """Keep everything else meaning what it did: bare names that the new tables have as well are
    qualified, and ``*`` stays the columns of the old tables.
    """
    dialect = analysis.statement.dialect
    for use in analysis.resolution.uses:
        if use in fixed or use.qualifier or use.status is not Status.FOUND or not use.relation:
            continue
        if use.relation in scope.relations and any(t.column(use.name) for t in tables):
            yield from requalify([use], use.relation.name, dialect)
    for expression in scope.select.expressions:
        place = span(expression) if isinstance(expression, exp.Star) else None
        if place:
            stars = (f"{quote(r.name, dialect)}.*" for r in scope.relations)
            yield Edit(*place, ", ".join(stars))


def _counts_rows(relation: Relation, analysis: Analysis) -> bool:
    """Whether COUNT(*) counts the rows of ``relation``, so that it cannot be left out."""
    return any(
        isinstance(counted.this, exp.Star) and counted.parent_select is scope.select
        for scope in analysis.resolution.scopes
        if relation in scope.relations
        for counted in scope.select.find_all(exp.Count)
    )


def explain(path: Sequence[Link]) -> str:
    """The path in words."""
    steps = []
    for link in path:
        on = " and ".join(f"{link.left}.{a} = {link.right}.{b}" for a, b in link.pairs)
        inferred = " (keys inferred from their names)" if link.inferred else ""
        steps.append(f"{link.right} on {on}{inferred}")
    return "joined " + ", ".join(steps)


def swap_fixes(analysis: Analysis, scope: Scope, wanted: Wanted) -> Iterator[Fix]:
    """Read from ``wanted.table`` instead of a table whose columns the query does not need."""
    for relation in scope.relations:
        place = table_place(relation)
        if relation.table in (None, wanted.table) or place is None:
            continue
        others = [
            u
            for u in analysis.resolution.uses
            if u.relation is relation and u not in wanted.uses and u.status is Status.FOUND
        ]
        if any(wanted.table.column(u.name) is None for u in others):
            continue
        if len(scope.relations) > 1 and (others or not _is_alone(relation, wanted)):
            continue
        yield _swap(analysis, relation, wanted, others, place)


def _is_alone(relation: Relation, wanted: Wanted) -> bool:
    return all(u.relation is relation for u in wanted.uses)


def _swap(
    analysis: Analysis,
    relation: Relation,
    wanted: Wanted,
    others: Sequence[Use],
    place: tuple[int, int],
) -> Fix:
    dialect = analysis.statement.dialect
    edits = [Edit(*place, _table_text(wanted.table, dialect))]
    if relation.node.alias:
        edits += requalify((u for u in wanted.uses if u.qualifier), relation.name, dialect)
    else:
        qualified = [u for u in (*wanted.uses, *others) if u.qualifier]
        for use in qualified:
            edits += replace_column([use], wanted.table.name, use.name, dialect)
    cost = 1.7 if others else 1.35
    if _counts_rows(relation, analysis):
        cost += 0.4
    near = paths(analysis.schema, [relation.node.name], wanted.table.name, limit=1)
    cost += 0.1 * sum(link.cost for link in near[0]) if near else 0.5
    why = f"read from {wanted.table.name} instead of {relation.node.name}"
    # Of clients and archived clients either may be meant.
    ours, theirs = set(words(relation.node.name)), set(words(wanted.table.name))
    is_alike = ours <= theirs or theirs <= ours
    return Fix(tuple(edits), cost, why, is_certain=not wanted.is_of_other and not is_alike)
