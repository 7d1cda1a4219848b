"""What an agent is, and the one way to ask a model."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol, TypeVar

from macsql.chat import ChatMessage
from macsql.database import Database, Progress
from macsql.errors import LLMError, ParseError
from macsql.llm.base import LLM, Completion
from macsql.message import Candidate, Finding, Focus, Message, Step, ValueMatch
from macsql.names import quote
from macsql.prompts import as_said
from macsql.schema_text import literal

T = TypeVar("T")
THINKING_TOKENS = 8192
MAX_FOCUS = 8


class Agent(Protocol):
    """One agent: it reads the message, writes its own fields, and yields each step it took, or
    how far it is with reading the database.

    Agents keep nothing about a question, so that one pipeline serves many threads.
    """

    name: str

    def run(self, message: Message, database: Database) -> Iterator[Step | Progress]:
        """Do this agent's part of the work on ``message``."""
        ...


def ask_model(  # noqa: PLR0913 - what a model can be told, by name
    message: Message,
    llm: LLM,
    agent: str,
    conversation: Sequence[ChatMessage],
    parse: Callable[[str], T],
    *,
    max_tokens: int = 1024,
    stop: Sequence[str] = (),
    response_format: Literal["text", "json"] = "text",
    retry_hint: str = "",
) -> T:
    """Ask, record the step, then parse the reply.

    The step is recorded before parsing, since it was paid for. When the reply cannot be read and
    ``retry_hint`` is given, the model is told so once; a model that used up its tokens for
    thinking is given more of them instead. Raises LLMError and ParseError.
    """
    complete = partial(llm.complete, stop=stop, response_format=response_format)
    first = partial(complete, max_tokens=max_tokens)
    reply = _ask_once(message, first, agent, conversation)
    try:
        return _read(message, parse, reply.text)
    except ParseError:
        if not retry_hint:
            raise
    if reply.finish_reason == "length" and _was_thinking(reply.text):
        patient = partial(complete, max_tokens=THINKING_TOKENS)
        return _read(message, parse, _ask_once(message, patient, agent, conversation).text)
    again: list[ChatMessage] = [
        *conversation,
        {"role": "assistant", "content": as_said(reply.text) or "(nothing)"},
        {"role": "user", "content": retry_hint},
    ]
    return _read(message, parse, _ask_once(message, first, agent, again).text)


def sample_model(
    message: Message,
    llm: LLM,
    agent: str,
    conversation: Sequence[ChatMessage],
    *,
    n: int,
    temperature: float,
    max_tokens: int = 1024,
    stop: Sequence[str] = (),
) -> list[Completion]:
    """``n`` replies drawn by chance, each recorded as a step. Raises LLMError."""
    started = time.perf_counter()
    step = Step(agent=agent, messages=tuple(conversation))
    try:
        completions = llm.complete(
            conversation, n=n, temperature=temperature, max_tokens=max_tokens, stop=stop
        )
    except LLMError as error:
        seconds = time.perf_counter() - started
        message.steps.append(replace(step, seconds=seconds, error=str(error)))
        raise
    each = (time.perf_counter() - started) / max(1, len(completions))
    message.steps += [_answered(step, completion, each) for completion in completions]
    return completions


def _was_thinking(reply: str) -> bool:
    """Whether a cut reply had not come to its answer: thoughts are shown in tags, or not at all."""
    return not reply.strip() or "<think" in reply


def _ask_once(
    message: Message,
    complete: Callable[[Sequence[ChatMessage]], list[Completion]],
    agent: str,
    conversation: Sequence[ChatMessage],
) -> Completion:
    started = time.perf_counter()
    step = Step(agent=agent, messages=tuple(conversation))
    try:
        completion = complete(conversation)[0]
    except LLMError as error:
        seconds = time.perf_counter() - started
        message.steps.append(replace(step, seconds=seconds, error=str(error)))
        raise
    message.steps.append(_answered(step, completion, time.perf_counter() - started))
    return completion


def _answered(step: Step, completion: Completion, seconds: float) -> Step:
    return replace(
        step,
        reply=completion.text,
        usage=completion.usage,
        seconds=seconds,
        logprob=completion.logprob,
    )


def _read(message: Message, parse: Callable[[str], T], reply: str) -> T:
    try:
        return parse(reply)
    except ParseError as error:
        message.steps[-1] = replace(message.steps[-1], error=str(error))
        raise


def note(message: Message, text: str) -> Step:
    """Add what was decided to the newest step, and return it."""
    message.steps[-1] = replace(message.steps[-1], note=text)
    return message.steps[-1]


def record(
    message: Message, agent: str, text: str, *, seconds: float = 0.0, error: str = ""
) -> Step:
    """Add a step that needed no model."""
    step = Step(agent=agent, note=text, seconds=seconds, error=error)
    message.steps.append(step)
    return step


def record_repairs(
    message: Message, agent: str, before: Sequence[Finding], candidate: Candidate
) -> Iterator[Step]:
    """A step for each repair of ``candidate`` that is not among those ``before``."""
    for repair in candidate.repairs[len(before) :]:
        yield record(message, agent, f"repaired: {repair.hint}")


def show_focus(focus: Focus) -> str:
    """The likeliest names in one line; empty when nothing was found.

    Columns say which tables are meant; tables are named when no column was found.
    """
    return ", ".join((focus.columns or focus.tables)[:MAX_FOCUS])


def show_values(values: Sequence[ValueMatch], dialect: str) -> str:
    """Found cells in one line, each as the condition that selects it."""
    return ", ".join(
        f"{quote(v.table, dialect)}.{quote(v.column, dialect)} = {literal(v.value)}" for v in values
    )
