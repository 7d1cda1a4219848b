"""Cures for names that no table has, and of which it is plain what they stand for."""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix
from macsql.checks.forgiven import parentheses
from macsql.checks.misread import qualified_whole
from macsql.checks.problems import Problem
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Status
from macsql.checks.text import Edit, quote, span
from macsql.names import fold

_COUNTS = frozenset({"cnt", "count", "counts", "count_all", "row_count", "total_count"})
_LIKE_COUNTS = re.compile(
    r"n|num|number|freq|frequency|(num|number|count|cnt|total)_\w+|\w+_(count|cnt)", re.IGNORECASE
)


def plain_fixes(problem: Problem, analysis: Analysis) -> list[Fix]:
    """The one cure of a name, where there is one."""
    if not problem.uses:
        return []
    fixes = (_qualified_whole, _counted, _named_sub_query)
    return [fix for make in fixes for fix in make(problem, analysis)][:1]


def _qualified_whole(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    text = qualified_whole(problem.uses[0], analysis.statement)
    edits = tuple(Edit(*p, text) for u in problem.uses if text and (p := span(u.column)))
    if edits:
        yield Fix(edits, 0.2, f"{text} was quoted as one name")


def _counted(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """``GROUP BY city ORDER BY cnt`` without a cnt: the number of rows, or the one count shown."""
    use, scope = problem.uses[0], problem.uses[0].scope
    is_count = use.name.casefold() in _COUNTS
    if use.status is not Status.MISSING or scope.select.args.get("group") is None:
        return
    if use.qualifier or not (is_count or _LIKE_COUNTS.fullmatch(use.name)):
        return
    if any(u.clause not in ("order", "having") for u in problem.uses):
        return
    shown = [a for e in scope.select.expressions for a in aggregates(e)]
    if len(shown) > 1 or any(not isinstance(a, exp.Count) for a in shown):
        return
    if any(isinstance(e, exp.Alias) and aggregates(e) for e in scope.select.expressions):
        return  # it has a name already, which is misspelt
    text = shown[0].sql(dialect=analysis.statement.dialect) if shown else "COUNT(*)"
    edits = tuple(Edit(*p, text) for u in problem.uses if (p := span(u.column)))
    yield Fix(edits, 0.4, f"{use.name} is {text}", is_count)


def _named_sub_query(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """``SELECT t.x FROM (SELECT …)`` where the sub-query got no name."""
    use = problem.uses[0]
    if use.status is not Status.NO_QUALIFIER:
        return
    nameless = [r for r in use.scope.relations if not r.name and isinstance(r.node, exp.Subquery)]
    alike = [
        u
        for u in use.scope.uses
        if u.status is Status.NO_QUALIFIER and fold(u.qualifier) == fold(use.qualifier)
    ]
    if len(nameless) != 1 or not all(nameless[0].has(u.name) for u in alike):
        return
    node = nameless[0].node
    pair = parentheses(node, analysis.statement) if isinstance(node, exp.Subquery) else None
    if pair is None or pair[1].token_type is not TokenType.R_PAREN:
        return
    end = pair[1].end + 1
    name = quote(use.qualifier, analysis.statement.dialect)
    yield Fix((Edit(end, end, f" AS {name}"),), 0.3, f"named the sub-query {name}")
