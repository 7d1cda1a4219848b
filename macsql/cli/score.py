"""``macsql score``: files of predicted SQL, judged by every metric that needs no model."""

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from macsql.cli.exits import ANSWERED
from macsql.cli.progress import ProgressLine, time_left
from macsql.cli.report import print_summary, print_table
from macsql.cli.show import Screen
from macsql.cli.streams import report, write_json, writing
from macsql.errors import ConfigError
from macsql.evaluation.benchmark import open_benchmark, sample_ids, sample_name
from macsql.evaluation.database_files import digests, places, refuse_unreadable
from macsql.evaluation.example import Benchmark
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.folder import ANSWERS, Manifest, RunFolder
from macsql.evaluation.metrics import Score, Summary, summarize
from macsql.evaluation.predictions import Prediction, read_predictions
from macsql.evaluation.report_tables import NAMES, Table
from macsql.evaluation.scoring import Scored, answers_of, score_answers
from macsql.evaluation.sources import digest
from macsql.evaluation.spider import check_test_suite
from macsql.evaluation.verdict import Verdict
from macsql.records import hide_password

PERCENTAGES = {
    "spider": ("ex", "ex_strict", "em", "valid_sql"),
    "bird": ("ex", "ex_strict", "soft_f1", "valid_sql"),
}
"""The scores that stand at the top of the JSON document, by the benchmark's rule."""

