"""Reports of runs made here: figures, comparison, Markdown, JSON, and the page as HTML."""

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from macsql.cli.app import app
from macsql.database import Database
from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.database_files import digests
from macsql.evaluation.example import Example
from macsql.evaluation.folder import Manifest, RunFolder
from macsql.evaluation.report import gold_suspects, open_runs
from macsql.evaluation.report_compare import compare
from macsql.evaluation.report_results import Results
from macsql.evaluation.report_tables import NAMES
from macsql.evaluation.verdict import Verdict
from macsql.llm.base import Usage
from macsql.message import Candidate, Message, Step
from macsql.records import save

GOLDEN = Path(__file__).parent.parent / "fixtures" / "report.md"

QUESTIONS = {
    "0": ("How many pupils are there?", "SELECT COUNT(*) FROM pupil", "easy"),
    "1": ("Which schools are there?", "SELECT name FROM school ORDER BY name", "easy"),
    "2": ("Who is twelve?", "SELECT first_name FROM pupil WHERE age = 12", "medium"),
    "3": ("Which city has the Hill School?", "SELECT city FROM school WHERE id = 1", "medium"),
    "4": ("What is the best mark?", "SELECT MIN(mark) FROM enrolment", "hard"),
}
RIGHT = {id_: sql for id_, (_, sql, _) in QUESTIONS.items()}


def make_run(
    path: Path,
    db: Path | str,
    given: dict[str, str],
    right: set[str],
    *,
    kind: str = "eval",
    checksum: str = "c0ffee",
    rule: str = "spider",
    test_suite: int = 0,
    digests: dict[str, str] | None = None,
    **fields: object,
) -> Path:
    """A run over ``QUESTIONS`` that answered ``given``; ``right`` are those counted as right."""
    manifest = Manifest(
        kind,  # type: ignore[arg-type]
        "School questions",
        rule,  # type: ignore[arg-type]
        checksum,
        tuple(QUESTIONS),
        model=path.name,
        prompts="default",
        agents=("selector", "decomposer", "refiner"),
        options={"test_suite": test_suite} if test_suite else {},
        databases={"school": str(db)},
        digests=digests or {},
        notes=("Invented for tests.",),
    )
    with RunFolder.create(path, manifest) as folder:
        for id_, sql in given.items():
            question, gold, difficulty = QUESTIONS[id_]
            folder.add_answer(
                Answer(
                    id_,
                    "school",
                    question,
                    gold,
                    sql=sql,
                    first_sql=sql,
                    difficulty=difficulty,
                    schema_size=19,
                    usage=Usage(100, 40, 10, None, 1),
                    seconds=1.5,
                    **fields,  # type: ignore[arg-type]
                )
            )
            folder.add_verdict(
                Verdict(
                    id_,
                    "school",
                    difficulty,
                    ex=id_ in right,
                    ex_strict=id_ in right,
                    em=sql == gold,
                    valid=sql.startswith("SELECT"),
                    error="" if sql.startswith("SELECT") else 'near "nonsense": syntax error',
                    gold_columns=("pupil.id",),
                    error_class="" if id_ in right else "condition",
                )
            )
        folder.finish()
    return path


@pytest.fixture
def two_runs(tmp_path: Path, school_db: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    # Runs of one second share the line that says when they were made, others do not.
    monkeypatch.setattr("macsql.evaluation.folder._now", lambda: "2026-11-30T12:00:00+00:00")
    first = {**RIGHT, "2": "SELECT first_name FROM pupil", "3": "SELECT city FROM school"}
    second = {**RIGHT, "1": "SELECT city FROM school", "3": "nonsense"}
    return (
        make_run(tmp_path / "one", school_db, first, {"0", "1", "4"}),
        make_run(tmp_path / "two", school_db, second, {"0", "2", "4"}),
    )


def macsql(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["report", *map(str, arguments)])
    return found.exit_code, found.stdout, found.stderr


# Runs -------------------------------------------------------------------------------------


def test_a_folder_of_runs_stands_for_all_of_them(
    two_runs: tuple[Path, Path], tmp_path: Path
) -> None:
    assert [r.name for r in open_runs([tmp_path])] == ["one", "two"]
    assert [r.name for r in open_runs([two_runs[0], tmp_path])] == ["one", "two"]


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path, school_db: Path) -> None:
    for parent in ("a", "b"):
        make_run(tmp_path / parent / "run", school_db, RIGHT, set(RIGHT))
    assert [r.name for r in open_runs([tmp_path])] == ["a/run", "b/run"]


