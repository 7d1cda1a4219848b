"""``macsql eval`` as people run it: stopped, killed, run twice, on a full disk, gone on with."""

import json
import os
import re
import runpy
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import typer
from typer.testing import CliRunner, Result

from macsql.cli.app import app
from macsql.evaluation.folder import RunFolder

WaitUntil = Callable[[Callable[[], bool]], None]
ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
TOY = runpy.run_path(str(FIXTURES / "evaluated.py"))
ASKED, RIGHT = TOY["ASKED"], TOY["RIGHT"]
PYTHONPATH = f"{FIXTURES}{os.pathsep}{ROOT}"
RECIPES = sorted(p for p in (ROOT / "runs").glob("*.sh") if p.name != "settings.sh")
LEVELS = ["simple", "challenging"]
ONCE = Counter(list(RIGHT))
IS_WINDOWS = sys.platform == "win32"


@pytest.fixture(autouse=True)
def fixtures_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FIXTURES))


@pytest.fixture
def own(tmp_path: Path, school_db: Path) -> Path:
    """The questions as a file of one's own."""
    lines = [
        {"id": f"q{i}", "question": question, "gold_sql": gold, "difficulty": "simple"}
        for i, (question, gold, *_) in enumerate(ASKED)
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def arguments(own: Path, *more: str) -> list[str]:
    place, run = own.parent / "school.sqlite", own.parent / "run"
    model = [] if "--model" in more or "--replay" in more else ["--model", "evaluated:School"]
    once = [] if "--candidates" in more else ["--candidates", "1"]
    return ["eval", str(own), "--db", str(place), "--out", str(run), *model, *once, *more]


def evaluate(own: Path, *more: str) -> Result:
    """Run in this process; the model of ``fixtures/evaluated.py`` unless another is named."""
    return CliRunner().invoke(app, [*arguments(own, "--judges", "1"), *more])


def start(own: Path, *more: str, answers: int = 1000, code: str = "") -> "subprocess.Popen[str]":
    """Start a run as a process: the model hangs after so many answers; ``code`` comes first."""
    script = f"import sys\n{code}\nfrom macsql.cli.app import app\napp()"
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments(own, *more)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "ANSWERS": str(answers),
        },
        start_new_session=True,
    )


def has_answers(own: Path, count: int) -> bool:
    file = own.parent / "run" / "answers.jsonl"
    return file.exists() and file.read_bytes().count(b"\n") >= count


def ids_in(file: Path) -> Counter[str]:
    return Counter(json.loads(line)["id"] for line in file.read_text().splitlines())


def verdicts(own: Path) -> dict[str, bool]:
    return {id_: v.ex for id_, v in RunFolder.open(own.parent / "run").verdicts.items()}


# A whole run


def test_a_run_prints_its_scores_and_keeps_them(own: Path) -> None:
    done = evaluate(own)
    assert done.exit_code == 0, done.output
    assert "50.0" in done.stdout
    assert verdicts(own) == RIGHT
    summary = json.loads((own.parent / "run" / "summary.json").read_text())
    assert summary["scores"]["ex"]["value"] == 0.5
    assert summary["scores"]["ex"]["n"] == len(ASKED)
    folder = RunFolder.open(own.parent / "run")
    assert folder.manifest.model == "scripted"
    assert folder.manifest.agents == ("selector", "decomposer", "refiner")
    assert folder.manifest.ended
    assert {a.trace for a in folder.answers.values()} == {f"traces/{i}.json" for i in RIGHT}
    # Again, nothing is asked, and JSON is one document on stdout.
    again = evaluate(own, "--json")
    assert json.loads(again.stdout) == summary
    assert ids_in(own.parent / "run" / "answers.jsonl") == ONCE


@pytest.mark.parametrize(
    ("more", "ids"),
    [
        (["--sample", "3", "--seed", "1", "--baseline"], None),
        (["--sample", "ids.txt", "--limit", "1"], {"q2"}),
    ],
)
def test_a_part_is_asked_and_named_so(
    own: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], ids: set[str] | None
) -> None:
    monkeypatch.chdir(own.parent)
    Path("ids.txt").write_text("q5\nq2\n")
    assert evaluate(own, *more).exit_code == 0
    folder = RunFolder.open(own.parent / "run")
    assert set(folder.answers) == (ids or set(folder.manifest.ids))
    assert len(folder.answers) < len(RIGHT)
    assert folder.manifest.benchmark != "own.jsonl"


