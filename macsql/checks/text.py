"""SQL as text, tokens and tree at once, so that a repair can edit the text and keep the rest."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from macsql.message import Finding

MAX_CHARACTERS = 50_000
"""Longer statements are not checked: the time would be better spent on asking the database."""

_ALIASES = {
    "": "sqlite",
    "sqlite3": "sqlite",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "databricks+connector": "databricks",
}

# Words that SQLite refuses as a bare column or table name (found by trying all its keywords).
_RESERVED = (
    "add all alter and as autoincrement between case check collate commit constraint "
    "create default deferrable delete distinct drop else escape except exists foreign "
    "from group having in index insert intersect into is isnull join limit not "
    "nothing notnull null on or order primary references returning select set table "
    "then to transaction union unique update using values when where "
)
SQLITE_RESERVED = frozenset(_RESERVED.split())

_CLAUSE_ENDS = frozenset(
    {
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.FETCH,
        TokenType.OFFSET,
        TokenType.WINDOW,
        TokenType.QUALIFY,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
        TokenType.SEMICOLON,
    }
)
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its text, its tokens, and its tree when it is a readable query.

    ``problem`` says why there is no tree; it is None for a statement that has one and for one that
    is not a query at all, which is not this package's business.
    """

    sql: str
    dialect: str
    tokens: tuple[Token, ...] = ()
    tree: exp.Query | None = None
    problem: Finding | None = None


def sqlglot_dialect(name: str) -> str:
    """The name sqlglot has for a dialect.

    >>> sqlglot_dialect("PostgreSQL")
    'postgres'
    """
    folded = name.strip().lower()
    folded = _ALIASES.get(folded, folded)
    return folded if folded in sqlglot.Dialects._value2member_map_ else ""


@lru_cache(maxsize=256)
def read(sql: str, dialect: str) -> Statement:
    """Tokens and tree of ``sql``; never raises."""
    dialect = sqlglot_dialect(dialect)
    if len(sql) > MAX_CHARACTERS:
        return Statement(sql, dialect)
    try:
        reader = sqlglot.Dialect.get_or_raise(dialect)
        tokens = tuple(reader.tokenize(sql))
    except (SqlglotError, ValueError, IndexError) as error:
        return Statement(sql, dialect, problem=_syntax(str(error)))
    if not tokens:
        return Statement(sql, dialect, problem=_syntax("the statement is empty"))
    if not _opens_query(tokens):
        return Statement(sql, dialect, tokens, problem=_no_query())
    try:
        trees = reader.parser().parse(list(tokens), sql)
    except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError) as error:
        return Statement(sql, dialect, tokens, problem=_parse_problem(error, sql))
    # A comment after the last ";" is kept by the parser as a statement of its own.
    kept = [t for t in trees if t is not None and not isinstance(t, exp.Semicolon)]
    return _one_query(sql, dialect, tokens, kept)


def _one_query(
    sql: str, dialect: str, tokens: tuple[Token, ...], trees: list[exp.Expr]
) -> Statement:
    if len(trees) > 1:
        finding = Finding(
            "several-statements", "error", "more than one statement", "send a single SELECT"
        )
        return Statement(sql, dialect, tokens, problem=finding)
    if trees and isinstance(trees[0], exp.Values):
        # Rows without a table: a query, in which there is nothing to check.
        return Statement(sql, dialect, tokens)
    if not trees or not isinstance(trees[0], exp.Query):
        return Statement(sql, dialect, tokens, problem=_no_query())
    _spell_out_negations(trees[0])
    return Statement(sql, dialect, tokens, trees[0])


def _spell_out_negations(tree: exp.Query) -> None:
    """Make ``x NOT LIKE y`` and ``x IS NOT NULL`` what ``x NOT IN (y)`` is: a Not of the rest."""
    # Which of them carry a flag instead depends on the version of sqlglot and on the dialect.
    for node in list(tree.find_all(exp.Like, exp.ILike, exp.Is)):
        if not node.args.get("negate"):
            continue
        node.set("negate", None)
        denied = node.parent if isinstance(node.parent, exp.Escape) else node
        around = denied.parent
        negation = exp.Not()
        # Operators but AND and OR bind more tightly than NOT.
        is_operand = isinstance(around, (exp.Binary, exp.Between, exp.In)) and not isinstance(
            around, exp.Connector
        )
        denied.replace(exp.Paren(this=negation) if is_operand else negation)
        negation.set("this", denied)


def _no_query() -> Finding:
    return Finding("not-a-query", "error", "the statement is not a query", "start with SELECT")


