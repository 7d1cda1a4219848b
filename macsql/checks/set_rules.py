"""Columns of two tables that EXCEPT, IN or an equality with a sub-query take for the same thing."""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.joins import Link, links
from macsql.checks.names import calls_rows, words
from macsql.checks.problems import Problem
from macsql.checks.rules import Rule
from macsql.checks.scopes import Resolution, Use
from macsql.checks.text import Statement, quote, span
from macsql.message import Finding
from macsql.schema import Schema, Table


def unlike_columns(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """``SELECT name FROM musical EXCEPT SELECT name FROM actor``, where a key joins the tables.

    What the names of two kinds of things have in common says nothing of the things themselves. Not
    INTERSECT, which is how names that both have are asked for.
    """
    by_column = {id(use.column): use for use in resolution.uses}
    if statement.tree is None or len(resolution.scopes) < 2:
        return
    for node in statement.tree.find_all(exp.Except, exp.In, exp.EQ, exp.NEQ):
        if isinstance(node, exp.In):
            sides = node.this, node.args.get("query")
        else:
            sides = node.this, node.expression
        if not isinstance(sides[1], exp.Query):
            continue
        one, other = (by_column.get(id(_only_column(side))) for side in sides)
        if one and other and (finding := _unlike(one, other, schema, node)):
            yield Problem(finding, one.scope, (one, other), node=node)


def _only_column(node: exp.Expr | None) -> exp.Expr | None:
    """The one column that a query shows; a column outside of any query is itself."""
    while isinstance(node, (exp.Subquery, exp.SetOperation, exp.Paren)):
        node = node.this
    if isinstance(node, exp.Select):
        return node.expressions[0].unalias() if len(node.expressions) == 1 else None
    return node


def _unlike(one: Use, other: Use, schema: Schema, node: exp.Expr) -> Finding | None:
    tables = _table(one), _table(other)
    if tables[0] is None or tables[1] is None or tables[0] is tables[1]:
        return None
    direct = _direct(tables[0], tables[1], schema)
    if not direct or _is_key_pair(one, other, schema) or _names_other(one, other):
        return None
    is_same = one.name.casefold() == other.name.casefold()
    if isinstance(node, (exp.EQ, exp.NEQ)) and not is_same:
        return None  # `city.name = (SELECT capital ...)` may well be meant
    # So may `city IN (SELECT city ...)` and `city.id IN (SELECT capital ...)`: not names and keys.
    called = [calls_rows(one.name, tables[0].name), calls_rows(other.name, tables[1].name)]
    keys = [_is_key(one, tables[0], schema), _is_key(other, tables[1], schema)]
    if not (all(called) or all(keys) or (any(called) and any(map(_ends_like_key, (one, other))))):
        return None
    link = direct[0]
    left, right = (quote(name, schema.dialect) for name in (link.left, link.right))
    pairs = [[quote(name, schema.dialect) for name in pair] for pair in link.pairs]
    key = " and ".join(f"{left}.{a} with {right}.{b}" for a, b in pairs)
    kind = "EXCEPT" if isinstance(node, exp.Except) else "the sub-query"
    return Finding(
        "unlike-columns",
        "warning",
        f"{kind} compares {tables[0].name}.{one.name} with {tables[1].name}.{other.name}, "
        "which are of different things",
        f"compare {key}",
        span(other.column),
    )


def _table(use: Use) -> Table | None:
    return use.relation.table if use.relation else None


def _is_key(use: Use, table: Table, schema: Schema) -> bool:
    return use.name.casefold() in schema.key_columns(table)


def _ends_like_key(use: Use) -> bool:
    return words(use.name)[-1] in {"id", "code", "key"}


def _direct(one: Table, other: Table, schema: Schema) -> list[Link]:
    """The keys between two tables, declared ones first, each from the side of ``one``."""
    found = [k for k in links(schema) if {k.left, k.right} == {one.name, other.name}]
    turned = [k if k.left == one.name else k.turned() for k in found]
    return sorted(turned, key=lambda link: link.inferred)


def _is_key_pair(one: Use, other: Use, schema: Schema) -> bool:
    """Whether keys lead from one column to the other, through further tables too."""
    reached, pending = set(), [_place(one)]
    while pending:
        place = pending.pop()
        if place in reached:
            continue
        reached.add(place)
        for link in links(schema):
            for side in (link, link.turned()):
                pending += [
                    (side.right.casefold(), b.casefold())
                    for a, b in side.pairs
                    if (side.left.casefold(), a.casefold()) == place
                ]
    return _place(other) in reached


def _place(use: Use) -> tuple[str, str]:
    table = _table(use)
    return (table.name.casefold() if table else "", use.name.casefold())


def _names_other(one: Use, other: Use) -> bool:
    """Whether a column says that it is the other table's: ``end_station_name``, ``station.name``.

    So do all columns whose name has the words of the other, when that is more than one word.
    """
    for mine, theirs in ((one, other), (other, one)):
        table, name = _table(mine), words(mine.name)
        whole = {*words(table.name), *name} if table else set(name)
        said = {*words(theirs.name)}
        is_called_so = table is not None and words(table.name) == words(theirs.name)
        if (
            is_called_so
            or whole <= said
            or (len(name) > 1 and {*name} <= said and mine.name != theirs.name)
        ):
            return True
    return False


SET_RULES: tuple[Rule, ...] = (unlike_columns,)
