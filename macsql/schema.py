"""The schema of a database as frozen plain data: tables, columns, keys, and selections of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from macsql.names import fold

ExampleValue = str | int | float | None
Selection = Mapping[str, "Literal['keep_all', 'drop_all'] | Sequence[str]"]
"""The Selector's answer (paper, appendix A): what to keep of each table."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``examples`` are stored values; None in front says that NULLs occur."""

    name: str
    type: str
    description: str = ""
    examples: tuple[ExampleValue, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """``columns`` of the owning table refer to ``ref_columns`` of ``ref_table``, pair by pair."""

    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    description: str = ""
    is_view: bool = False

    def column(self, name: str) -> Column | None:
        """The column of that name, ignoring the case of ASCII letters, or None."""
        folded = fold(name)
        return next((c for c in self.columns if fold(c.name) == folded), None)


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables and views that may be asked about.

    >>> t = Table("t", (Column("id", "INTEGER"), Column("n", "TEXT")), primary_key=("id",))
    >>> Schema("sqlite", (t,)).table("T").name
    't'
    """

    dialect: str
    tables: tuple[Table, ...]
    name: str = ""
    _by_name: dict[str, Table] = field(init=False, repr=False, compare=False, hash=False)

    _keys: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {fold(t.name): t for t in self.tables})
        keys = {name: {c.casefold() for c in t.primary_key} for name, t in self._by_name.items()}
        for table, key in self.joins():
            keys[fold(table.name)].update(c.casefold() for c in key.columns)
            keys[fold(key.ref_table)].update(c.casefold() for c in key.ref_columns)
        object.__setattr__(self, "_keys", {name: frozenset(k) for name, k in keys.items()})

    def table(self, name: str) -> Table | None:
        """The table of that name, ignoring the case of ASCII letters, or None."""
        return self._by_name.get(fold(name))

    def joins(self) -> Iterator[tuple[Table, ForeignKey]]:
        """Every foreign key whose target is in this schema, with its owning table."""
        for table in self.tables:
            for key in table.foreign_keys:
                if self.table(key.ref_table) is not None:
                    yield table, key

    def key_columns(self, table: Table) -> frozenset[str]:
        """Folded names of the columns of ``table`` that take part in a primary or foreign key."""
        return self._keys.get(fold(table.name), frozenset())

    def select(self, selection: Selection, *, min_columns: int = 6) -> "Schema":
        """The part of this schema that ``selection`` keeps (paper, section 3.2 and appendix A).

        Tables answered "drop_all" go, with the foreign keys to them; tables not named stay whole;
        columns of a key between kept tables stay; a kept table is filled up in its own order to
        ``min_columns``. Unknown names are ignored. Selecting twice changes nothing.
        """
        answers = {name.casefold(): answer for name, answer in selection.items()}
        part = self._without({n for n, answer in answers.items() if answer == "drop_all"})
        tables: list[Table] = []
        for table in part.tables:
            answer = answers.get(table.name.casefold(), "keep_all")
            if answer == "keep_all":
                tables.append(table)
            else:
                columns = part._kept_columns(table, answer, min_columns)
                tables.append(replace(table, columns=columns))
        return replace(part, tables=tuple(tables))

    def _without(self, dropped: set[str]) -> "Schema":
        """This schema without the tables of those folded names, and without keys to them."""
        return self.only([t for t in self.tables if t.name.casefold() not in dropped])

    def only(self, tables: Sequence[Table]) -> "Schema":
        """A schema of ``tables``, without the foreign keys that point elsewhere."""
        names = {t.name.casefold() for t in tables}
        return replace(
            self,
            tables=tuple(
                replace(
                    t,
                    foreign_keys=tuple(
                        k for k in t.foreign_keys if k.ref_table.casefold() in names
                    ),
                )
                for t in tables
            ),
        )

    def _kept_columns(
        self, table: Table, wanted: Sequence[str], min_columns: int
    ) -> tuple[Column, ...]:
        keep = {name.casefold() for name in wanted} | self.key_columns(table)
        have = [c for c in table.columns if c.name.casefold() in keep]
        spare = [c for c in table.columns if c.name.casefold() not in keep]
        chosen = {c.name for c in have + spare[: max(0, min_columns - len(have))]}
        return tuple(c for c in table.columns if c.name in chosen)
