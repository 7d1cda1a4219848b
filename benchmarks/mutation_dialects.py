"""Expressions of other dialects, put into gold queries beside what SQLite writes for them."""

import random
import re
from collections.abc import Callable

from macsql.checks.analysis import Analysis
from macsql.checks.scopes import Status, Use
from macsql.checks.text import Edit, apply_edits, span

Expressions = Callable[[str, Analysis, random.Random], tuple[str, str] | None]
_NUMBER = re.compile(r"INT|REAL|NUM|DEC|FLOAT|DOUBLE", re.IGNORECASE)
_DATE = re.compile(r"^(date|.*_date|.*date_.*|birthday|.*_from|.*_to)$", re.IGNORECASE)

# What stands for a shown column {c}: of text, of numbers, of days.
_TEXTS = {
    "len": ("LENGTH({c})", "LEN({c})"),
    "char-length": ("LENGTH({c})", "CHAR_LENGTH({c})"),
    "left": ("SUBSTR({c}, 1, 2)", "LEFT({c}, 2)"),
    "right": ("SUBSTR({c}, -2)", "RIGHT({c}, 2)"),
    "substring-from": ("SUBSTR({c}, 1, 3)", "SUBSTRING({c} FROM 1 FOR 3)"),
    "mid": ("SUBSTR({c}, 2, 3)", "MID({c}, 2, 3)"),
    "ucase": ("UPPER({c})", "UCASE({c})"),
    "concat": ("{c} || ' ' || {c}", "CONCAT({c}, ' ', {c})"),
    "concat-ws": ("{c} || ', ' || {c}", "CONCAT_WS(', ', {c}, {c})"),
    "concat-plus": ("{c} || ' ' || {c}", "{c} + ' ' + {c}"),
    "position": ("INSTR({c}, 'a')", "POSITION('a' IN {c})"),
    "locate": ("INSTR({c}, 'a')", "LOCATE('a', {c})"),
    "charindex": ("INSTR({c}, 'a')", "CHARINDEX('a', {c})"),
    "nvl": ("COALESCE({c}, 'none')", "NVL({c}, 'none')"),
    "isnull": ("COALESCE({c}, 'none')", "ISNULL({c}, 'none')"),
    "if": ("CASE WHEN {c} > 'M' THEN 1 ELSE 0 END", "IF({c} > 'M', 1, 0)"),
    "decode": ("CASE {c} WHEN 'a' THEN 1 ELSE 0 END", "DECODE({c}, 'a', 1, 0)"),
    "to-text": ("CAST({c} AS TEXT)", "{c}::text"),
    "to-varchar": ("CAST({c} AS TEXT)", "CAST({c} AS STRING)"),
    "convert": ("CAST({c} AS TEXT)", "CONVERT({c}, CHAR)"),
    "convert-tsql": ("CAST({c} AS TEXT)", "CONVERT(VARCHAR(50), {c})"),
    "split-part": ("SUBSTR({c}, 1, INSTR({c} || ' ', ' ') - 1)", "SPLIT_PART({c}, ' ', 1)"),
    "substring-index": (
        "SUBSTR({c}, 1, INSTR({c} || ' ', ' ') - 1)",
        "SUBSTRING_INDEX({c}, ' ', 1)",
    ),
    "trim-both": ("TRIM({c})", "TRIM(BOTH ' ' FROM {c})"),
    "lpad": ("SUBSTR('0000000000' || {c}, -10)", "LPAD({c}, 10, '0')"),
    "initial-capital": ("UPPER({c})", "TO_UPPER({c})"),
}
_NUMBERS = {
    "to-int": ("CAST({c} AS INTEGER)", "{c}::int"),
    "to-numeric": ("ROUND(CAST({c} AS NUMERIC), 2)", "ROUND({c}::numeric, 2)"),
    "cast-decimal": ("CAST({c} AS NUMERIC)", "CAST({c} AS DECIMAL(10, 2))"),
    "try-cast": ("CAST({c} AS INTEGER)", "TRY_CAST({c} AS INT)"),
    "safe-cast": ("CAST({c} AS INTEGER)", "SAFE_CAST({c} AS INT64)"),
    "div": ("CAST({c} / 2 AS INTEGER)", "{c} DIV 2"),
    "truncate": ("CAST({c} AS INTEGER)", "TRUNCATE({c}, 0)"),
    "greatest": ("MAX({c}, 5)", "GREATEST({c}, 5)"),
    "format": ("PRINTF('%,.2f', {c})", "FORMAT({c}, 2)"),
    "to-char-number": ("CAST({c} AS TEXT)", "TO_CHAR({c})"),
    "safe-divide": ("100.0 / NULLIF({c}, 0)", "SAFE_DIVIDE(100.0, {c})"),
    "nvl2": ("CASE WHEN {c} IS NOT NULL THEN 1 ELSE 0 END", "NVL2({c}, 1, 0)"),
    "square-brackets": ("{c} * 2", "[{c}] * 2"),
}
_SHIFTED = "CASE WHEN LENGTH({c}) > 10 THEN DATETIME({c}, '+7 day') ELSE DATE({c}, '+7 day') END"
_DATES = {
    "year": ("CAST(STRFTIME('%Y', {c}) AS INTEGER)", "YEAR({c})"),
    "month": ("CAST(STRFTIME('%m', {c}) AS INTEGER)", "MONTH({c})"),
    "extract": ("CAST(STRFTIME('%Y', {c}) AS INTEGER)", "EXTRACT(YEAR FROM {c})"),
    "date-part": ("CAST(STRFTIME('%Y', {c}) AS INTEGER)", "DATE_PART('year', {c})"),
    "date-trunc": ("STRFTIME('%Y-%m-01', {c})", "DATE_TRUNC('month', {c})"),
    "date-format": ("STRFTIME('%Y-%m', {c})", "DATE_FORMAT({c}, '%Y-%m')"),
    "date-format-minutes": ("STRFTIME('%H:%M', {c})", "DATE_FORMAT({c}, '%H:%i')"),
    "to-char": ("STRFTIME('%Y-%m', {c})", "TO_CHAR({c}, 'YYYY-MM')"),
    "strftime-turned": ("STRFTIME('%Y', {c})", "STRFTIME({c}, '%Y')"),
    "datediff-days": (
        "CAST(JULIANDAY('2020-01-01') - JULIANDAY(DATE({c})) AS INTEGER)",
        "DATEDIFF('2020-01-01', {c})",
    ),
    "datediff-unit": (
        "CAST(JULIANDAY('2020-01-01') - JULIANDAY(DATE({c})) AS INTEGER)",
        "DATEDIFF(day, {c}, '2020-01-01')",
    ),
    "timestampdiff": (
        "CAST(STRFTIME('%Y.%m%d', '2020-01-01') - STRFTIME('%Y.%m%d', {c}) AS INTEGER)",
        "TIMESTAMPDIFF(YEAR, {c}, '2020-01-01')",
    ),
    "date-add": (_SHIFTED, "DATE_ADD({c}, INTERVAL 7 DAY)"),
    "interval": (_SHIFTED, "{c} + INTERVAL '7 days'"),
    "dateadd": (_SHIFTED, "DATEADD(day, 7, {c})"),
    "to-date": ("DATE({c})", "TO_DATE({c}, 'YYYY-MM-DD')"),
    "cast-date": ("DATE({c})", "CAST({c} AS DATE)"),
    "cast-colon-date": ("DATE({c})", "{c}::date"),
    "dayname": (
        "CASE STRFTIME('%w', {c}) WHEN '0' THEN 'Sunday' WHEN '1' THEN 'Monday' WHEN '2' THEN "
        "'Tuesday' WHEN '3' THEN 'Wednesday' WHEN '4' THEN 'Thursday' WHEN '5' THEN 'Friday' "
        "WHEN '6' THEN 'Saturday' END",
        "DAYNAME({c})",
    ),
    "year-before-now": ("STRFTIME('%Y', 'now') - STRFTIME('%Y', {c})", "YEAR(NOW()) - YEAR({c})"),
}


