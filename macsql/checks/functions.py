"""Functions and operators of other dialects, and how the dialect at hand says the same."""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.names import nearest
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution
from macsql.checks.text import Edit, Statement, closing_parenthesis, token_at
from macsql.message import Finding, Severity
from macsql.schema import Schema

_PART = "CAST(STRFTIME('{}', {{0}}) AS INTEGER)"
_UNITS = {
    "year": _PART.format("%Y"),
    "month": _PART.format("%m"),
    "day": _PART.format("%d"),
    "hour": _PART.format("%H"),
    "minute": _PART.format("%M"),
    "second": _PART.format("%S"),
    "week": _PART.format("%W"),
    "doy": _PART.format("%j"),
    "dow": _PART.format("%w"),
    "quarter": "(CAST(STRFTIME('%m', {0}) AS INTEGER) + 2) / 3",
}
# Codes of date formats that mean the same in STRFTIME; a format with any other is left alone.
_MYSQL_CODES = {"%i": "%M", "%s": "%S", "%S": "%S", "%H": "%H", "%Y": "%Y", "%m": "%m", "%d": "%d"}
_ORACLE_CODES = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
_DAYS = "CAST(JULIANDAY({}) - JULIANDAY({}) AS INTEGER)"

# Keyed by name and number of arguments (None: any). ``{0}`` is the first argument as written,
# ``{*}`` all of them, ``{||}`` all of them concatenated.
_SQLITE: dict[tuple[str, int | None], str] = {
    **{(unit, 1): text for unit, text in _UNITS.items()},
    ("dayofmonth", 1): _UNITS["day"],
    ("dayofyear", 1): _UNITS["doy"],
    ("dayofweek", 1): _UNITS["dow"] + " + 1",
    ("now", 0): "DATETIME('now')",
    ("getdate", 0): "DATETIME('now')",
    ("sysdate", 0): "DATETIME('now')",
    ("curdate", 0): "DATE('now')",
    ("current_date", 0): "DATE('now')",
    ("today", 0): "DATE('now')",
    ("to_date", None): "DATE({0})",
    ("datediff", 2): _DAYS.format("{0}", "{1}"),
    ("datediff", 3): _DAYS.format("{2}", "{1}"),
    ("len", 1): "LENGTH({0})",
    ("char_length", 1): "LENGTH({0})",
    ("character_length", 1): "LENGTH({0})",
    ("left", 2): "SUBSTR({0}, 1, {1})",
    ("right", 2): "SUBSTR({0}, -({1}))",
    ("mid", 3): "SUBSTR({*})",
    ("ucase", 1): "UPPER({0})",
    ("lcase", 1): "LOWER({0})",
    ("charindex", 2): "INSTR({1}, {0})",
    ("locate", 2): "INSTR({1}, {0})",
    ("strpos", 2): "INSTR({0}, {1})",
    ("isnull", 2): "IFNULL({*})",
    ("nvl", 2): "IFNULL({*})",
    ("greatest", None): "MAX({*})",
    ("least", None): "MIN({*})",
    ("rand", 0): "RANDOM()",
    # Not of any database: the words of BIRD's evidence, which models copy.
    ("divide", 2): "(CAST({0} AS REAL) / ({1}))",
    ("multiply", 2): "(({0}) * ({1}))",
    ("subtract", 2): "(({0}) - ({1}))",
}
# Recent versions of SQLite have these, so only a failure shows that this one has not.
_SQLITE_LATELY: dict[tuple[str, int | None], str] = {
    ("concat", None): "({||})",
    ("string_agg", 2): "GROUP_CONCAT({*})",
    ("if", 3): "CASE WHEN {0} THEN {1} ELSE {2} END",
}
_POSTGRES: dict[tuple[str, int | None], str] = {
    **{(u, 1): f"EXTRACT({u.upper()} FROM {{0}})" for u in ("year", "month", "day", "hour")},
    ("ifnull", 2): "COALESCE({*})",
    ("nvl", 2): "COALESCE({*})",
    ("isnull", 2): "COALESCE({*})",
    ("len", 1): "LENGTH({0})",
    ("instr", 2): "STRPOS({*})",
    ("group_concat", 1): "STRING_AGG(CAST({0} AS TEXT), ',')",
    ("curdate", 0): "CURRENT_DATE",
    ("getdate", 0): "NOW()",
    ("if", 3): "CASE WHEN {0} THEN {1} ELSE {2} END",
}
_MYSQL: dict[tuple[str, int | None], str] = {
    ("strftime", 2): "DATE_FORMAT({1}, {0})",
    ("len", 1): "LENGTH({0})",
    ("nvl", 2): "IFNULL({*})",
    ("isnull", 2): "IFNULL({*})",
    ("string_agg", 2): "GROUP_CONCAT({0} SEPARATOR {1})",
    ("getdate", 0): "NOW()",
}
_TSQL: dict[tuple[str, int | None], str] = {
    ("length", 1): "LEN({0})",
    ("substr", 3): "SUBSTRING({*})",
    ("ifnull", 2): "ISNULL({*})",
    ("now", 0): "GETDATE()",
}

