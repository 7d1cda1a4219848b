"""Which table each column of a query belongs to: the scoping rules of SQL over a schema.

Follows what the databases do rather than the standard where they differ: SQLite lets select
aliases be used in WHERE, and reads a double-quoted name that is no column as text.
"""

from collections.abc import Mapping

from sqlglot import exp

from macsql.checks.scopes import (
    Columns,
    Relation,
    Resolution,
    Scope,
    Status,
    Use,
    clauses,
    star_qualifier,
)
from macsql.names import fold
from macsql.schema import Schema, Table

_ROWID = frozenset({"rowid", "oid", "_rowid_"})
_HIDDEN = {
    "sqlite": _ROWID,
    "duckdb": frozenset({"rowid"}),
    "postgres": frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}),
    "oracle": frozenset({"rowid", "rownum", "level", "sysdate", "user"}),
}
_SYSTEM_TABLES = frozenset(
    {
        *("sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"),
        *("sqlite_sequence", "sqlite_stat1", "sqlite_stat4"),
    }
)
_SYSTEM_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "performance_schema", "sys", "mysql"}
)
_ALIAS_CLAUSES = {
    "sqlite": {"where", "join", "group", "having", "order"},
    "duckdb": {"select", "where", "group", "having", "order", "qualify"},
    "postgres": {"group", "order"},
    "mysql": {"group", "having", "order"},
    "tsql": {"order"},
}
_ALL_CLAUSES = {"select", "where", "join", "group", "having", "order", "qualify", "other"}


def resolve(tree: exp.Query, schema: Schema, dialect: str, sql: str = "") -> Resolution:
    """Find what each name of ``tree`` refers to. ``sql`` tells "x" from [x] in SQLite."""
    resolver = _Resolver(schema, dialect, sql)
    resolver.query(tree, None, {})
    return resolver.resolution


_Ctes = Mapping[str, Columns | None]


