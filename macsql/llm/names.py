"""From the name of a model to the model: ``local``, ``openai:MODEL``, ``package.module:Class`` …"""

from pathlib import Path

from macsql.errors import ConfigError
from macsql.llm.base import LLM


def open_model(spec: str, *, context_window: int = 8192) -> LLM:
    """The model that ``spec`` names."""
    kind, _, rest = spec.partition(":")
    if kind == "local" and rest:
        from macsql.llm.local import LocalLLM

        return LocalLLM(Path(rest), context_window=context_window)
    raise ConfigError(f"unknown model {spec!r}.")
