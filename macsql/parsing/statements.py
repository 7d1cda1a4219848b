"""What sqlglot says of a piece of SQL: its tree, whether it is whole, a query, prose."""

from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import SqlglotError

from macsql.parsing.lexer import Token, split_statements, tokens
from macsql.parsing.words import ARTICLES, CERTAIN, OPEN_CHARS, OPEN_WORDS, STATEMENT, WRITE

MAX_PARSED = 50_000
"""Longest statement, in characters, that is parsed to see whether it is one."""
_MAX_NESTING = 200


def parse(sql: str, dialect: str) -> exp.Expr | None:
    """The tree of one statement, or None when it is not one or too big to say."""
    if not _is_parsable(sql, dialect):
        return None
    try:
        return sqlglot.parse_one(sql, dialect=dialect or None)
    except (SqlglotError, RecursionError, ValueError):
        return None


def _is_parsable(sql: str, dialect: str) -> bool:
    return len(sql) <= MAX_PARSED and _nesting(sql, dialect) <= _MAX_NESTING


def error_position(sql: str, dialect: str) -> int | None:
    """Where the parser stumbles over ``sql``; None when it does not, or cannot say."""
    if not _is_parsable(sql, dialect):
        return None
    try:
        sqlglot.parse_one(sql, dialect=dialect or None)
    except SqlglotParseError as error:
        place = error.errors[0] if error.errors else {}
        lines = sql.split("\n")[: (place.get("line") or 1) - 1]
        column = (place.get("col") or 0) - len(place.get("highlight") or "")
        return max(0, sum(len(line) + 1 for line in lines) + column) if place else None
    except (SqlglotError, RecursionError, ValueError):
        return None
    return None


def is_read(sql: str, dialect: str) -> bool:
    """Whether this is certainly one complete query that changes nothing."""
    tree = parse(sql, dialect)
    writes = (exp.DML, exp.Into, exp.DDL, exp.Command)
    if not isinstance(tree, exp.Query):
        return False
    return all(isinstance(node, exp.Query) for node in tree.find_all(*writes))


def _nesting(sql: str, dialect: str) -> int:
    depth = deepest = 0
    for token in tokens(sql, dialect):
        if token.text == "(" or token.text.upper() == "CASE":
            depth += 1
            deepest = max(deepest, depth)
        elif token.text == ")" or token.text.upper() == "END":
            depth -= 1
    return deepest


def ends_open(sql: str, dialect: str) -> bool:
    """Whether the text stops where SQL has to go on: after a comma, an operator, a keyword."""
    last = None
    for token in tokens(sql, dialect):
        if token.kind == "open":
            return True
        if token.kind not in ("space", "comment"):
            last = token
    return last is not None and last.text != "*" and is_open(last)


def is_open(token: Token) -> bool:
    """Whether SQL has to go on after ``token``."""
    if token.kind == "word":
        return token.text.upper() in OPEN_WORDS
    return token.kind == "char" and token.text in OPEN_CHARS


def statement_in(block: str, dialect: str) -> str:
    """The statement that a block of SQL stands for; ``block`` begins with one.

    Of several queries it is the last. With anything but queries among them it is the whole text,
    so that the guard sees, and refuses, all that the model wrote.
    """
    every = split_statements(block, dialect)
    pieces = [p for p in every if STATEMENT.match(p)]
    if any(WRITE.search(p) for p in every if p not in pieces):
        return block.rstrip("; \n\t")
    if len(pieces) == 1:
        return pieces[0]
    chosen = last_read(pieces, dialect) if pieces else None
    return block.rstrip("; \n\t") if chosen is None else chosen


def last_read(statements: list[str], dialect: str) -> str | None:
    """The last of several statements, or None when one of them may change something.

    The last one need not be correct, since it is the one that is shown to the guard.
    """
    *earlier, last = statements
    if not all(is_read(s, dialect) for s in earlier):
        return None
    begins = CERTAIN.match(last) and not WRITE.match(last)
    is_shown = is_read(last, dialect) or (begins and parse(last, dialect) is None)
    return last if is_shown or not earlier else None


def is_plausible(sql: str, dialect: str) -> bool:
    """Whether ``sql`` is a whole statement, and not a sentence that happens to parse as one."""
    tree = parse(sql, dialect)
    if tree is None or not isinstance(tree, exp.Query | exp.DML):
        return False
    if isinstance(tree, exp.Select) and not tree.expressions and not tree.args.get("from_"):
        return False
    if isinstance(tree, exp.Query) and not tree.find(exp.From) and _names_columns(tree):
        return False
    return not _reads_like_prose(sql, dialect)


def _names_columns(tree: exp.Expr) -> bool:
    columns = (c.this for c in tree.find_all(exp.Column))
    return any(isinstance(c, exp.Identifier) and not c.args.get("quoted") for c in columns)


def _reads_like_prose(sql: str, dialect: str) -> bool:
    words: list[Token] = [t for t in tokens(sql, dialect) if t.kind not in ("space", "comment")]
    for first, second in pairwise(words):
        opens = first.text.upper() in ("SELECT", "DISTINCT", "ALL", "FROM", "JOIN")
        if opens and second.kind == "word" and second.text.casefold() in ARTICLES:
            return True
    return False
