"""Mistakes in the structure of a query, and what a model writes around the query."""

import re
from collections.abc import Callable

from mutation_dialects import DIALECT_KINDS, Expressions
from mutation_kinds import JOIN_KINDS, NAME_KINDS, TEXT_KINDS, Gold, Pair

from macsql.checks.text import Edit

_END = r"(?=\s+(?:HAVING|ORDER|LIMIT|UNION|INTERSECT|EXCEPT)\b|\s*\)|\s*$)"


def _other_order(gold: Gold) -> Pair | None:
    """``GROUP BY x HAVING COUNT(*) = MAX(COUNT(*))`` for the first of an order."""
    if len(re.findall("select", gold.sql, re.IGNORECASE)) > 1:
        return None
    return gold.sub(r"ORDER BY count\(\*\) DESC LIMIT 1\b", "HAVING COUNT(*) = MAX(COUNT(*))")


STRUCTURE_KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    "group-by-lost": lambda g: g.sub(rf"\s+GROUP BY .*?{_END}", ""),
    "group-by-lost-with-having": lambda g: g.sub(r"\s+GROUP BY (?:T\d\.)?\w+(?=\s+HAVING)", ""),
    "having-as-where": lambda g: g.sub(
        r"(\s+GROUP BY (?:T\d\.)?\w+)\s+HAVING (.*?)(?=\s+ORDER|\s*$|\s+[UIE][NX][ITC])",
        r" WHERE \2\1",
    ),
    "having-and-where": lambda g: g.sub(
        r"(\s+WHERE .*?)(\s+GROUP BY (?:T\d\.)?\w+)\s+HAVING (.*?)(?=\s+ORDER|\s*$)", r"\1 AND \3\2"
    ),
    "group-after-having": lambda g: g.sub(
        r"(\s+GROUP BY (?:T\d\.)?\w+)(\s+HAVING .*?)(?=\s+ORDER|\s*$)", r"\2\1"
    ),
    "max-of-count": _other_order,
    "max-of-count-sub-query": lambda g: g.sub(
        r"(?<=FROM )(\w+)( GROUP BY )(\w+) ORDER BY count\(\*\) DESC LIMIT 1\s*$",
        r"\1\2\3 HAVING COUNT(*) = (SELECT MAX(COUNT(*)) FROM \1 GROUP BY \3)",
    ),
    "order-by-no-alias": lambda g: g.sub(
        r"(?<=ORDER BY )count\(\*\)",
        lambda m: g.chance.choice(("count", "cnt", "total_count", "num")),
    ),
    "having-no-alias": lambda g: g.sub(r"(?<=HAVING )count\(\*\)", "cnt"),
    "order-by-far": lambda g: g.sub(r"(?<=ORDER BY )(?:T\d\.)?\w+(?!\w*\()", "9"),
    "limit-before-order": lambda g: g.sub(r"(ORDER BY .*?) (LIMIT \d+)", r"\2 \1"),
    "where-after-group": lambda g: g.sub(
        r"(\s+WHERE (?:(?!SELECT).)*?)(\s+GROUP BY (?:T\d\.)?\w+)", r"\2\1"
    ),
    "where-before-join": lambda g: g.sub(
        r"(JOIN .*?)(\s+WHERE .*?)(?=\s+GROUP|\s+ORDER|$)", r"\2 \1"
    ),
    "in-two-columns": lambda g: g.sub(
        r"\bIN\s*\(\s*SELECT\s+((?:T\d\.)?\w+) FROM", r"IN (SELECT \1, 1 FROM"
    ),
    "in-all-columns": lambda g: g.sub(
        r"\bIN\s*\(\s*SELECT\s+((?:T\d\.)?\w+) FROM", "IN (SELECT * FROM"
    ),
    "union-arity": lambda g: g.sub(
        r"((?:UNION|INTERSECT|EXCEPT)\s+SELECT\s+)((?:T\d\.)?\w+)(?=\s+FROM)", r"\1\2, 1"
    ),
    "union-sides-in-parentheses": lambda g: g.sub(
        r"^(.*?)\s+(UNION|INTERSECT|EXCEPT)\s+(.*)$", r"(\1) \2 (\3)"
    ),
    "minus": lambda g: g.sub(r"\bEXCEPT\b", "MINUS"),
    "order-inside-union": lambda g: g.sub(
        r"^(SELECT (?:T\d\.)?(\w+) FROM .*?)\s+(UNION|INTERSECT|EXCEPT)\b", r"\1 ORDER BY \2 \3"
    ),
    "comma-before-from": lambda g: g.sub(r"\s+FROM\b", ", FROM"),
    "comma-before-clause": lambda g: g.sub(r"\s+(WHERE|GROUP BY|ORDER BY|LIMIT)\b", r", \1"),
    "comma-lost": lambda g: g.sub(r"(?<=\w)\s*,\s*(?=[\w(.]+[^()]*FROM)", " "),
    "parenthesis-lost": lambda g: g.sub(r"\)", ""),
    "parenthesis-too-many": lambda g: g.sub(r"\)", "))"),
    "by-lost": lambda g: g.sub(r"\b(GROUP|ORDER) BY\b", r"\1"),
    "where-twice": lambda g: g.sub(r"\b(?<=WHERE )(.*?) AND\b(?!\s+\d)", r"\1 WHERE"),
    "and-where": lambda g: g.sub(r"\bWHERE\b", "AND"),
    "two-equals": lambda g: g.sub(r"\s=\s", " = = "),
    "not-equal-sign": lambda g: g.sub(r"!=|<>", "\u2260"),
    "at-least-sign": lambda g: g.sub(r">\s*=", "\u2265"),
    "cut-off": lambda g: (g.sql, g.sql[: g.chance.randrange(len(g.sql) // 2, len(g.sql))]),
    "tuple-count": lambda g: g.sub(r"count\(\*\)", "COUNT()"),
    "count-distinct-star": lambda g: g.sub(r"count\(\*\)", "COUNT(DISTINCT *)"),
}

REPLY_KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    "reply-text-behind": lambda g: (g.sql, f"{g.sql}; This query finds what was asked for."),
    "reply-text-behind-line": lambda g: (g.sql, f"{g.sql}\n\nThis query finds what was asked for."),
    "reply-note-behind": lambda g: (g.sql, f"{g.sql};\nNote: the names are unique."),
    "reply-two-statements": lambda g: (g.sql, f"{g.sql}; SELECT 1"),
    "reply-fence-behind": lambda g: (g.sql, f"{g.sql}\n```"),
    "reply-fence-around": lambda g: (g.sql, f"```sql\n{g.sql}\n```"),
    "reply-label-before": lambda g: (g.sql, f"SQL: {g.sql}"),
    "reply-star-bold": lambda g: (g.sql, f"**{g.sql}**"),
    "reply-escaped-underscores": lambda g: g.edited(
        [Edit(*m.span(), r"\_") for m in re.finditer("_", g.sql)]
    ),
    "reply-select-twice": lambda g: (g.sql, f"SELECT {g.sql}"),
}
"""What stands in the reply: it is read as the Decomposer reads it."""


def _dialect(expressions: Expressions) -> Callable[[Gold], Pair | None]:
    return lambda gold: expressions(gold.sql, gold.analysis, gold.chance)


KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    **JOIN_KINDS,
    **NAME_KINDS,
    **TEXT_KINDS,
    **STRUCTURE_KINDS,
    **REPLY_KINDS,
    **{name: _dialect(make) for name, make in DIALECT_KINDS.items()},
}
