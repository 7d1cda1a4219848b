"""What a statement reads: its tables, its columns, and the traits of it."""

from dataclasses import dataclass

from macsql.checks.resolve import resolve
from macsql.checks.text import read
from macsql.names import fold
from macsql.schema import Schema
from macsql.verifier.traits import traits_of


@dataclass(frozen=True, slots=True)
class Reading:
    """The traits of a statement, the tables it names, and the columns ("table", "column" folded)
    that it uses other than to join, and that it selects.
    """

    traits: dict[str, str]
    tables: frozenset[str]
    used: frozenset[tuple[str, str]]
    selected: frozenset[tuple[str, str]]


def read_statement(sql: str, schema: Schema) -> Reading | None:
    """Read ``sql``; None where it cannot be. Never raises.

    >>> from macsql.schema import Column, Table
    >>> item = Table("item", (Column("id", "INTEGER"), Column("Price", "REAL")))
    >>> found = read_statement("SELECT id FROM item WHERE price > 1", Schema("sqlite", (item,)))
    >>> sorted(found.used), sorted(found.selected)
    ([('item', 'id'), ('item', 'price')], [('item', 'id')])
    """
    tree = read(sql, schema.dialect).tree
    if tree is None:
        return None
    try:
        resolution = resolve(tree, schema, schema.dialect, sql)
        traits = traits_of(tree)
    except RecursionError:
        return None
    used, selected = set(), set()
    for use in resolution.uses:
        if use.relation is None or use.relation.table is None or use.clause == "join":
            continue
        column = use.relation.table.name, fold(use.name)
        used.add(column)
        if use.clause == "select":
            selected.add(column)
    tables = {r.table.name for s in resolution.scopes for r in s.relations if r.table}
    return Reading(traits, frozenset(tables), frozenset(used), frozenset(selected))
