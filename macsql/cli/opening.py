"""From settings to what they name: the database and the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from macsql.cli.show import Screen
from macsql.cli.weights import fetch_for
from macsql.config import Settings
from macsql.database import Database
from macsql.database.policy import Parameter, Policy, convert_parameters
from macsql.errors import ConfigError
from macsql.folders import default_cache_dir
from macsql.llm import open_model
from macsql.llm.base import LLM
from macsql.llm.names import KINDS
from macsql.llm.scripted import ScriptedLLM


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a role of the policy, and what its row filters need to know, as NAME=VALUE."""

    role: str | None = None
    parameters: Sequence[str] = ()


NOBODY = Caller()


def open_database(
    settings: Settings, descriptions: Path | None = None, caller: Caller = NOBODY
) -> Database:
    """The database of the settings, as far as ``caller`` may see it.

    Raises ConfigError and DatabaseUnavailable.
    """
    if not settings.db:
        raise ConfigError(
            "No database was given: add --db with a file or a URL, or set db in the settings file."
        )
    policy, parameters = _policy(settings, caller)
    return Database(
        settings.db,
        timeout=settings.timeout,
        connect_timeout=settings.connect_timeout,
        max_rows=settings.max_rows,
        descriptions=descriptions,
        policy=policy,
        role=caller.role,
        parameters=parameters,
        allowed_functions=_names(settings.allowed_functions),
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _policy(settings: Settings, caller: Caller) -> tuple[Policy | None, dict[str, Parameter]]:
    written: dict[str, str] = {}
    for text in caller.parameters:
        name, separator, value = text.partition("=")
        if not separator or not name.strip() or name.strip() in written:
            raise ConfigError("Each --param must be NAME=VALUE, and give another name.")
        written[name.strip()] = value
    if not settings.policy:
        return None, dict(written)
    policy = Policy.read(settings.policy)
    return policy, convert_parameters(policy.role(caller.role), written)


def open_llm(
    settings: Settings,
    screen: Screen,
    *,
    record: Path | None = None,
    replay: Path | None = None,
    cache_dir: Path | None = None,
) -> LLM:
    """The model of the settings, with the reply cache or a recording around it.

    Weights that are not here are fetched, with progress on ``screen``. ``cache_dir`` is a folder
    to keep replies in, whatever the settings say about a cache.

    With ``replay`` no model is opened. Raises ConfigError and LLMError as ``open_model`` does.
    """
    if replay is not None:
        from macsql.llm.cache import ReplayLLM

        return ReplayLLM(replay)
    price = read_price(settings.price)
    if settings.base_url and settings.model.partition(":")[0] == "local":
        raise ConfigError(
            f"The model {settings.model} runs in this process and has no base_url: "
            "name the server's model, such as --model openai:MODEL."
        )
    fetch_for(settings.model, screen)
    llm = open_model(
        settings.model,
        base_url=settings.base_url or None,
        context_window=settings.context_window or None,
        price=price,
    )
    if settings.cache or cache_dir:
        from macsql.llm.cache import CachedLLM

        llm = CachedLLM(llm, cache_dir or default_cache_dir() / "replies")
    if record is not None:
        from macsql.llm.cache import RecordingLLM

        llm = RecordingLLM(llm, record)
    return llm


def stand_in(settings: Settings) -> ScriptedLLM:
    """A model that says nothing, with the context window that the settings' model has."""
    kind = KINDS.get(settings.model.partition(":")[0])
    usual = kind.context_window if kind else ScriptedLLM([]).context_window
    return ScriptedLLM([], context_window=settings.context_window or usual)


def read_price(text: str) -> tuple[float, float, float] | None:
    """IN,CACHED,OUT as numbers; None when empty. Raises ConfigError on anything else.

    >>> read_price("2.5, 0.25, 10")
    (2.5, 0.25, 10.0)
    """
    if not text.strip():
        return None
    try:
        read, cached, written = (float(part) for part in text.split(","))
    except ValueError:
        read = cached = written = math.nan
    if not all(0 <= value < math.inf for value in (read, cached, written)):
        raise ConfigError(
            f"The price {text!r} must be three numbers, IN,CACHED,OUT: US dollars for a million "
            "tokens read, read from cache, and written."
        )
    return read, cached, written
