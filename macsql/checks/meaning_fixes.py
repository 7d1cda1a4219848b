"""Cures for parts of a query that cannot be meant as written."""

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.text import Edit, Statement, clause_end, quote, span


def meaning_fixes(problem: Problem, analysis: Analysis) -> list[Fix]:
    """The one cure of a problem found by the rules of meaning."""
    code, node, statement = problem.finding.code, problem.node, analysis.statement
    fix: Fix | None = None
    if code == "null-comparison" and isinstance(node, (exp.EQ, exp.NEQ)):
        fix = _as_is(node, statement)
    elif code == "text-is-a-column" and node is not None and (place := span(node)):
        column = problem.finding.hint.removeprefix("write ")
        fix = Fix((Edit(*place, column),), 0.4, f"{column} is a column, not text")
    elif code == "text-in-other-case" and node is not None and (place := span(node)):
        right = problem.finding.hint.removeprefix("write ")
        fix = Fix((Edit(*place, right),), 0.2, f"{node.sql()} written as {right}, as compared")
    elif code == "syntax" and isinstance(node, exp.Literal) and (place := span(node)):
        fix = Fix((Edit(*place, f"({statement.sql[slice(*place)]})"),), 0.3, "made a list of IN")
    elif code == "side-order" and isinstance(node, exp.Select):
        fix = _without_order(node, statement)
    elif code == "position" and isinstance(node, exp.Column) and (place := span(node)):
        fix = _other_term(node, place, problem, statement)
    return [fix] if fix else []


def _as_is(node: exp.EQ | exp.NEQ, statement: Statement) -> Fix | None:
    """IS in place of the sign before NULL."""
    after = max((s[1] for n in node.this.walk() if (s := span(n))), default=None)
    signs = [
        t
        for t in statement.tokens
        if after is not None and t.start >= after and t.token_type in (TokenType.EQ, TokenType.NEQ)
    ]
    if not signs:
        return None
    word = "IS" if isinstance(node, exp.EQ) else "IS NOT"
    before = "" if statement.sql[signs[0].start - 1].isspace() else " "
    behind = "" if statement.sql[signs[0].end + 1].isspace() else " "
    edit = Edit(signs[0].start, signs[0].end + 1, f"{before}{word}{behind}")
    return Fix((edit,), 0.3, f"NULL compared with {word}")


def _without_order(side: exp.Select, statement: Statement) -> Fix | None:
    """An order of one side says nothing about the whole; with a limit it does, in a sub-query."""
    if side.args.get("limit") is not None:
        if statement.tree is None:
            return None
        tree = statement.tree.copy()
        for node in list(tree.find_all(exp.SetOperation)):
            first = node.this
            if isinstance(first, exp.Select) and first.args.get("limit") is not None:
                node.set("this", exp.select("*").from_(first.subquery()))
        text = tree.sql(dialect=statement.dialect or None)
        edit = Edit(0, len(statement.sql), text)
        return Fix((edit,), 0.6, "put the cut-off SELECT into a sub-query")
    order = side.args["order"]
    inside = [s[0] for n in order.walk() if (s := span(n))]
    words = [
        t.start
        for t in statement.tokens
        if t.token_type is TokenType.ORDER_BY and inside and t.start < min(inside)
    ]
    if not words:
        return None
    edit = Edit(words[-1], clause_end(statement, words[-1]), "")
    return Fix((edit,), 0.5, "left out the order of one side")


def _other_term(
    node: exp.Column, place: tuple[int, int], problem: Problem, statement: Statement
) -> Fix | None:
    near = problem.finding.hint.removeprefix("order by ").split(" or ")[0]
    if not near:
        return None
    edit = Edit(*place, quote(near, statement.dialect))
    return Fix((edit,), 1.5, f"ordered by {near}, which is shown")
