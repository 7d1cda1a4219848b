"""Scoring predictions of any system: each judged against the gold query, and kept as it ends."""

from collections.abc import Callable, Mapping
from concurrent.futures import as_completed
from dataclasses import dataclass

from macsql.evaluation.answer import Answer
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.folder import RunFolder
from macsql.evaluation.predictions import Prediction
from macsql.evaluation.verdict import Verdict

MISSING = "Missing"
"""``error_kind`` of a question that a file of predictions does not have."""


@dataclass(frozen=True, slots=True)
class Scored:
    """All answers and verdicts of one file, by id, in the order of the benchmark."""

    answers: Mapping[str, Answer]
    verdicts: Mapping[str, Verdict]


def answers_of(benchmark: Benchmark, predictions: Mapping[str, Prediction]) -> dict[str, Answer]:
    """An answer for each question of the benchmark; those without a prediction say so."""
    return {e.id: _answer(e, predictions.get(e.id)) for e in benchmark.examples}


def score_answers(
    benchmark: Benchmark,
    answers: Mapping[str, Answer],
    judges: JudgePool,
    *,
    folder: RunFolder | None = None,
    on_verdict: Callable[[Verdict, bool], object] = lambda verdict, is_new: None,
) -> Scored:
    """Judge each answer that ``folder`` has no verdict on, and write it there as it is judged.

    ``on_verdict`` is told each one, and whether it is new or one of before. An interruption loses
    what is under way and nothing else. Raises ConfigError when the folder cannot be written.
    """
    verdicts = dict(folder.verdicts) if folder else {}
    for verdict in verdicts.values():
        on_verdict(verdict, False)
    if folder:
        for answer in answers.values():
            folder.add_answer(answer)
    waiting = [
        judges.submit(e, answers[e.id].sql, answers[e.id].error, answers[e.id].error_kind)
        for e in benchmark.examples
        if e.id not in verdicts
    ]
    try:
        for done in as_completed(waiting):
            verdict = done.result()
            if folder:
                folder.add_verdict(verdict)
            verdicts[verdict.id] = verdict
            on_verdict(verdict, True)
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    in_order = {e.id: verdicts[e.id] for e in benchmark.examples}
    return Scored(dict(answers), in_order)


def _answer(example: Example, prediction: Prediction | None) -> Answer:
    if prediction is None:
        prediction = Prediction(example.id, "", "the file has no prediction for it", MISSING)
    return Answer(
        id=example.id,
        db_id=example.db_id,
        question=example.question,
        gold_sql=example.gold_sql,
        sql=prediction.sql,
        error=prediction.error,
        error_kind=prediction.error_kind,
        evidence=example.evidence,
        difficulty=example.difficulty,
    )
