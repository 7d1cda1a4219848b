"""Files of predictions: every usual form is paired by id, and nothing is ever shifted."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.benchmark import open_benchmark
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.folder import Manifest, RunFolder
from macsql.evaluation.prediction_files import ID_NAMES, INDEX_NAMES, SQL_NAMES
from macsql.evaluation.predictions import Prediction, read_predictions

DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
needs_data = pytest.mark.skipif(
    not (DATA / "spider" / "dev.json").exists(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)
MARK = "\t----- bird -----\t"


def benchmark(rule: Any, *questions: tuple[str, str]) -> Benchmark:
    examples = tuple(Example(id, "Q", "SELECT 1", "x.sqlite", db) for id, db in questions)
    return Benchmark("the set", rule, examples, "")


SPIDER = benchmark("spider", ("0", "pets"), ("1", "cars"), ("2", "pets"), ("3", "pets"))
BIRD = benchmark("bird", ("7", "pets"), ("1", "cars"), ("3", "pets"))


def read(
    folder: Path, name: str, content: str | bytes, of: Benchmark = SPIDER, **options: Any
) -> dict[str, str]:
    """The SQL by id of a file with that content."""
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    found = read_predictions(folder / name, of, **options)
    assert all(id == prediction.id for id, prediction in found.items())
    return {id: prediction.sql for id, prediction in found.items()}


def lines(*objects: Any) -> str:
    return "".join(json.dumps(o) + "\n" for o in objects)


WHOLE = {"0": "A", "1": "B", "2": "", "3": "D"}


# Spider's form: line N belongs to question N


@pytest.mark.parametrize("name", ["p.sql", "p.txt", "p"])
@pytest.mark.parametrize(
    "content",
    [
        "A\nB\n\nD",
        "A\nB\n\nD\n",
        "A\r\nB\r\n\r\nD\r\n",
        "\ufeffA\n  B  \n \nD\n",
        "A\tpets\nB\tcars\n\tpets\nD\tpets\n",
        "A\tpets\nB\tcars\n\nD\tpets\n",
        f"A{MARK}pets\nB{MARK}cars\n{MARK}pets\nD{MARK}pets",
    ],
)
def test_a_blank_line_is_an_empty_prediction(tmp_path: Path, name: str, content: str) -> None:
    assert read(tmp_path, name, content) == WHOLE


QUERIES = "SELECT 1\nselect 2\n(SELECT 3)\nWITH x AS (SELECT 4) SELECT * FROM x\n"


def test_blank_lines_behind_the_last_question_are_left_out(tmp_path: Path) -> None:
    said: list[str] = []
    found = read(tmp_path, "p.sql", f"{QUERIES}\n \r\n\n", say=said.append)
    assert found == read(tmp_path, "q.sql", QUERIES)
    assert said == [f"{tmp_path / 'p.sql'}: the blank lines at its end are left out"]


@pytest.mark.parametrize(
    "content",
    [
        "SELECT 1\nFROM t\nSELECT 2\nSELECT 3\n\n",  # a query on two lines, an empty one last
        "SELECT 1\n\nSELECT 2\nSELECT 3\nSELECT 4\n",
        f"\n{QUERIES}",
        f"{QUERIES}\n\tpets\n",
    ],
)
def test_other_blank_lines_are_no_end(tmp_path: Path, content: str) -> None:
    with pytest.raises(ConfigError, match=r"has \d predictions, the set 4 questions"):
        read(tmp_path, "p.sql", content)


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    strange = "A\u2028B\x0bC\x0cD\x85E\x1cF"
    assert read(tmp_path, "p.sql", f"{strange}\n\n\n\n")["0"] == strange


def test_tabs_inside_sql_are_left_alone(tmp_path: Path) -> None:
    found = read(tmp_path, "p.sql", "SELECT\t1 FROM\tcars\nB\nC\tx\nD\n")
    assert found == {"0": "SELECT\t1 FROM\tcars", "1": "B", "2": "C\tx", "3": "D"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", r"p\.sql is empty"),
        ("A\nB\nC\n", r"has 3 predictions, the set 4 questions: without ids, line N must"),
        ("A\nB\nC\nD\n\n", r"has 5 predictions, the set 4 questions"),
        (
            "A\tpets\nB\tpets\nC\tpets\nD\tpets\n",
            r"line 2: the database is pets, but that of quest",
        ),
        (
            "A\tpets\nB\tcars\nC\tpets\nD\tdogs\n",
            r"line 4: the database is dogs, but that of quest",
        ),
        ("A\tpets\n\tdogs\nB\tcars\nC\tpets\nD\tpets\n", r"It has lines on dogs.*--ignore-unknown"),
        (b"A\nB\nC \xe9\nD\n", r"p\.sql, line 3: byte 0xe9 is not UTF-8; save the file as UTF-8"),
    ],
)
def test_lines_that_could_be_shifted_are_refused(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read(tmp_path, "p.sql", content)
    assert "\n" not in str(caught.value)


def test_lines_on_databases_that_the_set_lacks_can_be_left_out(tmp_path: Path) -> None:
    said: list[str] = []
    content = "A\tpets\nX\tdogs\nB\tcars\n\tpets\nD\tpets\nY\tdogs\n"
    assert read(tmp_path, "p.sql", content, ignore_unknown=True, say=said.append) == WHOLE
    assert said == [
        f"{tmp_path / 'p.sql'}: 2 predictions left out, for questions that the set lacks"
    ]


def test_a_file_for_the_sample_alone_is_paired_with_it(tmp_path: Path) -> None:
    said: list[str] = []
    sample = SPIDER.only(["1", "3"])
    assert read(tmp_path, "p.sql", "B\nD\n", sample=sample, say=said.append) == {"1": "B", "3": "D"}
    assert "2 lines are read as those of the sample" in said[0]
    assert read(tmp_path, "p.sql", "A\nB\n\nD\n", sample=sample) == WHOLE
    with pytest.raises(ConfigError, match="has 3 predictions"):
        read(tmp_path, "p.sql", "A\nB\nC\n", sample=sample)


# JSON lines and lists


@pytest.mark.parametrize("key", [*ID_NAMES, *INDEX_NAMES])
@pytest.mark.parametrize("sql", SQL_NAMES)
def test_records_are_paired_by_id_in_any_order(tmp_path: Path, key: str, sql: str) -> None:
    records = [
        {key: 3, sql: "D", "query": "gold"},
        {key: "1", sql: "B", "db_id": "cars"},
        {key: 0, sql: "A", "SQL": "gold"},
        {key: 2, sql: None},
    ]
    assert read(tmp_path, "p.jsonl", lines(*records)) == WHOLE
    assert read(tmp_path, "p.json", json.dumps(records, indent=1)) == WHOLE
    assert read(tmp_path, "p.json", lines(*records)) == WHOLE
    assert read(tmp_path, "p.jsonl", lines(*records[:1]).strip()) == {"3": "D"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.json", {"predictions": [{"id": i, "sql": sql} for i, sql in WHOLE.items()]}),
        ("p.json", {"model": "m", "results": WHOLE}),
        ("p.json", {i: {"sql": sql, "db_id": ""} for i, sql in WHOLE.items()}),
        ("p.json", [{"id": i, "prediction": {"sql": sql}} for i, sql in WHOLE.items()]),
        ("p.json", [{"id": i, "output": "x", "pred": {"sql": sql}} for i, sql in WHOLE.items()]),
    ],
)
def test_predictions_may_lie_one_object_deeper(tmp_path: Path, name: str, content: Any) -> None:
    assert read(tmp_path, name, json.dumps(content)) == WHOLE
    assert read(tmp_path, name, json.dumps(content, indent=2)) == WHOLE


@pytest.mark.parametrize(
    "content",
    [
        "id,sql\n1,B\n0,A\n3,D\n2,\n",
        "\ufeffsql;question_id\r\nA;0\r\nB;1\r\n;2\r\nD;3\r\n",
        "index\tpred\tdb_id\n3\tD\tpets\n1\tB\tcars\n2\t\t\n0\tA\tpets",
        "sql\nA\nB\n''\nD\n",
    ],
)
def test_csv_names_its_fields(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, "p.csv", content) == WHOLE | ({"2": "''"} if "''" in content else {})


def test_sql_in_csv_may_have_commas_quotes_and_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "p.csv", 'id,sql\n0,"SELECT ""a"",\n\nb"\n1,B\n')
    assert found == {"0": 'SELECT "a",\n\nb', "1": "B"}
    with pytest.raises(ConfigError, match=r"line 3: 3 fields, but the first line has 2"):
        read(tmp_path, "p.csv", "id,sql\n0,A\n1,SELECT a, b\n")
    with pytest.raises(ConfigError, match=r"line 2: no SQL: it should be called"):
        read(tmp_path, "p.csv", "id,query\n0,A\n")


ASKED = Benchmark(
    "the set",
    "spider",
    tuple(
        Example(str(i), question, "SELECT 1", "x.sqlite", "pets")
        for i, question in enumerate(["How many pets?", "How old are they?", "How many pets?"])
    ),
    "",
)


def test_a_question_that_is_another_one_s_shows_a_shifted_file(tmp_path: Path) -> None:
    questions = ["How  many pets?", "How old are they? Hint: in years", "how many pets?"]
    same = [{"question": q, "sql": "A"} for q in questions]
    assert len(read(tmp_path, "p.jsonl", lines(*same), ASKED)) == 3
    shifted = [{"question": "How old are they?", "sql": "B"}, *same[:2]]
    with pytest.raises(ConfigError, match=r"line 1: its question is that of 1, not that of 0"):
        read(tmp_path, "p.jsonl", lines(*shifted), ASKED)
    with pytest.raises(ConfigError, match=r"line 1: its question is that of 0, not that of 1"):
        read(tmp_path, "p.jsonl", lines({"id": 1, **same[0]}), ASKED)


def test_index_is_a_position_and_question_id_an_id(tmp_path: Path) -> None:
    both = [{"index": 0, "question_id": 7, "sql": "A"}, {"index": 1, "question_id": 1, "sql": "B"}]
    assert read(tmp_path, "p.jsonl", lines(*both), BIRD) == {"7": "A", "1": "B"}
    assert read(tmp_path, "p.jsonl", lines({"index": 1, "sql": "B"}), BIRD) == {"1": "B"}
    assert read(tmp_path, "p.jsonl", lines({"id": 1, "sql": f"B{MARK}cars"}), BIRD) == {"1": "B"}
    with pytest.raises(ConfigError, match=r"line 1: 7 and index 1 are two different questions"):
        read(tmp_path, "p.jsonl", lines({"index": 1, "question_id": 7, "sql": "A"}), BIRD)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.json", json.dumps(["A", "B", "", "D"])),
        ("p.jsonl", lines("A", "B", "", "D")),
        ("p.json", json.dumps([{"sql": "A"}, {"sql": "B"}, {"sql": ""}, {"sql": "D"}])),
        ("p.jsonl", lines({"sql": "A", "db_id": "pets"}, {"pred": "B"}, {"sql": ""}, {"sql": "D"})),
    ],
)
def test_json_without_ids_is_paired_by_place(tmp_path: Path, name: str, content: str) -> None:
    assert read(tmp_path, name, content) == WHOLE


ONE = {"id": 0, "sql": "A"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.jsonl", "", r"is empty"),
        ("p.json", "", r"line 1: not valid JSON"),
        ("p.json", "5", r"holds no predictions"),
        ("p.json", "[]", r"is empty"),
        ("p.jsonl", lines(ONE) + '{"id": 1, "sq', r"p\.jsonl, line 2: not valid JSON.*cut off"),
        ("p.jsonl", "SELECT 1\n", r"line 1: not valid JSON"),
        ("p.jsonl", lines(ONE, 5), r"line 2: neither an object nor a text"),
        ("p.jsonl", lines(ONE, {"id": 1, "query": "gold"}), r"line 2: no SQL: it should be called"),
        ("p.jsonl", lines({"id": 0, "sql": 5}), r"line 1: sql is not a text"),
        ("p.jsonl", lines(ONE, {"sql": "B"}), r"line 2: no id, which other lines have"),
        ("p.jsonl", lines(ONE, ONE), r"line 2: question 0 has a prediction in line 1 already"),
        ("p.jsonl", lines(ONE) + "\n" + lines(ONE), r"line 3: question 0 .* in line 1 already"),
        ("p.jsonl", lines({"id": 9, "sql": "A"}), r"line 1: the set has no question 9; .*index"),
        ("p.jsonl", lines({"index": 4, "sql": "A"}), r"line 1: the set has no question index 4"),
        ("p.jsonl", lines({"index": -1, "sql": "A"}), r"line 1: the set has no question index -1"),
        ("p.jsonl", lines({"index": 1.5, "sql": "A"}), r"line 1: index is not a position"),
        ("p.json", json.dumps([ONE, {"id": 9, "sql": ""}]), r"entry 2: the set has no question 9"),
        ("p.jsonl", lines({**ONE, "db_id": "cars"}), r"line 1: the database is cars, but that of"),
        ("p.jsonl", lines({"sql": "A"}, {"sql": "B"}), r"has 2 predictions, the set 4 questions"),
        ("p.jsonl", b'{"id": 0, "sql": "A"}\n\xff', r"line 2: byte 0xff is not UTF-8"),
    ],
)
def test_records_that_do_not_fit_are_refused(
    tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read(tmp_path, name, content)
    assert "\n" not in str(caught.value)


def test_unknown_ids_can_be_left_out_but_not_all(tmp_path: Path) -> None:
    said: list[str] = []
    content = lines({"id": 9, "sql": "X"}, {"id": 1, "sql": "B"})
    assert read(tmp_path, "p.jsonl", content, ignore_unknown=True, say=said.append) == {"1": "B"}
    assert "1 predictions left out" in said[0]
    with pytest.raises(ConfigError, match="no question 9"):
        read(tmp_path, "p.jsonl", lines({"id": 9, "sql": "X"}), ignore_unknown=True)


# BIRD's object: keys that are positions or ids


def bird(**values: Any) -> str:
    return json.dumps(values)


@pytest.mark.parametrize(
    ("content", "expected", "said"),
    [
        # The databases say which.
        ({"0": f"A{MARK}pets", "1": f"B{MARK}cars", "2": f"C{MARK}pets"}, "A B C", "positions"),
        ({"2": f"C{MARK}pets", "0": f"A{MARK}pets", "1": f"B{MARK}cars"}, "A B C", "positions"),
        ({"7": f"A{MARK}pets", "1": f"B{MARK}cars", "3": f"C{MARK}pets"}, "A B C", "ids"),
        # Only one reading knows all keys.
        ({"0": "A", "1": "B", "2": "C"}, "A B C", "positions"),
        ({"7": "A", "1": "B", "3": "C"}, "A B C", "ids"),
        # BIRD's baselines write numbers where a model gave nothing.
        ({"0": 0, "1": f"B{MARK}cars", "2": None}, " B ", "positions"),
        ({"0": f"{MARK}pets", "1": f"B{MARK}cars", "2": f" {MARK}pets"}, " B ", "positions"),
    ],
)
def test_keys_are_read_as_what_fits(
    tmp_path: Path, content: dict[str, Any], expected: str, said: str
) -> None:
    told: list[str] = []
    found = read(tmp_path, "p.json", json.dumps(content), BIRD, say=told.append)
    assert [found[id].strip() for id in ("7", "1", "3")] == expected.split(" ")
    assert told == [f"{tmp_path / 'p.json'}: its keys are read as {said}"]


def test_keys_of_a_set_whose_ids_are_positions_need_no_choice(tmp_path: Path) -> None:
    told: list[str] = []
    content = json.dumps({"3": "D", "0": "A", "2": "", "1": "B"}, indent=4)
    assert read(tmp_path, "p.json", content, say=told.append) == WHOLE
    assert told == []


def test_ids_of_the_complete_set_can_be_scored_on_a_part_of_it(tmp_path: Path) -> None:
    everything = {str(i): f"S{i}{MARK}dogs" for i in range(9)}
    everything |= {"7": f"S7{MARK}pets", "1": f"S1{MARK}cars", "3": f"S3{MARK}pets"}
    content = json.dumps(everything)
    with pytest.raises(ConfigError, match="--ignore-unknown"):
        read(tmp_path, "p.json", content, BIRD)
    assert read(tmp_path, "p.json", content, BIRD, ignore_unknown=True) == {
        "7": "S7",
        "1": "S1",
        "3": "S3",
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"0": "A", "1": "B", "1": "C"}', r'the key "1" is there twice'),
        ('{"1": "B"}', r"keys may be positions or ids of the set, and no database says which"),
        (
            f'{{"0": "A{MARK}cars", "1": "B"}}'.replace("\t", "\\t"),
            r'key "0": the database is cars',
        ),
        ('{"0": "A", "7": "B"}', r'key "7": the set has no question index 7'),
        ('{"0": ["A"]}', r'key "0": not SQL but a JSON list'),
        ('{"0": "A",\n "1": "B', r"p\.json, line 2: not valid JSON"),
    ],
)
def test_keys_that_do_not_fit_are_refused(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, "p.json", content, BIRD)


# Runs, and what is not there


def test_the_folder_of_a_run_is_a_file_of_predictions(tmp_path: Path) -> None:
    manifest = Manifest("eval", "the set", "spider", "", ("0", "1"))
    with RunFolder.create(tmp_path / "run", manifest) as run:
        run.add_answer(Answer("1", "cars", "Q", "SELECT 1", sql="B"))
        run.add_answer(Answer("0", "pets", "Q", "SELECT 1", error="gone", error_kind="LLMError"))
    expected = {"1": Prediction("1", "B"), "0": Prediction("0", "", "gone", "LLMError")}
    assert read_predictions(tmp_path / "run", SPIDER) == expected
    assert read_predictions(tmp_path / "run" / "answers.jsonl", SPIDER) == expected


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"p\.sql cannot be read: No such file"):
        read_predictions(tmp_path / "p.sql", SPIDER)
    with pytest.raises(ConfigError, match=r"no run in"):
        read_predictions(tmp_path, SPIDER)


@needs_data
def test_every_published_file_is_paired_with_its_questions() -> None:
    sets = {n: open_benchmark(n, DATA) for n in ("spider", "bird", "bird_mini")}
    files = sorted((DATA / "predictions").glob("*.jsonl"))
    assert len(files) == 29
    for file in files:
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        chosen = sets[records[0]["set"]]
        found = read_predictions(file, chosen)
        by_place = [found[e.id].sql for e in chosen.examples]
        assert by_place == [r["sql"] for r in records], file.name
