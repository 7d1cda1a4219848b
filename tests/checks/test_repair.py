"""Repairs: the smallest change that makes the statement run."""

from pathlib import Path
from typing import Any

import pytest

from macsql.checks import check, check_literals, padded_values, repair, repair_literals
from macsql.checks.same_text import is_like, is_same
from macsql.schema import Column, ForeignKey, Schema, Table
from macsql.spelling import is_misspelling


def pairs() -> list[tuple[str, str]]:
    text = (Path(__file__).parent / "repairs.sql").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [
        (broken, right.removeprefix("=> "))
        for broken, right in zip(lines[::2], lines[1::2], strict=True)
    ]


@pytest.mark.parametrize(("broken", "right"), pairs())
def test_broken_statement_is_repaired(broken: str, right: str, school: Any) -> None:
    assert school.refusal(broken) != ""
    best = repair(broken, school.schema)[0]
    assert best.sql.strip() == right
    assert best.explanation
    assert school.refusal(best.sql) == ""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT quux FROM pupil",
        "SELECT a, b FROM xyzzy",
        "Sure, I can help",
        "",
        "DROP TABLE pupil",
        "SELECT name FROM school WHERE id IN (SELECT age, grade FROM pupil)",
        "SELECT name FROM school WHERE id NOT IN (SELECT * FROM course)",
        "SELECT school_id, first_name FROM pupil WHERE age = MAX(age) GROUP BY school_id",
        "SELECT age FROM pupil WHERE grade = '7' OR age = MAX(age)",
    ],
)
def test_nothing_is_offered_where_nothing_can_be_known(sql: str, school: Any) -> None:
    assert repair(sql, school.schema) == []


def test_repairs_come_cheapest_first_and_no_more_than_asked(school: Any) -> None:
    sql = "SELECT first_name FROM pupil WHERE T2.city = 'PARIS' OR titl = 'x'"
    found = repair(sql, school.schema, max_candidates=2)
    assert 1 <= len(found) <= 2
    assert [r.cost for r in found] == sorted(r.cost for r in found)


def test_two_owners_give_two_candidates(school: Any) -> None:
    sql = "SELECT id FROM pupil JOIN school ON pupil.school_id = school.id"
    assert {r.sql.split()[1] for r in repair(sql, school.schema)} == {"pupil.id", "school.id"}


def test_fault_without_cure_leaves_the_others_cured(school: Any) -> None:
    [best, *_] = repair("SELECT T1.city, quux(1 + FROM pupil", school.schema) or [None]
    assert best is None
    found = repair("SELECT frist_name, qqqqqq FROM pupil", school.schema)
    assert found[0].sql == "SELECT first_name, qqqqqq FROM pupil"
    assert len(check(found[0].sql, school.schema)) == 1


def test_inferred_key_is_said_to_be_inferred() -> None:
    owner = Table("owner", (Column("id", "INT"), Column("city", "TEXT")), ("id",))
    pet = Table("pet", (Column("id", "INT"), Column("owner_id", "INT"), Column("kind", "TEXT")))
    best = repair("SELECT kind FROM pet WHERE T2.city = 'X'", Schema("sqlite", (owner, pet)))[0]
    assert "JOIN owner AS T2 ON pet.owner_id = T2.id" in best.sql
    assert "inferred" in best.explanation


def test_two_keys_between_two_tables_give_two_candidates() -> None:
    team = Table("team", (Column("id", "INT"), Column("title", "TEXT")), ("id",))
    keys = (ForeignKey(("home",), "team", ("id",)), ForeignKey(("away",), "team", ("id",)))
    game = Table("game", (Column("home", "INT"), Column("away", "INT")), (), keys)
    found = repair(
        "SELECT T1.home FROM game T1 WHERE T2.title = 'A'", Schema("sqlite", (team, game))
    )
    assert [r.sql.split(" ON ")[1].split(" WHERE ")[0] for r in found[:2]] == [
        "T1.home = T2.id",
        "T1.away = T2.id",
    ]


