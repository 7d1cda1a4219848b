"""Cures for names that needed quotes and were read as something else."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.scopes import Use
from macsql.checks.text import Edit, quote, span, whole_span


def two_words(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """``SELECT Unit Price`` reads as a column with an alias; together they name a column."""
    for use in uses:
        parent = use.column.parent
        if not isinstance(parent, exp.Alias):
            continue
        start, end = span(use.column.this), span(parent.args["alias"])
        full = f"{use.name} {parent.alias}"
        for relation in use.scope.relations:
            if start and end and relation.has(full):
                edit = Edit(start[0], end[1], quote(full, analysis.statement.dialect))
                yield Fix((edit,), 0.6, f"quoted {full}")


def with_operators(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """``SELECT Order-No`` reads as a difference; together they name a column.

    The same column may stand in more places of the statement: each is cured on its own.
    """
    for use in uses:
        node = use.column.parent
        while isinstance(node, (exp.Sub, exp.Add, exp.Div, exp.Mul, exp.Mod)):
            if place := _name_place(node):
                written = analysis.statement.sql[slice(*place)]
                if any(relation.has(written) for relation in use.scope.relations):
                    edit = Edit(*place, quote(written, analysis.statement.dialect))
                    yield Fix((edit,), 0.2, f"quoted {written}")
            node = node.parent


def _name_place(node: exp.Expr) -> tuple[int, int] | None:
    """Where an expression is written, without the table before its first column."""
    whole, first = whole_span(node), node
    while isinstance(first, exp.Binary) and not isinstance(first, exp.Dot):
        first = first.this
    start = span(first.this) if isinstance(first, exp.Column) else span(first)
    return (start[0], whole[1]) if whole and start else None


def reserved_words(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """``SELECT group``: a word that SQL keeps for itself."""
    place = span(problem.node)
    if place and problem.node is not None:
        written = quote(problem.node.name, analysis.statement.dialect, always=True)
        yield Fix((Edit(*place, written),), 0.2, f"quoted {problem.node.name}")
