"""Statements that run and answer something else than the question: backwards, or cut to whole."""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.edits import Fix, Repair, repair_all
from macsql.checks.output_rows import is_backwards
from macsql.checks.output_shape import Output, read_output
from macsql.checks.question import Question, read_question
from macsql.checks.rules import aggregates
from macsql.checks.text import Edit
from macsql.checks.type_rules import whole_division
from macsql.schema import Schema

_FRACTION = re.compile(
    r"\b(?:percent\w*|ratio|rate|proportion|share|averages?|avg|mean|fraction|divide\w*)\b"
    r"|(?<![\d ])\s*%|[/÷]"
)
_WHOLE = re.compile(r"\b(?:full|whole|complete|entire|integer|rounded down)\b")
_PARTS = frozenset({7, 12, 24, 30, 52, 60, 365, 366, 1_440, 3_600, 86_400})
"""How many of a unit of time make the next ones."""


def repair_output(question: str, sql: str, schema: Schema, *, evidence: str = "") -> Repair | None:
    """``sql`` as ``question`` asks for it, where that is certain; never raises.

    An order that descends though the question ends with "sorted by age" becomes ascending; whole
    numbers divided for a share, a ratio or an average keep their fraction. None where nothing is to
    be changed, or the statement cannot be read.

    >>> from macsql.schema import Column, Table
    >>> pupil = Schema("sqlite", (Table("pupil", (Column("age", "INTEGER"),)),))
    >>> found = repair_output("Sorted by age.", "SELECT age FROM pupil ORDER BY age DESC", pupil)
    >>> found.sql
    'SELECT age FROM pupil ORDER BY age'
    """
    try:
        output = read_output(sql, schema)
        if output is None:
            return None
        asked = read_question(question, evidence)
        fixes = [*_ascending(asked, output), *_with_fraction(asked, output)]
    except RecursionError:
        return None
    return repair_all(sql, fixes)


def _ascending(question: Question, output: Output) -> Iterator[Fix]:
    """Without the DESC that nobody asked for."""
    if not is_backwards(question, output):
        return
    tokens = output.statement.tokens
    found = [i for i, token in enumerate(tokens) if token.token_type is TokenType.DESC]
    if found and found[-1]:
        before, token = tokens[found[-1] - 1], tokens[found[-1]]
        edit = Edit(before.end + 1, token.end + 1, "")
        yield Fix((edit,), 0.5, "the question asks for an order and does not say descending")


def _with_fraction(question: Question, output: Output) -> Iterator[Fix]:
    """``a * 1.0 / b``; only for one quotient, whose place in the text is certain."""
    slashes = [t for t in output.statement.tokens if t.token_type is TokenType.SLASH]
    if len(slashes) != 1 or not _FRACTION.search(question.said) or _WHOLE.search(question.plain):
        return
    is_cut = any(True for _ in whole_division(output.statement, output.resolution, output.schema))
    quotients = [node for node in output.nodes if isinstance(node, exp.Div)]
    if is_cut and len(quotients) == 1 and not _is_class(quotients[0], output):
        edit = Edit(slashes[0].start, slashes[0].start, "* 1.0 ")
        why = "whole numbers were divided, and the fraction was lost"
        yield Fix((edit,), 0.5, why)


def _is_class(quotient: exp.Div, output: Output) -> bool:
    """Whether a quotient is meant whole: a decade, full minutes, anything rows are grouped by."""
    divisor = quotient.expression.unnest()
    if isinstance(divisor, exp.Literal) and divisor.is_int:
        number = int(divisor.this)
        if number in _PARTS or re.fullmatch("10+", divisor.this):
            return True
    above = quotient.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    again: list[exp.Binary] = [above] if isinstance(above, exp.Mul) else []
    again += [node for node in output.nodes if isinstance(node, exp.Mod)]
    if any(divisor in (n.this.unnest(), n.expression.unnest()) for n in again):
        return True
    of_groups = aggregates(quotient.this) and aggregates(quotient.expression)
    return not of_groups and _sorts_rows(quotient, output)


def _sorts_rows(quotient: exp.Div, output: Output) -> bool:
    """Whether rows are grouped or ordered by it, by its alias or by its position."""
    select = quotient.parent_select
    terms = [
        term
        for clause in output.nodes
        if isinstance(clause, (exp.Group, exp.Order))
        for term in clause.expressions
    ]
    terms += [t for n in output.nodes if isinstance(n, exp.Window) for t in n.args["partition_by"]]
    terms = [t.this if isinstance(t, exp.Ordered) else t for t in terms]
    if not isinstance(select, exp.Select) or select.args.get("distinct"):
        return True
    if any(node is quotient for term in terms for node in term.walk()):
        return True
    for position, shown in enumerate(select.expressions, 1):
        if any(node is quotient for node in shown.walk()):
            names = {shown.alias.casefold() or None, str(position)}
            return any(term.name.casefold() in names for term in terms)
    return False
