"""Orders and extremes that are not what they seem: numbers kept as text, NULL first, ties."""

import re
from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.probes import ROWS_READ, Probe
from macsql.checks.scopes import Scope
from macsql.message import Finding

_TEXT_TYPE = re.compile(r"char|text|clob|string|^$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[-+]?\d+(?:\.\d+)?\s*")
_VALUES_READ = 200
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_NULLS_FIRST = {"sqlite": False, "mysql": False, "tsql": False, "postgres": True, "oracle": True}
"""Whether NULL comes first in descending order; in ascending order otherwise."""


def numbers_as_text(probe: Probe) -> Iterator[Finding]:
    """MAX, MIN, ORDER BY or a comparison of text that is all numbers: '9' comes after '10'."""
    for scope in probe.scopes():
        for column, what in ordered_columns(scope):
            found = probe.stored(column)
            if found is None or not _TEXT_TYPE.search(found[2].type):
                continue
            _, table, stored = found
            if all(_NUMBER.fullmatch(str(v)) for v in stored.examples if v is not None) and (
                _sorts_wrongly(probe, table.name, stored.name)
            ):
                message = (
                    f"{table.name}.{stored.name} keeps numbers as text, so {what} compares text"
                )
                hint = f"write CAST({column.sql()} AS REAL)"
                yield Finding("numbers-as-text", "warning", message, hint)


def ordered_columns(scope: Scope) -> Iterator[tuple[exp.Column, str]]:
    """Columns whose order matters, and what depends on it."""
    for node in scope.select.find_all(exp.Max, exp.Min, exp.Ordered, exp.Between, *_COMPARED):
        if node.parent_select is not scope.select:
            continue
        term, other = node.this, node.args.get("low", node.args.get("expression"))
        if isinstance(node, exp.Ordered):
            term, what = _ordered_by(term, scope), "ORDER BY"
        elif isinstance(node, (exp.Max, exp.Min)):
            what = node.key.upper()
        else:
            what = "the condition"
            if isinstance(term, exp.Literal):
                term, other = other, term  # '2019' < t
            if not isinstance(other, exp.Literal):
                continue
        if isinstance(term, exp.Column):
            yield term, what


def _ordered_by(term: exp.Expr, scope: Scope) -> exp.Expr:
    """The expression that a position of ORDER BY stands for."""
    shown = scope.select.expressions
    if isinstance(term, exp.Literal) and term.is_int and 0 < int(term.name) <= len(shown):
        shown_there: exp.Expr = shown[int(term.name) - 1].unalias()
        return shown_there
    return term


def _sorts_wrongly(probe: Probe, table: str, column: str) -> bool:
    """Whether some stored numbers stand in another order as text than as numbers."""
    texts = some_texts(probe, table, column)
    if not texts or not all(map(_NUMBER.fullmatch, texts)):
        return False
    return sorted(texts) != sorted(texts, key=lambda t: (float(t), t))


def some_texts(probe: Probe, table: str, column: str) -> list[str]:
    """Some different texts that a column holds, none of them blank."""
    name = probe.name(column)
    rows = probe.rows(
        f"SELECT DISTINCT f.v FROM (SELECT {name} AS v FROM {probe.name(table)} "  # noqa: S608 - quoted names
        f"LIMIT {ROWS_READ}) AS f WHERE f.v IS NOT NULL LIMIT {_VALUES_READ}"
    )
    return [row[0] for row in rows if isinstance(row[0], str) and row[0].strip()]


def nulls_first(probe: Probe) -> Iterator[Finding]:
    """The first of an order is a row without a value."""
    in_descending = _NULLS_FIRST.get(probe.analysis.statement.dialect)
    for scope in probe.scopes():
        order = scope.select.args.get("order")
        if order is None or scope.select.args.get("limit") is None or in_descending is None:
            continue
        term = order.expressions[0]
        column, descending = term.this, bool(term.args.get("desc"))
        if descending != in_descending or not isinstance(column, exp.Column):
            continue
        if "NULLS" in order.sql() or scope.select.args.get("group") is not None:
            continue
        missing = exp.Is(this=column.copy(), expression=exp.Null())
        if probe.use(column) and probe.stored(column) and probe.any_row(scope, missing):
            message = f"{column.sql()} is NULL in some rows, and NULL comes first in this order"
            hint = f"add {column.sql()} IS NOT NULL"
            yield Finding("nulls-first", "warning", message, hint)


def ties_cut(probe: Probe) -> Iterator[Finding]:
    """LIMIT n where row n + 1 is as good as row n."""
    for scope in probe.scopes():
        limit, order = scope.select.args.get("limit"), scope.select.args.get("order")
        number = limit.expression.name if isinstance(limit, exp.Limit) else ""
        if order is None or not number.isdigit() or scope.select.args.get("offset") is not None:
            continue
        if not 1 <= int(number) <= 100:
            continue
        query = scope.select.copy()
        terms = [exp.alias_(t.this.copy(), f"k{i}") for i, t in enumerate(order.expressions)]
        if any(isinstance(t.this, exp.Literal) for t in order.expressions) or _uses_alias(scope):
            continue
        query.set("expressions", terms)
        query.set("distinct", None)
        rows = probe.rows(probe.text(query.limit(int(number) + 1, copy=False)))
        if len(rows) == int(number) + 1 and rows[-1] == rows[-2]:
            message = f"more rows are as good as the last one that LIMIT {number} keeps"
            yield Finding("ties-cut", "hint", message, "compare with MAX or MIN to keep them all")


def _uses_alias(scope: Scope) -> bool:
    return any(u.clause in ("order", "having") and u.status.name == "ALIAS" for u in scope.uses)
