"""Names with dots that mean more than a column.

PostgreSQL calls functions by a dot, without parentheses: ``(x).f`` is ``f(x)`` there when x has no
field f. So ``('/etc/passwd'::text).pg_read_file`` reads a file, and ``u.pg_sleep`` waits when u is
what ``FROM unnest(...) AS u`` gives. With u a table or a query, only functions that take a whole
row are called so; those that PostgreSQL brings compute a value.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.database.functions import names

# Columns of the listed functions; PostgreSQL has no functions of these names.
_FIELDS = names("key value ordinality")
# What they give has the alias for a column; where a function names its column itself, the name of
# the alias is free to be a function.
_NAMELESS = names("generate_series generate_subscripts unnest string_to_table")


def find_dotted(sql: str, nodes: Sequence[exp.Expr]) -> Iterator[str]:
    """The names after a dot that may be functions, in lower case.

    >>> from sqlglot import parse_one
    >>> sql = "SELECT (a).b, t.c, u.d, u.e FROM t, unnest(t.f) AS u(e)"
    >>> sorted(find_dotted(sql, list(parse_one(sql, dialect="postgres").walk())))
    ['b', 'd']
    """
    columns = _columns_of_functions(sql, nodes)
    for node in nodes:
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
            is_value = not isinstance(_leftmost(node), exp.Identifier)
            if is_value and _folded(node.expression) not in _FIELDS:
                yield _folded(node.expression)
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            known = columns.get(node.table.lower())
            if known is not None and _folded(node.this) not in known | _FIELDS:
                yield _folded(node.this)


def has_unsafe_schema(nodes: Sequence[exp.Expr]) -> bool:
    """Whether a column is named with its schema beside a join by column names.

    The server of MariaDB 10.11 crashes on it when there is no such schema.
    """
    return any(isinstance(n, exp.Column) and n.args.get("db") is not None for n in nodes) and any(
        isinstance(n, exp.Join) and (n.args.get("using") or n.method == "NATURAL") for n in nodes
    )


def _leftmost(node: exp.Expr) -> exp.Expr:
    """What all the dots follow: a name in names of types and of functions with their schema."""
    while isinstance(node, exp.Dot):
        node = node.this
    return node


def _folded(name: exp.Identifier) -> str:
    return name.name if name.quoted else name.name.lower()


def _columns_of_functions(sql: str, nodes: Sequence[exp.Expr]) -> dict[str, frozenset[str]]:
    """By the name that a function has in FROM, the columns that are certain."""
    found: dict[str, frozenset[str]] = {}
    for node in nodes:
        source = node if isinstance(node, exp.Unnest) else node.this
        is_source = isinstance(node, exp.Unnest | exp.Table | exp.Lateral)
        if not is_source or not isinstance(source, exp.Func):
            continue
        function = _written(source, sql)
        alias = node.args.get("alias")
        name = alias.name.lower() if alias and alias.name else function
        columns = alias.args.get("columns") or () if alias else ()
        listed = frozenset(_names([*columns, node.args.get("offset")]))
        own = listed or (frozenset({name}) if function in _NAMELESS else frozenset())
        # One name may stand for several functions in several sub-queries.
        found[name] = found[name] & own if name in found else own
    return found


def _written(function: exp.Func, sql: str) -> str:
    start = function.meta.get("start")
    if start is not None:
        return sql[start : function.meta["end"] + 1].strip('"').lower()
    return (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()


def _names(columns: Sequence[object]) -> Iterator[str]:
    for column in columns:
        name = column.this if isinstance(column, exp.ColumnDef) else column
        if isinstance(name, exp.Identifier):
            yield _folded(name)