_BUILT_IN = (
    "abs acos acosh asin asinh atan atan2 atanh avg bm25 cast ceil ceiling changes char "
    "coalesce concat concat_ws cos cosh count cume_dist current_date current_time "
    "current_timestamp date datetime degrees dense_rank exists exp first_value floor format "
    "fts5 glob group_concat hex highlight if ifnull iif in instr json json_array "
    "json_array_length json_each json_error_position json_extract json_group_array "
    "json_group_object json_insert json_object json_patch json_quote json_remove json_replace "
    "json_set json_tree json_type json_valid jsonb julianday lag last_insert_rowid last_value "
    "lead length like likelihood likely ln load_extension log log10 log2 lower ltrim match "
    "max median min mod nth_value ntile nullif octet_length percent_rank pi pow power printf "
    "quote radians random randomblob rank regexp replace round row_number rtrim sign sin sinh "
    "snippet soundex sqlite_version sqrt strftime string_agg subtype substr substring sum tan "
    "tanh time timediff total total_changes trim trunc typeof unhex unicode unixepoch "
    "unlikely upper values zeroblob generate_series over filter partition using as and or not "
    "on when then else between all any by where having select from join with union distinct "
)
_SQLITE_FUNCTIONS = frozenset(_BUILT_IN.split())


def _table(dialect: str) -> dict[tuple[str, int | None], str]:
    if dialect == "sqlite":
        return _SQLITE | _SQLITE_LATELY
    return {"postgres": _POSTGRES, "mysql": _MYSQL, "tsql": _TSQL}.get(dialect, {})


