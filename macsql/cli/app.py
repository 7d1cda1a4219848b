"""The commands and their options; what they do is in the modules they import when run."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from macsql import __version__
from macsql.cli.checking import checking
from macsql.cli.evaluating import evaluating
from macsql.cli.exits import MEANINGS
from macsql.cli.group import Commands
from macsql.cli.options import (
    BaseUrl,
    Cache,
    Candidates,
    Csv,
    Db,
    Descriptions,
    Examples,
    Json,
    MaxRefinements,
    Model,
    Parameters,
    PolicyFile,
    Price,
    Prompts,
    Prune,
    Role,
    Shots,
    SqlOnly,
    Timeout,
    Without,
)

EPILOG = "Exit codes: " + "; ".join(f"{code} {text}" for code, text in MEANINGS.items()) + "."

app = typer.Typer(
    cls=Commands,
    help="Ask a relational database in plain language: three agents, one checked, read-only query.",
    epilog=EPILOG,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
model_app = typer.Typer(help="Weights of local models.", rich_markup_mode=None)
app.add_typer(model_app, name="model")
app.add_typer(checking)
app.add_typer(evaluating)

ShowPrompts = Annotated[
    bool, typer.Option("--show-prompts", help="Show each message sent to the model, on stderr.")
]
Answer = Literal["text", "json", "csv", "sql"]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"macsql {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command(epilog=EPILOG)
def ask(  # noqa: PLR0913 - one parameter for each option
    question: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    db: Db = None,
    evidence: Annotated[
        str, typer.Option(metavar="TEXT", help="What one has to know to answer the question.")
    ] = "",
    descriptions: Descriptions = None,
    policy: PolicyFile = None,
    role: Role = None,
    param: Parameters = None,
    model: Model = None,
    base_url: BaseUrl = None,
    price: Price = None,
    prompts: Prompts = None,
    shots: Shots = None,
    examples: Examples = None,
    prune: Prune = None,
    without: Without = None,
    max_refinements: MaxRefinements = None,
    candidates: Candidates = None,
    timeout: Timeout = None,
    max_rows: Annotated[
        int | None, typer.Option(metavar="N", help="Rows read of a result.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
    sql_only: SqlOnly = False,
    show_prompts: ShowPrompts = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the first prompt; ask no model, need no weights."),
    ] = False,
    cache: Cache = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record the model's replies to FILE.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answer from a recording, with no model.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Write the trace to FILE.")
    ] = None,
    no_trace: Annotated[bool, typer.Option("--no-trace", help="Leave no trace.")] = False,
) -> int:
    """Answer a question about a database.

    The SQL and its result go to stdout; what the agents do, warnings, time and tokens to stderr.
    """
    from macsql.cli.ask import Request, Shape, show_first_prompt
    from macsql.cli.ask import ask as answer
    from macsql.cli.opening import Caller
    from macsql.config import load_settings

    form = _answer_form(as_json, as_csv, sql_only)
    _at_most_one({"--record": record, "--replay": replay, "--dry-run": dry_run})
    _at_most_one({"--trace": trace, "--no-trace": no_trace})
    settings = load_settings(
        {
            "db": db,
            "policy": policy,
            "model": model,
            "base_url": base_url,
            "price": price,
            "prompts": prompts,
            "examples": examples,
            "max_refinements": max_refinements,
            "candidates": candidates,
            "timeout": timeout,
            "max_rows": max_rows,
            "cache": cache,
            "keep_traces": 0 if no_trace else None,
        }
    ).settings
    request = Request(
        question=_stdin_or(question),
        evidence=_valid(evidence),
        descriptions=descriptions,
        caller=Caller(role, tuple(param or ())),
        shape=Shape(shots=shots, prune=prune, without=tuple(without or ())),
        form=form,
        show_prompts=show_prompts,
        record=record,
        replay=replay,
        trace=trace,
    )
    return (show_first_prompt if dry_run else answer)(request, settings)


@app.command()
def schema(
    db: Db = None,
    form: Annotated[
        Literal["ddl", "mschema", "list"],
        typer.Option(metavar="ddl|mschema|list", help="How the schema is written."),
    ] = "ddl",
    descriptions: Descriptions = None,
    policy: PolicyFile = None,
    role: Role = None,
    param: Parameters = None,
    examples: Annotated[
        int, typer.Option(min=0, max=6, metavar="N", help="Stored values shown for each column.")
    ] = 3,
    as_json: Json = False,
) -> int:
    """Print the schema as a model reads it."""
    from macsql.cli.inspect import print_schema
    from macsql.cli.opening import Caller
    from macsql.config import load_settings

    settings = load_settings({"db": db, "policy": policy}).settings
    caller = Caller(role, tuple(param or ()))
    return print_schema(settings, form, descriptions, examples, caller, as_json=as_json)


@app.command()
def index(
    db: Db = None,
    seconds: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Time to spend; later runs go on.")
    ] = 60,
) -> int:
    """Read the stored values of a large database, so that questions find them at once.

    Without it, each question reads on for a second.
    """
    from macsql.cli.index import index_values
    from macsql.config import load_settings

    return index_values(load_settings({"db": db}).settings, seconds)


@app.command()
def trace(
    file: Annotated[
        Path | None, typer.Argument(help="A trace; without it, the newest one.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
    sql_only: SqlOnly = False,
    show_prompts: ShowPrompts = False,
) -> int:
    """Show again how a question was answered.

    This needs no model and no database.
    """
    from macsql.cli.inspect import print_trace

    return print_trace(file, _answer_form(as_json, as_csv, sql_only), show_prompts=show_prompts)


@app.command()
def settings() -> int:
    """List the settings and where each value came from."""
    from macsql.cli.settings import print_settings

    return print_settings()


@model_app.command("list")
def list_models() -> int:
    """List the weights that can be pulled."""
    from macsql.cli.weights import list_weights

    return list_weights()


@model_app.command("pull")
def pull_model(
    name: Annotated[str, typer.Argument(help="A name from the list; local is the default one.")],
) -> int:
    """Download weights, verified by checksum.

    What is here already is not downloaded again.
    """
    from macsql.cli.weights import pull_weights

    return pull_weights(name)


@model_app.command("path")
def print_model_path(
    name: Annotated[str, typer.Argument(help="A name from the list; local is the default one.")],
) -> int:
    """Print where weights are on this machine."""
    from macsql.cli.weights import print_path

    return print_path(name)


def _answer_form(as_json: bool, as_csv: bool, sql_only: bool) -> Answer:
    _at_most_one({"--json": as_json, "--csv": as_csv, "--sql-only": sql_only})
    if as_json:
        return "json"
    if as_csv:
        return "csv"
    return "sql" if sql_only else "text"


def _at_most_one(options: dict[str, object]) -> None:
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} exclude each other; give one of them")


def _stdin_or(question: str) -> str:
    """The question; for "-" what stdin holds, no more than can be asked."""
    if question != "-":
        return _valid(question)
    import sys

    from macsql.pipeline import MAX_QUESTION

    longest = 4 * MAX_QUESTION + 4
    return sys.stdin.buffer.read(longest).decode("utf-8-sig", "replace").strip()


def _valid(text: str) -> str:
    """An argument as text; bytes that are no UTF-8 become a replacement character."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