def test_no_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"There is no run in .*: a run is a folder with run.json"
    ):
        open_runs([tmp_path])
    code, out, _ = macsql(tmp_path / "nowhere")
    assert (code, out) == (2, "")


def test_an_unfinished_run_says_so(tmp_path: Path, school_db: Path) -> None:
    path = make_run(tmp_path / "half", school_db, {"0": RIGHT["0"]}, {"0"})
    code, out, err = macsql(path)
    assert code == 0
    assert "half is not finished: 1 of 5 questions have a verdict." in err
    assert re.search(r"EX +100.0 +\[20.7, 100.0\] +1 ", out)


# Comparison -------------------------------------------------------------------------------


def test_comparison(two_runs: tuple[Path, Path]) -> None:
    found = compare(*open_runs(two_runs))
    ex, valid = found.changes["ex"], found.changes["valid_sql"]
    assert (found.n, ex.before, ex.after, ex.gained, ex.lost, ex.p) == (5, 0.6, 0.6, 1, 1, 1.0)
    assert ex.low < 0 < ex.high
    assert (valid.before, valid.after, valid.lost) == (1.0, 0.8, 1)
    assert found.changes["input_tokens"].difference == 0
    assert [(f.id, f.gained) for f in found.flips] == [("1", False), ("2", True)]
    assert found.classes == {"condition": (2, 2)}
    assert list(found.groups["difficulty"]) == ["easy", "medium", "hard"]
    assert found.groups["difficulty"]["medium"].gained == 1


def test_only_common_questions_are_compared(tmp_path: Path, school_db: Path) -> None:
    one = make_run(tmp_path / "one", school_db, RIGHT, {"0", "1"})
    two = make_run(tmp_path / "two", school_db, {"1": "SELECT 1", "2": "SELECT 2"}, {"2"})
    found = compare(*open_runs([one, two]))
    assert (found.n, found.only_first, found.only_second) == (2, 3, 0)
    assert [(f.id, f.gained) for f in found.flips] == [("1", False), ("2", True)]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"checksum": "beef"}, "different data"),
        ({"rule": "bird"}, "rules"),
        ({"test_suite": 5}, "One of one and two is judged on a test suite"),
    ],
)
def test_other_data_or_rules_are_compared_only_by_force(
    tmp_path: Path, school_db: Path, other: dict[str, Any], message: str
) -> None:
    make_run(tmp_path / "one", school_db, RIGHT, {"0"})
    make_run(tmp_path / "two", school_db, RIGHT, {"1"}, **other)
    paths = [tmp_path / "one", tmp_path / "two"]
    with pytest.raises(ConfigError, match=message):
        compare(*open_runs(paths))
    assert macsql(*paths)[0] == 2
    code, out, err = macsql(*paths, "--force")
    assert code == 0
    assert message in err
    assert "Right to wrong (1)" in out
    # A folder was not asked to be compared, so its runs are shown side by side.
    code, out, err = macsql(tmp_path)
    assert code == 0
    assert "Not compared" in err
    assert "Differences" not in out


def test_runs_on_other_rows_are_compared_only_by_force(tmp_path: Path, school_db: Path) -> None:
    """Whatever the databases are called; where they were other ones, no rows are shown."""
    for name, digest in (("one", "1"), ("two", "2"), ("old", "")):
        digests = {"school": digest} if digest else {}
        make_run(tmp_path / name, school_db, RIGHT, {"0"}, digests=digests)
    paths = [tmp_path / "one", tmp_path / "two"]
    message = "one and two are over databases with other data: school."
    code, _, err = macsql(*paths)
    assert (code, message in err) == (2, True)
    code, _, err = macsql(*paths, "--force", "--html", tmp_path / "page.html")
    assert (code, message in err) == (0, True)
    assert macsql(tmp_path / "one", tmp_path / "old")[0] == 0
    # Nothing is suspected of the gold by results that are of other rows.
    assert gold_suspects(open_runs([tmp_path]), Results({"school": str(school_db)})) == []


