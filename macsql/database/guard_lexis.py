"""Whether sqlglot and the engine read the same text: where each takes texts, names and comments.

A comment for one that is code for the other is how a statement gets past a parser. So the text is
cut up a second time by the rules of the engine itself, and must fall into the same pieces.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import Token, TokenType

_STRINGS = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
        TokenType.HEX_STRING,
        TokenType.BIT_STRING,
    }
)

_PLAIN = r"'(?:[^']|'')*'"
_ESCAPED = r"'(?:[^'\\]|''|\\.)*'"
_QUOTED = r'"(?:[^"]|"")*"'
_TICKED = r"`(?:[^`]|``)*`"
_WORD = r"[^\W\d][\w$]*"
_DOLLARS = r"\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$"
_LINE = r"--[^\n\r]*"
_BLOCK = r"/\*.*?\*/"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of the text that cannot be relied on: the ``reason`` code, and what to do."""

    reason: str
    advice: str


@dataclass(frozen=True, slots=True)
class Lexis:
    """How one engine reads text: patterns for a comment, a text, a name and what it never has."""

    comment: str
    text: str
    name: str
    refused: str = r"(?!)"
    nests_comments: bool = False

    def pattern(self) -> re.Pattern[str]:
        """All of it as one pattern, the first fitting alternative being the engine's choice."""
        return re.compile(
            rf"(?P<refused>{self.refused})|(?P<comment>{self.comment})|(?P<gap>[ \t\n\r\f]+)"
            rf"|(?P<text>{self.text})|(?P<name>{self.name})|(?P<word>{_WORD})|(?P<other>.)",
            re.DOTALL,
        )


_ENGINES = {
    # A variable of SQLite may end in parentheses that hold anything but white space.
    "sqlite": Lexis(
        r"--[^\n]*|/\*.*?(?:\*/|\Z)",
        rf"[xX]?{_PLAIN}",
        rf"{_QUOTED}|{_TICKED}|\[[^\]]*\]",
        r"[$@#:?][\w$:]*\(",
    ),
    # A second piece of an E'' text on the next line is read with its escapes, too; names with
    # U& may spell any name.
    "postgres": Lexis(
        _LINE,
        rf"[eE]{_ESCAPED}|(?:[nNbBxX]|[uU]&)?{_PLAIN}|{_DOLLARS}",
        _QUOTED,
        rf'[uU]&"|[eE]{_ESCAPED}\s*[\n\r]\s*\'',
        nests_comments=True,
    ),
    "duckdb": Lexis(
        rf"{_LINE}|{_BLOCK}",
        rf"[eE]{_ESCAPED}|[nNbBxX]?{_PLAIN}|{_DOLLARS}",
        _QUOTED,
        rf"`|[eE]{_ESCAPED}\s*[\n\r]\s*'",
    ),
    # MySQL executes /*! */ and obeys /*+ */; "--" begins a comment only before white space.
    "mysql": Lexis(
        rf"--(?=[\s\x00-\x1f]|\Z)[^\n]*|#[^\n]*|{_BLOCK}",
        rf"[nNxXbB]?{_ESCAPED}|" + _ESCAPED.replace("'", '"'),
        _TICKED,
        r"/\*[!+]|/\*M!|--(?![\s\x00-\x1f]|\Z)|@",
    ),
    # Spark puts in the value of ${name} before it reads the statement, even within a text.
    "spark": Lexis(
        r"--(?:\\\n|[^\n\r])*",
        r"""[rR]'[^']*'|[rR]"[^"]*"|[xX]?'(?:[^'\\]|\\.)*'|[xX]?"(?:[^"\\]|\\.)*\"""",
        _TICKED,
        r"\$\{",
        nests_comments=True,
    ),
}
# For the others, only what they all read alike.
_ANY = Lexis(
    rf"{_LINE}|{_BLOCK}",
    rf"[nN]?{_PLAIN}",
    rf"{_QUOTED}|{_TICKED}|\[[^\]'\"]*\]",
    r"\\|#|\$\$|\$\{|@@|'[^']*\\|\"[^\"]*\\|/\*(?:[!+]|(?:(?!\*/).)*/\*)|--(?![ \t\n\r]|\Z)",
)
# "@" is a stage of files in Snowflake, and another database in Oracle.
_ENGINES |= {name: replace(_ANY, refused=rf"{_ANY.refused}|@") for name in ("snowflake", "oracle")}
_PATTERNS = {engine: lexis.pattern() for engine, lexis in _ENGINES.items()}
_ANY_PATTERN = _ANY.pattern()
_NESTED = re.compile(r"/\*|\*/")
_COMMENT_OPENS = re.compile(r"/\*(?!\+)")
_SUBSTITUTION = re.compile(r"\$\{")


