"""``macsql tune``: what a model gains by sub-questions is learnt, kept, and followed."""

import json
import runpy
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from macsql.cli.app import app
from macsql.errors import ConfigError
from macsql.tuned import Trained, remember, steps_pay, tuned_file

FIXTURES = Path(__file__).parent / "fixtures"
ASKED = runpy.run_path(str(FIXTURES / "stepwise.py"))["ASKED"]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACSQL_CONFIG", str(tmp_path / "settings" / "config.toml"))
    monkeypatch.syspath_prepend(str(FIXTURES))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    lines = [
        {"question": question, "gold_sql": f"SELECT {n} - 5"}
        for n, question in enumerate(ASKED, 10)
    ]
    lines.append(
        {"question": "How many pupils are there?", "gold_sql": "SELECT count(*) FROM pupil"}
    )
    file = tmp_path / "train.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def macsql(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def tune(questions: Path, school_db: Path, model: str, *more: object) -> Result:
    out = questions.parent / model
    place = ("--db", school_db, "--out", out, "--model", f"stepwise:{model}")
    return macsql("tune", questions, *place, *more)


@pytest.mark.parametrize(("model", "pays"), [("Stepwise", True), ("Direct", False)])
def test_the_way_that_is_right_more_often_is_learnt_and_followed(
    questions: Path, school_db: Path, model: str, pays: bool
) -> None:
    said = tune(questions, school_db, model, "--json")
    assert said.exit_code == 0, said.stderr
    learnt = json.loads(said.stdout)
    right, wrong = (100.0, 0.0) if pays else (0.0, 100.0)
    assert (learnt["ex_decompose"], learnt["ex_direct"]) == (right, wrong)
    assert (learnt["questions"], learnt["steps_pay"]) == (10, pays)
    run = macsql(
        *("eval", questions, "--db", school_db, "--out", questions.parent / "run", "--json"),
        *("--model", f"stepwise:{model}", "--limit", 2),
    )
    assert run.exit_code == 0, run.stderr
    manifest = json.loads((questions.parent / "run" / "run.json").read_text())
    assert manifest["options"]["steps_pay"] is pays


def test_the_same_command_again_goes_on_and_learns_the_same(
    questions: Path, school_db: Path
) -> None:
    first = tune(questions, school_db, "Stepwise", "--json")
    again = tune(questions, school_db, "Stepwise", "--json")
    assert (again.exit_code, again.stdout) == (0, first.stdout), again.stderr


def test_it_says_what_was_learnt_in_words(questions: Path, school_db: Path) -> None:
    said = tune(questions, school_db, "Direct")
    assert "10 questions with steps: EX 100.0 % at once, 0.0 % by sub-questions" in said.stdout
    assert "Sub-questions do not pay: every question is asked at once." in said.stdout


def test_questions_without_steps_teach_nothing(tmp_path: Path, school_db: Path) -> None:
    file = tmp_path / "train.jsonl"
    line = {"question": "How many pupils are there?", "gold_sql": "SELECT count(*) FROM pupil"}
    file.write_text(json.dumps(line))
    said = tune(file, school_db, "Direct")
    assert said.exit_code != 0
    assert "nothing to learn from it" in said.stderr
    assert not tuned_file().exists()


def test_what_may_be_chance_decides_nothing() -> None:
    remember("some-model", Trained(questions=20, won=3, lost=2, p=1.0))
    assert steps_pay("some-model") is None
    assert steps_pay("another-model") is None


def test_what_was_learnt_of_other_models_stays() -> None:
    remember("one", Trained(30, won=9, lost=1, p=0.02))
    remember("other", Trained(30, won=0, lost=0, p=1.0))
    remember("other", Trained(60, won=0, lost=4, p=0.12))
    assert (steps_pay("one"), steps_pay("other")) == (True, False)


def test_a_damaged_file_is_one_line_that_says_what_to_do(school_db: Path) -> None:
    tuned_file().parent.mkdir(parents=True)
    tuned_file().write_text("{")
    with pytest.raises(ConfigError, match="delete it, and run macsql tune again"):
        steps_pay("any")
    said = macsql("ask", "How many pupils?", "--db", school_db, "--model", "stepwise:Direct")
    assert said.exit_code != 0
    assert "Traceback" not in said.stderr
