"""``Verifier``: how far a statement is from what the words of the question let expect."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from macsql.message import ValueMatch
from macsql.names import fold
from macsql.schema import Schema
from macsql.verifier.alternatives import Alternative, alternatives
from macsql.verifier.clues import QuestionClues, features
from macsql.verifier.reading import read_statement
from macsql.verifier.weights import Weights, chance, learnt, trait_chances
from macsql.verifier.wording import wording

_LEAST = 0.01
"""No chance is taken for smaller: what was never seen in training may still be right."""
GAIN = 1.5
"""Nats by which an alternative has to be more expected than what was written."""
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Surprise:
    """How unexpected a statement is, in nats; 0 where all of it is what is likeliest.

    ``traits``: how it selects, groups, sorts and compares. ``tables``: those it reads and those it
    does not. ``selected``, ``used``: its columns. ``odd`` are the least expected traits with their
    values ("grouped=1"), the worst first.
    """

    traits: float
    tables: float
    selected: float
    used: float
    odd: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """All of it: columns count by half, once as used and once as selected."""
        return self.traits + self.tables + (self.selected + self.used) / 2


class Verifier:
    """Compares statements with what one question lets expect, on the schema it is about.

    The chances were learnt from Spider's training questions and their SQL: of traits by the words
    of the question, of tables and columns by where its words and values are found. (In the manner
    of LEVER, Ni et al. 2023, but linear, and with no language model.)
    """

    def __init__(
        self,
        question: str,
        schema: Schema,
        *,
        evidence: str = "",
        values: Iterable[ValueMatch] = (),
        weights: Weights | None = None,
    ) -> None:
        self.schema = schema
        values, weights = tuple(values), weights or learnt()
        usage = weights["usage"]
        clues = QuestionClues(question, evidence, schema, values)
        columns = [
            ((table.name, fold(column.name)), tuple(features(found)))
            for table, column, found in clues.columns()
        ]
        self.used = {key: chance(usage["used"], found) for key, found in columns}
        self.selected = {key: chance(usage["selected"], found) for key, found in columns}
        self.tables = {
            table.name: chance(usage["table"], features(found))
            for table, found in clues.of_tables(self.used)
        }
        self.traits = trait_chances(weights["traits"], wording(question, schema, values))

    def alternatives(self, sql: str, gain: float = GAIN) -> list[Alternative]:
        """What ``sql`` may have been meant to be: those more than ``gain`` nats more expected.

        Where a second step gains as much as ``GAIN`` again, both together are one more of them.
        """
        first = self._better(Alternative(sql, ""), gain)
        found = {a.sql: a for a in first}
        for step in first:
            for both in self._better(step, GAIN):
                explanation = f"{step.explanation}; {both.explanation}"
                found.setdefault(both.sql, Alternative(both.sql, explanation))
        found.pop(sql, None)
        return list(found.values())

    def _better(self, written: Alternative, gain: float) -> list[Alternative]:
        before = self.surprise(written.sql)
        if before is None:
            return []
        others = alternatives(written.sql, self.schema)
        found = [(self.surprise(other.sql), other) for other in others]
        return [other for s, other in found if s and before.total - s.total > gain]

    def surprise(self, sql: str) -> Surprise | None:
        """How unexpected ``sql`` is; None where it cannot be read. Never raises."""
        found = read_statement(sql, self.schema)
        if found is None:
            return None
        traits = {
            f"{name}={value}": _surprise(chances.get(value, 0.0), max(chances.values()))
            for name, value in found.traits.items()
            if (chances := self.traits.get(name))
        }
        odd = sorted((name for name, s in traits.items() if s > 1), key=lambda name: -traits[name])
        return Surprise(
            sum(traits.values()),
            _of_set(self.tables, found.tables),
            _of_set(self.selected, found.selected),
            _of_set(self.used, found.used),
            tuple(odd),
        )


def _of_set(chances: Mapping[K, float], taken: frozenset[K]) -> float:
    """How surprising it is that of all these just the ``taken`` ones are there."""
    return sum(_surprise(p if key in taken else 1 - p, max(p, 1 - p)) for key, p in chances.items())


def _surprise(chance: float, best: float) -> float:
    return math.log(max(best, _LEAST)) - math.log(max(chance, _LEAST))