def foreign_functions(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """Functions that the database lacks; certain where they are known to be another dialect's."""
    table = _table(statement.dialect)
    ctes = {c.alias.lower() for c in statement.tree.find_all(exp.CTE)} if statement.tree else set()
    for index, token in enumerate(statement.tokens):
        if not _is_call(statement, index) or token.text.lower() in ctes:
            continue
        place = (token.start, token.end + 1)
        text = _equivalent(statement, index, table)
        if text is not None:
            yield Problem(_known_elsewhere(token, statement.dialect, text))
        elif _is_unheard_of(token, statement):
            near = [name for name, _ in nearest(token.text.lower(), _SQLITE_FUNCTIONS, limit=2)]
            hint = f"did you mean {' or '.join(near)}?" if near else ""
            message = f"{token.text} is not a function that {statement.dialect} brings"
            yield Problem(Finding("unknown-function", "warning", message, hint, place))
    yield from _foreign_operators(statement)


def _known_elsewhere(token: Token, dialect: str, text: str) -> Finding:
    place = (token.start, token.end + 1)
    lately = dialect == "sqlite" and any(token.text.lower() == name for name, _ in _SQLITE_LATELY)
    message = f"{token.text.upper()} is not a function of {'older ' * lately}{dialect}"
    severity: Severity = "warning" if lately else "error"
    return Finding("unknown-function", severity, message, f"write {text}", place)


def _is_call(statement: Statement, index: int) -> bool:
    tokens = statement.tokens
    token = tokens[index]
    if index + 1 >= len(tokens) or tokens[index + 1].token_type is not TokenType.L_PAREN:
        return False
    after_dot = index > 0 and tokens[index - 1].token_type is TokenType.DOT
    is_word = token.text.replace("_", "a").isalnum() and not token.text[0].isdigit()
    return is_word and not after_dot and statement.sql[token.start] == token.text[0]


def _is_unheard_of(token: Token, statement: Statement) -> bool:
    if statement.dialect != "sqlite" or token.token_type is not TokenType.VAR:
        return False
    if token.text.lower() in _SQLITE_FUNCTIONS or statement.tree is None:
        return False
    called = statement.tree.find_all(exp.Anonymous)
    return any(node.meta.get("start") == token.start for node in called)


def _foreign_operators(statement: Statement) -> Iterator[Problem]:
    if statement.dialect not in {"sqlite", "mysql", "tsql"}:
        return
    for token in statement.tokens:
        if token.token_type is TokenType.ILIKE:
            place = (token.start, token.end + 1)
            message = f"{statement.dialect} has no ILIKE"
            hint = "write LIKE, which ignores case"
            yield Problem(Finding("other-dialect", "error", message, hint, place))
        elif token.token_type is TokenType.DCOLON:
            place = (token.start, token.end + 1)
            message = f"{statement.dialect} has no :: operator"
            yield Problem(Finding("other-dialect", "error", message, "write CAST(… AS …)", place))


def function_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The call written with the functions that the dialect has."""
    place = problem.finding.span
    index = token_at(statement, place[0]) if place else None
    if index is None or place is None:
        return []
    token = statement.tokens[index]
    if token.token_type is TokenType.ILIKE:
        return [Fix((Edit(*place, "LIKE"),), 0.5, "ILIKE written as LIKE")]
    if token.token_type is TokenType.DCOLON and statement.tree is not None:
        whole = Edit(0, len(statement.sql), statement.tree.sql(dialect=statement.dialect))
        return [Fix((whole,), 1.0, ":: written as CAST")]
    text = _equivalent(statement, index, _table(statement.dialect))
    closing = closing_parenthesis(statement, index + 1)
    if text is None or closing is None:
        return []
    edit = Edit(token.start, statement.tokens[closing].end + 1, text)
    return [Fix((edit,), 0.5, f"{token.text.upper()} written as the dialect has it")]


def _equivalent(
    statement: Statement, index: int, table: dict[tuple[str, int | None], str]
) -> str | None:
    name = statement.tokens[index].text.lower()
    if name == "extract" and statement.dialect == "sqlite":
        return _extract(statement, index)
    if name in {"date_format", "to_char"} and statement.dialect == "sqlite":
        return _date_format(name, _arguments(statement, index + 1) or [])
    if not any(known == name for known, _ in table):
        return None
    arguments = _arguments(statement, index + 1)
    if arguments is None:
        return None
    template = table.get((name, len(arguments))) or table.get((name, None))
    if template is None or (not arguments and "{0}" in template):
        return None
    text = template.replace("{*}", ", ".join(arguments)).replace("{||}", " || ".join(arguments))
    for number, argument in enumerate(arguments):
        text = text.replace(f"{{{number}}}", argument)
    return text


def _extract(statement: Statement, index: int) -> str | None:
    """EXTRACT(YEAR FROM d)."""
    closing = closing_parenthesis(statement, index + 1)
    tokens = statement.tokens
    if closing is None or closing < index + 5 or tokens[index + 3].token_type is not TokenType.FROM:
        return None
    template = _UNITS.get(tokens[index + 2].text.lower())
    source = statement.sql[tokens[index + 4].start : tokens[closing].start].strip()
    return template.replace("{0}", source) if template else None


def _date_format(name: str, arguments: list[str]) -> str | None:
    """DATE_FORMAT(d, '%Y-%m') and TO_CHAR(d, 'YYYY-MM')."""
    if len(arguments) != 2 or not re.fullmatch(r"'[^']*'", arguments[1]):
        return None
    codes, pattern = (
        (_MYSQL_CODES, r"%\w") if name == "date_format" else (_ORACLE_CODES, r"[A-Za-z]+24|[A-Z]+")
    )
    if any(code.upper() not in codes and code not in codes for code in _codes(pattern, arguments)):
        return None
    written = re.sub(
        pattern, lambda m: codes.get(m[0]) or codes[m[0].upper()], arguments[1], flags=re.IGNORECASE
    )
    return f"STRFTIME({written}, {arguments[0]})"


def _codes(pattern: str, arguments: list[str]) -> list[str]:
    return re.findall(pattern, arguments[1], flags=re.IGNORECASE)


def _arguments(statement: Statement, opening: int) -> list[str] | None:
    """The arguments of a call as written."""
    closing = closing_parenthesis(statement, opening)
    if closing is None:
        return None
    tokens, depth = statement.tokens, 0
    start, found = tokens[opening].end + 1, []
    for token in tokens[opening + 1 : closing]:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.COMMA and depth == 0:
            found.append(statement.sql[start : token.start].strip())
            start = token.end + 1
    last = statement.sql[start : tokens[closing].start].strip()
    return [*found, last] if found or last else []
