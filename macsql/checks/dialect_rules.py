"""Operators and clauses of other dialects that SQLite cannot read although the parser can."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.functions import shifted
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution
from macsql.checks.text import Edit, Statement, closing_parenthesis, span
from macsql.message import Finding
from macsql.schema import Schema

_CLAUSES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Qualify: ("QUALIFY", "compute the window in a sub-query"),
    exp.IntDiv: ("DIV", "write CAST(a / b AS INTEGER)"),
    exp.TableSample: ("TABLESAMPLE", "order by RANDOM() with a LIMIT"),
    exp.Fetch: ("FETCH FIRST", "write LIMIT"),
}
_CALLS = {
    "convert": "write CAST(… AS …)",
    "decode": "write CASE",
    "position": "write INSTR(text, part)",
}
_WITH_FROM = {"substring": "write SUBSTR(text, start, length)", "trim": "write TRIM(text, signs)"}
_BETWEEN = " || ' ' || "
_TYPED = re.compile(r"(?:DATE|TIMESTAMP)\s+(?=')", re.IGNORECASE)
_PLAIN_PATTERN = re.compile(r"\^?[\w %]+\$?")


@dataclass(frozen=True, slots=True)
class _Sum:
    """``date + INTERVAL '1 day'``: the place of the whole, and its parts."""

    start: int
    end: int
    date: str
    sign: str
    interval: str


def foreign_syntax(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """What other databases can read and SQLite cannot."""
    tree = statement.tree
    if statement.dialect != "sqlite" or tree is None:
        return
    yield from _foreign_clauses(tree)
    yield from _foreign_calls(statement, tree)
    for found in _sums(statement):
        message = "sqlite has no INTERVAL"
        hint = f"write {shifted(found.date, found.sign, found.interval) or 'DATE(date, shift)'}"
        place = (found.start, found.end)
        yield Problem(Finding("other-dialect", "error", message, hint, place), node=tree)
    yield from _counted_pairs(statement, tree)
    for like in tree.find_all(exp.RegexpLike, exp.SimilarTo):
        name = "REGEXP" if isinstance(like, exp.RegexpLike) else "SIMILAR TO"
        finding = Finding("other-dialect", "warning", f"sqlite has no {name}", "use LIKE")
        yield Problem(finding, node=like)


def _foreign_clauses(tree: exp.Expr) -> Iterator[Problem]:
    if any(_is_open_ended(o) for o in tree.find_all(exp.LimitOptions)):
        hint = "number the rows with RANK or NTILE in a sub-query"
        yield _foreign("sqlite has neither WITH TIES nor PERCENT", hint, tree)
        return
    for kind, (name, hint) in _CLAUSES.items():
        if tree.find(kind):
            yield _foreign(f"sqlite has no {name}", hint, tree)
    if any(d.args.get("on") for d in tree.find_all(exp.Distinct)):
        yield _foreign("sqlite has no DISTINCT ON", "number the rows in a sub-query", tree)
    for node in tree.find_all(exp.Query):
        if node.args.get("offset") is not None and node.args.get("limit") is None:
            yield _foreign("sqlite takes OFFSET after LIMIT only", "write LIMIT -1 OFFSET n", tree)


def _is_open_ended(options: exp.LimitOptions) -> bool:
    """WITH TIES and PERCENT: how many rows are meant is not known."""
    return bool(options.args.get("with_ties") or options.args.get("percent"))


def _foreign(message: str, hint: str, tree: exp.Expr) -> Problem:
    return Problem(Finding("other-dialect", "error", message, hint), node=tree)


def _foreign_calls(statement: Statement, tree: exp.Expr) -> Iterator[Problem]:
    tokens = statement.tokens
    for index, token in enumerate(tokens[:-1]):
        name = token.text.lower()
        if tokens[index + 1].token_type is not TokenType.L_PAREN:
            continue
        closing = closing_parenthesis(statement, index + 1) or index
        within = _own_tokens(tokens[index + 2 : closing])
        with_from = name in _WITH_FROM and any(t.token_type is TokenType.FROM for t in within)
        if name in _CALLS or with_from:
            hint = _CALLS.get(name) or _WITH_FROM[name]
            yield _foreign(f"sqlite does not read {token.text.upper()}(…) so", hint, tree)


def _own_tokens(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """The tokens that are not inside further parentheses."""
    depth = 0
    for token in tokens:
        depth -= token.token_type is TokenType.R_PAREN
        if depth == 0:
            yield token
        depth += token.token_type is TokenType.L_PAREN


def _sums(statement: Statement) -> Iterator[_Sum]:
    tokens, sql = statement.tokens, statement.sql
    for index, token in enumerate(tokens):
        signed = index > 1 and tokens[index - 1].token_type in (TokenType.PLUS, TokenType.DASH)
        if token.token_type is not TokenType.INTERVAL or not signed:
            continue
        first = _operand(statement, index - 2)
        for last in (index + 2, index + 1):
            if last >= len(tokens):
                continue
            end = tokens[last].end + 1
            interval = sql[token.start : end]
            if shifted("d", "+", interval) or last == index + 1:
                date = _TYPED.sub("", sql[tokens[first].start : tokens[index - 2].end + 1])
                sign = tokens[index - 1].text
                yield _Sum(tokens[first].start, end, date, sign, interval)
                break


def _operand(statement: Statement, last: int) -> int:
    """Index of the first token of the operand that ends at ``last``: a name, a text or a call."""
    tokens = statement.tokens
    first = last
    if tokens[last].token_type is TokenType.R_PAREN:
        openings = [
            i
            for i in range(last)
            if tokens[i].token_type is TokenType.L_PAREN
            and closing_parenthesis(statement, i) == last
        ]
        first = openings[-1] if openings else last
        named = first > 0 and tokens[first - 1].text.replace("_", "a").isalnum()
        return first - 1 if named else first
    if last > 0 and _TYPED.match(f"{tokens[last - 1].text} '"):
        return last - 1 if tokens[last].token_type is TokenType.STRING else last
    while first > 1 and tokens[first - 1].token_type is TokenType.DOT:
        first -= 2
    return first


def _counted_pairs(statement: Statement, tree: exp.Expr) -> Iterator[Problem]:
    """COUNT(DISTINCT a, b), which only MySQL counts."""
    for count in tree.find_all(exp.Count):
        inner = count.this
        if isinstance(inner, exp.Distinct) and len(inner.expressions) > 1:
            parts = [e.sql(dialect=statement.dialect) for e in inner.expressions]
            hint = f"write COUNT(DISTINCT {_BETWEEN.join(parts)})"
            message = "COUNT takes one argument"
            yield Problem(Finding("wrong-arguments", "error", message, hint), node=count)


# Cures ----------------------------------------------------------------------------------------


def dialect_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The same as SQLite writes it."""
    node, place = problem.node, problem.finding.span
    fix: Fix | None = None
    if isinstance(node, exp.Count):
        fix = _as_one_text(node, statement)
    elif isinstance(node, (exp.RegexpLike, exp.SimilarTo)):
        fix = _as_like(node, statement)
    elif place is not None:
        for found in _sums(statement):
            text = shifted(found.date, found.sign, found.interval)
            if text and (found.start, found.end) == place:
                fix = Fix((Edit(*place, text),), 0.5, "INTERVAL written as the dialect has it")
    elif node is statement.tree and node is not None:
        fix = _whole(node, statement, "written as the dialect has it")
    return [fix] if fix else []


