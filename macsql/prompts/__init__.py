"""Every word said to a model: one folder for each prompt set, one template for each agent.

A set is a folder with a ``set.toml`` and the templates ``selector``, ``decomposer`` and
``refiner`` (``.md.j2``); runs that measure also want ``baseline``, the one prompt of a model
without agents. A template's blocks ``system`` and ``user`` become the messages of the
conversation; an unknown variable is an error, never an empty place. What is filled in is data: it
cannot begin a line, a code fence or a message of its own; only ``schema``, ``more_schema``,
``foreign_keys`` and ``sql`` have several lines.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from macsql.chat import ChatMessage
from macsql.errors import ConfigError
from macsql.prompts.escaping import as_data, as_said, in_one_line
from macsql.schema import Schema
from macsql.schema_text import SchemaForm, show_foreign_keys, show_schema

__all__ = [
    "MOST_CANDIDATES",
    "SELECTED_EXAMPLES",
    "Count",
    "EmptyRule",
    "PromptSet",
    "PruneRule",
    "Style",
    "as_data",
    "as_said",
    "list_prompt_sets",
]

Style = Literal["auto", "direct", "decompose"]
PruneRule = Literal["auto", "paper", "never"]
EmptyRule = Literal["diagnosed", "always", "never"]
Count = int | Literal["auto"]
"""How many attempts at the SQL there are; "auto" is one where there is no doubt."""
MOST_CANDIDATES = 32

_ALLOWED: dict[str, Sequence[object]] = {
    "schema_form": get_args(SchemaForm),
    "examples_per_column": range(21),
    "refine": ("continue", "restart"),
    "prune_rule": get_args(PruneRule),
    "refine_empty": get_args(EmptyRule),
    "shots": range(3),
    "style": get_args(Style),
    "candidates": ("auto", *range(1, MOST_CANDIDATES + 1)),
}
SELECTED_EXAMPLES = "selected_examples.md.j2"
"""The template that shows worked examples chosen for the question; a set may lack it."""
_HOME = Path(__file__).parent
_LONGEST_NAME = 100


@dataclass(frozen=True)
class PromptSet:
    """A folder of templates and the choices that go with them.

    ``schema_form`` is how the schema is shown, ``examples_per_column`` how many stored values each
    column shows. ``refine`` says whether a refinement continues the Decomposer's conversation, so
    that only the findings are new to read, or restarts with a prompt of its own as in the paper.
    ``prune_rule``, ``refine_empty``, ``shots``, ``style`` and ``candidates`` are the agents'
    defaults under this set.
    """

    folder: Path
    schema_form: SchemaForm = "ddl"
    examples_per_column: int = 3
    refine: Literal["continue", "restart"] = "continue"
    prune_rule: PruneRule = "auto"
    refine_empty: EmptyRule = "diagnosed"
    shots: int = 2
    style: Style = "auto"
    candidates: Count = 1

    @classmethod
    def load(cls, name: str | Path = "default") -> "PromptSet":
        """The set of that name, or the folder at that path.

        Raises ConfigError when there is none, or when its settings cannot be read.
        """
        folder = _HOME / str(name) if str(name) in list_prompt_sets() else Path(name)
        if not (folder / "set.toml").is_file():
            known = ", ".join(list_prompt_sets())
            raise ConfigError(
                f"There is no prompt set {str(name)!r}: use one of {known}, "
                "or a folder with a set.toml."
            )
        try:
            settings = tomllib.loads((folder / "set.toml").read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise ConfigError(f"{folder / 'set.toml'} cannot be read: {error}") from error
        if unknown := sorted(set(settings) - set(_ALLOWED)):
            raise ConfigError(f"{folder / 'set.toml'} has unknown settings: {', '.join(unknown)}")
        for setting, value in settings.items():
            if value not in _ALLOWED[setting]:
                choices = ", ".join(map(str, _ALLOWED[setting]))
                raise ConfigError(f"{folder / 'set.toml'}: {setting} must be one of {choices}.")
        return cls(folder=folder, **settings)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def can_select_examples(self) -> bool:
        """Whether it has a place for worked examples that are chosen for the question."""
        return (self.folder / SELECTED_EXAMPLES).is_file()

    def show(self, schema: Schema) -> str:
        """The schema in this set's form."""
        return show_schema(schema, self.schema_form, examples=self.examples_per_column)

    def render(self, agent: str, schema: Schema, **variables: Any) -> list[ChatMessage]:
        """The conversation that asks ``agent``.

        Raises ConfigError when the template lacks a variable or is not valid.
        """
        context = {
            "dialect": _DIALECT_NAMES.get(schema.dialect, schema.dialect),
            "schema_name": in_one_line(schema.name)[:_LONGEST_NAME] or "database",
            "schema": self.show(schema),
            "foreign_keys": show_foreign_keys(schema),
            **{name: _in_place(name, value) for name, value in variables.items()},
        }
        try:
            template = self._environment.get_template(f"{agent}.md.j2")
            rendered: list[ChatMessage] = []
            for role in ("system", "user"):
                if role not in template.blocks:
                    continue
                text = "".join(template.blocks[role](template.new_context(context))).strip()
                if text:
                    rendered.append({"role": role, "content": text})
        except TemplateError as error:
            raise ConfigError(f"The template {agent}.md.j2 of {self.folder}: {error}") from error
        return rendered

    @cached_property
    def _environment(self) -> Environment:
        return Environment(
            loader=FileSystemLoader(self.folder),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            finalize=as_data,
        )


def _in_place(name: str, value: Any) -> Any:
    """The variable in one line, but for SQL; of findings and examples, each of their texts."""
    if isinstance(value, str):
        return value if name in ("sql", "more_schema") else in_one_line(value)
    if isinstance(value, list | tuple):
        return [_in_place("", element) for element in value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    texts = {field.name: getattr(value, field.name) for field in fields(value)}
    placed = {n: _in_place(n, text) for n, text in texts.items() if isinstance(text, str)}
    return replace(value, **placed)


def list_prompt_sets() -> list[str]:
    """Names of the sets that come with macsql."""
    return sorted(p.parent.name for p in _HOME.glob("*/set.toml"))


_DIALECT_NAMES = {
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "duckdb": "DuckDB",
    "spark": "Spark SQL",
    "tsql": "SQL Server",
}
