"""Imports point down, files stay short, public names are listed and complete."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "macsql"
FILES = sorted(PACKAGE.rglob("*.py"))

# Lowest first. What stands in one row may not import each other, except where said below.
LAYERS = [
    {"errors", "names", "chat", "redaction", "folders", "schema", "schema_text"},
    {"llm", "database", "prompts"},
    {"message", "message_json", "regions", "spelling"},
    {"parsing", "linking", "checks", "shots"},
    {"agents"},
    {"pipeline", "config", "records", "tuned"},
    {"cli", "show", "web", "evaluation", "training"},
]
SAME_LAYER = {
    ("schema", "names"),
    ("schema_text", "schema"),
    ("schema_text", "names"),
    ("message_json", "message"),
    ("message", "message_json"),
    ("spelling", "regions"),
    ("shots", "linking"),
    ("tuned", "config"),
    ("cli", "show"),
    ("cli", "evaluation"),
}
ONLY_IN = {
    "sqlalchemy": {"database"},
    "sqlite3": {"database"},
    "jinja2": {"prompts", "evaluation"},  # there for the HTML report, which escapes by itself
    "openai": {"llm"},
    "anthropic": {"llm"},
    "httpx": {"llm", "web"},
    "urllib": {"llm", "web", "database", "redaction"},
}


def unit(path: Path) -> str:
    """The first name below the package: "agents" for agents/base.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module that the file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def layer(name: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    here = unit(path)
    if here in ("__init__", "__main__"):
        return
    for module in imports(path):
        if not module.startswith("macsql.") or module.split(".")[1] == here:
            continue
        there = module.split(".")[1]
        allowed = layer(there) < layer(here) or (here, there) in SAME_LAYER
        assert allowed, f"{here} may not import {there}"


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_a_library_is_known_to_its_own_layer_only(library: str) -> None:
    users = {unit(p) for p in FILES if any(m.split(".")[0] == library for m in imports(p))}
    assert users <= ONLY_IN[library]


def test_files_stay_short() -> None:
    lines = {str(p.relative_to(PACKAGE)): len(p.read_text().splitlines()) for p in FILES}
    assert {name: count for name, count in lines.items() if count > 400} == {}


def test_importing_the_package_opens_nothing_and_prints_nothing() -> None:
    code = (
        "import sys, macsql; "
        "heavy = {'sqlglot', 'sqlalchemy', 'openai', 'jinja2', 'typer', 'rich', 'xllamacpp'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")


@pytest.mark.parametrize("name", ["macsql", "macsql.database", "macsql.llm", "macsql.agents"])
def test_every_public_name_exists_once(name: str) -> None:
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, public) for public in module.__all__)