def find_doubt(sql: str, tokens: Sequence[Token], dialect: str) -> Doubt | None:
    """The first part that the engine may read otherwise than sqlglot has done."""
    if dialect == "spark" and _SUBSTITUTION.search(sql):
        return Doubt("forbidden-syntax", "Spark puts a setting in the place of ${: leave it out")
    covered = bytearray(len(sql))
    whole: set[tuple[int, int, bool]] = set()
    for token in tokens:
        end = token.end + 1
        covered[token.start : end] = b"\x01" * (end - token.start)
        if token.token_type in _STRINGS or token.token_type == TokenType.IDENTIFIER:
            whole.add((token.start, end, token.token_type == TokenType.IDENTIFIER))
    for kind, start, end in _lexemes(sql, dialect):
        part = sql[start:end]
        if kind == "refused":
            return Doubt("forbidden-syntax", f"{dialect} gives {_shown(part)} a meaning: remove it")
        if _is_stray(kind, part):
            return Doubt("unparsable", f"remove the character {_shown(part)}")
        if _is_misread(kind, covered[start:end]) or (
            kind in ("text", "name") and not _is_one_token(kind, start, end, sql, whole)
        ):
            return Doubt("unparsable", f"it is not clear where {_shown(part)} belongs or ends")
    return None


def _lexemes(sql: str, dialect: str) -> Iterator[tuple[str, int, int]]:
    """The kind, start and end of each piece of ``sql`` as the engine reads it."""
    lexis = _ENGINES.get(dialect, _ANY)
    pattern = _PATTERNS.get(dialect, _ANY_PATTERN)
    place = 0
    while place < len(sql):
        if (
            lexis.nests_comments
            and sql.startswith("/*", place)
            and sql[place + 2 : place + 3] != "+"
        ):
            end = _end_of_nested(sql, place)
            yield "comment", place, end
        else:
            found = pattern.match(sql, place)
            # Every pattern ends in "any character".
            kind, end = (str(found.lastgroup), found.end()) if found else ("other", place + 1)
            kind = "text" if kind == "tag" else kind
            yield kind, place, end
        place = end


def _end_of_nested(sql: str, start: int) -> int:
    depth = 0
    for mark in _NESTED.finditer(sql, start):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)


def _is_misread(kind: str, covered: bytearray) -> bool:
    """Whether a comment is code for sqlglot, or code a comment."""
    return any(covered) if kind == "comment" else kind in ("word", "other") and not all(covered)


def _is_stray(kind: str, part: str) -> bool:
    """Whether outside of texts and comments there is a character that is no letter or sign."""
    if kind in ("word", "other"):
        return any(not (c.isalnum() or c == "_") if c > "\x7f" else c < " " for c in part)
    return False


def _is_one_token(
    kind: str, start: int, end: int, sql: str, whole: set[tuple[int, int, bool]]
) -> bool:
    # In SQLite, a name may be quoted as a text is; sqlglot gives such a text back as one.
    exact = (start, end, kind == "name")
    inner = next((i for i in range(start, end) if sql[i] in "'\""), start)
    return exact in whole or (inner, end, kind == "name") in whole


def _shown(part: str) -> str:
    text = part if part.isprintable() else part.encode("unicode_escape").decode("ascii")
    return text if len(text) <= 20 else text[:17] + "..."
