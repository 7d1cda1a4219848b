"""The first lock: a statement is one query, made only of kinds and functions known to be harmless.

Everything here is an allow-list. What cannot be read, or is not listed, is refused.
"""

import re
from functools import cache
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from macsql.database.engines import dialect_name
from macsql.database.functions import TABLE_FUNCTIONS, names, safe_functions
from macsql.errors import UnsafeSQLError

MAX_CHARACTERS = 200_000
MAX_NESTING = 200
MAX_TREE_DEPTH = 500

_QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES", "(", "FROM"})
_WRITE_STARTS = names(
    "INSERT UPDATE DELETE REPLACE MERGE UPSERT CREATE DROP ALTER TRUNCATE RENAME GRANT REVOKE COPY"
    " LOAD IMPORT EXPORT VACUUM REINDEX ANALYZE ATTACH DETACH INSTALL CALL EXEC EXECUTE DO LOCK"
    " COMMENT REFRESH CLUSTER"
)
# T-SQL needs no semicolon between statements; these are reserved, so no name or alias is meant.
_TSQL_WRITES = names(
    "INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE GRANT REVOKE DENY EXEC EXECUTE BACKUP"
    " RESTORE BULK KILL SHUTDOWN RECONFIGURE DBCC USE SET DECLARE WAITFOR BEGIN COMMIT ROLLBACK"
)
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
    " Collate"
)
_CATALOG_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "pg_toast", "mysql", "performance_schema", "sys"}
)
_CATALOG_NAMES = {
    "sqlite": re.compile(r"sqlite_|pragma_|dbstat$|bytecode$|tables_used$|fts5vocab$"),
    "postgres": re.compile(r"pg_"),
    "duckdb": re.compile(r"sqlite_|duckdb_|pragma_|pg_"),
}
_REPEATED_CHARACTER = re.compile(r"%[^%A-Za-z]*(\*|\d{7})[^%A-Za-z]*c")
_FILE_NAME = re.compile(r"[/\\:*?]|\.\w+$")
# What SQLite itself takes for white space and comments; the rest of the text is executed.
_SQLITE_LEXEMES = re.compile(
    r"""(?P<gap>[ \t\n\f\r]+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|.""",
    re.DOTALL | re.VERBOSE,
)


def guard_sql(sql: str, dialect: str) -> str:
    """``sql`` without surrounding space and closing semicolons, if it is one harmless query.

    The text is otherwise unchanged: what was checked is what will run. Raises UnsafeSQLError with
    a message for people and one of these as ``reason``: too-long, too-complex, unparsable,
    not-a-query, several-statements, writes, forbidden-function, forbidden-syntax, system-catalog,
    file-access. Raises ConfigError on an unknown dialect.

    >>> guard_sql("SELECT replace(a, 'x', 'y') FROM t; -- done", "sqlite")
    "SELECT replace(a, 'x', 'y') FROM t"
    """
    dialect = dialect_name(dialect)
    try:
        tokens = _tokens(sql, dialect)
        tokens = _one_statement(sql, tokens, dialect)
        trees = _parse(sql, tokens, dialect)
        for tree in trees:
            if tree is not None:
                _check_tree(tree, dialect, sql)
    except RecursionError:
        raise _refusal(sql, "too-complex", "The statement is nested too deeply.") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query | exp.Values):
        raise _refusal(sql, "not-a-query", "Only queries may be run: begin with SELECT or WITH.")
    return sql[: tokens[-1].end + 1].strip()


def _refusal(sql: str, reason: str, message: str) -> UnsafeSQLError:
    return UnsafeSQLError(message, sql=sql, reason=reason)


def _tokens(sql: str, dialect: str) -> list[Token]:
    if len(sql) > MAX_CHARACTERS:
        raise _refusal(
            sql,
            "too-long",
            f"The statement has {len(sql):,} characters; at most {MAX_CHARACTERS:,} are allowed.",
        )
    if "\x00" in sql or not _is_encodable(sql):
        raise _refusal(sql, "unparsable", "The statement has characters that no SQL can hold.")
    if dialect == "mysql" and re.search(r"/\*[!M]", sql):
        raise _refusal(sql, "forbidden-syntax", "MySQL would execute the comment: remove it.")
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError as error:
        raise _refusal(
            sql, "unparsable", "The statement ends inside a text, name or comment: close it."
        ) from error
    depth = 0
    for token in tokens:
        opening = token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE)
        closing = token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END)
        depth += opening - closing
        if depth > MAX_NESTING:
            raise _refusal(sql, "too-complex", "The statement is nested too deeply.")
    return tokens


def _is_encodable(sql: str) -> bool:
    try:
        sql.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_read_alike(sql: str, tokens: list[Token]) -> bool:
    """Whether SQLite and sqlglot take the same parts of the text for comments."""
    seen = bytearray(len(sql))
    for token in tokens:
        seen[token.start : token.end + 1] = b"\x01" * (token.end + 1 - token.start)
    for lexeme in _SQLITE_LEXEMES.finditer(sql):
        part = seen[lexeme.start() : lexeme.end()]
        # A token may hold white space ("GROUP BY"), never a comment.
        is_comment = bool(lexeme["gap"] and lexeme["gap"].strip())
        if (is_comment and any(part)) or (lexeme["gap"] is None and not all(part)):
            return False
    return True