class _Resolver:
    def __init__(self, schema: Schema, dialect: str, sql: str) -> None:
        self.schema = schema
        self.dialect = dialect
        self.sql = sql
        self.resolution = Resolution()
        self.alias_clauses = _ALIAS_CLAUSES.get(dialect, _ALL_CLAUSES)

    # Queries ------------------------------------------------------------------------------

    def query(self, node: exp.Expr, parent: Scope | None, ctes: _Ctes) -> Columns | None:
        """Resolve one query; returns its output columns, None when they cannot be known."""
        ctes = self._with(node, parent, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, ctes)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            return self.query(node.this, parent, ctes)
        if isinstance(node, exp.Values):
            rows = node.expressions
            width = len(rows[0].expressions) if rows and isinstance(rows[0], exp.Tuple) else 1
            return tuple(f"column{i + 1}" for i in range(width))
        return None

    def _with(self, node: exp.Expr, parent: Scope | None, ctes: _Ctes) -> _Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for cte in clause.expressions:
            name = fold(cte.alias)
            if self.dialect == "sqlite" and not _is_used(cte, node):
                known[name] = None  # SQLite never looks into a CTE that nothing reads
                continue
            named = tuple(c.name for c in cte.args["alias"].args.get("columns") or ())
            inner = dict(known)
            if _mentions(cte.this, name):
                inner[name] = named or self._recursive_outputs(cte.this, parent, known)
            outputs = self.query(cte.this, parent, inner)
            known[name] = named or outputs
        return known

    def _recursive_outputs(
        self, body: exp.Expr, parent: Scope | None, ctes: _Ctes
    ) -> Columns | None:
        # What a recursive CTE sees of itself are the columns of its first part, which must be
        # known before the whole is resolved; that part is resolved again with the rest.
        if not isinstance(body, exp.SetOperation):
            return None
        first = body
        while isinstance(first.this, exp.SetOperation):
            first = first.this
        return _Resolver(self.schema, self.dialect, self.sql).query(first.this, parent, ctes)

    def _set_operation(
        self, node: exp.SetOperation, parent: Scope | None, ctes: _Ctes
    ) -> Columns | None:
        left = self.query(node.this, parent, ctes)
        right = self.query(node.expression, parent, ctes)
        if left is not None and right is not None:
            self.resolution.set_sides.append((node, len(left), len(right)))
        return left

    def _select(self, node: exp.Select, parent: Scope | None, ctes: _Ctes) -> Columns | None:
        scope = Scope(node, parent, ctes=ctes)
        self.resolution.scopes.append(scope)
        self._from(scope)
        scope.aliases = {
            fold(e.alias): e.this for e in node.expressions if isinstance(e, exp.Alias)
        }
        scope.outputs = self._outputs(scope)
        for clause, expression in clauses(node):
            self._expression(expression, scope, clause)
        return scope.outputs

    def _outputs(self, scope: Scope) -> Columns | None:
        names: list[str] = []
        for expression in scope.select.expressions:
            starred = star_qualifier(expression)
            if starred is None:
                named = isinstance(expression, (exp.Alias, exp.Column))
                names.append(expression.alias_or_name if named else "")
                continue
            relations = [r for r in scope.relations if starred in ("", fold(r.name))]
            for position, relation in enumerate(relations):
                if relation.columns is None or expression.find(exp.Star).args.get("except_"):
                    return None
                # A column merged by USING or NATURAL is shown once.
                hidden = relation.merged if position and not starred else ()
                names += [c for c in relation.columns if fold(c) not in hidden]
        return tuple(names)

    # FROM ---------------------------------------------------------------------------------

    def _from(self, scope: Scope) -> None:
        clause = scope.select.args.get("from_")
        if clause is not None:
            self._relation(clause.this, scope)
        for join in scope.select.args.get("joins") or ():
            self._join(join, scope)
        for lateral in scope.select.args.get("laterals") or ():
            self._open(lateral, scope)

    def _join(self, join: exp.Join, scope: Scope) -> None:
        before = list(scope.relations)
        self._relation(join.this, scope)
        added = [r for r in scope.relations if r not in before]
        shared = {fold(i.name) for i in join.args.get("using") or ()}
        if join.method == "NATURAL" or str(join.args.get("method", "")).upper() == "NATURAL":
            shared = {fold(c) for r in added for c in r.columns or () for b in before if b.has(c)}
        for relation in before + added if shared else ():
            relation.merged |= {name for name in shared if relation.has(name)}

    def _relation(self, node: exp.Expr, scope: Scope) -> None:
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            scope.relations.append(self._table(node, scope.ctes))
            for join in node.args.get("joins") or ():
                self._join(join, scope)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            columns = self.query(node, scope.parent, scope.ctes)
            named = tuple(c.name for c in _alias_columns(node))
            scope.relations.append(Relation(node.alias, named or columns, node))
        elif isinstance(node, exp.Subquery) and not node.alias:
            self._relation(node.this, scope)
            for join in node.args.get("joins") or ():
                self._join(join, scope)
        else:
            self._open(node, scope)

    def _table(self, node: exp.Table, ctes: _Ctes) -> Relation:
        alias = node.alias or node.name
        named = tuple(c.name for c in _alias_columns(node))
        if not node.db and fold(node.name) in ctes:
            return Relation(alias, named or ctes[fold(node.name)], node)
        table = self.schema.table(f"{node.db}.{node.name}") if node.db else None
        # In one file of SQLite there is no "public" or "dbo".
        elsewhere = self.dialect == "sqlite" and fold(node.db) not in ("", "main", "temp")
        if not elsewhere:
            table = table or self.schema.table(node.name) or self._in_any_schema(node)
        if table is not None:
            return Relation(alias, named or tuple(c.name for c in table.columns), node, table)
        system = (
            fold(node.name) in _SYSTEM_TABLES
            or fold(node.db) in _SYSTEM_SCHEMAS
            or fold(node.name).startswith(("pg_", "pragma_"))
            or (fold(node.name) == "dual" and self.dialect in {"mysql", "oracle"})
        )
        return Relation(alias, None, node, unknown=not system)

    def _in_any_schema(self, node: exp.Table) -> Table | None:
        if node.db:
            return None
        ending = "." + fold(node.name)
        found = [t for t in self.schema.tables if fold(t.name).endswith(ending)]
        return found[0] if len(found) == 1 else None

    def _open(self, node: exp.Expr, scope: Scope) -> None:
        """A relation whose columns are not known: a table function, LATERAL, UNNEST, a pivot."""
        self._expression(node, scope, "join")
        name = node.alias_or_name or getattr(node.this, "name", "")
        scope.relations.append(Relation(name, None, node))

    # Expressions --------------------------------------------------------------------------

    def _expression(self, root: exp.Expr, scope: Scope, clause: str) -> None:
        pending = [root]
        while pending:
            node = pending.pop()
            if isinstance(node, exp.Query):
                self.query(node, scope, scope.ctes)
            elif isinstance(node, exp.Column):
                if not isinstance(node.this, exp.Star):
                    scope.uses.append(self._use(node, scope, clause))
            else:
                pending += reversed(list(node.iter_expressions()))

    def _use(self, column: exp.Column, scope: Scope, clause: str) -> Use:
        use = Use(column, scope, clause)
        if _is_lambda_parameter(column):
            use.status = Status.OPEN
        elif column.table:
            self._qualified(use)
        else:
            self._bare(use)
        if use.status is Status.FOUND and self._is_other_case(use):
            use.status = Status.CASE
        return use

    def _visible(self, use: Use) -> list[Scope]:
        """The scopes that a reference can reach: SQLite sorts and groups by its own tables only."""
        if self.dialect == "sqlite" and use.clause in {"group", "order"}:
            return [use.scope]
        return list(use.scope.chain())

    def _qualified(self, use: Use) -> None:
        name, qualifier = use.name, fold(use.qualifier)
        first: Relation | None = None
        for scope in self._visible(use):
            named = [r for r in scope.relations if fold(r.name) == qualifier]
            having = [r for r in named if r.columns is None or self._holds(r, name)]
            if len(having) > 1 and scope is use.scope:
                use.status, use.owners = Status.AMBIGUOUS, tuple(having)
                return
            if having:
                use.relation = having[0]
                use.status = Status.OPEN if having[0].columns is None else Status.FOUND
                return
            first = first or (named[0] if named else None)
        use.relation = first
        if first is not None:
            use.status = Status.NOT_IN_QUALIFIER
        elif self._is_field_access(use):
            use.status = Status.OPEN
        else:
            use.status = Status.NO_QUALIFIER

    def _bare(self, use: Use) -> None:
        folded = fold(use.name)
        if use.clause == "order" and self._names_output(use.scope, folded):
            use.status = Status.ALIAS
            return
        for scope in self._visible(use):
            having = [r for r in scope.relations if self._holds(r, use.name)]
            if having:
                self._choose(use, having, folded)
                return
            if any(r.columns is None for r in scope.relations):
                use.status = Status.OPEN
                return
            if self._is_alias(use, scope, folded):
                use.status = Status.ALIAS
                return
        if self._is_whole_row(use):
            use.status = Status.OPEN
        elif self._reads_as_text(use):
            use.status = Status.TEXT

    def _names_output(self, scope: Scope, folded: str) -> bool:
        """Whether ORDER BY finds the name among the columns shown before it looks at the tables.

        For SQLite a column shown under its own name is not such, unless ``*`` brought it.
        """
        if folded in scope.aliases:
            return True
        starred = any(star_qualifier(e) is not None for e in scope.select.expressions)
        if self.dialect == "sqlite" and not starred:
            return False
        return folded in {fold(name) for name in scope.outputs or ()}

    def _choose(self, use: Use, having: list[Relation], folded: str) -> None:
        unmerged = [r for r in having if folded not in r.merged]
        use.relation, use.status = having[0], Status.FOUND
        ambiguous = len(having) > 1 and bool(unmerged) and folded not in _ROWID
        if ambiguous and folded in use.scope.aliases and use.clause == "group":
            ambiguous = self.dialect != "sqlite"
        if ambiguous:
            use.status, use.owners = Status.AMBIGUOUS, tuple(having)

    def _is_alias(self, use: Use, scope: Scope, folded: str) -> bool:
        allowed = scope is not use.scope or use.clause in self.alias_clauses
        return allowed and folded in scope.aliases

    def _holds(self, relation: Relation, name: str) -> bool:
        if relation.has(name):
            return True
        if relation.columns is not None and "" in relation.columns and not name.isidentifier():
            return True  # an expression without an alias is named by its own text
        hidden = _HIDDEN.get(self.dialect, frozenset())
        return relation.table is not None and fold(name) in hidden

    def _is_whole_row(self, use: Use) -> bool:
        if self.dialect not in {"postgres", "duckdb", "bigquery"}:
            return False
        return any(scope.relation(use.name) for scope in use.scope.chain())

    def _is_field_access(self, use: Use) -> bool:
        """``column.field`` of a struct or JSON value."""
        if self.dialect in {"sqlite", "mysql", "tsql"}:
            return False
        parts = {use.qualifier, use.column.db}
        return any(r.has(p) for s in use.scope.chain() for r in s.relations for p in parts if p)

    def _reads_as_text(self, use: Use) -> bool:
        start = use.column.this.meta.get("start")
        return self.dialect == "sqlite" and start is not None and self.sql[start] == '"'

    def _is_other_case(self, use: Use) -> bool:
        table = use.relation.table if use.relation else None
        stored = table.column(use.name) if table else None
        return stored is not None and not _same_case(use.column.this, stored.name, self.dialect)


