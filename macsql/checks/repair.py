"""Deterministic repair: the smallest edits that leave nothing certain to be wrong."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.edits import Fix
from macsql.checks.fixes import name_fixes
from macsql.checks.problems import Problem
from macsql.checks.text import apply_edits
from macsql.schema import Schema

StoredValues = Callable[[str, str, str], Sequence[str]]
"""(table, column, text) → stored values of that column that are like the text, best first."""

_MAX_LOOKS = 40
_MAX_FIXES = 8
_FIXES_PER_PROBLEM = 6


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired statement, why it was changed, and how much: the cheaper, the likelier."""

    sql: str
    explanation: str
    cost: float


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
    order = count()
    heap = [_State(0.0, next(order), sql)]
    seen = {sql}
    clean: list[Repair] = []
    better: list[tuple[int, Repair]] = []
    looks = 0
    while heap and len(clean) < max_candidates and looks < _MAX_LOOKS:
        state = heapq.heappop(heap)
        analysis = first if state.sql == sql else analyse(state.sql, schema)
        looks += 1
        if not analysis.errors:
            clean.append(state.repair())
            continue
        fixes = _fixes(analysis) if len(state.explanations) < _MAX_FIXES else []
        if not fixes and len(analysis.errors) < len(first.errors):
            better.append((len(analysis.errors), state.repair()))
        for fix in fixes:
            text = apply_edits(state.sql, fix.edits)
            if text is not None and text not in seen:
                seen.add(text)
                explanations = (*state.explanations, fix.explanation)
                heapq.heappush(heap, _State(state.cost + fix.cost, next(order), text, explanations))
    if clean:
        return clean
    return [r for _, r in sorted(better, key=lambda pair: (pair[0], pair[1].cost))][:max_candidates]


def _fixes(analysis: Analysis) -> list[Fix]:
    """Cures for the first problem that has any: the others are met again afterwards."""
    for problem in analysis.errors:
        if fixes := _cures(problem, analysis):
            return fixes[:_FIXES_PER_PROBLEM]
    return []


def _cures(problem: Problem, analysis: Analysis) -> list[Fix]:
    return name_fixes(problem, analysis)
