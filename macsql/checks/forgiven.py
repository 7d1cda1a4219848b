"""What the parser forgives and SQLite does not: found here, since the tree looks healthy."""

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution
from macsql.checks.text import Edit, Statement, closing_parenthesis, span, token_at
from macsql.message import Finding
from macsql.schema import Schema

_ORDER = {
    TokenType.FROM: 1,
    TokenType.JOIN: 1,
    TokenType.WHERE: 2,
    TokenType.GROUP_BY: 3,
    TokenType.HAVING: 4,
    TokenType.WINDOW: 5,
    TokenType.ORDER_BY: 6,
    TokenType.LIMIT: 7,
}
_ANEW = frozenset(
    {TokenType.SELECT, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.COMMA}
)


def forgiven_faults(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """Syntax that SQLite refuses although it can be read."""
    if statement.dialect != "sqlite" or statement.tree is None:
        return
    yield from _commas(statement)
    yield from _clause_order(statement)
    for select in statement.tree.find_all(exp.Select):
        if not select.expressions:
            yield Problem(Finding("syntax", "error", "SELECT of nothing", "name the columns"))
    for node in statement.tree.find_all(exp.Any, exp.All):
        finding = Finding(
            "other-dialect",
            "error",
            f"sqlite has no {node.key.upper()}",
            "compare with the MIN or MAX of the sub-query",
        )
        yield Problem(finding, node=node)
    for operation in statement.tree.find_all(exp.SetOperation):
        for side in (operation.this, operation.expression):
            # INTERSECT binds tighter for the parser: a sub-query may be of its own making.
            if isinstance(side, exp.Subquery) and _parentheses(side, statement):
                message = f"sqlite takes no parentheses around a side of {operation.key.upper()}"
                finding = Finding("other-dialect", "error", message, "remove the parentheses")
                yield Problem(finding, node=side)


def _commas(statement: Statement) -> Iterator[Problem]:
    for one, other in pairwise(statement.tokens):
        if one.token_type is TokenType.COMMA and other.token_type is TokenType.FROM:
            place = (one.start, one.end + 1)
            yield Problem(
                Finding("syntax", "error", "a comma before FROM", "remove the comma", place)
            )


def _clause_order(statement: Statement) -> Iterator[Problem]:
    """WHERE after GROUP BY, JOIN after WHERE."""
    reached = [0]
    for token in statement.tokens:
        if token.token_type is TokenType.L_PAREN:
            reached.append(0)
        elif token.token_type is TokenType.R_PAREN and len(reached) > 1:
            reached.pop()
        elif token.token_type in _ANEW and (
            token.token_type is not TokenType.COMMA or reached[-1] == 1
        ):
            reached[-1] = 0
        elif (rank := _ORDER.get(token.token_type, 0)) and not _is_name(token, statement):
            if rank < reached[-1]:
                message = f"{token.text.upper()} is in the wrong place"
                hint = "the order is FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT"
                place = (token.start, token.end + 1)
                yield Problem(Finding("syntax", "error", message, hint, place), node=statement.tree)
                return
            reached[-1] = rank


def _is_name(token: Token, statement: Statement) -> bool:
    """Whether a keyword stands for something else: FROM in IS DISTINCT FROM, a quoted name."""
    index = token_at(statement, token.start) or 0
    before = statement.tokens[index - 1].token_type if index else None
    return before in (TokenType.DISTINCT, TokenType.DOT, TokenType.ALIAS)


# Cures ----------------------------------------------------------------------------------------


def forgiven_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The same, as SQLite takes it."""
    node, place = problem.node, problem.finding.span
    if isinstance(node, (exp.Any, exp.All)):
        fix = _without_quantifier(node, statement)
    elif isinstance(node, exp.Subquery):
        fix = _without_parentheses(node, statement)
    elif isinstance(node, exp.Query):
        whole = Edit(0, len(statement.sql), node.sql(dialect=statement.dialect))
        fix = Fix((whole,), 1.0, "put the clauses in order")
    elif place and statement.sql[place[0] : place[1]] == ",":
        fix = Fix((Edit(*place, ""),), 0.3, "removed a comma")
    else:
        return []
    return [fix] if fix else []


def _without_quantifier(node: exp.Expr, statement: Statement) -> Fix | None:
    """``> ALL (SELECT x …)`` is ``> (SELECT MAX(x) …)``, ``> ANY`` is ``> (SELECT MIN(x) …)``."""
    comparison = node.parent
    query = node.find(exp.Select)
    inside = [s for n in query.walk() if (s := span(n))] if query else []
    if query is None or not inside or len(query.expressions) != 1:
        return None
    greater = isinstance(comparison, (exp.GT, exp.GTE))
    if not greater and not isinstance(comparison, (exp.LT, exp.LTE)):
        return None
    function = "MAX" if greater == isinstance(node, exp.All) else "MIN"
    start = min(s[0] for s in inside)
    before = [t for t in statement.tokens if t.start < start]
    words = [t for t in before if t.text.upper() in {"ANY", "ALL", "SOME"}]
    selected = query.expressions[0]
    places = [s for n in selected.walk() if (s := span(n))]
    if not words or not isinstance(selected, exp.Column) or not places:
        return None
    first, last = min(s[0] for s in places), max(s[1] for s in places)
    column = statement.sql[first:last]
    edits = (
        Edit(words[-1].start, words[-1].end + 1, ""),
        Edit(first, last, f"{function}({column})"),
    )
    return Fix(edits, 0.5, f"{words[-1].text.upper()} written with {function}")


def _without_parentheses(node: exp.Subquery, statement: Statement) -> Fix | None:
    pair = _parentheses(node, statement)
    inner = node.this
    if pair is None or any(inner.args.get(k) for k in ("order", "limit", "offset", "with_")):
        return None
    edits = tuple(Edit(t.start, t.end + 1, " ") for t in pair)
    return Fix(edits, 0.4, "removed parentheses around a side of a set operation")


def _parentheses(node: exp.Subquery, statement: Statement) -> tuple[Token, Token] | None:
    """The parentheses around a sub-query, when they are written."""
    inside = [s[0] for n in node.walk() if (s := span(n))]
    selects = [
        index
        for index, token in enumerate(statement.tokens)
        if token.token_type is TokenType.SELECT and inside and token.start < min(inside)
    ]
    opening = selects[-1] - 1 if selects else -1
    if opening < 0 or statement.tokens[opening].token_type is not TokenType.L_PAREN:
        return None
    closing = closing_parenthesis(statement, opening)
    return None if closing is None else (statement.tokens[opening], statement.tokens[closing])