def _same_case(identifier: exp.Expr, stored: str, dialect: str) -> bool:
    written = identifier.name
    if dialect in {"postgres", "redshift"}:
        return stored == (written if identifier.args.get("quoted") else written.lower())
    if dialect in {"oracle", "snowflake"}:
        return stored == (written if identifier.args.get("quoted") else written.upper())
    return True


def is_other_case(relation: Relation, dialect: str) -> bool:
    """Whether the table exists only in another letter case, in a dialect that minds."""
    if relation.table is None or not isinstance(relation.node, exp.Table):
        return False
    stored = relation.table.name.rsplit(".", 1)[-1]
    return not _same_case(relation.node.this, stored, dialect)


def _alias_columns(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or ()) if isinstance(alias, exp.TableAlias) else []


def _is_used(cte: exp.CTE, query: exp.Expr) -> bool:
    """Whether anything of ``query`` but the CTE itself reads from it."""
    inside = set(map(id, cte.find_all(exp.Table)))
    name = fold(cte.alias)
    return any(fold(t.name) == name and id(t) not in inside for t in query.find_all(exp.Table))


def _mentions(node: exp.Expr, name: str) -> bool:
    return any(fold(t.name) == name and not t.db for t in node.find_all(exp.Table))


def _is_lambda_parameter(column: exp.Column) -> bool:
    found = column.find_ancestor(exp.Lambda)
    return found is not None and any(p.name == column.name for p in found.expressions)
