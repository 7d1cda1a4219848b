"""Names in SQL: which ones need quotes, and how each dialect quotes them."""

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOLDS_TO_LOWER = frozenset({"postgres", "redshift"})
_BACKTICK = frozenset({"mysql", "bigquery", "spark", "hive", "databricks", "doris", "starrocks"})

RESERVED = frozenset(
    [
        "abort",
        "action",
        "add",
        "after",
        "all",
        "alter",
        "always",
        "analyze",
        "and",
        "as",
        "asc",
        "attach",
        "autoincrement",
        "before",
        "begin",
        "between",
        "by",
        "cascade",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "commit",
        "conflict",
        "constraint",
        "create",
        "cross",
        "current",
        "current_date",
        "current_time",
        "current_timestamp",
        "database",
        "default",
        "deferrable",
        "deferred",
        "delete",
        "desc",
        "detach",
        "distinct",
        "do",
        "drop",
        "each",
        "else",
        "end",
        "escape",
        "except",
        "exclude",
        "exclusive",
        "exists",
        "explain",
        "fail",
        "false",
        "fetch",
        "filter",
        "first",
        "following",
        "for",
        "foreign",
        "from",
        "full",
        "generated",
        "glob",
        "grant",
        "group",
        "groups",
        "having",
        "if",
        "ignore",
        "immediate",
        "in",
        "index",
        "indexed",
        "initially",
        "inner",
        "insert",
        "instead",
        "intersect",
        "interval",
        "into",
        "is",
        "isnull",
        "join",
        "key",
        "lateral",
        "left",
        "like",
        "limit",
        "match",
        "materialized",
        "natural",
        "no",
        "not",
        "nothing",
        "notnull",
        "null",
        "nulls",
        "of",
        "offset",
        "on",
        "or",
        "order",
        "others",
        "outer",
        "over",
        "partition",
        "plan",
        "pragma",
        "preceding",
        "primary",
        "query",
        "raise",
        "range",
        "recursive",
        "references",
        "regexp",
        "reindex",
        "release",
        "rename",
        "replace",
        "restrict",
        "returning",
        "right",
        "rollback",
        "row",
        "rows",
        "savepoint",
        "select",
        "set",
        "some",
        "table",
        "temp",
        "temporary",
        "then",
        "ties",
        "to",
        "transaction",
        "trigger",
        "true",
        "unbounded",
        "union",
        "unique",
        "update",
        "user",
        "using",
        "vacuum",
        "values",
        "view",
        "virtual",
        "when",
        "where",
        "window",
        "with",
        "within",
        "without",
    ]
)


_ASCII_FOLD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def fold(name: str) -> str:
    """``name`` as databases compare it: only the letters A to Z have another case for them.

    >>> fold("TITLE"), fold("GRÖßE") == fold("Größe"), fold("Straße") == fold("Strasse")
    ('title', False, False)
    """
    return name.translate(_ASCII_FOLD)


def needs_quotes(name: str, dialect: str) -> bool:
    """Whether ``name`` must be quoted to be read back as itself in ``dialect``.

    >>> needs_quotes("city", "sqlite"), needs_quotes("Order ID", "sqlite")
    (False, True)
    """
    if not _PLAIN.fullmatch(name) or name.lower() in RESERVED:
        return True
    return dialect in _FOLDS_TO_LOWER and name != name.lower()


def quote(name: str, dialect: str) -> str:
    """``name`` as it must be written in a statement; quoted only where needed.

    >>> quote("group", "sqlite"), quote("group", "mysql"), quote("firstName", "postgres")
    ('"group"', '`group`', '"firstName"')
    """
    if not needs_quotes(name, dialect):
        return name
    if dialect in _BACKTICK:
        return "`" + name.replace("`", "``") + "`"
    if dialect == "tsql":
        return "[" + name.replace("]", "]]") + "]"
    return '"' + name.replace('"', '""') + '"'
