"""Anthropic's models, through its own SDK."""

import json
import weakref
from collections.abc import Sequence
from typing import Any

import anthropic

from macsql.chat import ChatMessage
from macsql.llm.base import Completion, ResponseFormat, Usage, estimate_tokens
from macsql.llm.remote import CONNECT_SECONDS, Remote, cut_at


class AnthropicLLM:
    """The model that ``remote`` describes. The system prompt is marked for the prompt cache.

    The API knows neither a temperature (since its version 2026-10-21 it refuses one) nor a JSON
    mode: ``temperature`` has no effect, and for JSON the prompt has to ask. Several completions
    are several calls.
    """

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        self.name = remote.name
        self.context_window = remote.context_window
        self._client = anthropic.Anthropic(
            api_key=remote.api_key,
            base_url=remote.base_url,
            timeout=anthropic.Timeout(remote.timeout, connect=CONNECT_SECONDS),
            max_retries=remote.max_retries,
        )
        weakref.finalize(self, self._client.close)
        remote.hide_in_logs(self)

    def __repr__(self) -> str:
        return f"AnthropicLLM({self.name!r})"

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
        """``n`` replies. Raises LLMError as the protocol says."""
        request: dict[str, Any] = {
            "model": self.remote.model,
            "max_tokens": max_tokens,
            "messages": [m for m in messages if m["role"] != "system"],
        }
        system = "\n\n".join(m["content"] for m in messages if m["role"] == "system")
        if system:
            block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
            request["system"] = [block]
        # The API refuses stop words that are only white space.
        if words := [word for word in stop if word.strip()]:
            request["stop_sequences"] = words
        replies = [self._reply(self._ask(request), stop) for _ in range(n)]
        usage = sum((reply.usage for reply in replies), Usage())
        return [
            Completion(r.text, Usage() if i else usage, r.finish_reason)
            for i, r in enumerate(replies)
        ]

    def count_tokens(self, text: str) -> int:
        """An estimate: the tokenizer is on the server."""
        return estimate_tokens(text)

    def _ask(self, request: dict[str, Any]) -> Any:
        try:
            answer = self._client.messages.create(**request)
        except anthropic.AnthropicError as error:
            raise self.remote.sdk_error(anthropic, error) from self.remote.cause(error)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise self.remote.error("the answer is not JSON.", retryable=True) from error
        if getattr(answer, "content", None) is None:
            raise self.remote.error("the answer is not a message.")
        return answer

    def _reply(self, answer: Any, stop: Sequence[str]) -> Completion:
        if answer.stop_reason == "refusal":
            raise self.remote.error("the model refused to answer.")
        text = "".join(block.text for block in answer.content if block.type == "text")
        told = answer.usage
        cached = told.cache_read_input_tokens or 0
        read = told.input_tokens + cached + (told.cache_creation_input_tokens or 0)
        cost = self.remote.cost(read, cached, told.output_tokens)
        usage = Usage(read, cached, told.output_tokens, cost, calls=1)
        length = answer.stop_reason in ("max_tokens", "model_context_window_exceeded")
        return Completion(cut_at(text, stop), usage, "length" if length else "stop")
