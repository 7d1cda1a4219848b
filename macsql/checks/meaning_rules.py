"""Parts of a query that cannot be meant as written: NULL compared, names as text, lost orders."""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.names import nearest
from macsql.checks.problems import Problem
from macsql.checks.rules import Rule
from macsql.checks.scopes import Resolution, Scope
from macsql.checks.text import Statement, quote, span
from macsql.message import Finding
from macsql.schema import Schema

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def null_comparisons(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """``x = NULL`` is never true, and neither is ``x <> NULL``."""
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.EQ, exp.NEQ):
            inside = node.parent_select is scope.select
            if inside and isinstance(node.expression, exp.Null) and _decides(node):
                right = "IS NULL" if isinstance(node, exp.EQ) else "IS NOT NULL"
                message = f"{node.sql()} is never true"
                finding = Finding(
                    "null-comparison", "error", message, f"write {right}", span(node.this)
                )
                yield Problem(finding, scope, node=node)


def _decides(node: exp.Expr) -> bool:
    """Whether a comparison is shown or chooses rows, and is no operand of IS NULL and its like."""
    above = node.parent
    while isinstance(above, (exp.Paren, exp.Connector, exp.Not)):
        above = above.parent
    return isinstance(
        above, (exp.Select, exp.Alias, exp.Where, exp.Having, exp.Join, exp.If, exp.Case)
    )


