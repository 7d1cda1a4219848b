"""Statements that run and answer something else than the question: backwards, or cut to whole."""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.edits import Fix, Repair, repair_all
from macsql.checks.output_rows import is_backwards
from macsql.checks.output_shape import Output, read_output
from macsql.checks.question import Question, read_question
from macsql.checks.text import Edit
from macsql.checks.type_rules import whole_division
from macsql.schema import Schema

_FRACTION = re.compile(
    r"\b(?:percent\w*|ratio|rate|proportion|share|averages?|avg|mean|fraction|times|divide\w*|per)\b"
    r"|[%/÷]"
)


def repair_output(question: str, sql: str, schema: Schema, *, evidence: str = "") -> Repair | None:
    """``sql`` as ``question`` asks for it, where that is certain; never raises.

    An order that descends though only "sorted by age" was said becomes ascending; whole numbers
    divided for a share, a ratio or an average keep their fraction. None where nothing is to be
    changed, or the statement cannot be read.

    >>> from macsql.schema import Column, Table
    >>> pupil = Schema("sqlite", (Table("pupil", (Column("age", "INTEGER"),)),))
    >>> found = repair_output("Ages, sorted.", "SELECT age FROM pupil ORDER BY age DESC", pupil)
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
    if len(slashes) != 1 or not _FRACTION.search(question.said):
        return
    is_cut = any(True for _ in whole_division(output.statement, output.resolution, output.schema))
    if is_cut and sum(isinstance(node, exp.Div) for node in output.nodes) == 1:
        edit = Edit(slashes[0].start, slashes[0].start, "* 1.0 ")
        why = "whole numbers were divided, and the fraction was lost"
        yield Fix((edit,), 0.5, why)
