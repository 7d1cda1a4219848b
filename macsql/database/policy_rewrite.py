"""Putting what a policy allows in the place of each table that a statement reads.

The text is edited where a table is named and is otherwise left as it was written, so that the rest
of the statement means what it meant. What is not understood is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from macsql.database.functions import TABLE_FUNCTIONS
from macsql.database.policy import ascii_folded
from macsql.errors import AccessDenied

MARK = "under_policy"
"""The name of the WITH query in which restricted tables are read; the engine knows it too."""

ROWIDS = frozenset({"rowid", "oid", "_rowid_"})
"""What a row number is called: it would tell of rows and keys that are hidden."""

_PLAIN_TABLE = frozenset({"this", "db", "alias", "joins"})

Edit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A statement as it was asked and as it may run, with the texts (new, old) exchanged."""

    asked: str
    sql: str
    exchanged: tuple[tuple[str, str], ...] = ()

    def heading(self, column: str) -> str:
        """The name of a result column as the statement that was asked would have given it.

        A database calls a column without an alias by the text that computes it.
        """
        for new, old in self.exchanged:
            column = column.replace(new, old)
        return "?" if MARK in column else column


@dataclass(slots=True)
class _Found:
    """Where a statement names tables, and what else matters for their replacement."""

    tables: list[exp.Table] = field(default_factory=list)
    columns: list[exp.Column] = field(default_factory=list)


def denied(name: str, sql: str) -> AccessDenied:
    """The refusal for a table that is hidden, and for one that does not exist."""
    return AccessDenied(
        f"Access denied: there is no table {name!r} that you may read. Use the tables of the "
        "schema.",
        sql=sql,
    )


def rewrite(
    sql: str,
    dialect: str,
    sources: Mapping[str, str | None],
    *,
    pinned: bool = False,
    rowids: frozenset[str] = ROWIDS,
) -> Rewritten:
    """``sql`` with each table replaced by what ``sources`` has for its folded name.

    A source of None is a table that is read as it is; a name that is not there is refused. With
    ``pinned``, tables read as they are get their schema's name, so that the text can stand inside
    another statement. ``rowids`` are names that no column has. Raises AccessDenied.

    >>> sources = {"t": "(SELECT a FROM main.t)", "u": None}
    >>> rewrite("SELECT a FROM t JOIN u", "sqlite", sources).sql
    'SELECT a FROM (SELECT a FROM main.t) AS t JOIN u'
    """
    found = _Found()
    _walk(_parse(sql, dialect), frozenset(), found, sql)
    edits: list[Edit] = []
    for table in found.tables:
        edits += _table_edits(table, sql, sources, pinned=pinned)
    if any(sources.get(ascii_folded(table.name)) for table in found.tables):
        edits += _column_edits(found.columns, sql, rowids)
    exchanged = {new: sql[start:end] for start, end, new in edits if start < end and new}
    # The longest first: one may be a part of another.
    ordered = sorted(exchanged.items(), key=lambda pair: -len(pair[0]))
    return Rewritten(sql, apply_edits(sql, edits), tuple(ordered))


def names_in(sql: str, dialect: str) -> tuple[set[str], set[str]]:
    """The folded names of the tables and of the columns that ``sql`` names.

    >>> names_in("WITH c AS (SELECT A FROM t) SELECT a FROM C", "sqlite")
    ({'t'}, {'a'})
    """
    found = _Found()
    _walk(_parse(sql, dialect), frozenset(), found, sql)
    tables = {ascii_folded(table.name) for table in found.tables}
    return tables, {ascii_folded(column.name) for column in found.columns}


