"""Joins that multiply rows before they are added up, or lose rows before they are counted."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.checks.joins import Link, links
from macsql.checks.names import words
from macsql.checks.probes import ROWS_READ, Probe
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Relation, Scope, Use
from macsql.database.result import Result
from macsql.message import Finding
from macsql.schema import Table

Joined = tuple[Use, Use, Link]
"""Two columns that a join compares, and the key: the first refers to the second."""


def fan_out(probe: Probe) -> Iterator[Finding]:
    """SUM or AVG of a column whose rows a join to their many side has multiplied."""
    for scope in probe.scopes():
        for call in _own_aggregates(scope):
            column = call.this if isinstance(call, (exp.Sum, exp.Avg)) else None
            found = probe.stored(column)
            if column is None or found is None or isinstance(call.this, exp.Distinct):
                continue
            many = next(
                (m for m, one, _ in _key_joins(scope, probe) if one.relation is found[0]), None
            )
            if many is None or many.relation is None or not _multiplies(probe, scope, found[0]):
                continue
            message = (
                f"{call.sql()} takes rows of {found[1].name} several times: "
                f"each is joined to its rows of {_title(many.relation)}"
            )
            hint = f"aggregate {found[1].name} before the join, or use EXISTS"
            yield Finding("fan-out", "warning", message, hint)


def counted_twice(probe: Probe, things: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    """COUNT of the rows of a join, when the question counts ``things`` that come several times."""
    for scope in probe.scopes() if things else ():
        for call in _own_aggregates(scope):
            if not isinstance(call, exp.Count) or isinstance(call.this, exp.Distinct):
                continue
            relation = _counted(scope, things)
            if relation is None or relation.table is None or len(scope.relations) < 2:
                continue
            if not isinstance(call.this, exp.Star) and probe.relation(call.this) is not relation:
                continue
            if _multiplies(probe, scope, relation):
                key = f"{relation.name}.{relation.table.primary_key[0]}"
                message = (
                    f"{call.sql()} counts rows of a join, in which a row of {relation.table.name} "
                    "comes several times"
                )
                hint = f"write COUNT(DISTINCT {key}) to count each once"
                yield Finding("counted-twice", "warning", message, hint)


def _counted(scope: Scope, things: Sequence[tuple[str, ...]]) -> Relation | None:
    """The one relation whose rows are asked for; the longest of those the question names so."""
    named = [(words(r.table.name), r) for r in scope.relations if r.table]
    found = [
        (len(name), relation)
        for name, relation in named
        if any(name and thing[-len(name) :] == name for thing in things)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def merged_names(probe: Probe) -> Iterator[Finding]:
    """GROUP BY the names of things, of which two have the same: both become one group."""
    for scope in probe.scopes():
        group = scope.select.args.get("group")
        terms = list(group.expressions) if group is not None else []
        found = [probe.stored(term) for term in terms]
        if len(scope.relations) < 2 or not found or found[0] is None:
            continue
        relation, table, _ = found[0]
        names = [
            column.name for part in found if part and part[0] is relation for column in part[2:]
        ]
        if len(names) < len(found) or len(table.primary_key) != 1:
            continue
        key = exp.column(table.primary_key[0], table=relation.name, quoted=True)
        if table.primary_key[0] in names or not any(_is_name(name, table) for name in names):
            continue
        several = exp.GT(
            this=exp.Count(this=exp.Distinct(expressions=[key.copy()])),
            expression=exp.Literal.number(1),
        )
        query = probe.source(scope, exp.Literal.number(1)).group_by(*(t.copy() for t in terms))
        if probe.rows(probe.text(query.having(several).limit(1))):
            message = (
                f"rows of {table.name} with the same {' and '.join(names)} are not the same, and "
                "become one group"
            )
            hint = f"group by {key.sql(probe.analysis.statement.dialect)} as well"
            yield Finding("merged-names", "warning", message, hint)


def _is_name(column: str, table: Table) -> bool:
    """Whether rows of the table are called by this column: name, title, product_name of product."""
    said = words(column)
    return said[-1] in {"name", "title"} and set(said[:-1]) <= {*words(table.name), *_OF_PEOPLE}


_OF_PEOPLE = frozenset({"first", "last", "full", "given", "family"})


def _own_aggregates(scope: Scope) -> list[exp.Expr]:
    return [a for e in scope.select.expressions for a in aggregates(e)]


def _key_joins(scope: Scope, probe: Probe) -> Iterator[Joined]:
    """The equalities of a SELECT that join along a declared key."""
    known = {
        _folded(link.left, link.pairs[0][0], link.right, link.pairs[0][1]): link
        for link in links(probe.schema)
        if not link.inferred and len(link.pairs) == 1
    }
    for node in scope.select.find_all(exp.EQ):
        one, other = probe.use(node.left), probe.use(node.right)
        if one is None or other is None or one.scope is not scope or other.scope is not scope:
            continue
        for many, single in ((one, other), (other, one)):
            if many.relation and single.relation and many.relation.table and single.relation.table:
                tables = many.relation.table.name, single.relation.table.name
                key = (tables[0], many.name, tables[1], single.name)
                if link := known.get(_folded(*key)):
                    yield many, single, link


def _folded(*names: str) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)


def _multiplies(probe: Probe, scope: Scope, relation: Relation) -> bool:
    """Whether one row of ``relation`` comes more than once into the same group."""
    if relation.table is None or not relation.table.primary_key:
        return False
    keys = [exp.column(k, table=relation.name, quoted=True) for k in relation.table.primary_key]
    group = scope.select.args.get("group")
    terms = [t for t in group.expressions if isinstance(t, exp.Column)] if group else []
    once = probe.source(scope, *keys, *terms)
    named = [exp.alias_(e, f"c{i}") for i, e in enumerate(once.expressions)]
    once.set("expressions", named)
    once = once.distinct()
    every = probe.source(scope, exp.Literal.number(1))
    counts = (f"(SELECT COUNT(*) FROM ({probe.text(q)}) AS q)" for q in (every, once))  # noqa: S608
    rows = probe.rows(f"SELECT {', '.join(counts)}")
    return bool(rows) and rows[0][0] > rows[0][1]


def broken_keys(probe: Probe) -> Iterator[Finding]:
    """An inner join to a table that lacks some of the keys: their rows are not counted."""
    for scope in probe.scopes():
        if not any(isinstance(a, (exp.Count, exp.Sum)) for a in _own_aggregates(scope)):
            continue
        for many, single, _ in _key_joins(scope, probe):
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
    if scope.select is not tree or scope.select.args.get("distinct") or _own_aggregates(scope):
        return
    if scope.select.args.get("group") is not None or len(scope.relations) < 2:
        return
    repeated = len(result.rows) - len({repr(row) for row in result.rows})
    if repeated:
        message = f"{repeated} of {len(result.rows)} rows are repetitions, which a join makes"
        yield Finding("repeated-rows", "hint", message, "write SELECT DISTINCT if one is enough")


def _title(relation: Relation | None) -> str:
    return relation.table.name if relation and relation.table else "the table"
