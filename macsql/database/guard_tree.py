"""What a parsed statement is made of: kinds of syntax, functions and tables, each on a list."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from sqlglot import Token, exp

from macsql.database.functions import TABLE_FUNCTIONS, names, safe_functions
from macsql.database.guard_calls import Call, find_calls
from macsql.database.guard_dots import find_dotted, has_unsafe_schema
from macsql.database.guard_words import find_reserved
from macsql.database.sqlite_cost import REPEATED_CHARACTER
from macsql.errors import UnsafeSQLError

MAX_TREE_DEPTH = 500
MAX_REFERENCES = 2_000

_WRITE_KINDS = (
    exp.DML,
    exp.DDL,
    exp.Drop,
    exp.Alter,
    exp.TruncateTable,
    exp.Copy,
    exp.Grant,
    exp.Revoke,
    exp.Into,
    exp.Lock,
    exp.Command,
    exp.MultitableInserts,
)
_KINDS = names(
    "Select Union Intersect Except Subquery CTE With RecursiveWithSearch From Join Lateral Where"
    " Group Having Order Ordered Limit Offset Fetch LimitOptions Distinct Values Tuple Table"
    " TableAlias Alias Aliases Column Identifier Star Dot Paren Literal Null Boolean HexString"
    " BitString ByteString National RawString UnicodeString Placeholder Parameter Add Sub Mul Div"
    " IntDiv Mod Neg EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is Like ILike SimilarTo Glob Match"
    " Escape Between In Not Any All BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift"
    " BitwiseRightShift DPipe Window WindowSpec Filter WithinGroup IgnoreNulls RespectNulls"
    " Qualify Rollup Cube GroupingSets Interval IntervalSpan Var DataType DataTypeParam"
    " CharacterSet Bracket Slice Kwarg Lambda PropertyEQ AtTimeZone JSON JSONKeyValue FormatJson"
    " JSONPath JSONPathRoot JSONPathKey JSONPathSubscript JSONPathWildcard JSONPathSlice"
    " JSONPathRecursive JSONPathSelector JSONPathUnion TableSample Pivot UnpivotColumns"
    " PivotAlias Pseudocolumn HavingMax Distance Overlaps IndexTableHint TableColumn PseudoType"
    " Collate Introducer Partition JSONTable JSONSchema JSONColumnDef ColumnDef Comprehension"
    " Cluster Sort Distribute MatchAgainst Heredoc PivotAny Columns JSONValue Adjacent"
    " ExtendsLeft ExtendsRight RegexpLike RegexpILike JSONExtractQuote OnCondition ToMap"
    " VarMap"
)
# The most frequent kinds, of which there is nothing else to ask.
_HARMLESS = frozenset({exp.Identifier, exp.Literal, exp.EQ, exp.Select, exp.From})
# Dialects that read names as another one does.
_FAMILY = {
    "redshift": "postgres",
    "materialize": "postgres",
    "risingwave": "postgres",
    "databricks": "spark",
    "hive": "spark",
}
_CATALOG_SCHEMAS = {
    "sqlite": frozenset[str](),
    "postgres": frozenset({"information_schema", "pg_catalog", "pg_toast"}),
    "mysql": frozenset({"information_schema", "mysql", "performance_schema", "sys", "ndbinfo"}),
    "duckdb": frozenset({"information_schema", "pg_catalog", "system"}),
    "spark": frozenset({"information_schema", "system"}),
    "tsql": frozenset({"information_schema", "sys", "master", "msdb", "tempdb"}),
    "snowflake": frozenset({"information_schema", "account_usage"}),
}
_ANY_CATALOG = frozenset().union(*_CATALOG_SCHEMAS.values())
_CATALOG_NAMES = {
    "sqlite": re.compile(r"sqlite_|pragma_|dbstat$|bytecode$|tables_used$|fts5vocab$"),
    "postgres": re.compile(r"pg_"),
    "duckdb": re.compile(r"sqlite_(temp_)?(master|schema)$|duckdb_|pragma_|pg_"),
    "redshift": re.compile(r"pg_|st[lv]_|sv[lv]_|sys_"),
    "oracle": re.compile(r"(all|cdb|dba)_|g?v\$|x\$"),
    "tsql": re.compile(
        r"sys(columns|comments|configures|databases|depends|files|foreignkeys|indexes|logins|members"
        r"|messages|objects|permissions|processes|protects|references|servers|types|users)$"
    ),
    "bigquery": re.compile(r"information_schema\.|__tables"),
}
# Types whose values are looked up in the catalog, as in 1259::pg_catalog.regclass.
_CATALOG_TYPES = re.compile(r"pg_|reg(class|coll|conf|dict|name|oper|proc|role|type)")
# The engine reads these as functions, with no parentheses.
_ROLES = {
    "postgres": names(
        "user current_role current_user session_user system_user current_catalog current_schema"
    ),
    "mysql": names("current_role current_user"),
    "tsql": names("user"),
    "oracle": names("user uid"),
}
# Where reading a column of this name moves a sequence on.
_NEXT_VALUE = frozenset({"oracle", "snowflake", "teradata", "exasol"})
_TABLE_FUNCTIONS = frozenset(name.replace("_", "") for name in TABLE_FUNCTIONS)
_FILE_NAME = re.compile(r"[/\\:*?]")
_FILE_FORMATS = {
    "duckdb": re.compile(
        r"\.(csv|tsv|txt|parquet|json|jsonl|ndjson|xlsx|arrow|db|duckdb|gz|zst|avro|orc|vortex|lance"
        r"|shp|gpkg|fgb|geojson|pbf|kml|gpx|dxf|las|laz)$"
    ),
    "spark": re.compile(
        r"^(csv|parquet|json|orc|avro|text|binaryfile|delta|iceberg|hudi|xml|jdbc|kafka|image"
        r"|libsvm|socket|rate|noop|console|statestore|com\..+|org\..+)\."
    ),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What a query may use besides what is on the lists: functions, and the system tables."""

    dialect: str
    functions: frozenset[str] = frozenset()
    catalog: bool = False

    @property
    def family(self) -> str:
        """The dialect whose rules for names hold."""
        return _FAMILY.get(self.dialect, self.dialect)

    def allows(self, call: Call) -> bool:
        """Whether the function may be called. One of a schema is a function that someone wrote."""
        if call.qualifier:
            is_built_in = self.dialect == "postgres" and call.qualifier.lower() == "pg_catalog."
            full = call.qualifier.lower() + call.name
            return full in self.functions or (is_built_in and self.knows(call.name))
        return self.knows(call.name)

    def may_be_table(self, function: str) -> bool:
        """Whether the function may stand in FROM. In PostgreSQL, each one may."""
        listed = _squashed(function) in _TABLE_FUNCTIONS or function in self.functions
        return listed or (self.dialect == "postgres" and self.knows(function))

    def knows(self, name: str) -> bool:
        """Whether ``name`` is on one of the lists."""
        return name in self.functions or name in safe_functions(self.dialect)


