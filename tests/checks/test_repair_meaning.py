"""Repairs mean what was asked: another attribute, row or doctor is worse than no repair."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from macsql.checks import check, repair
from macsql.checks.corrections import Sameness, is_correction, sameness
from macsql.database import Database
from macsql.schema import Column, ForeignKey, Schema, Table
from tests.checks.conftest import School

CLINIC = """
CREATE TABLE doctor (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE patient (
    id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, height_cm REAL, "ward-no" INTEGER,
    "Größe" TEXT, mother_id INTEGER REFERENCES patient(id), family_doctor INTEGER REFERENCES doctor
);
CREATE TABLE stay (
    id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient, cost INTEGER, min_cost INTEGER
);
CREATE TABLE transfer (
    id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient,
    from_doctor INTEGER REFERENCES doctor, to_doctor INTEGER REFERENCES doctor
);
CREATE TABLE drug (id INTEGER PRIMARY KEY, stay_id INTEGER REFERENCES stay, label TEXT);
CREATE TABLE nurse (id INTEGER PRIMARY KEY, nick TEXT, birth_date TEXT);
CREATE TABLE clerk (id INTEGER PRIMARY KEY, full_name TEXT, doctor INTEGER REFERENCES doctor);
CREATE TABLE relief (
    by_nurse INTEGER REFERENCES nurse, of_nurse INTEGER REFERENCES nurse
);
INSERT INTO doctor VALUES (1, 'Osei'), (2, 'Lund'), (3, 'Marsh');
INSERT INTO patient VALUES (1, 'Ida', 'Holm', 170, 4, 'L', NULL, 1),
    (2, 'Tom', 'Berg', 181, 5, 'M', 1, 3);
INSERT INTO stay VALUES (1, 1, 100, 10), (2, 1, 200, 20), (3, 1, 50, 5);
INSERT INTO transfer VALUES (1, 1, 1, 2);
INSERT INTO drug VALUES (1, 1, 'low');
INSERT INTO nurse VALUES (1, 'zed', '1990'), (2, 'amy', '1991');
INSERT INTO relief VALUES (2, 1);
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[School]:
    path = tmp_path / "clinic.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(CLINIC)
    connection.close()
    with Database(path) as database:
        opened = School(path, database.schema)
        yield opened
        opened.connection.close()


@pytest.mark.parametrize(
    ("wrong", "right", "table"),
    [
        ("frist_name", "first_name", ""),
        ("firstname", "first_name", ""),
        ("enrolmnt_date", "enrolment_date", ""),
        ("usr_nm", "user_name", ""),
        ("mgr", "manager", ""),
        ("dept_name", "department_name", ""),
        ("Titles", "title", ""),
        ("school_name", "name", "school"),
        ("name", "dname", "department"),
        ("department_name", "dname", "department"),
        ("countryname", "country", ""),
        ("country_code", "country", ""),
        ("gender", "sex", ""),
        ("date_of_birth", "birth_date", ""),
        ("number_of_beds", "beds", ""),
        ("height", "height_cm", ""),
        ("Strasse", "Straße", ""),
        ("Groesse", "Größe", ""),
        ("Grosse", "größe", ""),
    ],
)
def test_a_name_written_otherwise_is_corrected(wrong: str, right: str, table: str) -> None:
    assert is_correction(wrong, right, table)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("weight_cm", "height_cm"),
        ("weight", "height_cm"),
        ("death_date", "birth_date"),
        ("father_id", "mother_id"),
        ("max_budget", "min_budget"),
        ("from_day", "to_day"),
        ("f33_99", "f33_9"),
        ("phone1", "phone2"),
        ("legal", "illegal"),
        ("student_id", "student_name"),
        ("name", "first_name"),
        ("cost", "coat"),
        ("budget", "min_budget"),
    ],
)
def test_another_attribute_is_no_correction(wrong: str, right: str) -> None:
    assert not is_correction(wrong, right, "patient")


