"""Statements that differ from one in a single step that small models are known to get wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.resolve import resolve
from macsql.checks.scopes import Resolution, Use
from macsql.checks.text import read
from macsql.schema import Schema

MOST_SCOPES = 8
_Changed = tuple[exp.Expr, str]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another statement, and in what it differs."""

    sql: str
    explanation: str


def alternatives(sql: str, schema: Schema) -> list[Alternative]:
    """What ``sql`` may have been meant to be; nothing where it cannot be read. Never raises.

    Selected columns come from another table of the FROM; conditions that no row can fulfil
    together become INTERSECT, and another value than one becomes NOT IN; a selected aggregate that
    is sorted by is left out; and the sum of each group becomes the value of each row.
    """
    tree = read(sql, schema.dialect).tree
    if tree is None:
        return []
    try:
        resolution = resolve(tree, schema, schema.dialect, sql)
        found = [
            *_of_other_tables(tree, resolution),
            *_intersections(tree),
            *_without_any(tree, resolution),
            *_without_sorted_aggregate(tree),
            *_plain_values(tree),
        ]
        return [
            Alternative(t.sql(dialect=schema.dialect), why) for t, why in found if not _repeats(t)
        ]
    except (RecursionError, ValueError):
        return []


def _repeats(tree: exp.Expr) -> bool:
    selected = tree.selects if isinstance(tree, exp.Query) else []
    return len(set(selected)) < len(selected)


def _of_other_tables(tree: exp.Expr, resolution: Resolution) -> Iterator[_Changed]:
    """A selected column, or all of one table, taken from another table of the same FROM that has
    columns of these names.
    """
    for scope in resolution.scopes[:MOST_SCOPES]:
        uses = [u for u in scope.uses if u.clause == "select" and not u.is_outer]
        for relation in scope.relations:
            own = [u for u in uses if u.relation is relation]
            for other in scope.relations:
                if other is relation or other.table is None:
                    continue
                shared = [u for u in own if other.has(u.name)]
                for use in shared:
                    yield _moved(tree, [use], other.name), f"{use.name} of {other.name}"
                if len(shared) > 1:
                    names = ", ".join(u.name for u in shared)
                    yield _moved(tree, shared, other.name), f"{names} of {other.name}"


def _moved(tree: exp.Expr, uses: list[Use], table: str) -> exp.Expr:
    """``tree`` with these uses of columns taken from ``table``."""
    copy = tree.copy()
    moved = {id(u.column) for u in uses}
    pairs = list(zip(tree.find_all(exp.Column), copy.find_all(exp.Column), strict=True))
    for original, twin in pairs:
        if id(original) in moved:
            twin.replace(exp.column(original.name, table=table))
    return copy


def _intersections(tree: exp.Expr) -> Iterator[_Changed]:
    """Two conditions on one column that exclude each other, each in a SELECT of its own."""
    if not isinstance(tree, exp.Select) or any(
        tree.args.get(k) for k in ("group", "order", "limit", "having", "with_")
    ):
        return
    where = tree.args.get("where")
    if where is None:
        return
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else []
    if isinstance(where.this, exp.Or):
        parts = list(where.this.flatten())
        if len(parts) == 2 and _same_column(parts[0], parts[1]):
            yield _intersect(tree, parts, []), "both, on different rows"
        return
    for n, one in enumerate(parts):
        for other in parts[n + 1 :]:
            if _same_column(one, other) and _exclude(one, other):
                rest = [p for p in parts if p is not one and p is not other]
                yield _intersect(tree, [one, other], rest), "both, on different rows"


def _intersect(tree: exp.Select, pair: list[exp.Expr], rest: list[exp.Expr]) -> exp.Expr:
    sides = []
    for condition in pair:
        side = tree.copy()
        terms = [t.copy() for t in (condition, *rest)]
        side.set("where", exp.Where(this=exp.and_(*terms)))
        sides.append(side)
    return exp.intersect(*sides, distinct=True)


def _same_column(one: exp.Expr, other: exp.Expr) -> bool:
    return (
        isinstance(one, (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Like))
        and isinstance(other, (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Like))
        and isinstance(one.this, exp.Column)
        and one.this == other.this
        and isinstance(one.expression, exp.Literal)
        and isinstance(other.expression, exp.Literal)
        and one.expression != other.expression
    )


