"""Refiner: runs the SQL, finds what is wrong, and has it repaired (paper, section 3.4)."""

import re
from collections.abc import Iterator

from macsql.agents.base import ask_model, note, record, record_repairs
from macsql.agents.doubts import doubts_of_attempts, doubts_of_result, doubts_of_words
from macsql.agents.trial import ACCESS_DENIED, Trial, is_good, is_refused, quality
from macsql.chat import ChatMessage
from macsql.database import Database, Result
from macsql.errors import AccessDenied, ExecutionError, LLMError, ParseError, UnsafeSQLError
from macsql.llm.base import LLM
from macsql.message import Candidate, Finding, Message, Step
from macsql.parsing import read_sql
from macsql.prompts import EmptyRule, PromptSet, as_said
from macsql.schema import Schema
from macsql.schema_text import literal

REPLY_TOKENS = 512
MOST_TABLES = 3
"""Dropped tables shown with a request to rewrite that a finding names."""
SUB_RESULTS, SUB_ROWS = 3, 3
"""Sub-questions whose results are shown with a request to rewrite, and rows of each."""


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
        trial = Trial(
            database,
            self.refine_empty,
            self.use_repair,
            message.question,
            message.evidence,
            message.candidates,
        )
        try:
            yield from self._refine(message, trial)
        except ParseError:
            yield message.steps[-1]
        except LLMError:
            # A result that is there is worth more than the failure of a later call.
            if all(candidate.result is None for candidate in trial.candidates):
                raise
            yield message.steps[-1]
        finally:
            conclude(message, trial.candidates)
        if message.result is not None:
            best = trial.known(message.sql) or trial.candidates[-1]
            doubts = [
                *doubts_of_attempts(best.sql, trial.candidates, message),
                *doubts_of_words(best.sql, message),
                *doubts_of_result(best, database, question=message.question),
            ]
            message.findings = _without_repeats([*message.findings, *doubts])

    def _refine(self, message: Message, trial: Trial) -> Iterator[Step]:
        """Execute, repair, rewrite, until a candidate is good or no progress is to be expected."""
        current = trial.known(message.sql) or trial.execute(message.sql, "decomposer")
        for rounds in range(self.max_refinements + 1):
            yield record(message, self.name, _describe(current), error=current.error)
            if repaired := trial.repaired(current):
                yield from record_repairs(message, self.name, current.repairs, repaired)
                current = repaired
            if asked := trial.as_asked(current):
                yield from record_repairs(message, self.name, current.repairs, asked)
                current = asked
                # As good as the one before by all that the result shows.
                message.sql = current.sql
            if is_good(current) or is_refused(current):
                return
            if trial.repeats(current) or rounds == self.max_refinements:
                return
            rewritten = self._rewrite(message, current, trial)
            yield note(message, f"refinement {rounds + 1} of {self.max_refinements}")
            current = trial.execute(rewritten, "refiner")

    def _rewrite(self, message: Message, current: Candidate, trial: Trial) -> str:
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
            sub_results=[*_sub_results(message, trial)],
            more_schema=_left_out(message, current, trial.database.schema, self.prompts),
        )
        if self.prompts.refine == "continue":
            prompt = [*_conversation(message, current), *prompt]
        return ask_model(
            message,
            self.llm,
            self.name,
            prompt,
            lambda reply: read_sql(reply, message.schema.dialect),
            max_tokens=REPLY_TOKENS,
        )


def _conversation(message: Message, current: Candidate) -> list[ChatMessage]:
    """Everything said so far to get this SQL, so that only what is added has to be read."""
    said = [s for s in reversed(message.steps) if s.messages and s.reply]
    last = next((s for s in said if current.sql in s.reply), said[0] if said else None)
    if last is None:
        return []
    return [*last.messages, {"role": "assistant", "content": as_said(last.reply)}]


def _left_out(message: Message, current: Candidate, whole: Schema, prompts: PromptSet) -> str:
    """Tables that the Selector dropped and the findings name, as the prompt set shows a schema."""
    shown = {table.name for table in message.schema.tables}
    said = " ".join(f"{f.message} {f.hint}" for f in current.findings)
    named = [
        table
        for table in whole.tables
        if table.name not in shown and re.search(rf"\b{re.escape(table.name)}\b", said)
    ]
    return prompts.show(whole.only(named[:MOST_TABLES])) if named else ""


def _sub_results(message: Message, trial: Trial) -> Iterator[tuple[str, str]]:
    """What the steps before the last one find, each with its sub-question."""
    for step in message.sub_questions[:-1][:SUB_RESULTS]:
        found = trial.look(step.sql)
        if isinstance(found, str):
            yield step.question, found
        else:
            rows = [", ".join(literal(cell) for cell in row) for row in found.rows[:SUB_ROWS]]
            more = ["…"] if found.truncated or len(found.rows) > SUB_ROWS else []
            yield step.question, " | ".join([*rows, *more]) or "no rows"


def _without_repeats(findings: list[Finding]) -> tuple[Finding, ...]:
    """One finding of each code and message."""
    return tuple({(f.code, f.message): f for f in findings}.values())


def conclude(message: Message, candidates: list[Candidate]) -> None:
    """Put the best candidate into the message, or say that none could be executed.

    Of equally good ones the SQL that was there before, which the Voter may have chosen, stays.
    """
    if not candidates:
        return
    best = max(candidates, key=lambda c: (quality(c), c.sql == message.sql))
    message.candidates = candidates
    message.sql, message.result = best.sql, best.result
    message.findings = (*best.repairs, *best.findings)
    message.error = message.error_kind = ""
    if best.result is None:
        hint = next((f.hint for f in best.findings if f.hint and f.message in best.error), "")
        problem = f"{best.error.rstrip('.')}; {hint}" if hint else best.error
        message.error = f"No SQL could be executed; the last problem: {problem}"
        message.error_kind = _kind(best, candidates)


def _kind(best: Candidate, candidates: list[Candidate]) -> str:
    if any(is_refused(c) for c in candidates):
        return UnsafeSQLError.__name__
    denied = any(f.code == ACCESS_DENIED for f in best.findings)
    return AccessDenied.__name__ if denied else ExecutionError.__name__


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