def _one_statement(sql: str, tokens: list[Token], dialect: str) -> list[Token]:
    """The tokens without the closing semicolons."""
    words = list(tokens)
    while words and words[-1].token_type == TokenType.SEMICOLON:
        words.pop()
    if not words:
        raise _refusal(sql, "not-a-query", "There is no SQL statement.")
    first = words[0].text.upper()
    if first not in _QUERY_STARTS:
        reason = "writes" if first in _WRITE_STARTS else "not-a-query"
        word = repr(words[0].text[:30])
        raise _refusal(
            sql, reason, f"Only queries may be run: begin with SELECT or WITH, not with {word}."
        )
    if dialect == "sqlite" and not _is_read_alike(sql, tokens):
        raise _refusal(
            sql, "unparsable", "It is not clear where a comment or text of the statement ends."
        )
    if any(word.token_type == TokenType.SEMICOLON for word in words):
        raise _refusal(
            sql, "several-statements", "Only one statement may be run: remove what follows the ';'."
        )
    if dialect == "tsql" and any(w.text.upper() in _TSQL_WRITES for w in words if _is_bare(w)):
        raise _refusal(sql, "writes", "Only reading is allowed; the statement has more than that.")
    return words


def _is_bare(token: Token) -> bool:
    return token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)


def _parse(sql: str, tokens: list[Token], dialect: str) -> list[exp.Expr | None]:
    try:
        return Dialect.get_or_raise(dialect).parser().parse(tokens, sql)
    except SqlglotError as error:
        raise _refusal(sql, "unparsable", _syntax_error(error)) from error


def _syntax_error(error: SqlglotError) -> str:
    first: dict[str, Any] = next(iter(getattr(error, "errors", ())), {})
    near = " ".join(f"{first.get('start_context') or ''}{first.get('highlight') or ''}".split())
    where = f' near "…{near[-60:]}"' if near else ""
    what = str(first.get("description") or "it cannot be read").rstrip(".")
    return f"Syntax error{where}: {what[:1].lower()}{what[1:]}."


def _check_tree(tree: exp.Expr, dialect: str, sql: str) -> None:
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_TREE_DEPTH:
            raise _refusal(sql, "too-complex", "The statement is nested too deeply.")
        pending.extend((child, depth + 1) for child in node.iter_expressions())
        kind = type(node).__name__
        if isinstance(node, _WRITE_KINDS) and kind not in _KINDS:
            raise _refusal(
                sql, "writes", f"Only reading is allowed; the statement has {_words(kind)}."
            )
        if isinstance(node, exp.Func) and kind not in _KINDS:
            _check_function(node, dialect, sql)
        elif kind not in _KINDS:
            raise _refusal(sql, "forbidden-syntax", f"Not allowed in a query: {_words(kind)}.")
        if isinstance(node, exp.Table):
            _check_table(node, dialect, sql)


def _words(kind: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()


def _check_function(node: exp.Func, dialect: str, sql: str) -> None:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        name = node.name.lower()
        allowed = name in safe_functions(dialect)
    else:
        name = node.sql_name().lower()
        allowed = any(_squashed(n) in _squashed_functions(dialect) for n in node.sql_names())
    if not allowed:
        raise _refusal(
            sql,
            "forbidden-function",
            f"The function {name}() is not on the list of allowed functions.",
        )
    if dialect == "sqlite" and name in {"printf", "format"} and not _is_short_format(node):
        raise _refusal(
            sql,
            "forbidden-function",
            f"{name}() may only be used with a fixed format, without * or large numbers before c.",
        )


def _squashed(name: str) -> str:
    """sqlglot writes the names of its own classes in several ways: json_object, J_S_O_N_OBJECT."""
    return name.replace("_", "").lower()


@cache
def _squashed_functions(dialect: str) -> frozenset[str]:
    return frozenset(map(_squashed, safe_functions(dialect)))


def _is_short_format(node: exp.Func) -> bool:
    """Whether the format repeats no character for long: SQLite cannot be stopped while it does."""
    text = next(node.iter_expressions(), None)
    return isinstance(text, exp.Literal) and not _REPEATED_CHARACTER.search(text.name)


def _check_table(node: exp.Table, dialect: str, sql: str) -> None:
    source = node.this
    if isinstance(source, exp.Func):
        name = source.name if isinstance(source, exp.Anonymous) else source.sql_name()
        if name.lower() not in TABLE_FUNCTIONS:
            raise _refusal(
                sql, "forbidden-function", f"The table function {name}() is not allowed."
            )
        return
    name, schema = node.name.lower(), node.db.lower()
    catalog = _CATALOG_NAMES.get(dialect)
    if schema in _CATALOG_SCHEMAS or (catalog is not None and catalog.match(name)):
        raise _refusal(
            sql, "system-catalog", f"The system table {node.name} may not be read in a query."
        )
    if dialect == "duckdb" and _FILE_NAME.search(name):
        raise _refusal(sql, "file-access", f"{node.name!r} would be read as a file.")
