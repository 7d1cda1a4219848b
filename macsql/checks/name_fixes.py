"""Possible cures for one problem with a name: each a few edits of the text, with what they cost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from macsql.checks.analysis import Analysis
from macsql.checks.bridge_fixes import (
    bridge_fixes,
    doubled_fixes,
    equated,
    same_name_fixes,
    using_fixes,
)
from macsql.checks.corrections import Sameness, sameness
from macsql.checks.edits import Fix, rename, replace_column, requalify
from macsql.checks.join_fixes import FORGOTTEN, Wanted, join_fixes, swap_fixes
from macsql.checks.names import nearest, similarity, words
from macsql.checks.problems import Problem, is_compared, relations_with, tables_with
from macsql.checks.quote_fixes import case_fixes, reserved_words, two_words, with_operators
from macsql.checks.scopes import Relation, Scope, Status, Use
from macsql.checks.table_fixes import table_fixes
from macsql.checks.text import Edit, quote, span
from macsql.names import fold
from macsql.schema import Schema, Table

_SENSELESS = 9.0
"""What it costs to compare a column with itself: too much."""
_LEAST = 0.6
"""What a name is alike at least to one that says the same in other words."""


def name_fixes(
    problem: Problem, analysis: Analysis, said: frozenset[str] = frozenset()
) -> list[Fix]:
    """Cures for a problem with a name, cheapest first; ``said`` are the words of the question."""
    code = problem.finding.code
    if code == "unknown-table":
        fixes = table_fixes(problem, analysis)
    elif code == "identifier-case":
        fixes = case_fixes(problem, analysis)
    elif code == "reserved-word":
        fixes = reserved_words(problem, analysis)
    elif code == "ambiguous-column":
        fixes = _ambiguity_fixes(problem, analysis)
    elif code == "using-column":
        fixes = using_fixes(problem, analysis)
    elif problem.node is not None and problem.scope is not None:
        fixes = _star_fixes(problem.node, problem.scope, analysis)
    elif problem.uses:
        fixes = _column_fixes(problem, analysis, said)
    else:
        return []
    sensible = (f for f in fixes if f.edits and f.cost < _SENSELESS)
    return sorted(sensible, key=lambda fix: fix.cost)


# Columns ----------------------------------------------------------------------------------


def _column_fixes(problem: Problem, analysis: Analysis, said: frozenset[str]) -> Iterator[Fix]:
    uses, scope = problem.uses, problem.scope
    if scope is None:
        return
    use = uses[0]
    if use.status is Status.NO_QUALIFIER:
        uses = _same_qualifier(use, analysis)
    yield from two_words(uses, analysis)
    yield from with_operators(problem.uses, analysis)
    if (own := _in_own_table(problem.uses, analysis, said)) is not None:
        yield from own
        return
    own_names = _own_corrections(use, analysis, said) if not relations_with(use) else []
    is_slip = any(same is Sameness.SAME for *_, same in own_names)
    for fix in bridge_fixes(problem.uses, scope, analysis):
        yield replace(fix, cost=fix.cost + 0.5 * is_slip)
    yield from _requalified(uses, analysis)
    yield from _only_name(problem.uses, analysis)
    longer = _longer_in_own(use, analysis)
    if len(longer) == 1:
        yield _lengthened(problem.uses, longer[0], 1.2, analysis)
    yield from _misspelt(problem.uses, analysis, said, stays=bool(longer))
    yield from _alias_misspelt(problem.uses, analysis)
    yield from _as_text(problem.uses)
    for table, penalty in _owners(uses, analysis):
        wanted = Wanted(uses, table, _alias_for(use, table), _is_said_of(use))
        for fix in (*join_fixes(analysis, scope, wanted), *swap_fixes(analysis, scope, wanted)):
            yield replace(fix, cost=fix.cost + penalty)


def _same_qualifier(use: Use, analysis: Analysis) -> tuple[Use, ...]:
    """All columns written with the same undefined alias, in this query and those inside it."""
    folded = use.qualifier.casefold()
    return tuple(
        other
        for other in analysis.resolution.uses
        if other.status is Status.NO_QUALIFIER
        and other.qualifier.casefold() == folded
        and use.scope in other.scope.chain()
    )


def _alias_for(use: Use, table: Table) -> str:
    if use.status is not Status.NO_QUALIFIER:
        return ""
    return use.qualifier


def _in_own_table(
    uses: Sequence[Use], analysis: Analysis, said: frozenset[str]
) -> list[Fix] | None:
    """``patient.name`` where a patient has a first and a last name, and a doctor a name: the table
    is meant as written, so that no other table's column may take the place. None where the
    qualifier says nothing (T1), or its table has nothing like it.
    """
    use = uses[0]
    table = use.relation.table if use.relation else None
    if use.status is not Status.NOT_IN_QUALIFIER or table is None or use.relation is None:
        return None
    others = [r for r in use.scope.relations if r is not use.relation]
    if not _speaks_of(use.qualifier, use.relation, others):
        return None
    longer = _longer_names(use.name, table, analysis.schema)
    if not longer or _own_corrections(use, analysis, said):
        return None
    if len(longer) > 1:
        return []
    return [_lengthened(uses, longer[0], 0.9, analysis)]


def _longer_in_own(use: Use, analysis: Analysis) -> list[str]:
    """``T1.name`` where T1 has a ``full_name``: other tables have a name as well, but the alias
    says whose is meant.
    """
    table = use.relation.table if use.relation else None
    if use.status is not Status.NOT_IN_QUALIFIER or table is None:
        return []
    return _longer_names(use.name, table, analysis.schema)


def _lengthened(uses: Sequence[Use], name: str, cost: float, analysis: Analysis) -> Fix:
    owner = uses[0].relation.name if uses[0].relation else ""
    edits = rename(uses, name, analysis.statement.dialect)
    return Fix(tuple(edits), cost, f"{uses[0].name} corrected to {owner}.{name}")


def _longer_names(name: str, table: Table, schema: Schema) -> list[str]:
    """Columns but keys that say more of the same: ``first_name`` and ``last_name`` for ``name``."""
    keys = schema.key_columns(table)
    names = [c.name for c in table.columns if c.name.casefold() not in keys]
    wanted, last = set(words(name)), words(name)[-1]
    return [n for n in names if wanted < set(words(n)) and words(n)[-1] == last]


def _is_said_of(use: Use) -> bool:
    """Whether the qualifier names its own table, which has no such column."""
    others = [r for r in use.scope.relations if r is not use.relation]
    return (
        use.status is Status.NOT_IN_QUALIFIER
        and use.relation is not None
        and _speaks_of(use.qualifier, use.relation, others)
    )


def _only_name(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """``name`` for ``full_name``, where a table of the query has no other kind of name."""
    use = uses[0]
    if use.qualifier or words(use.name) != ("name",):
        return
    for relation in use.scope.relations:
        names = _longer_names(use.name, relation.table, analysis.schema) if relation.table else []
        if len(names) == 1 and sum(r.has(names[0]) for r in use.scope.relations) == 1:
            edits = rename(uses, names[0], analysis.statement.dialect)
            why = f"{use.name} corrected to {relation.name}.{names[0]}"
            yield Fix(tuple(edits), 1.3, why)


def _speaks_of(qualifier: str, relation: Relation, others: Sequence[Relation]) -> bool:
    """Whether a qualifier can only be meant for ``relation``: it is like the name of its table,
    and like no other.
    """
    if FORGOTTEN.fullmatch(qualifier):
        return False
    alike = [r for r in (relation, *others) if _alias_cost(qualifier, r) < 1.0]
    return alike == [relation]


def _requalified(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """Give the column to a table of the query that has it."""
    use = uses[0]
    if not use.qualifier:
        return
    dialect = analysis.statement.dialect
    for rank, relation in enumerate(relations_with(use)):
        if any(not relation.has(u.name) for u in uses) or not relation.name:
            continue
        cost = 1.0 + 0.15 * rank
        if use.status is Status.NO_QUALIFIER:
            cost = _alias_cost(use.qualifier, relation) + 0.1 * rank
            cost += 1.5 * _is_kept_apart(use, relation, analysis)
        cost += _sense_cost(use, relation, use.name, analysis)
        yield Fix(
            tuple(requalify(uses, relation.name, dialect)),
            cost,
            f"{use.qualifier}.{use.name} belongs to {relation.name}",
            use.status is not Status.NO_QUALIFIER or not _refers_to_itself(relation),
        )


def _refers_to_itself(relation: Relation) -> bool:
    """Whether a second one of the table may have been meant: the manager of a worker."""
    table = relation.table
    return table is not None and any(
        fold(key.ref_table) == fold(table.name) for key in table.foreign_keys
    )


def _is_kept_apart(use: Use, relation: Relation, analysis: Analysis) -> bool:
    """``f.nick`` beside ``u.nick``: who writes both means two."""
    return _alias_cost(use.qualifier, relation) > 1.0 and any(
        known.relation is relation
        and known.qualifier
        and fold(known.name) == fold(use.name)
        and known.status is Status.FOUND
        for known in analysis.resolution.uses
    )


def _alias_cost(qualifier: str, relation: Relation) -> float:
    """How far an undefined alias is from a relation: its table's name, initials, or unlike."""
    table = relation.table.name if relation.table else relation.name
    folded = qualifier.casefold()
    if folded == table.casefold():
        return 0.3
    if table.casefold().startswith(folded) or folded == "".join(
        w[0] for w in table.split("_") if w
    ):
        return 0.6
    return 0.7 if similarity(qualifier, table) >= 0.8 else 1.1