def check_tree(tree: exp.Expr, sql: str, tokens: Sequence[Token], rules: Rules) -> None:
    """Raises UnsafeSQLError for the first thing in ``tree`` that is not on a list."""
    nodes = _nodes(tree, sql)
    _check_references(nodes, sql)
    calls = {call.start: call for call in find_calls(sql, tokens, nodes, rules.dialect)}
    for node in nodes:
        if type(node) not in _HARMLESS:
            _check_kind(node, sql, rules, calls)
            _check_place(node, sql, rules)
    for call in calls.values():
        if not rules.allows(call):
            raise _forbidden(f"{call.qualifier}{call.name}", sql)
    if rules.dialect == "mysql" and has_unsafe_schema(nodes):
        raise _refusal(
            sql,
            "forbidden-syntax",
            "In a statement with USING or NATURAL JOIN, name columns without a schema.",
        )
    for name in find_dotted(sql, nodes) if rules.family == "postgres" else ():
        if not rules.knows(name):
            raise _refusal(
                sql,
                "forbidden-function",
                f"After this dot, {_shown(name)} may be a function that is not on the list of "
                "allowed functions: give the columns names, as in FROM unnest(a) AS t(b).",
            )


def _check_place(node: exp.Expr, sql: str, rules: Rules) -> None:
    """What is harmless as a kind, but not everywhere or with every name."""
    if isinstance(node, exp.Table):
        _check_table(node, sql, rules)
    elif isinstance(node, exp.Pivot) and node.this is not None:
        # DuckDB makes a type for the columns first: a second statement.
        raise _refusal(sql, "forbidden-syntax", "PIVOT needs its values: PIVOT (… FOR … IN (…)).")
    elif isinstance(node, exp.In):
        _check_source(node.args.get("field"), sql, rules)
    elif isinstance(node, exp.Column):
        _check_column(node, sql, rules)
    elif isinstance(node, exp.DataType):
        _check_type(node.args.get("kind"), sql, rules)
    if word := find_reserved(node, rules.family):
        raise _refusal(sql, "forbidden-syntax", f"Without quotes, {word} is not a name.")


