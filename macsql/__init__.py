"""Ask a relational database in plain language: three agents, one checked, executed SQL query.

>>> import macsql
>>> macsql.__version__
'0.1.0'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from macsql.database import Database, Result
    from macsql.errors import MacSQLError
    from macsql.llm import open_model
    from macsql.message import Message
    from macsql.pipeline import Event, Pipeline, ask

__version__ = "0.1.0"

_HOMES = {
    "Database": "macsql.database",
    "Event": "macsql.pipeline",
    "MacSQLError": "macsql.errors",
    "Message": "macsql.message",
    "Pipeline": "macsql.pipeline",
    "Result": "macsql.database",
    "ask": "macsql.pipeline",
    "open_model": "macsql.llm",
}

__all__ = [
    "Database",
    "Event",
    "MacSQLError",
    "Message",
    "Pipeline",
    "Result",
    "__version__",
    "ask",
    "open_model",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that ``import macsql`` stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'macsql' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