def test_runs_without_a_common_question(tmp_path: Path, school_db: Path) -> None:
    make_run(tmp_path / "one", school_db, {"0": "SELECT 1"}, set())
    make_run(tmp_path / "two", school_db, {"1": "SELECT 1"}, set())
    with pytest.raises(ConfigError, match="one and two have no judged question in common"):
        compare(*open_runs([tmp_path]))


# Gold suspected ----------------------------------------------------------------------------


def test_gold_is_suspected_where_all_of_three_runs_agree(tmp_path: Path, school_db: Path) -> None:
    given = [
        # The same rows in other words; the same SQL; other rows; a failure; one is right.
        {"0": "SELECT 7", "1": "SELECT x", "2": "SELECT 1", "3": "nonsense", "4": "SELECT 0"},
        {"0": "SELECT 7.0", "1": "SELECT  x ;", "2": "SELECT 2", "3": "nonsense", "4": "SELECT 0"},
        {"0": "SELECT 3 + 4", "1": "SELECT X", "2": "SELECT 2", "3": "nonsense", "4": "SELECT 0"},
    ]
    for i, answers in enumerate(given):
        make_run(tmp_path / f"run{i}", school_db, answers, {"4"} if i == 2 else set())
    runs = open_runs([tmp_path])
    with Results({"school": str(school_db)}) as results:
        found = gold_suspects(runs, results)
        assert [(s.id, s.basis) for s in found] == [("0", "results"), ("1", "SQL")]
        assert gold_suspects(runs[:2], results) == []
    code, out, _ = macsql(tmp_path)
    assert code == 0
    assert "Gold suspected: all runs agree against it (2)" in out
    markdown = macsql(tmp_path, "--markdown")[1]
    assert "  * all runs (the same results): `SELECT 7`" in markdown
    document = json.loads(macsql(tmp_path, "--json")[1])
    assert [s["id"] for s in document["gold_suspected"]] == ["0", "1"]
    _, page = read_page(tmp_path, file=tmp_path / "page.html")
    assert page.count("article") == 2
    assert "All 3 runs agree: the same SQL." in page.texts
    with Results({}) as nothing:
        assert [s.id for s in gold_suspects(runs, nothing)] == ["1"]


# Many runs ---------------------------------------------------------------------------------


def test_each_of_many_runs_is_compared_with_the_first(
    two_runs: tuple[Path, Path], tmp_path: Path, school_db: Path
) -> None:
    make_run(tmp_path / "three", school_db, RIGHT, set(RIGHT))
    make_run(tmp_path / "zoo", school_db, RIGHT, set(), checksum="other")
    code, out, _ = macsql(*two_runs, tmp_path / "three", tmp_path / "zoo")
    assert code == 0
    against = out[out.index("EX, against one") : out.index("Mistakes by class")].splitlines()
    cells = [re.split(r"\s{2,}", line.strip()) for line in against[3:5]]
    assert [c[:4] + c[5:] for c in cells] == [
        ["two", "60.0", "60.0", "+0.0", "1", "1", "1.0000", "5"],
        ["three", "60.0", "100.0", "+40.0", "2", "0", "0.5000", "5"],
    ]
    assert re.search(r"class +one +two +three +zoo\n[- ]+\ncondition +2 +2 +0 +5\n", out)
    document = json.loads(macsql(*two_runs, tmp_path / "three", "--json")[1])
    assert [c["changes"]["ex"]["gained"] for c in document["against_first"]] == [1, 2]
    assert document["comparison"] is None


# Results -----------------------------------------------------------------------------------


