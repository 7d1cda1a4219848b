"""The first lock: a statement is one query, made only of kinds and functions known to be harmless.

Everything here is an allow-list. What cannot be read, or is not listed, is refused.
"""

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.parser import Parser

from macsql.database.engines import dialect_name
from macsql.database.functions import names
from macsql.database.guard_lexis import find_doubt
from macsql.database.guard_tree import Rules, check_tree
from macsql.errors import UnsafeSQLError

MAX_CHARACTERS = 200_000
MAX_TOKENS = 110_000
MAX_NESTING = 200
MAX_TYPE_NESTING = 12
"""Brackets after a type's name, as in DECIMAL(DECIMAL(1)): each level doubles the parser's time."""
MAX_STEPS_PER_TOKEN = 2
MIN_STEPS = 4_000

_QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES", "(", "FROM"})
_WRITE_STARTS = names(
    "INSERT UPDATE DELETE REPLACE MERGE UPSERT CREATE DROP ALTER TRUNCATE RENAME GRANT REVOKE COPY"
    " LOAD IMPORT EXPORT VACUUM REINDEX ANALYZE ATTACH DETACH INSTALL CALL EXEC EXECUTE DO LOCK"
    " COMMENT REFRESH CLUSTER"
)
# T-SQL needs no semicolon between statements; these are reserved, so no name or alias is meant.
_TSQL_WRITES = names(
    "INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE GRANT REVOKE DENY EXEC EXECUTE BACKUP"
    " RESTORE BULK KILL SHUTDOWN RECONFIGURE DBCC USE SET DECLARE WAITFOR BEGIN COMMIT ROLLBACK"
    " CHECKPOINT REVERT SETUSER RAISERROR PRINT SAVE DUMP LOAD OPEN CLOSE DEALLOCATE READTEXT"
    " WRITETEXT UPDATETEXT RETURN GOTO WHILE"
)
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END)
# What sqlglot fails with when a function has too few or too many arguments for it.
_PARSER_FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
# Where INTO is an ordinary name.
_INTO_IS_A_NAME = frozenset({"spark", "databricks", "hive", "bigquery"})


class _TooManySteps(Exception):
    """The parser goes back and forth: for some texts, a time that doubles with each character."""


def guard_sql(
    sql: str, dialect: str, *, functions: Collection[str] = (), catalog: bool = False
) -> str:
    """``sql`` without surrounding space and closing semicolons, if it is one harmless query.

    The text is otherwise unchanged: what was checked is what will run. ``functions`` may be called
    besides those on the list ("schema.name" for one called so); ``catalog`` permits the system
    tables. Raises UnsafeSQLError with a message for people and one of these as ``reason``:
    too-long, too-complex, unparsable, not-a-query, several-statements, writes, forbidden-function,
    forbidden-syntax, system-catalog, file-access. Raises ConfigError on an unknown dialect.

    >>> guard_sql("SELECT replace(a, 'x', 'y') FROM t; -- done", "sqlite")
    "SELECT replace(a, 'x', 'y') FROM t"
    """
    dialect = dialect_name(dialect)
    rules = Rules(dialect, frozenset(name.lower() for name in functions), catalog)
    try:
        tokens = _tokens(sql, dialect)
        tokens = _one_statement(sql, tokens, dialect)
        trees = _parse(sql, tokens, dialect)
        for tree in trees:
            if tree is not None:
                check_tree(tree, sql, tokens, rules)
    except (RecursionError, _TooManySteps):
        raise _refusal(sql, "too-complex", "The statement is nested too deeply.") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query | exp.Values):
        raise _refusal(sql, "not-a-query", "Only queries may be run: begin with SELECT or WITH.")
    return sql[: tokens[-1].end + 1].strip()


def _refusal(sql: str, reason: str, message: str) -> UnsafeSQLError:
    return UnsafeSQLError(message, sql=sql, reason=reason)


def _tokens(sql: str, dialect: str) -> list[Token]:
    if len(sql) > MAX_CHARACTERS:
        raise _refusal(
            sql,
            "too-long",
            f"The statement has {len(sql):,} characters; at most {MAX_CHARACTERS:,} are allowed.",
        )
    if "\x00" in sql or not _is_encodable(sql):
        raise _refusal(sql, "unparsable", "The statement has characters that no SQL can hold.")
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError as error:
        raise _refusal(
            sql, "unparsable", "The statement ends inside a text, name or comment: close it."
        ) from error
    if len(tokens) > MAX_TOKENS:
        raise _refusal(
            sql,
            "too-long",
            f"The statement has {len(tokens):,} words and signs; at most {MAX_TOKENS:,} may be.",
        )
    _check_nesting(sql, tokens)
    return tokens