def test_going_on_with_other_options_is_refused(own: Path) -> None:
    assert evaluate(own).exit_code == 0
    for more, said in (
        (["--shots", "1"], "shots is 2 there, 1 now"),
        (["--prompts", "paper"], "prompts is default there, paper now"),
        (["--without", "refiner"], "agents is selector, decomposer, refiner there"),
        (["--baseline"], "baseline now"),
        (["--limit", "3"], "the questions differ (8 there, 3 now)"),
        (["--timeout", "5"], "timeout is 30.0 there, 5.0 now"),
        (["--oracle-schema"], "oracle_schema is False there, True now"),
    ):
        refused = evaluate(own, *more)
        assert refused.exit_code == 2
        assert said in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_going_on_with_other_rows_is_refused(own: Path) -> None:
    assert evaluate(own).exit_code == 0
    connection = sqlite3.connect(own.parent / "school.sqlite")
    with connection:
        connection.execute("DELETE FROM enrolment")
    connection.close()
    refused = evaluate(own)
    assert refused.exit_code == 2
    assert "its databases had other data (school)." in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_file_that_is_no_database_is_refused_before_a_model_is_asked(own: Path) -> None:
    (own.parent / "school.sqlite").write_bytes(b"no database, " * 300)
    refused = evaluate(own)
    assert refused.exit_code == 4
    assert "is not a SQLite database" in refused.stderr
    assert not (own.parent / "run").exists()


@pytest.mark.parametrize(
    "more",
    [
        ["--baseline", "--oracle-schema"],
        ["--baseline", "--without", "refiner"],
        ["--record", "a", "--replay", "b"],
        ["--workers", "0"],
        ["--prompts", "nowhere"],
        ["--sample", "nowhere"],
    ],
)
def test_options_that_make_no_sense_are_one_line(own: Path, more: list[str]) -> None:
    refused = evaluate(own, *more)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("macsql: ")
    assert refused.stderr.count("\n") == 1
    assert not (own.parent / "run" / "answers.jsonl").exists()


def test_replies_from_cache_or_recording_are_marked_and_give_the_same_verdicts(own: Path) -> None:
    cache, recording = str(own.parent / "cache"), str(own.parent / "recording.jsonl")
    run = own.parent / "run"
    assert evaluate(own, "--cache-dir", cache, "--record", recording).exit_code == 0
    paid = RunFolder.open(run)
    for more in (["--cache-dir", cache], ["--replay", recording]):
        run.rename(own.parent / f"before{more[0]}")
        assert evaluate(own, *more).exit_code == 0
        assert verdicts(own) == RIGHT
        again = RunFolder.open(run)
        for id_ in RIGHT:
            before, after = paid.answers[id_].usage, again.answers[id_].usage
            assert (before.replayed, after.replayed) == (0, after.calls)
            assert (before.input_tokens, before.calls) == (after.input_tokens, after.calls)


def test_a_model_that_is_gone_ends_the_run_in_one_line(own: Path) -> None:
    done = evaluate(own, "--model", "evaluated:Gone")
    assert done.exit_code == 3
    assert "3 questions in a row without a reply: the model is asleep" in done.stderr


# Interruptions


@pytest.mark.skipif(IS_WINDOWS, reason="there is no SIGKILL")
def test_a_killed_run_goes_on_with_nothing_lost_or_doubled(
    own: Path, wait_until: WaitUntil
) -> None:
    with start(own, "--workers", "2", answers=3) as killed:
        wait_until(lambda: has_answers(own, 3))
        killed.kill()
    kept = ids_in(own.parent / "run" / "answers.jsonl")
    assert (kept.total(), set(kept.values())) == (3, {1})
    done = evaluate(own)
    assert done.exit_code == 0, done.output
    for name in ("answers.jsonl", "verdicts.jsonl"):
        assert ids_in(own.parent / "run" / name) == ONCE
    assert verdicts(own) == RIGHT


