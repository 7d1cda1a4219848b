"""``OracleSelector``: the schema that a perfect Selector would leave, taken from the gold SQL.

The experiment says how much better answers would be if linking were perfect. It is the only place
where knowledge of the gold SQL touches a prompt: the names of its tables and columns, as a part of
the schema. The SQL itself goes into no prompt, and scores of such a run must be called oracle
scores.
"""

from collections.abc import Iterator
from typing import Literal

from macsql.agents import Selector
from macsql.agents.base import record
from macsql.database import Database, Progress
from macsql.evaluation.linking_recall import used_columns
from macsql.llm.base import LLM
from macsql.message import Message, Step
from macsql.prompts import PromptSet
from macsql.schema import Schema, Selection


class OracleSelector:
    """Leaves the tables and columns that ``gold_sql`` reads, and the keys between the tables.

    What follows is the Selector's own linking on that schema, without pruning by the model. Where
    the gold SQL cannot be read the schema stays whole, and the step says so.
    """

    name = "oracle-selector"

    def __init__(
        self, llm: LLM, prompts: PromptSet, gold_sql: str, *, use_linking: bool = True
    ) -> None:
        self._gold_sql = gold_sql
        self._selector = Selector(llm, prompts, prune="never", use_linking=use_linking)

    def run(self, message: Message, database: Database) -> Iterator[Step | Progress]:
        """Write selection, the narrowed schema, focus and values."""
        selection = oracle_selection(self._gold_sql, message.schema)
        if selection is None:
            yield record(message, self.name, "schema kept whole: the gold SQL cannot be read")
        else:
            message.selection = selection
            message.schema = message.schema.select(selection, min_columns=1)
            yield record(message, self.name, f"gold tables: {', '.join(_kept(selection))}")
        yield from self._selector.run(message, database)


def oracle_selection(gold_sql: str, schema: Schema) -> Selection | None:
    """What of ``schema`` the gold SQL reads, or None when it cannot be read.

    >>> from macsql.schema import Column, Table
    >>> shop = Schema("sqlite", (Table("item", (Column("id", "INT"), Column("price", "REAL"))),
    ...     Table("staff", (Column("id", "INT"),))))
    >>> oracle_selection("SELECT max(price) FROM item", shop)
    {'item': ['price'], 'staff': 'drop_all'}
    """
    used = set(used_columns(gold_sql, schema))
    if not used:
        return None
    selection: dict[str, Literal["drop_all"] | list[str]] = {}
    for table in schema.tables:
        columns = [c.name for c in table.columns if f"{table.name}.{c.name}" in used]
        is_read = columns or f"{table.name}.*" in used
        selection[table.name] = columns if is_read else "drop_all"
    return selection


def _kept(selection: Selection) -> list[str]:
    return [name for name, answer in selection.items() if answer != "drop_all"]