def _check_nesting(sql: str, tokens: Sequence[Token]) -> None:
    open_after_type: list[bool] = []
    types = 0
    before = None
    for token in tokens:
        if token.token_type in _OPENING:
            open_after_type.append(before in Parser.TYPE_TOKENS)
            types += open_after_type[-1]
        elif token.token_type in _CLOSING and open_after_type:
            types -= open_after_type.pop()
        before = token.token_type
        if len(open_after_type) > MAX_NESTING or types > MAX_TYPE_NESTING:
            raise _refusal(sql, "too-complex", "The statement is nested too deeply.")


def _is_encodable(sql: str) -> bool:
    try:
        sql.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _one_statement(sql: str, tokens: list[Token], dialect: str) -> list[Token]:
    """The tokens without the closing semicolons."""
    words = list(tokens)
    while words and words[-1].token_type == TokenType.SEMICOLON:
        words.pop()
    if not words:
        raise _refusal(sql, "not-a-query", "There is no SQL statement.")
    first = words[0].text.upper()
    if first not in _QUERY_STARTS:
        reason = "writes" if first in _WRITE_STARTS else "not-a-query"
        word = repr(words[0].text[:30])
        raise _refusal(
            sql, reason, f"Only queries may be run: begin with SELECT or WITH, not with {word}."
        )
    doubt = find_doubt(sql, tokens, dialect)
    if doubt is not None:
        raise _refusal(sql, doubt.reason, f"The statement can be read in two ways: {doubt.advice}.")
    if any(word.token_type == TokenType.SEMICOLON for word in words):
        raise _refusal(
            sql, "several-statements", "Only one statement may be run: remove what follows the ';'."
        )
    # sqlglot leaves out what stands before some of these.
    if any(word.token_type == TokenType.PIPE_GT for word in words):
        raise _refusal(
            sql, "forbidden-syntax", "The pipe |> is not allowed: write SELECT … FROM (…)."
        )
    if _has_write_word(words, dialect):
        raise _refusal(sql, "writes", "Only reading is allowed; the statement has more than that.")
    return words


def _has_write_word(words: Sequence[Token], dialect: str) -> bool:
    """Whether there is a reserved word that can only mean a write, wherever the parser puts it."""
    if dialect == "tsql" and any(w.text.upper() in _TSQL_WRITES for w in words if _is_bare(w)):
        return True
    if dialect in _INTO_IS_A_NAME:
        return False
    return any(
        word.token_type == TokenType.INTO and before.token_type != TokenType.DOT
        for before, word in pairwise(words)
    )


def _is_bare(token: Token) -> bool:
    return token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)


def _parse(sql: str, tokens: list[Token], dialect: str) -> list[exp.Expr | None]:
    parser = _parser_class(dialect)(dialect=Dialect.get_or_raise(dialect))
    if hasattr(parser, "steps_left"):
        parser.steps_left = MIN_STEPS + MAX_STEPS_PER_TOKEN * len(tokens)
    try:
        return list(parser.parse(tokens, sql))
    except (SqlglotError, *_PARSER_FAULTS) as error:
        raise _refusal(sql, "unparsable", _syntax_error(error)) from error


@cache
def _parser_class(dialect: str) -> Any:
    """The parser of ``dialect``, with an end to its patience.

    The compiled parser of ``sqlglot[c]`` cannot be extended: then the bounds on nesting alone hold.
    """
    base: type[Parser] = Dialect.get_or_raise(dialect).parser_class
    bounded = _bounded(base)
    try:
        bounded(dialect=dialect)
    except TypeError:
        return base
    return bounded


def _bounded(base: type[Parser]) -> Any:
    class BoundedParser(base):  # type: ignore[misc, valid-type]
        steps_left = 0

        def _advance(self, times: int = 1) -> None:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise _TooManySteps
            super()._advance(times)

        def _warn_unsupported(self) -> None:
            """The statement is refused; it does not belong in a log."""

    return BoundedParser


def _syntax_error(error: Exception) -> str:
    first: dict[str, Any] = next(iter(getattr(error, "errors", ())), {})
    near = " ".join(f"{first.get('start_context') or ''}{first.get('highlight') or ''}".split())
    where = f' near "…{near[-60:]}"' if near else ""
    what = str(first.get("description") or "it cannot be read").rstrip(".")
    return f"Syntax error{where}: {what[:1].lower()}{what[1:]}."
