"""Every figure of a summary, on runs small enough to be counted by hand."""

import json
from dataclasses import replace

import pytest

from macsql.evaluation.answer import Answer
from macsql.evaluation.folder import Manifest
from macsql.evaluation.metrics import mean, share, summarize
from macsql.evaluation.verdict import Verdict
from macsql.llm.base import Usage


def manifest(count: int, kind: str = "eval") -> Manifest:
    ids = tuple(str(i) for i in range(count))
    return Manifest(kind, "Spider dev", "spider", "c0ffee", ids, model="local")  # type: ignore[arg-type]


def answer(id_: str, **values: object) -> Answer:
    fields = {"db_id": "shop", "question": "How many?", "gold_sql": "SELECT a FROM t", **values}
    return Answer(id_, **fields)  # type: ignore[arg-type]


def verdict(id_: str, **values: object) -> Verdict:
    return Verdict(id_, **{"db_id": "shop", "valid": True, **values})  # type: ignore[arg-type]


def by_id(*lines: object) -> dict[str, object]:
    return {line.id: line for line in lines}  # type: ignore[attr-defined]


def summary_of(verdicts: list[Verdict], answers: list[Answer] = (), **options: object):  # type: ignore[no-untyped-def, assignment]
    count = options.pop("count", len(verdicts))
    return summarize(manifest(count, **options), by_id(*answers), by_id(*verdicts))  # type: ignore[arg-type]


def test_scores() -> None:
    found = summary_of(
        [
            verdict("0", ex=True, ex_strict=True, em=True, soft_f1=1.0, ves=1.2, r_ves=1.0),
            verdict("1", ex=True, em=False, soft_f1=1.0, ves=0.8, r_ves=0.9),
            verdict("2", em=None, soft_f1=0.5, unknown_names=("t.b",), gold_empty=True),
            verdict("3", em=False, valid=False, error_kind="NoSQL"),
        ]
    )
    values = {name: (round(s.value, 3), s.n, s.method) for name, s in found.scores.items()}
    assert values == {
        "ex": (0.5, 4, "wilson"),
        "ex_strict": (0.25, 4, "wilson"),
        "ex_gold_sound": (0.667, 3, "wilson"),
        "em": (0.333, 3, "wilson"),
        "soft_f1": (0.625, 4, "normal"),
        "ves": (0.5, 4, "normal"),
        "r_ves": (0.475, 4, "normal"),
        "valid_sql": (0.75, 4, "wilson"),
        "invented_names": (0.25, 4, "wilson"),
        "abstained": (0.25, 4, "wilson"),
    }
    assert all(s.low <= s.value <= s.high for s in found.scores.values())


def test_what_was_not_measured_is_not_there() -> None:
    assert set(summary_of([verdict("0", ex=True)]).scores) == {
        "ex",
        "ex_strict",
        "valid_sql",
        "invented_names",
        "abstained",
    }


def test_counts() -> None:
    found = summary_of(
        [
            verdict("0", gold_error="no such table", unparsed=True),
            verdict("1", gold_empty=True, ex=True),
            verdict("2", ex=True, ex_strict=True),
            verdict("3", error_kind="Missing", unparsed=True),
            verdict("4", error_kind="Timeout"),
        ],
        [answer(str(i)) for i in range(6)],
        count=8,
    )
    assert (found.total, found.judged) == (8, 5)
    assert found.counts == {
        "unanswered": 2,
        "not_judged": 3,
        "gold_failing": 1,
        "gold_empty": 1,
        "unparsed": 2,
        "missing": 1,
        "timeouts": 1,
        "right_but_not_strict": 1,
    }


def test_a_verdict_outside_the_run_does_not_count() -> None:
    assert summary_of([verdict("0", ex=True), verdict("1"), verdict("x")], count=2).judged == 2


def test_partial_scores_are_means_over_the_questions_that_have_them() -> None:
    found = summary_of(
        [verdict("0", partial={"select": 1.0}), verdict("1", partial={"select": 0.0, "where": 1.0})]
    )
    assert {k: (s.value, s.n) for k, s in found.partial.items()} == {
        "select": (0.5, 2),
        "where": (1.0, 1),
    }


def test_groups() -> None:
    found = summary_of(
        [
            verdict("0", ex=True, difficulty="extra", hardness="extra", db_id="b"),
            verdict("1", difficulty="easy", hardness="easy", db_id="a"),
            verdict("2", ex=True, difficulty="easy", hardness="easy", db_id="a"),
        ],
        [
            answer("0", gold_sql="SELECT a FROM t join u ON x WHERE b IN (SELECT 1)"),
            answer("1", gold_sql="SELECT a FROM t WHERE c = 'join the ''select' OR \"join\" = 1"),
            answer("2"),
        ],
    )
    shown = {
        grouping: {name: (s["ex"].value, s["ex"].n) for name, s in groups.items()}
        for grouping, groups in found.groups.items()
    }
    # Hardness is the difficulty of Spider, and not shown twice.
    assert shown == {
        "difficulty": {"easy": (0.5, 2), "extra": (1, 1)},
        "database": {"a": (0.5, 2), "b": (1, 1)},
        "joins": {"0 joins": (0.5, 2), "1 join": (1, 1)},
        "queries": {"1 SELECT": (0.5, 2), "2 SELECTs": (1, 1)},
    }
    assert list(shown["difficulty"]) == ["easy", "extra"]


