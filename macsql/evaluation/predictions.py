"""Predictions paired with the questions of a benchmark: by id, and never by guess."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from macsql.errors import ConfigError
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.prediction_files import Entry, read_entries
from macsql.evaluation.sources import listed

_QUERY = re.compile(r"\W*(select|with|values)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The SQL predicted for the example ``id``, as published; ``error`` is why there is none."""

    id: str
    sql: str
    error: str = ""
    error_kind: str = ""


def read_predictions(
    file: Path,
    benchmark: Benchmark,
    *,
    sample: Benchmark | None = None,
    ignore_unknown: bool = False,
    say: Callable[[str], object] = str,
) -> dict[str, Prediction]:
    """The predictions of ``file`` by id of the example; those for which there is none are absent.

    A file that pairs by place must have a line for each question of the benchmark, or of the
    ``sample`` of it. With ``ignore_unknown``, predictions for questions that the benchmark lacks
    are left out. ``say`` is told how the file was read where that was a choice, and what was left
    out. Raises ConfigError, naming the line, for a file that could only be paired by guessing:
    another length, an unknown or repeated id, another database than the question's.
    """
    form, entries = read_entries(file, {e.db_id for e in benchmark.examples})
    if not entries:
        raise ConfigError(f"{file} is empty: there are no predictions to score.")
    pairing = _Pairing(file, benchmark, ignore_unknown, say)
    if form == "lines":
        return pairing.by_place(entries, sample)
    if form == "keys":
        return pairing.by_key(entries)
    return pairing.by_name(entries)


