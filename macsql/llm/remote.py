"""What the clients of model servers share: settings, errors in one line, refused parameters."""

import logging
import re
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from macsql.errors import LLMError
from macsql.llm.prices import Price
from macsql.redaction import secrets_in

CONNECT_SECONDS = 10.0

_LOGGERS = ("httpx", "httpx2", "openai._base_client", "anthropic._base_client")

_NOT_SUPPORTED = re.compile(
    r"unsupported|not[ _]supported?|not support|does not accept|unrecogni[sz]ed|unknown|unexpected|"
    r"not permitted|not allowed|deprecated|extra (inputs|fields)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remote:
    """How to reach a model server.

    ``timeout`` is in seconds between two bytes of a reply, ``max_retries`` the number of times that
    a request which may heal (rate limit, overload, network) is sent again. The key is not shown.

    >>> Remote("openai", "gpt-4o", api_key="secret").name
    'openai:gpt-4o'
    >>> Remote("openai", "m", base_url="http://box:8000/v1").name
    'openai:m@box:8000'
    """

    kind: str
    model: str
    base_url: str | None = None
    api_key: str | None = None
    key_variable: str = ""
    context_window: int = 128_000
    price: Price | None = None
    timeout: float = 120.0
    max_retries: int = 3

    def __repr__(self) -> str:
        return f"Remote({self.name!r})"

    @property
    def name(self) -> str:
        """Identifies the model in records; another server than the usual one is part of it."""
        if not self.base_url:
            return f"{self.kind}:{self.model}"
        where = urlsplit(self.base_url)
        port = f":{where.port}" if where.port else ""
        return f"{self.kind}:{self.model}@{where.hostname or ''}{port}"

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float | None:
        """In US dollars, None when the price is unknown."""
        if self.price is None:
            return None
        return self.price.cost(
            input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens
        )

    def error(self, problem: str, *, retryable: bool = False) -> LLMError:
        """One line that names the model and never the key."""
        line = self.without_secrets(" ".join(f"{self.name}: {problem}".split()))
        return LLMError(line[:500], retryable=retryable)

    def without_secrets(self, text: str) -> str:
        """``text`` without the key, nor what the address holds of passwords and keys."""
        secrets = secrets_in(self.base_url or "") | {self.api_key or ""}
        for secret in sorted(filter(_is_long, secrets), key=len, reverse=True):
            text = text.replace(secret, "***")
        return text

    def cause(self, error: Exception) -> Exception | None:
        """``error`` as the cause of ours; None if it would show a secret in a traceback."""
        said = f"{error} {getattr(error, 'body', '')} {error.__cause__}"
        return error if self.without_secrets(said) == said else None

    def hide_in_logs(self, owner: object) -> None:
        """Keep secrets out of what the libraries below log, for as long as ``owner`` lives."""
        hider = _SecretsHidden(self)
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.addFilter(hider)
            weakref.finalize(owner, logger.removeFilter, hider)

    def sdk_error(self, sdk: Any, error: Exception) -> LLMError:
        """What an error of the ``openai`` or ``anthropic`` SDK means for the user."""
        if isinstance(error, sdk.APITimeoutError):
            return self.error(f"no answer within {self.timeout:g} seconds.", retryable=True)
        if isinstance(error, sdk.APIConnectionError):
            why = error.__cause__ or error
            return self.error(f"cannot reach the server ({why}): is it running?", retryable=True)
        if isinstance(error, sdk.APIStatusError):
            return self._status_error(error)
        return self.error("the server's answer cannot be read.", retryable=True)

    def _status_error(self, error: Any) -> LLMError:
        status: int = error.status_code
        if status == 401:
            # The server's own words may quote the key.
            hint = f" set {self.key_variable}" if self.key_variable else " give the right one"
            return self.error(f"the API key is missing or wrong:{hint}.")
        said = said_by(error)
        if status == 429:
            if _no_money(said, error):
                return self.error(f"the account has no credit left ({said}).")
            return self.error(f"too many requests ({said}): try again later.", retryable=True)
        if status in (408, 409) or status >= 500:
            return self.error(f"the server failed ({status}: {said}).", retryable=True)
        return self.error(f"the server refused the request ({status}: {said}).")


def _is_long(secret: str) -> bool:
    """Whether it can be told from the words around it."""
    return len(secret) > 3


class _SecretsHidden(logging.Filter):
    def __init__(self, remote: Remote) -> None:
        super().__init__()
        self._remote = remote

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        shown = self._remote.without_secrets(said)
        if shown != said:
            record.msg, record.args = shown, ()
        return True


Rule = Callable[[dict[str, Any]], None]
"""What to do to a request whose parameter is refused."""


def leave_out(name: str) -> Rule:
    """The rule that takes the parameter ``name`` away."""

    def rule(request: dict[str, Any]) -> None:
        del request[name]

    return rule


class Refused:
    """Parameters that this server was found to refuse, so that they are not sent again."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        self._rules = rules
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def adapt(self, request: dict[str, Any]) -> dict[str, Any]:
        """``request`` without what is refused, each by its rule."""
        request = dict(request)
        for name in self._rules:
            if name in self._names and name in request:
                self._rules[name](request)
        return request

    def learn(self, error: Any, request: dict[str, Any]) -> bool:
        """True when ``error`` names a parameter of ``request`` that can be done without."""
        said = said_by(error)
        code = str(getattr(error, "code", "") or "")
        if not (_NOT_SUPPORTED.search(said) or code.startswith(("unsupported", "unknown"))):
            return False
        for name in self._rules:
            named = getattr(error, "param", None) == name or re.search(rf"\b{name}\b", said)
            if named and name in request:
                with self._lock:
                    self._names.add(name)
                return True
        return False


def cut_at(text: str, stop: Sequence[str]) -> str:
    """``text`` up to the first of ``stop``, as a server that knows stop words would give it."""
    ends = [at for word in stop if word and (at := text.find(word)) >= 0]
    return text[: min(ends)] if ends else text


def said_by(error: Any) -> str:
    """The server's own message in an SDK error."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            body = inner
        message = body.get("message") or body.get("detail")
        if message:
            return str(message)
        if isinstance(inner, str):
            return inner
    return str(getattr(error, "message", error))


def _no_money(said: str, error: Any) -> bool:
    return "insufficient_quota" in (getattr(error, "code", None), getattr(error, "type", None)) or (
        "exceeded your current quota" in said
    )
