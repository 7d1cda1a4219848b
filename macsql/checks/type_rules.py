"""Values of one type treated as another: numbers and text compared, whole numbers divided."""

import re
from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.problems import Problem
from macsql.checks.rules import Rule
from macsql.checks.scopes import Resolution, Scope, Use
from macsql.checks.text import Statement, span
from macsql.message import Finding
from macsql.schema import Column, Schema

_NUMERIC = re.compile(r"int|real|num|dec|double|float|money|serial", re.IGNORECASE)
_WHOLE = re.compile(r"int|serial", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[-+]?\d+(?:\.\d+)?\s*%?")
_TRUNCATES = frozenset({"sqlite", "postgres", "tsql", "redshift"})
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def mixed_types(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """A number column compared with a word, a text column with a number or a number column."""
    uses = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.EQ, exp.NEQ, *_ORDERS):
            if node.parent_select is not scope.select:
                continue
            left, right = node.this, node.expression
            if isinstance(left, exp.Literal):
                left, right = right, left
            use = uses.get(id(left))
            column = _stored(use)
            if use is None or column is None:
                continue
            if reason := _mismatch(column, right, node, _stored(uses.get(id(right)))):
                hint = f"values are like {_examples(column)}"
                finding = Finding(
                    "type-mismatch", "warning", f"{node.sql()} {reason}", hint, span(left)
                )
                yield Problem(finding, scope, (use,), node=node)


def _stored(use: Use | None) -> Column | None:
    table = use.relation.table if use and use.relation else None
    return table.column(use.name) if table and use else None


def _mismatch(column: Column, right: exp.Expr, node: exp.Expr, other: Column | None) -> str:
    """What is wrong with comparing the two; "" when nothing is."""
    if isinstance(right, exp.Literal):
        is_number = not right.is_string or _NUMBER.fullmatch(right.this)
        if right.is_string and not is_number and _holds_numbers(column):
            return f"compares the numbers of {column.name} with text"
        if not right.is_string and isinstance(node, _ORDERS) and _holds_words(column):
            return f"compares the texts of {column.name} with a number"
    elif other is not None and isinstance(node, exp.EQ):
        pairs = ((column, other), (other, column))
        if any(_holds_numbers(one) and _holds_words(two) for one, two in pairs):
            return "compares numbers with text"
    return ""


def _holds_numbers(column: Column) -> bool:
    has_text = any(isinstance(e, str) for e in column.examples)
    return _NUMERIC.search(column.type) is not None and not has_text


def _holds_words(column: Column) -> bool:
    known = [e for e in column.examples if e is not None]
    words = [e for e in known if isinstance(e, str) and not _NUMBER.fullmatch(e)]
    return bool(words) and len(words) == len(known) and not _NUMERIC.search(column.type)


def _examples(column: Column) -> str:
    return ", ".join(repr(e) for e in column.examples if e is not None) or column.type


def aggregated_text(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """SUM or AVG of words."""
    uses = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.Sum, exp.Avg):
            column = _stored(uses.get(id(node.this)))
            if column is not None and _holds_words(column):
                message = f"{node.sql()} adds up text"
                hint = f"values are like {_examples(column)}"
                finding = Finding("aggregated-text", "warning", message, hint, span(node.this))
                yield Problem(finding, scope, node=node)


def whole_division(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """The quotient of two whole numbers is cut to a whole number in most databases."""
    if statement.dialect not in _TRUNCATES:
        return
    uses = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.Div):
            inside = node.parent_select is scope.select
            if (
                inside
                and not _is_rounded(node)
                and all(_is_whole(n, uses, scope) for n in (node.this, node.expression))
            ):
                message = f"{node.sql()} divides whole numbers: the fraction is lost"
                hint = f"write CAST({node.this.sql()} AS REAL) / {node.expression.sql()}"
                finding = Finding("whole-division", "warning", message, hint)
                yield Problem(finding, scope, node=node)


def _is_rounded(node: exp.Expr) -> bool:
    """Whether the fraction is thrown away anyhow."""
    cast = node.parent
    return isinstance(cast, exp.Cast) and bool(_WHOLE.search(cast.to.sql()))


def _is_whole(node: exp.Expr, uses: dict[int, Use], scope: Scope) -> bool:
    if isinstance(node, exp.Paren):
        return _is_whole(node.this, uses, scope)
    if isinstance(node, exp.Literal):
        return bool(node.is_int)
    if isinstance(node, exp.Count):
        return True
    if isinstance(node, (exp.Sum, exp.Max, exp.Min)):
        return _is_whole(node.this, uses, scope)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
        return all(_is_whole(n, uses, scope) for n in (node.this, node.expression))
    if isinstance(node, exp.Case):
        return all(isinstance(n, exp.Literal) and n.is_int for n in _results(node))
    if isinstance(node, (exp.EQ, exp.NEQ, *_ORDERS)):
        return True
    column = _stored(uses.get(id(node)))
    known = [e for e in column.examples if e is not None] if column else []
    return (
        bool(known)
        and bool(_WHOLE.search(column.type if column else ""))
        and all(isinstance(e, int) for e in known)
    )


def _results(node: exp.Case) -> list[exp.Expr]:
    results = [branch.args["true"] for branch in node.args.get("ifs") or ()]
    default = node.args.get("default")
    return [*results, *([default] if default is not None else [])]


TYPE_RULES: tuple[Rule, ...] = (mixed_types, aggregated_text, whole_division)