@pytest.mark.parametrize(
    ("wrong", "right", "table", "same"),
    [
        ("drv_nme", "drv_name", "", Sameness.SAME),
        ("Scors", "Scores", "", Sameness.SAME),
        ("f_ids", "f_id", "", Sameness.SAME),
        ("Head CCount", "Head Count", "", Sameness.SAME),
        ("is_active", "active", "", Sameness.SAME),
        ("hire_date", "hired_at", "", Sameness.SAME),
        ("created", "created_at", "", Sameness.SAME),
        ("page_count", "pages", "", Sameness.SAME),
        ("employee_salary", "salary", "emp", Sameness.SAME),
        ("duration", "duration_min", "", Sameness.SAME),
        ("weight_kg", "weight", "", Sameness.SAME),
        ("hometown", "home_city", "", Sameness.SAME),
        ("mail", "email", "", Sameness.SAME),
        ("nae", "name", "", Sameness.LIKELY),
        ("custid", "customer_id", "", Sameness.LIKELY),
        ("sname", "student_name", "student", Sameness.LIKELY),
        ("geb_datum", "geburtsdatum", "", Sameness.LIKELY),
        ("total_sales", "sales", "", Sameness.LIKELY),
        ("arrival_time", "arrival_date", "", Sameness.LIKELY),
        ("cost", "price", "", Sameness.LIKELY),
        ("title", "name", "", Sameness.LIKELY),
        ("pass", "passport", "", Sameness.LIKELY),
        ("num_students", "student_no", "", Sameness.LIKELY),
        ("age", "agency", "", Sameness.OTHER),
        ("count", "country", "", Sameness.OTHER),
        ("star", "start", "", Sameness.OTHER),
        ("year", "year_id", "", Sameness.OTHER),
        ("phone", "phone_code", "", Sameness.OTHER),
        ("budget", "min_budget", "", Sameness.OTHER),
    ],
)
def test_names_are_of_one_thing_surely_or_likely_or_not(
    wrong: str, right: str, table: str, same: Sameness
) -> None:
    assert sameness(wrong, right, table) is same


def test_only_a_key_is_called_an_identifier_without_need() -> None:
    assert sameness("year", "year_id", is_key=True) is Sameness.SAME


def test_words_of_the_question_are_no_slips() -> None:
    assert is_correction("cuontry", "country")
    assert is_correction("county", "country")
    assert not is_correction("county", "country", said=frozenset({"county"}))


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("SELECT weight_cm FROM patient", "height_cm"),
        ("SELECT death_date FROM nurse", "birth_date"),
        ("SELECT father_id FROM patient WHERE id = 2", "mother_id"),
        ("SELECT max_cost FROM stay", "min_cost"),
        ("SELECT patient.name FROM patient JOIN doctor ON family_doctor = doctor.id", "name"),
        ("SELECT p.name FROM patient p JOIN doctor d ON p.family_doctor = d.id", "name"),
    ],
)
def test_what_is_not_stored_is_said_and_not_replaced(sql: str, near: str, clinic: School) -> None:
    assert repair(sql, clinic.schema) == []
    [error] = [f for f in check(sql, clinic.schema) if f.severity == "error"]
    assert near in error.hint


@pytest.mark.parametrize("table", ["impatient", "doctrine", "nursery_log"])
def test_another_table_is_no_correction(table: str, clinic: School) -> None:
    assert repair(f"SELECT COUNT(*) FROM {table}", clinic.schema) == []


def test_a_qualifier_that_says_nothing_is_corrected(clinic: School) -> None:
    sql = "SELECT {}.name FROM patient T1 JOIN doctor T2 ON T1.family_doctor = T2.id"
    [best, *_] = repair(sql.format("T1"), clinic.schema)
    assert best.sql == sql.format("T2")


def test_the_only_column_like_it_of_the_table_that_is_named_is_meant(clinic: School) -> None:
    sql = "SELECT c.{} FROM clerk c JOIN doctor d ON c.doctor = d.id"
    [best] = repair(sql.format("name"), clinic.schema)
    assert best.sql == sql.format("full_name")


