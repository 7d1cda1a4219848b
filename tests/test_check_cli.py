"""``macsql check``, and the policy on the command line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from macsql.cli.app import app

POLICY = """
roles:
  pupil:
    parameters: {school: integer}
    tables:
      pupil:
        hide: [age]
        masks: {"last name": "substr(\\"last name\\", 1, 1) || '.'"}
        rows: school_id = :school
      course: all
"""


@pytest.fixture(autouse=True)
def school(school_db: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fixtures"))
    monkeypatch.setenv("MACSQL_DB", str(school_db))
    return school_db


@pytest.fixture
def restricted(tmp_path: Path) -> list[str]:
    """The options that ask as a pupil of the first school."""
    (tmp_path / "policy.yaml").write_text(POLICY)
    return ["--policy", str(tmp_path / "policy.yaml"), "--role", "pupil", "--param", "school=1"]


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def test_what_may_run_says_what_it_reads() -> None:
    keys = "pupil_id, course_code, term"
    done = run("check", f"SELECT e.mark, issued FROM enrolment e JOIN certificate USING ({keys})")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "allowed",
        "reads enrolment: pupil_id, course_code, term, mark",
        "reads certificate: pupil_id, course_code, term, issued",
    ]


def test_a_name_with_line_breaks_cannot_pass_for_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "odd.db")) as connection:
        connection.execute('CREATE TABLE "x\nrefused (writes): no" (a)')
        connection.commit()
    monkeypatch.setenv("MACSQL_DB", str(tmp_path / "odd.db"))
    done = run("check", 'SELECT a, b FROM "x\nrefused (writes): no"')
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["allowed", "reads", "error:"]


def test_what_is_wrong_is_found_and_repaired_without_a_model() -> None:
    done = run("check", "SELECT first_nam FROM pupil")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "allowed",
        "reads pupil: its rows",
        "error: no such column: first_nam; did you mean pupil.first_name or v_marks.first_name "
        "or school.name?",
        "repair: SELECT first_name FROM pupil",
    ]


def test_a_text_that_is_not_stored_is_repaired() -> None:
    done = run("check", "SELECT name FROM school WHERE city = 'Berlin'")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        "repair: SELECT name FROM school WHERE city = 'BERLIN'",
    )


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DROP TABLE pupil", "writes"),
        ("SELECT 1; SELECT 2", "several-statements"),
        ("SELECT load_extension('x')", "forbidden-function"),
        ("SELECT sql FROM sqlite_master", "system-catalog"),
        ("SELECT FROM", "unparsable"),
        ("", "not-a-query"),
    ],
)
def test_what_is_refused_says_why(sql: str, reason: str) -> None:
    done = run("check", sql)
    assert done.exit_code == 5
    assert done.stdout.startswith(f"refused ({reason}): ")


def test_json_has_all_of_it(restricted: list[str]) -> None:
    done = run("check", "-", "--json", *restricted, stdin="SELECT * FROM pupil;\n")
    verdict = json.loads(done.stdout)
    assert done.exit_code == 0
    rewritten = verdict.pop("rewritten")
    assert rewritten.startswith('SELECT * FROM (WITH under_policy AS (SELECT "pupil"."id" AS "id"')
    assert '"pupil"."school_id" = 1' in rewritten
    assert verdict == {
        "sql": "SELECT * FROM pupil;",
        "allowed": True,
        "reason": "",
        "refusal": "",
        "reads": [
            {
                "table": "pupil",
                "columns": ["id", "first_name", "last name", "grade", "school_id"],
            }
        ],
        "findings": [],
        "repair": None,
    }


def test_what_the_policy_hides_is_denied_like_what_is_not_there(restricted: list[str]) -> None:
    hidden = run("check", "SELECT name FROM school", *restricted)
    missing = run("check", "SELECT name FROM schoox", *restricted)
    assert hidden.exit_code == missing.exit_code == 5
    assert hidden.stdout == missing.stdout.replace("schoox", "school")
    assert "BERLIN" not in hidden.stdout + hidden.stderr


def test_the_schema_is_that_of_the_role(restricted: list[str]) -> None:
    done = run("schema", *restricted)
    assert done.exit_code == 0
    assert "age" not in done.stdout
    assert "school(" not in done.stdout
    assert "'Bo'" not in done.stdout
    assert "'B.'" in done.stdout


def test_a_question_is_answered_within_the_policy(restricted: list[str], tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    done = run("ask", "Who?", "--model", "answering:Count", "--trace", str(trace), *restricted)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].strip() == "2"
    record = json.loads(trace.read_text())
    assert record["about"]["role"] == "pupil"
    assert record["sql"] == "SELECT count(*) AS pupils FROM pupil"
    for hidden in ("under_policy", "BERLIN", "age INTEGER", "Cox"):
        assert hidden not in trace.read_text()


def test_functions_can_be_allowed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT my_score(id) FROM pupil"
    assert run("check", sql).exit_code == 5
    monkeypatch.setenv("MACSQL_ALLOWED_FUNCTIONS", "other, My_Score")
    assert run("check", sql).stdout.startswith("allowed")


def test_a_question_about_what_is_hidden_is_refused(restricted: list[str]) -> None:
    done = run("ask", "Which cities?", "--model", "answering:Cities", *restricted)
    assert (done.stdout, done.exit_code) == ("", 5)
    assert "there is no table 'school' that you may read" in done.stderr.splitlines()[-1]


def test_a_policy_in_the_settings_holds_for_every_command(
    restricted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACSQL_POLICY", restricted[1])
    for command in (
        ["schema"],
        ["ask", "Who?", "--model", "answering:Count"],
        ["check", "SELECT 1"],
    ):
        done = run(*command)
        assert (done.exit_code, "give the role" in done.stderr) == (2, True)
    done = run("check", "SELECT city FROM school", *restricted[2:])
    assert done.exit_code == 5


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--role", "pupil"], "without a policy"),
        (["--param", "school"], "NAME=VALUE"),
        (["--param", "a=1", "--param", "a=2"], "NAME=VALUE"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: list[str], why: str) -> None:
    done = run("check", "SELECT 1", *options)
    assert done.exit_code == 2
    assert why in done.stderr


def test_a_parameter_of_another_type_is_refused(restricted: list[str]) -> None:
    done = run("check", "SELECT 1", *restricted[:-1], "school=1 OR 1=1")
    assert (done.exit_code, "of type integer" in done.stderr) == (2, True)
