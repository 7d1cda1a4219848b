"""What kind of mistake a wrong answer makes, from the two statements and their results.

The paper (MAC-SQL) sorted mistakes by hand into gold error, semantic correct, wrong schema linking,
misunderstandings of database, question and evidence, dirty database values, and others. What a
program can tell from trees and rows is finer where SQL is concerned, and says nothing about
evidence: "gold_error", "equivalent" and "schema_linking" are the paper's first three, "wrong_value"
is its dirty values, "wrong_join" and "wrong_column" its misunderstood databases, and the rest its
misunderstood questions.
"""

from collections.abc import Callable
from types import MappingProxyType

from macsql.evaluation.error_rows import Rows, is_part, is_rounded, likeness
from macsql.evaluation.error_trees import Reading, read_both
from macsql.evaluation.verdict import Verdict
from macsql.schema import Schema

CLASSES = MappingProxyType(
    {
        "no_sql": "no SQL was given: declined, missing, or the model failed",
        "gold_error": "gold error suspected: it fails, or is empty while the prediction has rows",
        "invented_name": "names a table or column that the schema lacks, and does not run",
        "execution_error": "does not run: refused, stopped by a limit, or too large",
        "equivalent": "says the same: rounding, type, repeated rows, order of columns, ties",
        "output_columns": "the right rows with columns missing, added or chosen otherwise",
        "schema_linking": "reads other tables",
        "set_operation": "another UNION, INTERSECT or EXCEPT, or another nesting of queries",
        "wrong_value": "compares the right column with another value or pattern",
        "wrong_join": "joins otherwise: a needless or missing table, other keys, inner for outer",
        "aggregation": "aggregates or groups otherwise",
        "wrong_column": "asks for, or compares, another column of the right tables",
        "condition": "a condition is missing, added or otherwise",
        "ordering": "sorts or limits otherwise",
        "calculation": "computes something else from the right columns",
        "other": "none of the above, or cannot be read",
    }
)
"""Each class and its meaning, in the order in which they are tried; the first that fits counts."""


def error_class(
    gold_sql: str,
    predicted_sql: str,
    schema: Schema,
    gold_rows: Rows | None,
    predicted_rows: Rows | None,
    verdict: Verdict,
) -> str:
    """The first of ``CLASSES`` that fits a prediction that was scored as wrong; never raises.

    ``gold_rows`` and ``predicted_rows`` are None where the query did not run.
    """
    found = _without_trees(predicted_sql, gold_rows, predicted_rows, verdict)
    if found:
        return found
    gold, predicted = gold_rows or (), predicted_rows or ()
    form = likeness(gold, predicted, is_rounded=is_rounded(gold_sql, predicted_sql))
    try:
        readings = read_both(gold_sql, predicted_sql, schema)
    except RecursionError:
        readings = None
    return (
        _of_rows(form, gold, predicted, readings)
        or (_of_trees(*readings) if readings else "")
        or "other"
    )


def _without_trees(sql: str, gold_rows: Rows | None, rows: Rows | None, verdict: Verdict) -> str:
    if verdict.gold_error:
        return "gold_error"
    if not sql.strip() or verdict.error_kind in ("Missing", "NoSQL"):
        return "no_sql"
    if rows is None or verdict.error:
        return "invented_name" if verdict.unknown_names else "execution_error"
    # On a further database of a test suite no rows are nothing strange.
    is_empty = verdict.gold_empty and not gold_rows
    return "gold_error" if is_empty and rows else ""


def _of_rows(
    form: str, gold: Rows, predicted: Rows, readings: tuple[Reading, Reading] | None
) -> str:
    if form in ("wider", "narrower"):
        return "output_columns"
    if form == "same":
        return "equivalent"
    if form == "repeated" and not (readings and _asks_otherwise(*readings)):
        return "equivalent"
    if form == "reordered":
        wanted = readings[0].order if readings else []
        return "ordering" if readings and wanted and wanted != readings[1].order else "equivalent"
    return _of_ties(gold, predicted, *readings) if readings else ""


def _of_ties(gold: Rows, predicted: Rows, wanted: Reading, given: Reading) -> str:
    """One of several first rows against all of them, where both look for the first."""
    if wanted.limits and not given.limits and _finds_extreme(given) and is_part(gold, predicted):
        return "equivalent"
    if given.limits and not wanted.limits and _finds_extreme(wanted) and is_part(predicted, gold):
        return "ordering"
    if wanted.limits and wanted.order == given.order and _of_trees(wanted, given) == "":
        return "equivalent"
    return ""


