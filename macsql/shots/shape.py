"""The shape of SQL: what is left when names, values and aliases are taken out."""

import re

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/"
    r"|(?P<text>'(?:[^']|'')*')"
    r"|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\])"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<word>\w+)"
    r"|(?P<sign><>|!=|>=|<=|\|\||[^\s\w;])",
    re.DOTALL,
)
_KEPT = (
    "SELECT DISTINCT FROM JOIN LEFT ON WHERE GROUP BY HAVING ORDER DESC LIMIT OFFSET AND OR NOT IN"
    " LIKE BETWEEN IS NULL EXISTS UNION INTERSECT EXCEPT ALL CASE WHEN THEN ELSE END WITH OVER"
    " COUNT SUM AVG MIN MAX CAST STRFTIME SUBSTR"
)
_KEYWORDS = frozenset(_KEPT.split())
_PASSED_OVER = frozenset(["INNER", "OUTER", "ASC"])


def shape_of(sql: str) -> str:
    """The keywords, functions and signs of ``sql``, with "_" for a name and "?" for a value.

    Two queries of one shape differ in what they are about, not in how they are built. Aliases,
    qualifiers, types and conditions of joins are left out. This reads words, not a tree: a
    thousand queries take milliseconds, and broken SQL has a shape, too.

    >>> shape_of("SELECT T1.name FROM pupil AS T1 JOIN school s ON T1.sid = s.id WHERE T1.age > 9")
    'SELECT _ FROM _ JOIN _ WHERE _ > ?'
    """
    parts: list[str] = []
    skip = False
    for token in _TOKEN.finditer(sql):
        word = token[0].upper()
        if skip or token.lastgroup is None or word in _PASSED_OVER:
            skip = False
        elif word == "AS":
            skip = True
        elif word == ".":
            if parts and parts[-1] == "_":
                parts.pop()
        else:
            parts.append(_part(token, word))
    return " ".join(parts).replace("_ _", "_").replace(" ON _ = _", "")


def _part(token: re.Match[str], word: str) -> str:
    if token.lastgroup in ("text", "number"):
        return "?"
    if token.lastgroup == "sign":
        return "!=" if word == "<>" else word
    # Spider quotes texts as names; both are compared with something.
    if token.lastgroup == "name" and word[0] == '"':
        return "?"
    return word if word in _KEYWORDS else "_"
