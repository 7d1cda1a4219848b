"""Databases: reading the schema, running SQL read-only, and results. Nothing heavy is loaded
before the first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from macsql.database.result import Result, from_jsonable, to_jsonable, to_text

if TYPE_CHECKING:
    from macsql.database.connection import Database as Database
    from macsql.database.descriptions import describe as describe
    from macsql.database.engines import dialect_name as dialect_name
    from macsql.database.guard import guard_sql as guard_sql
    from macsql.database.policy import Policy as Policy
    from macsql.database.policy import Role as Role
    from macsql.database.policy import TableRule as TableRule
    from macsql.database.progress import Progress as Progress

__all__ = [
    "Database",
    "Policy",
    "Progress",
    "Result",
    "Role",
    "TableRule",
    "describe",
    "dialect_name",
    "from_jsonable",
    "guard_sql",
    "to_jsonable",
    "to_text",
]

_LAZY = {
    "Database": "connection",
    "describe": "descriptions",
    "dialect_name": "engines",
    "guard_sql": "guard",
    "Policy": "policy",
    "Progress": "progress",
    "Role": "policy",
    "TableRule": "policy",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
