"""Models behind an OpenAI-compatible API: OpenAI, Azure, vLLM, Ollama, llama.cpp servers."""

import json
import weakref
from collections.abc import Sequence
from typing import Any

import openai

from macsql.chat import ChatMessage
from macsql.llm.base import Completion, ResponseFormat, Usage, estimate_tokens
from macsql.llm.remote import CONNECT_SECONDS, Refused, Remote, Rule, cut_at, leave_out

# Models that want this parameter count what they think, unseen, as part of the reply.
THINKING_TOKENS = 8192


def _rename_max_tokens(request: dict[str, Any]) -> None:
    request["max_completion_tokens"] = request.pop("max_tokens") + THINKING_TOKENS


# Reasoning models refuse some of these, older servers others.
_RULES: dict[str, Rule] = {
    "max_tokens": _rename_max_tokens,
    **{name: leave_out(name) for name in ("temperature", "stop", "response_format", "n")},
}


class OpenAILLM:
    """The model that ``remote`` describes, through the chat completions API.

    Rate limits, overload and network errors are tried again, with the pause that the server asks
    for. A parameter that the server does not know is left out: the reply is cut at the stop words
    here, and several completions are asked for one by one.
    """

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        self.name = remote.name
        self.context_window = remote.context_window
        self._client = _client(remote)
        self._refused = Refused(_RULES)
        weakref.finalize(self, self._client.close)
        remote.hide_in_logs(self)

    def __repr__(self) -> str:
        return f"OpenAILLM({self.name!r})"

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
            "messages": list(messages),
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if stop:
            request["stop"] = list(stop)
        if response_format == "json":
            request["response_format"] = {"type": "json_object"}
        replies: list[Completion] = []
        usage = Usage()
        while len(replies) < n:
            wanted = {"n": n - len(replies)} if n - len(replies) > 1 else {}
            answer = self._ask({**request, **wanted})
            found = [self._reply(choice, stop) for choice in answer.choices]
            usage += self._usage(answer, messages, found)
            replies += found
        return [
            Completion(r.text, Usage() if i else usage, r.finish_reason, r.logprob)
            for i, r in enumerate(replies[:n])
        ]

    def count_tokens(self, text: str) -> int:
        """An estimate: the tokenizer is on the server."""
        return estimate_tokens(text)

    def _ask(self, request: dict[str, Any]) -> Any:
        """The server's answer, with at least one choice."""
        while True:
            sent = self._refused.adapt(request)
            try:
                answer = self._client.chat.completions.create(**sent)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if self._refused.learn(error, sent):
                    continue
                raise self.remote.sdk_error(openai, error) from self.remote.cause(error)
            except openai.OpenAIError as error:
                raise self.remote.sdk_error(openai, error) from self.remote.cause(error)
            except (json.JSONDecodeError, UnicodeDecodeError) as error:
                raise self.remote.error("the answer is not JSON.", retryable=True) from error
            if getattr(answer, "choices", None):
                return answer
            said = getattr(answer, "error", None) or "there is no reply in it"
            raise self.remote.error(f"the answer is not a chat completion ({said}).")

    def _reply(self, choice: Any, stop: Sequence[str]) -> Completion:
        message = getattr(choice, "message", None)
        if message is None:
            raise self.remote.error("the answer is not a chat completion (no message in it).")
        refusal = getattr(message, "refusal", None)
        if refusal or choice.finish_reason == "content_filter":
            raise self.remote.error(f"the model refused to answer ({refusal or 'content filter'}).")
        text = _text_of(message.content)
        if "stop" in self._refused:
            text = cut_at(text, stop)
        cut = choice.finish_reason == "length"
        return Completion(text, finish_reason="length" if cut else "stop")

    def _usage(
        self, answer: Any, messages: Sequence[ChatMessage], found: list[Completion]
    ) -> Usage:
        told = getattr(answer, "usage", None)
        if told is None:
            read = sum(estimate_tokens(m["content"]) for m in messages)
            written = sum(estimate_tokens(r.text) for r in found)
            cached = 0
        else:
            read, written = told.prompt_tokens or 0, told.completion_tokens or 0
            details = getattr(told, "prompt_tokens_details", None)
            cached = getattr(details, "cached_tokens", None) or 0
        cost = self.remote.cost(read, cached, written)
        return Usage(read, cached, written, cost, calls=1)


def _text_of(content: Any) -> str:
    """A reply's text, which some servers give in parts."""
    if not isinstance(content, list):
        return str(content or "")
    texts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _client(remote: Remote) -> openai.OpenAI:
    timeout = openai.Timeout(remote.timeout, connect=CONNECT_SECONDS)
    options: dict[str, Any] = {
        "api_key": remote.api_key,
        "timeout": timeout,
        "max_retries": remote.max_retries,
        "http_client": openai.DefaultHttpxClient(
            timeout=timeout, event_hooks={"response": [_no_retry_without_credit]}
        ),
    }
    try:
        if remote.kind == "azure":
            if remote.base_url:
                options["azure_endpoint"] = remote.base_url
            azure: openai.OpenAI = openai.AzureOpenAI(**options)
            return azure
        return openai.OpenAI(**options, base_url=remote.base_url)
    except (openai.OpenAIError, ValueError) as error:
        options["http_client"].close()
        raise remote.error(str(error)) from remote.cause(error)


def _no_retry_without_credit(response: Any) -> None:
    """An empty account answers 429 like a rate limit does, but waiting does not fill it."""
    if response.status_code == 429 and b"insufficient_quota" in response.read():
        response.headers["x-should-retry"] = "false"
