"""Which condition leaves a query without rows: the query asked again without each of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.text import conjuncts, read, shorten, whole_span
from macsql.errors import DatabaseError
from macsql.message import Finding

HasRows = Callable[[str], bool]
"""Whether a statement finds a row; may raise DatabaseError."""

MOST_PROBES = 6
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Probe:
    """``sql`` finds a row when ``condition`` alone keeps the query from finding one."""

    condition: str
    sql: str
    span: tuple[int, int] | None


def why_no_rows(sql: str, dialect: str, has_rows: HasRows) -> list[Finding]:
    """The conditions of a query without rows that leave none by themselves; never raises.

    Each is a hint: it may be what was asked. Nothing is found when several conditions together
    are the reason, or when the rows are already missing in the joins, which is said instead.
    """
    probes = list(_probes(sql, dialect))
    if not probes:
        return []
    try:
        guilty = [p for p in probes[1:] if has_rows(p.sql)]
        if guilty or has_rows(probes[0].sql):
            return [_finding(p) for p in guilty]
    except DatabaseError:
        return []
    message = "Without any condition there would be no rows either."
    return [Finding("empty-source", "hint", message, "The tables are empty or do not meet.")]


def _finding(probe: Probe) -> Finding:
    message = f"Without the condition {probe.condition} there would be rows."
    return Finding("empty-condition", "hint", message, span=probe.span)


def _probes(sql: str, dialect: str) -> Iterator[Probe]:
    """First the query without any condition, then without each one."""
    statement = read(sql, dialect)
    tree = statement.tree
    if not isinstance(tree, exp.Select) or not tree.args.get("where"):
        return
    if tree.args.get("having") or tree.args.get("offset"):
        return
    root = tree.args["where"].this
    conditions = conjuncts(root)
    yield Probe("", _without(tree, [], dialect), None)
    if len(conditions) == 1:
        yield Probe(shorten(root, dialect, _SHOWN), _without(tree, [], dialect), whole_span(root))
        return
    for i, condition in enumerate(conditions[:MOST_PROBES]):
        rest = [*conditions[:i], *conditions[i + 1 :]]
        yield Probe(
            shorten(condition, dialect, _SHOWN),
            _without(tree, rest, dialect),
            whole_span(condition),
        )


def _without(tree: exp.Select, conditions: list[exp.Expr], dialect: str) -> str:
    """``SELECT 1`` of the same tables under ``conditions`` alone."""
    probe = tree.copy()
    for clause in ("where", "group", "order", "distinct", "limit"):
        probe.set(clause, None)
    probe.set("expressions", [exp.Literal.number(1)])
    for condition in conditions:
        probe = probe.where(condition.copy(), copy=False)
    return probe.limit(1, copy=False).sql(dialect=dialect)