def test_self_reference_is_not_taken_for_a_condition(school: Any) -> None:
    sql = "SELECT p.age FROM pupil p JOIN school s ON p.school_id = p.idd"
    assert "p.school_id = p.school_id" not in repair(sql, school.schema)[0].sql


def test_function_of_recent_versions_is_rewritten_only_after_a_failure(school: Any) -> None:
    sql = "SELECT CONCAT(name, ' in ', city) FROM school"
    assert repair(sql, school.schema) == []
    best = repair(sql, school.schema, failed=True)[0]
    assert best.sql == "SELECT (name || ' in ' || city) FROM school"


@pytest.mark.parametrize(
    ("pattern", "right"),
    [
        ("REGEXP '^Hill'", "LIKE 'Hill%'"),
        ("RLIKE 'School$'", "LIKE '%School'"),
        ("REGEXP 'ill'", "LIKE '%ill%'"),
        ("SIMILAR TO 'Hill%'", "LIKE 'Hill%'"),
    ],
)
def test_plain_pattern_is_written_with_like_after_a_failure(
    pattern: str, right: str, school: Any
) -> None:
    sql = f"SELECT name FROM school WHERE name {pattern}"
    assert repair(sql, school.schema) == []
    assert repair(sql, school.schema, failed=True)[0].sql.endswith(f"WHERE name {right}")


def test_pattern_without_an_equal_is_left(school: Any) -> None:
    sql = "SELECT name FROM school WHERE name REGEXP '[A-H]+'"
    assert repair(sql, school.schema, failed=True) == []


# Values ---------------------------------------------------------------------------------------

CITIES = [" OSLO", "BERLIN", "PARIS", "New  York", "St. John's", "Region 1", "Region 2"]


def stored(table: str, column: str, text: str) -> list[str]:
    return CITIES if (table, column) == ("school", "city") else []


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("city = 'Berlin'", "city = 'BERLIN'"),
        ('city = "paris"', "city = 'PARIS'"),
        ("'berlin' = city", "'BERLIN' = city"),
        ("city <> 'new york'", "city <> 'New  York'"),
        ("city IN ('berlin', 'PARIS')", "city IN ('BERLIN', 'PARIS')"),
        ("city LIKE 'st johns'", "city LIKE 'St. John''s'"),
        ("city = 'Berlinn'", "city = 'BERLIN'"),
        ("city = 'Brelin'", "city = 'BERLIN'"),
    ],
)
def test_text_becomes_the_stored_value(condition: str, right: str, school: Any) -> None:
    found = repair_literals(f"SELECT 1 FROM school WHERE {condition}", school.schema, stored)
    assert found[0].sql == f"SELECT 1 FROM school WHERE {right}"


@pytest.mark.parametrize(
    "condition",
    [
        "city = 'PARIS'",
        "city = 'OSLO'",
        "city = 'Lyon'",
        "city LIKE '%berlin%'",
        "city = 'Region 3'",
        "city = 'Berlln'",
        "city <> 'Berlinn'",
        "city NOT IN ('Berlinn')",
        "NOT city = 'Berlinn'",
        "name = 'berlin'",
        "id = 1",
    ],
)
def test_text_that_is_stored_or_unlike_stays(condition: str, school: Any) -> None:
    assert repair_literals(f"SELECT 1 FROM school WHERE {condition}", school.schema, stored) == []


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("city = 'paris'", "city IN ('PARIS', 'Paris')"),
        ("T.city <> 'paris'", "T.city NOT IN ('PARIS', 'Paris')"),
        ("city IN ('paris', 'Lyon')", "city IN ('PARIS', 'Paris', 'Lyon')"),
    ],
)
def test_spellings_that_differ_in_case_are_taken_together(
    condition: str, right: str, school: Any
) -> None:
    def both(table: str, column: str, text: str) -> list[str]:
        return ["Paris", "PARIS"]

    sql = f"SELECT 1 FROM school AS T WHERE {condition}"
    [found] = repair_literals(sql, school.schema, both, only_certain=True)
    assert found.sql == f"SELECT 1 FROM school AS T WHERE {right}"
    assert found.explanation == "'paris' is stored as 'PARIS' and 'Paris' in school.city"


