"""Deterministic repair: the smallest edits that leave nothing certain to be wrong."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from macsql.checks.analysis import CERTAIN_RULES, Analysis, analyse
from macsql.checks.asked import Asked
from macsql.checks.dialect_rules import dialect_fixes
from macsql.checks.edits import Fix, Repair
from macsql.checks.forgiven import forgiven_fixes
from macsql.checks.functions import function_fixes
from macsql.checks.keys import summed_key_fixes
from macsql.checks.literals import repair_literals
from macsql.checks.meaning_fixes import meaning_fixes
from macsql.checks.misread import misread_fixes
from macsql.checks.name_fixes import name_fixes
from macsql.checks.nested import nested_fixes
from macsql.checks.plain_fixes import plain_fixes
from macsql.checks.problems import Problem
from macsql.checks.same_text import StoredValues
from macsql.checks.structure_fixes import structure_fixes
from macsql.checks.syntax_fixes import syntax_fixes
from macsql.checks.text import apply_edits
from macsql.schema import Schema

_MAX_LOOKS = 40
_MAX_FIXES = 8
_FIXES_PER_PROBLEM = 6
_OF_DIALECTS = frozenset({"unknown-function", "other-dialect"})
_FAR_WORSE = 2.0
_CLOSE = 0.14
"""Repairs whose costs differ by less are as likely; what the question says weighs more."""


@dataclass(frozen=True, slots=True, order=True)
class _State:
    cost: float
    number: int
    sql: str
    explanations: tuple[str, ...] = ()
    is_certain: bool = True

    def repair(self) -> Repair:
        why = "; ".join(dict.fromkeys(self.explanations))
        return Repair(self.sql, why, round(self.cost, 3), self.is_certain)


def repair(
    sql: str,
    schema: Schema,
    *,
    values: StoredValues | None = None,
    max_candidates: int = 3,
    failed: bool = False,
    question: str = "",
) -> list[Repair]:
    """Statements that mean what ``sql`` seems to mean and can run, best first; never raises.

    Empty when nothing is certainly wrong, or nothing can be done. ``failed`` says that the database
    refused the statement: then a function that only recent versions have counts as wrong.
    Every repair checks clean; when none can, those with fewer errors than before are returned.
    Of several that change about as much, those are likelier that name what ``question`` names.
    """
    asked = Asked.of(question)
    found = _search(analyse(sql, schema, CERTAIN_RULES), max_candidates, failed, asked)
    return [_with_stored_literals(r, schema, values) for r in found] if values else found


def _with_stored_literals(repaired: Repair, schema: Schema, values: StoredValues) -> Repair:
    # What is like a text is put in its place only where the query is known to find nothing.
    corrected = repair_literals(repaired.sql, schema, values, only_certain=True)
    if not corrected:
        return repaired
    best = corrected[0]
    why = f"{repaired.explanation}; {best.explanation}"
    is_certain = repaired.is_certain and best.is_certain
    return Repair(best.sql, why, repaired.cost, is_certain)


def _faults(analysis: Analysis, failed: bool) -> list[Problem]:
    if analysis.errors or not failed:
        return analysis.errors
    return [
        p
        for p in analysis.problems
        if function_fixes(p, analysis.statement) or dialect_fixes(p, analysis.statement)
    ]


def _search(first: Analysis, max_candidates: int, failed: bool, asked: Asked) -> list[Repair]:
    """Cheapest-first search over sequences of fixes, one problem at a time."""
    before = len(_faults(first, failed))
    order = count()
    heap = [_State(0.0, next(order), first.statement.sql)] if before else []
    seen = {first.statement.sql}
    clean: list[_State] = []
    better: list[tuple[int, _State]] = []
    for _ in range(_MAX_LOOKS):
        if not heap or len(clean) == max_candidates:
            break
        state = heapq.heappop(heap)
        if clean and state.cost > clean[0].cost + _FAR_WORSE:
            break
        analysis = first
        if state.explanations:
            analysis = analyse(state.sql, first.schema, CERTAIN_RULES)
        faults = _faults(analysis, failed)
        if not faults:
            clean.append(state)
            continue
        cures = _some_cures(faults, analysis, asked)
        following = [s for s in _next_states(state, cures, order) if s.sql not in seen]
        if not following and len(faults) < before:
            better.append((len(faults), state))
        seen.update(s.sql for s in following)
        for new in following:
            heapq.heappush(heap, new)
    partly = [s for _, s in sorted(better, key=lambda pair: (pair[0], pair[1].cost))]
    return _repairs(clean or partly[:max_candidates])


def _repairs(states: Sequence[_State]) -> list[Repair]:
    """The states as repairs; the best is not certain where another is about as likely."""
    found = [state.repair() for state in states]
    others = [s for s in states[1:] if _written(s) != _written(states[0])]
    if others and others[0].cost - states[0].cost < _CLOSE:
        why = found[0].explanation
        if more := [e for e in others[0].explanations if e not in states[0].explanations]:
            why += f" (as likely: {'; '.join(more)})"
        found[0] = replace(found[0], explanation=why, is_certain=False)
    return found


def _written(state: _State) -> str:
    """The statement without what makes no difference: case and space."""
    return "".join(state.sql.split()).casefold()


def _next_states(state: _State, cures: Sequence[Fix], order: Iterator[int]) -> Iterator[_State]:
    if len(state.explanations) >= _MAX_FIXES:
        return
    for fix in cures:
        text = apply_edits(state.sql, fix.edits)
        if text is not None:
            yield _State(
                state.cost + fix.cost,
                next(order),
                text,
                (*state.explanations, fix.explanation),
                state.is_certain and fix.is_certain,
            )


def _some_cures(faults: list[Problem], analysis: Analysis, asked: Asked) -> list[Fix]:
    """The likeliest cures of the first fault that has any; the others are met again."""
    # DATEADD(day, 1, d): day is no column where the call is written otherwise.
    faults = sorted(faults, key=lambda fault: fault.finding.code not in _OF_DIALECTS)
    found = ((fault, cures) for fault in faults if (cures := _cures(fault, analysis, asked)))
    fault, cures = next(found, (None, []))
    if fault is not None and fault.uses:
        cures = asked.ranked(cures, analysis.statement, fault.uses[0].name)
    return cures[:_FIXES_PER_PROBLEM]


def _cures(problem: Problem, analysis: Analysis, asked: Asked) -> list[Fix]:
    statement = analysis.statement
    if statement.tree is None:
        return syntax_fixes(statement, analysis.schema)
    if problem.finding.code in _OF_DIALECTS | {"syntax", "wrong-arguments"}:
        fixes = misread_fixes(problem, statement) or function_fixes(problem, statement)
        fixes = fixes or dialect_fixes(problem, statement)
        fixes = fixes or forgiven_fixes(problem, statement)
        return fixes or meaning_fixes(problem, analysis)
    if problem.finding.code == "summed-key":
        return summed_key_fixes(problem, statement)
    if problem.finding.code in {"nested-aggregate", "misused-window"}:
        return nested_fixes(problem, statement)
    fixes = structure_fixes(problem, analysis) or meaning_fixes(problem, analysis)
    fixes = fixes or plain_fixes(problem, analysis)
    return fixes or name_fixes(problem, analysis, asked.words)
