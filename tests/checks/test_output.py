"""What a query gives against what its question asks for."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from macsql.checks.output import check_output
from macsql.checks.output_fixes import repair_output
from macsql.checks.question import asked_items, read_question
from macsql.schema import Column, ForeignKey, Schema, Table


def pairs(name: str) -> list[tuple[str, ...]]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|", 2)) for line in lines]


@pytest.mark.parametrize(("code", "question", "sql"), pairs("questions.txt"))
def test_query_that_gives_something_else_is_found(
    code: str, question: str, sql: str, school: Any
) -> None:
    assert school.refusal(sql) == ""
    found = check_output(question, sql, school.schema)
    assert all(f.message and f.hint and f.severity in ("warning", "hint") for f in found)
    codes = [f.code for f in found]
    assert (codes == []) if code == "-" else (code in codes)


def test_place_of_what_is_too_much_is_marked(school: Any) -> None:
    sql = "SELECT first_name, id FROM pupil WHERE age = 12"
    spans = {f.code: f.span for f in check_output("Who is 12?", sql, school.schema)}
    assert spans["id-unasked"] is not None
    assert sql[slice(*spans["id-unasked"])] == "id"


def test_warnings_come_before_hints(school: Any) -> None:
    sql = "SELECT name FROM school WHERE city = 'ROME' ORDER BY name"
    found = check_output("Which schools are in PARIS?", sql, school.schema)
    assert [f.severity for f in found] == ["warning", "hint"]


def test_words_of_the_evidence_count_as_said(school: Any) -> None:
    question, sql = "Which schools are French?", "SELECT name FROM school WHERE city = 'PARIS'"
    assert [f.code for f in check_output(question, sql, school.schema)] == ["text-unasked"]
    evidence = "French refers to city = 'PARIS'"
    assert check_output(question, sql, school.schema, evidence=evidence) == []


def test_what_only_the_evidence_quotes_need_not_be_used(school: Any) -> None:
    question, sql = "Which pupils are 12?", "SELECT first_name FROM pupil WHERE age = 12"
    evidence = "pupils of 'Hill School' have school_id = 1"
    assert check_output(question, sql, school.schema, evidence=evidence) == []


def test_columns_of_the_answer_are_those_of_the_last_select(school: Any) -> None:
    sql = "WITH a AS (SELECT name, city FROM school) SELECT name FROM a"
    assert check_output("List the names of all schools.", sql, school.schema) == []


@pytest.mark.parametrize(
    ("question", "sql", "is_doubted"),
    [
        ("How many king beds are there?", "SELECT count(*) FROM room WHERE kind = 'king'", True),
        ("What is the number of beds?", "SELECT count(beds) FROM room", False),
        ("How many beds are there?", "SELECT sum(beds) FROM room", False),
        ("How many rooms have two beds?", "SELECT count(*) FROM room WHERE beds = 2", False),
        ("How many bed kinds are there?", "SELECT count(DISTINCT kind) FROM room", False),
        ("How many rooms are there?", "SELECT count(*) FROM room", False),
        ("Which kind has the most guests?", "SELECT kind, count(*) FROM room GROUP BY kind", True),
        (
            "How many guests were there in 1998?",
            "SELECT count(*) FROM room WHERE year = 1998",
            True,
        ),
        # Not a number, a key, or no number of that kind.
        ("How many kinds are there?", "SELECT count(*) FROM room", False),
        ("How many hotels are there?", "SELECT count(*) FROM room", False),
        ("How many years is that?", "SELECT count(*) FROM room", False),
        # Which floor it is, not how many there are.
        ("How many floors are there?", "SELECT count(*) FROM room", False),
    ],
)
def test_number_that_is_stored_and_rows_that_are_counted(
    question: str, sql: str, is_doubted: bool
) -> None:
    types = {
        "id": "INTEGER",
        "kind": "TEXT",
        "beds": "INT",
        "floor": "INT",
        "number_of_guests": "INT",
        "year": "INT",
    }
    columns = (*(Column(name, kind) for name, kind in types.items()), Column("hotel", "INTEGER"))
    key = ForeignKey(("hotel",), "hotel", ("id",))
    hotel = Table("hotel", (Column("id", "INTEGER"),), ("id",))
    schema = Schema("sqlite", (Table("room", columns, ("id",), (key,)), hotel))
    codes = [f.code for f in check_output(question, sql, schema)]
    assert ("stored-number" in codes) == is_doubted


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What are the names and ages of all singers?", ("the names", "ages")),
        ("Show the name, city and country of each airport.", ("the name", "city", "country")),
        ("List names of pupils and their ages.", ()),
        ("Show all information about pupils.", ()),
        ("How many pupils are there for each school?", ()),
        ("How many pupils are there?", ("how many",)),
        ("pupils", ()),
    ],
)
def test_things_that_a_question_lists(question: str, items: tuple[str, ...]) -> None:
    assert asked_items(read_question(question)) == items


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.one_of(st.text(max_size=60), st.sampled_from(["How many?", "List, of.", "top 3"])),
    sql=st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            ["SELECT 1", "VALUES (1)", "SELECT * FROM pupil LIMIT 2", "SELECT a FROM (SELECT 1 a)"]
        ),
    ),
)
def test_no_text_raises(question: str, sql: str, school: Any) -> None:
    assert isinstance(check_output(question, sql, school.schema), list)


@pytest.mark.parametrize(
    ("sql", "turned"),
    [
        ("SELECT age FROM pupil ORDER BY age DESC", "SELECT age FROM pupil ORDER BY age"),
        ("SELECT age FROM pupil ORDER BY age desc;", "SELECT age FROM pupil ORDER BY age;"),
        (
            "SELECT age -- DESC\nFROM pupil ORDER BY age DESC NULLS LAST",
            "SELECT age -- DESC\nFROM pupil ORDER BY age NULLS LAST",
        ),
        ("SELECT age FROM pupil ORDER BY age", None),
        ("SELECT age FROM pupil ORDER BY age DESC LIMIT 3", None),
        ("SELECT age FROM pupil ORDER BY age DESC, id", None),
        ("SELECT age FROM (SELECT age FROM pupil ORDER BY age DESC)", None),
        ("SELECT age FROM pupil ORDER BY", None),
    ],
)
def test_an_order_is_turned_round_and_nothing_else_changed(
    sql: str, turned: str | None, school: Any
) -> None:
    found = repair_output("List the ages of all pupils, sorted by age.", sql, school.schema)
    assert (found.sql if found else None) == turned


@pytest.mark.parametrize(
    ("question", "is_turned"),
    [
        ("Sort the names of pupils by age.", True),
        ("Show pupils sorted by their ages", True),
        ("List the pupils ordered by age, later years before earlier ones.", False),
        ("Pupils sorted by age, grown ones at the beginning.", False),
        ("Pupils sorted by age from Z-A.", False),
        ("A Z-A list of pupils, sorted by age", False),
        ("Which sort of pupil is there, and how many by age", False),
        ("In falling order: pupils sorted by age", False),
        ("Sortiere die Schüler nach Alter, die größten zuerst", False),
        ("Elever sorteret efter alder, faldende", False),
        ("Pupils sorted by school", False),
    ],
)
def test_an_order_is_turned_round_only_where_a_question_ends_with_it(
    question: str, is_turned: bool, school: Any
) -> None:
    sql = "SELECT first_name FROM pupil ORDER BY age DESC"
    found = repair_output(question, sql, school.schema)
    assert (found.sql if found else sql) == (sql.removesuffix(" DESC") if is_turned else sql)


@pytest.mark.parametrize(
    ("question", "sql", "is_turned"),
    [
        ("Cities sorted by the number of schools", "count(*)", True),
        ("Cities sorted by their average id", "avg(id)", True),
        ("Cities sorted by the number of pupils", "count(*)", False),
    ],
)
def test_an_aggregate_is_named_by_its_words(
    question: str, sql: str, is_turned: bool, school: Any
) -> None:
    sql = f"SELECT city FROM school GROUP BY city ORDER BY {sql} DESC"
    assert (repair_output(question, sql, school.schema) is not None) == is_turned


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age / 10 * 10 AS decade, avg(id) FROM pupil GROUP BY decade",
        "SELECT age / 5 AS years, avg(id) FROM pupil GROUP BY years",
        "SELECT age / 5, avg(id) FROM pupil GROUP BY 1",
        "SELECT avg(id) FROM pupil GROUP BY age / 5",
        "SELECT y, avg(id) FROM (SELECT id, age / 5 AS y FROM pupil) GROUP BY y",
        "SELECT id, avg(age) OVER (PARTITION BY age / 5) FROM pupil",
        "SELECT first_name FROM pupil ORDER BY age / 5",
        "SELECT DISTINCT age / 5 FROM pupil",
        "SELECT id, age / 8, age % 8 FROM pupil",
        "SELECT id, age / (5) * 5 FROM pupil",
        "SELECT age / 12, age FROM pupil",
        "SELECT sum(age) / 60 FROM pupil",
        "SELECT max(age) / 1000 FROM pupil",
    ],
)
def test_classes_of_numbers_stay_whole(sql: str, school: Any) -> None:
    question = "What is the average, as a share in percent?"
    assert school.refusal(sql) == ""
    assert repair_output(question, sql, school.schema) is None


@pytest.mark.parametrize(
    ("question", "sql", "whole"),
    [
        (
            "What percentage of the pupils is over 12?",
            "SELECT sum(age > 12) * 100 / count(*) FROM pupil",
            "SELECT sum(age > 12) * 100 * 1.0 / count(*) FROM pupil",
        ),
        (
            "How many pupils are there per school, on average?",
            "SELECT count(*)/count(DISTINCT school_id) FROM pupil -- a / b",
            "SELECT count(*)* 1.0 /count(DISTINCT school_id) FROM pupil -- a / b",
        ),
        (
            "What share of each grade is over 12?",
            "SELECT grade, sum(age > 12) / count(*) AS share FROM pupil GROUP BY 1 ORDER BY share",
            "SELECT grade, sum(age > 12) * 1.0 / count(*) AS share FROM pupil GROUP BY 1"
            " ORDER BY share",
        ),
        ("How many pupils per school?", "SELECT count(*) / count(DISTINCT id) FROM pupil", None),
        ("Half of the number of pupils?", "SELECT count(*) / 2 FROM pupil", None),
        ("What percentage is that?", "SELECT 1.0 * sum(id) / count(*) FROM pupil", None),
        ("What percentage is that?", "SELECT CAST(sum(id) / count(*) AS INT) FROM pupil", None),
        ("What percentage is that?", "SELECT sum(id) / count(*), 1 / 2 FROM pupil", None),
    ],
)
def test_a_share_of_whole_numbers_keeps_its_fraction(
    question: str, sql: str, whole: str | None, school: Any
) -> None:
    found = repair_output(question, sql, school.schema)
    assert (found.sql if found else None) == whole
    assert whole is None or school.refusal(whole) == ""


def test_the_evidence_may_say_that_an_order_descends(school: Any) -> None:
    sql, question = "SELECT age FROM pupil ORDER BY age DESC", "List the ages, sorted by age."
    evidence = "sorted refers to descending age"
    assert repair_output(question, sql, school.schema, evidence=evidence) is None


VALID = (Path(__file__).parent / "valid.sql").read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize("question", ["Ages, sorted by age.", "What percentage of all pupils?", ""])
@pytest.mark.parametrize(
    "sql", [*VALID, "", "SELECT", "VALUES (1)", "SELECT 7 / 2 ORDER BY 1 DESC"]
)
def test_what_is_made_of_a_statement_runs_and_is_left_alone(
    question: str, sql: str, school: Any
) -> None:
    found = repair_output(question, sql, school.schema)
    if found is not None:
        assert school.refusal(found.sql) == ""
        assert repair_output(question, found.sql, school.schema) is None
