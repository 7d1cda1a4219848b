"""What a query gives, as far as it can be compared with a question."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.names import words
from macsql.checks.question import Question
from macsql.checks.resolve import resolve
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Resolution, Scope, star_qualifier
from macsql.checks.text import Statement, read, span
from macsql.message import Finding, Severity
from macsql.schema import Column, Schema, Table

_NUMBER_TYPE = re.compile(r"int|real|num|dec|double|float|money", re.IGNORECASE)


_NAMES = frozenset({"id", "code", "year", "date", "key", "month", "day"})


@dataclass(frozen=True, slots=True)
class Output:
    """A query with what its names refer to, all nodes of its tree, and what is shown of it."""

    statement: Statement
    resolution: Resolution
    schema: Schema
    nodes: tuple[exp.Expr, ...]
    kinds: frozenset[type[exp.Expr]]
    shown: tuple[exp.Expr, ...]
    shown_aggregates: tuple[exp.Expr, ...]

    @property
    def tree(self) -> exp.Expr:
        """The whole query."""
        return self.nodes[0]

    @property
    def scope(self) -> Scope:
        """The SELECT whose columns are the answer; the first one of a set operation."""
        return self.resolution.scopes[0]

    @property
    def group(self) -> list[exp.Expr]:
        """The terms of its GROUP BY."""
        clause = self.scope.select.args.get("group")
        return list(clause.expressions) if clause is not None else []

    @property
    def has_star(self) -> bool:
        """Whether ``*`` or ``t.*`` is shown."""
        return any(star_qualifier(e) is not None for e in self.shown)

    def has(self, *kinds: type[exp.Expr]) -> bool:
        """Whether a node of one of the kinds is anywhere in the query."""
        return any(issubclass(kind, kinds) for kind in self.kinds)

    def names(self, *asked: str) -> bool:
        """Whether a column that is used anywhere has one of those words in its name."""
        return any(not set(asked).isdisjoint(words(use.name)) for use in self.resolution.uses)

    def column(self, expression: exp.Expr) -> tuple[Table, Column] | None:
        """The column of the schema that a shown expression is, with its table."""
        if not isinstance(expression, exp.Column):
            return None
        use = next((u for u in self.scope.uses if u.column is expression), None)
        table = use.relation.table if use and use.relation else None
        column = table.column(expression.name) if table else None
        return (table, column) if table and column else None

    def is_key(self, expression: exp.Expr) -> bool:
        """Whether a shown expression is a column of a primary or foreign key."""
        found = self.column(expression)
        return found is not None and found[1].name.casefold() in self.schema.key_columns(found[0])

    def is_number(self, expression: exp.Expr) -> bool:
        """Whether a shown expression may be a number that is no key; true when not known."""
        found = self.column(expression)
        if found is None:
            return not isinstance(expression, exp.Star)
        return not self.is_key(expression) and _NUMBER_TYPE.search(found[1].type) is not None

    def is_amount(self, table: Table, column: Column) -> bool:
        """Whether a column holds numbers and is no key, code or year."""
        is_key = column.name.casefold() in self.schema.key_columns(table)
        is_name = not _NAMES.isdisjoint(words(column.name))
        return bool(_NUMBER_TYPE.search(column.type)) and not is_key and not is_name


Rule = Callable[[Question, Output], Iterator[Finding]]


def read_output(sql: str, schema: Schema) -> Output | None:
    """What ``sql`` gives; None when it cannot be read as a query with a SELECT."""
    statement = read(sql, schema.dialect)
    if statement.tree is None:
        return None
    resolution = resolve(statement.tree, schema, statement.dialect, sql)
    if not resolution.scopes:
        return None
    scope = _outermost(statement.tree, resolution)
    resolution.scopes.remove(scope)
    resolution.scopes.insert(0, scope)
    shown = tuple(e.unalias() for e in scope.select.expressions)
    nodes = tuple(statement.tree.walk())
    return Output(
        statement,
        resolution,
        schema,
        nodes,
        frozenset(map(type, nodes)),
        shown,
        tuple(a for e in shown for a in aggregates(e)),
    )


def _outermost(tree: exp.Query, resolution: Resolution) -> Scope:
    """The scope of the SELECT that names the columns of the answer: CTEs are resolved before it."""
    node: exp.Expr = tree
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    found = (s for s in resolution.scopes if s.select is node)
    return next(found, resolution.scopes[0])


def finding(
    code: str, severity: Severity, message: str, hint: str, node: exp.Expr | None = None
) -> Finding:
    """A finding at the place of ``node``."""
    return Finding(code, severity, message, hint, span(node))