def _sense_cost(use: Use, relation: Relation, name: str, analysis: Analysis) -> float:
    """What speaks against ``relation.name`` in this place: it would be compared with itself, or
    reach out of a sub-query.
    """
    cost = 0.0 if relation in use.scope.relations else 0.5
    beside = use.column.parent
    if not isinstance(beside, (exp.EQ, exp.NEQ, exp.GT, exp.LT)):
        return cost
    other = beside.right if beside.left is use.column else beside.left
    for known in analysis.resolution.uses:
        is_same = known.relation is relation and known.name.casefold() == name.casefold()
        if known.column is other and is_same:
            # Both sides may be wrong in the same way; then the qualifier as written decides.
            cost += _SENSELESS if known.status is Status.FOUND else 2.0
    return cost


def _misspelt(
    uses: Sequence[Use], analysis: Analysis, said: frozenset[str], stays: bool = False
) -> Iterator[Fix]:
    """A column whose name is like it; of its own table only, where it ``stays``."""
    use, dialect = uses[0], analysis.statement.dialect
    for scope in use.scope.chain():
        for relation in scope.relations:
            for name, score, same in _corrections(use, relation, analysis.schema, said):
                moved = bool(use.qualifier) and use.relation is not relation
                if moved and stays:
                    continue
                cost = (
                    1.0
                    + 6 * (1 - max(score, _LEAST))
                    + 0.7 * moved
                    + 0.2 * (same is Sameness.LIKELY)
                )
                cost += _sense_cost(use, relation, name, analysis)
                crowded = sum(r.has(name) for r in scope.relations) > 1
                if moved or (crowded and not use.qualifier):
                    edits = replace_column(uses, relation.name, name, dialect)
                else:
                    edits = rename(uses, name, dialect)
                why = f"{use.name} corrected to {relation.name}.{name}"
                is_certain = same is Sameness.SAME and not (moved and use.relation)
                yield Fix(tuple(edits), cost, why, is_certain)


