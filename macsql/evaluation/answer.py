"""``Answer``: what a run got for one example, as one line of JSON."""

from dataclasses import dataclass, field, fields
from typing import Any

from macsql.llm.base import Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agents (or a file of predictions) answered to one example.

    ``sql`` is empty when there is none; ``error`` then says why. ``first_sql`` is what the
    Decomposer wrote before any repair, ``origins`` who wrote each statement tried ("decomposer",
    "repair", "refiner"), ``rounds`` how many times the model was asked to rewrite. ``selection``
    holds the tables and columns ("table.column") that the Selector left in the schema, and
    ``schema_size`` how many columns there were before; ``selection`` is None when it kept all.
    ``fallback`` says that the Selector failed and the whole schema was kept. ``trace`` is
    the file of the whole conversation, relative to the folder of the run.
    """

    id: str
    db_id: str
    question: str
    gold_sql: str
    sql: str = ""
    error: str = ""
    error_kind: str = ""
    evidence: str = ""
    difficulty: str = ""
    first_sql: str = ""
    origins: tuple[str, ...] = ()
    rounds: int = 0
    selection: tuple[str, ...] | None = None
    schema_size: int = 0
    fallback: bool = False
    findings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    trace: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the inverse of ``from_dict``."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("origins", "findings"):
            values[name] = list(values[name])
        values["selection"] = None if self.selection is None else list(self.selection)
        values["usage"] = self.usage.to_dict()
        return values

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Answer":
        """Read what ``to_dict`` wrote; unknown entries are ignored.

        Raises ValueError when an entry that must be there is missing or of the wrong kind.
        """
        try:
            known = {f.name for f in fields(cls)}
            values = {name: value for name, value in data.items() if name in known}
            for name in ("origins", "findings"):
                values[name] = tuple(values.get(name, ()))
            if values.get("selection") is not None:
                values["selection"] = tuple(values["selection"])
            values["usage"] = Usage(**values.get("usage", {}))
            return cls(**values)
        except TypeError as error:
            raise ValueError(f"not an answer: {error}") from error
