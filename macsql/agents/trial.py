"""``Trial``: statements tried for one question: executed, checked and repaired without a model."""

from dataclasses import dataclass, field, replace

from macsql.checks import (
    Repair,
    check,
    check_literals,
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

    def execute(self, sql: str, origin: str, repairs: tuple[Finding, ...] = ()) -> Candidate:
        """Run ``sql`` and say what is wrong with it; a DatabaseError is feedback, not the end."""
        candidate = replace(self._executed(sql, origin), repairs=repairs)
        self.candidates.append(candidate)
        return candidate

    def repaired(self, broken: Candidate) -> Candidate | None:
        """The best deterministic repair, if it is better than what it repairs."""
        best = self._repaired_once(broken)
        # A query that runs by now, and finds nothing, may compare what is not stored.
        further = self._repaired_once(best) if best else None
        return further or best

    def _repaired_once(self, broken: Candidate) -> Candidate | None:
        if not self.use_repair or is_good(broken) or is_refused(broken):
            return None
        best = None
        for fix in self._repairs(broken):
            candidate = self.execute(fix.sql, "repair", (*broken.repairs, _told(fix)))
            if quality(candidate) > quality(best or broken):
                best = candidate
            if all(quality(candidate)):
                break
        return best

    def _repairs(self, broken: Candidate) -> list[Repair]:
        schema, values = self.database.schema, self.database.similar_values
        if broken.result is None:
            return repair(broken.sql, schema, values=values, failed=True, question=self.question)
        if any(f.severity == "error" for f in broken.findings):
            return repair(broken.sql, schema, values=values, question=self.question)
        return self._with_stored_values(broken.sql, certainly=not finds_nothing(broken.result))

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
        settled = self.repaired(candidate) or candidate
        self.settled[sql] = self.as_asked(settled) or settled
        return self.settled[sql]

    def as_asked(self, candidate: Candidate) -> Candidate | None:
        """What ran changed to what the question certainly asks for."""
        if not self.use_repair or not is_good(candidate):
            return None
        schema = self.database.schema
        fix = repair_output(self.question, candidate.sql, schema, evidence=self.evidence)
        if fix is None:
            return None
        better = self.execute(fix.sql, "repair", (*candidate.repairs, _told(fix)))
        return better if is_good(better) else None

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
        fixes = self._with_stored_values(sql, certainly=True)
        message = "The result is wrong where a text is not stored as it is written."
        return [Finding("value-not-stored", "warning", message, f.explanation) for f in fixes]

    def _with_stored_values(self, sql: str, *, certainly: bool = False) -> list[Repair]:
        schema, values = self.database.schema, self.database.similar_values
        if certainly:
            indexed = self.database.indexed_values
            return repair_literals(sql, schema, indexed, only_certain=True, max_candidates=1)
        texts = repair_literals(sql, schema, values)
        keys = repair_keys(sql, schema, values, question=self.question)
        # Where a text is stored as it is written says more than what is like it.
        return sorted([*texts, *keys], key=lambda r: (not r.is_certain, r in texts))

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
        schema, values = self.database.schema, self.database.similar_values
        padded = padded_values(sql, schema, values)
        unknown = check_literals(sql, schema, values) if not padded else []
        why = why_no_rows(sql, self.database.dialect, self._has_rows)
        return [*padded, empty, *unknown, *why]

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


def _told(fix: Repair) -> Finding:
    """What was changed, for whoever reads the answer: to be doubted where it is not certain."""
    severity: Severity = "hint" if fix.is_certain else "warning"
    return Finding("repaired", severity, "The query was corrected.", fix.explanation)


def _refusal(error: UnsafeSQLError) -> Finding:
    return Finding(error.reason or "refused", "error", str(error))
