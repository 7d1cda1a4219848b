"""Cures for text that cannot be read: names to quote, other dialects, small slips of writing."""

import re
from collections.abc import Iterator
from itertools import pairwise

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.slip_fixes import slip_fixes
from macsql.checks.text import SQLITE_RESERVED, Edit, Statement, quote
from macsql.schema import Schema

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPLIT_OPERATORS = {(">", "="), ("<", "="), ("!", "="), ("<", ">"), ("=", "=")}
_DANGLING = frozenset(
    {
        TokenType.COMMA,
        TokenType.WHERE,
        TokenType.AND,
        TokenType.OR,
        TokenType.ON,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.HAVING,
    }
)
_SET_OPERATIONS = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})
_BEFORE_SELECT = _SET_OPERATIONS | {TokenType.ALL, TokenType.DISTINCT, TokenType.L_PAREN}
_AFTER_LIMIT = frozenset({TokenType.OFFSET, TokenType.COMMA, TokenType.SEMICOLON})
_OTHER_DIALECTS = ("mysql", "tsql", "postgres", "oracle", "duckdb")


def syntax_fixes(statement: Statement, schema: Schema) -> list[Fix]:
    """Changes after which the text may be readable, cheapest first."""
    fixes = [
        *slip_fixes(statement),
        *_single_statement(statement),
        *_quoted_names(statement, schema),
        *_operators(statement),
        *_limits(statement),
        *_comment(statement),
        *top_fixes(statement),
        *_parentheses(statement),
        *_dangling(statement),
        *_from_other_dialect(statement),
    ]
    return sorted(fixes, key=lambda f: f.cost)


def _single_statement(statement: Statement) -> Iterator[Fix]:
    """The first of several statements; text after it is mostly chatter."""
    ends = [t.start for t in statement.tokens if t.token_type is TokenType.SEMICOLON]
    if ends and ends[0] < statement.tokens[-1].start:
        edit = Edit(ends[0], len(statement.sql), "")
        yield Fix((edit,), 1.0, "kept the first statement")
    elif (end := _second_select(statement)) is not None:
        edit = Edit(end, len(statement.sql), "")
        yield Fix((edit,), 1.0, "kept the first statement", is_certain=False)


def _second_select(statement: Statement) -> int | None:
    """Where a statement ends that another SELECT follows without a semicolon."""
    depth, tokens = 0, statement.tokens
    if not tokens or tokens[0].token_type is not TokenType.SELECT:
        return None
    for before, token in pairwise(tokens):
        depth += (before.token_type is TokenType.L_PAREN) - (before.token_type is TokenType.R_PAREN)
        continues = before.token_type in _BEFORE_SELECT
        if token.token_type is TokenType.SELECT and depth == 0 and not continues:
            return before.end + 1
    return None


# Names to quote -------------------------------------------------------------------------------


def _quoted_names(statement: Statement, schema: Schema) -> Iterator[Fix]:
    """Names with spaces, signs or reserved words that stand in the text without quotes."""
    places: list[Edit] = []
    for name in sorted(_names_to_quote(schema), key=len, reverse=True):
        for start, end in _occurrences(statement, name):
            if all(end <= e.start or start >= e.end for e in places):
                places.append(Edit(start, end, quote(name, statement.dialect, always=True)))
    if not places:
        return
    shown = ", ".join(dict.fromkeys(e.text for e in places))
    yield Fix(tuple(places), 0.6, f"quoted {shown}")
    for edit in places if len(places) > 1 else ():
        yield Fix((edit,), 0.7, f"quoted {edit.text}")


def _names_to_quote(schema: Schema) -> set[str]:
    names = {t.name for t in schema.tables} | {c.name for t in schema.tables for c in t.columns}
    return {n for n in names if not _BARE.fullmatch(n) or n.lower() in SQLITE_RESERVED}


def _occurrences(statement: Statement, name: str) -> Iterator[tuple[int, int]]:
    try:
        wanted = [t.text.casefold() for t in sqlglot.tokenize(name, read=statement.dialect)]
    except SqlglotError:
        return
    tokens = statement.tokens
    for first in range(len(tokens) - len(wanted) + 1):
        run = tokens[first : first + len(wanted)]
        if [t.text.casefold() for t in run] == wanted and not any(map(_is_quoted, run)):
            yield run[0].start, run[-1].end + 1


def _is_quoted(token: Token) -> bool:
    in_quotes = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
    return in_quotes or token.end + 1 - token.start > len(token.text)


# Slips of writing -----------------------------------------------------------------------------


def _operators(statement: Statement) -> Iterator[Fix]:
    """``> =`` for ``>=``."""
    edits = [
        Edit(one.start, other.end + 1, (one.text + other.text).replace("==", "="))
        for one, other in pairwise(statement.tokens)
        if (one.text, other.text) in _SPLIT_OPERATORS
    ]
    if edits:
        yield Fix(tuple(edits), 0.3, "joined a split operator")


