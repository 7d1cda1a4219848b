"""Refiner: runs the SQL, finds what is wrong, and has it repaired (paper, section 3.4)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from macsql.agents.base import ask_model, note, record
from macsql.chat import ChatMessage
from macsql.checks import check, explain_failure, repair, repair_literals
from macsql.database import Database, Result
from macsql.errors import (
    AccessDenied,
    DatabaseError,
    ExecutionError,
    LLMError,
    ParseError,
    UnsafeSQLError,
)
from macsql.llm.base import LLM
from macsql.message import Candidate, Finding, Message, Step
from macsql.parsing import read_sql
from macsql.prompts import EmptyRule, PromptSet, as_data

REPLY_TOKENS = 512
NOTHING_TO_READ = frozenset({"writes", "not-a-query", "several-statements"})
"""Refusals that a rewrite must not argue with: what was asked for is not a question."""
ACCESS_DENIED = "access-denied"


@dataclass(slots=True)
class _Trial:
    """What one question's refinement has tried so far."""

    candidates: list[Candidate] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, candidate: Candidate) -> None:
        self.candidates.append(candidate)

    def repeats(self, candidate: Candidate) -> bool:
        """Whether this SQL with this problem came before: no progress is to be expected."""
        problem = candidate.error or ",".join(f.code for f in candidate.findings)
        key = (" ".join(candidate.sql.split()), problem)
        known = key in self.seen
        self.seen.add(key)
        return known


class Refiner:
    """Executes; on a problem tries deterministic repair, then lets the model rewrite.

    ``max_refinements`` bounds the model's rewrites; every rewrite is executed. ``refine_empty``
    says when an empty result is a problem: "diagnosed" (a compared text is not among the stored
    values), "always" (the paper on BIRD) or "never" (the paper on Spider). A result that is good
    is left alone, and a rewrite never replaces a better candidate.
    """

    name = "refiner"

    def __init__(
        self,
        llm: LLM,
        prompts: PromptSet,
        *,
        max_refinements: int = 3,
        refine_empty: EmptyRule | None = None,
        use_repair: bool = True,
    ) -> None:
        self.llm = llm
        self.prompts = prompts
        self.max_refinements = max_refinements
        self.refine_empty = refine_empty or prompts.refine_empty
        self.use_repair = use_repair

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """Write sql, result, candidates, findings, and error when nothing could be executed."""
        if message.error or not message.sql:
            return
        trial = _Trial()
        try:
            yield from self._refine(message, database, trial)
        except ParseError:
            yield message.steps[-1]
        except LLMError:
            # A result that is there is worth more than the failure of a later call.
            if all(candidate.result is None for candidate in trial.candidates):
                raise
            yield message.steps[-1]
        finally:
            self._conclude(message, trial)

    def _refine(self, message: Message, database: Database, trial: _Trial) -> Iterator[Step]:
        """Execute, repair, rewrite, until a candidate is good or no progress is to be expected."""
        current = self._try(message.sql, "decomposer", database)
        for rounds in range(self.max_refinements + 1):
            trial.add(current)
            yield record(message, self.name, _describe(current), error=current.error)
            if self._is_good(current) or _is_refused(current):
                return
            if self.use_repair and (repaired := self._repaired(current, database, trial)):
                yield record(message, self.name, f"repaired: {repaired[1]}")
                current = repaired[0]
                if self._is_good(current):
                    return
            if trial.repeats(current) or rounds == self.max_refinements:
                return
            rewritten = self._rewrite(message, current)
            yield note(message, f"refinement {rounds + 1} of {self.max_refinements}")
            current = self._try(rewritten, "refiner", database)

    def _conclude(self, message: Message, trial: _Trial) -> None:
        if not trial.candidates:
            return
        best = max(trial.candidates, key=_quality)
        message.candidates = trial.candidates
        message.sql, message.result, message.findings = best.sql, best.result, best.findings
        if best.result is None:
            message.error = f"No SQL could be executed; the last problem: {best.error}"
            message.error_kind = _kind(best, trial)

    def _try(self, sql: str, origin: str, database: Database) -> Candidate:
        """Execute; a DatabaseError is feedback, not the end."""
        try:
            result = database.execute(sql)
        except UnsafeSQLError as error:
            findings = [_refusal(error), *check(sql, database.schema)]
            return Candidate(sql, origin, None, tuple(findings), str(error))
        except DatabaseError as error:
            findings = explain_failure(sql, str(error), database.schema)
            if isinstance(error, AccessDenied):
                findings = [Finding(ACCESS_DENIED, "error", str(error)), *findings]
            return Candidate(sql, origin, None, tuple(findings), str(error))
        findings = check(sql, database.schema)
        if not result.rows and self.refine_empty != "never":
            findings = [*findings, *self._why_empty(sql, database)]
        return Candidate(sql, origin, result, tuple(findings))

    def _why_empty(self, sql: str, database: Database) -> list[Finding]:
        """What the empty result may come from: compared texts that are not stored."""
        fixes = repair_literals(sql, database.schema, database.similar_values)
        if fixes:
            return [
                Finding("value-not-stored", "warning", "No row matches.", fix.explanation)
                for fix in fixes[:1]
            ]
        if self.refine_empty == "always":
            return [Finding("empty-result", "warning", "The query returns no rows.")]
        return [Finding("empty-result", "hint", "The query returns no rows.")]

    def _repaired(
        self, broken: Candidate, database: Database, trial: _Trial
    ) -> tuple[Candidate, str] | None:
        """The best deterministic repair, if it is better than what it repairs, with its reason."""
        if broken.result is None:
            values = database.similar_values
            repairs = repair(broken.sql, database.schema, values=values, failed=True)
        else:
            repairs = repair_literals(broken.sql, database.schema, database.similar_values)
        best = None
        for fix in repairs:
            candidate = self._try(fix.sql, "repair", database)
            trial.add(candidate)
            if _quality(candidate) > _quality(best[0] if best else broken):
                best = candidate, fix.explanation
            if all(_quality(candidate)):
                break
        return best

    def _is_good(self, candidate: Candidate) -> bool:
        return candidate.result is not None and not any(
            f.severity == "error" or f.code in ("value-not-stored", "empty-result")
            for f in candidate.findings
            if f.severity != "hint"
        )

    def _rewrite(self, message: Message, current: Candidate) -> str:
        """The model's next attempt. Raises ParseError when its reply had no SQL, and LLMError."""
        prompt = self.prompts.render(
            self.name,
            message.schema,
            question=message.question,
            evidence=message.evidence,
            sql=current.sql,
            error=current.error,
            findings=current.findings,
            was_repaired=current.origin == "repair",
        )
        if self.prompts.refine == "continue":
            prompt = [*_conversation(message), *prompt]
        return ask_model(
            message,
            self.llm,
            self.name,
            prompt,
            lambda reply: read_sql(reply, message.schema.dialect),
            max_tokens=REPLY_TOKENS,
        )


