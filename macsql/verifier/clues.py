"""What speaks for or against a table or a column being needed for a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from macsql.linking.names import is_filler, same_word, words
from macsql.message import ValueMatch
from macsql.names import fold
from macsql.schema import Column, Schema, Table

Clues = Mapping[str, str]
"""Names of clues, each with its value."""

_EXTREME = frozenset(
    [
        *("most", "highest", "largest", "oldest", "maximum", "top", "more", "than"),
        *("least", "lowest", "smallest", "youngest", "minimum", "average", "total"),
        *("order", "sorted"),
    ]
)
_COUNTING = frozenset(["how", "number", "count", "many"])
_NUMERIC = ("INT", "REAL", "NUM", "FLOAT", "DEC", "DOUB")


def features(clues: Clues) -> Iterator[str]:
    """Each clue, and each two of them together.

    >>> sorted(features({"a": "1", "b": "0"}))
    ['a=1', 'a=1&b=0', 'b=0']
    """
    single = [f"{name}={value}" for name, value in clues.items()]
    yield from single
    yield from (f"{one}&{other}" for one, other in combinations(single, 2))


@dataclass(frozen=True, slots=True)
class _Named:
    """A name with its words, and those of them that the question has."""

    words: tuple[str, ...]
    found: frozenset[str]

    @property
    def is_whole(self) -> bool:
        return bool(self.words) and len(self.found) == len(set(self.words))

    @property
    def share(self) -> str:
        if not self.found:
            return "0"
        if self.is_whole:
            return "all"
        return "half" if len(self.found) * 2 >= len(set(self.words)) else "few"


class QuestionClues:
    """The clues that one question gives about each table and column of ``schema``."""

    def __init__(
        self, question: str, evidence: str, schema: Schema, values: Iterable[ValueMatch] = ()
    ) -> None:
        self.schema = schema
        self.said = words(f"{question} {evidence}")
        self._set = frozenset(self.said)
        self._has: dict[str, bool] = {}
        self.stored: dict[tuple[str, str], float] = {}
        inside: set[str] = set()
        for value in values:
            key = value.table, value.column
            self.stored[key] = max(self.stored.get(key, 0.0), value.score)
            inside |= set(words(value.phrase))
        self._outside = frozenset(w for w in self._set - inside if not is_filler(w))
        self.tables = {t.name: self._named(t.name) for t in schema.tables}

    def columns(self) -> Iterator[tuple[Table, Column, Clues]]:
        """Every column with its clues."""
        for table in self.schema.tables:
            for number, column in enumerate(table.columns):
                yield table, column, self._of_column(table, column, number)

    def of_tables(self, chances: Mapping[tuple[str, str], float]) -> Iterator[tuple[Table, Clues]]:
        """Every table with its clues; ``chances`` of its columns to be used, by their names."""
        tops = {
            t.name: sorted((chances[t.name, fold(c.name)] for c in t.columns), reverse=True)
            for t in self.schema.tables
        }
        best = max((top[0] for top in tops.values() if top), default=0.0)
        for table in self.schema.tables:
            yield table, self._of_table(table, tops, best)

    def _of_column(self, table: Table, column: Column, number: int) -> Clues:
        name = self._column_names[table.name, column.name]
        others = [n for key, n in self._column_names.items() if key[0] == table.name]
        own = self.tables[table.name]
        key = frozenset(name.words)
        twins = self._whole.get(key, ()) if name.is_whole else ()
        rivals = [t for t in twins if t != table.name]
        texts = set(words(" ".join(v for v in column.examples if isinstance(v, str))))
        folded = fold(column.name)
        places = [i for i, w in enumerate(self.said) if any(same_word(n, w) for n in name.found)]
        return {
            "share": name.share,
            "words": str(min(len(key), 3)) if name.is_whole else "-",
            "phrase": _flag(name.is_whole and len(key) > 1 and self._is_phrase(name.words)),
            "own": _flag(bool(name.found - set(own.words))),
            "twins": str(min(len(twins) - 1, 2)) if twins else "-",
            "rival": _flag(any(self.tables[r].is_whole for r in rivals)),
            "longer": _flag(any(key < other for other in self._whole)),
            "table": own.share,
            "value": _grade(self.stored.get((table.name, column.name), 0.0)),
            "values": _flag(bool(self.stored)),
            "primary": _flag(folded in {fold(p) for p in table.primary_key}),
            "key": _flag(folded in self._keys[table.name]),
            "id": _flag(name.words[-1:] == ("id",)) + _flag("id" in self._set),
            "name": _flag(name.words[-1:] == ("name",)) + _flag("name" in self._set),
            "others": str(min(sum(n.is_whole for n in others) - name.is_whole, 3)),
            "number": _flag(any(kind in column.type.upper() for kind in _NUMERIC)),
            "numbers": _flag(any(w.isdigit() for w in self._set)),
            "example": _flag(bool(texts & self._outside)),
            "place": _third(places[0], len(self.said)) if places else "-",
            "position": str(min(number, 2)),
            "filler": _flag(bool(name.found) and all(map(is_filler, name.found))),
            "counting": _flag(bool(_COUNTING & self._set)),
            "extreme": _flag(bool(_EXTREME & self._set)),
            "wide": _size(len(table.columns)),
        }

    def _of_table(self, table: Table, tops: Mapping[str, Sequence[float]], best: float) -> Clues:
        name, top = self.tables[table.name], [*tops[table.name], 0.0, 0.0]
        key = frozenset(name.words)
        near = self._neighbours[table.name]
        said = [n for n in near if self.tables[n].is_whole]
        wholes = [n for n in self.tables.values() if n.is_whole]
        values = [s for (t, _), s in self.stored.items() if t == table.name]
        likely = sorted((tops[n][0] for n in near if tops[n]), reverse=True)
        return {
            "share": name.share,
            "words": str(min(len(key), 3)) if name.is_whole else "-",
            "longer": _flag(any(key < frozenset(n.words) for n in wholes)),
            "first": _grade(top[0]),
            "second": _grade(top[1]),
            "best": _flag(top[0] >= best),
            "gap": _grade(best - top[0]),
            "value": _grade(max(values, default=0.0)),
            "near-first": _grade(likely[0]) if likely else "-",
            "near-second": _grade(likely[1]) if len(likely) > 1 else "-",
            "near-said": str(min(len(said), 2)),
            "near": str(min(len(near), 3)),
            "said": str(min(len(wholes), 3)),
            "tables": _size(len(self.schema.tables)),
            "wide": _size(len(table.columns)),
        }

    @cached_property
    def _column_names(self) -> dict[tuple[str, str], _Named]:
        return {
            (t.name, c.name): self._named(c.name) for t in self.schema.tables for c in t.columns
        }

    @cached_property
    def _whole(self) -> dict[frozenset[str], list[str]]:
        """Tables by the words of their columns that the question names whole."""
        found: dict[frozenset[str], list[str]] = {}
        for (table, _), name in self._column_names.items():
            if name.is_whole:
                found.setdefault(frozenset(name.words), []).append(table)
        return found

    @cached_property
    def _keys(self) -> dict[str, frozenset[str]]:
        return {t.name: frozenset(self.schema.key_columns(t)) for t in self.schema.tables}

    @cached_property
    def _neighbours(self) -> dict[str, set[str]]:
        near: dict[str, set[str]] = {t.name: set() for t in self.schema.tables}
        for table, key in self.schema.joins():
            other = self.schema.table(key.ref_table)
            if other is not None and other.name != table.name:
                near[table.name].add(other.name)
                near[other.name].add(table.name)
        return near

    def _named(self, name: str) -> _Named:
        parts = tuple(words(name))
        return _Named(parts, frozenset(w for w in parts if self._is_said(w)))

    def _is_said(self, word: str) -> bool:
        if word not in self._has:
            self._has[word] = word in self._set or any(
                said[0] == word[0] and same_word(word, said) for said in self._set
            )
        return self._has[word]

    def _is_phrase(self, parts: Sequence[str]) -> bool:
        n = len(parts)
        return any(
            all(same_word(p, w) for p, w in zip(parts, self.said[i : i + n], strict=True))
            for i in range(len(self.said) - n + 1)
        )


def _flag(holds: bool) -> str:
    return "1" if holds else "0"


def _grade(chance: float) -> str:
    """A number from 0 to 1 in eight steps, finer near the ends."""
    bounds = (0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 0.9)
    return str(sum(chance >= bound for bound in bounds))


def _size(count: int) -> str:
    return str(sum(count > bound for bound in (2, 4, 8, 16)))


def _third(place: int, length: int) -> str:
    return str(3 * place // length)