def _expression(right: str, broken: str, kind: str) -> Expressions:
    def make(sql: str, analysis: Analysis, chance: random.Random) -> tuple[str, str] | None:
        uses = [u for u in analysis.resolution.uses if _is_shown(u) and _kind(u) == kind]
        place = span(chance.choice(uses).column) if uses else None
        if place is None or re.search(r"union|intersect|except|group by", sql, re.IGNORECASE):
            return None
        texts = (t.replace("{c}", sql[slice(*place)]) for t in (right, broken))
        first, second = (apply_edits(sql, [Edit(*place, text)]) for text in texts)
        return (first, second) if first and second else None

    return make


def _is_shown(use: Use) -> bool:
    top = use.scope.parent is None and use.clause == "select"
    return top and use.status is Status.FOUND and use.column.parent is use.scope.select


def _kind(use: Use) -> str:
    column = use.relation.table.column(use.name) if use.relation and use.relation.table else None
    if column is None:
        return ""
    if _DATE.match(column.name) or column.type.upper().startswith(("DATE", "TIMESTAMP")):
        return "date"
    return "number" if _NUMBER.search(column.type) else "text"


def _swap(pattern: str, right: str, broken: str) -> Expressions:
    """``right`` in place of one match of ``pattern``, and ``broken``; groups as in ``re``."""

    def make(sql: str, analysis: Analysis, chance: random.Random) -> tuple[str, str] | None:
        found = list(re.finditer(pattern, sql, re.IGNORECASE | re.DOTALL))
        if not found:
            return None
        match = chance.choice(found)
        texts = [
            sql[: match.start()] + match.expand(t) + sql[match.end() :] for t in (right, broken)
        ]
        return texts[0], texts[1]

    return make


