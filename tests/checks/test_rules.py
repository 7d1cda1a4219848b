"""Statements that run and are doubtful: types, groups, joins, NULL; and their neighbours."""

from typing import Any

import pytest

from macsql.checks import check, repair
from macsql.schema import Column, ForeignKey, Schema, Table

JOINED = "FROM pupil p JOIN school s ON p.school_id = s.id"

DOUBTFUL = [
    ("null-comparison", "IS NULL", "SELECT name FROM school WHERE city = NULL"),
    ("null-comparison", "IS NOT NULL", "SELECT name FROM school WHERE city <> NULL"),
    ("text-is-a-column", "write city", "SELECT count(*) FROM school GROUP BY 'city'"),
    ("text-is-a-column", "write name", "SELECT city FROM school ORDER BY 'Name' DESC"),
    ("text-is-a-column", "write city", "SELECT name FROM school WHERE 'city' = 'PARIS'"),
    ("text-is-a-column", "write age", "SELECT max('age') FROM pupil"),
    ("text-is-a-column", '"last name"', "SELECT 'last name' FROM pupil"),
    ("type-mismatch", "12", "SELECT 1 FROM pupil WHERE age = 'twelve'"),
    ("type-mismatch", "Ann", "SELECT 1 FROM pupil WHERE first_name > 12"),
    ("type-mismatch", "Ann", "SELECT p.age FROM pupil p JOIN school s ON p.first_name = s.id"),
    ("aggregated-text", "Ann", "SELECT avg(first_name) FROM pupil"),
    ("whole-division", "AS REAL", "SELECT count(*) / 2 FROM pupil"),
    ("whole-division", "AS REAL", "SELECT sum(age > 12) * 100 / count(*) FROM pupil"),
    ("ungrouped-column", "city", "SELECT name, city, count(*) FROM school GROUP BY name"),
    ("ungrouped-column", "first_name", f"SELECT first_name, count(*) {JOINED} GROUP BY s.id"),
    (
        "having-without-aggregate",
        "WHERE",
        "SELECT age, count(*) FROM pupil GROUP BY age HAVING age > 12",
    ),
    ("group-without-aggregate", "DISTINCT", "SELECT age FROM pupil GROUP BY age"),
    ("doubled-join", "same row", f"SELECT s.name {JOINED} JOIN school t ON t.id = p.school_id"),
    ("idle-join", "leave s out", f"SELECT p.age {JOINED}"),
    (
        "join-not-on-keys",
        "school.id = pupil.school_id",
        "SELECT first_name FROM school NATURAL JOIN pupil",
    ),
    ("join-not-on-keys", "joined on id", "SELECT age FROM pupil p JOIN school USING (id)"),
    (
        "unlike-columns",
        "school.name with pupil.first_name",
        "SELECT name FROM school EXCEPT SELECT first_name FROM pupil",
    ),
    (
        "unlike-columns",
        "compare school.id with pupil.school_id",
        "SELECT name FROM school WHERE id NOT IN (SELECT id FROM pupil)",
    ),
    ("unlike-columns", "pupil.id", "SELECT city FROM school WHERE id = (SELECT id FROM pupil)"),
]