def test_an_alias_keeps_the_name_of_its_own_table(clinic: School) -> None:
    sql = "SELECT {} FROM clerk AS T1 JOIN nurse AS T2 ON T1.id = T2.id JOIN drug AS T3 ON 1 = 1"
    [best, *_] = repair(sql.format("T1.name"), clinic.schema)
    assert best.sql == sql.format("T1.full_name")


def test_an_alias_of_two_names_takes_none_that_is_like_it(clinic: School) -> None:
    sql = "SELECT T1.name FROM patient AS T1 JOIN clerk AS T2 ON T1.family_doctor = T2.doctor"
    assert not any("full_name" in r.sql for r in repair(sql, clinic.schema))


def test_what_is_only_likely_is_not_certain(clinic: School) -> None:
    [surely] = repair("SELECT ful_name FROM clerk", clinic.schema)
    [likely] = repair("SELECT price FROM stay", clinic.schema)
    assert (surely.sql, surely.is_certain) == ("SELECT full_name FROM clerk", True)
    assert (likely.sql, likely.is_certain) == ("SELECT cost FROM stay", False)


def test_a_column_from_afar_is_not_certain_where_another_table_is_named(clinic: School) -> None:
    [far, *_] = repair("SELECT patient.first_name, patient.label FROM patient", clinic.schema)
    assert "JOIN drug" in far.sql
    assert not far.is_certain


def test_the_only_kind_of_name_is_meant_by_name(clinic: School) -> None:
    assert repair("SELECT name FROM clerk", clinic.schema)[0].sql == "SELECT full_name FROM clerk"
    found = repair("SELECT name FROM patient", clinic.schema)
    assert not any("_name" in r.sql.split(" FROM ")[0] for r in found)


def test_two_qualifiers_mean_two_rows(clinic: School) -> None:
    sql = "SELECT r.nick FROM nurse n JOIN relief ON of_nurse = n.id WHERE n.nick = 'zed'"
    [best, *_] = repair(sql, clinic.schema, question="Nicks of those by whom zed was relieved")
    assert clinic.rows(best.sql) == [("amy",)]


# Equal repairs, and the question ----------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Names of the doctors to whom patients were transferred", "Lund"),
        ("Names of the doctors from whom patients were transferred", "Osei"),
    ],
)
@pytest.mark.parametrize("sql", ["SELECT d.name FROM transfer t", "SELECT name FROM transfer"])
def test_the_question_decides_between_equal_joins(
    sql: str, question: str, name: str, clinic: School
) -> None:
    best = repair(sql, clinic.schema, question=question)[0]
    assert clinic.rows(best.sql) == [(name,)]


def test_without_a_question_the_order_is_by_cost_alone(clinic: School) -> None:
    found = repair("SELECT t.patient_id, d.name FROM transfer t", clinic.schema)
    assert [r.cost for r in found[:2]] == [1.5, 1.5]
    assert "from_doctor" in found[0].sql
    assert not found[0].is_certain
    assert "transfer.to_doctor" in found[0].explanation


def test_a_short_form_is_named_by_its_word() -> None:
    stop = Table("stop", (Column("id", "INT"), Column("title", "TEXT")), ("id",))
    keys = tuple(ForeignKey((name,), "stop", ("id",)) for name in ("src", "dst"))
    bus = Table("bus", (Column("no", "INT"), Column("src", "INT"), Column("dst", "INT")), (), keys)
    question = "Title of the destination of bus 1"
    [best, *_] = repair(
        "SELECT title FROM bus WHERE no = 1", Schema("sqlite", (stop, bus)), question=question
    )
    assert "bus.dst = stop.id" in best.sql
    assert best.is_certain


# Joins ------------------------------------------------------------------------------------


def test_a_join_to_an_optional_table_is_optional(clinic: School) -> None:
    sql = "SELECT p.first_name, d.label FROM patient p LEFT JOIN stay s ON s.patient_id = p.id"
    best = repair(sql, clinic.schema)[0]
    assert best.sql == f"{sql} LEFT JOIN drug AS d ON s.id = d.stay_id"
    assert ("Tom", None) in clinic.rows(best.sql)


