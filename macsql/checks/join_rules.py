"""Joins that add nothing: a table joined twice on the same keys, or joined and never used."""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.joins import links
from macsql.checks.problems import Problem
from macsql.checks.rules import Rule
from macsql.checks.scopes import Relation, Resolution, Scope, Use, star_qualifier
from macsql.checks.text import Statement, span
from macsql.message import Finding
from macsql.schema import Schema


def doubled_joins(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """One table joined twice by its key to the same column: both are the same row."""
    for scope in resolution.scopes:
        partners: dict[tuple[int, frozenset[tuple[str, int, str]]], Relation] = {}
        for relation in scope.relations:
            pairs = _pairs(relation, scope)
            key = {k.casefold() for k in relation.table.primary_key} if relation.table else set()
            if not key or relation.table is None or {own for own, *_ in pairs} != key:
                continue
            first = partners.setdefault((id(relation.table), frozenset(pairs)), relation)
            if first is not relation:
                message = (
                    f"{relation.name} is the same row of {relation.table.name} as {first.name}"
                )
                hint = f"leave {relation.name} out, and write {first.name}"
                finding = Finding("doubled-join", "warning", message, hint, span(relation.node))
                yield Problem(finding, scope, relation=relation)


def _pairs(relation: Relation, scope: Scope) -> list[tuple[str, int, str]]:
    """Own column, other relation and its column of each equality that joins ``relation``."""
    by_column = {id(u.column): u for u in scope.uses}
    found = []
    for node in scope.select.find_all(exp.EQ):
        if node.parent_select is not scope.select or node.find_ancestor(exp.Or, exp.Not):
            continue
        one, other = by_column.get(id(node.left)), by_column.get(id(node.right))
        if one is None or other is None:
            continue
        for mine, theirs in ((one, other), (other, one)):
            if mine.relation is relation and theirs.relation is not relation:
                found.append((mine.name.casefold(), id(theirs.relation), theirs.name.casefold()))
    return found


def merged_columns(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """NATURAL JOIN and USING compare columns of the same name, which need not be the keys."""
    for scope in resolution.scopes:
        for i, relation in enumerate(scope.relations):
            for before in scope.relations[:i]:
                shared = relation.merged & before.merged
                one, other = before.table, relation.table
                if not shared or one is None or other is None or one is other:
                    continue
                known = [k for k in links(schema) if {k.left, k.right} == {one.name, other.name}]
                keys = [k if k.left == one.name else k.turned() for k in known if not k.inferred]
                pairs = {(name, name) for name in shared}
                if not keys or any(
                    pairs == {(a.casefold(), b.casefold()) for a, b in key.pairs} for key in keys
                ):
                    continue
                joined = " AND ".join(
                    f"{one.name}.{a} = {other.name}.{b}" for a, b in keys[0].pairs
                )
                message = (
                    f"{before.name} and {relation.name} are joined on {', '.join(sorted(shared))}, "
                    "which is not their key"
                )
                hint = f"the foreign key is {joined}"
                finding = Finding("join-not-on-keys", "warning", message, hint, span(relation.node))
                yield Problem(finding, scope, relation=relation)


def idle_joins(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """A table to which a key leads and of which nothing else is used: the join adds nothing."""
    by_column = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        stars = {star_qualifier(e) for e in scope.select.expressions}
        outer = any(join.side for join in scope.select.args.get("joins") or ())
        if len(scope.relations) < 2 or "" in stars or outer:
            continue
        for relation in scope.relations:
            uses = [u for u in resolution.uses if u.relation is relation]
            if relation.name.casefold() in stars or len(uses) != 1:
                continue
            equality = uses[0].column.parent
            other = _other_side(equality, uses[0], by_column)
            if other is not None and _refers(other, uses[0], schema):
                message = f"nothing of {relation.name} is used but its key"
                hint = f"leave {relation.name} out, unless it is meant as a condition"
                finding = Finding("idle-join", "hint", message, hint, span(relation.node))
                yield Problem(finding, scope, relation=relation)


def _other_side(node: exp.Expr | None, use: Use, by_column: dict[int, Use]) -> Use | None:
    if not isinstance(node, exp.EQ) or use.clause not in ("join", "where"):
        return None
    return by_column.get(id(node.right if node.left is use.column else node.left))


def _refers(use: Use, target: Use, schema: Schema) -> bool:
    """Whether a declared key leads from the one column to the other."""
    one = use.relation.table if use.relation else None
    other = target.relation.table if target.relation else None
    if one is None or other is None:
        return False
    pair = ((use.name.casefold(), target.name.casefold()),)
    return any(
        not link.inferred
        and (link.left, link.right) == (one.name, other.name)
        and tuple((a.casefold(), b.casefold()) for a, b in link.pairs) == pair
        for link in links(schema)
    )


JOIN_RULES: tuple[Rule, ...] = (merged_columns, doubled_joins, idle_joins)
