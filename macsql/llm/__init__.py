"""Models that write the SQL."""

from macsql.chat import ChatMessage
from macsql.llm.base import LLM, Completion, Usage, estimate_tokens
from macsql.llm.names import open_model
from macsql.llm.scripted import ScriptedLLM

__all__ = [
    "LLM",
    "ChatMessage",
    "Completion",
    "ScriptedLLM",
    "Usage",
    "estimate_tokens",
    "open_model",
]
