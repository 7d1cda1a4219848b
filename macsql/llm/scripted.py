"""A model that says what it is told to: for tests, examples and demonstrations."""

import threading
from collections.abc import Callable, Sequence

from macsql.chat import ChatMessage
from macsql.errors import LLMError
from macsql.llm.base import Completion, ResponseFormat, Usage, estimate_tokens

Reply = str | Exception | Callable[[Sequence[ChatMessage]], str]


class ScriptedLLM:
    """Gives ``replies`` in order: a text is returned, an exception raised, a function called.

    A call for ``n`` completions takes the next ``n`` replies. ``calls`` holds the messages of every
    call, also of those that failed. With ``loop`` the replies start again at the end; without it,
    running out is an LLMError. Tokens are estimated, and nothing costs anything.

    >>> model = ScriptedLLM(["SELECT 1"])
    >>> model.complete([{"role": "user", "content": "one, please"}])[0].text
    'SELECT 1'
    >>> model.complete([{"role": "user", "content": "again"}])
    Traceback (most recent call last):
    macsql.errors.LLMError: the scripted model has only 1 reply; reply 2 was asked for.
    """

    name = "scripted"

    def __init__(
        self, replies: Sequence[Reply], *, context_window: int = 32768, loop: bool = False
    ) -> None:
        self.context_window = context_window
        self.calls: list[tuple[ChatMessage, ...]] = []
        self._replies = [replies] if isinstance(replies, str) else list(replies)
        self._loop = loop
        self._given = 0
        self._lock = threading.Lock()

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
        """The next ``n`` replies. Raises LLMError when there are none left."""
        with self._lock:
            self.calls.append(tuple(messages))
            replies = [self._next() for _ in range(n)]
        texts = [self._said(reply, messages) for reply in replies]
        prompt = sum(self.count_tokens(m["content"]) for m in messages)
        written = sum(map(self.count_tokens, texts))
        usage = Usage(input_tokens=prompt, output_tokens=written, cost=0.0, calls=1)
        return [Completion(text, Usage() if i else usage) for i, text in enumerate(texts)]

    def count_tokens(self, text: str) -> int:
        """An estimate."""
        return estimate_tokens(text)

    def _next(self) -> Reply:
        have = len(self._replies)
        if have == 0 or (self._given >= have and not self._loop):
            noun = "reply" if have == 1 else "replies"
            raise LLMError(
                f"the scripted model has only {have} {noun}; reply {self._given + 1} was asked for."
            )
        reply = self._replies[self._given % have]
        self._given += 1
        return reply

    @staticmethod
    def _said(reply: Reply, messages: Sequence[ChatMessage]) -> str:
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else reply(messages)
