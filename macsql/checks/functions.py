"""Functions and operators of other dialects, and how the dialect at hand says the same."""

import re
from collections.abc import Callable, Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.calls import CALLS, filled, operand
from macsql.checks.dialect_functions import (
    ABSENT,
    DIFFERENCES,
    MYSQL,
    MYSQL_CODES,
    ORACLE_CODES,
    POSTGRES,
    SQLITE,
    SQLITE_FUNCTIONS,
    SQLITE_LATELY,
    TRUNCATED,
    TSQL,
    UNITS,
    WHOLE_DIFFERENCES,
)
from macsql.checks.edits import Fix
from macsql.checks.names import nearest
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution
from macsql.checks.text import Edit, Statement, closing_parenthesis, token_at
from macsql.message import Finding, Severity
from macsql.schema import Schema


def _table(dialect: str) -> dict[tuple[str, int | None], str]:
    if dialect == "sqlite":
        return SQLITE | SQLITE_LATELY
    return {"postgres": POSTGRES, "mysql": MYSQL, "tsql": TSQL}.get(dialect, {})


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
        elif statement.dialect == "sqlite" and token.text.lower() in ABSENT:
            message = f"sqlite has no {token.text.upper()}"
            hint = ABSENT[token.text.lower()]
            yield Problem(Finding("unknown-function", "error", message, hint, place))
        elif _is_unheard_of(token, statement):
            near = [name for name, _ in nearest(token.text.lower(), SQLITE_FUNCTIONS, limit=2)]
            hint = f"did you mean {' or '.join(near)}?" if near else ""
            message = f"{token.text} is not a function that {statement.dialect} brings"
            yield Problem(Finding("unknown-function", "warning", message, hint, place))
    yield from _foreign_operators(statement)


def _known_elsewhere(token: Token, dialect: str, text: str) -> Finding:
    place = (token.start, token.end + 1)
    recent = {"concat_ws", *(name for name, _ in SQLITE_LATELY)}
    lately = dialect == "sqlite" and token.text.lower() in recent
    message = f"{token.text.upper()} is not a function of {'older ' * lately}{dialect}"
    severity: Severity = "warning" if lately else "error"
    return Finding("unknown-function", severity, message, f"write {text}", place)


def _is_call(statement: Statement, index: int) -> bool:
    tokens = statement.tokens
    token = tokens[index]
    if index + 1 >= len(tokens) or tokens[index + 1].token_type is not TokenType.L_PAREN:
        return False
    before = tokens[index - 1].token_type if index else None
    is_name = before in (TokenType.DOT, TokenType.ALIAS)
    is_word = token.text.replace("_", "a").isalnum() and not token.text[0].isdigit()
    return is_word and not is_name and statement.sql[token.start] == token.text[0]


def _is_unheard_of(token: Token, statement: Statement) -> bool:
    if statement.dialect != "sqlite" or token.token_type is not TokenType.VAR:
        return False
    if token.text.lower() in SQLITE_FUNCTIONS or statement.tree is None:
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
    # What cannot be cast is NULL for TRY_CAST, and 0 for CAST.
    is_certain = token.text.lower() not in {"try_cast", "safe_cast"}
    why = f"{token.text.upper()} written as the dialect has it"
    return [Fix((edit,), 0.5, why, is_certain)]


def _equivalent(
    statement: Statement, index: int, table: dict[tuple[str, int | None], str]
) -> str | None:
    name = statement.tokens[index].text.lower()
    if statement.dialect == "sqlite":
        special = _special(name, statement, index)
        if special is not None:
            return special
    if not any(known == name for known, _ in table):
        return None
    arguments = _arguments(statement, index + 1)
    if arguments is None:
        return None
    template = table.get((name, len(arguments))) or table.get((name, None))
    if template is None or (not arguments and "{0}" in template):
        return None
    return filled(template, arguments)


def _special(name: str, statement: Statement, index: int) -> str | None:
    """What SQLite writes for calls whose meaning depends on a unit or a format."""
    if name == "extract":
        return _extract(statement, index)
    write = _SPECIAL.get(name)
    return write(name, _arguments(statement, index + 1) or []) if write else None


def _unit(argument: str) -> str:
    return argument.strip("'").lower()


def _joined(name: str, arguments: list[str]) -> str | None:
    """CONCAT_WS(', ', a, b)."""
    if len(arguments) < 3:
        return None
    between, *parts = map(operand, arguments)
    return "(" + f" || {between} || ".join(parts) + ")"


def _part(name: str, arguments: list[str]) -> str | None:
    """DATE_PART('year', d) and DATE_TRUNC('year', d)."""
    templates = TRUNCATED if name == "date_trunc" else UNITS
    template = templates.get(_unit(arguments[0])) if len(arguments) == 2 else None
    return template and filled(template, arguments[1:])


def _difference(name: str, arguments: list[str]) -> str | None:
    """DATEDIFF(year, a, b) counts turns of the year, TIMESTAMPDIFF(YEAR, a, b) whole years."""
    units = DIFFERENCES if name == "datediff" else WHOLE_DIFFERENCES
    template = units.get(_unit(arguments[0])) if len(arguments) == 3 else None
    return template and filled(template, arguments[1:])


_ISO = re.compile(r"'(?:(?i:YYYY-MM-DD)|%Y-%m-%d)(?:[T ][^']*)?'")


