"""``macsql eval``: the questions of a benchmark answered and scored, in a folder that goes on."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from macsql.agents.decomposer import needs_steps
from macsql.cli.exits import ANSWERED
from macsql.cli.opening import open_llm
from macsql.cli.progress import ProgressLine, time_left
from macsql.cli.report import print_summary
from macsql.cli.show import Screen
from macsql.cli.streams import report, write_json, writing
from macsql.config import Settings
from macsql.database import Database
from macsql.errors import ConfigError
from macsql.evaluation.benchmark import open_benchmark, sample_ids, sample_name
from macsql.evaluation.database_files import digests, places, refuse_unreadable
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.folder import Manifest, RunFolder
from macsql.evaluation.metrics import Summary, summarize
from macsql.evaluation.runner import Progress, Runner
from macsql.evaluation.runner_agents import Makeup
from macsql.evaluation.runner_answer import is_to_retry
from macsql.evaluation.spider import check_test_suite
from macsql.llm.base import LLM
from macsql.pipeline import Pipeline
from macsql.records import hide_password
from macsql.tuned import steps_pay

PARALLEL = {"openai": 8, "azure": 8, "anthropic": 8, "vllm": 8}
"""Questions asked at a time, for models that answer several at once; others get one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which questions of the benchmark are asked: with ``with_steps`` only those that look as if
    they took more than one step; of these a sample, then the first ``limit`` of it.
    """

    sample: str | None = None
    seed: int = 0
    limit: int | None = None
    with_steps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one ``macsql eval`` is told beside the settings."""

    benchmark: str
    out: Path
    data: Path | None = None
    test_suite: Path | None = None
    db: str = ""
    part: Part = field(default_factory=Part)
    makeup: Makeup
    workers: int | None = None
    judges: int = 2
    ves: int = 0
    cache_dir: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    retry_errors: bool = True
    as_json: bool = False


def evaluate(request: Request, settings: Settings) -> int:
    """Answer, judge, print the scores, and return the exit code."""
    screen = Screen()
    benchmark, summary = run(request, settings, screen)
    with writing():
        if request.as_json:
            write_json(summary.to_dict())
        else:
            screen.note(f"{benchmark.name}, data {benchmark.checksum[:12]}", "bold")
            print_summary(summary, screen)
    screen.note(f"run: {request.out}")
    return ANSWERED


def run(request: Request, settings: Settings, screen: Screen) -> tuple[Benchmark, Summary]:
    """Answer and judge into the folder ``request.out``: the questions, and the scores."""
    benchmark = _benchmark(request)
    if request.test_suite:
        check_test_suite(benchmark, request.test_suite)
    refuse_unreadable(benchmark.examples)
    llm = open_llm(
        settings,
        screen,
        record=request.record,
        replay=request.replay,
        cache_dir=request.cache_dir,
    )
    makeup = request.makeup
    if makeup.style in (None, "auto"):
        makeup = replace(makeup, steps_pay=steps_pay(llm.name))
    pipelines = makeup.pipelines(llm)
    manifest = Manifest(
        kind="eval",
        benchmark=benchmark.name,
        rule=benchmark.rule,
        checksum=benchmark.checksum,
        ids=tuple(e.id for e in benchmark.examples),
        model=llm.name,
        prompts=request.makeup.prompts,
        agents=tuple(a.name for a in pipelines(benchmark.examples[0]).agents),
        options={**makeup.options(), **_options(request, settings, benchmark, llm)},
        command=_command(),
        notes=benchmark.notes,
        databases=places(benchmark.examples),
        digests=digests(benchmark.examples),
    )
    with RunFolder.create(request.out, manifest) as folder:
        for line in benchmark.notes:
            screen.note(line)
        _answer(request, settings, benchmark, folder, pipelines)
        summary = summarize(folder.manifest, folder.answers, folder.verdicts)
        folder.finish(summary.to_dict())
    _say_what_failed(folder, screen)
    return benchmark, summary