def _own_corrections(
    use: Use, analysis: Analysis, said: frozenset[str]
) -> list[tuple[str, float, Sameness]]:
    """Columns of the table that its qualifier says."""
    if use.status is not Status.NOT_IN_QUALIFIER or use.relation is None:
        return []
    return _corrections(use, use.relation, analysis.schema, said)


def _corrections(
    use: Use, relation: Relation, schema: Schema, said: frozenset[str]
) -> list[tuple[str, float, Sameness]]:
    """Columns of ``relation`` that the name may be written for, with how alike they are."""
    owner = relation.table.name if relation.table else relation.name
    keys = schema.key_columns(relation.table) if relation.table else set()
    names = [c for c in relation.columns or () if c and fold(c) != fold(use.name)]
    alike = nearest(use.name, names, table=owner, at_least=0.0, limit=len(names))
    graded = [
        (name, score, sameness(use.name, name, owner, said, fold(name) in keys))
        for name, score in alike
    ]
    graded = [found for found in graded if found[2]][:3]
    if sum(_says_more(use.name, name) for name, *_ in graded) > 1:  # id or name of a festival?
        graded = [(n, score, min(same, Sameness.LIKELY)) for n, score, same in graded]
    return graded


def _says_more(name: str, other: str) -> bool:
    return set(words(name)) < set(words(other))


