"""Cures for names that needed quotes and were read as something else."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix, rename, requalify
from macsql.checks.problems import Problem
from macsql.checks.scopes import Use
from macsql.checks.text import Edit, Statement, quote, span, token_at

_LONGEST = 8
"""Tokens on each side that may belong to one name."""


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
    """``SELECT Order-No`` reads as a difference; together they name a column."""
    statement = analysis.statement
    for use in uses:
        start = span(use.column.this)
        index = token_at(statement, start[0]) if start else None
        for place in _runs(statement, index) if index is not None else ():
            written = statement.sql[slice(*place)]
            if any(relation.has(written) for relation in use.scope.relations):
                edit = Edit(*place, quote(written, statement.dialect))
                yield Fix((edit,), 0.2, f"quoted {written}")


def _runs(statement: Statement, index: int) -> Iterator[tuple[int, int]]:
    """Where tokens without space between them stand, the one at ``index`` among them."""
    tokens = statement.tokens
    first = last = index
    while first > max(0, index - _LONGEST) and _follows(tokens[first - 1], tokens[first]):
        first -= 1
    while last + 1 < min(len(tokens), index + _LONGEST) and _follows(
        tokens[last], tokens[last + 1]
    ):
        last += 1
    for begin in range(first, index + 1):
        for end in range(max(index, begin + 2), last + 1):
            yield tokens[begin].start, tokens[end].end + 1


def _follows(before: Token, token: Token) -> bool:
    ends = {TokenType.COMMA, TokenType.DOT, TokenType.L_PAREN, TokenType.R_PAREN}
    return before.end + 1 == token.start and ends.isdisjoint({before.token_type, token.token_type})


def reserved_words(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """``SELECT group``: a word that SQL keeps for itself."""
    place = span(problem.node)
    if place and problem.node is not None:
        written = quote(problem.node.name, analysis.statement.dialect, always=True)
        yield Fix((Edit(*place, written),), 0.2, f"quoted {problem.node.name}")


def case_fixes(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """A name that is stored in another letter case."""
    relation, dialect = problem.relation, analysis.statement.dialect
    table = relation.table if relation else None
    if relation is None or table is None:
        return
    if not problem.uses:
        place = span(relation.node.this)
        stored = table.name.rsplit(".", 1)[-1]
        if place:
            edits = [Edit(*place, quote(stored, dialect))]
            if not relation.node.alias:
                qualified = [
                    u for u in analysis.resolution.uses if u.relation is relation and u.qualifier
                ]
                edits += requalify(qualified, stored, dialect)
            yield Fix(tuple(edits), 0.3, f"quoted {stored}")
        return
    column = table.column(problem.uses[0].name)
    if column:
        yield Fix(tuple(rename(problem.uses, column.name, dialect)), 0.3, f"quoted {column.name}")