_COUNTED = {
    "missing": "missing",
    "unparsed": "unparsed",
    "gold_failing": "gold fails",
    "gold_empty": "gold empty",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one ``macsql score`` is told."""

    benchmark: str
    files: tuple[Path, ...]
    data: Path | None = None
    questions: Path | None = None
    gold: Path | None = None
    test_suite: Path | None = None
    db: str = ""
    sample: str | None = None
    seed: int = 0
    ignore_unknown: bool = False
    out: Path | None = None
    workers: int = 2
    timeout: float = 30.0
    ves: int = 0
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """One file of predictions, what is known of it beforehand, and where its lines go."""

    file: Path
    predictions: Mapping[str, Prediction]
    manifest: Manifest
    out: Path | None


def score(request: Request) -> int:
    """Judge all files, print the scores, and return the exit code."""
    screen = Screen()
    whole = open_benchmark(
        request.benchmark,
        request.data,
        questions=request.questions,
        gold=request.gold,
        database=request.db,
        test_suite=request.test_suite,
    )
    benchmark = _part(whole, request)
    if request.test_suite:
        check_test_suite(benchmark, request.test_suite)
    refuse_unreadable(benchmark.examples)
    for line in benchmark.notes:
        screen.note(line)
    # A run that is not kept is not gone on with.
    known = digests(benchmark.examples) if request.out else {}
    runs = [_read(f, whole, benchmark, request, known, screen) for f in request.files]
    judges = JudgePool(
        benchmark.rule,
        workers=request.workers,
        timeout=request.timeout,
        ves_repeats=request.ves,
        key_groups=benchmark.key_groups,
    )
    documents: list[dict[str, Any]] = []
    summaries: list[Summary] = []
    with judges:
        for run in runs:
            scored, summary = _score(run, benchmark, judges, screen)
            summaries.append(summary)
            documents.append(score_document(run.file, summary, scored.verdicts))
    with writing():
        if request.as_json:
            write_json(documents[0] if len(documents) == 1 else {"runs": documents})
        else:
            _print(summaries, screen)
    return ANSWERED


def score_document(file: Path, summary: Summary, verdicts: Mapping[str, Verdict]) -> dict[str, Any]:
    """What ``--json`` prints for one file.

    ``n`` questions and the percentages, in [0, 100] and not rounded, come first; null is what could
    not be measured. Then ``Summary`` as it is, and the ids of the questions whose gold query fails
    or has no rows, of predictions that exact match could not read, and of missing ones.
    """
    scores = {name: summary.scores.get(name) for name in PERCENTAGES[summary.rule]}
    ids = {
        "gold_failing": [v.id for v in verdicts.values() if v.gold_error],
        "gold_empty": [v.id for v in verdicts.values() if v.gold_empty],
        "unparsed": [v.id for v in verdicts.values() if v.unparsed],
        "missing": [v.id for v in verdicts.values() if v.error_kind == "Missing"],
    }
    return {
        "n": summary.judged,
        **{name: None if s is None else 100 * s.value for name, s in scores.items()},
        "file": str(file),
        **summary.to_dict(),
        "ids": ids,
    }


def _part(whole: Benchmark, request: Request) -> Benchmark:
    """The questions to score; a part of a benchmark does not go by the name of the whole."""
    if request.sample is None:
        return whole
    ids = sample_ids(whole, request.sample, request.data, seed=request.seed)
    name = f"{whole.name} ({sample_name(request.sample, request.seed)})"
    return replace(whole.only(ids), name=name)


def _read(
    file: Path,
    whole: Benchmark,
    benchmark: Benchmark,
    request: Request,
    known: Mapping[str, str],
    screen: Screen,
) -> _Run:
    """The predictions of one file; what is missing in it is said.

    ``known`` are the digests of the databases.
    """
    predictions = read_predictions(
        file,
        whole,
        sample=benchmark,
        ignore_unknown=request.ignore_unknown,
        say=screen.note,
    )
    missing = [e.id for e in benchmark.examples if e.id not in predictions]
    if len(missing) == len(benchmark.examples):
        raise ConfigError(f"{file} has no prediction for any question of {benchmark.name}.")
    if missing:
        screen.note(
            f"warning: {file} has no prediction for {len(missing):,} of "
            f"{len(benchmark.examples):,} questions, such as {missing[0]}; they count as wrong",
            "yellow",
        )
    manifest = Manifest(
        kind="score",
        benchmark=benchmark.name,
        rule=benchmark.rule,
        checksum=benchmark.checksum,
        ids=tuple(e.id for e in benchmark.examples),
        model=file.name if file.is_dir() else file.stem,
        options={
            "predictions": digest(file / ANSWERS if file.is_dir() else file),
            "timeout": request.timeout,
            "ves": request.ves,
            "test_suite": sum(len(e.test_suite) for e in benchmark.examples),
        },
        command=shlex.join(["macsql", *map(hide_password, sys.argv[1:])]),
        notes=benchmark.notes,
        databases=places(benchmark.examples),
        digests=known,
    )
    return _Run(file, predictions, manifest, _out(request, manifest.model))


def _out(request: Request, name: str) -> Path | None:
    """Where the lines of a file go: the folder given, or one in it for each of several files."""
    if request.out is None or len(request.files) == 1:
        return request.out
    names = [f.name if f.is_dir() else f.stem for f in request.files]
    if names.count(name) > 1:
        raise ConfigError(
            f"Two files of predictions are called {name}, so {request.out} cannot hold a folder "
            "for each; rename one, or score them apart."
        )
    return request.out / name


def _score(
    run: _Run, benchmark: Benchmark, judges: JudgePool, screen: Screen
) -> tuple[Scored, Summary]:
    """Judge one file. Ctrl-C passes after a line that says what is kept."""
    answers = answers_of(benchmark, run.predictions)
    place = RunFolder.create(run.out, run.manifest) if run.out else nullcontext()
    counter = _Counter(run.manifest.model, len(answers))
    with place as folder, ProgressLine(screen) as line:

        def on_verdict(verdict: Verdict, is_new: bool) -> None:
            line.show(counter.count(verdict, is_new), is_last=counter.is_last)

        try:
            scored = score_answers(benchmark, answers, judges, folder=folder, on_verdict=on_verdict)
        except KeyboardInterrupt:
            if run.out:
                report(
                    f"{counter.judged:,} of {counter.total:,} predictions are judged and kept in "
                    f"{run.out}: run the same command again to go on."
                )
            raise
        summary = summarize(run.manifest, scored.answers, scored.verdicts)
        if folder:
            folder.finish(summary.to_dict())
            screen.note(f"verdicts: {run.out}")
    return scored, summary


def _print(summaries: Sequence[Summary], screen: Screen) -> None:
    """The tables of one file, or a line for each of several."""
    screen.note(f"{summaries[0].benchmark}, data {summaries[0].checksum[:12]}", "bold")
    if len(summaries) == 1:
        print_summary(summaries[0], screen)
        return
    names = PERCENTAGES[summaries[0].rule]
    rows = []
    for summary in summaries:
        shown = [_shown(summary.scores.get(name)) for name in names]
        counts = [str(summary.counts[name]) for name in _COUNTED]
        rows.append((summary.model, str(summary.judged), *shown, *counts))
    heads = ("predictions", "n", *(NAMES[name] for name in names), *_COUNTED.values())
    note = "Percentages, with their 95 % intervals; counts are of questions."
    print_table(Table("Scores", heads, tuple(rows), note=note), screen)


def _shown(score: Score | None) -> str:
    """A percentage with its 95 % interval.

    >>> _shown(Score(0.848765, 972, 0.82, 0.87)), _shown(None)
    ('84.88 (82.0-87.0)', '-')
    """
    if score is None:
        return "-"
    return f"{100 * score.value:.2f} ({100 * score.low:.1f}-{100 * score.high:.1f})"


class _Counter:
    """Counts verdicts, and says how far the file is."""

    def __init__(self, name: str, total: int) -> None:
        self.total = total
        self.judged = 0
        self._name = name
        self._new = 0
        self._right = 0
        self._began = time.monotonic()

    @property
    def is_last(self) -> bool:
        """Whether all are judged."""
        return self.judged == self.total

    def count(self, verdict: Verdict, is_new: bool) -> str:
        """One more verdict, ``is_new`` unless it was kept from before; a line for people."""
        self.judged += 1
        self._new += is_new
        self._right += verdict.ex
        seconds = time.monotonic() - self._began
        share = 100 * self._right / self.judged
        text = f"{self._name}: {self.judged:,}/{self.total:,} judged, EX {share:.1f} %"
        if self.is_last or not self._new:
            return f"{text}, {seconds:.1f} s"
        left = seconds / self._new * (self.total - self.judged)
        return f"{text}, about {time_left(left)} left"
