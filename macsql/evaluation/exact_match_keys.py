"""Which key columns count as the same in Spider's exact match.

A foreign key and the column that it refers to hold the same values, so a query may name either.
Columns tied by foreign keys form a group, and each group has one column that stands for all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from macsql.schema import Schema

KeyGroups = Sequence[Sequence[str]]
"""Groups of columns "table.column" in lower case; the first of each stands for the others."""

Place = TypeVar("Place", int, tuple[int, int])


def schema_keys(schema: Schema) -> KeyGroups:
    """The groups by the foreign keys of ``schema`` itself."""
    places: dict[str, tuple[int, int]] = {}
    for t, table in enumerate(schema.tables):
        for c, column in enumerate(table.columns):
            places.setdefault(f"{table.name}.{column.name}".lower(), (t, c))
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for table, key in schema.joins():
        for name, ref in zip(key.columns, key.ref_columns, strict=False):
            ends = (f"{table.name}.{name}".lower(), f"{key.ref_table}.{ref}".lower())
            if all(end in places for end in ends):
                pairs.append((places[ends[0]], places[ends[1]]))
    columns = {place: name for name, place in places.items()}
    return [[columns[place] for place in group] for group in _groups(pairs)]


def spider_keys(entry: Mapping[str, Any]) -> KeyGroups:
    """The groups by an entry of an official ``tables.json``; what the official script goes by.

    Raises KeyError or IndexError for an entry that is not in the official form.
    """
    tables = entry["table_names_original"]
    columns = [
        f"{tables[t]}.{name}".lower() if t >= 0 else name
        for t, name in entry["column_names_original"]
    ]
    pairs = [(int(a), int(b)) for a, b in entry["foreign_keys"]]
    return [[columns[place] for place in group] for group in _groups(pairs)]


def shared_keys(groups: KeyGroups) -> dict[str, str]:
    """Each column of a group with the one that stands for it.

    A column in two groups goes with the later one, as in the official script.
    """
    return {column: group[0] for group in groups for column in group}


def _groups(pairs: Iterable[tuple[Place, Place]]) -> list[list[Place]]:
    """Pairs put together, each group in the order of the schema.

    As in the official script a pair goes to the first group that it touches, and two groups that
    turn out to touch are not put together.
    """
    groups: list[set[Place]] = []
    for pair in pairs:
        group = next((g for g in groups if not g.isdisjoint(pair)), None)
        if group is None:
            group = set()
            groups.append(group)
        group.update(pair)
    return [sorted(group) for group in groups]
