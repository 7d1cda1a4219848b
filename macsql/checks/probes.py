"""``Probe``: small questions to the database about a query that ran."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from macsql.checks.analysis import Analysis
from macsql.checks.scopes import Relation, Scope, Use
from macsql.checks.text import quote
from macsql.database.result import Result
from macsql.errors import DatabaseError
from macsql.schema import Column, Schema, Table

Execute = Callable[[str], Result]
"""Runs a statement; raises DatabaseError when it cannot."""

ROWS_READ = 100_000
"""Rows of a table that a probe looks at, at most."""

_BEYOND_WHERE = ("group", "having", "order", "limit", "offset", "distinct", "windows", "qualify")


class Probe:
    """An analysed query, and the way to ask the database about its parts."""

    def __init__(self, analysis: Analysis, execute: Execute) -> None:
        self.analysis = analysis
        self._execute = execute
        self._by_column = {id(u.column): u for u in analysis.resolution.uses}

    @property
    def schema(self) -> Schema:
        """The schema of the query."""
        return self.analysis.schema

    def scopes(self) -> Iterator[Scope]:
        """The SELECTs that can be asked about alone: of stored tables, without outer columns."""
        for scope in self.analysis.resolution.scopes:
            known = bool(scope.relations) and all(r.table for r in scope.relations)
            if known and not any(u.is_outer for u in scope.uses):
                yield scope

    def use(self, node: exp.Expr | None) -> Use | None:
        """What a column of the query refers to."""
        return self._by_column.get(id(node))

    def relation(self, node: exp.Expr | None) -> Relation | None:
        """The item of FROM that a column of the query belongs to."""
        use = self.use(node)
        return use.relation if use else None

    def stored(self, node: exp.Expr | None) -> tuple[Relation, Table, Column] | None:
        """The stored column that a column of the query is."""
        use, relation = self.use(node), self.relation(node)
        table = relation.table if relation else None
        column = table.column(use.name) if table and use else None
        return (relation, table, column) if relation and table and column else None

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """The rows of a statement; none when it fails."""
        try:
            return self._execute(sql).rows
        except DatabaseError:
            return ()

    def text(self, query: exp.Query) -> str:
        """The text of a query in the dialect at hand."""
        return query.sql(dialect=self.analysis.statement.dialect or None)

    def name(self, name: str) -> str:
        """A name as it must be written."""
        return quote(name, self.analysis.statement.dialect)

    def source(self, scope: Scope, *shown: exp.Expr) -> exp.Select:
        """``SELECT shown FROM ... WHERE ...`` over the rows that a SELECT works on."""
        query = scope.select.copy()
        for part in _BEYOND_WHERE:
            query.set(part, None)
        query.set("expressions", [e.copy() for e in shown])
        return query

    def any_row(self, scope: Scope, condition: exp.Expr) -> bool:
        """Whether a row that a SELECT works on fulfils a condition as well."""
        query = self.source(scope, exp.Literal.number(1)).where(condition).limit(1)
        return bool(self.rows(self.text(query)))