def _nodes(tree: exp.Expr, sql: str) -> list[exp.Expr]:
    nodes: list[exp.Expr] = []
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_TREE_DEPTH:
            raise _refusal(sql, "too-complex", "The statement is nested too deeply.")
        nodes.append(node)
        pending.extend((child, depth + 1) for child in node.iter_expressions())
    return nodes


def _check_references(nodes: Sequence[exp.Expr], sql: str) -> None:
    """An engine copies a WITH query for each use; if each uses the last one twice, it takes a
    time and memory that double with each, before anything is executed.
    """
    inside: dict[str, list[str]] = {}
    for query in nodes:
        if isinstance(query, exp.CTE):
            inside.setdefault(query.alias.lower(), []).extend(_tables(query.find_all(exp.Table)))
    if not inside:
        return
    weights: dict[str, int] = {}

    def weight(name: str) -> int:
        if name not in weights:
            weights[name] = 1
            weights[name] += sum(map(weight, inside.get(name, ())))
        return weights[name]

    if sum(map(weight, _tables(nodes))) > MAX_REFERENCES:
        raise _refusal(
            sql, "too-complex", "The WITH queries of the statement use each other too often."
        )


def _tables(nodes: Iterable[exp.Expr]) -> list[str]:
    return [node.name.lower() for node in nodes if isinstance(node, exp.Table)]


def _refusal(sql: str, reason: str, message: str) -> UnsafeSQLError:
    return UnsafeSQLError(message, sql=sql, reason=reason)


def _forbidden(name: str, sql: str) -> UnsafeSQLError:
    shown = _shown(name)
    hint = ": write f(x), not x.f()" if "." in name.strip(".") else ""
    return _refusal(
        sql,
        "forbidden-function",
        f"The function {shown}() is not on the list of allowed functions{hint}.",
    )


def _shown(name: str) -> str:
    return name if len(name) <= 60 else name[:57] + "..."


def _check_kind(node: exp.Expr, sql: str, rules: Rules, calls: dict[int, Call]) -> None:
    kind = type(node).__name__
    if isinstance(node, _WRITE_KINDS) and kind not in _KINDS:
        raise _refusal(sql, "writes", f"Only reading is allowed; the statement has {_words(kind)}.")
    if isinstance(node, exp.Func) and kind not in _KINDS:
        _check_function(node, sql, rules, calls)
    elif kind not in _KINDS:
        raise _refusal(sql, "forbidden-syntax", f"Not allowed in a query: {_words(kind)}.")