def test_values_that_fit_equally_are_each_a_candidate(school: Any) -> None:
    def both(table: str, column: str, text: str) -> list[str]:
        return ["St. Paul", "St Paul"]

    sql = "SELECT 1 FROM school WHERE city = 'st-paul'"
    found = repair_literals(sql, school.schema, both)
    assert [r.sql.partition("= ")[2] for r in found] == ["'St. Paul'", "'St Paul'"]
    assert not any(r.is_certain for r in found)
    assert repair_literals(sql, school.schema, both, only_certain=True) == []


def test_like_and_what_nobody_knows_stay(school: Any) -> None:
    sql = "SELECT 1 FROM school WHERE city LIKE 'berlin'"
    assert repair_literals(sql, school.schema, stored) == []
    sql = "SELECT 1 FROM school WHERE city = 'berlin'"
    assert repair_literals(sql, school.schema, lambda *_: None) == []
    assert check_literals(sql, school.schema, lambda *_: None) == []


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("1.10", "11.0"),
        ("1/12/2024", "11/2/2024"),
        ("10.1.1.12", "101.1.1.2"),
        ("12", "1-2"),
        ("15.5", "-15.5"),
        (">100", "<100"),
        ("1 1/2 inch", "11/2 inch"),
        ("50", "50%"),
        ("UTC-5", "UTC+5"),
        ("Zone 4", "Zone -4"),
        ("type 1.5", "type 1-5"),
        ("type 1/5", "type 1-5"),
        ("¥500", "₹500"),
        ("A", "A♭"),
        ("👎 ok", "👍 ok"),
        ("@home", "home"),
        ("y", "/y"),
        ("ปู", "ปี"),
        ("குடை", "கடை"),
        ("राम", "रोम"),
        ("かき", "かぎ"),
    ],
)
def test_signs_and_digits_are_no_punctuation(written: str, other: str) -> None:
    assert not is_same(written, other)
    assert not is_same(other, written)


@pytest.mark.parametrize("other", ["UTC+5", "utc 5 %", "👍 UTC-5"])
def test_what_differs_in_a_sign_is_not_even_like(other: str) -> None:
    assert not is_like("UTC-5", other)


VISITS = Schema(
    "sqlite",
    (
        Table(
            "visit",
            (
                Column("country", "TEXT"),
                Column("state", "TEXT"),
                Column("sex", "TEXT"),
                Column("paid", "TEXT"),
                Column("vip", "INTEGER", examples=(None, 0, 1)),
                Column("stars", "INTEGER", examples=(0, 1, 2)),
                Column("unit", "TEXT"),
                Column("grade", "TEXT"),
            ),
        ),
    ),
)
TEXTS = {
    "country": ["US", "FR", "CA"],
    "state": ["CA", "TX", "Georgia"],
    "sex": ["F", "M"],
    "paid": ["t", "f"],
    "unit": ["Comp. Sci.", "Mathematics"],
    "grade": ["A+", "A-", "C#"],
}


def of_visit(table: str, column: str, text: str) -> list[str]:
    return TEXTS.get(column, [])


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("country = 'USA'", "country = 'US'"),
        ("country = 'FRA'", "country = 'FR'"),
        ("country <> 'United States'", "country <> 'US'"),
        ("country IN ('french', 'Spain')", "country IN ('FR', 'Spain')"),
        ("country = 'Canada' AND state = 'California'", "country = 'CA' AND state = 'CA'"),
        ("sex = 'Female'", "sex = 'F'"),
        ("sex <> 'male'", "sex <> 'M'"),
        ("paid = 'Yes'", "paid = 't'"),
        ("paid = 'N'", "paid = 'f'"),
        ("vip = 'true'", "vip = 1"),
        ("vip = 'no'", "vip = 0"),
    ],
)
def test_text_becomes_what_says_the_same(condition: str, right: str) -> None:
    [found] = repair_literals(
        f"SELECT 1 FROM visit WHERE {condition}", VISITS, of_visit, only_certain=True
    )
    assert found.sql == f"SELECT 1 FROM visit WHERE {right}"
    assert found.is_certain