def test_results_are_few_rows_and_read_only(school_db: Path) -> None:
    before = school_db.read_bytes()
    with Results({"school": str(school_db), "gone": str(school_db) + "x"}, rows=2) as results:
        rows = results.read("school", "SELECT id FROM pupil ORDER BY id").result
        assert rows is not None
        assert (rows.rows, rows.truncated) == (((1,), (2,)), True)
        assert "DROP" in results.read("school", "DROP TABLE pupil").error.upper()
        assert "no such column" in results.read("school", "SELECT nme FROM pupil").error
        assert results.read("school", " ").error == "There is no SQL."
        assert results.read("gone", "SELECT 1").error == "Not run: the database is not at hand."
        assert results.read("other", "SELECT 1").error == "Not run: the database is not at hand."
    assert school_db.read_bytes() == before


def test_results_end_when_patience_does(school_db: Path) -> None:
    with Results({"school": str(school_db)}, patience=0) as results:
        assert "took too long" in results.read("school", "SELECT 1").error


# Text, Markdown, JSON -----------------------------------------------------------------------


def test_text_of_one_run(two_runs: tuple[Path, Path]) -> None:
    code, out, _ = macsql(two_runs[0])
    assert code == 0
    for title in ("Scores", "By difficulty", "Mistakes by class", "Schema linking", "Cost (n = 5)"):
        assert f"\n{title}\n" in out
    assert re.search(r"EX +60\.0 +\[23\.1, 88\.2\] +5 ", out)
    assert re.search(r"medium +2 +0\.0 \[0\.0, 65\.8\]", out)


