"""``macsql score``: figures, what is kept, what is said about files that are wrong, Ctrl-C."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from macsql.cli.app import app
from macsql.evaluation.benchmark import open_benchmark

WaitUntil = Callable[[Callable[[], bool]], None]
DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
needs_data = pytest.mark.skipif(
    not (DATA / "spider" / "dev.json").exists(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)

QUESTIONS = [
    ("How many pupils are there?", "SELECT count(*) FROM pupil"),
    ("Name the schools.", "SELECT name FROM school"),
    ("Which schools are in Rome?", "SELECT name FROM school WHERE city = 'ROME'"),
    ("Name the cities, oldest school first.", "SELECT city FROM school ORDER BY founded"),
]
RIGHT = [sql for _, sql in QUESTIONS]
SLOW = (
    "SELECT count(*) - count(*) + 5 FROM "
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i FROM n)"
)


@pytest.fixture
def data(tmp_path: Path, school_db: Path) -> Path:
    """A folder with a Spider and a BIRD of four questions on the school database."""
    for folder in (tmp_path / "spider" / "database", tmp_path / "bird" / "dev_databases"):
        (folder / "school").mkdir(parents=True)
        (folder / "school" / "school.sqlite").write_bytes(school_db.read_bytes())
    spider = [{"db_id": "school", "question": q, "query": sql} for q, sql in QUESTIONS]
    bird = [
        {
            "question_id": 10 * (i + 1),
            "db_id": "school",
            "question": q,
            "SQL": sql,
            "difficulty": "simple" if i < 3 else "challenging",
        }
        for i, (q, sql) in enumerate(QUESTIONS)
    ]
    (tmp_path / "spider" / "dev.json").write_text(json.dumps(spider))
    (tmp_path / "spider" / "tables.json").write_text("[]")
    (tmp_path / "bird" / "dev.json").write_text(json.dumps(bird))
    (tmp_path / "bird" / "dev_tables.json").write_text("[]")
    return tmp_path


def write_sql(folder: Path, *statements: str, name: str = "p.sql") -> Path:
    (folder / name).write_text("".join(f"{sql}\n" for sql in statements))
    return folder / name


def score(*arguments: str | Path, data: Path | None = None) -> Result:
    words = ["score", *map(str, arguments), "--workers", "1"]
    return CliRunner().invoke(app, [*words, "--data", str(data)] if data else words)


def document(*arguments: str | Path, data: Path | None = None) -> dict[str, Any]:
    done = score(*arguments, "--json", data=data)
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


# Figures


def test_spider_percentages_stand_at_the_top(data: Path) -> None:
    file = write_sql(data, RIGHT[0], "SELECT name, city FROM school", "", f"{RIGHT[3]} DESC")
    found = document("spider", "--predictions", file, data=data)
    assert list(found)[:5] == ["n", "ex", "ex_strict", "em", "valid_sql"]
    assert (found["n"], found["ex"], found["ex_strict"], found["em"], found["valid_sql"]) == (
        4,
        25.0,
        25.0,
        25.0,
        75.0,
    )
    assert found["benchmark"] == "Spider dev (4 of 1,034)"
    assert found["checksum"] == open_benchmark("spider", data).checksum
    assert found["counts"]["gold_empty"] == 1
    assert found["ids"]["gold_empty"] == ["2"]
    assert found["scores"]["ex"]["n"] == 4
    assert 0 < found["scores"]["ex"]["low"] < 0.25 < found["scores"]["ex"]["high"] < 1
    assert set(found["groups"]["database"]) == {"school"}


def test_bird_percentages_stand_at_the_top(data: Path) -> None:
    keyed = {str(i): f"{sql}\t----- bird -----\tschool" for i, sql in enumerate(RIGHT[:2])}
    keyed |= {"2": "SELECT nothing", "3": f"{RIGHT[3]} DESC"}
    (data / "p.json").write_text(json.dumps(keyed))
    found = document("bird", "--predictions", data / "p.json", data=data)
    assert list(found)[:5] == ["n", "ex", "ex_strict", "soft_f1", "valid_sql"]
    assert (found["n"], found["ex"], found["ex_strict"], found["valid_sql"]) == (4, 75, 50, 75)
    assert found["benchmark"] == "rebuilt BIRD subset (dev, 4 of 1,534)"
    assert set(found["groups"]["difficulty"]) == {"simple", "challenging"}


def test_questions_of_ones_own(data: Path, school_db: Path) -> None:
    lines = [json.dumps({"question": q, "sql": sql}) for q, sql in QUESTIONS]
    (data / "my.jsonl").write_text("\n".join(lines))
    write_sql(data, *RIGHT[:3], "SELECT 1")
    options = ("--predictions", data / "p.sql", "--db", school_db)
    found = document(data / "my.jsonl", *options)
    assert (found["benchmark"], found["n"], found["ex"]) == ("my.jsonl", 4, 75.0)
    (data / "my.jsonl").write_text("\n".join([*lines[:2], "{}"]))
    done = score(data / "my.jsonl", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "line 3 of my.jsonl: no field question" in done.stderr


def test_the_table_is_for_people(data: Path) -> None:
    file = write_sql(data, *RIGHT)
    done = score("spider", "--predictions", file, data=data)
    assert done.exit_code == 0
    assert any(line.split()[:2] == ["EX", "100.0"] for line in done.stdout.splitlines())
    assert "Spider dev (4 of 1,034)" in done.stderr
    assert "p: 4/4 judged, EX 100.0 %" in done.stderr


def test_several_files_have_a_line_and_a_folder_each(data: Path) -> None:
    good = write_sql(data, *RIGHT, name="good.sql")
    bad = write_sql(data, "", "", "", "", name="bad.sql")
    options = ("spider", "--out", data / "out", "--predictions", good)
    done = score(*options, bad, data=data)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:3] for line in lines if line and line[0] in ("good", "bad")] == [
        ["good", "4", "100.00"],
        ["bad", "4", "0.00"],
    ]
    assert len(read_verdicts(data / "out" / "good")) == 4
    assert [v["ex"] for v in read_verdicts(data / "out" / "bad").values()] == [False] * 4
    found = document(*options, "--predictions", bad, data=data)
    assert [(run["model"], run["ex"]) for run in found["runs"]] == [("good", 100.0), ("bad", 0.0)]


def test_a_part_is_not_called_by_the_name_of_the_whole(data: Path) -> None:
    (data / "samples.json").write_text('{"two": [1, 3]}')
    whole = write_sql(data, "", RIGHT[1], "", "")
    found = document("spider", "--predictions", whole, "--sample", "two", data=data)
    assert found["benchmark"] == "Spider dev (4 of 1,034) (sample two)"
    assert (found["n"], found["ex"]) == (2, 50.0)
    part = write_sql(data, *RIGHT[1::2])
    assert document("spider", "--predictions", part, "--sample", "two", data=data)["ex"] == 100.0


def test_further_databases_must_agree_too(data: Path) -> None:
    suite = data / "suite" / "school"
    suite.mkdir(parents=True)
    other = suite / "other.sqlite"
    other.write_bytes((data / "spider/database/school/school.sqlite").read_bytes())
    with sqlite3.connect(other) as connection:
        connection.execute("INSERT INTO pupil VALUES (6, 'Flo', 'Gil', 9, '1', 1)")
    connection.close()
    file = write_sql(data, "SELECT 5", *RIGHT[1:])
    options = ("spider", "--predictions", file)
    assert document(*options, data=data)["ex"] == 100.0
    found = document(*options, "--test-suite", data / "suite", data=data)
    assert (found["ex"], found["benchmark"]) == (75.0, "Spider dev (4 of 1,034)")
    assert found["ex_strict"] == 75.0
    other.unlink()
    done = score(*options, "--test-suite", data / "suite", data=data)
    assert done.exit_code == 2
    assert "The test suite has no databases for school" in done.stderr


def test_a_query_that_hangs_costs_its_own_verdict(data: Path) -> None:
    file = write_sql(data, *RIGHT[:3], SLOW.format(10**12))
    done = score(
        "spider", "--predictions", file, "--timeout", "0.5", "--out", data / "out", data=data
    )
    assert done.exit_code == 0, done.output
    verdicts = read_verdicts(data / "out")
    assert [verdicts[id]["ex"] for id in "0123"] == [True, True, True, False]
    assert "0.5 seconds" in verdicts["3"]["error"]


def test_a_gold_query_that_fails_is_named(data: Path) -> None:
    (data / "gold.sql").write_text("".join(f"{sql}\tschool\n" for sql in ["SELECT x", *RIGHT[1:]]))
    options = ("spider", "--predictions", write_sql(data, *RIGHT), "--gold", data / "gold.sql")
    found = document(*options, data=data)
    assert (found["ids"]["gold_failing"], found["counts"]["gold_failing"]) == (["0"], 1)
    assert found["ex"] == 75.0


# Missing predictions


def test_missing_predictions_count_as_wrong_and_are_said(data: Path) -> None:
    lines = [json.dumps({"id": i, "sql": RIGHT[i]}) for i in (3, 0)]
    (data / "p.jsonl").write_text("\n".join(lines))
    done = score("spider", "--predictions", data / "p.jsonl", "--json", data=data)
    found = json.loads(done.stdout)
    assert (found["n"], found["ex"], found["ids"]["missing"]) == (4, 50.0, ["1", "2"])
    assert "has no prediction for 2 of 4 questions, such as 1; they count as wrong" in done.stderr


def test_predictions_for_other_questions_can_be_left_out(data: Path) -> None:
    keyed = {str(i): "SELECT 1" for i in range(50)}
    keyed |= {str(10 * (i + 1)): sql for i, sql in enumerate(RIGHT)}
    content = {key: f"{sql}\t----- bird -----\tschool" for key, sql in keyed.items()}
    for i in range(4):
        content[str(i)] = content[str(i)].replace("\tschool", "\tother")
    (data / "p.json").write_text(json.dumps(content))
    options = ("bird", "--predictions", data / "p.json")
    refused = score(*options, data=data)
    assert refused.exit_code == 2
    assert "--ignore-unknown" in refused.stderr
    done = score(*options, "--ignore-unknown", "--json", data=data)
    assert json.loads(done.stdout)["ex"] == 100.0
    assert "46 predictions left out" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("spider",), "Missing option '--predictions'"),
        (("spider", "--predictions", "none.sql"), "none.sql cannot be read: No such file"),
        (("spider", "--predictions", "short.sql"), "has 1 predictions, Spider dev (4 of 1,034) 4"),
        (("spider", "--predictions", "strange.jsonl"), "line 1: Spider dev"),
        (("spider", "--predictions", "whole.sql", "--sample", "9"), "sample of 9 of 4 questions"),
        (("spider", "--predictions", "whole.sql", "--ves", "-1"), "--ves"),
        (("spider", "--predictions", "whole.sql", "--out", "whole.sql"), "whole.sql"),
        (("nothing", "--predictions", "whole.sql"), "There is no benchmark nothing"),
        (
            ("spider", "--predictions", "whole.sql", "whole.sql", "--out", "out"),
            "Two files of predictions are called whole",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    data: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(data)
    write_sql(data, "SELECT 1", name="short.sql")
    write_sql(data, *RIGHT, name="whole.sql")
    (data / "strange.jsonl").write_text('{"id": 7, "sql": "SELECT 1"}')
    done = score(*arguments, data=data)
    lines = [line for line in done.stderr.splitlines() if line.startswith("macsql: ")]
    assert (done.exit_code, done.stdout, len(lines)) == (2, "", 1)
    assert said in lines[0]


# What is kept


def read_verdicts(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "verdicts.jsonl").read_text().splitlines()
    found = {v["id"]: v for v in map(json.loads, lines)}
    assert len(found) == len(lines)
    return found


def test_a_run_that_was_cut_off_goes_on(data: Path) -> None:
    file = write_sql(data, *RIGHT[:3], "SELECT 1")
    options = ("spider", "--predictions", file, "--out", data / "out")
    first = document(*options, data=data)
    verdicts = data / "out" / "verdicts.jsonl"
    lines = verdicts.read_text().splitlines(keepends=True)
    # A verdict of before is kept as it is; one that was half written is made anew.
    kept = lines[0].replace('"seconds": ', '"seconds": 1')
    verdicts.write_text(kept + lines[1][:30])
    assert document(*options, data=data) == first
    assert verdicts.read_text().startswith(kept)
    assert sorted(read_verdicts(data / "out")) == ["0", "1", "2", "3"]
    answers = (data / "out" / "answers.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in answers) == ["0", "1", "2", "3"]
    assert json.loads((data / "out" / "run.json").read_text())["ended"]


def test_a_folder_is_of_one_run_which_can_be_scored_again(data: Path) -> None:
    arguments = ("spider", "--predictions", data / "p.sql", "--out", data / "run")
    write_sql(data, *RIGHT[:3], "SELECT 1")
    assert document(*arguments, data=data)["ex"] == 75.0
    again = document("spider", "--predictions", data / "run", data=data)
    assert (again["model"], again["ex"]) == ("run", 75.0)
    refused = score(*arguments, "--timeout", "7", data=data)
    assert refused.exit_code == 2
    assert "timeout is 30.0 there, 7.0 now" in refused.stderr
    write_sql(data, *RIGHT)
    refused = score(*arguments, data=data)
    assert refused.exit_code == 2
    assert "holds another run: predictions is" in refused.stderr


def delete_pupils(database: Path) -> None:
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("DELETE FROM pupil")
    connection.close()


def test_a_run_goes_on_with_moved_but_not_with_changed_data(data: Path) -> None:
    own, other = data / "my.jsonl", data / "moved" / "school.sqlite"
    own.write_text(json.dumps({"question": QUESTIONS[0][0], "sql": QUESTIONS[0][1]}))
    database = data / "spider" / "database" / "school" / "school.sqlite"
    other.parent.mkdir()
    other.write_bytes(database.read_bytes())
    options = (own, "--predictions", write_sql(data, "SELECT 5"), "--out", data / "out", "--db")
    assert document(*options, database)["ex"] == 100.0
    assert document(*options, other)["ex"] == 100.0
    delete_pupils(other)
    refused = score(*options, other)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "holds another run: its databases had other data (school)." in refused.stderr


def test_a_run_goes_on_with_the_same_test_suite_only(data: Path) -> None:
    database = data / "spider" / "database" / "school" / "school.sqlite"
    for name in ("one", "two"):
        (data / name / "school").mkdir(parents=True)
        (data / name / "school" / "more.sqlite").write_bytes(database.read_bytes())
    delete_pupils(data / "two" / "school" / "more.sqlite")
    file = write_sql(data, "SELECT 5", *RIGHT[1:])
    options = ("spider", "--predictions", file, "--out", data / "out", "--test-suite")
    assert document(*options, data / "one", data=data)["ex"] == 100.0
    refused = score(*options, data / "two", data=data)
    assert refused.exit_code == 2
    assert "its databases had other data (school, test suite)." in refused.stderr


def test_the_page_has_the_rows_of_the_right_one_of_two_databases(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of one name, given as they are seen from the folder of the questions."""
    for folder, number in (("a", 11), ("b", 7)):
        (data / folder).mkdir()
        connection = sqlite3.connect(data / folder / "shop.sqlite")
        with connection:
            connection.execute(f"CREATE TABLE item AS SELECT {number} AS n")
        connection.close()
    own = [
        {
            "id": name,
            "question": "?",
            "sql": "SELECT n FROM item",
            "database": f"{name}/shop.sqlite",
        }
        for name in ("a", "b")
    ]
    (data / "my.jsonl").write_text("".join(json.dumps(line) + "\n" for line in own))
    predictions = [
        {"id": name, "sql": "SELECT n + 100 FROM item", "db_id": "shop"} for name in "ab"
    ]
    (data / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in predictions))
    monkeypatch.chdir(data)
    found = document("my.jsonl", "--predictions", "p.jsonl", "--out", "out")
    assert set(found["groups"]["database"]) == {"a/shop", "b/shop"}
    monkeypatch.chdir("a")
    words = ["report", "../out", "--html", "page.html"]
    assert CliRunner().invoke(app, words).exit_code == 0
    page = Path("page.html").read_text()
    cells = re.findall(r"<td[^>]*>(\d+)</td>", page)
    assert [n for n in cells if n in ("11", "7", "111", "107")] == ["11", "111", "7", "107"]