def _opens_query(tokens: tuple[Token, ...]) -> bool:
    first = next((t for t in tokens if t.token_type is not TokenType.L_PAREN), tokens[0])
    opening = {TokenType.SELECT, TokenType.WITH, TokenType.VALUES, TokenType.FROM, TokenType.TABLE}
    return first.token_type in opening


def _syntax(reason: str, span: tuple[int, int] | None = None) -> Finding:
    line = " ".join(re.sub(r"\x1b\[\d*m", "", reason).split())
    return Finding("syntax", "error", f"cannot be read as SQL: {line[:200]}", span=span)


def _parse_problem(error: Exception, sql: str) -> Finding:
    details = getattr(error, "errors", None)
    if not details:
        return _syntax(str(error) or type(error).__name__)
    first = details[0]
    near = first.get("highlight") or ""
    text = f"{first.get('description', '')} near {near!r}" if near else first.get("description", "")
    text = re.sub(r"<class '[\w.]*\.(\w+)'>", r"\1", text)
    position = len(first.get("start_context") or "")
    # The context is cut to 100 characters, so only a shorter one tells the place.
    start = position if position < 100 else sql.find(near, 1) if near else -1
    return _syntax(text, (start, start + len(near)) if start >= 0 else None)


def span(node: exp.Expr | None) -> tuple[int, int] | None:
    """(start, end) of a leaf node in the text, end exclusive; None when the parser kept none.

    A column or a table without its own place has that of its identifiers.
    """
    if node is None:
        return None
    if "start" in node.meta:
        return node.meta["start"], node.meta["end"] + 1
    if isinstance(node, (exp.Column, exp.Table)):
        parts = [s for part in node.parts if (s := span(part))]
        if parts:
            return parts[0][0], parts[-1][1]
    return None


def whole_span(node: exp.Expr) -> tuple[int, int] | None:
    """(start, end) from the first to the last leaf of an expression."""
    places = [s for n in node.walk() if (s := span(n))]
    return (min(a for a, _ in places), max(b for _, b in places)) if places else None


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND connects; one that stands alone is the only one."""
    return list(condition.flatten(unnest=False)) if isinstance(condition, exp.And) else [condition]


def shorten(node: exp.Expr, dialect: str = "", longest: int = 40) -> str:
    """The text of an expression, cut for a message."""
    text = node.sql(dialect=dialect or None)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def quote(name: str, dialect: str, *, always: bool = False) -> str:
    """``name`` as it must be written: bare where that is safe, quoted otherwise.

    >>> quote("age", "sqlite"), quote("last name", "sqlite"), quote("group", "mysql")
    ('age', '"last name"', '`group`')
    """
    bare = _BARE_NAME.fullmatch(name) and name.lower() not in SQLITE_RESERVED
    if bare and dialect in {"postgres", "redshift"}:
        bare = name == name.lower()
    elif bare and dialect in {"oracle", "snowflake"}:
        bare = name == name.upper()
    if bare and not always:
        return name
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect or None)


def clause_end(statement: Statement, start: int) -> int:
    """Where the clause that contains position ``start`` ends: before the next clause keyword of
    the same nesting level, the closing parenthesis around it, or the end of the text.
    """
    depth, last = 0, start
    for token in statement.tokens:
        if token.start < start:
            continue
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        if depth < 0 or (depth == 0 and token.token_type in _CLAUSE_ENDS and token.start > start):
            return last
        last = token.end + 1
    return last


def closing_parenthesis(statement: Statement, opening: int) -> int | None:
    """Index of the token that closes the parenthesis at token index ``opening``."""
    depth = 0
    for index in range(opening, len(statement.tokens)):
        kind = statement.tokens[index].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            return index
    return None


def token_at(statement: Statement, position: int) -> int | None:
    """Index of the token that starts at ``position``."""
    return next((i for i, t in enumerate(statement.tokens) if t.start == position), None)


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters [start, end) by ``text``."""

    start: int
    end: int
    text: str


def apply_edits(sql: str, edits: Iterable[Edit]) -> str | None:
    """``sql`` with all edits made; None when two of them overlap.

    >>> apply_edits("SELECT a FROM t", [Edit(7, 8, "b"), Edit(14, 15, "u")])
    'SELECT b FROM u'
    """
    result: list[str] = []
    done = 0
    for edit in sorted(set(edits)):
        if edit.start < done:
            return None
        result += [sql[done : edit.start], edit.text]
        done = edit.end
    return "".join([*result, sql[done:]])
