"""Files of worked examples: the forms they have, and what is said about those that have none."""

import json
from pathlib import Path

import pytest

from macsql.errors import ConfigError
from macsql.shots import WorkedExample, open_examples
from macsql.shots.worked import read_examples

PAIR = {"question": "How many pupils?", "sql": "SELECT COUNT(*) FROM pupil"}
READ = WorkedExample("How many pupils?", "SELECT COUNT(*) FROM pupil")


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "entry",
    [
        PAIR,
        {"question": " How many pupils? ", "query": "SELECT COUNT(*) FROM pupil\n"},
        {"question": "How many pupils?", "SQL": "SELECT COUNT(*) FROM pupil", "question_id": 5},
        {"question": "How many pupils?", "gold_sql": "SELECT COUNT(*) FROM pupil", "evidence": ""},
        {**PAIR, "sql": {"select": [], "from": []}, "query": "SELECT COUNT(*) FROM pupil"},
        {**PAIR, "evidence": None, "db_id": None},
    ],
)
def test_the_sql_goes_by_several_names(tmp_path: Path, entry: dict[str, object]) -> None:
    assert read_examples(written(tmp_path, json.dumps([entry]))) == (READ,)
    assert read_examples(written(tmp_path, f"\ufeff\n{json.dumps(entry)}\r\n\n")) == (READ,)


def test_database_and_evidence_are_kept(tmp_path: Path) -> None:
    text = json.dumps({**PAIR, "db_id": "school", "evidence": "pupils are children"})
    (example,) = read_examples(written(tmp_path, text))
    assert (example.db_id, example.evidence) == ("school", "pupils are children")
    assert example.is_about("School")
    assert not example.is_about("zoo")
    assert READ.is_about("zoo")


def test_what_is_there_twice_is_read_once(tmp_path: Path) -> None:
    entries = [PAIR, {**PAIR, "db_id": "school"}, PAIR]
    assert len(read_examples(written(tmp_path, json.dumps(entries)))) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"question": "a", "sql": "b"}\n{"question": "a"}\n{}', r"line 2: no sql.*1 more"),
        ('[{"question": "a", "sql": "b"}, 5]', r"entry 2: not a JSON object"),
        ('{"question": "a"', r"line 1: not a JSON object"),
        ('[{"question": "a"', r"not valid JSON"),
        ('{"question": 5, "sql": "b"}', r"line 1: question is not a text"),
        ('{"question": " ", "sql": "b"}', r"line 1: no question"),
        ('{"question": "a", "sql": "b", "db_id": ["c"]}', r"line 1: db_id is not a text"),
        ("", r"has no examples"),
        ("[]", r"has no examples"),
        ("[" * 100_000, r"not valid JSON"),
    ],
)
def test_what_is_no_pair_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_examples(written(tmp_path, text))


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "pairs.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="no UTF-8"):
        read_examples(tmp_path / "pairs.json")


def test_a_name_that_is_nothing_names_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fixed, builtin, or a file"):
        open_examples(str(tmp_path / "none.json"))
    assert open_examples("fixed") is None


def test_examples_that_are_all_too_long_are_an_error(tmp_path: Path) -> None:
    text = json.dumps({**PAIR, "sql": "SELECT " + ", ".join(["name"] * 200)})
    with pytest.raises(ConfigError, match="more than 120 tokens"):
        open_examples(written(tmp_path, text))


@pytest.mark.parametrize(
    ("written_sql", "sql"),
    [
        ("SELECT count(*) ,  a FROM t ;", "SELECT count(*), a FROM t"),
        ("SELECT a FROM t WHERE b  =  'x  , y'", "SELECT a FROM t WHERE b = 'x  , y'"),
        ('SELECT "a  b" FROM\tt', 'SELECT "a  b" FROM t'),
        ("SELECT a -- one  and\n  FROM t", "SELECT a -- one  and\n FROM t"),
        ("SELECT 'it''s  ' || a  FROM t;;", "SELECT 'it''s  ' || a FROM t"),
    ],
)
def test_blanks_that_say_nothing_are_left_out(tmp_path: Path, written_sql: str, sql: str) -> None:
    (example,) = read_examples(written(tmp_path, json.dumps({**PAIR, "sql": written_sql})))
    assert example.sql == sql