def _answer(
    request: Request,
    settings: Settings,
    benchmark: Benchmark,
    folder: RunFolder,
    pipelines: Callable[[Example], Pipeline],
) -> None:
    """Ask and judge what is left. Ctrl-C passes after a line that says how to go on."""

    def open_database(example: Example) -> Database:
        return Database(
            example.database,
            timeout=settings.timeout,
            connect_timeout=settings.connect_timeout,
            max_rows=settings.max_rows,
            descriptions=example.descriptions,
        )

    screen = Screen()
    judges = JudgePool(
        benchmark.rule,
        workers=request.judges,
        timeout=settings.timeout,
        ves_repeats=request.ves,
        key_groups=benchmark.key_groups,
    )
    try:
        with judges, ProgressLine(screen) as line:
            Runner(
                benchmark,
                folder,
                pipelines,
                judges,
                workers=request.workers or PARALLEL.get(settings.model.partition(":")[0], 1),
                open_database=open_database,
                on_progress=lambda p: line.show(progress_text(p), is_last=p.judged == p.total),
            ).run(retry_errors=request.retry_errors)
    except KeyboardInterrupt:
        answered, total = len(folder.answers), len(benchmark.examples)
        report(
            f"{answered:,} of {total:,} questions are answered and kept in {request.out}: "
            "run the same command again to go on."
        )
        raise


def progress_text(progress: Progress) -> str:
    """One line for people.

    >>> progress_text(Progress(total=200, answered=50, judged=40, right=30, left=90.0))
    '50/200 answered, EX 75.0 % of 40 judged, about 2 min left'
    """
    parts = [f"{progress.answered:,}/{progress.total:,} answered"]
    if progress.judged:
        share = 100 * progress.right / progress.judged
        parts.append(f"EX {share:.1f} % of {progress.judged:,} judged")
    # Before the figures that a narrow terminal may cut off.
    if progress.left is not None and progress.answered < progress.total:
        parts.append(f"about {time_left(progress.left)} left")
    if progress.failed:
        parts.append(f"{progress.failed:,} without SQL that runs")
    usage = progress.usage
    if usage.input_tokens:
        parts.append(f"{usage.input_tokens:,} tokens read, {usage.output_tokens:,} written")
    if usage.cost:
        parts.append(f"${usage.cost:.2f}")
    return ", ".join(parts)


def _benchmark(request: Request) -> Benchmark:
    """The questions to ask; a part of a benchmark does not go by the name of the whole."""
    whole = open_benchmark(
        request.benchmark, request.data, database=request.db, test_suite=request.test_suite
    )
    part, said = request.part, []
    if part.with_steps:
        stepwise = [e.id for e in whole.examples if needs_steps(e.question, e.evidence)]
        if not stepwise:
            raise ConfigError(
                f"No question of {whole.name} looks as if it took more than one step, such as a "
                "share, a ratio or a difference: there is nothing to learn from it."
            )
        whole = replace(whole.only(stepwise), name=f"{whole.name}, with steps")
    ids: tuple[str, ...] = tuple(e.id for e in whole.examples)
    if part.sample is not None:
        ids = sample_ids(whole, part.sample, request.data, seed=part.seed)
        said.append(sample_name(part.sample, part.seed))
    if part.limit is not None and part.limit < len(ids):
        ids = ids[: part.limit]
        said.append(f"first {part.limit}")
    if not said:
        return whole
    return replace(whole.only(ids), name=f"{whole.name} ({', '.join(said)})")


def _options(
    request: Request, settings: Settings, benchmark: Benchmark, llm: LLM
) -> dict[str, Any]:
    """What else changes an answer or a verdict."""
    options: dict[str, Any] = {
        "context_window": llm.context_window,
        "timeout": settings.timeout,
        "max_rows": settings.max_rows,
        "ves": request.ves,
        "test_suite": sum(len(e.test_suite) for e in benchmark.examples),
    }
    return {**options, "price": settings.price} if settings.price else options


def _command() -> str:
    return shlex.join(["macsql", *map(hide_password, sys.argv[1:])])


def _say_what_failed(folder: RunFolder, screen: Screen) -> None:
    failed = sum(is_to_retry(a) for a in folder.answers.values())
    if failed:
        screen.note(
            f"warning: {failed:,} question{'' if failed == 1 else 's'} met a failure of the model "
            "or the database, which says nothing about the answer: run the same command again to "
            "ask again",
            "yellow",
        )
