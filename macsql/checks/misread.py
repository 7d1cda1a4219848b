"""What SQLite reads, silently, as something else than whoever wrote it: found and written right."""

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution, Status, Use
from macsql.checks.syntax_fixes import top_fixes
from macsql.checks.text import Edit, Statement, closing_parenthesis, quote, span, whole_span
from macsql.message import Finding
from macsql.names import fold
from macsql.schema import Schema

_NUMBER_OR_SHIFT = re.compile(r"\s*[-+]?\.?\d.*", re.DOTALL)
_LIMIT = "write LIMIT at the end"
_DAYS = {"DATE": "DATE", "DATETIME": "DATETIME", "TIMESTAMP": "DATETIME", "TIME": "TIME"}
_NUMERIC = re.compile(r"INT|REAL|FLOAT|DOUBLE|NUM|DEC", re.IGNORECASE)


def misread(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """Texts added up, casts to types that SQLite has not, and names quoted with their table."""
    if statement.tree is None:
        return
    yield from _quoted_with_table(resolution, statement)
    if statement.dialect != "sqlite":
        return
    for node in statement.tree.find_all(exp.Add):
        place = span(node.left) or whole_span(node)
        if not isinstance(node.parent, exp.Add) and _pluses(node, statement):
            message = "sqlite adds numbers with +, and a text counts as 0"
            finding = Finding("other-dialect", "error", message, "join texts with ||", place)
            yield Problem(finding, node=node)
    for one, other in pairwise(statement.tokens):
        if one.text.upper() == "TOP" and other.token_type is TokenType.L_PAREN:
            place = (one.start, one.end + 1)
            yield Problem(Finding("other-dialect", "error", "sqlite has no TOP", _LIMIT, place))
    for place, hint, message in (*_casts(statement, resolution), *_turned(statement)):
        yield Problem(Finding("other-dialect", "error", message, f"write {hint}", place))


def misread_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The same as SQLite writes it."""
    finding, node = problem.finding, problem.node
    if isinstance(node, exp.Add):
        edits = tuple(Edit(*place, "||") for place in _pluses(node, statement))
        return [Fix(edits, 0.4, "texts joined with || in place of +")] if edits else []
    if finding.hint == _LIMIT:
        return list(top_fixes(statement))
    if node is None and finding.span and finding.code == "other-dialect":
        text = finding.hint.removeprefix("write ")
        if finding.span in {place for place, _, _ in _turned(statement)}:
            return [Fix((Edit(*finding.span, text),), 0.3, "the arguments of STRFTIME turned")]
        if text.startswith(("CAST(", "DATE(", "DATETIME(", "TIME(")):
            return [Fix((Edit(*finding.span, text),), 0.3, f"written as {text}")]
    return []


# Texts added up -------------------------------------------------------------------------------


def _pluses(node: exp.Add, statement: Statement) -> list[tuple[int, int]]:
    """Where the signs of a sum stand that has words in it; none for anything else."""
    leaves = _leaves(node)
    texts = [leaf for leaf in leaves if isinstance(leaf, exp.Literal) and leaf.is_string]
    # '3' and '1 day' may be meant as a number and as a shift of a date.
    if not any(not _NUMBER_OR_SHIFT.fullmatch(text.this) for text in texts):
        return []
    if any(isinstance(leaf, exp.Binary) for leaf in leaves):
        return []  # || binds more tightly than the signs of arithmetic
    places = [whole_span(leaf) for leaf in leaves]
    found = []
    for one, other in pairwise(places):
        if one is None or other is None:
            return []
        found += [
            (t.start, t.end + 1)
            for t in statement.tokens
            if t.token_type is TokenType.PLUS and one[1] <= t.start < other[0]
        ]
    return found if len(found) == len(leaves) - 1 else []


def _leaves(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Add):
        return [*_leaves(node.left), *_leaves(node.right)]
    return [node]


# Casts and formats ----------------------------------------------------------------------------


_Change = tuple[tuple[int, int], str, str]
"""A place, the text that is meant there, and why."""


def _casts(statement: Statement, resolution: Resolution) -> Iterator[_Change]:
    """CAST(x AS DATE) is a number for SQLite, and so is CAST(x AS STRING)."""
    tokens, sql = statement.tokens, statement.sql
    numbers = {span(u.column) for u in resolution.uses if _is_number(u)}
    for index, token in enumerate(tokens[:-4]):
        if token.text.upper() != "CAST" or tokens[index + 1].token_type is not TokenType.L_PAREN:
            continue
        closing = closing_parenthesis(statement, index + 1)
        if closing is None or tokens[closing - 2].token_type is not TokenType.ALIAS:
            continue
        kind = tokens[closing - 1].text.upper()
        inner = (tokens[index + 1].end + 1, tokens[closing - 2].start)
        argument = sql[slice(*inner)].strip()
        place = (token.start, tokens[closing].end + 1)
        written = (inner[0], inner[0] + len(argument))
        if kind == "STRING":
            yield place, f"CAST({argument} AS TEXT)", "STRING is a number for sqlite"
        elif kind in _DAYS and written not in numbers:
            yield place, f"{_DAYS[kind]}({argument})", f"sqlite casts to a number, not to a {kind}"


def _is_number(use: Use) -> bool:
    """Whether a column keeps numbers: years, or seconds, are no texts that DATE reads."""
    table = use.relation.table if use.relation else None
    column = table.column(use.name) if table else None
    return column is not None and _NUMERIC.search(column.type) is not None


def _turned(statement: Statement) -> Iterator[_Change]:
    """STRFTIME(d, '%Y'), as DuckDB and others have it."""
    tokens, sql = statement.tokens, statement.sql
    for index, token in enumerate(tokens[:-4]):
        if token.text.upper() != "STRFTIME":
            continue
        closing = closing_parenthesis(statement, index + 1)
        if closing is None or closing < index + 5:
            continue
        last, comma = tokens[closing - 1], tokens[closing - 2]
        is_format = last.token_type is TokenType.STRING and "%" in last.text
        begins_with_text = tokens[index + 2].token_type is TokenType.STRING
        if not is_format or begins_with_text or comma.token_type is not TokenType.COMMA:
            continue
        date = sql[tokens[index + 1].end + 1 : comma.start].strip()
        pattern = sql[last.start : last.end + 1]
        place = (token.start, tokens[closing].end + 1)
        yield place, f"STRFTIME({pattern}, {date})", "STRFTIME takes the format first"


# Names quoted as a whole ------------------------------------------------------------------------


def _quoted_with_table(resolution: Resolution, statement: Statement) -> Iterator[Problem]:
    """``"T1.name"`` in double quotes: a text for SQLite, and elsewhere a column of no table."""
    for use in resolution.uses:
        if use.status is Status.TEXT and (text := qualified_whole(use, statement)):
            message = f'"{use.name}" is no column, so SQLite reads it as text'
            finding = Finding("unknown-column", "error", message, f"write {text}", span(use.column))
            yield Problem(finding, use.scope, (use,))


def qualified_whole(use: Use, statement: Statement) -> str | None:
    """``T1.name`` for a name that was quoted together with its table."""
    table, dot, name = use.name.partition(".")
    if use.qualifier or not dot:
        return None
    for scope in use.scope.chain():
        for relation in scope.relations:
            if fold(relation.name) == fold(table) and relation.has(name):
                return f"{quote(relation.name, statement.dialect)}.{quote(name, statement.dialect)}"
    return None