def _words(kind: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()


def _check_function(node: exp.Func, sql: str, rules: Rules, calls: dict[int, Call]) -> None:
    name = _written_name(node)
    call = calls.get(node.meta.get("start", -1))
    if call is not None:
        name = call.name
    elif isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        if not rules.knows(name):
            raise _forbidden(name, sql)
    elif not any(_squashed(n) in _squashed_functions(rules.dialect) for n in node.sql_names()):
        raise _forbidden(name, sql)
    if rules.dialect == "sqlite" and name in {"printf", "format"} and not _is_short_format(node):
        raise _refusal(
            sql,
            "forbidden-function",
            f"{name}() may only be used with a fixed format, without * or large numbers before c.",
        )


def _written_name(node: exp.Func) -> str:
    anonymous = isinstance(node, exp.Anonymous | exp.AnonymousAggFunc)
    return (node.name if anonymous else node.sql_name()).lower()


def _squashed(name: str) -> str:
    """sqlglot writes the names of its own classes in several ways: json_object, J_S_O_N_OBJECT."""
    return name.replace("_", "").lower()


@cache
def _squashed_functions(dialect: str) -> frozenset[str]:
    return frozenset(map(_squashed, safe_functions(dialect)))


def _is_short_format(node: exp.Func) -> bool:
    """Whether the format repeats no character for long: SQLite cannot be stopped while it does."""
    text = next(node.iter_expressions(), None)
    return isinstance(text, exp.Literal) and not REPEATED_CHARACTER.search(text.name)


def _check_table(node: exp.Table, sql: str, rules: Rules) -> None:
    source = node.this
    if isinstance(source, exp.Func):
        name = _written_name(source)
        start = source.meta.get("start")
        if start is not None:
            name = sql[start : source.meta["end"] + 1].lower()
        if not rules.may_be_table(name):
            raise _refusal(
                sql, "forbidden-function", f"The table function {name}() is not allowed."
            )
        return
    if not node.parts:
        raise _refusal(sql, "forbidden-syntax", "A table of the query has no name.")
    # A fourth name before the others is another server.
    is_far = isinstance(node.this, exp.Dot) and rules.family != "spark"
    if is_far or any(isinstance(part, exp.Var) for part in node.parts):
        raise _refusal(sql, "file-access", f"{node.sql()[:60]!r} is not a table of this database.")
    _check_names(node.parts, sql, rules)


def _check_source(source: exp.Expr | None, sql: str, rules: Rules) -> None:
    """What stands after IN without parentheses: for SQLite, a table, even one named in a text."""
    if isinstance(source, exp.Column):
        _check_names(source.parts, sql, rules)
    elif source is not None and rules.dialect == "sqlite":
        raise _refusal(sql, "forbidden-syntax", "After IN, put a list or a query in parentheses.")


def _check_names(parts: Sequence[exp.Expr], sql: str, rules: Rules) -> None:
    """The parts of a table's name: database, schema, table."""
    written = [part.name.lower() for part in parts]
    name, schemas = written[-1], written[:-1]
    pattern = _CATALOG_NAMES.get(rules.dialect) or _CATALOG_NAMES.get(rules.family)
    system = _CATALOG_SCHEMAS.get(rules.family, _ANY_CATALOG)
    if not rules.catalog and (
        system.intersection(schemas) or (pattern is not None and pattern.match(name))
    ):
        raise _refusal(
            sql, "system-catalog", f"The system table {parts[-1].name} may not be read in a query."
        )
    if _is_file(parts, sql, rules.family):
        raise _refusal(sql, "file-access", f"{'.'.join(written)!r} would be read as a file.")


def _is_file(parts: Sequence[exp.Expr], sql: str, dialect: str) -> bool:
    start = parts[-1].meta.get("start")
    if start is not None and sql[start] == "'":
        return dialect != "sqlite"
    if dialect not in _FILE_FORMATS:
        return False
    full = ".".join(part.name.lower() for part in parts)
    is_named_so = any(_FILE_NAME.search(part.name) for part in parts)
    return is_named_so or bool(_FILE_FORMATS[dialect].search(full))


def _check_column(node: exp.Column, sql: str, rules: Rules) -> None:
    name = node.this
    if not isinstance(name, exp.Identifier) or name.quoted:
        return
    word = name.name.lower()
    if not node.table and word in _ROLES.get(rules.family, ()):
        raise _refusal(
            sql,
            "forbidden-function",
            f"Without quotes, {word} is about the session; for a column write t.{word}.",
        )
    if node.table and word == "nextval" and rules.dialect in _NEXT_VALUE:
        raise _refusal(sql, "writes", "Only reading is allowed; nextval moves a sequence on.")


def _check_type(kind: exp.Expr | None, sql: str, rules: Rules) -> None:
    """The name of a type that someone made: a table's, or one of the catalog, is no such."""
    if not isinstance(kind, exp.Identifier | exp.Dot):
        return
    parts = kind.parts if isinstance(kind, exp.Dot) else [kind]
    _check_names(parts, sql, rules)
    is_catalog = rules.family == "postgres" and _CATALOG_TYPES.match(parts[-1].name.lower())
    if is_catalog and not rules.catalog:
        raise _refusal(
            sql, "system-catalog", f"The type {parts[-1].name} reads the system catalog."
        )