def test_a_slip_in_a_condition_is_mended_and_the_join_kept(clinic: School) -> None:
    sql = "SELECT p.id FROM patient p JOIN stay s ON p.mother_id = s.{}"
    assert repair(sql.format("patiant_id"), clinic.schema)[0].sql == sql.format("patient_id")


def test_one_name_on_both_sides_joins_two_tables(school: School) -> None:
    found = repair("SELECT id FROM pupil JOIN school ON id = id", school.schema)
    joined = "SELECT pupil.id FROM pupil JOIN school ON pupil.id = school.id"
    assert [r.sql for r in found] == [joined]


def test_a_condition_of_an_outer_join_is_not_moved_to_another(clinic: School) -> None:
    sql = (
        "SELECT p.id, COUNT(*) FROM patient p LEFT JOIN stay s ON s.patient_id = p.id "
        "AND s.label = 'low' GROUP BY p.id"
    )
    assert repair(sql, clinic.schema) == []


def test_rows_are_counted_once_where_a_join_repeats_them(clinic: School) -> None:
    best = repair("SELECT COUNT(*) FROM patient WHERE cost > 60", clinic.schema)[0]
    assert best.sql == (
        "SELECT COUNT(DISTINCT patient.id) FROM patient "
        "JOIN stay ON patient.id = stay.patient_id WHERE stay.cost > 60"
    )
    assert clinic.rows(best.sql) == [(1,)]


def test_what_is_counted_in_groups_stays(clinic: School) -> None:
    sql = "SELECT last_name, COUNT(*) FROM patient WHERE cost > 60 GROUP BY last_name"
    assert clinic.rows(repair(sql, clinic.schema)[0].sql) == [("Holm", 2)]


def test_rows_that_a_join_does_not_repeat_are_counted_as_before(clinic: School) -> None:
    best = repair("SELECT COUNT(*) FROM stay WHERE first_name = 'Ida'", clinic.schema)[0]
    assert best.sql.startswith("SELECT COUNT(*) FROM stay JOIN patient")


# Names as they are stored -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "right"),
    [
        ("SELECT ward-no FROM patient", 'SELECT "ward-no" FROM patient'),
        (
            "SELECT p.ward-no, id FROM patient p WHERE p.ward-no > 4",
            'SELECT p."ward-no", id FROM patient p WHERE p."ward-no" > 4',
        ),
        ("SELECT id - ward-no FROM patient", 'SELECT id - "ward-no" FROM patient'),
        ("SELECT GRÖßE FROM patient", 'SELECT "Größe" FROM patient'),
        ("SELECT groesse FROM Patient", 'SELECT "Größe" FROM Patient'),
    ],
)
def test_a_name_is_written_as_it_is_stored(broken: str, right: str, clinic: School) -> None:
    assert clinic.refusal(broken) != ""
    assert repair(broken, clinic.schema)[0].sql == right
    assert clinic.refusal(right) == ""


@pytest.mark.parametrize("written", ["größe", "Größe", "GröSSe", "GRÖßE"])
def test_letters_beyond_ascii_have_one_case(written: str, clinic: School) -> None:
    sql = f'SELECT patient."{written}" FROM patient'
    assert bool(clinic.refusal(sql)) == bool(check(sql, clinic.schema))


def test_a_table_is_the_one_that_has_the_columns_in_whatever_style() -> None:
    def table(name: str, *columns: str) -> Table:
        return Table(name, tuple(Column(c, "INTEGER") for c in columns), (columns[0],))

    race = Schema(
        "sqlite",
        (
            table("teams", "teamId", "name"),
            table("results", "resultId", "driverId", "statusId"),
            table("teamResults", "teamResultId", "teamId", "points"),
        ),
    )
    sql = "SELECT r.driver_id FROM team_outcome_results AS r WHERE r.status_id = 4"
    best = repair(sql, race, failed=True)[0]
    assert best.sql == "SELECT r.driverId FROM results AS r WHERE r.statusId = 4"
