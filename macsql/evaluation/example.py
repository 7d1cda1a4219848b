"""``Example``: one question of a benchmark with its gold SQL; ``Benchmark``: all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

Rule = Literal["spider", "bird"]


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its gold SQL.

    ``id`` is unique in its benchmark: the position in the file for Spider, BIRD's question_id.
    ``database`` is the file (or URL) asked; ``db_id`` its short name, or FOLDER/NAME where several
    go by one. ``difficulty`` is the benchmark's own word, empty when it has none. ``descriptions``
    is BIRD's ``database_description`` folder. ``test_suite`` are further databases with the same
    schema, on which the prediction must agree too (Spider's test suites).
    """

    id: str
    question: str
    gold_sql: str
    database: str
    db_id: str
    evidence: str = ""
    difficulty: str = ""
    descriptions: Path | None = None
    test_suite: tuple[str, ...] = ()

    @property
    def short_name(self) -> str:
        """The name of the database without what tells it from others of that name."""
        return self.db_id.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Examples in their official order, and the rule that says when an answer is right.

    ``checksum`` is the SHA-256, in hexadecimal, of the files of questions; scores keep it, so that
    two runs are known to be over the same data. ``name`` is what is printed: a subset that is not
    the official one must not be called so. ``key_groups`` are the key columns of each database
    that count as the same in exact match, by the benchmark's own list of keys; a database that is
    not in it goes by its own foreign keys.
    """

    name: str
    rule: Rule
    examples: tuple[Example, ...]
    checksum: str
    notes: tuple[str, ...] = field(default=())
    key_groups: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)

    def only(self, ids: Sequence[str]) -> "Benchmark":
        """The examples with these ids, in the benchmark's order.

        Raises KeyError, naming it, for an id that the benchmark lacks.
        """
        wanted = set(ids)
        chosen = tuple(e for e in self.examples if e.id in wanted)
        if missing := wanted - {e.id for e in chosen}:
            raise KeyError(min(missing))
        return replace(self, examples=chosen)
