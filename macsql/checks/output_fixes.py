"""Statements that run and answer the question backwards."""

from macsql.checks.edits import Repair
from macsql.checks.output_rows import is_backwards
from macsql.checks.output_shape import read_output
from macsql.checks.question import read_question
from macsql.checks.text import Edit, apply_edits
from macsql.schema import Schema


def repair_order(question: str, sql: str, schema: Schema, *, evidence: str = "") -> Repair | None:
    """``sql`` in ascending order, where it descends and ``question`` only asks for an order.

    None where the order is what was asked for, or the statement cannot be read; never raises.

    >>> from macsql.schema import Column, Table
    >>> pupil = Schema("sqlite", (Table("pupil", (Column("age", "INTEGER"),)),))
    >>> found = repair_order("Ages, sorted.", "SELECT age FROM pupil ORDER BY age DESC", pupil)
    >>> found.sql
    'SELECT age FROM pupil ORDER BY age'
    """
    try:
        output = read_output(sql, schema)
    except RecursionError:
        return None
    if output is None or not is_backwards(read_question(question, evidence), output):
        return None
    tokens = output.statement.tokens
    place = next(
        (i for i in reversed(range(1, len(tokens))) if tokens[i].text.upper() == "DESC"), 0
    )
    if not place:
        return None
    text = apply_edits(sql, [Edit(tokens[place - 1].end + 1, tokens[place].end + 1, "")])
    why = "the question asks for an order and does not say descending"
    return Repair(text, why, 0.5) if text else None