def _conversation(message: Message) -> list[ChatMessage]:
    """Everything said so far to get this SQL, so that only what is added has to be read."""
    last = next((s for s in reversed(message.steps) if s.messages), None)
    if last is None:
        return []
    return [*last.messages, {"role": "assistant", "content": str(as_data(last.reply))}]


def _quality(candidate: Candidate) -> tuple[bool, bool, bool, bool]:
    """Executed beats failed, then no certain fault, then stored values, then rows."""
    codes = {f.code for f in candidate.findings}
    return (
        candidate.result is not None,
        not any(f.severity == "error" for f in candidate.findings),
        "value-not-stored" not in codes,
        bool(candidate.result and candidate.result.rows),
    )


def _is_refused(candidate: Candidate) -> bool:
    return any(f.code in NOTHING_TO_READ for f in candidate.findings)


def _kind(best: Candidate, trial: _Trial) -> str:
    if any(_is_refused(c) for c in trial.candidates):
        return UnsafeSQLError.__name__
    denied = any(f.code == ACCESS_DENIED for f in best.findings)
    return AccessDenied.__name__ if denied else ExecutionError.__name__


def _refusal(error: UnsafeSQLError) -> Finding:
    return Finding(error.reason or "refused", "error", str(error))


def _describe(candidate: Candidate) -> str:
    if candidate.error:
        return f"failed: {candidate.error}"
    return f"executed: {_rows(candidate.result)}"


def _rows(result: Result | None) -> str:
    if result is None:
        return "nothing"
    count = len(result.rows)
    more = "first " if result.truncated else ""
    return f"{more}{count} row{'' if count == 1 else 's'}"
