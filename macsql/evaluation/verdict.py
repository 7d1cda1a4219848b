"""``Verdict``: all that is known about one prediction, as one line of JSON."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the metrics say about the prediction for one example.

    ``ex`` is execution accuracy by the benchmark's own rule; ``ex_strict`` also asks for the same
    number of duplicates and, where the question demands one, the same order. ``em`` is Spider's
    exact set match, with ``partial`` giving the F1 of each clause; both are None where the gold
    query cannot be compared so, or the benchmark has no such metric. ``soft_f1`` is BIRD's, in
    [0, 1]. ``valid`` says that the prediction ran.

    ``error`` is why the prediction could not be judged as a query (did not run, timed out, result
    too large, no SQL, abstained), with its kind in ``error_kind``: the name of an error class,
    "Missing" for no prediction, "NoSQL" for a declined question. ``gold_error`` is set when the
    gold query fails, ``gold_empty`` when it has no rows: such examples are counted and named,
    never silently scored. ``unparsed`` says that the prediction could not be read as SQL for the
    exact match. ``unknown_names`` are tables and columns that the schema lacks.
    ``error_class`` is the class of the mistake by ``error_analysis``, empty when right.
    ``first_ex`` is ``ex`` of the first SQL written, before any repair or refinement; the runner
    has it judged only where it differs from the final one. It is None where they are the same, or
    nothing is known about a first one. ``hardness`` is Spider's class of the gold query, empty
    where it has none. ``gold_columns`` are the columns ("table.column") that the gold query reads,
    as ``linking_recall`` finds them.
    """

    id: str
    db_id: str
    difficulty: str = ""
    ex: bool = False
    ex_strict: bool = False
    em: bool | None = None
    soft_f1: float | None = None
    valid: bool = False
    error: str = ""
    error_kind: str = ""
    gold_error: str = ""
    gold_empty: bool = False
    unparsed: bool = False
    unknown_names: tuple[str, ...] = ()
    partial: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    gold_seconds: float = 0.0
    ves: float | None = None
    r_ves: float | None = None
    error_class: str = ""
    first_ex: bool | None = None
    hardness: str = ""
    gold_columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the inverse of ``from_dict``."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("unknown_names", "gold_columns"):
            values[name] = list(values[name])
        return {**values, "partial": dict(self.partial)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Verdict":
        """Read what ``to_dict`` wrote; unknown entries are ignored.

        Raises ValueError when the id is missing.
        """
        if "id" not in data:
            raise ValueError("a verdict has no id")
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in data.items() if name in known}
        for name in ("unknown_names", "gold_columns"):
            values[name] = tuple(values.get(name, ()))
        return cls(**values)
