"""Columns that are shown beside groups, and groups and conditions that do nothing."""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.problems import Problem
from macsql.checks.rules import Rule, aggregates
from macsql.checks.scopes import Relation, Resolution, Scope, Status, Use
from macsql.checks.text import Statement, span
from macsql.message import Finding
from macsql.names import fold
from macsql.schema import Schema

Key = tuple[int, str]
"""A column of a query: the identity of its relation and its folded name."""


def ungrouped_columns(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """A column that is shown beside groups and may differ within one."""
    for scope in resolution.scopes:
        group = scope.select.args.get("group")
        if group is None or not group.expressions or any(group.args.get(k) for k in _SETS):
            continue
        known = _determined(scope)
        if known is None:
            continue
        for use in _bare(scope):
            if use.relation is not None and _key(use) not in known:
                message = f"{use.column.sql()} may differ within a group of {group.sql()[9:]}"
                hint = f"add {use.column.sql()} to GROUP BY, or aggregate it"
                finding = Finding("ungrouped-column", "warning", message, hint, span(use.column))
                yield Problem(finding, scope, (use,))


_SETS = ("rollup", "cube", "grouping_sets", "all")


def _key(use: Use) -> Key:
    return id(use.relation), use.name.casefold()


def _bare(scope: Scope) -> Iterator[Use]:
    """Uses in SELECT and HAVING that stand outside of aggregates."""
    select = scope.select
    calls = [a for e in select.expressions for a in aggregates(e)]
    calls += aggregates(select.args.get("having"))
    # SQLite takes the bare columns from the row of a single MIN or MAX: that is meant.
    if any(isinstance(call, (exp.Max, exp.Min)) for call in calls):
        return
    inside = {id(c) for call in calls for c in call.find_all(exp.Column)}
    for use in scope.uses:
        if use.clause in ("select", "having") and id(use.column) not in inside:
            windowed = use.column.find_ancestor(exp.Window)
            if use.status is Status.FOUND and not use.is_outer and windowed is None:
                yield use


def _determined(scope: Scope) -> set[Key] | None:
    """The columns with one value in each group: those of GROUP BY and what they determine.

    None when a term of GROUP BY is an expression, whose meaning is not followed.
    """
    by_column = {id(u.column): u for u in scope.uses}
    known: set[Key] = set()
    for term in scope.select.args["group"].expressions:
        node = term
        if isinstance(node, exp.Literal) and node.is_int:
            position = int(node.this) - 1
            shown = scope.select.expressions
            node = shown[position].unalias() if position < len(shown) else node
        use = by_column.get(id(node))
        if use is not None and use.status is Status.ALIAS:
            use = by_column.get(id(scope.aliases.get(fold(use.name))))
        if use is None or use.relation is None:
            return None
        known.add(_key(use))
    return _closure(known, scope, by_column)


def _closure(known: set[Key], scope: Scope, by_column: dict[int, Use]) -> set[Key]:
    """With all that equalities and primary keys add, until nothing new comes."""
    equal = list(_equalities(scope, by_column))
    size = -1
    while size != len(known):
        size = len(known)
        for one, other in equal:
            if one in known or other in known:
                known |= {one, other}
        for relation in scope.relations:
            if _has_key(relation, known):
                known |= {(id(relation), c.casefold()) for c in relation.columns or ()}
    return known


def _has_key(relation: Relation, known: set[Key]) -> bool:
    key = relation.table.primary_key if relation.table else ()
    return bool(key) and all((id(relation), k.casefold()) in known for k in key)


def _equalities(scope: Scope, by_column: dict[int, Use]) -> Iterator[tuple[Key, Key]]:
    for node in scope.select.find_all(exp.EQ):
        one, other = by_column.get(id(node.left)), by_column.get(id(node.right))
        if one and other and one.relation and other.relation:
            yield _key(one), _key(other)
        elif one and one.relation and isinstance(node.right, exp.Literal):
            yield _key(one), _key(one)


def idle_groups(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """HAVING without an aggregate belongs to WHERE; GROUP BY without any only drops duplicates."""
    for scope in resolution.scopes:
        select = scope.select
        group, having = select.args.get("group"), select.args.get("having")
        if group is None:
            continue
        parts = [*select.expressions, having, select.args.get("order"), *scope.aliases.values()]
        if having is not None and not aggregates(having) and not _uses_alias(scope):
            message = f"{having.sql()} has no aggregate"
            finding = Finding("having-without-aggregate", "hint", message, "write it in WHERE")
            yield Problem(finding, scope, node=having)
        if not any(aggregates(part) for part in parts):
            message = f"{group.sql()} without an aggregate only drops duplicates"
            finding = Finding("group-without-aggregate", "hint", message, "write SELECT DISTINCT")
            yield Problem(finding, scope, node=group)


def _uses_alias(scope: Scope) -> bool:
    return any(u.clause == "having" and u.status is Status.ALIAS for u in scope.uses)


GROUP_RULES: tuple[Rule, ...] = (ungrouped_columns, idle_groups)