def test_a_file_that_is_no_database_is_refused_before_scoring(data: Path) -> None:
    bad = data / "spider" / "database" / "school" / "school.sqlite"
    bad.write_bytes(b"no database, " * 300)
    done = score(
        "spider", "--predictions", write_sql(data, *RIGHT), "--out", data / "out", data=data
    )
    assert (done.exit_code, done.stdout) == (4, "")
    assert "school.sqlite is not a SQLite database" in done.stderr
    assert not (data / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")
def test_ctrl_c_keeps_what_is_judged(data: Path, wait_until: WaitUntil) -> None:
    write_sql(data, *RIGHT[:2], SLOW.format(10**12), RIGHT[3])
    words = ["score", "spider", "--predictions", "p.sql", "--out", "out", "--data", "."]
    command = [sys.executable, "-m", "macsql", *words, "--workers", "1", "--timeout", "300"]
    process = subprocess.Popen(
        command, cwd=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    verdicts = data / "out" / "verdicts.jsonl"

    def are_two() -> bool:
        assert process.poll() is None, process.communicate()
        return verdicts.exists() and verdicts.read_text().count("\n") == 2

    wait_until(are_two)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert "2 of 4 predictions are judged and kept in out: run the same command again" in stderr
    assert sorted(read_verdicts(data / "out")) == ["0", "1"]


# The published predictions


@needs_data
def test_a_published_file_scores_as_the_official_script_says() -> None:
    name = "bird_mini_gpt-4-turbo"
    official = json.loads((DATA / "verdicts" / "SUMMARY.json").read_text())
    expected = official["bird_mini"]["gpt-4-turbo"]
    found = document("mini-dev", "--predictions", DATA / "predictions" / f"{name}.jsonl", data=DATA)
    assert found["n"] == expected["questions"]
    assert round(found["ex"], 2) == expected["ex"]
    assert round(found["soft_f1"], 2) == expected["soft_f1"]
    for kind, value in expected["ex_by_difficulty"].items():
        assert round(100 * found["groups"]["difficulty"][kind]["ex"]["value"], 2) == value
