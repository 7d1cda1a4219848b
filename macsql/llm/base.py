"""What every model looks like to the agents: messages in, completions and their cost out."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from macsql.chat import ChatMessage

ResponseFormat = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several completions cost.

    ``input_tokens`` counts the whole prompt, ``cached_tokens`` the part of it that was read from a
    cache, ``output_tokens`` what was written. ``cost`` is in US dollars, None when the price is
    unknown. ``replayed`` counts calls answered from a recording or the reply cache.

    >>> (Usage(10, 4, 2) + Usage(5, 0, 1)).input_tokens
    15
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    calls: int = 0
    replayed: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        known = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            sum(known) if known else None,
            self.calls + other.calls,
            self.replayed + other.replayed,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply. ``finish_reason`` is "length" when the reply was cut by ``max_tokens``.

    ``logprob`` is the mean log-probability of the reply's tokens where the model reports it.
    The usage of a call with several completions is on the first of them.
    """

    text: str
    usage: Usage = Usage()
    finish_reason: Literal["stop", "length"] = "stop"
    logprob: float | None = None


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` is, for models whose tokenizer is not at hand.

    SQL, schemas and English come to some 3.5 characters a token; text outside ASCII to one or two
    tokens a character, which its UTF-8 length stands for. The estimate is meant to be high, so that
    a budget computed with it holds. Only the empty text has no tokens.

    >>> estimate_tokens("SELECT name FROM pupil"), estimate_tokens("x"), estimate_tokens("")
    (7, 1, 0)
    """
    ascii_chars = sum(1 for c in text if c < "\x80")
    other_bytes = sum(len(c.encode("utf-8", "surrogatepass")) for c in text if c >= "\x80")
    return math.ceil(ascii_chars / 3.5 + other_bytes / 2)


@runtime_checkable
class LLM(Protocol):
    """A chat model. Implementations are safe to call from several threads.

    ``name`` identifies the model in records and cache keys; ``context_window`` is in tokens.
    """

    name: str
    context_window: int

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        n: int = 1,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        stop: Sequence[str] = (),
        response_format: ResponseFormat = "text",
    ) -> list[Completion]:
        """``n`` replies to ``messages``.

        Raises LLMError when the model cannot be reached, refuses, or the prompt is too long.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Number of tokens of ``text``: exact where the tokenizer is at hand, else an estimate."""
        ...