def test_hardness_beside_the_own_difficulty() -> None:
    found = summary_of([verdict("0", difficulty="simple", hardness="hard"), verdict("1")])
    assert list(found.groups["difficulty"]) == ["simple", "not known"]
    assert list(found.groups["hardness"]) == ["hard", "not known"]


def test_error_classes_are_of_wrong_answers_and_the_most_frequent_first() -> None:
    classes = ["ordering", "condition", "condition", "", "other"]
    found = summary_of(
        [verdict(str(i), error_class=c, ex=c == "other") for i, c in enumerate(classes)]
    )
    assert list(found.error_classes.items()) == [("condition", 2), ("ordering", 1)]


def test_refinement_gains_and_losses() -> None:
    pairs = [(True, True), (None, True), (False, True), (False, True), (True, False), (None, False)]
    verdicts = [verdict(str(i), first_ex=f, ex=ex) for i, (f, ex) in enumerate(pairs)]
    answers = [
        answer(str(i), sql="SELECT 2", first_sql="SELECT 2" if first is None else "SELECT 1")
        for i, (first, _) in enumerate(pairs)
    ]
    answers[2] = replace(answers[2], rounds=2)
    # Without a first SQL nothing is known about it.
    verdicts.append(verdict("6", ex=True))
    answers.append(answer("6", sql="SELECT 2"))
    found = summary_of(verdicts, answers).refinement
    assert found is not None
    assert (found.first_ex.value, found.first_ex.n) == (0.5, 6)
    assert (found.gained, found.lost, found.p) == (2, 1, 1.0)
    assert found.rounds == {0: 6, 2: 1}


def test_schema_linking() -> None:
    gold = ("t.a", "t.b")
    verdicts = [
        verdict("0", gold_columns=gold, ex=True),
        verdict("1", gold_columns=gold, ex=True),
        verdict("2", gold_columns=gold),
        verdict("3"),
    ]
    answers = [
        answer("0", selection=("t.a", "t.b", "t.c"), schema_size=10),
        answer("1", selection=None, schema_size=10, fallback=True),
        answer("2", selection=("t.a",), schema_size=10, fallback=True),
        answer("3", selection=("t.a",), schema_size=10),
    ]
    found = summary_of(verdicts, answers).linking
    assert found is not None
    assert (found.recall.value, found.recall.n) == (pytest.approx(2.5 / 3), 3)
    assert found.precision.value == pytest.approx((2 / 3 + 0.2 + 1) / 3)
    assert (found.strict_recall.value, found.strict_recall.n) == (pytest.approx(2 / 3), 3)
    assert found.pruned.value == 0.75
    assert (found.fallbacks, found.saved) == (2, 1)


def test_costs() -> None:
    answers = [
        answer(str(i), seconds=float(i), usage=Usage(100 * i, 50, 10, cost, 2, i % 2))
        for i, cost in enumerate([0.5, None, 0.25])
    ]
    found = summary_of([verdict(str(i)) for i in range(3)], answers).costs
    assert found is not None
    assert (found.input_tokens, found.cached_tokens, found.output_tokens) == (300, 150, 30)
    assert (found.calls, found.replayed, found.dollars) == (6, 1, 0.75)
    # The reply that was kept came at once, which says nothing.
    assert (found.seconds_p50, found.seconds_p95) == (0, 2)
    assert found.calls_mean.value == 2
    assert found.input_tokens_mean.value == 100
    assert summary_of([verdict("0")], [answer("0")]).costs.dollars is None


def test_a_run_from_the_cache_has_no_seconds() -> None:
    kept = answer("0", seconds=0.01, usage=Usage(calls=1, replayed=1))
    found = summary_of([verdict("0")], [kept]).costs
    assert found is not None
    assert (found.seconds_p50, found.seconds_p95) == (None, None)


def test_a_score_run_has_no_costs() -> None:
    found = summary_of([verdict("0")], [answer("0", first_sql="SELECT 1")], kind="score")
    assert (found.costs, found.refinement, found.linking) == (None, None, None)


def test_an_empty_run_is_no_trouble() -> None:
    found = summary_of([], count=3)
    assert (found.total, found.judged) == (3, 0)
    assert found.scores["ex"].n == 0
    json.dumps(found.to_dict())


def test_to_dict_is_json_and_keeps_every_figure() -> None:
    verdicts = [verdict("0", ex=True, em=True, gold_columns=("t.a",), partial={"select": 1.0})]
    answers = [answer("0", sql="SELECT 1", first_sql="SELECT 1", schema_size=3)]
    plain = json.loads(json.dumps(summary_of(verdicts, answers).to_dict(), allow_nan=False))
    assert plain["scores"]["ex"] == {
        "value": 1.0,
        "n": 1,
        "low": pytest.approx(0.2065, abs=1e-4),
        "high": 1.0,
        "method": "wilson",
    }
    assert plain["groups"]["database"]["shop"]["ex"]["n"] == 1
    assert plain["refinement"]["rounds"] == {"0": 1}
    assert plain["linking"]["precision"]["value"] == pytest.approx(1 / 3)


def test_share_and_mean_of_nothing() -> None:
    assert (share([]).n, share([]).low, share([]).high) == (0, 0, 1)
    assert (mean([]).n, mean([]).value) == (0, 0)