def _read_date(name: str, arguments: list[str]) -> str | None:
    """TO_DATE(d, 'YYYY-MM-DD'), which SQLite reads; of another format it makes NULL."""
    if not arguments or len(arguments) > 2 or not all(map(_ISO.fullmatch, arguments[1:])):
        return None
    return f"{'DATETIME' if name == 'to_timestamp' else 'DATE'}({arguments[0]})"


def _shift(name: str, arguments: list[str]) -> str | None:
    """DATE_ADD(d, INTERVAL 1 DAY) and DATEADD(day, 1, d)."""
    if name == "dateadd" and len(arguments) == 3:
        return shifted(arguments[2], "+", f"INTERVAL {arguments[1]} {_unit(arguments[0])}")
    if name == "dateadd" or len(arguments) != 2:
        return None
    return shifted(arguments[0], "-" if "sub" in name else "+", arguments[1])


_INTERVAL = re.compile(r"INTERVAL\s+'?\s*([-+]?\d+)\s*'?\s*'?(\w+?)s?'?", re.IGNORECASE)
_MULTIPLES = {"week": (7, "day"), "quarter": (3, "month")}
_EARLY = re.compile(r"'\d{4}-\d\d-(?:[01]\d|2[0-8])\b")


def shifted(date: str, sign: str, interval: str) -> str | None:
    """SQLite's way to add an interval to a date; None for one that is not understood.

    A time that belongs to the date is kept.

    >>> shifted("'2024-01-15'", "-", "INTERVAL '30 days'")
    "DATE('2024-01-15', '-30 day')"
    """
    found = _INTERVAL.fullmatch(interval.strip())
    if found is None:
        return None
    times, unit = _MULTIPLES.get(found[2].lower(), (1, found[2].lower()))
    number = times * int(found[1]) * (-1 if sign == "-" else 1)
    if unit in {"hour", "minute", "second"}:
        return f"DATETIME({date}, '{number:+d} {unit}')"
    if unit not in {"day", "month", "year"}:
        return None
    if _has_time(date) is not None:
        return _added(date, number, unit, has_time=bool(_has_time(date)))
    with_time, plain = (_added(date, number, unit, has_time=has) for has in (True, False))
    return f"CASE WHEN LENGTH({date}) > 10 THEN {with_time} ELSE {plain} END"


_DAY = re.compile(
    r"'\d{4}-\d\d-\d\d'|(CURRENT_DATE|CURDATE|TODAY)(\(\))?|DATE\([^()]*\)", re.IGNORECASE
)
_MOMENT = re.compile(
    r"'\d{4}-\d\d-\d\d[ T][^']+'|(CURRENT_TIMESTAMP|NOW|GETDATE|SYSDATE)(\(\))?"
    r"|DATETIME\([^()]*\)",
    re.IGNORECASE,
)


def _has_time(date: str) -> bool | None:
    """Whether a time belongs to a date; None where only its value can tell."""
    if _DAY.fullmatch(date):
        return False
    return True if _MOMENT.fullmatch(date) else None


def _added(date: str, number: int, unit: str, *, has_time: bool) -> str:
    name = "DATETIME" if has_time else "DATE"
    day = f"{name}({date}, '{number:+d} {unit}')"
    if unit == "day" or _EARLY.match(date):
        return day
    # A month from the 31st is the last day of a shorter month, and not, as for SQLite, a day of
    # the month after it.
    months = number * (12 if unit == "year" else 1) + 1
    last = f"DATE({date}, 'start of month', '{months:+d} month', '-1 day')"
    if has_time:
        last = f"{last} || STRFTIME(' %H:%M:%S', {date})"
    return f"MIN({day}, {last})"


def _extract(statement: Statement, index: int) -> str | None:
    """EXTRACT(YEAR FROM d)."""
    closing = closing_parenthesis(statement, index + 1)
    tokens = statement.tokens
    if closing is None or closing < index + 5 or tokens[index + 3].token_type is not TokenType.FROM:
        return None
    template = UNITS.get(tokens[index + 2].text.lower())
    source = statement.sql[tokens[index + 4].start : tokens[closing].start].strip()
    return filled(template, [source]) if template else None


def _date_format(name: str, arguments: list[str]) -> str | None:
    """DATE_FORMAT(d, '%Y-%m') and TO_CHAR(d, 'YYYY-MM')."""
    if len(arguments) != 2 or not re.fullmatch(r"'[^']*'", arguments[1]):
        return None
    codes, pattern = (
        (MYSQL_CODES, r"%\w") if name == "date_format" else (ORACLE_CODES, r"[A-Za-z]+24|[A-Z]+")
    )
    if any(code.upper() not in codes and code not in codes for code in _codes(pattern, arguments)):
        return None
    written = re.sub(
        pattern, lambda m: codes.get(m[0]) or codes[m[0].upper()], arguments[1], flags=re.IGNORECASE
    )
    return f"STRFTIME({written}, {arguments[0]})"


_SPECIAL: dict[str, Callable[[str, list[str]], str | None]] = {
    **dict.fromkeys(("date_format", "to_char"), _date_format),
    **dict.fromkeys(("date_part", "datepart", "date_trunc"), _part),
    **dict.fromkeys(("datediff", "timestampdiff"), _difference),
    **dict.fromkeys(("date_add", "date_sub", "adddate", "subdate", "dateadd"), _shift),
    **dict.fromkeys(("to_date", "to_timestamp", "str_to_date"), _read_date),
    "concat_ws": _joined,
    **CALLS,
}


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
