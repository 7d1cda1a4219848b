"""Things that are counted several times, or taken for one because they have the same name."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from macsql.checks.names import calls_rows, words
from macsql.checks.probes import Probe
from macsql.checks.scopes import Relation, Scope
from macsql.checks.silent_joins import DECIDING, grouped, multiplies, own_aggregates
from macsql.message import Finding

_NAMES_ASKED = re.compile(
    r"\b(?:common|popular|frequent(?:ly used)?|same|each|every|per|different|distinct|unique|"
    r"duplicated?|grouped by|share an?)\s+(?:[\w']+\s+){0,2}?(?:names?|titles?)\b"
)


def counted_twice(probe: Probe, things: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    """COUNT of the rows of a join, when the question counts ``things`` that come several times."""
    for scope, call, relation in _counts(probe, things):
        table, key = relation.table, [probe.text(c) for c in probe.key(relation)]
        grouped_by = [f[1:] for t in probe.groups(scope) if (f := probe.stored(t))]
        # Of a group for each of them there is one; how many there are is asked elsewhere.
        columns = {column.name for t, column in grouped_by if t is table}
        if table is None or not key or columns.issuperset(table.primary_key):
            continue
        if multiplies(probe, scope, relation):
            message = (
                f"{call.sql()} counts rows of a join, in which a row of {table.name} "
                "comes several times"
            )
            hint = f"write COUNT(DISTINCT {key[0]}) to count each once"
            if len(key) > 1:
                hint = f"count the rows of SELECT DISTINCT {', '.join(key)} to count each once"
            yield Finding("counted-twice", "warning", message, hint)


def none_counted(probe: Probe, things: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    """COUNT(*) of ``things`` that a LEFT JOIN looks for: 1 where there are none."""
    for scope, call, relation in _counts(probe, things):
        key = probe.key(relation)
        if isinstance(call.this, exp.Column) or not key or not _is_optional(scope, relation):
            continue
        if probe.any_row(scope, exp.Is(this=key[0], expression=exp.Null())):
            assert relation.table is not None
            message = f"{call.sql()} counts 1 where the join finds no row of {relation.table.name}"
            hint = f"write COUNT({probe.text(key[0])}) to count none there"
            yield Finding("none-counted", "warning", message, hint)


def _counts(
    probe: Probe, things: Sequence[tuple[str, ...]]
) -> Iterator[tuple[Scope, exp.Count, Relation]]:
    """Every COUNT that a SELECT with a join shows, with the relation whose rows are asked for."""
    for scope in probe.scopes() if things else ():
        if len(scope.relations) < 2:
            continue
        named = _named(scope, things)
        for call in own_aggregates(scope):
            if not isinstance(call, exp.Count) or isinstance(call.parent, exp.Filter):
                continue
            if isinstance(call.this, (exp.Star, exp.Literal)):
                # Two that are asked for, or one table twice: which is meant cannot be known.
                if len(named) == 1:
                    yield scope, call, named[0]
            elif (relation := probe.relation(call.this)) in named and relation is not None:
                yield scope, call, relation


def _named(scope: Scope, things: Sequence[tuple[str, ...]]) -> list[Relation]:
    """The relations of ``things``: of those that a thing may be, the ones with the longest name."""
    found: list[Relation] = []
    for thing in things:
        names = {r: words(r.table.name) for r in scope.relations if r.table}
        fitting = {r: name for r, name in names.items() if thing[-len(name) :] == name}
        longest = max(map(len, fitting.values()), default=0)
        found += [r for r, name in fitting.items() if len(name) == longest and r not in found]
    return found


def _is_optional(scope: Scope, relation: Relation) -> bool:
    """Whether a relation is what a LEFT JOIN, the only kind of join beside it, looks for."""
    joins = scope.select.args.get("joins") or []
    sides = [j.side for j in joins if j.this is relation.node]
    return sides == ["LEFT"] and all(j.side in ("", "LEFT") for j in joins)


def merged_names(probe: Probe, question: str = "") -> Iterator[Finding]:
    """GROUP BY the names of things, of which two have the same: both become one group.

    Not where ``question``, in small letters, asks for the names themselves: "each first name".
    """
    for scope in probe.scopes() if not _NAMES_ASKED.search(question) else ():
        if len(scope.relations) < 2 or not own_aggregates(scope, *DECIDING):
            continue
        terms = probe.groups(scope)
        found = [f for term in terms if (f := probe.stored(term))]
        for relation in dict.fromkeys(f[0] for f in found):
            names = [column.name for r, _, column in found if r is relation]
            table, key = relation.table, probe.key(relation)
            if table is None or len(key) != 1 or table.primary_key[0] in names:
                continue
            if not any(calls_rows(name, table.name) for name in names):
                continue
            rows = grouped(probe, scope, key, terms)
            several = rows.group_by(*(f"c{i + 1}" for i in range(len(terms))))
            if probe.rows(probe.text(several.having("COUNT(DISTINCT c0) > 1").limit(1))):
                message = (
                    f"rows of {table.name} with the same {' and '.join(names)} are not the same, "
                    "and become one group"
                )
                hint = f"group by {probe.text(key[0])} as well"
                yield Finding("merged-names", "warning", message, hint)
