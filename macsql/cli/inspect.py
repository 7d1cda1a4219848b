"""``macsql schema`` and ``macsql trace``: what was read, and what was asked before."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from macsql.cli.exits import ANSWERED
from macsql.cli.opening import Caller, open_database
from macsql.cli.show import OutputForm, Screen
from macsql.cli.streams import printable, write, write_json, writing
from macsql.config import Settings
from macsql.database import to_jsonable
from macsql.records import load, newest
from macsql.schema import Schema
from macsql.schema_text import SchemaForm, show_schema


def print_schema(
    settings: Settings,
    form: SchemaForm,
    descriptions: Path | None,
    examples: int,
    caller: Caller,
    *,
    as_json: bool,
) -> int:
    """Print the schema of a database."""
    with open_database(settings, descriptions, caller) as database:
        schema = database.schema
    with writing():
        if as_json:
            write_json(_document(schema, examples))
        else:
            write(printable(show_schema(schema, form, examples=examples)))
    return ANSWERED


def print_trace(file: Path | None, form: OutputForm, *, show_prompts: bool) -> int:
    """Show a recorded question as it was shown when it was asked."""
    path = file or newest()
    message, about = load(path)
    screen = Screen()
    screen.note(f"question: {printable(message.question)}")
    if message.evidence:
        screen.note(f"evidence: {printable(message.evidence)}")
    screen.note(", ".join(f"{name}: {printable(value)}" for name, value in about.items() if value))
    for step in message.steps:
        screen.step(step, prompts=show_prompts)
    screen.findings(message)
    screen.answer(message, form, path)
    screen.footer(message, path)
    if message.error:
        screen.note(f"no answer: {printable(message.error)}", "red")
    return ANSWERED


def _document(schema: Schema, examples: int) -> dict[str, Any]:
    """The schema as plain data, with at most ``examples`` stored values for each column."""
    tables = [asdict(table) for table in schema.tables]
    for table in tables:
        for column in table["columns"]:
            stored = [value for value in column["examples"] if value is not None]
            column["examples"] = [to_jsonable(value) for value in stored[:examples]]
    return {"dialect": schema.dialect, "name": schema.name, "tables": tables}
