"""Selector: the part of the schema that the question is about (paper, section 3.2)."""

from collections.abc import Iterator, Sequence
from typing import Literal

from macsql.agents.base import ask_model, note, record, show_focus, show_values
from macsql.database import Database, Progress
from macsql.errors import ParseError
from macsql.linking import link_names, link_values, rank_tables, shrink_to
from macsql.linking.pins import pinned
from macsql.linking.shrink import Shrunk
from macsql.llm.base import LLM
from macsql.message import Message, Step, ValueMatch
from macsql.parsing import read_selection
from macsql.prompts import PromptSet, PruneRule
from macsql.schema import Schema, Selection

MIN_TABLES = 3
MIN_COLUMNS = 6
SMALL_TABLE = 10
PAPER_MEAN_COLUMNS = 7
PAPER_TOTAL_COLUMNS = 30
REPLY_TOKENS = 1024
INDEX_SECONDS = 1.0
"""What a question may spend on reading stored values; what is left is read by later ones."""
ROOM_FOR_THE_REST = 2500
"""Tokens of a prompt that are not schema: rules, worked examples, question, evidence, reply."""


class Selector:
    """Links the question to names without a model; when the schema is large, the model prunes it.

    ``prune`` is "auto" (the schema's text exceeds its share of the context window), "paper" (the
    published rule: seven columns a table on average, or more than thirty in all) or "never".
    Any failure keeps the whole schema, and is recorded. Without ``use_linking`` the names and
    stored values that the question refers to are not looked for.
    """

    name = "selector"

    def __init__(
        self,
        llm: LLM,
        prompts: PromptSet,
        *,
        prune: PruneRule | None = None,
        schema_tokens: int | None = None,
        use_linking: bool = True,
    ) -> None:
        self.llm = llm
        self.prompts = prompts
        self.prune = prune or prompts.prune_rule
        self.use_linking = use_linking
        self.schema_tokens = schema_tokens or max(
            512, min(llm.context_window // 2, llm.context_window - ROOM_FOR_THE_REST)
        )

    def run(self, message: Message, database: Database) -> Iterator[Step | Progress]:
        """Write focus, selection and the narrowed schema."""
        whole = message.schema
        if self.use_linking:
            message.focus = link_names(message.question, message.evidence, whole)
            yield from database.reading_values(INDEX_SECONDS)
            message.values = link_values(
                message.question, message.evidence, whole, database.value_index()
            )
        fitted = self._fit(whole, message)
        message.schema = fitted.schema
        if fitted.summary:
            yield record(message, self.name, f"too large for one prompt: {fitted.summary}")
        if self._is_large(whole, fitted):
            yield from self._prune(message, fitted.schema)
            message.schema = self._fit(message.schema, message).schema
        elif not fitted.summary:
            yield record(message, self.name, f"schema kept whole: {_size(whole)}{_found(message)}")

    def _prune(self, message: Message, schema: Schema) -> Iterator[Step]:
        prompt = self.prompts.render(
            self.name, schema, question=message.question, evidence=message.evidence
        )
        try:
            answer = ask_model(
                message,
                self.llm,
                self.name,
                prompt,
                lambda reply: read_selection(reply, schema),
                max_tokens=REPLY_TOKENS,
                response_format="json",
            )
        except ParseError as error:
            yield note(message, f"schema kept: {error}")
            return
        message.selection = self._floor(answer, schema, message)
        message.schema = schema.select(message.selection, min_columns=MIN_COLUMNS)
        yield note(message, f"{_size(schema)} → {_size(message.schema)}")

    def _floor(self, answer: Selection, schema: Schema, message: Message) -> Selection:
        """The answer with the paper's floors: small tables whole, at least three tables. Where a
        linked value is stored stays too.
        """
        floored = _with_pinned(answer, schema, message.values)
        for table in schema.tables:
            kept = floored.get(table.name, "keep_all")
            if len(table.columns) <= SMALL_TABLE and kept != "drop_all":
                floored[table.name] = "keep_all"
        kept_count = sum(floored.get(t.name) != "drop_all" for t in schema.tables)
        for table in rank_tables(message.question, message.evidence, schema):
            if kept_count >= MIN_TABLES:
                break
            if floored.get(table.name) == "drop_all":
                likely = [c.name for c in table.columns]
                floored[table.name] = (
                    "keep_all" if len(likely) <= SMALL_TABLE else likely[:MIN_COLUMNS]
                )
                kept_count += 1
        return floored

    def _fit(self, schema: Schema, message: Message) -> Shrunk:
        return shrink_to(
            self.schema_tokens,
            schema,
            self.prompts.show,
            self.llm.count_tokens,
            message.question,
            message.evidence,
            examples=self.prompts.examples_per_column,
            pins=pinned(schema, message.values),
        )

    def _is_large(self, schema: Schema, fitted: Shrunk) -> bool:
        if self.prune == "never":
            return False
        if self.prune == "paper":
            counts = [len(t.columns) for t in schema.tables]
            mean = sum(counts) // max(1, len(counts))
            return mean >= PAPER_MEAN_COLUMNS or sum(counts) > PAPER_TOTAL_COLUMNS
        return fitted.examples < self.prompts.examples_per_column or bool(fitted.summary)


def _with_pinned(
    answer: Selection, schema: Schema, values: Sequence[ValueMatch]
) -> dict[str, "Literal['keep_all', 'drop_all'] | Sequence[str]"]:
    """The answer, but with the places of ``values`` and the tables that join them."""
    floored = dict(answer)
    for name, columns in pinned(schema, values).items():
        table = schema.table(name)
        kept = floored.get(table.name, "keep_all") if table else "keep_all"
        if table is None or kept == "keep_all":
            continue
        if len(table.columns) <= SMALL_TABLE:
            floored[table.name] = "keep_all"
        else:
            floored[table.name] = [*(() if kept == "drop_all" else kept), *columns]
    return floored


def _found(message: Message) -> str:
    """What linking found, as a part of a note."""
    focus = show_focus(message.focus)
    values = show_values(message.values, message.schema.dialect)
    return (f"; relevant: {focus}" if focus else "") + (f"; stored: {values}" if values else "")


def _size(schema: Schema) -> str:
    columns = sum(len(t.columns) for t in schema.tables)
    return f"{len(schema.tables)} tables, {columns} columns"