@pytest.mark.parametrize(
    "condition",
    [
        "state = 'Canada'",
        "country = 'Texas'",
        "sex = 'unknown'",
        "stars = 'yes'",
        "unit = 'Dr. Science'",
        "grade = 'A'",
        "grade = 'C'",
        "unit = 'Mathematical Science'",
    ],
)
def test_text_that_may_mean_something_else_stays(condition: str) -> None:
    assert repair_literals(f"SELECT 1 FROM visit WHERE {condition}", VISITS, of_visit) == []


def test_words_cut_short_and_codes_of_two_regions_are_not_certain() -> None:
    for condition, right in (
        ("unit = 'computer science'", "unit = 'Comp. Sci.'"),
        ("state = 'GA'", "state = 'Georgia'"),
    ):
        sql = f"SELECT 1 FROM visit WHERE {condition}"
        [found] = repair_literals(sql, VISITS, of_visit)
        assert found.sql == f"SELECT 1 FROM visit WHERE {right}"
        assert not found.is_certain


def test_what_is_only_like_a_text_is_not_certain(school: Any) -> None:
    sql = "SELECT 1 FROM school WHERE city = 'Berlinn'"
    [found] = repair_literals(sql, school.schema, stored)
    assert not found.is_certain
    assert found.explanation == "'Berlinn' is not stored in school.city, and 'BERLIN' is like it"
    assert repair_literals(sql, school.schema, stored, only_certain=True) == []


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("Hepatitis B", "Hepatitis A"),
        ("Ireland", "Iceland"),
        ("North Dakota", "South Dakota"),
        ("Team A", "Team B"),
        ("incomplete", "complete"),
        ("unapproved", "approved"),
        ("Route 66", "Route 6"),
        ("Boston", "Bolton"),
        ("male", "female"),
        ("Antonio", "Antonia"),
        ("Daniel", "Daniela"),
        ("Christina", "Christine"),
        ("hypertension", "hypotension"),
        ("preoperative", "perioperative"),
    ],
)
def test_another_thing_is_no_misspelling(written: str, other: str) -> None:
    assert not is_misspelling(written, other)
    assert not is_misspelling(other, written)


def test_repair_corrects_the_values_too_when_it_can(school: Any) -> None:
    sql = "SELECT T1.first_name FROM pupil AS T1 WHERE T2.city = 'Paris'"
    best = repair(sql, school.schema, values=stored)[0]
    assert best.sql.endswith("WHERE T2.city = 'PARIS'")
    assert school.rows(best.sql) == [("Cai",), ("Dan",)]


def test_a_text_stored_with_a_blank_before_it_is_said_and_not_replaced(school: Any) -> None:
    sql = "SELECT 1 FROM school WHERE city = 'OSLO' AND name = 'OSLO'"
    [finding] = padded_values(sql, school.schema, stored)
    assert (finding.code, finding.severity) == ("value-padded", "warning")
    assert finding.message == "'OSLO' is stored with a blank before it in city."
    assert finding.hint == "compare TRIM(city)"
    assert padded_values(sql.replace("'OSLO'", "' OSLO'"), school.schema, stored) == []


def test_a_table_that_is_like_the_one_named_is_not_certain() -> None:
    client = Table("client", (Column("id", "INT"), Column("city", "TEXT")))
    archive = Table("client_archive", (Column("id", "INT"), Column("town", "TEXT")))
    ward = Table("ward", (Column("floor", "INT"),))
    schema = Schema("sqlite", (client, archive, ward))
    alike = repair("SELECT town FROM client", schema)[0]
    assert (alike.sql, alike.is_certain) == ("SELECT town FROM client_archive", False)
    other = repair("SELECT floor FROM client", schema)[0]
    assert (other.sql, other.is_certain) == ("SELECT floor FROM ward", True)