SOUND = [
    "SELECT name FROM school WHERE city IS NULL",
    "SELECT 'city' AS what, city FROM school",
    "SELECT 'total', count(*) FROM school",
    "SELECT name FROM school WHERE 'a' = 'b'",
    "SELECT 1 FROM pupil WHERE age > '12' AND first_name = 'Ann' AND grade > 7",
    "SELECT 1.0 * count(*) / 2, CAST(count(*) AS REAL) / 2, CAST(count(*) / 2 AS INT) FROM pupil",
    "SELECT avg(mark) / 2 FROM enrolment",
    f"SELECT s.name, s.city, count(*) {JOINED} GROUP BY s.id",
    f"SELECT s.name, count(*) {JOINED} GROUP BY p.school_id",
    "SELECT city, max(founded), name FROM school GROUP BY city",
    "SELECT name FROM school GROUP BY city HAVING max(founded) > '1960'",
    "SELECT city AS c, count(*) AS n FROM school GROUP BY c HAVING n > 1",
    "SELECT age, count(*) FROM pupil GROUP BY 1",
    "SELECT age FROM pupil GROUP BY age ORDER BY count(*)",
    "SELECT age, age + 1, count(*) FROM pupil GROUP BY age",
    f"SELECT s.name, t.name {JOINED} JOIN school t ON t.city = s.city",
    f"SELECT p.age {JOINED} WHERE s.city = 'PARIS'",
    f"SELECT s.name {JOINED}",
    "SELECT mark FROM enrolment JOIN certificate USING (pupil_id, course_code, term)",
    "SELECT mark FROM enrolment NATURAL JOIN certificate",
    "SELECT a.age FROM pupil a JOIN pupil b USING (school_id)",
    "SELECT id FROM school EXCEPT SELECT school_id FROM pupil",
    "SELECT name FROM school WHERE id NOT IN (SELECT school_id FROM pupil UNION SELECT 0)",
    f"SELECT name FROM school EXCEPT SELECT s.name {JOINED}",
    "SELECT name FROM school INTERSECT SELECT first_name FROM pupil",
    "SELECT age FROM pupil WHERE first_name IN (SELECT title FROM course)",
    "SELECT age FROM pupil WHERE first_name = (SELECT city FROM school)",
    "SELECT age FROM pupil WHERE school_id IN (1, 2) AND age > (SELECT avg(age) FROM pupil)",
    "SELECT count(*) FROM pupil p LEFT JOIN enrolment e ON e.pupil_id = p.id",
]


@pytest.mark.parametrize(("code", "said", "sql"), DOUBTFUL)
def test_doubtful_statement_is_explained(code: str, said: str, sql: str, school: Any) -> None:
    assert school.refusal(sql) == ""
    found = {f.code: f"{f.message} {f.hint}" for f in check(sql, school.schema)}
    assert said in found.get(code, "")


@pytest.mark.parametrize("sql", SOUND)
def test_sound_statement_is_not_doubted(sql: str, school: Any) -> None:
    assert school.refusal(sql) == ""
    assert check(sql, school.schema) == []


@pytest.mark.parametrize(
    ("sql", "right"),
    [
        (
            "SELECT name FROM school WHERE city=NULL AND id > 1",
            "SELECT name FROM school WHERE city IS NULL AND id > 1",
        ),
        (
            "SELECT name FROM school WHERE lower(city) != NULL",
            "SELECT name FROM school WHERE lower(city) IS NOT NULL",
        ),
        (
            "SELECT count(*) FROM school GROUP BY 'city'",
            "SELECT count(*) FROM school GROUP BY city",
        ),
        (
            "SELECT name FROM school WHERE 'city' = 'PARIS'",
            "SELECT name FROM school WHERE city = 'PARIS'",
        ),
    ],
)
def test_what_can_mean_nothing_is_repaired_although_it_runs(
    sql: str, right: str, school: Any
) -> None:
    assert repair(sql, school.schema)[0].sql == right


def test_division_is_exact_where_the_database_says_so(school: Any) -> None:
    mysql = Schema("mysql", school.schema.tables)
    assert check("SELECT count(*) / 2 FROM pupil", mysql) == []


def test_column_named_after_the_other_table_is_like_its_column() -> None:
    station = Table("station", (Column("id", "INTEGER"), Column("name", "TEXT")), ("id",))
    columns = (Column("station_id", "INTEGER"), Column("end_station_name", "TEXT"))
    key = ForeignKey(("station_id",), "station", ("id",))
    schema = Schema("sqlite", (station, Table("trip", columns, (), (key,))))
    sql = "SELECT name FROM station EXCEPT SELECT {} FROM trip"
    assert check(sql.format("end_station_name"), schema) == []
    [found] = check(sql.format("station_id"), schema)
    assert found.code == "unlike-columns"


