"""From the name of a model to the model: ``local``, ``openai:MODEL``, ``package.module:Class``."""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from macsql.errors import ConfigError, LLMError
from macsql.llm import weights
from macsql.llm.base import LLM
from macsql.llm.prices import KNOWN as KNOWN_PRICES
from macsql.llm.prices import Price
from macsql.llm.remote import Remote


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of ``open_model`` that the kinds of models share; None means the kind's own."""

    base_url: str | None = None
    api_key: str | None = None
    cache_dir: Path | None = None
    context_window: int | None = None
    price: tuple[float, float, float] | None = None
    timeout: float = 120.0
    progress: weights.Progress | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model. ``key_variables`` are the environment variables that may hold its key."""

    meaning: str
    open: Callable[["Kind", str, str, Options], LLM]
    base_url: str | None = None
    key_variables: tuple[str, ...] = ()
    needs_key: bool = False
    context_window: int = 128_000
    free: bool = False


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    cache_dir: Path | None = None,
    context_window: int | None = None,
    price: tuple[float, float, float] | None = None,
    timeout: float = 120.0,
    progress: weights.Progress | None = None,
) -> LLM:
    """The model that ``spec`` names; ``KINDS`` lists the names.

    ``context_window`` is in tokens, ``price`` in US dollars for a million (prompt, cached prompt,
    output) tokens, ``timeout`` in seconds. The weights of a local model that are not
    here are fetched when there is somebody to tell (``progress``); nobody gets a gigabyte without
    knowing. Nothing is sent and no weights are loaded before the first call.

    Raises ConfigError for an unknown name, a missing extra or missing weights, LLMError for a
    missing key and for weights that cannot be fetched.
    """
    options = Options(base_url, api_key, cache_dir, context_window, price, timeout, progress)
    kind, colon, rest = spec.strip().partition(":")
    if kind in KINDS:
        return KINDS[kind].open(KINDS[kind], kind, rest, options)
    if colon and rest.isidentifier() and all(part.isidentifier() for part in kind.split(".")):
        return _open_class(kind, rest, spec)
    raise ConfigError(_unknown(spec))


def _open_local(kind: Kind, name: str, rest: str, options: Options) -> LLM:
    from macsql.llm.local import LocalLLM

    window = options.context_window or kind.context_window
    if rest.endswith(".gguf") or "/" in rest or os.sep in rest:
        return LocalLLM(rest, context_window=window)
    wanted = weights.known(rest or weights.DEFAULT)
    path = weights.find(wanted, options.cache_dir)
    if path is None and options.progress is None:
        raise ConfigError(
            f"the weights of {wanted.name} ({wanted.size / 1e9:.1f} GB) are not here: "
            f"fetch them with macsql model pull {wanted.name}."
        )
    if path is None:
        path = weights.pull(wanted, cache_dir=options.cache_dir, progress=options.progress)
    return LocalLLM(path, name=f"local:{wanted.name}", context_window=window)


def _open_openai(kind: Kind, name: str, rest: str, options: Options) -> LLM:
    from macsql.llm.openai import OpenAILLM

    return OpenAILLM(_remote(kind, name, rest, options))


def _open_anthropic(kind: Kind, name: str, rest: str, options: Options) -> LLM:
    try:
        from macsql.llm.anthropic import AnthropicLLM
    except ModuleNotFoundError as error:
        raise ConfigError(
            "Anthropic's models need an extra: pip install 'macsql[anthropic]'."
        ) from error
    return AnthropicLLM(_remote(kind, name, rest, options))


def _remote(kind: Kind, name: str, model: str, options: Options) -> Remote:
    if not model:
        raise ConfigError(f"which model? Write {name}:MODEL.")
    if options.base_url and not _is_address(options.base_url):
        raise ConfigError("the base_url is no address: write it like http://127.0.0.1:8000/v1.")
    variables = kind.key_variables
    found = (os.environ[v] for v in variables if os.environ.get(v))
    key = options.api_key or next(found, None)
    # A server of one's own seldom asks for a key.
    if key is None and kind.needs_key and not options.base_url:
        raise LLMError(f"{name}:{model} needs an API key: set {variables[0]}.")
    return Remote(
        name,
        model,
        base_url=options.base_url or kind.base_url,
        api_key=key or "no-key",
        key_variable=variables[0] if variables else "",
        context_window=options.context_window or kind.context_window,
        price=_price(f"{name}:{model}", kind, options),
        timeout=options.timeout,
    )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _price(spec: str, kind: Kind, options: Options) -> Price | None:
    if options.price is not None:
        return Price(*options.price)
    if options.base_url:
        return None
    return Price(0.0, 0.0, 0.0) if kind.free else KNOWN_PRICES.get(spec)


def _open_class(module: str, name: str, spec: str) -> LLM:
    try:
        maker = getattr(importlib.import_module(module), name)
        made = maker()
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise ConfigError(_unknown(spec)) from error
    except AttributeError as error:
        raise ConfigError(f"there is no {name} in the module {module}.") from error
    except TypeError as error:
        raise ConfigError(f"{spec} cannot be made without arguments: {error}.") from error
    if not isinstance(made, LLM):
        raise ConfigError(
            f"{spec} is not a model: it needs name, context_window, complete and count_tokens."
        )
    return made


def _unknown(spec: str) -> str:
    from rapidfuzz import fuzz, process

    names = [*KINDS, *(f"local:{name}" for name in weights.KNOWN)]
    near = process.extract(spec, names, scorer=fuzz.WRatio, score_cutoff=60, limit=3)
    offer = ", ".join(name for name, _, _ in near) or ", ".join(KINDS)
    return f"no model is called {spec!r}; try {offer} or package.module:Class."


KINDS = {
    "local": Kind(
        "local, local:NAME or local:FILE.gguf: on this machine, no key",
        _open_local,
        context_window=8192,
        free=True,
    ),
    "openai": Kind(
        "openai:MODEL: OpenAI, or any server like it with a base URL",
        _open_openai,
        key_variables=("OPENAI_API_KEY",),
        needs_key=True,
    ),
    "azure": Kind(
        "azure:DEPLOYMENT: Azure OpenAI",
        _open_openai,
        key_variables=("AZURE_OPENAI_API_KEY",),
        needs_key=True,
    ),
    "anthropic": Kind(
        "anthropic:MODEL: Anthropic",
        _open_anthropic,
        key_variables=("ANTHROPIC_API_KEY",),
        needs_key=True,
        context_window=200_000,
    ),
    "ollama": Kind(
        "ollama:MODEL: an Ollama server on this machine",
        _open_openai,
        base_url="http://127.0.0.1:11434/v1",
        context_window=4096,
        free=True,
    ),
    "vllm": Kind(
        "vllm:MODEL: a vLLM server on this machine",
        _open_openai,
        base_url="http://127.0.0.1:8000/v1",
        key_variables=("VLLM_API_KEY",),
        context_window=8192,
        free=True,
    ),
    "llamacpp": Kind(
        "llamacpp:MODEL: a llama.cpp server on this machine",
        _open_openai,
        base_url="http://127.0.0.1:8080/v1",
        key_variables=("LLAMA_API_KEY",),
        context_window=4096,
        free=True,
    ),
}
"""All names; the windows of servers are what they come with: give ``context_window`` for yours."""
