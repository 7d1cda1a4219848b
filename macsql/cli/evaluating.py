"""The commands for measuring: score, eval and report; what they do is in modules of that name."""

from pathlib import Path
from typing import Annotated

import typer

from macsql.cli.options import Json

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


@evaluating.command()
def score(
    benchmark: BenchmarkName,
    predictions: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="SQL of a system, in any usual form. May be repeated."),
    ],
    folder: BenchmarkFolder = None,
    as_json: Json = False,
) -> int:
    """Score files of predicted SQL; no model is asked."""
    from macsql.cli.score import score as run

    return run(benchmark, predictions, folder, as_json=as_json)


@evaluating.command("eval")
def evaluate(
    benchmark: BenchmarkName,
    folder: BenchmarkFolder = None,
) -> int:
    """Answer the questions of a benchmark and score the answers."""
    from macsql.cli.eval import evaluate as run

    return run(benchmark, folder)


@evaluating.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.")],
    as_json: Json = False,
) -> int:
    """Show the scores of a run, or compare runs question by question."""
    from macsql.cli.report import report as run

    return run(runs, as_json=as_json)
