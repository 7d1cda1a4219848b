"""``Trial``: statements tried for one question: executed, checked and repaired without a model."""

from dataclasses import dataclass, field, replace

from macsql.checks import (
    Repair,
    check,
    explain_failure,
    padded_values,
    repair,
    repair_keys,
    repair_literals,
    repair_output,
    why_no_rows,
)
from macsql.database import Database, Result
from macsql.errors import AccessDenied, DatabaseError, UnsafeSQLError
from macsql.message import Candidate, Finding, Severity
from macsql.prompts import EmptyRule

NOTHING_TO_READ = frozenset({"writes", "not-a-query", "several-statements"})
"""Refusals that a rewrite must not argue with: what was asked for is not a question."""
ACCESS_DENIED = "access-denied"


@dataclass(slots=True)
class Trial:
    """What was tried for one question, in order, and the way to try more.

    ``question`` and ``evidence`` say what is asked; ``refine_empty`` when an empty result is a
    problem, ``use_repair`` whether statements with a certain fault are repaired.
    """

    database: Database
    refine_empty: EmptyRule = "diagnosed"
    use_repair: bool = True
    question: str = ""
    evidence: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)
    settled: dict[str, Candidate] = field(default_factory=dict)

    def execute(self, sql: str, origin: str) -> Candidate:
        """Run ``sql`` and say what is wrong with it; a DatabaseError is feedback, not the end."""
        candidate = self._executed(sql, origin)
        self.candidates.append(candidate)
        return candidate

    def repaired(self, broken: Candidate) -> tuple[Candidate, str] | None:
        """The best deterministic repair, if it is better than what it repairs, with its reason."""
        if not self.use_repair or is_good(broken) or is_refused(broken):
            return None
        schema, values = self.database.schema, self.database.similar_values
        if broken.result is None:
            repairs = repair(broken.sql, schema, values=values, failed=True)
        elif any(f.severity == "error" for f in broken.findings):
            repairs = repair(broken.sql, schema, values=values)
        else:
            only_certain = not finds_nothing(broken.result)
            repairs = self._with_stored_values(broken.sql, only_certain=only_certain)
        best = None
        for fix in repairs:
            candidate = self.execute(fix.sql, "repair")
            if quality(candidate) > quality(best[0] if best else broken):
                best = candidate, fix.explanation
            if all(quality(candidate)):
                break
        return best

    def known(self, sql: str) -> Candidate | None:
        """The candidate with this text, if it was tried."""
        return next((c for c in reversed(self.candidates) if c.sql == sql), None)

    def settle(self, sql: str, origin: str) -> Candidate:
        """The best that can be made of ``sql`` without a model; the same text runs only once."""
        if sql in self.settled:
            known = self.known(sql)
            assert known is not None
            self.candidates.append(replace(known, origin=origin))
            return self.settled[sql]
        candidate = self.execute(sql, origin)
        better = self.repaired(candidate)
        settled = better[0] if better else candidate
        asked = self.as_asked(settled)
        self.settled[sql] = asked[0] if asked else settled
        return self.settled[sql]

    def as_asked(self, candidate: Candidate) -> tuple[Candidate, str] | None:
        """What ran changed to what the question certainly asks for, with the reason."""
        if not self.use_repair or not is_good(candidate):
            return None
        schema = self.database.schema
        fix = repair_output(self.question, candidate.sql, schema, evidence=self.evidence)
        if fix is None:
            return None
        better = self.execute(fix.sql, "repair")
        return (better, fix.explanation) if is_good(better) else None

    def look(self, sql: str) -> Result | str:
        """What a statement finds that is no candidate, or the database's words when it fails."""
        try:
            return self.database.execute(sql)
        except DatabaseError as error:
            return str(error)

    def repeats(self, candidate: Candidate) -> bool:
        """Whether this SQL with this problem came before: no progress is to be expected."""
        problem = candidate.error or ",".join(f.code for f in candidate.findings)
        key = (" ".join(candidate.sql.split()), problem)
        known = key in self.seen
        self.seen.add(key)
        return known

    def _executed(self, sql: str, origin: str) -> Candidate:
        schema = self.database.schema
        try:
            result = self.database.execute(sql)
        except UnsafeSQLError as error:
            findings = [_refusal(error), *check(sql, schema)]
            return Candidate(sql, origin, None, tuple(findings), str(error))
        except DatabaseError as error:
            findings = explain_failure(sql, str(error), schema)
            if isinstance(error, AccessDenied):
                findings = [Finding(ACCESS_DENIED, "error", str(error)), *findings]
            return Candidate(sql, origin, None, tuple(findings), str(error))
        findings = check(sql, schema)
        if finds_nothing(result) and self.refine_empty != "never":
            findings = [*findings, *self._why_empty(sql, result)]
        elif not any(f.severity == "error" for f in findings):
            findings = [*findings, *self._unstored(sql)]
        return Candidate(sql, origin, result, tuple(findings))

    def _unstored(self, sql: str) -> list[Finding]:
        """Compared texts that are stored otherwise for certain: what was found is wrong then."""
        fixes = self._with_stored_values(sql, only_certain=True)
        message = "The result is wrong where a text is not stored as it is written."
        return [Finding("value-not-stored", "warning", message, f.explanation) for f in fixes]

    def _with_stored_values(self, sql: str, *, only_certain: bool = False) -> list[Repair]:
        schema, values = self.database.schema, self.database.similar_values
        if only_certain:
            indexed = self.database.indexed_values
            return repair_literals(sql, schema, indexed, only_certain=True, max_candidates=1)
        return [*repair_literals(sql, schema, values), *repair_keys(sql, schema, values)]

    def _why_empty(self, sql: str, result: Result) -> list[Finding]:
        """What finding nothing may come from: compared texts that are not stored."""
        fixes = self._with_stored_values(sql)
        if fixes:
            return [
                Finding("value-not-stored", "warning", "No row matches.", fix.explanation)
                for fix in fixes[:1]
            ]
        if result.rows:
            empty = Finding("nothing-found", "hint", "The query finds nothing to count or add up.")
        else:
            severity: Severity = "warning" if self.refine_empty == "always" else "hint"
            empty = Finding("empty-result", severity, "The query returns no rows.")
        padded = padded_values(sql, self.database.schema, self.database.similar_values)
        return [*padded, empty, *why_no_rows(sql, self.database.dialect, self._has_rows)]

    def _has_rows(self, sql: str) -> bool:
        return bool(self.database.execute(sql).rows)


def finds_nothing(result: Result | None) -> bool:
    """Whether there is no row, or only one that says so: a count of 0, the sum of nothing."""
    if result is None or not result.rows:
        return True
    return len(result.rows) == 1 and all(cell is None or cell == 0 for cell in result.rows[0])


def is_good(candidate: Candidate) -> bool:
    """Whether it ran and nothing about it calls for another attempt."""
    return candidate.result is not None and not any(
        f.severity == "error" or f.code in ("value-not-stored", "empty-result")
        for f in candidate.findings
        if f.severity != "hint"
    )


def is_refused(candidate: Candidate) -> bool:
    """Whether the guard refused it for what it wants to do."""
    return any(f.code in NOTHING_TO_READ for f in candidate.findings)


def quality(candidate: Candidate) -> tuple[bool, bool, bool, bool]:
    """Executed beats failed, then no certain fault, then stored values, then rows."""
    codes = {f.code for f in candidate.findings}
    return (
        candidate.result is not None,
        not any(f.severity == "error" for f in candidate.findings),
        "value-not-stored" not in codes,
        not finds_nothing(candidate.result),
    )


def _refusal(error: UnsafeSQLError) -> Finding:
    return Finding(error.reason or "refused", "error", str(error))
