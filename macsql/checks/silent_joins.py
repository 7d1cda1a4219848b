"""Joins that multiply rows before they are added up, or lose rows before they are counted."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.checks.joins import links
from macsql.checks.probes import ROWS_READ, Probe
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Relation, Scope, Use
from macsql.database.result import Result
from macsql.message import Finding
from macsql.schema import Table

Joined = tuple[Use, Use]
"""Two columns that a join compares: the first refers to the second, which is a key."""
DECIDING = ("having", "order")
"""Clauses in which a wrong sum chooses or orders the rows."""


def fan_out(probe: Probe) -> Iterator[Finding]:
    """SUM or AVG of one table's columns whose rows a join to their many side has multiplied."""
    for scope in probe.scopes():
        for call in own_aggregates(scope, *DECIDING):
            found = _summed_of(call, probe)
            if found is None:
                continue
            many = next(
                (m for m, one in _key_joins(scope, probe) if one.relation is found[0]), None
            )
            if many is None or many.relation is None or not multiplies(probe, scope, found[0]):
                continue
            message = (
                f"{call.sql()} takes rows of {found[1].name} several times: "
                f"each is joined to its rows of {_title(many.relation)}"
            )
            hint = f"aggregate {found[1].name} before the join, or use EXISTS"
            yield Finding("fan-out", "warning", message, hint)


def own_aggregates(scope: Scope, *clauses: str) -> list[exp.Expr]:
    """The aggregates that a SELECT shows, and those in ``clauses``."""
    parts = [*scope.select.expressions, *(scope.select.args.get(c) for c in clauses)]
    return [a for part in parts if part is not None for a in aggregates(part)]


def _summed_of(call: exp.Expr, probe: Probe) -> tuple[Relation, Table] | None:
    """The one table whose columns a sum or an average is made of, repetitions included."""
    total = isinstance(call, exp.Anonymous) and call.name.upper() == "TOTAL"
    if not total and not isinstance(call, (exp.Sum, exp.Avg)):
        return None
    summed = call.expressions[0] if isinstance(call, exp.Anonymous) else call.this
    found = [probe.stored(column) for column in summed.find_all(exp.Column)]
    known = [f[:2] for f in found if f is not None]
    # What a condition within the sum looks at may come from another table.
    is_plain = not summed.find(exp.Distinct, exp.Case, exp.If, exp.Filter)
    is_one = bool(known) and len(known) == len(found) and all(k == known[0] for k in known)
    return known[0] if is_plain and is_one else None


def _key_joins(scope: Scope, probe: Probe) -> Iterator[Joined]:
    """The equalities of a SELECT that join along a key: a declared one, or, between tables that
    have none, from a column that is no key itself to one that identifies rows.
    """
    known = {
        _folded(link.left, link.pairs[0][0], link.right, link.pairs[0][1]): link
        for link in links(probe.schema)
        if not link.inferred and len(link.pairs) == 1
    }
    tied = {frozenset((link.left, link.right)) for link in known.values()}
    for node in scope.select.find_all(exp.EQ):
        one, other = probe.use(node.left), probe.use(node.right)
        if one is None or other is None or one.scope is not scope or other.scope is not scope:
            continue
        for many, single in ((one, other), (other, one)):
            if many.relation and single.relation and many.relation.table and single.relation.table:
                tables = many.relation.table.name, single.relation.table.name
                key = (tables[0], many.name, tables[1], single.name)
                is_free = frozenset(tables) not in tied and len(set(tables)) == 2
                leads = is_free and _identifies(single) and not _identifies(many)
                if leads or _folded(*key) in known:
                    yield many, single


def _identifies(use: Use) -> bool:
    table = use.relation.table if use.relation else None
    return table is not None and _folded(*table.primary_key) == _folded(use.name)


def _folded(*names: str) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)


def multiplies(probe: Probe, scope: Scope, relation: Relation) -> bool:
    """Whether one row of ``relation`` comes more than once into the same group."""
    keys, groups = probe.key(relation), probe.groups(scope)
    if not keys:
        return False
    # Where an outer join finds no row, there is none that could come twice.
    once = grouped(probe, scope, keys, groups).where("c0 IS NOT NULL")
    several = once.group_by(*(f"c{i}" for i in range(len(keys) + len(groups))))
    return bool(probe.rows(probe.text(several.having("COUNT(*) > 1").limit(1))))


def grouped(
    probe: Probe, scope: Scope, keys: Sequence[exp.Expr], groups: Sequence[exp.Expr]
) -> exp.Select:
    """``SELECT 1`` of some of the rows that a SELECT works on, with ``keys`` and ``groups`` as
    columns c0, c1 and so on.
    """
    rows = probe.source(scope, *keys, *groups)
    shown = [exp.alias_(e, f"c{i}") for i, e in enumerate(rows.expressions)]
    rows.set("expressions", shown)
    return exp.select("1").from_(rows.limit(ROWS_READ).subquery("q"))


def broken_keys(probe: Probe) -> Iterator[Finding]:
    """An inner join to a table that lacks some of the keys: their rows are not counted."""
    for scope in probe.scopes():
        if not any(isinstance(a, (exp.Count, exp.Sum)) for a in own_aggregates(scope)):
            continue
        for many, single in _key_joins(scope, probe):
            if not _drops(scope, single):
                continue
            lost, total = _unmatched(probe, many, single)
            if lost:
                message = (
                    f"{lost} of {total} rows of {_title(many.relation)} have no match in "
                    f"{_title(single.relation)}: the join leaves them out"
                )
                yield Finding("broken-key", "warning", message, "use LEFT JOIN to count them")


def _drops(scope: Scope, single: Use) -> bool:
    """Whether only the join leaves rows without a match out: it is inner, and no WHERE does."""
    if any(j.side for j in scope.select.args.get("joins") or ()):
        return False
    filters = (u for u in scope.uses if u.clause == "where" and u is not single)
    return all(u.relation is not single.relation for u in filters)


def _unmatched(probe: Probe, many: Use, single: Use) -> tuple[int, int]:
    """Rows of the referring table whose key is not there (NULL included), and all of its rows."""
    if not many.relation or not many.relation.table or not single.relation:
        return 0, 0
    if single.relation.table is None:
        return 0, 0
    table, column = probe.name(many.relation.table.name), probe.name(many.name)
    target, key = probe.name(single.relation.table.name), probe.name(single.name)
    rows = probe.rows(
        f"SELECT COUNT(*), SUM(CASE WHEN f.k IN (SELECT {key} FROM {target}) THEN 0 ELSE 1 END) "  # noqa: S608 - quoted names
        f"FROM (SELECT {column} AS k FROM {table} LIMIT {ROWS_READ}) AS f"
    )
    return (int(rows[0][1] or 0), int(rows[0][0])) if rows else (0, 0)


def repeated_rows(probe: Probe, result: Result) -> Iterator[Finding]:
    """The same row more than once out of a join that multiplies."""
    scope = probe.analysis.resolution.scopes[0]
    tree = probe.analysis.statement.tree
    if scope.select is not tree or scope.select.args.get("distinct") or own_aggregates(scope):
        return
    if scope.select.args.get("group") is not None or len(scope.relations) < 2:
        return
    repeated = len(result.rows) - len({repr(row) for row in result.rows})
    if repeated:
        message = f"{repeated} of {len(result.rows)} rows are repetitions, which a join makes"
        yield Finding("repeated-rows", "hint", message, "write SELECT DISTINCT if one is enough")


def _title(relation: Relation | None) -> str:
    return relation.table.name if relation and relation.table else "the table"