def _limits(statement: Statement) -> Iterator[Fix]:
    """``LIMIT 2 - n % 2``, whose sign the parser takes for PERCENT outside of parentheses."""
    tokens, edits = statement.tokens, []
    for index, token in enumerate(tokens):
        if token.token_type not in (TokenType.LIMIT, TokenType.OFFSET):
            continue
        last, depth = index, 0
        for other in tokens[index + 1 :]:
            depth -= other.token_type is TokenType.R_PAREN
            if depth < 0 or (depth == 0 and other.token_type in _AFTER_LIMIT):
                break
            depth += other.token_type is TokenType.L_PAREN
            last += 1
        number = tokens[index + 1 : last + 1]
        if any(t.token_type is TokenType.MOD for t in number):
            begin, end = number[0].start, number[-1].end + 1
            edits += [Edit(begin, begin, "("), Edit(end, end, ")")]
    if edits:
        yield Fix(tuple(edits), 0.2, "put the number of rows in parentheses")


def _comment(statement: Statement) -> Iterator[Fix]:
    """A comment that is not closed goes on to the end."""
    opening = statement.sql.rfind("/*")
    if not statement.tokens and opening >= 0 and statement.sql.find("*/", opening + 2) < 0:
        end = len(statement.sql)
        yield Fix((Edit(end, end, " */"),), 0.2, "closed a comment")


def top_fixes(statement: Statement) -> Iterator[Fix]:
    """SELECT TOP 5 … of SQL Server, or TOP(5), is LIMIT 5 at the end."""
    tokens = statement.tokens
    if any(t.token_type in _SET_OPERATIONS for t in tokens):
        return
    for index, word in enumerate(tokens):
        kinds = [t.token_type for t in tokens[:index]]
        is_inside = kinds.count(TokenType.L_PAREN) > kinds.count(TokenType.R_PAREN)
        found = _top_number(statement, index)
        if found is None or is_inside:
            continue
        number, after = found
        if any(t.text.upper() in ("WITH", "PERCENT") for t in tokens[after : after + 1]):
            continue
        end = len(statement.sql.rstrip().rstrip(";"))
        edits = (
            Edit(word.start, tokens[after - 1].end + 2, ""),
            Edit(end, end, f" LIMIT {number}"),
        )
        yield Fix(edits, 0.5, "TOP written as LIMIT")
        return


def _top_number(statement: Statement, index: int) -> tuple[str, int] | None:
    """The number of TOP 5 or TOP(5) at a token, and the index of the token after it."""
    tokens = statement.tokens
    word, *rest = tokens[index : index + 4]
    kinds = [t.token_type for t in rest]
    if word.text.upper() != "TOP":
        return None
    if kinds[:1] == [TokenType.NUMBER]:
        return rest[0].text, index + 2
    if kinds == [TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN]:
        return rest[1].text, index + 4
    return None


def _parentheses(statement: Statement) -> Iterator[Fix]:
    """Several that are not closed: at the end."""
    kinds = [t.token_type for t in statement.tokens]
    surplus = kinds.count(TokenType.L_PAREN) - kinds.count(TokenType.R_PAREN)
    end = len(statement.sql.rstrip().rstrip(";"))
    if 1 < surplus <= 3:
        yield Fix((Edit(end, end, ")" * surplus),), 1.0, "closed a parenthesis")


def _dangling(statement: Statement) -> Iterator[Fix]:
    """A clause that was begun and not written: ``… WHERE`` at the end, a comma before FROM."""
    tokens = statement.tokens
    for one, other in zip(tokens, [*tokens[1:], None], strict=False):
        before_from = (
            one.token_type is TokenType.COMMA
            and other is not None
            and other.token_type is TokenType.FROM
        )
        if before_from or (other is None and one.token_type in _DANGLING):
            yield Fix((Edit(one.start, one.end + 1, ""),), 1.0, f"removed {one.text}")


def _from_other_dialect(statement: Statement) -> Iterator[Fix]:
    """What another dialect can read is written again in this one."""
    for dialect in _OTHER_DIALECTS:
        if dialect == statement.dialect or statement.dialect == "":
            continue
        try:
            [text] = sqlglot.transpile(
                statement.sql,
                read=dialect,
                write=statement.dialect,
                unsupported_level=sqlglot.ErrorLevel.RAISE,
            )
        except (SqlglotError, ValueError, RecursionError, IndexError, AttributeError):
            continue
        edit = Edit(0, len(statement.sql), text)
        yield Fix((edit,), 2.0, f"translated from {dialect}")
        return
