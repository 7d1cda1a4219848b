"""The clauses of a query as Spider's exact match sees them: ``Query`` and its parts.

Only what the restricted SQL of Spider knows is kept. Aliases are resolved, all names are lower
case, and a column is written "table.column", or "*" for all of them. Parts compare by value, so
two queries with the same clauses are equal.
"""

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """A column, with the aggregate ("max", "count" ...; empty for none) applied to it."""

    aggregate: str
    column: str
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """One column, or two with an arithmetic ``operator`` ("+", "-", "*", "/") between them."""

    left: ColumnUse
    operator: str = ""
    right: ColumnUse | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """One entry of SELECT. An aggregate that starts the entry stands here, not in the term."""

    aggregate: str
    term: Term


Value = Union[str, float, ColumnUse, "Query", None]
"""What a term is compared with: text with its quotes, a number, a column, a sub-query."""


@dataclass(frozen=True, slots=True)
class Condition:
    """``term operator value``; ``upper`` is the second value of BETWEEN."""

    term: Term
    operator: str
    value: Value
    upper: Value = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions in their order, with the words ("and", "or") that stand between them."""

    terms: tuple[Condition, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)


@dataclass(frozen=True, slots=True)
class OrderBy:
    """ORDER BY. ``direction`` ("asc", "desc") is the last one written, and stands for all terms."""

    direction: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """One query.

    ``sources`` are the tables and sub-queries of FROM, ``joins`` all conditions after ON, joined
    by "and". ``set_operator`` ("intersect", "union", "except") combines the query with ``operand``,
    which holds all that follows. A LIMIT is only known to be there, not its number.
    """

    select: tuple[Selected, ...] = ()
    distinct: bool = False
    sources: tuple[Union[str, "Query"], ...] = ()
    joins: Conditions = Conditions()
    where: Conditions = Conditions()
    group_by: tuple[ColumnUse, ...] = ()
    having: Conditions = Conditions()
    order_by: OrderBy | None = None
    limit: bool = False
    set_operator: str = ""
    operand: Union["Query", None] = None

    @property
    def tables(self) -> frozenset[str]:
        """The tables named in FROM itself, not in its sub-queries."""
        return frozenset(s for s in self.sources if isinstance(s, str))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions of ON, WHERE and HAVING."""
        return self.joins.terms + self.where.terms + self.having.terms

    @property
    def condition_words(self) -> tuple[str, ...]:
        """All "and" and "or" of ON, WHERE and HAVING."""
        return self.joins.words + self.where.words + self.having.words

    @property
    def nested(self) -> tuple["Query", ...]:
        """The sub-queries in conditions and the operand of a set operation; not those in FROM."""
        values = (v for c in self.conditions for v in (c.value, c.upper))
        found = tuple(v for v in values if isinstance(v, Query))
        return found if self.operand is None else (*found, self.operand)
