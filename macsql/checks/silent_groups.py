"""Things that are counted several times, or taken for one because they have the same name."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.checks.names import words
from macsql.checks.probes import Probe
from macsql.checks.scopes import Relation, Scope
from macsql.checks.silent_joins import multiplies, own_aggregates
from macsql.message import Finding
from macsql.schema import Table

_OF_PEOPLE = frozenset({"first", "last", "full", "given", "family"})


def counted_twice(probe: Probe, things: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    """COUNT of the rows of a join, when the question counts ``things`` that come several times."""
    for scope in probe.scopes() if things else ():
        for call in own_aggregates(scope):
            if not isinstance(call, exp.Count) or isinstance(call.this, exp.Distinct):
                continue
            relation = _counted(scope, things)
            if relation is None or relation.table is None or len(scope.relations) < 2:
                continue
            if not isinstance(call.this, exp.Star) and probe.relation(call.this) is not relation:
                continue
            if multiplies(probe, scope, relation):
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
