"""How tables connect: declared foreign keys, keys inferred from names, and the shortest path."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count

from macsql.checks.names import words
from macsql.schema import Schema, Table

DECLARED_COST = 1.0
INFERRED_COST = 1.7
_DETOUR = 0.8  # how much longer than the shortest path another one may be


@dataclass(frozen=True, slots=True)
class Link:
    """``left`` and ``right`` meet where the paired columns are equal."""

    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    inferred: bool = False

    @property
    def cost(self) -> float:
        """What a step over this link costs in a path."""
        return INFERRED_COST if self.inferred else DECLARED_COST

    def turned(self) -> "Link":
        """The same link from the other side."""
        return Link(self.right, self.left, tuple((b, a) for a, b in self.pairs), self.inferred)


@lru_cache(maxsize=64)
def links(schema: Schema) -> tuple[Link, ...]:
    """Every declared foreign key, and where two tables have none between them, a likely one."""
    declared = [
        Link(table.name, target.name, tuple(zip(key.columns, key.ref_columns, strict=False)))
        for table, key in schema.joins()
        if (target := schema.table(key.ref_table)) and key.columns and key.ref_columns
    ]
    joined = {frozenset((link.left, link.right)) for link in declared}
    inferred = [
        link
        for i, j in sorted(_near(schema.tables))
        if frozenset((schema.tables[i].name, schema.tables[j].name)) not in joined
        for link in _inferred(schema.tables[i], schema.tables[j])
    ]
    return (*declared, *inferred)


def _near(tables: Sequence[Table]) -> set[tuple[int, int]]:
    """Positions of the tables between which there may be a key: of hundreds of tables there are too
    many pairs to look at the columns of each.
    """
    holders: dict[str, set[int]] = defaultdict(set)
    worded: dict[tuple[str, ...], set[int]] = defaultdict(set)
    key_like: set[str] = set()
    for i, table in enumerate(tables):
        for column in table.columns:
            name = column.name.casefold()
            holders[name].add(i)
            worded[words(column.name)].add(i)
            if _ends_like_key(column.name):
                key_like.add(name)
    pairs = {pair for name in key_like for pair in combinations(sorted(holders[name]), 2)}
    for i, table in enumerate(tables):
        if len(table.primary_key) == 1:
            [key] = table.primary_key
            near = worded[(*words(table.name), *words(key))]
            if key.casefold() != "id":
                near = near | holders[key.casefold()]
            pairs |= {(min(i, j), max(i, j)) for j in near if i != j}
    return pairs


def _inferred(one: Table, other: Table) -> Iterator[Link]:
    """``student_id`` with ``student.id``, or a column of the same name that is a key of one."""
    for left, right in ((one, other), (other, one)):
        key = right.primary_key[0] if len(right.primary_key) == 1 else ""
        for column in left.columns:
            if key and _names_key_of(column.name, right.name, key):
                yield Link(left.name, right.name, ((column.name, key),), inferred=True)
                return
    for column in one.columns:
        twin = other.column(column.name)
        if twin and _looks_like_key(column.name, one, other):
            yield Link(one.name, other.name, ((column.name, twin.name),), inferred=True)
            return


def _names_key_of(column: str, table: str, key: str) -> bool:
    if column.casefold() == key.casefold() and len(words(key)) > 1:
        return True
    return words(column) == (*words(table), *words(key))


def _looks_like_key(name: str, one: Table, other: Table) -> bool:
    folded = name.casefold()
    keys = {k.casefold() for t in (one, other) if len(t.primary_key) == 1 for k in t.primary_key}
    if folded in keys and folded != "id":
        return True
    return _ends_like_key(name)


def _ends_like_key(name: str) -> bool:
    return len(words(name)) > 1 and words(name)[-1] in {"id", "code", "key", "number", "no"}


def _cost(path: tuple[Link, ...]) -> float:
    return sum(link.cost for link in path)


def paths(
    schema: Schema, sources: Sequence[str], target: str, *, limit: int = 3
) -> list[tuple[Link, ...]]:
    """The cheapest ways to join ``target`` to one of ``sources`` (table names), best first.

    Declared keys are preferred to inferred ones. Two keys between the same tables give two paths.

    >>> from macsql.schema import Column, ForeignKey
    >>> a = Table("a", (Column("id", ""), ), ("id",))
    >>> b = Table("b", (Column("a_id", ""), ), (), (ForeignKey(("a_id",), "a", ("id",)),))
    >>> paths(Schema("sqlite", (a, b)), ["b"], "a")[0][0].pairs
    (('a_id', 'id'),)
    """
    outgoing: dict[str, list[Link]] = {}
    for link in links(schema):
        outgoing.setdefault(link.left, []).append(link)
        outgoing.setdefault(link.right, []).append(link.turned())
    order = count()
    heap: list[tuple[float, int, str, tuple[Link, ...]]] = [
        (0.0, next(order), source, ()) for source in dict.fromkeys(sources)
    ]
    found: list[tuple[Link, ...]] = []
    visits: dict[str, int] = {}
    while heap and len(found) < limit:
        cost, _, table, path = heapq.heappop(heap)
        if found and cost > _cost(found[0]) + _DETOUR:
            break
        if table == target and path:
            found.append(path)
            continue
        visits[table] = visits.get(table, 0) + 1
        if visits[table] > limit or len(path) >= 5:
            continue
        seen = {link.left for link in path} | {table}
        for link in outgoing.get(table, ()):
            if link.right not in seen and (link.right not in sources or link.right == target):
                heapq.heappush(heap, (cost + link.cost, next(order), link.right, (*path, link)))
    return found
