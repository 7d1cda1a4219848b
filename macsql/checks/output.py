"""Whether a query gives what its question asks for.

Words are not proof, so nothing here is an error: a "warning" is said of fewer than one right query
in a hundred, a "hint" of more, or of queries that are right by most rules (``docs/checks.md`` has
the rates).
"""

from macsql.checks import output_columns, output_conditions, output_rows
from macsql.checks.output_shape import Rule, read_output
from macsql.checks.question import read_question
from macsql.message import Finding
from macsql.schema import Schema

RULES: tuple[Rule, ...] = (
    output_columns.count_missing,
    output_columns.stored_number,
    output_columns.aggregate_unasked,
    output_columns.aggregate_missing,
    output_columns.width,
    output_columns.other_column,
    output_columns.id_unasked,
    output_columns.distinct_missing,
    output_columns.order_shown,
    output_columns.groups,
    output_rows.extreme_missing,
    output_rows.extreme_direction,
    output_rows.limits,
    output_rows.orders,
    output_conditions.negation,
    output_conditions.alternatives,
    output_conditions.contradiction,
    output_conditions.numbers,
    output_conditions.texts,
    output_conditions.comparison,
    output_conditions.like_missing,
    output_conditions.column_unnamed,
)


def check_output(question: str, sql: str, schema: Schema, *, evidence: str = "") -> list[Finding]:
    """Where ``sql`` does not give what ``question`` asks for, warnings first; never raises.

    Nothing for a statement that cannot be read as a query.

    >>> from macsql.schema import Column, Table
    >>> singer = Schema("sqlite", (Table("singer", (Column("name", "TEXT"),)),))
    >>> found = check_output("How many singers are there?", "SELECT name FROM singer", singer)
    >>> [f.code for f in found]
    ['count-missing']
    """
    try:
        output = read_output(sql, schema)
        if output is None:
            return []
        asked = read_question(question, evidence)
        found = [finding for rule in RULES for finding in rule(asked, output)]
    except RecursionError:
        # Nested too deeply to be followed: nothing is claimed.
        return []
    return sorted(found, key=lambda f: f.severity != "warning")
