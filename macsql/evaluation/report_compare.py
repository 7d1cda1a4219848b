"""Two runs over the same questions, compared question by question."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.metrics import GROUPINGS, in_order
from macsql.evaluation.report import Run, other_data
from macsql.evaluation.significance import bootstrap_mean, difference_interval, mcnemar
from macsql.evaluation.sources import listed
from macsql.evaluation.verdict import Verdict

__all__ = ["Change", "Comparison", "Flip", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """How one figure differs, over the ``n`` questions for which both runs have it.

    ``low`` and ``high`` bound the 95 % interval of the difference: Bonett and Price's for
    proportions, for means a paired bootstrap. For proportions ``gained`` and ``lost`` are the
    questions that are right in one run only, and ``p`` is McNemar's exact p-value.
    """

    before: float
    after: float
    n: int
    low: float
    high: float
    gained: int | None = None
    lost: int | None = None
    p: float | None = None

    @property
    def difference(self) -> float:
        """The second run's figure minus the first one's."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that one run answers rightly and the other not."""

    id: str
    answer: Answer
    other: Answer
    verdict: Verdict
    other_verdict: Verdict

    @property
    def gained(self) -> bool:
        """Whether the second run is the one that is right."""
        return self.other_verdict.ex


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side, over the ``n`` questions that both have verdicts on.

    ``only_first`` and ``only_second`` count the questions left out. ``classes`` has, for each
    class of mistakes, how often each run makes it. ``warnings`` say what makes the runs hard to
    compare.
    """

    first: str
    second: str
    n: int
    only_first: int
    only_second: int
    changes: Mapping[str, Change]
    groups: Mapping[str, Mapping[str, Change]]
    classes: Mapping[str, tuple[int, int]]
    flips: tuple[Flip, ...]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "warnings": list(self.warnings),
            "changes": _plain(self.changes),
            "groups": {name: _plain(changes) for name, changes in self.groups.items()},
            "classes": {name: list(counts) for name, counts in self.classes.items()},
            "flips": [_flip(flip) for flip in self.flips],
        }


_PROPORTIONS: Mapping[str, Callable[[Verdict], bool | None]] = {
    "ex": lambda v: v.ex,
    "ex_strict": lambda v: v.ex_strict,
    "em": lambda v: v.em,
    "valid_sql": lambda v: v.valid,
    "invented_names": lambda v: bool(v.unknown_names),
}
_MEANS: Mapping[str, Callable[[Verdict, Answer], float | None]] = {
    "soft_f1": lambda v, _: v.soft_f1 if v.valid else v.soft_f1 or 0.0,
    "input_tokens": lambda _, a: a.usage.input_tokens,
    "output_tokens": lambda _, a: a.usage.output_tokens,
    "calls": lambda _, a: a.usage.calls,
    # A reply from the cache comes at once: its time says nothing about the model.
    "seconds": lambda _, a: None if a.usage.replayed else a.seconds,
}


def compare(first: Run, second: Run, *, force: bool = False) -> Comparison:
    """Compare ``second`` with ``first``.

    Raises ConfigError when they are not over the same questions or databases, by their checksums,
    or not judged by the same rule, or only one on a test suite, unless ``force`` is given; and when
    they have no question in common.
    """
    warnings = list(_warnings(first, second))
    if warnings and not force:
        raise ConfigError(f"{warnings[0]} Add --force to compare them all the same.")
    ids = [i for i in first.manifest.ids if i in first.verdicts and i in second.verdicts]
    ids = [i for i in ids if i in first.answers and i in second.answers]
    if not ids:
        raise ConfigError(f"{first.name} and {second.name} have no judged question in common.")
    pairs = [(first.verdicts[i], second.verdicts[i]) for i in ids]
    answers = [(first.answers[i], second.answers[i]) for i in ids]
    return Comparison(
        first=first.name,
        second=second.name,
        n=len(ids),
        only_first=len(first.verdicts) - len(ids),
        only_second=len(second.verdicts) - len(ids),
        changes=_changes(pairs, answers),
        groups=_groups(pairs, answers),
        classes=_classes(pairs),
        flips=tuple(
            Flip(i, *told, *judged)
            for i, told, judged in zip(ids, answers, pairs, strict=True)
            if judged[0].ex != judged[1].ex
        ),
        warnings=tuple(warnings),
    )


_Pairs = Sequence[tuple[Verdict, Verdict]]
_Answers = Sequence[tuple[Answer, Answer]]


def _warnings(first: Run, second: Run) -> Iterable[str]:
    one, other = first.manifest, second.manifest
    names = f"{first.name} and {second.name}"
    if one.checksum != other.checksum:
        yield f"{names} are over different data ({one.benchmark}, {other.benchmark})."
    if databases := other_data(first, second):
        yield f"{names} are over databases with other data: {listed(databases)}."
    if one.rule != other.rule:
        yield f"{names} are judged by different rules ({one.rule}, {other.rule})."
    if bool(one.options.get("test_suite")) != bool(other.options.get("test_suite")):
        yield f"One of {names} is judged on a test suite, the other on one database."


def _changes(pairs: _Pairs, answers: _Answers) -> dict[str, Change]:
    changes: dict[str, Change] = {}
    for name, holds in _PROPORTIONS.items():
        outcomes = [(holds(a), holds(b)) for a, b in pairs]
        if known := [(a, b) for a, b in outcomes if a is not None and b is not None]:
            changes[name] = _of_proportions(known)
    for name, of in _MEANS.items():
        values = [(of(v, a), of(w, b)) for (v, w), (a, b) in zip(pairs, answers, strict=True)]
        numbers = [(a, b) for a, b in values if a is not None and b is not None]
        if any(a or b for a, b in numbers):
            changes[name] = _of_means(numbers)
    return changes


def _of_proportions(outcomes: Sequence[tuple[bool, bool]]) -> Change:
    n = len(outcomes)
    gained = sum(b and not a for a, b in outcomes)
    lost = sum(a and not b for a, b in outcomes)
    before, after = sum(a for a, _ in outcomes) / n, sum(b for _, b in outcomes) / n
    interval = difference_interval(gained, lost, n)
    return Change(before, after, n, *interval, gained, lost, mcnemar(gained, lost))


def _of_means(values: Sequence[tuple[float, float]]) -> Change:
    before, after = fmean(a for a, _ in values), fmean(b for _, b in values)
    return Change(before, after, len(values), *bootstrap_mean([b - a for a, b in values]))


def _groups(pairs: _Pairs, answers: _Answers) -> dict[str, dict[str, Change]]:
    """EX by difficulty and database."""
    groups: dict[str, dict[str, Change]] = {}
    for grouping in ("difficulty", "database"):
        members: dict[str, list[tuple[bool, bool]]] = {}
        for (a, b), (answer, _) in zip(pairs, answers, strict=True):
            name = GROUPINGS[grouping](answer, a) or "not known"
            members.setdefault(name, []).append((a.ex, b.ex))
        if len(members) > 1:
            names = sorted(members, key=in_order)
            groups[grouping] = {name: _of_proportions(members[name]) for name in names}
    return groups


def _classes(pairs: _Pairs) -> dict[str, tuple[int, int]]:
    before = Counter(a.error_class for a, _ in pairs if a.error_class and not a.ex)
    after = Counter(b.error_class for _, b in pairs if b.error_class and not b.ex)
    return {name: (before[name], after[name]) for name, _ in (before + after).most_common()}


def _plain(changes: Mapping[str, Change]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "before": c.before,
            "after": c.after,
            "difference": c.difference,
            "low": c.low,
            "high": c.high,
            "n": c.n,
            "gained": c.gained,
            "lost": c.lost,
            "p": c.p,
        }
        for name, c in changes.items()
    }


def _flip(flip: Flip) -> dict[str, Any]:
    return {
        "id": flip.id,
        "gained": flip.gained,
        "question": flip.answer.question,
        "db_id": flip.answer.db_id,
        "gold_sql": flip.answer.gold_sql,
        "first_sql": flip.answer.sql,
        "second_sql": flip.other.sql,
        "error_class": (flip.verdict if flip.gained else flip.other_verdict).error_class,
    }
