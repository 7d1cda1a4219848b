"""Cures for faults of structure: aggregates out of place, missing groups, wide sub-queries."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Scope, Status
from macsql.checks.text import Edit, Statement, clause_end, conjuncts, quote, span

_KEYWORDS = {
    "where": TokenType.WHERE,
    "group": TokenType.GROUP_BY,
    "having": TokenType.HAVING,
    "order": TokenType.ORDER_BY,
}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def structure_fixes(problem: Problem, analysis: Analysis) -> list[Fix]:
    """Cures for a problem with the structure of a query, cheapest first."""
    scope = problem.scope
    if scope is None:
        return []
    cures = {
        "aggregate-in-where": _move_aggregates,
        "group-by": _add_group_by,
        "sub-query-arity": _narrow,
    }
    cure = cures.get(problem.finding.code)
    return sorted(cure(problem, scope, analysis), key=lambda f: f.cost) if cure else []


def _clause(scope: Scope, name: str, statement: Statement) -> tuple[int, int] | None:
    """(start, end) of a whole clause, its keyword included."""
    node = scope.select.args.get(name)
    inside = [s[0] for n in node.walk() if (s := span(n))] if node is not None else []
    if not inside:
        return None
    keywords = [
        t.start
        for t in statement.tokens
        if t.token_type is _KEYWORDS[name] and t.start < min(inside)
    ]
    return (keywords[-1], clause_end(statement, keywords[-1])) if keywords else None


# Aggregates in WHERE --------------------------------------------------------------------------


def _move_aggregates(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    statement = analysis.statement
    place = _clause(scope, "where", statement)
    if place is None:
        return
    aliased = {
        id(u.column)
        for u in scope.uses
        if u.clause == "where"
        and u.status is Status.ALIAS
        and aggregates(scope.aliases.get(u.name.casefold()))
    }
    parts = conjuncts(scope.select.args["where"].this)
    moving = [
        c for c in parts if aggregates(c) or any(id(n) in aliased for n in c.find_all(exp.Column))
    ]
    staying = [c for c in parts if c not in moving]
    if not moving:
        return
    if fix := _as_sub_query(moving, scope, statement):
        yield fix
    yield _as_having(moving, staying, scope, statement, place)


def _as_having(
    moving: list[exp.Expr],
    staying: list[exp.Expr],
    scope: Scope,
    statement: Statement,
    place: tuple[int, int],
) -> Fix:
    condition = " AND ".join(c.sql(dialect=statement.dialect) for c in moving)
    where = " AND ".join(c.sql(dialect=statement.dialect) for c in staying)
    edits = [Edit(*place, f"WHERE {where}" if where else "")]
    having, group = _clause(scope, "having", statement), _clause(scope, "group", statement)
    if having is not None:
        edits.append(Edit(having[1], having[1], f" AND {condition}"))
    elif group is not None:
        edits.append(Edit(group[1], group[1], f" HAVING {condition}"))
    else:
        grouped = _group_by(scope, statement)
        edits[0] = Edit(*place, " ".join(p for p in (edits[0].text, grouped) if p))
        edits[0] = Edit(*place, f"{edits[0].text} HAVING {condition}".strip())
    return Fix(tuple(edits), 1.2, f"moved {condition} to HAVING")


def _as_sub_query(moving: list[exp.Expr], scope: Scope, statement: Statement) -> Fix | None:
    """``age > AVG(age)`` means the average of all rows: ``age > (SELECT AVG(age) FROM …)``."""
    if len(scope.relations) != 1 or scope.relations[0].table is None:
        return None
    source = scope.relations[0]
    edits = []
    for conjunct in moving:
        if not isinstance(conjunct, _COMPARISONS):
            return None
        aggregate = next((s for s in (conjunct.left, conjunct.right) if aggregates(s) == [s]), None)
        other = conjunct.right if aggregate is conjunct.left else conjunct.left
        if aggregate is None or not isinstance(other, exp.Column):
            return None
        call = _call_place(aggregate, statement)
        if call is None:
            return None
        call_text = statement.sql[call[0] : call[1]]
        source_text = source.node.sql(dialect=statement.dialect)
        edits.append(Edit(*call, "".join(("(SELECT ", call_text, " FROM ", source_text, ")"))))
    return Fix(tuple(edits), 1.0, "compared with a sub-query in place of an aggregate")


def _call_place(node: exp.Expr, statement: Statement) -> tuple[int, int] | None:
    start = span(node)
    if start is None:
        return None
    depth = 0
    for token in statement.tokens:
        if token.start < start[0]:
            continue
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.R_PAREN and depth == 0:
            return start[0], token.end + 1
    return None


# Missing groups -------------------------------------------------------------------------------


def _group_by(scope: Scope, statement: Statement) -> str:
    bare = [
        e.unalias().sql(dialect=statement.dialect)
        for e in scope.select.expressions
        if not aggregates(e) and isinstance(e.unalias(), exp.Column) and not e.is_star
    ]
    return f"GROUP BY {', '.join(dict.fromkeys(bare))}" if bare else ""


def _add_group_by(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    statement = analysis.statement
    grouped = _group_by(scope, statement)
    place = _clause(scope, "having", statement) or _clause(scope, "order", statement)
    if grouped and place:
        yield Fix((Edit(place[0], place[0], f"{grouped} "),), 1.0, f"added {grouped}")


# Sub-queries with too many columns ------------------------------------------------------------


def _narrow(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    """Keep the one column that the IN compares with: the one of the same name, or the first."""
    statement, membership = analysis.statement, problem.node
    if not isinstance(membership, exp.In) or not scope.outputs:
        return
    place = _select_list(scope, statement)
    if place is None:
        return
    wanted = membership.this.name.casefold()
    for rank, expression in enumerate(scope.select.expressions[:4]):
        same = expression.alias_or_name.casefold() == wanted
        text = expression.sql(dialect=statement.dialect)
        if expression.is_star:
            text = quote(membership.this.name, statement.dialect)
        cost = 0.6 if same else 1.0 + 0.2 * rank
        yield Fix((Edit(*place, text),), cost, f"the sub-query selects {text} only")


def _select_list(scope: Scope, statement: Statement) -> tuple[int, int] | None:
    """From the first to the last selected expression."""
    inside = [s[0] for e in scope.select.expressions for n in e.walk() if (s := span(n))]
    if not inside:
        return None
    before = [t for t in statement.tokens if t.start < min(inside)]
    opening = [t.end + 1 for t in before if t.token_type in (TokenType.SELECT, TokenType.DISTINCT)]
    depth = 0
    for token in statement.tokens:
        if not opening or token.start < opening[-1]:
            continue
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and token.token_type is TokenType.FROM):
            return opening[-1] + 1, token.start - 1
    return None
