"""Options that several commands share, and where each answer goes."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer


class Component(StrEnum):
    """What can be left out: an agent, or work that agents do without a model."""

    SELECTOR = "selector"
    DECOMPOSER = "decomposer"
    REFINER = "refiner"
    LINKING = "linking"
    REPAIR = "repair"


Db = Annotated[
    str | None, typer.Option("--db", metavar="FILE|URL", help="The database: a file or a URL.")
]
Descriptions = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="What tables and columns mean: a YAML or CSV file, or BIRD's database_description.",
    ),
]
PolicyFile = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE", help="Who may see what: an access policy in YAML."),
]
Role = Annotated[
    str | None, typer.Option("--role", metavar="NAME", help="The role of the policy that asks.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="A value that the policy's row filters ask for. May be repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV (RFC 4180).")]
SqlOnly = Annotated[bool, typer.Option("--sql-only", help="Print the SQL alone.")]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="local, local:NAME-or-FILE, openai:MODEL, anthropic:MODEL, azure:DEPLOYMENT, "
        "ollama:MODEL, vllm:MODEL, llamacpp:MODEL, or package.module:Class.",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Address of an OpenAI-compatible server.")
]
Price = Annotated[
    str | None,
    typer.Option(
        metavar="IN,CACHED,OUT",
        help="US dollars for a million tokens read, read from cache, and written.",
    ),
]
Prompts = Annotated[
    str | None,
    typer.Option(metavar="NAME|DIR", help="Prompt set: default, paper, or a folder."),
]
Shots = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=8,
        metavar="N",
        help="Worked examples in the Decomposer's prompt; over 2, selected ones.",
    ),
]
Examples = Annotated[
    str | None,
    typer.Option(
        metavar="fixed|builtin|FILE",
        help="Worked examples: the prompt set's, or those that fit the question best, of the ones "
        "that come with macsql or of a JSON file of questions with SQL.",
    ),
]
Prune = Annotated[
    Literal["auto", "paper", "never"] | None,
    typer.Option(
        metavar="auto|paper|never",
        help="Whether the model prunes the schema: if too large, by the paper's rule, never.",
    ),
]
Without = Annotated[
    list[Component] | None,
    typer.Option(
        metavar="PART",
        help="Leave out an agent (selector, decomposer, refiner), or what agents do without a "
        "model: linking (of names and values), repair (of SQL). May be repeated.",
    ),
]
MaxRefinements = Annotated[
    int | None, typer.Option(metavar="N", help="Times the model may rewrite SQL that failed.")
]
Candidates = Annotated[
    str | None,
    typer.Option(
        metavar="auto|N",
        help="Attempts at the SQL, of which the result most agree on wins: N, or up to three where "
        "the first is in doubt.",
    ),
]
Timeout = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Time a query may run in the database.")
]
Cache = Annotated[
    bool | None, typer.Option(help="Keep the model's replies on disk, and pay for each once.")
]