def _alias_misspelt(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    use = uses[0]
    if use.qualifier or use.clause not in {"order", "group", "having"}:
        return
    for name, score in nearest(use.name, use.scope.aliases, at_least=0.6):
        if not (same := sameness(use.name, name)):
            continue
        edits = rename(uses, name, analysis.statement.dialect)
        cost, why = 1.2 + 6 * (1 - score), f"{use.name} corrected to {name}"
        yield Fix(tuple(edits), cost, why, same is Sameness.SAME)


def _as_text(uses: Sequence[Use]) -> Iterator[Fix]:
    """``city = Paris``: text without its quotes."""
    if places := [span(u.column) for u in uses if is_compared(u)]:
        text = "'" + uses[0].name.replace("'", "''") + "'"
        edits = tuple(Edit(*place, text) for place in places if place)
        yield Fix(edits, 2.0, f"{uses[0].name} is text")


def _owners(uses: Sequence[Use], analysis: Analysis) -> list[tuple[Table, float]]:
    """Tables of the schema that could own the columns, with what speaks against each."""
    use, schema = uses[0], analysis.schema
    names = {u.name for u in uses}
    owners = [
        (table, 0.0 if not table.is_view else 0.8)
        for table in tables_with(schema, use.name)
        if all(table.column(name) for name in names)
    ]
    named = schema.table(use.qualifier) if use.status is Status.NO_QUALIFIER else None
    if named is not None and use.scope.relation(named.name) is None:
        # "pupil.x" without pupil: another table under that name would mislead every reader.
        owners = [(t, p - 0.6) for t, p in owners if t is named]
    elif use.qualifier and use.status is Status.NO_QUALIFIER:
        owners = [
            (t, p - (0.5 if similarity(use.qualifier, t.name) >= 0.8 else 0.0)) for t, p in owners
        ]
    return sorted(owners, key=lambda pair: pair[1])[:6]


def _ambiguity_fixes(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    use = problem.uses[0]
    shown = {
        id(u.relation)
        for u in (problem.scope.uses if problem.scope else ())
        if u.clause == "select" and u.qualifier
    }
    if use.qualifier:
        yield from doubled_fixes(problem.uses, analysis)
        return
    if both := list(same_name_fixes(problem.uses, analysis)):
        yield from both
        return
    for rank, relation in enumerate(use.owners):
        cost = 1.0 + (0.4 if equated(use) else 0.1) * rank - (0.3 if id(relation) in shown else 0.0)
        edits = requalify(problem.uses, relation.name, analysis.statement.dialect)
        yield Fix(tuple(edits), cost, f"{use.name} taken from {relation.name}")


def _star_fixes(node: exp.Expr, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    """``T3.*`` becomes the star of a table of the query."""
    place = span(node)
    for rank, relation in enumerate(scope.relations if place else ()):
        if relation.name and place and isinstance(node, exp.Column):
            cost = _alias_cost(node.table, relation) + 0.1 * rank
            edit = Edit(*place, f"{quote(relation.name, analysis.statement.dialect)}.*")
            yield Fix((edit,), cost, f"{node.table}.* taken from {relation.name}")