def _exclude(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether no value fulfils both."""
    if isinstance(one, exp.EQ) and isinstance(other, exp.EQ):
        return True
    low, high = (one, other) if isinstance(one, (exp.GT, exp.GTE)) else (other, one)
    if not isinstance(low, (exp.GT, exp.GTE)) or not isinstance(high, (exp.LT, exp.LTE)):
        return False
    try:
        return float(low.expression.name) >= float(high.expression.name)
    except ValueError:
        return False


def _without_any(tree: exp.Expr, resolution: Resolution) -> Iterator[_Changed]:
    """``... JOIN other WHERE other.x <> v``, which finds all with another x too, as NOT IN."""
    if not isinstance(tree, exp.Select) or any(
        tree.args.get(k) for k in ("group", "having", "limit", "with_")
    ):
        return
    scope = next((s for s in resolution.scopes if s.select is tree), None)
    where = tree.args.get("where")
    if scope is None or where is None or len(scope.relations) < 2:
        return
    owners = {id(u.relation): u.relation for u in scope.uses if u.clause == "select"}
    owner = next(iter(owners.values()), None)
    if len(owners) != 1 or owner is None or owner.table is None:
        return
    if len(owner.table.primary_key) != 1:
        return
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    for part in parts:
        if not isinstance(part, exp.NEQ) or not isinstance(part.this, exp.Column):
            continue
        use = next((u for u in scope.uses if u.column is part.this), None)
        if use is None or use.relation is owner or not isinstance(part.expression, exp.Literal):
            continue
        key = exp.column(owner.table.primary_key[0], table=owner.name)
        inner = tree.copy()
        inner.set("order", None)
        inner.set("distinct", None)
        inner.set("expressions", [key.copy()])
        equal = exp.EQ(this=part.this.copy(), expression=part.expression.copy())
        rest = [p.copy() for p in parts if p is not part]
        inner.set("where", exp.Where(this=exp.and_(equal, *rest)))
        outer = tree.copy()
        outer.set("joins", None)
        outer.args["from_"].set("this", owner.node.copy())
        outer.set("where", exp.Where(this=exp.not_(exp.In(this=key, query=inner.subquery()))))
        yield outer, "without any such, instead of with another"


def _without_sorted_aggregate(tree: exp.Expr) -> Iterator[_Changed]:
    """A selected aggregate beside other columns, when the rows are sorted by it."""
    order = tree.args.get("order")
    if not isinstance(tree, exp.Select) or len(tree.expressions) < 2 or order is None:
        return
    for number, expression in enumerate(tree.expressions):
        inner = expression.unalias()
        if not isinstance(inner, exp.AggFunc):
            continue
        copy = tree.copy()
        terms = [t for t in copy.args["order"].find_all(exp.Column) if _is_alias(t, expression)]
        for term in terms:
            term.replace(inner.copy())
        if not terms and inner not in list(order.find_all(type(inner))):
            continue
        copy.set("expressions", [e for n, e in enumerate(copy.expressions) if n != number])
        yield copy, f"without {inner.sql()}, which is not asked for"


def _is_alias(column: exp.Column, expression: exp.Expr) -> bool:
    return bool(expression.alias) and not column.table and column.name == expression.alias


def _plain_values(tree: exp.Expr) -> Iterator[_Changed]:
    """``SELECT name, SUM(x) ... GROUP BY name`` as ``SELECT name, x``."""
    if not isinstance(tree, exp.Select) or tree.args.get("having") or not tree.args.get("group"):
        return
    sums = [e for e in tree.expressions if isinstance(e.unalias(), (exp.Sum, exp.Avg))]
    if len(sums) != 1 or not isinstance(sums[0].unalias().this, exp.Column):
        return
    copy = tree.copy()
    copy.set("group", None)
    for node in list(copy.find_all(exp.Sum, exp.Avg)):
        if isinstance(node.this, exp.Column):
            node.replace(node.this.copy())
    yield copy, "the values themselves"