@pytest.mark.parametrize(
    ("sql", "is_said"),
    [
        ("SELECT 1 FROM city WHERE name NOT IN (SELECT name FROM country)", True),
        ("SELECT 1 FROM city WHERE id IN (SELECT id FROM country)", True),
        ("SELECT 1 FROM country WHERE name IN (SELECT country_id FROM city)", True),
        # What both have, what one may be of the other, and a name without "name".
        ("SELECT 1 FROM city WHERE mail IN (SELECT mail FROM country)", False),
        ("SELECT mail FROM city EXCEPT SELECT mail FROM country", False),
        ("SELECT 1 FROM city WHERE area = (SELECT area FROM country LIMIT 1)", False),
        ("SELECT 1 FROM city WHERE id IN (SELECT capital FROM country)", False),
        ("SELECT name FROM city EXCEPT SELECT capital FROM country", False),
        ("SELECT 1 FROM city WHERE country NOT IN (SELECT name FROM country)", False),
    ],
)
def test_columns_that_a_sub_query_may_well_compare(sql: str, is_said: bool) -> None:
    def table(name: str, other: str, *keys: ForeignKey) -> Table:
        names = dict.fromkeys(("id", "name", "mail", "area", other, f"{other}_id"))
        columns = tuple(Column(n, "TEXT") for n in names)
        return Table(name, columns, ("id",), keys)

    key = ForeignKey(("country_id",), "country", ("id",))
    schema = Schema("sqlite", (table("city", "country", key), table("country", "capital")))
    assert ("unlike-columns" in [f.code for f in check(sql, schema)]) == is_said


def test_keys_that_meet_in_a_third_table_are_alike() -> None:
    def table(name: str, *keys: ForeignKey) -> Table:
        columns = (Column(f"{name}_ref", "INTEGER"), Column("who", "INTEGER"))
        return Table(name, columns, (f"{name}_ref",), keys)

    person = ForeignKey(("who",), "person", ("person_ref",))
    other = ForeignKey(("visit_ref",), "order", ("order_ref",))
    tables = (table("person"), table("visit", person, other), table("order", person))
    schema = Schema("sqlite", tables)
    assert check('SELECT who FROM visit WHERE who NOT IN (SELECT who FROM "order")', schema) == []


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("UPPER(city) = 'Paris'", "UPPER(city) = 'PARIS'"),
        ("'Paris' = upper(city)", "'PARIS' = upper(city)"),
        ("LOWER(city) <> 'Paris'", "LOWER(city) <> 'paris'"),
        ("LOWER(city) IN ('Paris', 'berlin')", "LOWER(city) IN ('paris', 'berlin')"),
        ("LOWER(city) NOT IN ('Paris')", "LOWER(city) NOT IN ('paris')"),
        # SQLite leaves letters beyond ASCII as they are.
        ("UPPER(city) = 'Zürich'", "UPPER(city) = 'ZüRICH'"),
    ],
)
def test_a_text_that_the_function_never_gives_is_corrected(
    condition: str, right: str, school: Any
) -> None:
    sql = f"SELECT name FROM school WHERE {condition}"
    assert [f.code for f in check(sql, school.schema)] == ["text-in-other-case"]
    assert repair(sql, school.schema)[0].sql == f"SELECT name FROM school WHERE {right}"


@pytest.mark.parametrize(
    "condition",
    [
        "UPPER(city) = 'PARIS'",
        "LOWER(city) LIKE '%Paris%'",
        "city = 'Paris'",
        "UPPER(city) = name",
        "LOWER(city) IN (SELECT name FROM school)",
        "UPPER(city) = 'ST. 5'",
    ],
)
def test_a_text_that_the_function_may_give_is_left(condition: str, school: Any) -> None:
    assert check(f"SELECT name FROM school WHERE {condition}", school.schema) == []