def names_as_text(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """A column's name in single quotes, where a text would be the same for every row."""
    for scope in resolution.scopes:
        columns = {c.casefold(): c for r in scope.relations for c in r.columns or ()}
        for node, certain in _constants(scope):
            stored = columns.get(node.name.casefold())
            if stored is None:
                continue
            finding = Finding(
                "text-is-a-column",
                "error" if certain else "warning",
                f"'{node.name}' is text, the same for every row, and there is a column {stored}",
                f"write {quote(stored, statement.dialect)}",
                span(node),
            )
            yield Problem(finding, scope, node=node)


def _constants(scope: Scope) -> Iterator[tuple[exp.Expr, bool]]:
    """Texts that take the place of a column, and whether they can mean nothing else."""
    select = scope.select
    for expression in select.expressions:
        if _is_text(expression):
            yield expression, False
    for clause in ("group", "order"):
        node = select.args.get(clause)
        for term in node.expressions if node is not None else ():
            constant = term.this if isinstance(term, exp.Ordered) else term
            if _is_text(constant):
                yield constant, True
    for node in select.find_all(exp.Min, exp.Max, exp.Sum, exp.Avg, *_COMPARISONS):
        against = (exp.Literal, exp.Subquery)
        constant = isinstance(node, exp.AggFunc) or isinstance(node.expression, against)
        if constant and node.parent_select is select and _is_text(node.this):
            yield node.this, True


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def folded_texts(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """``UPPER(x) = 'Paris'`` is never true, and ``LOWER(x) <> 'Paris'`` always."""
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.EQ, exp.NEQ, exp.In):
            if node.parent_select is not scope.select:
                continue
            sides = (
                (node.this, *node.expressions)
                if isinstance(node, exp.In)
                else node.iter_expressions()
            )
            call, *texts = sorted(
                sides, key=lambda side: not isinstance(side, (exp.Upper, exp.Lower))
            )
            for text in texts if isinstance(call, (exp.Upper, exp.Lower)) else ():
                if _is_text(text) and (right := _folded(call, text.name, statement)) != text.name:
                    name = "UPPER" if isinstance(call, exp.Upper) else "LOWER"
                    message = f"{name} never gives {text.sql()}"
                    hint = f"write {exp.Literal.string(right).sql()}"
                    finding = Finding("text-in-other-case", "error", message, hint, span(text))
                    yield Problem(finding, scope, node=text)


def _folded(call: exp.Expr, text: str, statement: Statement) -> str:
    """The text as the function would give it: SQLite's knows the letters of ASCII only."""
    change = str.upper if isinstance(call, exp.Upper) else str.lower
    if statement.dialect != "sqlite":
        return change(text)
    return "".join(change(c) if c.isascii() else c for c in text)


def text_in(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """``x IN 'a'`` without parentheses, which SQLite takes for a table."""
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.In):
            field = node.args.get("field")
            if isinstance(field, exp.Literal):
                message = f"IN {field.sql()} is no list"
                hint = f"write IN ({field.sql()})"
                yield Problem(Finding("syntax", "error", message, hint, span(field)), node=field)


def orders_of_sides(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """ORDER BY or LIMIT before UNION, and an order by a column that no side shows."""
    tree = statement.tree
    for node in tree.find_all(exp.SetOperation) if tree is not None else ():
        side = node.this
        if isinstance(side, exp.Select) and (side.args.get("order") or side.args.get("limit")):
            what = "ORDER BY" if side.args.get("order") else "LIMIT"
            message = f"{what} stands before {node.key.upper()}, not at the end"
            hint = f"put {what} at the end, or the first SELECT into a sub-query"
            yield Problem(Finding("side-order", "error", message, hint), node=side)
        if statement.dialect == "sqlite":
            yield from _unknown_terms(node, resolution)


def _unknown_terms(node: exp.SetOperation, resolution: Resolution) -> Iterator[Problem]:
    order = node.args.get("order")
    shown = [s.outputs for s in resolution.scopes if _is_side(s.select, node)]
    if order is None or not shown or any(outputs is None for outputs in shown):
        return
    names = [name for outputs in shown for name in outputs or ()]
    for term in order.expressions:
        column = term.this
        if isinstance(column, exp.Column) and column.name.casefold() not in {
            n.casefold() for n in names
        }:
            near = [n for n, _ in nearest(column.name, names)] or list(shown[0] or ())
            message = f"{node.key.upper()} shows no {column.name} to order by"
            hint = f"order by {' or '.join(dict.fromkeys(near))}"
            yield Problem(Finding("position", "error", message, hint, span(column)), node=column)


def _is_side(select: exp.Expr, operation: exp.SetOperation) -> bool:
    """Whether a SELECT is one of the parts that a set operation puts together."""
    node = select.parent
    while node is not operation and isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.parent
    return node is operation


def wide_sub_queries(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """A sub-query of two columns where one value is compared or shown."""
    for scope in resolution.scopes:
        above = scope.select.parent
        if not isinstance(above, exp.Subquery) or scope.outputs is None:
            continue
        place, width = above.parent, len(scope.outputs)
        sides = (place.this, place.expression) if isinstance(place, exp.Binary) else ()
        of_rows = any(isinstance(side, exp.Tuple) for side in sides) or _makes_a_row(scope)
        compared = isinstance(place, _COMPARISONS) and not of_rows
        shown = isinstance(place, exp.Select) and above.arg_key == "expressions" and not of_rows
        if width != 1 and (compared or shown):
            message = f"the sub-query returns {width} columns where one value is expected"
            finding = Finding("sub-query-arity", "error", message, "select one column only")
            yield Problem(finding, scope, node=place)
        elif isinstance(place, exp.In) and isinstance(place.this, exp.Tuple):
            asked = len(place.this.expressions)
            if width != asked:
                message = f"IN compares {asked} columns with {width} of the sub-query"
                hint = f"select {asked} columns"
                yield Problem(Finding("sub-query-arity", "error", message, hint), node=place)


def _makes_a_row(scope: Scope) -> bool:
    """SELECT AS STRUCT, and a sub-query as wide as what it is compared with."""
    above = scope.select.parent
    place = above.parent if above is not None else None
    both = isinstance(place, exp.Binary) and all(
        isinstance(side, exp.Subquery) for side in (place.this, place.expression)
    )
    return scope.select.args.get("kind") is not None or both


MEANING_RULES: tuple[Rule, ...] = (
    null_comparisons,
    names_as_text,
    folded_texts,
    text_in,
    orders_of_sides,
    wide_sub_queries,
)
