"""What is wrong with the structure of a query: aggregates, numbers of columns, joins."""

from collections.abc import Callable, Iterator

from sqlglot import exp

from macsql.checks.joins import links
from macsql.checks.problems import Problem
from macsql.checks.scopes import Relation, Resolution, Scope, Status, Use
from macsql.checks.text import Statement, shorten, span
from macsql.message import Finding
from macsql.names import fold
from macsql.schema import Schema

Rule = Callable[[Statement, Resolution, Schema], Iterator[Problem]]

_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat)
_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.Order)


def own_nodes(root: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression, without those of the queries inside it."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += [n for n in node.iter_expressions() if not isinstance(n, exp.Query)]


def aggregates(root: exp.Expr | None) -> list[exp.Expr]:
    """The aggregate calls of an expression; window functions and those inside queries are not."""
    if root is None:
        return []
    return [n for n in own_nodes(root) if _is_aggregate(n)]


def _is_aggregate(node: exp.Expr) -> bool:
    named_total = isinstance(node, exp.Anonymous) and node.name.lower() == "total"
    if not (isinstance(node, _AGGREGATES) or named_total):
        return False
    above = node.parent
    while isinstance(above, _WRAPPERS):
        above = above.parent
    return not isinstance(above, exp.Window)


# Aggregates -------------------------------------------------------------------------------


def misplaced_aggregates(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """Aggregates in WHERE, ON or GROUP BY, or inside each other, by name or behind an alias."""
    for scope in resolution.scopes:
        for clause in ("where", "group"):
            yield from _aggregates_in(clause, scope)
        for expression in scope.select.expressions:
            yield from _nested_aggregates(expression, scope)


def _aggregates_in(clause: str, scope: Scope) -> Iterator[Problem]:
    direct = aggregates(scope.select.args.get(clause))
    behind_alias = [
        u.column
        for u in scope.uses
        if u.clause == clause
        and u.status is Status.ALIAS
        and aggregates(scope.aliases.get(fold(u.name)))
    ]
    place = {"where": "WHERE", "group": "GROUP BY"}[clause]
    hint = "use HAVING, or compare with a sub-query" if clause == "where" else "group by columns"
    for node in [*direct, *behind_alias]:
        if any(u.is_outer for u in scope.uses if u.column in node.find_all(exp.Column)):
            continue
        code = f"aggregate-in-{place.lower().replace(' ', '-')}"
        message = f"{shorten(node)} is an aggregate, which {place} cannot use"
        yield Problem(Finding(code, "error", message, hint, span(node)), scope, node=node)


def _nested_aggregates(expression: exp.Expr, scope: Scope) -> Iterator[Problem]:
    for outer in aggregates(expression):
        for inner in aggregates(outer):
            if inner is not outer:
                message = f"{shorten(inner)} is inside another aggregate"
                hint = "compute the inner one in a sub-query"
                finding = Finding("nested-aggregate", "error", message, hint, span(inner))
                yield Problem(finding, scope, node=inner)


def grouping(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """Groups that are used but never made, and columns shown beside an aggregate of all rows."""
    for scope in resolution.scopes:
        select = scope.select
        if select.args.get("group") is not None:
            continue
        shown = [a for e in select.expressions for a in aggregates(e)]
        having, order = select.args.get("having"), aggregates(select.args.get("order"))
        if not shown and (having is not None or order):
            what = "HAVING" if having is not None else f"ORDER BY {shorten(order[0])}"
            severity = "error" if statement.dialect == "sqlite" else "warning"
            finding = Finding(
                "group-by",
                "error" if severity == "error" else "warning",
                f"{what} needs groups, and there is no GROUP BY",
                "group by the columns that are shown",
            )
            yield Problem(finding, scope, node=having or order[0])
        elif shown and (finding_ := _bare_beside_aggregate(scope, shown, statement)):
            yield Problem(finding_, scope)


def _bare_beside_aggregate(
    scope: Scope, shown: list[exp.Expr], statement: Statement
) -> Finding | None:
    # SQLite takes the bare columns from the row of a single MIN or MAX: that is meant.
    extreme = len(shown) == 1 and isinstance(shown[0], (exp.Min, exp.Max))
    if extreme and statement.dialect == "sqlite":
        return None
    for expression in scope.select.expressions:
        column = expression.unalias()
        if isinstance(column, exp.Column) and not isinstance(column.this, exp.Star):
            message = f"{column.sql()} is shown beside {shorten(shown[0])} without GROUP BY"
            hint = f"add GROUP BY {column.sql()}, or show only the aggregate"
            return Finding("group-by", "warning", message, hint, span(column))
    return None


# Numbers of columns -------------------------------------------------------------------------


def column_counts(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """Set operations whose sides differ in width; sub-queries with more than one column."""
    for node, left, right in resolution.set_sides:
        if left != right:
            message = f"the two sides of {node.key.upper()} have {left} and {right} columns"
            hint = "select the same columns on both sides"
            yield Problem(Finding("set-operation-arity", "error", message, hint), node=node)
    for scope in resolution.scopes:
        yield from _sub_query_width(scope)
        yield from _positions(scope)


def _sub_query_width(scope: Scope) -> Iterator[Problem]:
    membership = _membership(scope.select)
    if membership is None or scope.outputs is None or len(scope.outputs) == 1:
        return
    width = len(scope.outputs)
    if isinstance(membership.this, (exp.Tuple, exp.Subquery)):
        return
    finding = Finding(
        "sub-query-arity",
        "error",
        f"the sub-query of IN returns {width} columns where one is expected",
        f"select only what {membership.this.sql()} is compared with",
    )
    yield Problem(finding, scope, node=membership)


def _membership(select: exp.Select) -> exp.In | None:
    """The IN whose right side is this SELECT alone."""
    node: exp.Expr | None = select.parent
    while isinstance(node, exp.Subquery):
        node = node.parent
    inside = isinstance(node, exp.In) and node.args.get("query") is not None
    return node if inside and isinstance(node, exp.In) else None


def _positions(scope: Scope) -> Iterator[Problem]:
    """ORDER BY 3 where two columns are shown."""
    for clause in ("order", "group"):
        node = scope.select.args.get(clause)
        for term in node.expressions if node is not None and scope.outputs else ():
            number = term.this if isinstance(term, exp.Ordered) else term
            if not isinstance(number, exp.Literal) or not number.is_int:
                continue
            width = len(scope.outputs or ())
            if not 1 <= int(number.this) <= width:
                message = f"{clause.upper()} BY {number.this}, but {width} columns are shown"
                yield Problem(Finding("position", "error", message, span=span(number)), scope)
            elif clause == "group" and len(scope.select.expressions) == width:
                yield from _grouped_aggregate(scope, number)


def _grouped_aggregate(scope: Scope, number: exp.Literal) -> Iterator[Problem]:
    """GROUP BY 2 where the second column is an aggregate."""
    shown = scope.select.expressions[int(number.this) - 1]
    if aggregates(shown):
        message = f"GROUP BY {number.this} means {shorten(shown)}, which is an aggregate"
        finding = Finding(
            "aggregate-in-group-by", "error", message, "group by columns", span(number)
        )
        yield Problem(finding, scope)


# Joins --------------------------------------------------------------------------------------


def joins(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """Tables without any condition between them, and joins on other columns than the keys."""
    by_column = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        if len(scope.relations) < 2:
            continue
        pairs = list(_equal_columns(scope, by_column))
        yield from _cartesian(scope, by_column)
        for left, right in pairs:
            if finding := _not_on_keys(left, right, schema):
                yield Problem(finding, scope, (left, right))


def _conditions(scope: Scope) -> Iterator[exp.Expr]:
    select = scope.select
    roots = [select.args.get("where"), *(j.args.get("on") for j in select.find_all(exp.Join))]
    for root in roots:
        if root is not None and root.parent_select is select:
            yield root


def _equal_columns(scope: Scope, by_column: dict[int, Use]) -> Iterator[tuple[Use, Use]]:
    for root in _conditions(scope):
        for node in own_nodes(root):
            if isinstance(node, exp.EQ):
                left, right = by_column.get(id(node.left)), by_column.get(id(node.right))
                if left and right and left.relation is not right.relation:
                    yield left, right


def _cartesian(scope: Scope, by_column: dict[int, Use]) -> Iterator[Problem]:
    together: list[set[int]] = [{id(r)} for r in scope.relations]
    for members in _connected(scope, by_column):
        touched = [group for group in together if group & members]
        if touched:
            together = [g for g in together if g not in touched] + [set().union(*touched)]
    if len(together) > 1:
        names = " and ".join(r.name or "a sub-query" for r in scope.relations[:3])
        message = f"nothing connects {names}: every row is paired with every other"
        finding = Finding("cartesian-join", "warning", message, "add the join condition")
        yield Problem(finding, scope)


def _connected(scope: Scope, by_column: dict[int, Use]) -> Iterator[set[int]]:
    """Sets of relations that one condition mentions, or that need no condition."""
    for root in _conditions(scope):
        for part in root.flatten() if isinstance(root, exp.And) else [root]:
            used = [by_column[id(c)] for c in part.find_all(exp.Column) if id(c) in by_column]
            yield {id(u.relation) for u in used if u.relation is not None}
    for relation in scope.relations:
        if relation.merged or _joins_freely(relation):
            yield {id(r) for r in scope.relations}


def _joins_freely(relation: Relation) -> bool:
    """CROSS JOIN says that every pair is meant; a function or a sub-query may have one row."""
    join = relation.node.parent
    crossed = isinstance(join, exp.Join) and join.kind == "CROSS" and relation.table is None
    return crossed or not isinstance(relation.node, exp.Table) or relation.columns is None


def _not_on_keys(left: Use, right: Use, schema: Schema) -> Finding | None:
    one = left.relation.table if left.relation else None
    other = right.relation.table if right.relation else None
    if one is None or other is None or one is other:
        return None
    pair = (left.name.casefold(), right.name.casefold())
    known = [k for k in links(schema) if {k.left, k.right} == {one.name, other.name}]
    declared = [(k if k.left == one.name else k.turned()) for k in known if not k.inferred]
    if not declared:
        return None
    for link in declared:
        if pair in {(a.casefold(), b.casefold()) for a, b in link.pairs}:
            return None
    written = f"{left.column.sql()} = {right.column.sql()}"
    keys = " AND ".join(f"{one.name}.{a} = {other.name}.{b}" for a, b in declared[0].pairs)
    return Finding(
        "join-not-on-keys",
        "warning",
        f"{written} does not join along the keys of the two tables",
        f"the foreign key is {keys}",
        span(left.column),
    )


RULES: tuple[Rule, ...] = (misplaced_aggregates, grouping, column_counts, joins)
