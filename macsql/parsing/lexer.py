"""Where literals, comments, words and statement ends are in SQL text, whatever its state.

Unlike sqlglot's tokenizer this one never fails, works in linear time on any text, and says where
each token stands; sqlglot still decides what is a statement.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sqlglot.dialects.dialect import Dialect


class Token(NamedTuple):
    """One token. ``kind`` is comment, literal, open (a literal without its end), fence, space,
    number, word or char."""

    kind: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=32)
def _pattern(dialect: str) -> re.Pattern[str]:
    tokenizer = Dialect.get_or_raise(dialect or None).tokenizer_class
    escape = r"\\." if "\\" in tokenizer.STRING_ESCAPES else r"(?!)"
    plain = r"\\" if "\\" in tokenizer.STRING_ESCAPES else ""
    brackets = r"|\[[^\]\n]{0,300}+\]" if ("[", "]") in tokenizer.IDENTIFIERS else ""
    hash_comment = r"|\#[^\n]*+" if "#" in tokenizer.COMMENTS else ""
    bodies = [
        (q, rf"{q}(?:[^{q}{plain if q != '`' else ''}]++|{q}{q}|{escape})*+") for q in ("'", '"')
    ]
    bodies.append(("`", r"`[^`]*+"))
    return re.compile(
        "|".join(
            [
                rf"(?P<comment>--[^\n]*+|/\*(?s:.)*?(?:\*/|\Z){hash_comment})",
                r"(?P<fence>`{3,}|~{3,})",
                rf"(?P<literal>{'|'.join(body + q for q, body in bodies)}{brackets})",
                rf"(?P<open>{'|'.join(body for _, body in bodies)})",
                r"(?P<space>\s++)",
                r"(?P<number>\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)",
                r"(?P<word>\w[\w$]*+)",
                r"(?P<char>.)",
            ]
        ),
        re.DOTALL,
    )


def tokens(sql: str, dialect: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of ``sql[start:end]`` in order; together they are the whole text."""
    for m in _pattern(dialect).finditer(sql, start, len(sql) if end is None else end):
        yield Token(m.lastgroup or "char", m.group(), m.start(), m.end())


def is_balanced(sql: str, dialect: str) -> bool:
    """Whether every literal of ``sql`` has its end."""
    if not any(quote in sql for quote in "'\"`"):
        return True
    return all(m.lastgroup != "open" for m in _pattern(dialect).finditer(sql))


def split_statements(sql: str, dialect: str) -> list[str]:
    """The pieces between semicolons outside literals and comments, without the empty ones.

    >>> split_statements("SELECT ';'; -- one; two", "sqlite")
    ["SELECT ';'"]
    """
    pieces: list[str] = []
    start, has_code = 0, False
    for token in tokens(sql, dialect):
        if token.text == ";":
            if has_code:
                pieces.append(sql[start : token.start].strip())
            start, has_code = token.end, False
        elif token.kind not in ("comment", "space"):
            has_code = True
    if has_code:
        pieces.append(sql[start:].strip())
    return pieces


_TIDY = {
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"), None),
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"), " "),
    **{ord(a): b for a, b in zip("；，（）＝＞＜", ";,()=><", strict=True)},
}
_SMART = re.compile(r"[‘‚]([^‘’\n]*+(?:’(?=\w)[^‘’\n]*+)*+)’|[“„]([^“”\n]*+)”")


def _straighten(match: re.Match[str]) -> str:
    if match.group(1) is not None:
        return "'" + match.group(1).replace("'", "''").replace("’", "''") + "'"
    return '"' + match.group(2) + '"'


def normalise(sql: str, dialect: str) -> str:
    """``sql`` with typographic quotes, invisible characters and odd spaces made plain.

    Literals and comments stay as they are.

    >>> normalise("SELECT\\u00a0“a” FROM t WHERE b = ‘it’s’ AND c = '“'", "sqlite")
    'SELECT "a" FROM t WHERE b = \\'it\\'\\'s\\' AND c = \\'“\\''
    """
    sql = sql.replace("\r\n", "\n")
    if sql.isascii():
        return sql
    kept: list[str] = []
    loose: list[str] = []

    def flush() -> None:
        kept.append(_SMART.sub(_straighten, "".join(loose).translate(_TIDY)))
        loose.clear()

    for token in tokens(sql, dialect):
        if token.kind in ("literal", "comment", "open"):
            flush()
            kept.append(token.text)
        else:
            loose.append(token.text)
    flush()
    return "".join(kept)