@pytest.mark.skipif(IS_WINDOWS, reason="there is no SIGINT for a group")
@pytest.mark.parametrize("workers", ["1", "3"])
def test_ctrl_c_keeps_what_ended_and_says_how_to_go_on(
    own: Path, workers: str, wait_until: WaitUntil
) -> None:
    with start(own, "--workers", workers, answers=2) as stopped:
        wait_until(lambda: has_answers(own, 2))
        os.killpg(stopped.pid, signal.SIGINT)
        out, err = stopped.communicate(timeout=30)
    assert stopped.returncode == 130
    assert out == ""
    assert "run the same command again to go on" in err
    assert "Traceback" not in err
    kept = ids_in(own.parent / "run" / "answers.jsonl")
    assert (kept.total(), set(kept.values())) == (2, {1})


def test_a_second_process_on_the_folder_is_refused(own: Path, wait_until: WaitUntil) -> None:
    with start(own, answers=1) as first:
        wait_until(lambda: has_answers(own, 1))
        refused = evaluate(own)
        first.kill()
    assert refused.exit_code == 2
    assert "Another process is at work in" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.skipif(IS_WINDOWS, reason="Windows has no limit on a file's size")
def test_a_full_disk_is_one_line_and_keeps_what_ended(own: Path) -> None:
    # More questions, so that all traces fit below the limit and the file of answers does not.
    lines = [json.loads(line) for line in own.read_text().splitlines()] * 4
    more = [{**line, "id": f"{line['id']}-{i}"} for i, line in enumerate(lines)]
    own.write_text("".join(json.dumps(line) + "\n" for line in more))
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))"
    with start(own, "--baseline", code=limit) as full:
        _, err = full.communicate(timeout=60)
    assert full.returncode == 2, err
    # Whichever grows past the limit first.
    said = r"(answers|verdicts)\.jsonl cannot be written: File too large\. What was finished"
    assert re.search(said, err), err
    assert "Traceback" not in err
    kept = ids_in(own.parent / "run" / "answers.jsonl")
    assert 1 < kept.total() < len(lines)
    assert set(kept.values()) == {1}


# Recipes


@pytest.mark.skipif(IS_WINDOWS, reason="the recipes are shell scripts")
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda p: p.stem)
def test_the_commands_of_a_recipe_parse(recipe: Path, tmp_path: Path) -> None:
    printing = tmp_path / "print.sh"
    printing.write_text('for word in "$@"; do printf "%s\\0" "$word"; done; echo\n')
    said = subprocess.run(
        ["sh", str(recipe)],
        env={
            **os.environ,
            "MACSQL": f"sh {printing}",
            "DATA": str(tmp_path),
            "SAMPLE": "20",
            "OPTIONS": "--workers 4 --cache",
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    commands = [line.split("\0")[:-1] for line in said.splitlines()]
    assert {words[0] for words in commands} == {"eval", "report"}
    made = {words[words.index("--out") + 1] for words in commands if words[0] == "eval"}
    assert made == {folder for words in commands if words[0] == "report" for folder in words[1:]}
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group) or hasattr(group, "commands")
    for name, *words in commands:
        command = group.commands[name]  # type: ignore[attr-defined]
        command.make_context(name, list(words))


@pytest.mark.skipif(IS_WINDOWS, reason="the recipes are shell scripts")
def test_a_recipe_runs_from_start_to_end(tmp_path: Path, school_db: Path) -> None:
    bird = tmp_path / "data" / "bird"
    (bird / "dev_databases" / "school").mkdir(parents=True)
    school_db.rename(bird / "dev_databases" / "school" / "school.sqlite")
    (bird / "dev_tables.json").write_text("[]")
    entries = [
        {"question_id": i, "db_id": "school", "question": q, "SQL": gold, "difficulty": level}
        for i, ((q, gold, *_), level) in enumerate(zip(ASKED, LEVELS * 4, strict=True))
    ]
    (bird / "dev.json").write_text(json.dumps(entries))
    done = subprocess.run(
        ["sh", str(ROOT / "runs" / "difficulty.sh")],
        env={
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "MACSQL": f"{shlex.quote(sys.executable)} -m macsql",
            "MODEL": "evaluated:School",
            "DATA": str(tmp_path / "data"),
            "OUT": str(tmp_path / "out"),
            "SETS": "bird",
            "SAMPLE": "",
            "OPTIONS": "--judges 1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folder = RunFolder.open(tmp_path / "out" / "main-bird")
    assert {f"q{id_}": v.ex for id_, v in folder.verdicts.items()} == RIGHT
    assert "By difficulty" in done.stdout