def apply_edits(sql: str, edits: list[Edit]) -> str:
    """``sql`` with (start, end, text) replaced; no two of them overlap."""
    for start, end, text in sorted(edits, reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql


def _parse(sql: str, dialect: str) -> exp.Expr:
    try:
        trees = Dialect.get_or_raise(dialect).parse(sql)
    except (SqlglotError, RecursionError):
        trees = []
    if len(trees) != 1 or trees[0] is None:
        raise _unclear("it cannot be read", sql)
    return trees[0]


def _unclear(what: str, sql: str) -> AccessDenied:
    return AccessDenied(
        f"Access denied: under an access policy the statement is not clear enough: {what}.", sql=sql
    )


def _walk(root: exp.Expr, outside: frozenset[str], found: _Found, sql: str) -> None:
    """Collect the tables that are no WITH queries; ``outside`` names those in force."""
    pending = [(root, outside)]
    while pending:
        node, ctes = pending.pop()
        if (clause := node.args.get("with_")) is not None:
            ctes = ctes | {ascii_folded(cte.alias) for cte in clause.expressions}
        _refuse_unclear(node, sql)
        if isinstance(node, exp.Table):
            if not _is_cte(node, ctes):
                found.tables.append(node)
            pending += [(child, ctes) for child in _inside(node)]
            continue
        if isinstance(node, exp.Column):
            found.columns.append(node)
        pending += [(child, ctes) for child in node.iter_expressions()]


def _is_cte(table: exp.Table, ctes: frozenset[str]) -> bool:
    """Whether it names a WITH query, or is a table function that reads nothing stored."""
    if isinstance(table.this, exp.Func):
        function = table.this
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        return ascii_folded(name) in TABLE_FUNCTIONS
    return not table.db and not table.catalog and ascii_folded(table.name) in ctes


def _inside(table: exp.Table) -> Iterator[exp.Expr]:
    """The parts of a table that may hold queries; the name of an index is none."""
    for key, value in table.args.items():
        if key in ("db", "catalog", "alias", "indexed"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr) and not isinstance(part, exp.Identifier):
                yield part


def _refuse_unclear(node: exp.Expr, sql: str) -> None:
    if isinstance(node, exp.In) and node.args.get("field") is not None:
        raise _unclear("write IN (SELECT column FROM table) instead of IN table", sql)
    if isinstance(node, exp.Identifier) and ascii_folded(node.name) == MARK:
        raise _unclear(f"the name {MARK} is taken", sql)
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier | exp.Func):
        raise _unclear("a table must be named", sql)


def _table_edits(
    table: exp.Table, sql: str, sources: Mapping[str, str | None], *, pinned: bool
) -> list[Edit]:
    written = ".".join(part.name or part.sql() for part in table.parts)
    folded = ascii_folded(table.name)
    is_here = not table.catalog and ascii_folded(table.db) in ("", "main")
    if not is_here or folded not in sources:
        raise denied(written, sql)
    source = sources[folded]
    start, name_start, end = _span(table, sql)
    if source is None:
        return [(start, start, "main.")] if pinned and not table.db else []
    extra = {key for key, value in table.args.items() if value not in (None, [])} - _PLAIN_TABLE
    if extra:
        raise _unclear(f"{sorted(extra)[0]} cannot be used with {written!r}", sql)
    alias = "" if table.alias else f" AS {sql[name_start:end]}"
    return [(start, end, source + alias)]


def _span(table: exp.Table, sql: str) -> tuple[int, int, int]:
    """Where the whole name starts, where its last part does, and where it ends."""
    name = table.this
    first = table.args.get("db") or name
    start, name_start, last = (
        first.meta.get("start"),
        name.meta.get("start"),
        name.meta.get("end"),
    )
    if start is None or name_start is None or last is None:
        raise _unclear("a table is not named in the text", sql)
    return start, name_start, last + 1


def _column_edits(columns: list[exp.Column], sql: str, rowids: frozenset[str]) -> Iterator[Edit]:
    """``main.t.c`` becomes ``t.c``, since what stands in the place of t has no schema."""
    for column in columns:
        if ascii_folded(column.name) in rowids:
            raise _unclear("row numbers cannot be read; name the columns", sql)
        schema = column.args.get("db")
        if schema is None:
            continue
        start, end = schema.meta.get("start"), column.args["table"].meta.get("start")
        if column.args.get("catalog") or start is None or end is None:
            raise _unclear("a column has too many names", sql)
        yield (start, end, "")
