"""Make a schema fit a token budget without a model: detail goes first, then unlikely names."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from macsql.linking.names import rank_columns, rank_tables
from macsql.linking.pins import Pins
from macsql.schema import ExampleValue, Schema, Table

_MIN_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A schema that fits, how many examples each column still has, and what had to go."""

    schema: Schema
    examples: int
    dropped_tables: tuple[str, ...] = ()
    dropped_columns: int = 0

    @property
    def summary(self) -> str:
        """What was dropped, for the record; empty when nothing was."""
        parts = []
        if self.dropped_tables:
            shown = ", ".join(self.dropped_tables[:10])
            more = f" and {len(self.dropped_tables) - 10} more" if self.dropped_tables[10:] else ""
            parts.append(f"{len(self.dropped_tables)} tables left out ({shown}{more})")
        if self.dropped_columns:
            parts.append(f"{self.dropped_columns} columns left out")
        return "; ".join(parts)


def shrink_to(
    budget: int,
    schema: Schema,
    show: Callable[[Schema], str],
    count_tokens: Callable[[str], int],
    question: str,
    evidence: str = "",
    *,
    examples: int = 3,
    pins: Pins | None = None,
) -> Shrunk:
    """The largest part of ``schema`` whose text has at most ``budget`` tokens.

    First fewer examples are shown, then columns beyond the most likely ones go, then the least
    likely tables, one by one. What is pinned goes last. One table with its likeliest columns always
    stays.
    """
    for count in range(examples, -1, -1):
        lighter = schema if count == examples else _with_examples(schema, count)
        if count_tokens(show(lighter)) <= budget:
            return Shrunk(lighter, count)
    pins = pins or {}
    # Examples tell which tables are meant, so that they are ranked before these are gone.
    ranked = _pinned_first(rank_tables(question, evidence, schema), pins)
    bare = {t.name: t for t in lighter.tables}
    schema = lighter
    for width in (24, 12, _MIN_COLUMNS):
        narrow = [
            _narrow(schema, bare[t.name], _likely(t, width, question, evidence), pins)
            for t in ranked
        ]
        kept = _as_many_as_fit(budget, schema, narrow, show, count_tokens)
        if len(kept) == len(ranked) or width == _MIN_COLUMNS:
            break
    part = _in_order(schema, kept)
    shown = {t.name for t in part.tables}
    lost = sum(len(t.columns) for t in schema.tables if t.name in shown)
    return Shrunk(
        part,
        0,
        tuple(t.name for t in schema.tables if t.name not in shown),
        lost - sum(len(t.columns) for t in part.tables),
    )


def _with_examples(schema: Schema, count: int) -> Schema:
    return replace(
        schema,
        tables=tuple(
            replace(
                t, columns=tuple(replace(c, examples=_first(c.examples, count)) for c in t.columns)
            )
            for t in schema.tables
        ),
    )


def _first(values: tuple[ExampleValue, ...], count: int) -> tuple[ExampleValue, ...]:
    """At most ``count`` stored values; the mark for NULLs, which costs little, stays."""
    nulls = values[:1] if values and values[0] is None else ()
    return nulls + values[len(nulls) : len(nulls) + count]


def _pinned_first(ranked: list[Table], pins: Pins) -> list[Table]:
    order = {name: place for place, name in enumerate(pins)}
    return sorted(ranked, key=lambda t: order.get(t.name.casefold(), len(order)))


def _likely(table: Table, width: int, question: str, evidence: str) -> list[str]:
    """Names of the likeliest columns, as many as ``width``."""
    if len(table.columns) <= width:
        return [c.name for c in table.columns]
    return [c.name for c in rank_columns(question, evidence, table)][:width]


def _narrow(schema: Schema, table: Table, likely: list[str], pins: Pins) -> Table:
    """``table`` with its likely columns, its keys, and what is pinned."""
    wanted = pins.get(table.name.casefold(), frozenset())
    keep = {n.casefold() for n in likely} | schema.key_columns(table) | wanted
    return replace(table, columns=tuple(c for c in table.columns if c.name.casefold() in keep))


def _as_many_as_fit(
    budget: int,
    schema: Schema,
    ranked: list[Table],
    show: Callable[[Schema], str],
    count_tokens: Callable[[str], int],
) -> list[Table]:
    """The longest beginning of ``ranked`` that fits, found by bisection; at least one table."""
    low, high = 1, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        text = show(_in_order(schema, ranked[:middle]))
        low, high = (middle, high) if count_tokens(text) <= budget else (low, middle - 1)
    return ranked[:low]


def _in_order(schema: Schema, tables: list[Table]) -> Schema:
    by_name = {t.name: t for t in tables}
    return schema.only([by_name[t.name] for t in schema.tables if t.name in by_name])
