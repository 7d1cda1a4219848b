"""From the message of a question to the line that the run keeps of it."""

from collections.abc import Iterator

from macsql.errors import MacSQLError
from macsql.evaluation.answer import Answer
from macsql.evaluation.example import Example
from macsql.message import Message
from macsql.schema import Schema

SELECTOR, REFINER = "selector", "refiner"
NO_REPLY = "no-reply"
"""Among an answer's findings: the model failed on the way; the SQL is what there was by then."""

_NOT_THE_QUESTION = frozenset({"LLMError", "BudgetExceeded", "DatabaseUnavailable", "ConfigError"})


def answer_of(example: Example, message: Message, whole: Schema, trace: str) -> Answer:
    """What is kept of ``message``; ``whole`` is the schema before the Selector narrowed it.

    SQL that could not be executed is kept beside its error: metrics that compare texts see it.
    """
    before, after = _columns(whole), _columns(message.schema)
    tried = message.candidates
    error, kind = message.error, message.error_kind
    if not message.sql and not error:
        error, kind = "No SQL: the agent that writes it was left out.", "NoSQL"
    return Answer(
        id=example.id,
        db_id=example.db_id,
        question=example.question,
        gold_sql=example.gold_sql,
        sql=message.sql,
        error=error,
        error_kind=kind,
        evidence=example.evidence,
        difficulty=example.difficulty,
        first_sql=tried[0].sql if tried else message.sql,
        origins=tuple(candidate.origin for candidate in tried),
        rounds=sum(bool(s.messages) and s.agent == REFINER for s in message.steps),
        selection=None if len(after) == len(before) else after,
        schema_size=len(before),
        fallback=any(s.agent == SELECTOR and s.messages and s.error for s in message.steps),
        findings=tuple(_findings(message)),
        usage=message.usage,
        seconds=round(message.seconds, 3),
        trace=trace,
    )


def is_to_retry(answer: Answer) -> bool:
    """Whether something failed that says nothing about the question, such as the network."""
    return answer.error_kind in _NOT_THE_QUESTION or NO_REPLY in answer.findings


def failed_answer(example: Example, error: MacSQLError) -> Answer:
    """A question that could not be asked, with the reason."""
    return Answer(
        id=example.id,
        db_id=example.db_id,
        question=example.question,
        gold_sql=example.gold_sql,
        error=str(error),
        error_kind=type(error).__name__,
        evidence=example.evidence,
        difficulty=example.difficulty,
    )


def _findings(message: Message) -> Iterator[str]:
    yield from (finding.code for finding in message.findings)
    if not message.error and any(
        s.messages and s.error and not s.usage.calls for s in message.steps
    ):
        yield NO_REPLY


def _columns(schema: Schema) -> tuple[str, ...]:
    return tuple(f"{t.name}.{c.name}" for t in schema.tables for c in t.columns)
