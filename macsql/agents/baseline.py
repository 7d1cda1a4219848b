"""``Baseline``: one prompt, one query: what the agents are measured against."""

from collections.abc import Iterator

from macsql.agents.base import ask_model, note
from macsql.database import Database
from macsql.llm.base import LLM
from macsql.message import Message, Step
from macsql.parsing import read_sql
from macsql.prompts import PromptSet


class Baseline:
    """Asks once, with the schema, evidence and question, for the SQL; no examples, no repair.

    Alone in a pipeline it is the paper's vanilla model. In the Decomposer's place it is the
    ablation without the Decomposer: the SQL is written at once, with no sub-questions, worked
    examples or rules, on the schema that the Selector left, and the Refiner goes on from there.
    """

    name = "baseline"

    def __init__(self, llm: LLM, prompts: PromptSet) -> None:
        self.llm = llm
        self.prompts = prompts

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """Write sql. Raises ParseError when the reply has none."""
        prompt = self.prompts.render(
            self.name, message.schema, question=message.question, evidence=message.evidence
        )
        dialect = message.schema.dialect
        message.sql = ask_model(
            message, self.llm, self.name, prompt, lambda reply: read_sql(reply, dialect)
        )
        yield note(message, "one query")
