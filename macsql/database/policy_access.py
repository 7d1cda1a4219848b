"""A role on one database: the schema it sees, and what each of its tables is replaced by."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from macsql.database.policy import Parameter, Role, TableRule, ascii_folded, check_parameters
from macsql.database.policy_expressions import condition_sql, literal_sql
from macsql.database.policy_rewrite import MARK, ROWIDS, Rewritten, names_in, rewrite
from macsql.database.reflect import quote
from macsql.errors import AccessDenied, ConfigError, DatabaseError, UnsafeSQLError
from macsql.schema import Column, ForeignKey, Schema, Table

Outputs = Callable[[str], tuple[str, ...]]
"""The column names of a query, found by preparing it. Raises DatabaseError when it cannot run."""

# Nothing of the statement around it may be computed on rows that the filter, or a trusted view,
# removes: an error raised by a hidden row would tell of it. SQLite merges no sub-query that has a
# limit.
_FENCE = " LIMIT -1"


class Access:
    """What ``role`` may see of the database whose whole schema is ``whole``.

    ``views`` has the definitions of views, ``outputs`` asks the database for the columns of a
    query, and ``guard`` refuses what no query may do. Raises ConfigError when the policy does not
    fit the database: a name that is not there could be a misspelt one that was to be hidden.
    """

    def __init__(
        self,
        role: Role,
        parameters: Mapping[str, Parameter],
        whole: Schema,
        views: Mapping[str, str],
        outputs: Outputs,
        guard: Callable[[str], str],
    ) -> None:
        if whole.dialect != "sqlite":
            raise ConfigError("An access policy can be used with SQLite only, so far.")
        check_parameters(role, parameters)
        self._role = role
        self._parameters = parameters
        self._whole = whole
        self._views = {ascii_folded(name): definition for name, definition in views.items()}
        self._outputs = outputs
        self._guard = guard
        self._sources: dict[str, str | None] = {}
        self._tables: dict[str, Table] = {}
        self._true_columns: dict[str, set[str]] = {}
        self._check_names()
        for table in whole.tables:
            if not table.is_view:
                self._compile(table)
        self._compile_views()
        if not self._tables:
            raise ConfigError("The policy leaves nothing of this database to the role.")
        self.tables = tuple(
            replace(table, foreign_keys=tuple(self._usable_keys(table)))
            for table in (self._tables[n] for n in self._names() if n in self._tables)
        )
        columns = {ascii_folded(c.name) for t in self.tables for c in t.columns}
        self._rowids = ROWIDS - columns
        self._open_views = frozenset(self._views) if self._has_trusted() else frozenset()

    def rewrite(self, sql: str) -> Rewritten:
        """``sql`` as it may be executed. Raises AccessDenied."""
        return rewrite(sql, self._whole.dialect, self._sources, rowids=self._rowids)

    def source(self, table: str) -> str:
        """What to read the visible table from; empty when from the table itself."""
        return self._sources[ascii_folded(table)] or ""

    def may_read(self, table: str, inside: str | None) -> bool:
        """Whether the engine may read a table for the view or WITH query ``inside``.

        This holds even for a statement that was rewritten wrongly: a restricted table is read in
        the sub-queries of the policy only.
        """
        folded, within = ascii_folded(table), ascii_folded(inside or "")
        if within == MARK or within in self._open_views:
            return True
        if folded in self._sources:
            return self._sources[folded] is None
        return self._whole.table(table) is None and folded not in self._views

    def _names(self) -> list[str]:
        return [ascii_folded(table.name) for table in self._whole.tables]

    def _has_trusted(self) -> bool:
        rules = (self._role.rule(name) for name in self._tables)
        return any(rule is not None and rule.trusted for rule in rules)

    def _check_names(self) -> None:
        known = set(self._names())
        for name in self._role.names():
            if ascii_folded(name) not in known:
                raise ConfigError(f"The policy names the table {name!r}, which is not there.")
        for pattern, rule in self._role.patterns():
            matching = [t for t in self._whole.tables if fnmatchcase(ascii_folded(t.name), pattern)]
            columns = {ascii_folded(c.name) for t in matching for c in t.columns}
            for name in (*(rule.columns or ()), *rule.hide, *rule.masks):
                if ascii_folded(name) not in columns:
                    raise ConfigError(
                        f"The policy names the column {name!r} for {pattern!r}: no table has it."
                    )

    def _compile(self, table: Table) -> None:
        """Decide about one table; a view is decided on when all that it reads are."""
        rule = self._role.rule(table.name)
        if rule is None:
            return
        if self._role.names_exactly(table.name):
            _check_columns(table, rule)
        if table.is_view and not rule.trusted:
            self._compile_view(table, rule)
        else:
            self._keep(table, rule, f"main.{quote(table.name)}", table.columns)

    def _compile_views(self) -> None:
        """Round after round, since views may read views."""
        views = [table for table in self._whole.tables if table.is_view]
        count = -1
        while count != len(self._sources):
            count = len(self._sources)
            for view in views:
                if ascii_folded(view.name) not in self._sources:
                    self._compile(view)

    def _keep(
        self, table: Table, rule: TableRule, origin: str, columns: tuple[Column, ...]
    ) -> None:
        """Make what is left of ``origin`` visible; ``columns`` are those that it has."""
        name = ascii_folded(table.name)
        shown = tuple(c for c in columns if _is_shown(c.name, rule))
        if not shown and not self._role.names_exactly(table.name):
            return
        if not shown:
            raise ConfigError(f"The policy leaves no column of the table {table.name!r}.")
        is_limited = rule.columns is not None or rule.masks or rule.rows or rule.trusted
        if len(shown) == len(table.columns) and not is_limited:
            self._sources[name] = None if origin == f"main.{quote(table.name)}" else origin
        else:
            self._sources[name] = self._checked(table, self._restricted(table, rule, origin, shown))
        true = {ascii_folded(c.name) for c in shown} - {ascii_folded(m) for m in rule.masks}
        self._true_columns[name] = true
        key = table.primary_key if _are_in(table.primary_key, true) else ()
        self._tables[name] = replace(table, columns=shown, primary_key=key)

    def _usable_keys(self, table: Table) -> Iterator[ForeignKey]:
        """The foreign keys both ends of which are shown as they are."""
        own = self._true_columns[ascii_folded(table.name)]
        for key in table.foreign_keys:
            other = self._true_columns.get(ascii_folded(key.ref_table), set())
            if _are_in(key.columns, own) and _are_in(key.ref_columns, other):
                yield key

    def _restricted(
        self, table: Table, rule: TableRule, origin: str, shown: tuple[Column, ...]
    ) -> str:
        owner = quote(table.name)
        masks = {ascii_folded(name): mask for name, mask in rule.masks.items()}
        cells = []
        for column in shown:
            cell = f"{owner}.{quote(column.name)}"
            if (folded := ascii_folded(column.name)) in masks:
                cell = self._masked(table, column, masks[folded])
            cells.append(f"{cell} AS {quote(column.name)}")
        sql = f"SELECT {', '.join(cells)} FROM {origin} AS {owner}"  # noqa: S608
        if rule.rows:
            sql += f" WHERE ({self._expression(rule.rows, table, 'rows')})"
        if rule.rows or rule.trusted:
            sql += _FENCE
        return f"(WITH {MARK} AS ({sql}) SELECT * FROM {MARK})"  # noqa: S608

    def _masked(self, table: Table, column: Column, mask: object) -> str:
        if isinstance(mask, str):
            cell = self._expression(mask, table, f"the mask of {column.name}")
        else:
            cell = literal_sql(mask, self._whole.dialect)
        # As if the masked text were what is stored: it is compared as text.
        is_text = any(word in column.type.upper() for word in ("CHAR", "CLOB", "TEXT"))
        return f"CAST({cell} AS TEXT)" if is_text else f"({cell})"

    def _expression(self, text: str, table: Table, what: str) -> str:
        where = f"The policy for {table.name}, {what}"
        return condition_sql(text, table, self._whole, self._parameters, where=where)

    def _checked(self, table: Table, source: str) -> str:
        """``source``, when it can run. Raises ConfigError."""
        sql = f"SELECT * FROM {source}"  # noqa: S608
        try:
            self._guard(sql)
            self._outputs(sql)
        except DatabaseError as error:
            raise ConfigError(f"The policy for the table {table.name!r} fails: {error}") from error
        return source

    def _names_hidden_columns(self, body: str) -> bool:
        """Whether a view names a column that is hidden in the tables it reads.

        SQLite would take the name for a text if it is in double quotes.
        """
        tables, columns = names_in(body, self._whole.dialect)
        shown = {name for table in tables for name in _folded_columns(self._tables.get(table))}
        known = {name for table in tables for name in _folded_columns(self._whole.table(table))}
        return bool(columns & (known - shown))

    def _compile_view(self, view: Table, rule: TableRule) -> None:
        """Show of a view what the policy leaves of its definition; if that fails, nothing."""
        try:
            names, body = _definition(self._views[ascii_folded(view.name)])
            body = self._guard(body)
            if self._names_hidden_columns(body):
                return
            inner = rewrite(body, self._whole.dialect, self._sources, pinned=True).sql
            is_same = rewrite(body, self._whole.dialect, self._sources).sql == body
            outputs = self._outputs(f"SELECT * FROM ({inner})")  # noqa: S608
        except (AccessDenied, UnsafeSQLError, DatabaseError, KeyError):
            return
        if names and len(names) != len(outputs):
            return
        if is_same:
            self._keep(view, rule, f"main.{quote(view.name)}", view.columns)
            return
        if names:
            listed = ", ".join(map(quote, names))
            inner = f"WITH {MARK}({listed}) AS ({inner}) SELECT * FROM {MARK}"  # noqa: S608
        left = {ascii_folded(name) for name in names or outputs}
        columns = tuple(c for c in view.columns if ascii_folded(c.name) in left)
        if any(_is_shown(column.name, rule) for column in columns):
            self._keep(view, rule, f"({inner})", columns)


def _folded_columns(table: Table | None) -> set[str]:
    return {ascii_folded(column.name) for column in table.columns} if table else set()


def _definition(create: str) -> tuple[tuple[str, ...], str]:
    """The column names that CREATE VIEW lists, if any, and its query.

    >>> _definition("CREATE VIEW v(a, b) AS SELECT 1, 2")
    (('a', 'b'), 'SELECT 1, 2')
    """
    names: list[str] = []
    depth = 0
    for token in Dialect.get_or_raise("sqlite").tokenize(create):
        if token.token_type == TokenType.L_PAREN:
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
        elif token.token_type == TokenType.ALIAS and not depth:
            return tuple(names), create[token.end + 1 :].strip()
        elif depth and token.token_type != TokenType.COMMA:
            names.append(token.text)
    return (), ""


def _check_columns(table: Table, rule: TableRule) -> None:
    """Raises ConfigError when the rule names a column that is not there, or masks a hidden one."""
    for name in (*(rule.columns or ()), *rule.hide, *rule.masks):
        if ascii_folded(name) not in {ascii_folded(c.name) for c in table.columns}:
            raise ConfigError(
                f"The policy names the column {table.name}.{name}, which is not there."
            )
    for name in rule.masks:
        if not _is_shown(name, rule):
            raise ConfigError(
                f"The policy masks the column {table.name}.{name}, which it does not show."
            )


def _is_shown(column: str, rule: TableRule) -> bool:
    folded = ascii_folded(column)
    allowed = rule.columns is None or folded in map(ascii_folded, rule.columns)
    return allowed and folded not in map(ascii_folded, rule.hide)


def _are_in(names: Iterable[str], known: set[str]) -> bool:
    return all(ascii_folded(name) in known for name in names)
