"""What a schema may not lose: the places of the linked values, and the way between them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from macsql.message import ValueMatch
from macsql.schema import Schema

Pins = Mapping[str, frozenset[str]]
"""Folded names of columns, by the folded name of their table; the most wanted table first."""


def pinned(schema: Schema, values: Iterable[ValueMatch]) -> Pins:
    """The places of ``values``, then the tables that join them, of which no column is wanted.

    >>> from macsql.schema import Column, ForeignKey, Table
    >>> key = lambda column, table: ForeignKey((column,), table, ("id",))
    >>> a, b = (Table(name, (Column("id", "INTEGER"), Column("n", "TEXT"))) for name in "ab")
    >>> columns = (Column("a_id", "INTEGER"), Column("b_id", "INTEGER"))
    >>> bridge = Table("c", columns, foreign_keys=(key("a_id", "a"), key("b_id", "b")))
    >>> values = [ValueMatch(table, "n", "x", "x", 1.0) for table in "ab"]
    >>> list(pinned(Schema("sqlite", (a, b, bridge)), values))
    ['a', 'b', 'c']
    """
    columns: defaultdict[str, set[str]] = defaultdict(set)
    for value in values:
        if schema.table(value.table) is not None:
            columns[value.table.casefold()].add(value.column.casefold())
    for table in _between(schema, tuple(columns)):
        columns.setdefault(table, set())
    return {table: frozenset(names) for table, names in columns.items()}


def _between(schema: Schema, tables: Sequence[str]) -> list[str]:
    """Tables on the shortest ways by foreign keys from each table to those before it."""
    neighbours: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for table, key in schema.joins():
        owner, target = table.name.casefold(), key.ref_table.casefold()
        neighbours[owner][target] = neighbours[target][owner] = None
    joined, found = set(tables[:1]), dict.fromkeys(tables)
    for name in tables[1:]:
        way = _way(name, joined, neighbours)
        found.update(dict.fromkeys(way))
        joined |= {name, *way}
    return list(found)[len(tables) :]


def _way(start: str, goals: set[str], neighbours: Mapping[str, Iterable[str]]) -> list[str]:
    """The shortest way from ``start`` to one of ``goals``; empty when there is none."""
    came_from = {start: ""}
    waiting = deque([start])
    while waiting:
        table = waiting.popleft()
        if table in goals:
            return list(_back(table, came_from))
        for other in neighbours.get(table, ()):
            if other not in came_from:
                came_from[other] = table
                waiting.append(other)
    return []


def _back(table: str, came_from: Mapping[str, str]) -> Iterable[str]:
    while table:
        yield table
        table = came_from[table]
