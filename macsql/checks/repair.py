"""Deterministic repair: the smallest edits that leave nothing certain to be wrong."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.edits import Fix, Repair
from macsql.checks.forgiven import forgiven_fixes
from macsql.checks.functions import function_fixes
from macsql.checks.literals import StoredValues, repair_literals
from macsql.checks.name_fixes import name_fixes
from macsql.checks.problems import Problem
from macsql.checks.structure_fixes import structure_fixes
from macsql.checks.syntax_fixes import syntax_fixes
from macsql.checks.text import apply_edits
from macsql.schema import Schema

_MAX_LOOKS = 40
_MAX_FIXES = 8
_FIXES_PER_PROBLEM = 6
_FAR_WORSE = 2.0


@dataclass(frozen=True, slots=True, order=True)
class _State:
    cost: float
    number: int
    sql: str
    explanations: tuple[str, ...] = ()

    def repair(self) -> Repair:
        return Repair(self.sql, "; ".join(dict.fromkeys(self.explanations)), round(self.cost, 3))


def repair(
    sql: str,
    schema: Schema,
    *,
    values: StoredValues | None = None,
    max_candidates: int = 3,
) -> list[Repair]:
    """Statements that mean what ``sql`` seems to mean and can run, best first; never raises.

    Empty when nothing is certainly wrong, or nothing can be done. Every repair checks clean; when
    none can, those with fewer errors than before are returned.
    """
    first = analyse(sql, schema)
    if not first.errors:
        return []
    found = _search(first, max_candidates)
    return [_with_stored_literals(r, schema, values) for r in found] if values else found


def _with_stored_literals(repaired: Repair, schema: Schema, values: StoredValues) -> Repair:
    corrected = repair_literals(repaired.sql, schema, values)
    if not corrected:
        return repaired
    best = corrected[0]
    return Repair(best.sql, f"{repaired.explanation}; {best.explanation}", repaired.cost)


def _search(first: Analysis, max_candidates: int) -> list[Repair]:
    """Cheapest-first search over sequences of fixes, one problem at a time."""
    order = count()
    heap = [_State(0.0, next(order), first.statement.sql)]
    seen = {first.statement.sql}
    clean: list[Repair] = []
    better: list[tuple[int, Repair]] = []
    for _ in range(_MAX_LOOKS):
        if not heap or len(clean) == max_candidates:
            break
        state = heapq.heappop(heap)
        if clean and state.cost > clean[0].cost + _FAR_WORSE:
            break
        analysis = analyse(state.sql, first.schema) if state.explanations else first
        if not analysis.errors:
            clean.append(state.repair())
            continue
        following = list(_next_states(state, analysis, order))
        if not following and len(analysis.errors) < len(first.errors):
            better.append((len(analysis.errors), state.repair()))
        for new in following:
            if new.sql not in seen:
                seen.add(new.sql)
                heapq.heappush(heap, new)
    partly = [r for _, r in sorted(better, key=lambda pair: (pair[0], pair[1].cost))]
    return clean or partly[:max_candidates]


def _next_states(state: _State, analysis: Analysis, order: Iterator[int]) -> Iterator[_State]:
    if len(state.explanations) >= _MAX_FIXES:
        return
    for fix in _fixes(analysis):
        text = apply_edits(state.sql, fix.edits)
        if text is not None:
            explanations = (*state.explanations, fix.explanation)
            yield _State(state.cost + fix.cost, next(order), text, explanations)


def _fixes(analysis: Analysis) -> list[Fix]:
    """Cures for the first problem that has any: the others are met again afterwards."""
    for problem in analysis.errors:
        if fixes := _cures(problem, analysis):
            return fixes[:_FIXES_PER_PROBLEM]
    return []


def _cures(problem: Problem, analysis: Analysis) -> list[Fix]:
    statement = analysis.statement
    if statement.tree is None:
        return syntax_fixes(statement, analysis.schema)
    if problem.finding.code in {"unknown-function", "other-dialect", "syntax"}:
        return function_fixes(problem, statement) or forgiven_fixes(problem, statement)
    return structure_fixes(problem, analysis) or name_fixes(problem, analysis)