@dataclass(frozen=True, slots=True)
class _Pairing:
    """One file and the benchmark that it is for."""

    file: Path
    benchmark: Benchmark
    ignore_unknown: bool
    say: Callable[[str], object]

    def by_place(self, entries: Sequence[Entry], sample: Benchmark | None) -> dict[str, Prediction]:
        """Line N belongs to question N."""
        if self.ignore_unknown:
            entries = self._on_known_databases(entries)
        examples: Sequence[Example] = self.benchmark.examples
        if len(entries) != len(examples) and sample and len(entries) == len(sample.examples):
            examples = sample.examples
            self.say(f"{self.file}: its {len(entries):,} lines are read as those of the sample")
        if len(entries) > len(examples) and _ends_blank(entries, len(examples)):
            self.say(f"{self.file}: the blank lines at its end are left out")
            entries = entries[: len(examples)]
        if len(entries) != len(examples):
            raise self._of_another_length(entries)
        return self._paired(zip(entries, examples, strict=True))

    def by_name(self, entries: Sequence[Entry]) -> dict[str, Prediction]:
        """Each entry names its question by id, position or both."""
        by_id = {e.id: e for e in self.benchmark.examples}
        by_index = _positions(self.benchmark)
        pairs, unknown = [], []
        for entry in entries:
            found = {id: by_id.get(id) for id in entry.ids}
            if entry.index is not None:
                found[f"index {entry.index}"] = by_index.get(entry.index)
            lacking = [name for name, example in found.items() if example is None]
            if lacking:
                unknown.append((entry, lacking[0]))
                continue
            first, *others = [example for example in found.values() if example]
            if any(other.id != first.id for other in others):
                raise self._error(entry, f"{' and '.join(found)} are two different questions")
            pairs.append((entry, first))
        self._unknown(unknown, len(entries))
        return self._paired(pairs)

    def by_key(self, entries: Sequence[Entry]) -> dict[str, Prediction]:
        """The keys are positions, as in BIRD's own files, or ids; keys and databases tell which."""
        positions = {str(i): e for i, e in _positions(self.benchmark).items()}
        ids = {e.id: e for e in self.benchmark.examples}
        if positions == ids:
            return self.by_name(entries)
        readings = [
            _Reading.of("positions", positions, entries),
            _Reading.of("ids", ids, entries),
        ]
        sound = [r for r in readings if not r.contradictions and (not r.unknown or self._may(r))]
        if not sound:
            # Either is wrong; the nearer one says best what is.
            sound = [min(readings, key=lambda r: (r.unknown, r.contradictions))]
        for better in (lambda r: not r.unknown, lambda r: r.is_complete):
            sound = [r for r in sound if better(r)] or sound
        if len(sound) > 1:
            raise ConfigError(
                f"{self.file}: the keys may be positions or ids of {self.benchmark.name}, "
                "and no database says which; give JSON lines with an id or index."
            )
        name = sound[0].name
        self.say(f"{self.file}: its keys are read as {name}")
        return self.by_name([self._at(e) for e in entries] if name == "positions" else entries)

    def _may(self, reading: "_Reading") -> bool:
        return self.ignore_unknown and reading.known > 0

    def _at(self, entry: Entry) -> Entry:
        key = entry.ids[0]
        return replace(entry, ids=(), index=int(key)) if key.isdecimal() else entry

    def _paired(self, pairs: Iterable[tuple[Entry, Example]]) -> dict[str, Prediction]:
        paired: dict[str, Prediction] = {}
        where: dict[str, str] = {}
        for entry, example in pairs:
            if example.id in paired:
                raise self._error(
                    entry, f"question {example.id} has a prediction in {where[example.id]} already"
                )
            others = self._others(entry, example)
            if others:
                raise self._error(
                    entry, f"its question is that of {others[0]}, not that of {example.id}"
                )
            if _contradicts(entry, example):
                raise self._error(
                    entry,
                    f"the database is {entry.db_id}, but that of question {example.id} is "
                    f"{example.db_id}; the file is shifted, or for other questions",
                )
            where[example.id] = entry.where
            paired[example.id] = Prediction(example.id, entry.sql, entry.error, entry.error_kind)
        return paired

    def _others(self, entry: Entry, example: Example) -> list[str]:
        """The questions that an entry must be for, by its text, if not for ``example``."""
        wanted = _plain(entry.question)
        # A text that no question has may be one with a hint, or put otherwise.
        if not wanted or wanted == _plain(example.question):
            return []
        return [e.id for e in self.benchmark.examples if _plain(e.question) == wanted]

    def _on_known_databases(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """The entries but those on databases that the benchmark lacks."""
        databases = {"", *_names(self.benchmark)}
        known = [e for e in entries if e.db_id in databases]
        self._left_out(len(entries) - len(known))
        return known

    def _unknown(self, unknown: Sequence[tuple[Entry, str]], count: int) -> None:
        """Refuse predictions for unknown questions, or leave them out."""
        if not unknown:
            return
        if self.ignore_unknown and len(unknown) < count:
            self._left_out(len(unknown))
            return
        entry, name = unknown[0]
        others = f" ({len(unknown):,} of {count:,} ids are unknown)" if unknown[1:] else ""
        raise self._error(
            entry,
            f"{self.benchmark.name} has no question {name}; give the set that the file is for, "
            f'call positions "index", or add --ignore-unknown to leave such lines out{others}',
        )

    def _left_out(self, count: int) -> None:
        if count:
            self.say(
                f"{self.file}: {count:,} predictions left out, for questions that "
                f"{self.benchmark.name} lacks"
            )

    def _of_another_length(self, entries: Sequence[Entry]) -> ConfigError:
        strange = sorted({e.db_id for e in entries if e.db_id} - _names(self.benchmark))
        hint = ""
        if strange:
            hint = (
                f" It has lines on {listed(strange)}, which the benchmark lacks: "
                "add --ignore-unknown to leave them out."
            )
        return ConfigError(
            f"{self.file} has {len(entries):,} predictions, {self.benchmark.name} "
            f"{len(self.benchmark.examples):,} questions: without ids, line N must belong to "
            f"question N, each on one line, with a blank line where there is no SQL.{hint}"
        )

    def _error(self, entry: Entry, problem: str) -> ConfigError:
        return ConfigError(f"{self.file}, {entry.where}: {problem}.")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the keys of a file are if they are ``name``."""

    name: str
    known: int
    unknown: int
    contradictions: int
    is_complete: bool

    @classmethod
    def of(cls, name: str, examples: Mapping[str, Example], entries: Sequence[Entry]) -> "_Reading":
        """Count what speaks for reading the keys so."""
        found = [(entry, examples.get(entry.ids[0])) for entry in entries]
        known = sum(example is not None for _, example in found)
        return cls(
            name=name,
            known=known,
            unknown=len(entries) - known,
            contradictions=sum(_contradicts(e, example) for e, example in found if example),
            is_complete=known == len(entries) == len(examples),
        )


def _ends_blank(entries: Sequence[Entry], count: int) -> bool:
    """Whether ``count`` lines are queries, and all behind them are blank.

    A line that does not begin like a query may be the rest of the one before it, which shifts all
    that follow.
    """
    return all(_QUERY.match(e.sql) for e in entries[:count]) and not any(
        e.sql.strip() or e.db_id for e in entries[count:]
    )


def _names(benchmark: Benchmark) -> set[str]:
    """The names that a prediction may have for its database."""
    return {name for e in benchmark.examples for name in (e.db_id, e.short_name)}


def _plain(question: str) -> str:
    return " ".join(question.casefold().split())


def _contradicts(entry: Entry, example: Example) -> bool:
    return entry.db_id not in ("", example.db_id, example.short_name)


def _positions(benchmark: Benchmark) -> dict[int, Example]:
    """The examples by position in the file of questions."""
    # Spider's ids are positions; questions may have been left out before.
    if benchmark.rule == "spider":
        return {int(e.id): e for e in benchmark.examples}
    return dict(enumerate(benchmark.examples))
