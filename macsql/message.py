"""What the agents share: one typed message for each question, and the records kept in it."""

from dataclasses import dataclass, field
from typing import Any, Literal

from macsql.chat import ChatMessage
from macsql.database.result import Result
from macsql.llm.base import Usage
from macsql.schema import Schema, Selection

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or doubtful about a statement or its result: one type for all sources.

    ``code`` is stable and machine-readable ("unknown-column"), ``message`` says what is wrong,
    ``hint`` what would be right. ``span`` is the (start, end) character range in the SQL, if known.
    An "error" is certain; a "warning" may be intended; a "hint" is only worth knowing.
    """

    code: str
    severity: Severity
    message: str
    hint: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One step of the Decomposer's reasoning, with the SQL that answers it."""

    question: str
    sql: str


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A stored value that the question seems to refer to by ``phrase``; ``score`` is in [0, 1]."""

    table: str
    column: str
    value: str
    phrase: str
    score: float


@dataclass(frozen=True, slots=True)
class Focus:
    """Tables and columns ("table.column") the question seems to be about, best first."""

    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement that was tried, and what came of it. ``origin`` says who wrote it:
    "decomposer", "voter" (a further reply of the model), "repair" (deterministic) or "refiner".
    ``repairs`` says what was changed in what a model wrote, and why, in order.
    """

    sql: str
    origin: str
    result: Result | None = None
    findings: tuple[Finding, ...] = ()
    error: str = ""
    repairs: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing an agent did. With a model call: what was sent, what came back, what it cost.

    It is recorded before the reply is parsed, since it was paid for; a step without ``messages``
    was done without a model. ``note`` says in a few words what was decided. ``logprob`` is the mean
    log-probability of the reply's tokens, where the model reports it.
    """

    agent: str
    note: str = ""
    messages: tuple[ChatMessage, ...] = ()
    reply: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    logprob: float | None = None


@dataclass(slots=True)
class Message:
    """Everything known about one question. Each field has one writer.

    question, evidence, schema: the pipeline. focus, values, selection: the Selector, which also
    narrows ``schema``. sub_questions: the Decomposer. sql: the Decomposer, the Voter, the Refiner.
    candidates: the Voter, the Refiner. confidence: the Voter, the share of attempts that came to
    this result; None where there was one. result, findings: the Refiner. steps: all agents append.
    error, error_kind: whoever ends the question without an answer, saying why; the kind is the
    name of the error class, or "NoSQL" when the question needs none.
    """

    question: str
    schema: Schema
    evidence: str = ""
    focus: Focus = field(default_factory=Focus)
    values: tuple[ValueMatch, ...] = ()
    selection: Selection | None = None
    sub_questions: tuple[SubQuestion, ...] = ()
    sql: str = ""
    result: Result | None = None
    candidates: list[Candidate] = field(default_factory=list)
    findings: tuple[Finding, ...] = ()
    steps: list[Step] = field(default_factory=list)
    confidence: float | None = None
    error: str = ""
    error_kind: str = ""
    seconds: float = 0.0

    @property
    def usage(self) -> Usage:
        """The sum over all steps."""
        return sum((s.usage for s in self.steps), Usage())

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold; the inverse of ``from_dict``."""
        from macsql.message_json import message_to_dict

        return message_to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Message":
        """Read what ``to_dict`` wrote. Raises ValueError on anything else."""
        from macsql.message_json import message_from_dict

        return message_from_dict(data)