def _whole(tree: exp.Expr, statement: Statement, why: str) -> Fix | None:
    if any(_is_open_ended(o) for o in tree.find_all(exp.LimitOptions)):
        return None
    try:
        text = tree.sql(dialect=statement.dialect, unsupported_level=ErrorLevel.IGNORE)
    except (SqlglotError, ValueError):
        return None
    return Fix((Edit(0, len(statement.sql), text),), 1.0, why)


def _as_one_text(node: exp.Count, statement: Statement) -> Fix | None:
    places = [s for e in node.this.expressions for n in e.walk() if (s := span(n))]
    if not places:
        return None
    start, end = min(s[0] for s in places), max(s[1] for s in places)
    parts = [e.sql(dialect=statement.dialect) for e in node.this.expressions]
    text = _BETWEEN.join(parts)
    return Fix((Edit(start, end, text),), 0.8, "counted pairs as one text")


def _as_like(node: exp.RegexpLike | exp.SimilarTo, statement: Statement) -> Fix | None:
    """A pattern of plain letters, with ^ or $ at its ends; others have no equal."""
    pattern = node.expression
    if statement.tree is None or not isinstance(pattern, exp.Literal):
        return None
    text = pattern.this
    if _PLAIN_PATTERN.fullmatch(text) is None:
        return None
    if isinstance(node, exp.RegexpLike):
        before, behind = text.startswith("^"), text.endswith("$")
        text = ("" if before else "%") + text.strip("^$") + ("" if behind else "%")
    tree = statement.tree.copy()
    for other in list(tree.find_all(type(node))):
        if other == node:
            other.replace(exp.Like(this=node.this.copy(), expression=exp.Literal.string(text)))
    return _whole(tree, statement, "the pattern written with LIKE")
