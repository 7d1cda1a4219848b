"""Results that may be wrong although the query ran: found by small questions to the database.

Nothing here is an error, since each may be meant. Every probe is one cheap query; what it would
read is bounded, and a probe that fails says nothing.
"""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.analysis import analyse
from macsql.checks.probes import Execute, Probe
from macsql.checks.question import counted_things, read_question
from macsql.checks.silent_dates import dates_as_text
from macsql.checks.silent_groups import counted_twice, merged_names, none_counted
from macsql.checks.silent_joins import broken_keys, fan_out, repeated_rows
from macsql.checks.silent_order import nulls_first, numbers_as_text, ties_cut
from macsql.database.result import Result
from macsql.message import Finding
from macsql.schema import Schema


def diagnose_result(
    sql: str, result: Result | None, schema: Schema, execute: Execute, *, question: str = ""
) -> list[Finding]:
    """What about the ``result`` of ``sql`` should not be trusted, warnings first; never raises.

    ``execute`` runs a probe and returns its result, or raises DatabaseError: ``Database.execute``
    does. ``question`` says what is counted or grouped. Nothing for a statement with certain faults,
    whose result means little anyhow.
    """
    analysis = analyse(sql, schema)
    if analysis.statement.tree is None or analysis.errors or not analysis.resolution.scopes:
        return []
    probe = Probe(analysis, execute)
    found = [finding for rule in RULES for finding in rule(probe)]
    asked = read_question(question)
    things = counted_things(asked)
    found += merged_names(probe, asked.plain)
    found += [*counted_twice(probe, things), *none_counted(probe, things)]
    if result is not None:
        found += [*null_result(result), *repeated_rows(probe, result)]
    unique = {(f.code, f.message): f for f in found}
    return sorted(unique.values(), key=lambda f: f.severity != "warning")


def null_result(result: Result) -> Iterator[Finding]:
    """One row with nothing in it: an aggregate of no rows, or a value that is not stored."""
    if len(result.rows) == 1 and result.rows[0] and all(cell is None for cell in result.rows[0]):
        message = "the result is a single NULL"
        hint = "nothing fits the conditions, or the value is not stored"
        yield Finding("null-result", "warning", message, hint)


def null_in_not_in(probe: Probe) -> Iterator[Finding]:
    """``x NOT IN (SELECT y ...)`` where a y is NULL: no row passes."""
    for scope in probe.scopes():
        node: exp.Expr | None = scope.select.parent
        while isinstance(node, exp.Subquery):
            node = node.parent
        if not isinstance(node, exp.In) or not isinstance(node.parent, exp.Not):
            continue
        column = scope.select.expressions[0].unalias()
        if isinstance(column, exp.Column) and probe.any_row(
            scope, exp.Is(this=column.copy(), expression=exp.Null())
        ):
            message = f"NOT IN finds nothing, because {column.sql()} is NULL in some rows"
            hint = f"add {column.sql()} IS NOT NULL to the sub-query"
            yield Finding("null-in-not-in", "warning", message, hint)


RULES = (
    fan_out,
    broken_keys,
    numbers_as_text,
    dates_as_text,
    nulls_first,
    null_in_not_in,
    ties_cut,
)
