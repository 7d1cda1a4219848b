"""``summarize``: all figures of a run, each with the number of questions and a 95 % interval."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from macsql.evaluation.answer import Answer
from macsql.evaluation.folder import Manifest
from macsql.evaluation.linking_recall import Linking, linking
from macsql.evaluation.significance import mcnemar, normal_interval, percentile, wilson
from macsql.evaluation.verdict import Verdict

__all__ = [
    "GROUPINGS",
    "Costs",
    "Refinement",
    "Score",
    "Summary",
    "in_order",
    "mean",
    "share",
    "summarize",
]

Outcomes = Iterable[bool]


@dataclass(frozen=True, slots=True)
class Score:
    """A figure over ``n`` questions, with the bounds of its 95 % interval.

    ``method`` says whose: "wilson" for a proportion in [0, 1], "normal" for the mean of values.
    With ``n`` 0 there is nothing to say, and ``value`` is 0.
    """

    value: float
    n: int
    low: float
    high: float
    method: Literal["wilson", "normal"] = "wilson"


def share(outcomes: Outcomes) -> Score:
    """The share of questions for which something holds.

    >>> score = share([True, True, False, True])
    >>> score.value, score.n, round(score.low, 2), round(score.high, 2)
    (0.75, 4, 0.3, 0.95)
    """
    found = list(outcomes)
    n, right = len(found), sum(found)
    return Score(right / n if n else 0.0, n, *wilson(right, n))


def mean(values: Iterable[float], *, most: float = math.inf) -> Score:
    """The mean over questions, with the interval of the normal approximation.

    The values are from 0 to ``most``, and so is the interval; all of that where fewer than two
    values say nothing about the others.

    >>> score = mean([1.0, 1.0, 0.0], most=1.0)
    >>> round(score.value, 2), round(score.low, 2), score.high
    (0.67, 0.01, 1.0)
    """
    found = list(values)
    value = statistics.fmean(found) if found else 0.0
    is_known = len(found) > 1 or most == math.inf
    low, high = normal_interval(found) if is_known else (0.0, most)
    return Score(value, len(found), max(0.0, low), min(most, high), method="normal")


@dataclass(frozen=True, slots=True)
class Refinement:
    """What repair and refinement did after the first SQL.

    ``first_ex`` is EX of the first SQL, over the questions where it is known. Of these ``gained``
    went from wrong to right and ``lost`` from right to wrong; ``p`` is McNemar's exact p-value.
    ``rounds`` counts the questions by the number of times the model was asked to rewrite.
    """

    first_ex: Score
    gained: int
    lost: int
    p: float
    rounds: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Costs:
    """What the answers cost: sums, and means for one question.

    Tokens are counted by the model's own report; ``cached_tokens`` are part of ``input_tokens``.
    ``dollars`` were spent in this run; it is None when no price is known. Of the ``calls``,
    ``replayed`` were answered from a recording or cache. ``seconds_p50`` and ``seconds_p95`` are of
    the time for one question, over those without such a call; None where there are none.
    """

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    calls: int
    replayed: int
    dollars: float | None
    seconds_p50: float | None
    seconds_p95: float | None
    input_tokens_mean: Score
    cached_tokens_mean: Score
    output_tokens_mean: Score
    calls_mean: Score


@dataclass(frozen=True, slots=True)
class SchemaLinking:
    """How the Selector's choice fits the columns that the gold queries read.

    ``recall`` and ``precision`` are means over questions; ``strict_recall`` is the share of
    questions whose gold columns were all kept. In ``pruned`` questions something was removed. In
    ``fallbacks`` the Selector failed and the whole schema was kept; ``saved`` of them were right.
    """

    recall: Score
    precision: Score
    strict_recall: Score
    pruned: Score
    fallbacks: int
    saved: int


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of a run on the data of ``checksum``; ``scores`` are those that were measured.

    ex, ex_strict: execution accuracy by the benchmark's rule, and with duplicates and order.
    ex_gold_sound: ex over the questions whose gold query runs and has rows.
    em: exact set match; ``partial`` has its clauses. soft_f1, ves, r_ves: BIRD's.
    valid_sql: predictions that run. invented_names: those that name what the schema lacks.
    abstained: questions declined on purpose.

    ``total`` is the number of questions of the run, ``judged`` of those with a verdict, over which
    everything is counted. ``counts`` are of questions that need a second look. ``groups`` hold
    the main scores by difficulty, hardness, database, error class and size of the gold query.
    """

    benchmark: str
    checksum: str
    rule: str
    kind: str
    model: str
    total: int
    judged: int
    scores: Mapping[str, Score]
    partial: Mapping[str, Score]
    counts: Mapping[str, int]
    groups: Mapping[str, Mapping[str, Mapping[str, Score]]]
    error_classes: Mapping[str, int]
    refinement: Refinement | None = None
    linking: SchemaLinking | None = None
    costs: Costs | None = None
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; shares are in [0, 1]."""
        plain = _plain(self)
        return dict(plain)


def summarize(
    manifest: Manifest, answers: Mapping[str, Answer], verdicts: Mapping[str, Verdict]
) -> Summary:
    """All figures of a run, over the questions that have a verdict."""
    ids = [i for i in manifest.ids if i in verdicts]
    judged = [verdicts[i] for i in ids]
    answered = [answers[i] for i in ids if i in answers]
    is_eval = manifest.kind == "eval"
    return Summary(
        benchmark=manifest.benchmark,
        checksum=manifest.checksum,
        rule=manifest.rule,
        kind=manifest.kind,
        model=manifest.model,
        total=len(manifest.ids),
        judged=len(judged),
        scores=_scores(judged),
        partial=_partial(judged),
        counts=_counts(manifest, answers, judged),
        groups=_groups(answers, judged),
        error_classes=_error_classes(judged),
        refinement=_refinement(answered, verdicts) if is_eval else None,
        linking=_linking(answered, verdicts) if is_eval else None,
        costs=_costs(answered) if is_eval else None,
        notes=tuple(manifest.notes),
    )


# Scores -----------------------------------------------------------------------------------


def main_scores(judged: Sequence[Verdict]) -> dict[str, Score]:
    """The scores that every group of questions is shown with."""
    scores = {
        "ex": share(v.ex for v in judged),
        "ex_strict": share(v.ex_strict for v in judged),
    }
    if matched := [v.em for v in judged if v.em is not None]:
        scores["em"] = share(matched)
    if any(v.soft_f1 is not None for v in judged):
        # Where there is no SQL, nothing was compared; the official script counts that as 0.
        scores["soft_f1"] = mean((v.soft_f1 or 0.0 for v in judged), most=1.0)
    return scores


def _scores(judged: Sequence[Verdict]) -> dict[str, Score]:
    scores = main_scores(judged)
    sound = [v for v in judged if not v.gold_error and not v.gold_empty]
    if len(sound) < len(judged):
        scores["ex_gold_sound"] = share(v.ex for v in sound)
    for name, of in (("ves", _ves), ("r_ves", _r_ves)):
        if any(of(v) is not None for v in judged):
            # A wrong prediction counts as 0, and is not timed.
            scores[name] = mean(of(v) or 0.0 for v in judged if of(v) is not None or not v.ex)
    scores["valid_sql"] = share(v.valid for v in judged)
    scores["invented_names"] = share(bool(v.unknown_names) for v in judged)
    scores["abstained"] = share(v.error_kind == "NoSQL" for v in judged)
    return scores


def _ves(verdict: Verdict) -> float | None:
    return verdict.ves


def _r_ves(verdict: Verdict) -> float | None:
    return verdict.r_ves


def _partial(judged: Sequence[Verdict]) -> dict[str, Score]:
    names = dict.fromkeys(name for v in judged for name in v.partial)
    # Each is 0 or 1: a clause is right or wrong.
    return {
        name: share(v.partial[name] == 1 for v in judged if name in v.partial) for name in names
    }


def _counts(
    manifest: Manifest, answers: Mapping[str, Answer], judged: Sequence[Verdict]
) -> dict[str, int]:
    return {
        "unanswered": sum(1 for i in manifest.ids if i not in answers),
        "not_judged": len(manifest.ids) - len(judged),
        "gold_failing": sum(bool(v.gold_error) for v in judged),
        "gold_empty": sum(v.gold_empty for v in judged),
        "unparsed": sum(v.unparsed for v in judged),
        "missing": sum(v.error_kind == "Missing" for v in judged),
        "timeouts": sum(v.error_kind == "Timeout" for v in judged),
        "right_but_not_strict": sum(v.ex and not v.ex_strict for v in judged),
    }


def _error_classes(judged: Sequence[Verdict]) -> dict[str, int]:
    return dict(Counter(v.error_class for v in judged if v.error_class and not v.ex).most_common())


# Groups -----------------------------------------------------------------------------------

_IN_ORDER = ("easy", "simple", "medium", "moderate", "hard", "challenging", "extra")
_TEXT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_WORD = re.compile(r"[a-z_]+", re.IGNORECASE)

Grouping = Callable[[Answer | None, Verdict], str]


def _words(answer: Answer | None, word: str) -> int:
    sql = _TEXT.sub("''", answer.gold_sql) if answer else ""
    return sum(w.casefold() == word for w in _WORD.findall(sql))


def _joins(answer: Answer | None, _: Verdict) -> str:
    if answer is None:
        return ""
    count = _words(answer, "join")
    return "3 or more joins" if count > 2 else f"{count} join{'' if count == 1 else 's'}"


def _queries(answer: Answer | None, _: Verdict) -> str:
    if answer is None:
        return ""
    count = _words(answer, "select")
    return "3 or more SELECTs" if count > 2 else f"{count} SELECT{'' if count == 1 else 's'}"


GROUPINGS: Mapping[str, Grouping] = {
    "difficulty": lambda answer, verdict: (
        verdict.difficulty or (answer.difficulty if answer else "")
    ),
    "hardness": lambda _, verdict: verdict.hardness,
    "database": lambda _, verdict: verdict.db_id,
    "joins": _joins,
    "queries": _queries,
}
"""What questions are grouped by; "joins" and "queries" are those in the gold SQL."""


def _groups(
    answers: Mapping[str, Answer], judged: Sequence[Verdict]
) -> dict[str, dict[str, dict[str, Score]]]:
    groups: dict[str, dict[str, dict[str, Score]]] = {}
    seen: list[list[str]] = []
    for grouping, of in GROUPINGS.items():
        names = [of(answers.get(v.id), v) for v in judged]
        if names in seen or not any(names):
            continue  # Spider's difficulty is its hardness
        seen.append(names)
        members: dict[str, list[Verdict]] = {}
        for name, verdict in zip(names, judged, strict=True):
            members.setdefault(name or "not known", []).append(verdict)
        groups[grouping] = {
            name: main_scores(members[name]) for name in sorted(members, key=in_order)
        }
    return groups


def in_order(name: str) -> tuple[int, str]:
    """Where the name of a group is sorted: levels of difficulty rise, others are by name."""
    return (_IN_ORDER.index(name) if name in _IN_ORDER else len(_IN_ORDER), name)


# What the agents did ------------------------------------------------------------------------


def _refinement(answered: Sequence[Answer], verdicts: Mapping[str, Verdict]) -> Refinement | None:
    pairs = [
        (verdicts[a.id].ex if first is None else first, verdicts[a.id].ex)
        for a in answered
        if a.first_sql and ((first := verdicts[a.id].first_ex) is not None or a.first_sql == a.sql)
    ]
    if not pairs:
        return None
    gained = sum(after and not before for before, after in pairs)
    lost = sum(before and not after for before, after in pairs)
    return Refinement(
        first_ex=share(before for before, _ in pairs),
        gained=gained,
        lost=lost,
        p=mcnemar(gained, lost),
        rounds=dict(sorted(Counter(a.rounds for a in answered).items())),
    )


def _linking(answered: Sequence[Answer], verdicts: Mapping[str, Verdict]) -> SchemaLinking | None:
    found: list[Linking] = []
    for answer in answered:
        gold = verdicts[answer.id].gold_columns
        linked = linking(gold, answer.selection, answer.schema_size) if answer.schema_size else None
        if linked is not None:
            found.append(linked)
    if not found:
        return None
    fallbacks = [a for a in answered if a.fallback]
    return SchemaLinking(
        recall=mean((f.recall for f in found), most=1.0),
        precision=mean((f.precision for f in found), most=1.0),
        strict_recall=share(f.strict for f in found),
        pruned=share(a.selection is not None for a in answered),
        fallbacks=len(fallbacks),
        saved=sum(verdicts[a.id].ex for a in fallbacks),
    )


def _costs(answered: Sequence[Answer]) -> Costs:
    usages = [a.usage for a in answered]
    prices = [u.cost for u in usages if u.cost is not None]
    # A kept reply comes at once: its time says nothing about the model.
    seconds = [a.seconds for a in answered if not a.usage.replayed]
    return Costs(
        input_tokens=sum(u.input_tokens for u in usages),
        cached_tokens=sum(u.cached_tokens for u in usages),
        output_tokens=sum(u.output_tokens for u in usages),
        calls=sum(u.calls for u in usages),
        replayed=sum(u.replayed for u in usages),
        dollars=sum(prices) if prices else None,
        seconds_p50=percentile(seconds, 0.5) if seconds else None,
        seconds_p95=percentile(seconds, 0.95) if seconds else None,
        input_tokens_mean=mean(u.input_tokens for u in usages),
        cached_tokens_mean=mean(u.cached_tokens for u in usages),
        output_tokens_mean=mean(u.output_tokens for u in usages),
        calls_mean=mean(u.calls for u in usages),
    )


def _plain(value: Any) -> Any:
    """Dataclasses, mappings and tuples as what JSON holds."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value