def _finds_extreme(reading: Reading) -> bool:
    return reading.nested > 0 and bool({"max", "min"} & set(reading.aggregates))


def _of_trees(gold: Reading, predicted: Reading) -> str:
    return next((name for name, differs in _DIFFERENCES if differs(gold, predicted)), "")


def _reads_other_tables(gold: Reading, predicted: Reading) -> bool:
    """Other tables, and not only some more or less of them to join the same columns."""
    one, other = set(gold.tables), set(predicted.tables)
    if one == other:
        return False
    is_joining = other and (one <= other or other <= one)
    return not is_joining or gold.columns != predicted.columns


def _nests_otherwise(gold: Reading, predicted: Reading) -> bool:
    return (gold.set_operations, gold.nested) != (predicted.set_operations, predicted.nested)


def _joins_otherwise(gold: Reading, predicted: Reading) -> bool:
    if gold.tables != predicted.tables or gold.outer_joins != predicted.outer_joins:
        return True
    return gold.joins != predicted.joins


def _aggregates_otherwise(gold: Reading, predicted: Reading) -> bool:
    return gold.aggregates != predicted.aggregates or gold.groups != predicted.groups


def _compares_other_values(gold: Reading, predicted: Reading) -> bool:
    def without_values(reading: Reading) -> list[str]:
        return sorted(p.without_values for p in reading.predicates.elements())

    is_same = without_values(gold) == without_values(predicted) and gold.ors == predicted.ors
    if is_same and gold.predicates != predicted.predicates:
        return True
    is_shown_same = gold.output_shapes == predicted.output_shapes
    return is_same and is_shown_same and gold.outputs != predicted.outputs


def _uses_other_columns(gold: Reading, predicted: Reading) -> bool:
    def without_columns(reading: Reading) -> list[str]:
        return sorted(p.without_columns for p in reading.predicates.elements())

    def columns(reading: Reading) -> list[tuple[str, tuple[str, ...]]]:
        return sorted((p.without_columns, p.columns) for p in reading.predicates.elements())

    if without_columns(gold) == without_columns(predicted) and columns(gold) != columns(predicted):
        return True
    is_as_wide = len(gold.outputs) == len(predicted.outputs)
    return is_as_wide and gold.output_columns != predicted.output_columns


def _asks_other_conditions(gold: Reading, predicted: Reading) -> bool:
    return (gold.predicates, gold.ors) != (predicted.predicates, predicted.ors)


def _asks_otherwise(gold: Reading, predicted: Reading) -> bool:
    """Whether rows that are the same but for repeats are so by chance."""
    if gold.set_operations != predicted.set_operations or _asks_other_conditions(gold, predicted):
        return True
    # Without aggregates, GROUP BY leaves out repeated rows and no more.
    is_counted = gold.aggregates or predicted.aggregates
    if is_counted and _aggregates_otherwise(gold, predicted):
        return True
    return not _shows_all(gold, predicted) and _computes_otherwise(gold, predicted)


def _shows_all(*readings: Reading) -> bool:
    stars = ("star(", "column(star(")
    return any(shown.startswith(stars) for reading in readings for shown in reading.outputs)


def _sorts_otherwise(gold: Reading, predicted: Reading) -> bool:
    return (gold.order, gold.limits) != (predicted.order, predicted.limits)


def _shows_other_columns(gold: Reading, predicted: Reading) -> bool:
    return len(gold.outputs) != len(predicted.outputs)


def _computes_otherwise(gold: Reading, predicted: Reading) -> bool:
    return sorted(gold.outputs) != sorted(predicted.outputs)


def _repeats_otherwise(gold: Reading, predicted: Reading) -> bool:
    """A join has a row for each match, a look-up with IN one in all."""
    return gold.lookups != predicted.lookups


_DIFFERENCES: tuple[tuple[str, Callable[[Reading, Reading], bool]], ...] = (
    ("schema_linking", _reads_other_tables),
    ("set_operation", _nests_otherwise),
    ("wrong_value", _compares_other_values),
    ("wrong_join", _joins_otherwise),
    ("aggregation", _aggregates_otherwise),
    ("wrong_column", _uses_other_columns),
    ("condition", _asks_other_conditions),
    ("ordering", _sorts_otherwise),
    ("output_columns", _shows_other_columns),
    ("calculation", _computes_otherwise),
    ("wrong_join", _repeats_otherwise),
)
