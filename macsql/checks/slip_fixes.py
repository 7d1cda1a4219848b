"""Cures for signs that are one too many, one too few, or not SQL's own."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.text import Edit, Statement, apply_edits, read

_SIGNS = {"\u2260": "<>", "\u2265": ">=", "\u2264": "<=", "\\_": "_"}
_FOREIGN = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|([\u2260\u2264\u2265]|\\_)")
"""Signs of type and of Markdown, and the quoted texts in which they may stand."""
_CLAUSES = frozenset(
    {
        *(TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY),
        *(TokenType.LIMIT, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT),
    }
)
_AFTER_OPERAND = _CLAUSES | {
    *(TokenType.COMMA, TokenType.FROM, TokenType.ALIAS, TokenType.R_PAREN, TokenType.AND),
    *(TokenType.OR, TokenType.ASC, TokenType.DESC, TokenType.EQ, TokenType.NEQ, TokenType.GT),
    *(TokenType.GTE, TokenType.LT, TokenType.LTE, TokenType.PLUS, TokenType.DASH),
    *(TokenType.STAR, TokenType.SLASH, TokenType.IN, TokenType.NOT, TokenType.SEMICOLON),
}
_UNFINISHED = frozenset(
    {
        *(TokenType.COMMA, TokenType.L_PAREN, TokenType.DOT, TokenType.AND, TokenType.OR),
        *(TokenType.EQ, TokenType.NEQ, TokenType.GT, TokenType.GTE, TokenType.LT, TokenType.LTE),
        *(TokenType.PLUS, TokenType.DASH, TokenType.SLASH, TokenType.NOT, TokenType.IN),
        *(TokenType.DISTINCT, TokenType.SELECT, TokenType.FROM, TokenType.WHERE),
    }
)
_MOST = 3


def slip_fixes(statement: Statement) -> Iterator[Fix]:
    """Changes of single signs, likeliest first."""
    yield from _signs(statement)
    yield from _commas(statement)
    yield from _second_where(statement)
    yield from _minus(statement)
    depth = _surplus(statement.tokens)
    if depth == 1:
        yield from _closed(statement)
    elif depth == -1:
        yield from _removed(statement)


def _signs(statement: Statement) -> Iterator[Fix]:
    """``\u2260`` and its like, outside of texts."""
    edits = tuple(
        Edit(*found.span(), _SIGNS[found[1]])
        for found in _FOREIGN.finditer(statement.sql)
        if found[1]
    )
    if edits:
        yield Fix(edits, 0.2, "wrote a sign as SQL has it")


def _commas(statement: Statement) -> Iterator[Fix]:
    """``FROM pupil, WHERE``."""
    pairs = pairwise(statement.tokens)
    edits = tuple(
        Edit(one.start, one.end + 1, "")
        for one, other in pairs
        if one.token_type is TokenType.COMMA and other.token_type in _CLAUSES
    )
    if edits:
        yield Fix(edits, 0.3, "removed a comma")


def _second_where(statement: Statement) -> Iterator[Fix]:
    """``WHERE a = 1 WHERE b = 2`` asks for both."""
    inside: list[bool] = [False]
    edits = []
    for token in statement.tokens:
        if token.token_type is TokenType.L_PAREN:
            inside.append(False)
        elif token.token_type is TokenType.R_PAREN and len(inside) > 1:
            inside.pop()
        elif token.token_type is TokenType.WHERE and inside[-1]:
            edits.append(Edit(token.start, token.end + 1, "AND"))
        elif token.token_type in _CLAUSES or token.token_type is TokenType.SELECT:
            inside[-1] = token.token_type is TokenType.WHERE
    if edits:
        # An OR before it would take the second condition for its own.
        is_certain = all(t.token_type is not TokenType.OR for t in statement.tokens)
        yield Fix(tuple(edits), 0.5, "made one WHERE of two", is_certain)


def _minus(statement: Statement) -> Iterator[Fix]:
    """MINUS of Oracle is EXCEPT; it reads as the alias of a table."""
    pairs = pairwise(statement.tokens)
    edits = tuple(
        Edit(one.start, one.end + 1, "EXCEPT")
        for one, other in pairs
        if one.text.upper() == "MINUS" and other.token_type is TokenType.SELECT
    )
    if edits:
        yield Fix(edits, 0.3, "MINUS written as EXCEPT")


# Parentheses ------------------------------------------------------------------------------------


def _surplus(tokens: Sequence[Token]) -> int:
    kinds = [t.token_type for t in tokens]
    return kinds.count(TokenType.L_PAREN) - kinds.count(TokenType.R_PAREN)


def _closed(statement: Statement) -> Iterator[Fix]:
    """Closed where an operand ends, if the whole can be read then: a call as soon as possible, a
    sub-query as late.
    """
    tokens = statement.tokens
    for opening in _openings(tokens):
        is_query = tokens[opening + 1].token_type is TokenType.SELECT
        ends = [
            tokens[i].end + 1
            for i in range(opening + 1, len(tokens))
            if tokens[i].token_type not in _UNFINISHED
            and (i + 1 == len(tokens) or tokens[i + 1].token_type in _AFTER_OPERAND)
        ]
        readable = [
            edit
            for end in (reversed(ends) if is_query else ends)
            if _reads(statement, edit := Edit(end, end, ")"))
        ]
        if readable:
            yield from (
                Fix((edit,), 0.8 + 0.1 * rank, "closed a parenthesis")
                for rank, edit in enumerate(readable[:_MOST])
            )
            return


def _openings(tokens: Sequence[Token]) -> list[int]:
    """The parenthesis left open, then those that may have been closed in its place, the innermost
    first.
    """
    opened: list[int] = []
    every = [i for i, t in enumerate(tokens[:-1]) if t.token_type is TokenType.L_PAREN]
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(index)
        elif token.token_type is TokenType.R_PAREN and opened:
            opened.pop()
    return [*(i for i in opened if i in every), *(i for i in reversed(every) if i not in opened)]


def _removed(statement: Statement) -> Iterator[Fix]:
    """The first parenthesis that closes nothing, or one before it."""
    depth, places = 0, []
    for token in statement.tokens:
        if token.token_type is TokenType.R_PAREN:
            depth -= 1
            places.append(token)
        depth += token.token_type is TokenType.L_PAREN
        if depth < 0:
            break
    edits = [Edit(t.start, t.end + 1, "") for t in reversed(places)]
    readable = [edit for edit in edits if _reads(statement, edit)]
    for rank, edit in enumerate(readable[:_MOST]):
        yield Fix((edit,), 0.8 + 0.1 * rank, "removed a parenthesis")


def _reads(statement: Statement, edit: Edit) -> bool:
    text = apply_edits(statement.sql, [edit])
    return text is not None and read(text, statement.dialect).tree is not None
