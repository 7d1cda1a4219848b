"""Where a statement in running text ends: what can no longer be part of it."""

import re

from macsql.parsing.lexer import Token, tokens
from macsql.parsing.statements import is_open
from macsql.parsing.words import CONTINUES

_MARKUP = re.compile(r"(?:[-*>]|\|(?!\|))[ \t]|#|\*\*|\+-")
"""Bullets, headings, quotes and tables at the beginning of a line."""
_CTE_START = re.compile(r"\s*WITH\b", re.IGNORECASE)
_INSERT_START = re.compile(r"\s*(?:INSERT|REPLACE|CREATE)\b", re.IGNORECASE)


def end_of(text: str, dialect: str) -> int:
    """Where the statement at the start of ``text`` has certainly ended, at the latest."""
    depth = 0
    last: Token | None = None
    lines = False
    for token in tokens(text, dialect):
        if token.kind in ("space", "comment"):
            lines = lines or "\n" in token.text or token.text.startswith("--")
            continue
        if token.kind == "fence" or token.text == ";":
            return token.start
        if (stop := _stops_here(text, token, last)) is not None:
            return stop
        depth += (token.text == "(") - (token.text == ")")
        if depth < 0:
            return token.start
        if depth == 0 and lines and last and _begins_prose(text, token, last):
            return token.start
        lines = False
        last = token
    return len(text)


def _stops_here(text: str, token: Token, last: Token | None) -> int | None:
    """The end of the statement when ``token`` cannot be part of one."""
    follows = text[token.end : token.end + 1]
    if token.kind in ("open", "literal") and token.text[0] == "'" and last is not None:
        contraction = last.end == token.start and last.kind == "word" and len(last.text) > 1
        if contraction and last.text.upper() not in ("DATE", "TIME", "TIMESTAMP", "INTERVAL"):
            return last.start
    if token.kind != "char":
        return None
    if token.text == "\\":
        return token.start
    if token.text in ".!:" and (not follows or follows.isspace()):
        return token.start
    return token.start if not token.text.isascii() else None


def _begins_prose(text: str, token: Token, last: Token) -> bool:
    """Whether ``token``, the first of a new line outside brackets, begins something else."""
    if _MARKUP.match(text, token.start) and text[token.start - 1] == "\n":
        return True
    if is_open(last) or token.kind not in ("word", "number"):
        return False
    if token.kind == "number":
        return True
    if token.text.upper() == "SELECT" and (last.text != ")" or not _CTE_START.match(text)):
        return not _INSERT_START.match(text)
    if token.text.upper() in CONTINUES:
        keyword = text.split(None, 1)[0]
        return token.text.istitle() and not keyword.istitle()
    line = text[token.end : token.end + 200].lstrip()
    following = re.match(r"\w+|,", line)
    return following is None or (
        following[0] != "," and following[0].upper() not in CONTINUES - {"IS", "IN", "FOR", "WITH"}
    )
