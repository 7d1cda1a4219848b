"""Every prompt, rendered. ``pytest --update-golden`` rewrites the files; read their diff."""

from pathlib import Path

import pytest

from macsql.errors import ConfigError
from macsql.message import Finding
from macsql.prompts import PromptSet, list_prompt_sets
from macsql.schema import Column, ForeignKey, Schema, Table
from macsql.shots import WorkedExample

GOLDEN = Path(__file__).parent / "golden"
LIBRARY = Schema(
    "sqlite",
    (
        Table(
            "member",
            (
                Column("id", "INTEGER"),
                Column("full name", "TEXT", "first and last name", (None, "Ada O'Neil")),
            ),
            ("id",),
        ),
        Table(
            "loan",
            (Column("member_id", "INTEGER"), Column("due", "DATE", "", ("2024-05-01",))),
            (),
            (ForeignKey(("member_id",), "member", ("id",)),),
        ),
    ),
    name="library",
)
QUESTION = {"question": "Which members have a loan due in May 2024?", "evidence": "due is a date"}
ASKED = {
    **QUESTION,
    "focus": "member, loan.due",
    "values": "loan.due = '2024-05-01'",
    "examples": (),
}
FAILED = {
    **QUESTION,
    "sql": "SELECT name FROM member",
    "error": "no such column: name",
    "findings": (
        Finding("unknown-column", "error", "There is no column name.", 'Did you mean "full name"?'),
    ),
}
CASES: dict[str, tuple[str, dict[str, object]]] = {
    "selector": ("selector", QUESTION),
    **{
        f"decomposer-{style}-{shots}": ("decomposer", {**ASKED, "shots": shots, "style": style})
        for style in ("direct", "decompose")
        for shots in (0, 1, 2)
    },
    "decomposer-selected": (
        "decomposer",
        {
            **ASKED,
            "shots": 2,
            "style": "direct",
            "examples": (
                WorkedExample("How many ports are there?", "SELECT COUNT(*) FROM port", "ferries"),
                WorkedExample(
                    "Which ports are\nopen?",
                    "SELECT name FROM port WHERE is_open = 1",
                    "ferries",
                    "open refers to is_open = 1",
                ),
            ),
            "is_foreign": True,
        },
    ),
    "decomposer-bare": (
        "decomposer",
        {
            "question": "Who?",
            "evidence": "",
            "focus": "",
            "values": "",
            "examples": (),
            "shots": 0,
            "style": "direct",
        },
    ),
    "baseline": ("baseline", QUESTION),
    "baseline-bare": ("baseline", {"question": "Who?", "evidence": ""}),
    "refiner-error": (
        "refiner",
        {**FAILED, "was_repaired": False, "sub_results": [], "more_schema": ""},
    ),
    "refiner-repaired-empty": (
        "refiner",
        {
            **FAILED,
            "error": "",
            "findings": (Finding("empty-result", "warning", "The query returns no rows."),),
            "was_repaired": True,
            "sub_results": [("How old is Ann?", "13 | 14")],
            "more_schema": "CREATE TABLE loan (\n  id INTEGER\n);",
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", list_prompt_sets())
def test_rendered_prompt(name: str, case: str, request: pytest.FixtureRequest) -> None:
    agent, variables = CASES[case]
    conversation = PromptSet.load(name).render(agent, LIBRARY, **variables)
    text = "\n".join(f"--- {m['role']} ---\n{m['content']}" for m in conversation) + "\n"
    golden = GOLDEN / name / f"{case}.txt"
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_variable_that_is_missing_is_an_error_not_an_empty_place() -> None:
    with pytest.raises(ConfigError, match=r"selector\.md\.j2"):
        PromptSet.load("default").render("selector", LIBRARY, question="Who?")


def test_an_unknown_set_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="default, paper"):
        PromptSet.load("nowhere")


def test_a_folder_of_ones_own_is_a_set(tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text('schema_form = "mschema"\n')
    (tmp_path / "decomposer.md.j2").write_text(
        "{% block user %}{{ question }} {{ schema }}{% endblock %}"
    )
    (message,) = PromptSet.load(tmp_path).render("decomposer", LIBRARY, question="Who?")
    assert message["role"] == "user"
    assert message["content"].startswith("Who? [Database] library")


@pytest.mark.parametrize(
    "text", ["colour = 1", "shots = ", "shots = 9", 'schema_form = "x"', "\xff"]
)
def test_bad_settings_of_a_set_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "set.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"set\.toml"):
        PromptSet.load(tmp_path)


def test_text_of_the_database_is_not_taken_for_a_template() -> None:
    (_, user) = PromptSet.load("default").render(
        "selector", LIBRARY, question="{{ 7 * 7 }} {% raw %}", evidence=""
    )
    assert "{{ 7 * 7 }} {% raw %}" in user["content"]
