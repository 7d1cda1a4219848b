"""The parts of a resolved query: scopes, the relations in them, and the uses of columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sqlglot import exp

from macsql.names import fold
from macsql.schema import Table

Columns = tuple[str, ...]
"""Column names of a relation or result; an expression without a name counts as ""."""


class Status(Enum):
    """What became of a column reference."""

    FOUND = "found"
    OPEN = "open"  # may exist: a relation whose columns are not known is in scope
    ALIAS = "alias"
    TEXT = "text"  # SQLite: double quotes around something that is no column
    AMBIGUOUS = "ambiguous"
    NO_QUALIFIER = "no-qualifier"
    NOT_IN_QUALIFIER = "not-in-qualifier"
    MISSING = "missing"
    CASE = "case"  # exists in another letter case only, and the dialect minds


@dataclass(slots=True, eq=False)
class Relation:
    """One item of a FROM clause. ``columns`` is None when they cannot be known."""

    name: str
    columns: Columns | None
    node: exp.Expr
    table: Table | None = None
    unknown: bool = False
    merged: set[str] = field(default_factory=set)

    def has(self, name: str) -> bool:
        """Whether a column of that name is known to be here, ignoring case."""
        return self.columns is not None and fold(name) in {fold(c) for c in self.columns}


@dataclass(slots=True, eq=False)
class Use:
    """One reference to a column, and what it refers to."""

    column: exp.Column
    scope: "Scope"
    clause: str
    status: Status = Status.MISSING
    relation: Relation | None = None
    owners: tuple[Relation, ...] = ()

    @property
    def name(self) -> str:
        """The column's name as written, without quotes."""
        return self.column.name

    @property
    def qualifier(self) -> str:
        """The table or alias written before it; "" when there is none."""
        return self.column.table

    @property
    def is_outer(self) -> bool:
        """Whether it refers to a relation of an enclosing query."""
        return self.relation is not None and self.relation not in self.scope.relations


@dataclass(slots=True, eq=False)
class Scope:
    """One SELECT: what its names can refer to."""

    select: exp.Select
    parent: "Scope | None" = None
    relations: list[Relation] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    outputs: Columns | None = None
    ctes: Mapping[str, Columns | None] = field(default_factory=dict)

    def relation(self, name: str) -> Relation | None:
        """The relation of that name in this scope, ignoring case."""
        folded = fold(name)
        return next((r for r in self.relations if fold(r.name) == folded), None)

    def chain(self) -> Iterator["Scope"]:
        """This scope and those around it, from the inside."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(slots=True)
class Resolution:
    """Every scope of a query, and every set operation with the numbers of columns of its sides."""

    scopes: list[Scope] = field(default_factory=list)
    set_sides: list[tuple[exp.SetOperation, int, int]] = field(default_factory=list)

    @property
    def uses(self) -> Iterator[Use]:
        """Every column reference of the query."""
        return (use for scope in self.scopes for use in scope.uses)

    @property
    def relations(self) -> Iterator[Relation]:
        """Every item of every FROM clause."""
        return (r for s in self.scopes for r in s.relations)

    @property
    def unknown_tables(self) -> Iterator[tuple[Scope, Relation]]:
        """Every relation that is neither a table, a view nor a CTE."""
        return ((s, r) for s in self.scopes for r in s.relations if r.unknown)


def clauses(select: exp.Select) -> Iterator[tuple[str, exp.Expr]]:
    """The expressions of a SELECT in the order of writing, each with the clause it stands in."""
    for expression in select.expressions:
        yield "select", expression
    for on in _conditions(select):
        yield "join", on
    for clause in ("where", "group", "having", "qualify", "order"):
        if (node := select.args.get(clause)) is not None:
            yield clause, node
    for key in ("distinct", "limit", "offset", "sort", "cluster"):
        if isinstance(node := select.args.get(key), exp.Expr):
            yield "other", node
    for window in select.args.get("windows") or ():
        yield "select", window


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    """The ON conditions of a SELECT's own joins, those inside parentheses included."""
    source = select.args.get("from_")
    for root in [*([source] if source else ()), *(select.args.get("joins") or ())]:
        for join in root.find_all(exp.Join):
            if join.args.get("on") is not None and join.parent_select is select:
                yield join.args["on"]


def star_qualifier(expression: exp.Expr) -> str | None:
    """ "" for ``*``, the folded qualifier for ``t.*``, None for anything else."""
    if isinstance(expression, exp.Star):
        return ""
    if isinstance(expression, exp.Column) and isinstance(expression.this, exp.Star):
        return fold(expression.table)
    return None
