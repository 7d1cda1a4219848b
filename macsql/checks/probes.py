"""``Probe``: small questions to the database about a query that ran."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from macsql.checks.analysis import Analysis
from macsql.checks.scopes import Relation, Scope, Status, Use
from macsql.checks.text import quote
from macsql.database.result import Result
from macsql.errors import DatabaseError
from macsql.names import fold
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
        """The stored column that a column of the query is, shown under another name or not."""
        use = self.use(node)
        if use is not None and use.status is Status.ALIAS:
            use = self._named_by_alias(use)
        relation = use.relation if use else None
        table = relation.table if relation else None
        column = table.column(use.name) if table and use else None
        return (relation, table, column) if relation and table and column else None

    def _named_by_alias(self, use: Use) -> Use | None:
        """What a name of the output stands for, when that is a column; ``*`` shows columns too."""
        shown = use.scope.aliases.get(fold(use.name))
        if shown is not None:
            return self.use(shown)
        having = [r for r in use.scope.relations if r.has(use.name)]
        is_one = len(having) == 1
        return Use(use.column, use.scope, use.clause, Status.FOUND, having[0]) if is_one else None

    def groups(self, scope: Scope) -> list[exp.Expr]:
        """The terms of GROUP BY, with what a position or a name of the output stands for."""
        group = scope.select.args.get("group")
        found: list[exp.Expr] = []
        for term in group.expressions if group is not None else ():
            shown = term
            if isinstance(term, exp.Literal) and term.is_int:
                position = int(term.name)
                if 0 < position <= len(scope.select.expressions):
                    shown = scope.select.expressions[position - 1].unalias()
            elif (use := self.use(term)) and use.status is Status.ALIAS:
                shown = scope.aliases.get(fold(use.name), term)
            found.append(shown)
        return found

    def key(self, relation: Relation) -> list[exp.Column]:
        """The columns of a relation's primary key, as they must be written in its query.

        The relation is named as there, without quotes if there are none: these would mind its case.
        """
        table, alias = relation.table, relation.node.args.get("alias")
        name = alias.this if alias is not None and alias.this else relation.node.this
        if table is None or not isinstance(name, exp.Identifier):
            return []
        dialect = self.analysis.statement.dialect
        return [
            exp.Column(
                this=exp.to_identifier(column, quoted=quote(column, dialect) != column),
                table=name.copy(),
            )
            for column in table.primary_key
        ]

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """The rows of a statement; none when it fails."""
        try:
            return self._execute(sql).rows
        except DatabaseError:
            return ()

    def text(self, query: exp.Expr) -> str:
        """The text of a query or a column in the dialect at hand."""
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
