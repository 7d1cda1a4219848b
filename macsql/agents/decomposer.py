"""Decomposer: sub-questions, and SQL for each; the last one is the answer (paper, section 3.3)."""

import re
from collections.abc import Iterator
from typing import Literal

from macsql.agents.base import ask_model, note, show_focus, show_values
from macsql.chat import ChatMessage
from macsql.database import Database
from macsql.errors import ConfigError
from macsql.llm.base import LLM
from macsql.message import Message, Step, SubQuestion
from macsql.parsing import read_abstention, read_sub_questions
from macsql.prompts import SELECTED_EXAMPLES, PromptSet, Style
from macsql.shots import ExampleStore, WorkedExample

Way = Literal["direct", "decompose"]
REPLY_TOKENS: dict[Way, int] = {"direct": 512, "decompose": 800}
# A small model may go on asking itself questions until it is cut.
STOP: dict[Way, tuple[str, ...]] = {"direct": (), "decompose": ("uestion 5:",)}
NO_SQL_HINT = (
    "Your reply has no SQL that can be read. Answer again: one SQL query in a ```sql block, "
    'or "NO SQL:" and the reason.'
)
_STEPS = re.compile(
    r"\bpercent(?:age)? of\b|\bratio (?:of|between)\b|\b(?:proportion|share) of\b|"
    r"\bdifference between\b|\btimes as\b|\bcompared (?:to|with)\b|"
    r"\bthan the (?:average|mean|total|sum|number|minimum|maximum) of\b",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)
SMALL_MODEL = 4.0
"""Billions of parameters up to which a model writes worse SQL by sub-questions than at once."""
VARIED_SHOTS = 3
"""Selected examples shown with a second opinion."""
LONG_QUESTION = 40
LONG_EVIDENCE = 150


class Decomposer:
    """Asks the model for SQL: at once for a simple question, by sub-questions for another.

    ``shots`` is the number of worked examples shown: those of the prompt set, of which there are
    two, or, for a direct answer, those of ``examples`` that fit the question. ``style`` is "auto"
    (decided from the question where sub-questions pay), "direct" or "decompose". ``steps_pay``
    says whether they pay with this model; None guesses by the size in its name.
    ``others`` are examples for a second opinion where ``examples`` is None. Raises ConfigError
    when the prompt set has no place for selected examples.
    """

    name = "decomposer"

    def __init__(
        self,
        llm: LLM,
        prompts: PromptSet,
        *,
        shots: int | None = None,
        style: Style | None = None,
        examples: ExampleStore | None = None,
        others: ExampleStore | None = None,
        steps_pay: bool | None = None,
    ) -> None:
        self.llm = llm
        self.prompts = prompts
        self.shots = prompts.shots if shots is None else shots
        self.style = style or prompts.style
        self.examples = examples
        self.others = others
        self.steps_pay = gains_by_steps(llm.name) if steps_pay is None else steps_pay
        if (examples or others) and not prompts.can_select_examples:
            raise ConfigError(
                f"The prompt set {prompts.name} has no {SELECTED_EXAMPLES}, so it can show its own "
                "examples only."
            )

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """Write sub_questions and sql. Raises ParseError when two replies had no SQL."""
        style = self._style(message)
        abstained, steps, sql = ask_model(
            message,
            self.llm,
            self.name,
            self.prompt(message, style, database),
            lambda reply: _read(reply, message.schema.dialect),
            max_tokens=REPLY_TOKENS[style],
            stop=STOP[style],
            retry_hint=NO_SQL_HINT,
        )
        if abstained:
            message.error, message.error_kind = f"No SQL: {abstained}", "NoSQL"
            yield note(message, message.error)
            return
        message.sub_questions, message.sql = steps, sql
        how = f"{len(steps)} sub-questions" if len(steps) > 1 else "one query"
        yield note(message, how)

    def variants(self, message: Message, database: Database) -> Iterator[list[ChatMessage]]:
        """Other ways to ask the same, the most promising first: the other style, where that may
        pay, then examples that fit the question instead of the fixed ones, or the other way round,
        then the next best of them.
        """
        if self.steps_pay:
            other: Way = "direct" if self._style(message) == "decompose" else "decompose"
            yield self.prompt(message, other)
        if self.style == "decompose":
            return
        if self.examples:
            yield self.prompt(message, "direct")
            yield self.prompt(message, "direct", database, skip=self.shots)
        elif self.others:
            for skip in (0, VARIED_SHOTS):
                yield self.prompt(
                    message, "direct", database, examples=self.others, shots=VARIED_SHOTS, skip=skip
                )

    def prompt(
        self,
        message: Message,
        style: Way,
        database: Database | None = None,
        *,
        examples: ExampleStore | None = None,
        shots: int | None = None,
        skip: int = 0,
    ) -> list[ChatMessage]:
        """The conversation that asks for SQL.

        With ``database`` given, ``shots`` examples are selected for the question from
        ``examples`` (the Decomposer's own, when None), the best ``skip`` of them passed over.
        """
        store, count = examples or self.examples, self.shots if shots is None else shots
        chosen: list[WorkedExample] = []
        if store and database and style == "direct":
            ranked = store.select(
                message.question, database, count + skip, has_evidence=bool(message.evidence)
            )
            chosen = ranked[: len(ranked) - skip] if skip else ranked
        return self.prompts.render(
            self.name,
            message.schema,
            question=message.question,
            evidence=message.evidence,
            focus=show_focus(message.focus),
            values=show_values(message.values, message.schema.dialect),
            shots=count,
            examples=chosen,
            is_foreign=not any(e.is_about(message.schema.name) for e in chosen),
            style=style,
        )

    def _style(self, message: Message) -> Way:
        if self.style != "auto":
            return self.style
        if self.steps_pay and needs_steps(message.question, message.evidence):
            return "decompose"
        return "direct"


def gains_by_steps(model: str) -> bool:
    """Whether the model of that name gains by sub-questions: a small one loses (see experiments).

    A name that does not say how many parameters there are is taken for a large model's.

    >>> gains_by_steps("local:qwen2.5-coder-1.5b"), gains_by_steps("openai:gpt-4o")
    (False, True)
    """
    sizes = [float(size) for size in _PARAMETERS.findall(model)]
    return not sizes or max(sizes) > SMALL_MODEL


def needs_steps(question: str, evidence: str = "") -> bool:
    """Whether the question likely takes more than one step.

    >>> needs_steps("How many singers do we have?")
    False
    >>> needs_steps("Which schools have more pupils than the average of those in Berlin?")
    True
    """
    is_long = len(question.split()) > LONG_QUESTION or len(evidence) > LONG_EVIDENCE
    return is_long or bool(_STEPS.search(question))


def _read(reply: str, dialect: str) -> tuple[str | None, tuple[SubQuestion, ...], str]:
    if reason := read_abstention(reply):
        return reason, (), ""
    return None, *read_sub_questions(reply, dialect)
