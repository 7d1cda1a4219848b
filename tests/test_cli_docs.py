"""docs/cli.md says what the program says: its reference blocks are generated from it.

``pytest tests/test_cli_docs.py --update-golden`` writes them anew.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from macsql.cli.app import app
from macsql.cli.exits import MEANINGS
from macsql.config import ENV_PREFIX, FOLDER_VARIABLES, Settings

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- generated: (?P<name>[\w ]+) -->\n)(?P<text>.*?)(<!-- end -->)", re.S)
ROOT = get_command(app)


def commands() -> dict[str, Any]:
    """Every command by its words: "ask", "model pull"."""
    found: dict[str, Any] = {}

    def visit(command: Any, words: tuple[str, ...]) -> None:
        if not hasattr(command, "commands"):
            found[" ".join(words)] = command
        for name, inner in getattr(command, "commands", {}).items():
            visit(inner, (*words, name))

    visit(ROOT, ())
    return found


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(heads)
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines
    )


def spelled(parameter: Any) -> str:
    """How the parameter is written: ``--db FILE|URL``, ``--cache / --no-cache``."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    names = " / ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return f"`{names}`"
    return f"`{names} {parameter.metavar}`"


def reference(command: Any, words: str) -> str:
    documented = [p for p in command.params if p.name != "help"]
    arguments = [p for p in documented if p.param_type_name == "argument"]
    usage = [f"macsql {words}".strip()]
    usage += [a.name.upper() if a.required else f"[{a.name.upper()}]" for a in arguments]
    usage += ["[OPTIONS]"] if len(documented) > len(arguments) else []
    text = f"`{' '.join(usage)}`\n\n{command.help.strip()}\n"
    if documented:
        text += "\n" + table(("", "meaning"), ((spelled(p), p.help) for p in documented))
    return text


def settings_table() -> str:
    rows = (
        (
            f"`{f.name}`",
            "–" if f.default == "" else f"`{f.default}`",
            f.metadata["meaning"],
            f"`{ENV_PREFIX}{f.name.upper()}`",
        )
        for f in fields(Settings)
    )
    return table(("setting", "default", "meaning", "variable"), rows)


def generators() -> dict[str, Callable[[], str]]:
    def of(command: Any, words: str) -> Callable[[], str]:
        return lambda: reference(command, words)

    return {
        **{
            words: of(command, words)
            for words, command in commands().items()
            if words != "settings"
        },
        "settings command": lambda: reference(commands()["settings"], "settings"),
        "settings": settings_table,
        "variables": lambda: table(
            ("variable", "meaning"), ((f"`{v}`", text) for v, text in FOLDER_VARIABLES.items())
        ),
        "exit codes": lambda: table(
            ("code", "meaning"), ((str(code), text) for code, text in MEANINGS.items())
        ),
        "macsql": lambda: reference(ROOT, ""),
    }


def test_the_page_is_what_the_program_says(request: pytest.FixtureRequest) -> None:
    made = {name: generate() for name, generate in generators().items()}
    page = PAGE.read_text(encoding="utf-8")
    fresh = BLOCK.sub(lambda m: f"{m[1]}{made[m['name']]}{m[4]}", page)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(fresh, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == fresh, "run pytest --update-golden"


def test_every_command_setting_and_exit_code_has_its_block() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert {m["name"] for m in BLOCK.finditer(page)} == set(generators())


def test_every_parameter_has_a_meaning() -> None:
    for words, command in commands().items():
        assert command.help, words
        for parameter in command.params:
            assert parameter.help, (words, parameter.name)
