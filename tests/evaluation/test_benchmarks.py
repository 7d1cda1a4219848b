"""Benchmarks: what the files hold, what they are called, and what is said when they are wrong."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from macsql.errors import ConfigError
from macsql.evaluation.benchmark import open_benchmark, sample_ids
from macsql.evaluation.spider import check_test_suite

DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
needs_data = pytest.mark.skipif(
    not (DATA / "spider" / "dev.json").exists(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)

SPIDER = [
    {"db_id": "pets", "question": "How many pets?", "query": "SELECT count(*) FROM pet"},
    {"db_id": "cars", "question": " Which cars? ", "query": "SELECT name FROM car"},
    {"db_id": "pets", "question": "Which pets?", "query": "SELECT name FROM pet"},
]
BIRD = [
    {
        "question_id": 7,
        "db_id": "pets",
        "question": "How many pets?",
        "evidence": "pets are animals",
        "SQL": "SELECT count(*) FROM pet",
        "difficulty": "simple",
    },
    {"question_id": 3, "db_id": "cars", "question": "Which cars?", "SQL": "SELECT name FROM car"},
]


def spider_folder(root: Path, entries: list[dict[str, Any]] | None = None) -> Path:
    """A Spider of three questions on two databases, which nothing here has to open."""
    folder = root / "spider"
    for name in ("pets", "cars"):
        (folder / "database" / name).mkdir(parents=True)
        (folder / "database" / name / f"{name}.sqlite").touch()
    (folder / "tables.json").write_text("[]")
    (folder / "dev.json").write_text(json.dumps(SPIDER if entries is None else entries))
    return folder


def bird_folder(root: Path, entries: list[dict[str, Any]] | None = None) -> Path:
    folder = root / "bird"
    for name in ("pets", "cars"):
        (folder / "dev_databases" / name).mkdir(parents=True)
        (folder / "dev_databases" / name / f"{name}.sqlite").touch()
    (folder / "dev_databases" / "pets" / "database_description").mkdir()
    (folder / "dev_tables.json").write_text("[]")
    (folder / "dev.json").write_text(json.dumps(BIRD if entries is None else entries))
    return folder


# What is read


@pytest.mark.parametrize("inside", [False, True])
def test_spider_ids_are_positions(tmp_path: Path, inside: bool) -> None:
    folder = spider_folder(tmp_path)
    benchmark = open_benchmark("spider", folder if inside else tmp_path)
    assert benchmark.name == "Spider dev (3 of 1,034)"
    assert benchmark.rule == "spider"
    assert [(e.id, e.db_id, e.question, e.gold_sql) for e in benchmark.examples] == [
        ("0", "pets", "How many pets?", "SELECT count(*) FROM pet"),
        ("1", "cars", "Which cars?", "SELECT name FROM car"),
        ("2", "pets", "Which pets?", "SELECT name FROM pet"),
    ]
    assert benchmark.examples[1].database == str(folder / "database/cars/cars.sqlite")


@pytest.mark.parametrize("inside", [False, True])
def test_bird_ids_are_question_ids(tmp_path: Path, inside: bool) -> None:
    folder = bird_folder(tmp_path)
    benchmark = open_benchmark("bird-dev", folder if inside else tmp_path)
    assert benchmark.rule == "bird"
    first, second = benchmark.examples
    assert (first.id, first.evidence, first.difficulty) == ("7", "pets are animals", "simple")
    assert first.descriptions == folder / "dev_databases/pets/database_description"
    assert (second.id, second.evidence, second.difficulty) == ("3", "", "")
    assert second.descriptions is None


@pytest.mark.parametrize("question_id", [7, None, ""])
def test_ids_that_bird_lacks_or_repeats_become_positions(tmp_path: Path, question_id: Any) -> None:
    bird_folder(tmp_path, [BIRD[0], {**BIRD[1], "question_id": question_id}])
    benchmark = open_benchmark("bird", tmp_path)
    assert [e.id for e in benchmark.examples] == ["0", "1"]
    assert "positions" in benchmark.notes[0]


def test_a_set_is_called_by_its_official_name_only_when_complete(tmp_path: Path) -> None:
    spider_folder(tmp_path, SPIDER[:1] * 1034)
    bird_folder(tmp_path, [{**BIRD[0], "question_id": i} for i in range(1534)])
    mini = [{**BIRD[0], "question_id": i} for i in range(500)]
    (tmp_path / "bird" / "mini_dev_sqlite.json").write_text(json.dumps(mini))
    names = [open_benchmark(n, tmp_path).name for n in ("spider", "bird", "mini-dev")]
    assert names == ["Spider dev", "BIRD dev", "BIRD mini-dev"]
    (tmp_path / "bird" / "dev.json").write_text(json.dumps(BIRD))
    (tmp_path / "bird" / "mini_dev_sqlite.json").write_text(json.dumps(mini[:-1]))
    names = [open_benchmark(n, tmp_path).name for n in ("bird", "bird_mini")]
    assert names == [
        "rebuilt BIRD subset (dev, 2 of 1,534)",
        "rebuilt BIRD subset (mini-dev, 499 of 500)",
    ]


def test_gold_comes_from_the_file_beside_or_the_one_given(tmp_path: Path) -> None:
    bare = [{k: v for k, v in e.items() if k != "query"} for e in SPIDER]
    folder = spider_folder(tmp_path, bare)
    gold = "SELECT 1\tpets\nSELECT 2\tcars\nSELECT 3\tpets\n"
    (folder / "dev_gold.sql").write_text(gold)
    (folder / "other.sql").write_text(gold.replace("SELECT", "select").removesuffix("\n"))
    found = open_benchmark("spider", tmp_path)
    assert [e.gold_sql for e in found.examples] == ["SELECT 1", "SELECT 2", "SELECT 3"]
    given = open_benchmark("spider", tmp_path, gold=folder / "other.sql")
    assert [e.gold_sql for e in given.examples] == ["select 1", "select 2", "select 3"]
    assert found.checksum != given.checksum


def test_other_questions_of_the_same_form_have_their_own_name(tmp_path: Path) -> None:
    spider_folder(tmp_path)
    (tmp_path / "realistic.json").write_text(json.dumps(SPIDER[1:]))
    benchmark = open_benchmark("spider", tmp_path, questions=tmp_path / "realistic.json")
    assert benchmark.name == "realistic.json (form of Spider)"
    assert [e.id for e in benchmark.examples] == ["0", "1"]


def test_train_leaves_out_questions_without_database_and_keeps_the_ids(tmp_path: Path) -> None:
    folder = spider_folder(tmp_path)
    gone = {**SPIDER[0], "db_id": "gone"}
    (folder / "train_spider.json").write_text(json.dumps([gone, SPIDER[0]]))
    (folder / "train_others.json").write_text(json.dumps([SPIDER[1]]))
    benchmark = open_benchmark("spider_train", tmp_path)
    assert [(e.id, e.db_id) for e in benchmark.examples] == [("1", "pets"), ("2", "cars")]
    assert benchmark.notes == ("1 questions left out, no database: gone",)
    assert benchmark.name == "Spider train (2 of 8,659)"


def test_test_suites_lie_in_the_database_folder_or_in_one_of_their_own(tmp_path: Path) -> None:
    folder = spider_folder(tmp_path)
    (folder / "database" / "pets" / "pets_2.sqlite").touch()
    for name in ("pets", "cars"):
        (tmp_path / "suite" / name).mkdir(parents=True)
        (tmp_path / "suite" / name / "x.sqlite").touch()
    plain = open_benchmark("spider", tmp_path).examples
    assert [len(e.test_suite) for e in plain] == [1, 0, 1]
    whole = open_benchmark("spider", tmp_path, test_suite=tmp_path / "suite")
    check_test_suite(whole, tmp_path / "suite")
    suite = whole.examples
    assert suite[0].test_suite == (
        str(folder / "database/pets/pets_2.sqlite"),
        str(tmp_path / "suite/pets/x.sqlite"),
    )
    (tmp_path / "suite" / "cars" / "x.sqlite").unlink()
    with pytest.raises(ConfigError, match=r"test suite has no databases for cars"):
        check_test_suite(whole, tmp_path / "suite")
    check_test_suite(whole.only(["0"]), tmp_path / "suite")


def test_the_checksum_is_what_the_shell_says(tmp_path: Path) -> None:
    folder = spider_folder(tmp_path)
    before = open_benchmark("spider", tmp_path).checksum
    lines = "".join(
        f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n"
        for n in ("dev.json", "tables.json")
    )
    assert before == hashlib.sha256(lines.encode()).hexdigest()
    (folder / "tables.json").write_text("[] ")
    assert open_benchmark("spider", tmp_path).checksum != before


# What is wrong


def edited(index: int, **changes: Any) -> list[dict[str, Any]]:
    entries = [dict(e) for e in SPIDER]
    entries[index].update(changes)
    return entries


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", r"dev\.json, line 1: not valid JSON"),
        ('[\n{"a": 1},\n{"a": 2', r"dev\.json, line 3: not valid JSON"),
        ("{}", r"is no Spider file"),
        ("[]", r"is no Spider file"),
        ("[1]", r"entry 1: not an object"),
        ('[{"a": 1, "a": 2}]', r'the key "a" is there twice'),
        (json.dumps(BIRD), r'entry 1: no "query".*looks like a file of BIRD'),
        (json.dumps(edited(1, question="  ")), r'entry 2: no "question"'),
        (json.dumps(edited(2, db_id=None)), r'entry 3: no "db_id".*there is db_id, question'),
        (json.dumps(edited(2, query="")), r'entry 3: no "query", and no dev_gold\.sql beside it'),
        (json.dumps(edited(2, db_id="dogs")), r"dogs\.sqlite is not there; .* cars/, pets/"),
        (b'[\n"\xff"]', r"line 2: byte 0xff is not UTF-8"),
    ],
)
def test_a_wrong_spider_file_is_named_with_the_place(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    folder = spider_folder(tmp_path)
    (folder / "dev.json").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigError, match=said) as caught:
        open_benchmark("spider", tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("SELECT 1\tpets\nSELECT 2\tcars\n", r"2 lines for 3 questions"),
        ("SELECT 1\tpets\n\nSELECT 3\tpets\n", r"line 2: not gold SQL, a tab"),
        ("SELECT 1\tpets\nSELECT 2\tpets\nSELECT 3\tpets", r"line 2: the database is pets, but"),
    ],
)
def test_a_gold_file_that_does_not_fit_is_refused(tmp_path: Path, gold: str, said: str) -> None:
    folder = spider_folder(tmp_path)
    (folder / "dev_gold.sql").write_text(gold)
    with pytest.raises(ConfigError, match=said):
        open_benchmark("spider", tmp_path, gold=folder / "dev_gold.sql")


@pytest.mark.parametrize(
    ("name", "where", "options", "said"),
    [
        ("spider", "nowhere", {}, r"nowhere does not exist: give the folder of Spider dev"),
        ("spider", "spider/dev.json", {}, r"dev\.json is no folder"),
        ("spider", "empty", {}, r"no Spider dev in .*looked for dev\.json .*there is nothing"),
        ("bird", "spider", {}, r"BIRD dev has no dev_tables\.json: looked in .*tables\.json"),
        ("mini-dev", "bird", {}, r"no BIRD mini-dev in .*looked for mini_dev_sqlite\.json"),
        ("spyder", "spider", {}, r"no benchmark spyder: known are spider,"),
        ("spider", None, {}, r"Say where spider is: --data DIR"),
        ("spider", "spider", {"split": "test"}, r"no split test of spider: known are dev, train"),
        ("spider", "spider", {"database": "x"}, r"database cannot be given for Spider"),
        ("bird", "bird", {"gold": Path("x")}, r"gold cannot be given for BIRD"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(
    tmp_path: Path, name: str, where: str | None, options: dict[str, Any], said: str
) -> None:
    spider_folder(tmp_path)
    bird_folder(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=said):
        open_benchmark(name, tmp_path / where if where else None, **options)


def test_a_missing_tables_file_is_an_error(tmp_path: Path) -> None:
    (spider_folder(tmp_path) / "tables.json").unlink()
    with pytest.raises(ConfigError, match=r"Spider dev has no tables\.json: looked in .*dev\.json"):
        open_benchmark("spider", tmp_path)


def test_keys_come_from_the_tables_file(tmp_path: Path) -> None:
    folder = spider_folder(tmp_path)
    names = [[-1, "*"], [0, "Id"], [1, "Owner"], [1, "name"]]
    pets = {
        "db_id": "pets",
        "table_names_original": ["Person", "Pet"],
        "column_names_original": names,
        "foreign_keys": [[2, 1]],
    }
    (folder / "tables.json").write_text(json.dumps([pets]))
    benchmark = open_benchmark("spider", tmp_path)
    assert benchmark.key_groups == {"pets": [["person.id", "pet.owner"]]}
    (folder / "tables.json").write_text(json.dumps([pets, {**pets, "foreign_keys": [[9, 1]]}]))
    with pytest.raises(ConfigError, match=r"tables\.json, entry 2: not a schema"):
        open_benchmark("spider", tmp_path)


# Questions of one's own


def write_own(folder: Path, text: str, name: str = "my.jsonl") -> Path:
    (folder / "pets.sqlite").touch()
    (folder / "database" / "cars").mkdir(parents=True)
    (folder / "database" / "cars" / "cars.sqlite").touch()
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


GOOD = {"question": "How many?", "gold_sql": "SELECT 1", "database": "pets.sqlite"}


def lines(*objects: dict[str, Any]) -> str:
    return "".join(json.dumps(o) + "\n" for o in objects)


@pytest.mark.parametrize("gold", ["gold_sql", "gold", "sql", "query", "SQL"])
def test_own_questions_as_json_lines(tmp_path: Path, gold: str) -> None:
    first = {"id": 5, "question": "Q", gold: "SELECT 1", "db_id": "cars", "evidence": None}
    file = write_own(tmp_path, lines(first, {**GOOD, "difficulty": "hard", "note": "x"}))
    benchmark = open_benchmark(str(file))
    assert (benchmark.name, benchmark.rule) == ("my.jsonl", "bird")
    one, two = benchmark.examples
    assert (one.id, one.gold_sql, one.db_id, one.evidence) == ("5", "SELECT 1", "cars", "")
    assert one.database == str(tmp_path / "database/cars/cars.sqlite")
    assert (two.id, two.db_id, two.difficulty) == ("1", "pets", "hard")
    assert two.database == str(tmp_path / "pets.sqlite")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_own_questions_as_csv(tmp_path: Path, separator: str) -> None:
    rows = [
        ["id", "question", "gold_sql", "database"],
        ["a", "Q\u2028R", "SELECT 1", "pets.sqlite"],
        ["b", "Q", '"SELECT\n2"', "pets.sqlite"],
    ]
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows)
    benchmark = open_benchmark(str(write_own(tmp_path, text, "my.csv")))
    assert [(e.id, e.gold_sql) for e in benchmark.examples] == [
        ("a", "SELECT 1"),
        ("b", "SELECT\n2"),
    ]
    assert benchmark.examples[0].question == "Q\u2028R"


def test_one_database_for_all_questions(tmp_path: Path) -> None:
    file = write_own(tmp_path, lines({**GOOD, "database": "not.there"}))
    benchmark = open_benchmark(str(file), database=str(tmp_path / "pets.sqlite"))
    assert benchmark.examples[0].database == str(tmp_path / "pets.sqlite")
    benchmark = open_benchmark(str(file), database="postgresql://host/shop")
    assert (benchmark.examples[0].database, benchmark.examples[0].db_id) == (
        "postgresql://host/shop",
        "shop",
    )


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a/shop.sqlite", "b/shop.sqlite", "pets.sqlite"], ["a/shop", "b/shop", "pets"]),
        (["a/x/shop.sqlite", "b/x/shop.sqlite"], ["a/x/shop", "b/x/shop"]),
        (["a/shop.sqlite", "a/shop.db"], ["shop.sqlite/shop", "shop.db/shop"]),
        (["a/shop.sqlite", "a/../a/shop.sqlite"], ["shop", "shop"]),
        (
            ["postgresql://me:secret@one/shop?sslmode=require", "postgresql://me:secret@two/shop"],
            ["***@one/shop", "***@two/shop"],
        ),
    ],
)
def test_databases_of_one_name_are_told_apart(
    tmp_path: Path, files: list[str], names: list[str]
) -> None:
    for name in files:
        if "://" not in name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
    file = write_own(tmp_path, lines(*({**GOOD, "database": name} for name in files)))
    examples = open_benchmark(str(file)).examples
    assert [e.db_id for e in examples] == names
    assert {e.short_name for e in examples} <= {"shop", "pets"}


def test_a_short_name_that_two_databases_are_given_is_told_apart_too(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").touch()
    given = ({**GOOD, "db_id": "shop", "database": name} for name in ("x.sqlite", "pets.sqlite"))
    one, two = open_benchmark(str(write_own(tmp_path, lines(*given)))).examples
    assert (one.db_id, two.db_id) == ("x.sqlite/shop", "pets.sqlite/shop")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines(GOOD) + "{", r"line 2 of my\.jsonl: not valid JSON"),
        (lines(GOOD) + "\n[]\n", r"line 3 of my\.jsonl: not a JSON object"),
        (lines(GOOD, {"gold_sql": "x"}), r"line 2 of my\.jsonl: no field question; there is gold"),
        (lines({**GOOD, "question": " "}), r"line 1 of my\.jsonl: the question is empty"),
        (lines({"question": "Q"}), r"line 1 of my\.jsonl: no field gold_sql; there is question"),
        (lines({**GOOD, "gold_sql": None}), r"line 1 of my\.jsonl: no gold_sql"),
        (lines({**GOOD, "question": ["Q"]}), r"line 1 of my\.jsonl: question is not a text"),
        (lines({**GOOD, "id": 1}, {**GOOD, "id": "1"}), r'line 2 .*: id "1" is that of line 1'),
        (lines({**GOOD, "database": "x.db"}), r"line 1 .*: the database .*x\.db is not there"),
        (lines({"question": "Q", "sql": "x"}), r"line 1 .*: no database: give one for all with"),
        (
            lines({"question": "Q", "sql": "x", "db_id": "x"}),
            r"no database x: looked for .*x\.sqlit",
        ),
        (lines({}, {}, {}), r"line 1 .*\(2 more lines are wrong\.\)"),
        ("\n", r"has no questions"),
    ],
)
def test_the_wrong_line_of_ones_own_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        open_benchmark(str(write_own(tmp_path, text)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("question,sql\nQ,x,y\n", r"line 2 of my\.csv: 3 fields, but the first line has 2"),
        ('question,sql,database\n"Q\nR",1,pets.sqlite\n"Q', r"line 4 of my\.csv: not valid CSV"),
        ('question,sql\n"Q\nR",1\nQ,\n', r"line 2 of my\.csv: no database.*1 more line is"),
        ("question,sql,sql\nQ,1,2\n", r'line 1 of my\.csv: the column "sql" is there twice'),
    ],
)
def test_lines_of_csv_are_counted_as_in_an_editor(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        open_benchmark(str(write_own(tmp_path, text, "my.csv")))


def test_own_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"my\.jsonl cannot be read: No such file"):
        open_benchmark(str(tmp_path / "my.jsonl"))
    file = write_own(tmp_path, lines(GOOD))
    file.write_bytes(file.read_bytes() + b'\n{"question": "\xe4"}')
    with pytest.raises(ConfigError, match=r"my\.jsonl, line 3: byte 0xe4 is not UTF-8"):
        open_benchmark(str(file))
    with pytest.raises(ConfigError, match=r"no benchmark my\.xlsx"):
        open_benchmark("my.xlsx")


# Samples


def test_a_drawn_sample_has_its_share_of_each_database(tmp_path: Path) -> None:
    spider_folder(tmp_path, SPIDER[:1] * 60 + SPIDER[1:2] * 30)
    benchmark = open_benchmark("spider", tmp_path)
    ids = sample_ids(benchmark, "10")
    assert Counter(e.db_id for e in benchmark.only(ids).examples) == {"pets": 7, "cars": 3}
    assert ids == sample_ids(benchmark, "10", seed=0) != sample_ids(benchmark, "10", seed=1)
    assert len(sample_ids(benchmark, "90")) == 90
    assert len(sample_ids(benchmark, "1")) == 1
    few = benchmark.only(sample_ids(benchmark, "5/1"))
    assert (len(few.examples), len({e.db_id for e in few.examples})) == (5, 1)


@pytest.mark.parametrize("content", ["2\n\n0\n", "[0, 2]"])
def test_samples_by_name_and_from_a_file(tmp_path: Path, content: str) -> None:
    folder = spider_folder(tmp_path)
    benchmark = open_benchmark("spider", tmp_path)
    (tmp_path / "samples.json").write_text('{"quick": [2, 0], "strange": [4]}')
    (tmp_path / "ids.txt").write_text(content)
    assert sample_ids(benchmark, "quick", tmp_path) == ("0", "2")
    assert sample_ids(benchmark, "quick", folder) == ("0", "2")
    assert sample_ids(benchmark, str(tmp_path / "ids.txt")) == ("0", "2")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("strange", r"strange does not fit: Spider dev .* has no question 4"),
        ("other", r"no sample other: give a number, a file of ids, or a name \(quick, strange\)"),
        ("0", r"sample of 0 of 3 questions"),
        ("4", r"sample of 4 of 3 questions"),
    ],
)
def test_a_sample_that_does_not_fit_is_refused(tmp_path: Path, spec: str, said: str) -> None:
    spider_folder(tmp_path)
    (tmp_path / "samples.json").write_text('{"quick": [2, 0], "strange": [4]}')
    with pytest.raises(ConfigError, match=said):
        sample_ids(open_benchmark("spider", tmp_path), spec, tmp_path)


# The data itself


@needs_data
@pytest.mark.parametrize(
    ("name", "called", "count", "last"),
    [
        ("spider", "Spider dev (972 of 1,034)", 972, "971"),
        ("spider-train", "Spider train (8,645 of 8,659)", 8645, "8658"),
        ("bird", "rebuilt BIRD subset (dev, 371 of 1,534)", 371, "847"),
        ("mini-dev", "rebuilt BIRD subset (mini-dev, 140 of 500)", 140, "847"),
    ],
)
def test_the_shared_data(name: str, called: str, count: int, last: str) -> None:
    benchmark = open_benchmark(name, DATA)
    assert (benchmark.name, len(benchmark.examples)) == (called, count)
    assert len({e.id for e in benchmark.examples}) == count
    if benchmark.rule == "spider":
        assert benchmark.examples[-1].id == last
    else:
        assert last in {e.id for e in benchmark.examples}


@needs_data
def test_the_gold_file_of_spider_is_that_of_its_questions() -> None:
    plain = open_benchmark("spider", DATA)
    filed = open_benchmark("spider", DATA, gold=DATA / "spider" / "dev_gold.sql")
    assert [e.gold_sql for e in filed.examples] == [e.gold_sql for e in plain.examples]
    assert len(sample_ids(plain, "spider_200", DATA)) == 200
    assert len(sample_ids(open_benchmark("bird", DATA), "bird_90", DATA)) == 90