_PLAIN = r"((?:(?!GROUP|ORDER|LIMIT|UNION|INTERSECT|EXCEPT).)*)"
_FIRST = (
    r"SELECT \1 FROM (SELECT *, RANK() OVER (ORDER BY \3 DESC) AS place FROM \2) "
    "WHERE place = 1"
)
_COLUMN = r"((?:T\d\.)?\w+)"
_WORD = r"['\"]%?(\w+)%?['\"]"

DIALECT_KINDS: dict[str, Expressions] = {
    **{f"fn-{n}": _expression(*pair, "text") for n, pair in _TEXTS.items()},
    **{f"fn-{n}": _expression(*pair, "number") for n, pair in _NUMBERS.items()},
    **{f"fn-{n}": _expression(*pair, "date") for n, pair in _DATES.items()},
    "top": _swap(
        r"^SELECT ((?:(?!UNION|INTERSECT|EXCEPT).)*?) LIMIT (\d+)\s*$",
        r"SELECT \1 LIMIT \2",
        r"SELECT TOP \2 \1",
    ),
    "top-parentheses": _swap(
        r"^SELECT ((?:(?!SELECT).)*?) LIMIT (\d+)\s*$", r"SELECT \1 LIMIT \2", r"SELECT TOP(\2) \1"
    ),
    "top-distinct": _swap(
        r"^SELECT ((?:(?!SELECT|DISTINCT).)*?) LIMIT (\d+)\s*$",
        r"SELECT DISTINCT \1 LIMIT \2",
        r"SELECT DISTINCT TOP \2 \1",
    ),
    "top-in-sub-query": _swap(
        r"\(\s*SELECT ((?:(?!SELECT|\)).)*?) LIMIT (\d+)\s*\)",
        r"(SELECT \1 LIMIT \2)",
        r"(SELECT TOP \2 \1)",
    ),
    "fetch-first": _swap(r"LIMIT (\d+)", r"LIMIT \1", r"FETCH FIRST \1 ROWS ONLY"),
    "fetch-next": _swap(
        r"LIMIT (\d+)", r"LIMIT \1 OFFSET 0", r"OFFSET 0 ROWS FETCH NEXT \1 ROWS ONLY"
    ),
    "offset-alone": _swap(r"LIMIT (\d+)\s*$", r"LIMIT -1 OFFSET 1", r"OFFSET 1"),
    "rownum": _swap(
        r"^SELECT ((?:(?!SELECT|ORDER|GROUP|LIMIT|UNION).)*?) WHERE "
        r"((?:(?!SELECT|ORDER|GROUP|LIMIT).)*?)\s*$",
        r"SELECT \1 WHERE \2 LIMIT 3",
        r"SELECT \1 WHERE \2 AND ROWNUM <= 3",
    ),
    "ilike": _swap(r"\bLIKE\b", "LIKE", "ILIKE"),
    "regexp": _swap(rf"LIKE {_WORD}", r"LIKE '%\1%'", r"REGEXP '\1'"),
    "regexp-like": _swap(rf"{_COLUMN} LIKE {_WORD}", r"\1 LIKE '%\2%'", r"REGEXP_LIKE(\1, '\2')"),
    "tilde": _swap(rf"LIKE {_WORD}", r"LIKE '%\1%'", r"~* '\1'"),
    "contains": _swap(rf"{_COLUMN} LIKE {_WORD}", r"\1 LIKE '%\2%'", r"CONTAINS(\1, '\2')"),
    "starts-with": _swap(rf"{_COLUMN} LIKE {_WORD}", r"\1 LIKE '\2%'", r"STARTS_WITH(\1, '\2')"),
    "like-concat": _swap(rf"LIKE {_WORD}", r"LIKE '%\1%'", r"LIKE CONCAT('%', '\1', '%')"),
    "like-star": _swap(rf"LIKE {_WORD}", r"LIKE '%\1%'", r"LIKE '*\1*'"),
    "string-agg": _swap(
        rf"^SELECT {_COLUMN} FROM {_PLAIN}$",
        r"SELECT GROUP_CONCAT(\1, ', ') FROM \2",
        r"SELECT STRING_AGG(\1, ', ') FROM \2",
    ),
    "group-concat-separator": _swap(
        rf"^SELECT {_COLUMN} FROM {_PLAIN}$",
        r"SELECT GROUP_CONCAT(\1, ', ') FROM \2",
        r"SELECT GROUP_CONCAT(\1 SEPARATOR ', ') FROM \2",
    ),
    "listagg": _swap(
        rf"^SELECT {_COLUMN} FROM {_PLAIN}$",
        r"SELECT GROUP_CONCAT(\1, ', ') FROM \2",
        r"SELECT LISTAGG(\1, ', ') FROM \2",
    ),
    "count-if": _swap(
        rf"^SELECT count\(\*\) FROM (\w+) WHERE {_COLUMN}\s*(=|>|<)\s*(\S+)\s*$",
        r"SELECT COUNT(CASE WHEN \2 \3 \4 THEN 1 END) FROM \1",
        r"SELECT COUNT_IF(\2 \3 \4) FROM \1",
    ),
    "sum-if": _swap(
        rf"^SELECT count\(\*\) FROM (\w+) WHERE {_COLUMN}\s*(=|>|<)\s*(\S+)\s*$",
        r"SELECT SUM(CASE WHEN \2 \3 \4 THEN 1 ELSE 0 END) FROM \1",
        r"SELECT SUM(IF(\2 \3 \4, 1, 0)) FROM \1",
    ),
    "distinct-on": _swap(
        rf"^SELECT {_COLUMN} FROM (\w+) GROUP BY {_COLUMN} ORDER BY count\(\*\).*$",
        r"SELECT \3 FROM \2 GROUP BY \3",
        r"SELECT DISTINCT ON (\3) \3 FROM \2",
    ),
    "count-two": _swap(
        rf"^SELECT {_COLUMN}\s*,\s*{_COLUMN} FROM {_PLAIN}$",
        r"SELECT COUNT(*) FROM (SELECT DISTINCT \1, \2 FROM \3)",
        r"SELECT COUNT(DISTINCT \1, \2) FROM \3",
    ),
    "qualify": _swap(
        rf"^SELECT {_COLUMN} FROM (\w+) ORDER BY {_COLUMN} DESC LIMIT 1\s*$",
        _FIRST,
        r"SELECT \1 FROM \2 QUALIFY RANK() OVER (ORDER BY \3 DESC) = 1",
    ),
    "window-in-where": _swap(
        rf"^SELECT {_COLUMN} FROM (\w+) ORDER BY {_COLUMN} DESC LIMIT 1\s*$",
        _FIRST,
        r"SELECT \1 FROM \2 WHERE RANK() OVER (ORDER BY \3 DESC) = 1",
    ),
    "window-alias-in-where": _swap(
        rf"^SELECT {_COLUMN} FROM (\w+) ORDER BY {_COLUMN} DESC LIMIT 1\s*$",
        _FIRST.replace(" FROM (", ", place FROM (", 1),
        r"SELECT \1, RANK() OVER (ORDER BY \3 DESC) AS place FROM \2 WHERE place = 1",
    ),
    "boolean": _swap(r"(?<=[=!>])\s*['\"](?:T|true|Yes|Y|1)['\"]", r" 'T'", r" TRUE"),
    "is-true": _swap(r"=\s*1\b(?!\d)", "= 1", "IS TRUE"),
    "null-equal": _swap(r"\bWHERE\b", "WHERE 1 IS NOT NULL AND", "WHERE 1 <> NULL AND"),
    "limit-all": _swap(r"LIMIT \d+\s*$", "", "LIMIT ALL"),
    "now-year": _swap(
        r"\bWHERE\b", "WHERE STRFTIME('%Y', 'now') > '2000' AND", "WHERE YEAR(NOW()) > 2000 AND"
    ),
    "curdate": _swap(
        r"\bWHERE\b", "WHERE DATE('now') > '2000-01-01' AND", "WHERE CURDATE() > '2000-01-01' AND"
    ),
    "curdate-interval": _swap(
        r"\bWHERE\b",
        "WHERE DATE('now', '-1 year') > '2000-01-01' AND",
        "WHERE DATE_SUB(CURDATE(), INTERVAL 1 YEAR) > '2000-01-01' AND",
    ),
    "now-interval": _swap(
        r"\bWHERE\b",
        "WHERE DATETIME('now', '-30 day') > '2000-01-01' AND",
        "WHERE NOW() - INTERVAL '30 days' > '2000-01-01' AND",
    ),
    "date-literal": _swap(r"(?<=[=><])\s*(['\"]\d{4}-\d\d-\d\d['\"])", r" \1", r" DATE \1"),
    "nolock": _swap(r"FROM (\w+)(?=\s*$|\s+WHERE)", r"FROM \1", r"FROM \1 WITH (NOLOCK)"),
    "schema-prefix": _swap(r"\bFROM (\w+)", r"FROM \1", r"FROM public.\1"),
    "dbo-prefix": _swap(r"\bFROM (\w+)", r"FROM \1", r"FROM dbo.\1"),
    "straight-rand": _swap(
        r"\bWHERE\b", "WHERE RANDOM() IS NOT NULL AND", "WHERE RAND() IS NOT NULL AND"
    ),
    "rollup": _swap(rf"GROUP BY {_COLUMN}\s*$", r"GROUP BY \1", r"GROUP BY \1 WITH ROLLUP"),
    "any": _swap(r"\bIN\s*\(\s*SELECT", "IN (SELECT", "= ANY (SELECT"),
    "not-all": _swap(r"\bNOT IN\s*\(\s*SELECT", "NOT IN (SELECT", "<> ALL (SELECT"),
    "outer-apply": _swap(r"\bEXCEPT\b", "EXCEPT", "EXCEPT DISTINCT"),
    "for-update": _swap(r"\s*$", "", " FOR UPDATE"),
    "nulls-last": _swap(r"(ORDER BY .*?)(\s+LIMIT|\s*$)", r"\1\2", r"\1 NULLS LAST\2"),
    "xor": _swap(r"\bOR\b", "<>", "XOR"),
    "and-signs": _swap(r"\bAND\b(?!\s+\d)", "AND", "&&"),
}