def test_a_narrow_terminal_goes_without_the_meanings(
    two_runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    plain = macsql(two_runs[0])[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = re.sub(r"\x1b\[[\d;]*m", "", macsql(two_runs[0])[1])
    assert "execution accuracy by the official rule" in plain
    assert "execution accuracy by the official rule" not in shown
    assert re.search(r"EX +60\.0 +\[23\.1, 88\.2\] +5\n", shown)


def test_text_of_two_runs_lists_what_flipped(two_runs: tuple[Path, Path]) -> None:
    out = macsql(*two_runs)[1]
    assert "Right to wrong (1)\n  1 [school] Which schools are there?\n" in out
    assert "    second  SELECT city FROM school\n" in out
    assert "Wrong to right (1)\n  2 [school] Who is twelve?\n" in out


def test_markdown_is_as_it_was(two_runs: tuple[Path, Path], request: pytest.FixtureRequest) -> None:
    code, out, _ = macsql(*two_runs, "--markdown")
    assert code == 0
    fixed = re.sub(r"macsql [\d.]+; \S+ to \S+", "macsql VERSION; TIME", out)
    single = macsql(two_runs[0], "--markdown")[1]
    fixed += "\n" + re.sub(r"macsql [\d.]+; \S+ to \S+", "macsql VERSION; TIME", single)
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(fixed, encoding="utf-8")
    assert fixed == GOLDEN.read_text(encoding="utf-8")


def test_json(two_runs: tuple[Path, Path]) -> None:
    one = json.loads(macsql(two_runs[0], "--json")[1])
    assert one["run"] == "one"
    assert one["scores"]["ex"]["value"] == 0.6
    assert one["failed"] == ["2", "3"]
    assert one["manifest"]["checksum"] == "c0ffee"
    both = json.loads(macsql(*two_runs, "--json")[1])
    assert [r["run"] for r in both["runs"]] == ["one", "two"]
    assert both["comparison"]["changes"]["ex"]["p"] == 1.0
    assert [f["id"] for f in both["comparison"]["flips"]] == ["1", "2"]
    assert both["gold_suspected"] == []


def test_two_forms_at_once_are_refused(two_runs: tuple[Path, Path]) -> None:
    code, _, err = macsql(two_runs[0], "--json", "--markdown")
    assert code == 2
    assert "exclude each other" in err


def test_every_score_has_a_name_in_print(two_runs: tuple[Path, Path]) -> None:
    [run] = open_runs(two_runs[:1])
    assert set(run.summary.scores) <= set(NAMES)


# The page ----------------------------------------------------------------------------------


class Reader(HTMLParser):
    """What a browser would see: tags with attributes, and the text of each kind of tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def read_page(*arguments: object, file: Path) -> tuple[str, Reader]:
    code, _, err = macsql(*arguments, "--html", file)
    assert code == 0, err
    page = file.read_text(encoding="utf-8")
    found = Reader(page)
    assert found.open == []
    return page, found


def assert_needs_nothing_else(page: str, found: Reader) -> None:
    assert not re.search(r"(?:src|href|url|@import)\W{0,3}(?:https?:)?//", page)
    assert not {"link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in found.tags}
    assert all(not a.get("href", "#").startswith(("http", "/")) for _, a in found.tags)  # type: ignore[union-attr]


def test_page_of_one_run(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    page, found = read_page(two_runs[0], file=tmp_path / "page.html")
    assert_needs_nothing_else(page, found)
    assert found.count("article") == 2
    assert "Questions answered wrongly (" in found.texts
    text = "".join(found.texts)
    assert "Who is twelve?" in text
    assert "SELECT first_name FROM pupil WHERE age = 12" in text
    # The first rows of the gold and of the prediction.
    assert [t for t in found.texts if t in ("BERLIN", "PARIS")] == ["BERLIN", "BERLIN", "PARIS"]
    tags = [a["data-tag"] for t, a in found.tags if t == "button"]
    assert set(tags) == {"condition", "medium", "school"}


def test_page_of_two_runs_shows_what_flipped(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    page, found = read_page(*two_runs, file=tmp_path / "page.html")
    assert_needs_nothing_else(page, found)
    assert found.count("article") == 2
    assert {"right to wrong", "wrong to right"} <= set(found.texts)
    assert {"two is right", "one is right"} <= set(found.texts)


def test_page_of_a_run_without_a_mistake(tmp_path: Path, school_db: Path) -> None:
    path = make_run(tmp_path / "good", school_db, RIGHT, set(RIGHT))
    page, found = read_page(path, file=tmp_path / "page.html")
    assert_needs_nothing_else(page, found)
    assert found.count("article") == 0
    assert found.count("input") == 0


def test_rows_of_today_do_not_stand_beside_old_verdicts(tmp_path: Path, school_db: Path) -> None:
    wrong = {**RIGHT, "1": "SELECT city FROM school"}
    digest = digests([Example("1", "", "", str(school_db), "school")])
    path = make_run(tmp_path / "run", school_db, wrong, {"0", "2", "3", "4"}, digests=digest)
    said = "Other data than when they were judged, so no rows are shown: school."
    assert said not in str(macsql(path))
    page, _ = read_page(path, file=tmp_path / "page.html")
    assert "PARIS" in page
    with closing(sqlite3.connect(school_db)) as connection:
        connection.execute("UPDATE school SET city = 'LYON'")
        connection.commit()
    assert said in str(macsql(path))
    page, _ = read_page(path, file=tmp_path / "page.html")
    assert "LYON" not in page
    assert "Not run: the database is not at hand." in page


HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</pre></article><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "\x00\ud800\u202e&amp;<!--",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(tmp_path: Path, school_db: Path, text: str) -> None:
    """In questions, SQL, errors, cells, column names, names of runs and databases, and traces."""
    as_sql = text.encode("ascii", "ignore").decode().replace("'", "''").replace("\x00", "")
    as_name = as_sql.replace('"', '""')
    sql = f"SELECT '{as_sql}' AS \"{as_name}\""
    path = make_run(tmp_path / "run", school_db, {"0": sql, "1": text}, set(), evidence=text)
    answers = tmp_path / "run" / "answers.jsonl"
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    for line in lines:
        line |= {"question": text, "trace": "traces/0.json", "difficulty": text}
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    verdicts = tmp_path / "run" / "verdicts.jsonl"
    judged = [json.loads(line) for line in verdicts.read_text().splitlines()]
    for line in judged:
        line |= {"error_class": text, "difficulty": text, "unknown_names": [text]}
    judged[1]["error"] = text
    verdicts.write_text("".join(json.dumps(line) + "\n" for line in judged))
    manifest = json.loads((path / "run.json").read_text())
    manifest |= {"model": text, "benchmark": text, "notes": [text], "prompts": text}
    (path / "run.json").write_text(json.dumps(manifest))
    with Database(school_db) as database:
        message = Message(text, database.schema)
    message.steps = [Step("refiner", note=text, reply=text, error=text)]
    message.candidates = [Candidate(text, "decomposer", error=text)]
    save(message, {}, file=path / "traces" / "0.json")
    page, found = read_page(path, file=tmp_path / "page.html")
    assert_needs_nothing_else(page, found)
    assert found.count("script") == found.count("style") == 1
    assert found.count("article") == found.count("details") == 2
    assert not [a for _, a in found.tags if any(name.startswith("on") for name in a)]
    shown = re.sub("[\x00\u202e]", "\ufffd", text.encode("utf-8", "replace").decode())
    assert sum(shown in t for t in found.texts) >= 12
    # In Markdown it stays on its line and is no markup.
    markdown = macsql(path, "--markdown")[1]
    assert not re.search(r"(?<!\\)<(?!1)[a-z/!]", re.sub(r"`[^`]*`", "", markdown))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", markdown)


def test_a_backtick_does_not_end_the_code(tmp_path: Path, school_db: Path) -> None:
    sql = "SELECT `name`, ``id`` FROM school"
    for name, right in (("one", {"0"}), ("two", set())):
        make_run(tmp_path / name, school_db, {"0": sql}, right)
    assert f"  * second: ``` {sql} ```\n" in macsql(tmp_path, "--markdown")[1]


def test_the_trace_of_a_question(tmp_path: Path, school_db: Path) -> None:
    path = make_run(tmp_path / "run", school_db, {"0": "SELECT 1"}, set(), trace="traces/0.json")
    with Database(school_db) as database:
        message = Message("How many?", database.schema, sql="SELECT 1")
    usage = Usage(1234, 0, 56, None, 1)
    message.steps = [
        Step("selector", "kept everything"),
        Step("decomposer", reply="x " * 9000, usage=usage),
    ]
    message.candidates = [Candidate("SELECT 2", "decomposer", error="no such table")]
    save(message, {}, file=path / "traces" / "0.json")
    page, found = read_page(path, file=tmp_path / "page.html")
    assert "selector · kept everything" in found.texts
    assert "decomposer · 0.0 s, 1,234 tokens read, 56 written" in found.texts
    assert "-- decomposer: no such table\nSELECT 2" in found.texts
    assert len(page) < 40_000


@pytest.mark.parametrize(
    ("trace", "said"),
    [("traces/9.json", "cannot be read"), ("../../secret.json", "is outside the folder")],
)
def test_a_trace_that_is_not_there(tmp_path: Path, school_db: Path, trace: str, said: str) -> None:
    path = make_run(tmp_path / "run", school_db, {"0": "SELECT 1"}, set(), trace=trace)
    (tmp_path.parent / "secret.json").write_text("{}")
    _, found = read_page(path, file=tmp_path / "page.html")
    assert said in "".join(found.texts)


def test_a_page_of_a_thousand_failures_stays_small(tmp_path: Path, school_db: Path) -> None:
    path = make_run(tmp_path / "run", school_db, {"0": "SELECT 1"}, set(), trace="traces/0.json")
    with Database(school_db) as database:
        message = Message("How many?", database.schema, sql="SELECT 1")
    message.steps = [Step("decomposer", reply="y" * 20_000) for _ in range(4)]
    save(message, {}, file=path / "traces" / "0.json")
    with RunFolder.open(path) as folder:
        answer, verdict = folder.answers["0"], folder.verdicts["0"]
        manifest = replace(folder.manifest, kind="score", ids=tuple(map(str, range(1000))))
    many = tmp_path / "many"
    long = "SELECT first_name, age, grade, school_id FROM pupil, course -- " + "z" * 300
    with RunFolder.create(many, manifest) as folder:
        save(message, {}, file=many / "traces" / "0.json")
        for id_ in manifest.ids:
            folder.add_answer(replace(answer, id=id_, sql=long))
            folder.add_verdict(replace(verdict, id=id_))
    page, found = read_page(many, file=tmp_path / "page.html")
    assert found.count("article") == 1000
    assert len(page) < 5_000_000


def test_a_page_that_cannot_be_written(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    code, _, err = macsql(two_runs[0], "--html", tmp_path / "no" / "page.html")
    assert code == 2
    assert "page.html cannot be written: No such file or directory." in err
