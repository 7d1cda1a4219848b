"""What an agent is, and the one way to ask a model."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, Protocol, TypeVar

from macsql.chat import ChatMessage
from macsql.database import Database
from macsql.errors import LLMError, ParseError
from macsql.llm.base import LLM
from macsql.message import Message, Step

T = TypeVar("T")


class Agent(Protocol):
    """One agent: it reads the message, writes its own fields, and yields each step it took.

    Agents keep nothing about a question, so that one pipeline serves many threads.
    """

    name: str

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """Do this agent's part of the work on ``message``."""
        ...


def ask_model(
    message: Message,
    llm: LLM,
    agent: str,
    conversation: Sequence[ChatMessage],
    parse: Callable[[str], T],
    *,
    max_tokens: int = 1024,
    response_format: Literal["text", "json"] = "text",
    retry_hint: str = "",
) -> T:
    """Ask, record the step, then parse the reply.

    The step is recorded before parsing, since it was paid for. When the reply cannot be read and
    ``retry_hint`` is given, the model is told so once. Raises LLMError and ParseError.
    """
    try:
        return _ask_once(message, llm, agent, conversation, parse, max_tokens, response_format)
    except ParseError as error:
        if not retry_hint:
            raise
        again: list[ChatMessage] = [
            *conversation,
            {"role": "assistant", "content": error.reply or "(nothing)"},
            {"role": "user", "content": retry_hint},
        ]
    return _ask_once(message, llm, agent, again, parse, max_tokens, response_format)


def _ask_once(
    message: Message,
    llm: LLM,
    agent: str,
    conversation: Sequence[ChatMessage],
    parse: Callable[[str], T],
    max_tokens: int,
    response_format: Literal["text", "json"],
) -> T:
    started = time.perf_counter()
    step = Step(agent=agent, messages=tuple(conversation))
    try:
        completion = llm.complete(
            conversation, max_tokens=max_tokens, response_format=response_format
        )[0]
    except LLMError as error:
        seconds = time.perf_counter() - started
        message.steps.append(replace(step, seconds=seconds, error=str(error)))
        raise
    step = replace(
        step,
        reply=completion.text,
        usage=completion.usage,
        seconds=time.perf_counter() - started,
    )
    message.steps.append(step)
    try:
        return parse(completion.text)
    except ParseError as error:
        message.steps[-1] = replace(step, error=str(error))
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
