"""Cures for the name of a table that is not there."""

from collections.abc import Iterator

from macsql.checks.analysis import Analysis
from macsql.checks.corrections import is_correction
from macsql.checks.edits import Fix, requalify, table_place
from macsql.checks.names import similarity, words
from macsql.checks.problems import Problem
from macsql.checks.scopes import Relation, Scope, Status
from macsql.checks.text import Edit, quote, span
from macsql.names import fold


def table_fixes(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """The tables that may be meant."""
    relation, scope = problem.relation, problem.scope
    place = table_place(relation) if relation else None
    if relation is None or scope is None or place is None:
        return
    dialect = analysis.statement.dialect
    yield from _split_table_name(relation, place, analysis)
    for name, cost in _table_candidates(relation, scope, analysis):
        edits = [Edit(*place, quote(name, dialect))]
        if not relation.node.alias:
            if scope.relation(name) not in (None, relation):
                continue
            qualified = (u for u in analysis.resolution.uses if u.relation is relation)
            edits += requalify((u for u in qualified if u.qualifier), name, dialect)
        written = relation.node.name
        is_certain = _is_same_table(written, name)
        yield Fix(tuple(edits), cost, f"table {written} corrected to {name}", is_certain)


def _split_table_name(
    relation: Relation, place: tuple[int, int], analysis: Analysis
) -> Iterator[Fix]:
    """``FROM Order Details`` reads as a table with an alias; together they name a table."""
    alias = relation.node.args.get("alias")
    end = span(alias.this) if alias is not None else None
    table = analysis.schema.table(f"{relation.node.name} {relation.node.alias}")
    if table is not None and end is not None:
        edit = Edit(place[0], end[1], quote(table.name, analysis.statement.dialect))
        yield Fix((edit,), 0.5, f"quoted {table.name}")


def _table_candidates(
    relation: Relation, scope: Scope, analysis: Analysis
) -> list[tuple[str, float]]:
    """Tables and CTEs that may be meant: like in name, and having the columns that are used."""
    written = relation.node.name
    wanted = {
        words(u.name)
        for u in analysis.resolution.uses
        if u.relation is relation
        or (u.status is Status.OPEN and not u.qualifier and u.scope is scope)
    }
    known: dict[str, tuple[str, ...] | None] = {
        t.name: tuple(c.name for c in t.columns) for t in analysis.schema.tables
    }
    known |= scope.ctes
    scored = []
    for name, columns in known.items():
        alike = similarity(written, name)
        # The columns, too, may be written in another style: driver_id for driverId.
        known_words = {words(c) for c in columns or ()}
        share = len(wanted & known_words) / len(wanted) if wanted else alike
        if columns is None:
            share = alike
        score = 0.55 * alike + 0.45 * share
        if _is_same_table(written, name) or (wanted and share >= 0.99):
            scored.append((name, 1.0 + 4 * (1 - score)))
    return sorted(scored, key=lambda pair: pair[1])[:4]


def _is_same_table(written: str, name: str) -> bool:
    """Whether a table is ``name`` but for a slip, or says more or less of the same. There are few
    tables to choose from: one letter may differ also in short words, but not a digit.
    """
    ours, theirs = set(words(written)), set(words(name))
    if is_correction(written, name) or ours <= theirs or theirs <= ours:
        return True
    digits = [[c for c in text if c.isdigit()] for text in (written, name)]
    same_start = fold(written[:1]) == fold(name[:1])
    return same_start and digits[0] == digits[1] and similarity(written, name) >= 0.95
