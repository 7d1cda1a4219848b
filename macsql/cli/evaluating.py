"""The commands for measuring: score, eval and report; what they do is in modules of that name."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from macsql.cli.options import (
    BaseUrl,
    Cache,
    Candidates,
    Examples,
    Json,
    MaxRefinements,
    Model,
    Price,
    Prompts,
    Prune,
    Shots,
    Timeout,
    Without,
)

evaluating = typer.Typer(rich_markup_mode=None)

BenchmarkName = Annotated[
    str,
    typer.Argument(
        help="spider, spider-train, bird, mini-dev, or a .jsonl or .csv file of your own.",
    ),
]
BenchmarkFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The folder of the benchmark, or the one that holds spider/ and bird/.",
    ),
]

OwnDatabase = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE|URL", help="The database of questions of your own."),
]
Sample = Annotated[
    str | None,
    typer.Option(
        metavar="N|N/D|NAME|FILE",
        help="A part: N drawn by chance, or of D databases; a list of samples.json; a file of ids.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Which sample is drawn.")]
TestSuite = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Spider's test suite: a folder for each database, with several .sqlite files.",
    ),
]


@evaluating.command()
def score(  # noqa: PLR0913 - one parameter for each option
    benchmark: BenchmarkName,
    predictions: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE",
            help="SQL of a system: JSON lines, list or object, Spider's .sql, BIRD's JSON, CSV, or "
            "the folder of a run. May be repeated.",
        ),
    ],
    more: Annotated[
        list[Path] | None,
        typer.Argument(help="More files of predictions, as in --predictions results/*.sql."),
    ] = None,
    folder: BenchmarkFolder = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Questions in the form of the benchmark's, used instead of them."
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Spider's gold file: SQL, a tab, database; one a line."),
    ] = None,
    test_suite: TestSuite = None,
    db: OwnDatabase = None,
    sample: Sample = None,
    seed: Seed = 0,
    ignore_unknown: Annotated[
        bool,
        typer.Option(
            "--ignore-unknown",
            help="Leave out predictions for questions that the benchmark lacks.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep a verdict for each question as it is judged; a run that was stopped goes "
            "on. For several files, a folder for each in it.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Processes that run SQL.")
    ] = 2,
    timeout: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Time a query may run.")
    ] = 30.0,
    ves: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Time each right prediction N times, for BIRD's VES and R-VES; the official "
            "script does 100.",
        ),
    ] = 0,
    as_json: Json = False,
) -> int:
    """Score files of predicted SQL; no model is asked.

    Questions for which a file that names ids has no prediction count as wrong, with a warning; a
    file without ids must have a line for each question.
    """
    from macsql.cli.score import Request
    from macsql.cli.score import score as run

    return run(
        Request(
            benchmark=benchmark,
            files=(*predictions, *(more or ())),
            data=folder,
            questions=questions,
            gold=gold,
            test_suite=test_suite,
            db=db or "",
            sample=sample,
            seed=seed,
            ignore_unknown=ignore_unknown,
            out=out,
            workers=workers,
            timeout=timeout,
            ves=ves,
            as_json=as_json,
        )
    )


@evaluating.command("eval")
def evaluate(  # noqa: PLR0913 - one parameter for each option
    benchmark: BenchmarkName,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where the run is kept: each answer as it ends. A run that was stopped goes on.",
        ),
    ],
    folder: BenchmarkFolder = None,
    test_suite: TestSuite = None,
    db: OwnDatabase = None,
    sample: Sample = None,
    seed: Seed = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ask the first N questions only.")
    ] = None,
    model: Model = None,
    base_url: BaseUrl = None,
    price: Price = None,
    prompts: Prompts = None,
    shots: Shots = None,
    examples: Examples = None,
    style: Annotated[
        Literal["auto", "direct", "decompose"] | None,
        typer.Option(
            metavar="auto|direct|decompose",
            help="Whether the Decomposer asks for sub-questions: as the question needs, no, yes.",
        ),
    ] = None,
    prune: Prune = None,
    without: Without = None,
    max_refinements: MaxRefinements = None,
    candidates: Candidates = None,
    baseline: Annotated[
        bool,
        typer.Option("--baseline", help="Measure the model alone: one prompt, no agents."),
    ] = False,
    oracle_schema: Annotated[
        bool,
        typer.Option(
            "--oracle-schema",
            help="Show the gold's tables and columns only, as a perfect Selector would.",
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=256, metavar="N", help="Questions asked at a time; 1 for a local model."
        ),
    ] = None,
    judges: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Processes that run SQL to judge it.")
    ] = 2,
    timeout: Timeout = None,
    ves: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Time each right answer N times, for BIRD's VES and R-VES."
        ),
    ] = 0,
    cache: Cache = None,
    cache_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the model's replies in this folder.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record the model's replies to FILE.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answer from a recording, with no model.")
    ] = None,
    retry_errors: Annotated[
        bool,
        typer.Option(help="When going on, ask again where the model gave no reply."),
    ] = True,
    as_json: Json = False,
) -> int:
    """Answer the questions of a benchmark with a model, and score the answers.

    Run it again with the same options to go on with a run that was stopped.
    """
    from macsql.agents.voter import read_count
    from macsql.cli.eval import Part, Request
    from macsql.cli.eval import evaluate as run
    from macsql.config import load_settings
    from macsql.evaluation.runner_agents import Makeup

    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other; give one of them")
    settings = load_settings(
        {
            "model": model,
            "base_url": base_url,
            "price": price,
            "prompts": prompts,
            "examples": examples,
            "max_refinements": max_refinements,
            "candidates": candidates,
            "timeout": timeout,
            "cache": cache,
        }
    ).settings
    makeup = Makeup(
        prompts=settings.prompts,
        shots=shots,
        examples=settings.examples,
        style=style,
        prune=prune,
        without=tuple(agent.value for agent in without or ()),
        max_refinements=settings.max_refinements,
        candidates=read_count(settings.candidates),
        baseline=baseline,
        oracle_schema=oracle_schema,
    )
    request = Request(
        benchmark=benchmark,
        out=out,
        data=folder,
        test_suite=test_suite,
        db=db or "",
        part=Part(sample=sample, seed=seed, limit=limit),
        makeup=makeup,
        workers=workers,
        judges=judges,
        ves=ves,
        cache_dir=cache_dir,
        record=record,
        replay=replay,
        retry_errors=retry_errors,
        as_json=as_json,
    )
    return run(request, settings)


@evaluating.command()
def tune(  # noqa: PLR0913 - one parameter for each option
    benchmark: BenchmarkName,
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where both runs are kept; they go on when stopped."),
    ],
    folder: BenchmarkFolder = None,
    db: OwnDatabase = None,
    sample: Sample = None,
    seed: Seed = 0,
    model: Model = None,
    base_url: BaseUrl = None,
    price: Price = None,
    prompts: Prompts = None,
    timeout: Timeout = None,
    cache: Cache = None,
    as_json: Json = False,
) -> int:
    """Learn whether sub-questions pay with a model, from training questions with known answers.

    Asks those that look as if they took more than one step, both ways, and compares.
    """
    from macsql.cli.eval import Part, Request
    from macsql.cli.tune import tune as run
    from macsql.config import load_settings
    from macsql.evaluation.runner_agents import Makeup

    settings = load_settings(
        {
            "model": model,
            "base_url": base_url,
            "price": price,
            "prompts": prompts,
            "timeout": timeout,
            "cache": cache,
        }
    ).settings
    request = Request(
        benchmark=benchmark,
        out=out,
        data=folder,
        db=db or "",
        part=Part(sample=sample, seed=seed),
        # A second opinion may be asked for in the other way.
        makeup=Makeup(
            prompts=settings.prompts, max_refinements=settings.max_refinements, candidates=1
        ),
        as_json=as_json,
    )
    return run(request, settings)


@evaluating.command()
def report(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or a folder that holds some.")
    ],
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write one page that needs nothing else."),
    ] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
    force: Annotated[
        bool, typer.Option("--force", help="Compare even runs over different data or rules.")
    ] = False,
) -> int:
    """Show the scores of a run; compare two question by question.

    Of three runs and more, each has a line, and questions are named on which all agree against the
    gold. No model is asked; SQL is run, read-only, to show results on the page.
    """
    from macsql.cli.report import report as run

    if as_markdown and as_json:
        raise typer.BadParameter("--markdown and --json exclude each other; give one of them")
    form: Literal["text", "markdown", "json"] = "text"
    if as_markdown or as_json:
        form = "json" if as_json else "markdown"
    return run(runs, form=form, html=html, force=force)
