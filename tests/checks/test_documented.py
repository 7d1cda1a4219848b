"""Every finding of the checks is explained in docs/checks.md, and nothing else is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKERS = {"Finding", "finding", "_Reason"}


def codes_in(path: Path) -> Iterator[str]:
    """The codes that a module makes findings of, where they are written out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            first = node.args[0]
            if node.func.id in MAKERS and isinstance(first, ast.Constant):
                yield str(first.value)


def test_findings_and_their_page_agree() -> None:
    modules = (
        path for folder in ("checks", "agents") for path in (ROOT / "macsql" / folder).glob("*.py")
    )
    made = {code for path in modules for code in codes_in(path)}
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    written_with_a_clause = {"aggregate-in-where", "aggregate-in-group-by"}
    assert made - documented == set()
    assert documented - made <= written_with_a_clause | {"access-denied", "execution-error"}
