"""What a statement reads: tables and their columns, by the names of the schema."""

from sqlglot import exp

from macsql.checks.analysis import analyse
from macsql.checks.scopes import Relation, Resolution, Scope, star_qualifier
from macsql.schema import Schema


def reads(sql: str, schema: Schema) -> dict[str, tuple[str, ...]]:
    """The tables and views that ``sql`` names, each with the columns used, in the schema's order.

    Nothing for a statement that cannot be read; never raises.

    >>> from macsql.schema import Column, Table
    >>> book = Table("book", (Column("id", ""), Column("title", ""), Column("year", "")))
    >>> reads("SELECT Title FROM BOOK AS b WHERE b.id = 1", Schema("sqlite", (book,)))
    {'book': ('id', 'title')}
    """
    found: dict[str, set[str]] = {}
    resolution = analyse(sql, schema).resolution
    for scope in resolution.scopes:
        for relation in scope.relations:
            if relation.table is not None:
                found.setdefault(relation.table.name, set()).update(_starred(scope, relation))
    for name, column in _used(resolution):
        found.setdefault(name, set()).add(column)
    return {
        table.name: tuple(c.name for c in table.columns if c.name.casefold() in found[table.name])
        for table in schema.tables
        if table.name in found
    }


def _used(resolution: Resolution) -> list[tuple[str, str]]:
    return [
        (use.relation.table.name, use.name.casefold())
        for use in resolution.uses
        if use.relation is not None and use.relation.table is not None
    ]


def _starred(scope: Scope, relation: Relation) -> set[str]:
    """All columns of ``relation``, if a star stands for them, or a join compares by name."""
    stars = [star_qualifier(expression) for expression in scope.select.expressions]
    columns = {name.casefold() for name in relation.columns or ()}
    if "" in stars or relation.name.casefold() in stars:
        return columns
    natural = any(join.args.get("method") for join in scope.select.find_all(exp.Join))
    return columns & relation.merged if natural or relation.merged else set()
