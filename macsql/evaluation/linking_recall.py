"""Schema recall and precision: what the Selector kept, against what the gold query reads."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.resolve import resolve
from macsql.checks.scopes import Resolution, Status, star_qualifier
from macsql.checks.text import read
from macsql.schema import Schema


@dataclass(frozen=True, slots=True)
class Linking:
    """How the columns kept for one question fit those its gold query reads.

    ``recall`` is the share of the gold's columns that were kept, ``precision`` the share of the
    kept columns that the gold reads; ``strict`` says that all of the gold's were kept.
    """

    recall: float
    precision: float
    strict: bool


def used_columns(sql: str, schema: Schema) -> tuple[str, ...]:
    """The columns ("table.column") that ``sql`` reads, in the schema's spelling and sorted.

    ``*`` stands for every column, but not in ``COUNT(*)``: a table of which no column is named
    counts as "table.*". Empty for SQL that cannot be read; never raises.

    >>> from macsql.schema import Column, Table
    >>> item = Table("item", (Column("id", "INTEGER"), Column("Price", "REAL")))
    >>> shop = Schema("sqlite", (item,))
    >>> used_columns("SELECT price FROM item WHERE price > 1", shop)
    ('item.Price',)
    >>> used_columns("SELECT COUNT(*) FROM item", shop)
    ('item.*',)
    """
    tree = read(sql, schema.dialect).tree
    if tree is None:
        return ()
    try:
        resolution = resolve(tree, schema, schema.dialect, sql)
    except RecursionError:
        return ()
    columns: set[tuple[str, str]] = _named(resolution) | _starred(resolution)
    bare = {r.table.name for s in resolution.scopes for r in s.relations if r.table}
    bare -= {table for table, _ in columns}
    return tuple(sorted([f"{t}.{c}" for t, c in columns] + [f"{t}.*" for t in bare]))


def linking(
    gold_columns: Collection[str], selection: Collection[str] | None, schema_size: int
) -> Linking | None:
    """Compare what was kept with what the gold reads; None where the gold reads nothing known.

    ``selection`` holds "table.column" entries, and is None when all ``schema_size`` columns stayed.

    >>> linking(["t.a", "t.b"], ["t.a", "t.c"], 4)
    Linking(recall=0.5, precision=0.5, strict=False)
    """
    if not gold_columns:
        return None
    gold = {name.casefold() for name in gold_columns}
    named = {name for name in gold if not name.endswith(".*")}
    if selection is None:
        return Linking(1.0, len(named) / schema_size if schema_size else 0.0, strict=True)
    kept = {name.casefold() for name in selection}
    found = sum(1 for name in gold if _is_kept(name, kept))
    columns = {name for name in kept if "." in name}
    precision = len(named & columns) / len(columns) if columns else 0.0
    return Linking(found / len(gold), precision, strict=found == len(gold))


def _is_kept(name: str, kept: Collection[str]) -> bool:
    if name.endswith(".*"):
        table = name.removesuffix(".*")
        return any(k == table or k.startswith(f"{table}.") for k in kept)
    return name in kept


def _named(resolution: Resolution) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for use in resolution.uses:
        table = use.relation.table if use.relation else None
        column = table.column(use.name) if table else None
        if table and column and use.status in (Status.FOUND, Status.CASE, Status.AMBIGUOUS):
            found.add((table.name, column.name))
    for scope in resolution.scopes:
        for relation in scope.relations:
            for name in relation.merged if relation.table else ():
                if relation.table and (column := relation.table.column(name)):
                    found.add((relation.table.name, column.name))
    return found


def _starred(resolution: Resolution) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for scope in resolution.scopes:
        stars = {q for e in scope.select.expressions if (q := star_qualifier(e)) is not None}
        if not stars or isinstance(scope.select.parent, exp.Exists):
            continue
        for relation in scope.relations:
            if relation.table and ("" in stars or relation.name.casefold() in stars):
                found |= {(relation.table.name, c.name) for c in relation.table.columns}
    return found
