"""Traits of a statement: what it selects, groups, sorts and compares, whatever it is about."""

from collections.abc import Iterator

from sqlglot import exp

_AGGREGATES: dict[str, type[exp.Expr]] = {
    "count": exp.Count,
    "avg": exp.Avg,
    "max": exp.Max,
    "min": exp.Min,
    "sum": exp.Sum,
}
_COMPARISONS: dict[str, type[exp.Expr]] = {
    "above": exp.GT,
    "below": exp.LT,
    "at-least": exp.GTE,
    "at-most": exp.LTE,
    "other-than": exp.NEQ,
    "like": exp.Like,
    "between": exp.Between,
}
_MOST_COLUMNS, _MOST_CONDITIONS = 4, 3


def traits_of(tree: exp.Expr) -> dict[str, str]:
    """The traits of a query, each with its value: "1" or "0" for those that are there or not.

    What says the same has the same traits: EXCEPT and NOT IN, UNION and OR, the row with the
    highest value by ORDER BY with LIMIT 1 or by comparison with MAX.

    >>> import sqlglot
    >>> found = traits_of(sqlglot.parse_one("SELECT name FROM pupil ORDER BY age DESC LIMIT 1"))
    >>> found["columns"], found["order"], found["limit"], found["grouped"]
    ('1', 'desc', '1', '0')
    >>> other = "SELECT name FROM pupil WHERE age = (SELECT MAX(age) FROM pupil)"
    >>> traits_of(sqlglot.parse_one(other)) == found
    True
    """
    first = _first_select(tree)
    selected = first.expressions if first is not None else []
    found = {"columns": _width(selected)}
    for name, kind in _AGGREGATES.items():
        found[f"selects-{name}"] = _flag(any(e.find(kind) for e in selected))
    found["only-aggregates"] = _flag(all(e.find(exp.AggFunc) for e in selected))
    found["grouped"] = _flag(first is not None and first.args.get("group") is not None)
    found["having"] = _flag(first is not None and first.args.get("having") is not None)
    extremes = list(_extremes(tree))
    found["order"], found["limit"] = _order(tree, first, extremes)
    found["without"] = _flag(_has_negation(tree))
    found["both"] = _flag(tree.find(exp.Intersect) is not None)
    found["either"] = _flag(
        tree.find(exp.Union, exp.Or) is not None
        or any(node.args.get("expressions") for node in tree.find_all(exp.In))
    )
    passed = {id(e) for e in extremes}
    found["compared-query"] = _flag(
        any(
            isinstance(node.parent, exp.Binary) and id(node) not in passed
            for node in tree.find_all(exp.Subquery)
            if not isinstance(node.parent, exp.SetOperation)
        )
    )
    conditions = list(_conditions(tree, passed))
    where = first.args.get("where") if first is not None else None
    found["filtered"] = _flag(
        any(n.find_ancestor(exp.Select) is first for n in conditions)
        or (where is not None and not any(id(e) in passed for e in where.find_all(exp.Subquery)))
    )
    found["conditions"] = str(min(len(conditions), _MOST_CONDITIONS))
    for name, kind in _COMPARISONS.items():
        found[name] = _flag(tree.find(kind) is not None)
    return found


def _flag(holds: bool) -> str:
    return "1" if holds else "0"


def _first_select(tree: exp.Expr) -> exp.Select | None:
    while isinstance(tree, (exp.SetOperation, exp.Subquery)):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) else tree.find(exp.Select)


def _width(selected: list[exp.Expr]) -> str:
    if any(e.is_star and not isinstance(e, exp.Count) for e in selected):
        return "all"
    return str(min(len(selected), _MOST_COLUMNS))


def _extremes(tree: exp.Expr) -> Iterator[exp.Subquery]:
    """Sub-queries of which the one value is a MAX or MIN that something is equal to."""
    for node in tree.find_all(exp.Subquery):
        query = node.this
        if (
            isinstance(node.parent, exp.EQ)
            and isinstance(query, exp.Select)
            and len(query.expressions) == 1
            and isinstance(query.expressions[0].unalias(), (exp.Max, exp.Min))
        ):
            yield node


def _order(
    tree: exp.Expr, first: exp.Select | None, extremes: list[exp.Subquery]
) -> tuple[str, str]:
    """Which way the rows come, and how many: "none", "1" or "more"."""
    order, limit = _clause(tree, first, "order"), _clause(tree, first, "limit")
    if order is None and limit is None and extremes:
        highest = isinstance(extremes[0].this.expressions[0].unalias(), exp.Max)
        return ("desc" if highest else "asc"), "1"
    way = "none"
    if order is not None:
        terms = order.expressions
        way = "desc" if terms and terms[0].args.get("desc") else "asc"
    if limit is None:
        return way, "none"
    count = limit.args.get("expression")
    return way, "1" if count is not None and count.name == "1" else "more"


def _clause(tree: exp.Expr, first: exp.Select | None, name: str) -> exp.Expr | None:
    found = tree.args.get(name) or (first.args.get(name) if first is not None else None)
    return found if isinstance(found, exp.Expr) else None


def _has_negation(tree: exp.Expr) -> bool:
    if tree.find(exp.Except) is not None:
        return True
    for node in tree.find_all(exp.Not):
        inner = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
        if isinstance(inner, exp.Exists) or (
            isinstance(inner, exp.In) and inner.args.get("query") is not None
        ):
            return True
    outer = any(join.side == "LEFT" for join in tree.find_all(exp.Join))
    return outer and any(isinstance(n.expression, exp.Null) for n in tree.find_all(exp.Is))


def _conditions(tree: exp.Expr, passed: set[int]) -> Iterator[exp.Expr]:
    """Comparisons in a WHERE with something else than another column."""
    kinds = (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.NEQ, exp.Like, exp.Between)
    for node in tree.find_all(*kinds):
        other = node.args.get("expression")
        is_join = isinstance(node.this, exp.Column) and isinstance(other, exp.Column)
        if not is_join and id(other) not in passed and node.find_ancestor(exp.Where):
            yield node
