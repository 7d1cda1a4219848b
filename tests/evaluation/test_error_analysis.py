"""The class of each mistake: pairs of gold and predicted SQL on a small real database."""

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.checks import check
from macsql.database import Database
from macsql.evaluation.error_analysis import CLASSES, error_class
from macsql.evaluation.error_rows import MOST_ROWS, Rows, is_part, likeness
from macsql.evaluation.error_trees import read_both
from macsql.evaluation.verdict import Verdict
from macsql.schema import Column, ForeignKey, Schema, Table

JOIN = "FROM pupil p JOIN school s ON p.school_id = s.id"

CASES = [
    # Without trees.
    ("no_sql", "SELECT name FROM school", ""),
    ("no_sql", "SELECT name FROM school", "  \n"),
    ("gold_error", "SELECT nme FROM school", "SELECT name FROM school"),
    ("gold_error", "SELECT name FROM school WHERE id = 9", "SELECT name FROM school WHERE id = 1"),
    ("invented_name", "SELECT name FROM school", "SELECT heading FROM school"),
    ("invented_name", "SELECT name FROM school", "SELECT name FROM college"),
    ("execution_error", "SELECT name FROM school", "SELECT name FROM school WHERE"),
    ("execution_error", "SELECT name FROM school", "SELECT frob(name) FROM school"),
    # The same in another form.
    ("equivalent", "SELECT AVG(mark) FROM enrolment", "SELECT ROUND(AVG(mark), 2) FROM enrolment"),
    ("equivalent", "SELECT age FROM pupil", "SELECT CAST(age AS TEXT) FROM pupil"),
    ("equivalent", "SELECT id, name FROM school", "SELECT name, id FROM school"),
    ("equivalent", f"SELECT DISTINCT s.city {JOIN}", f"SELECT s.city {JOIN}"),
    (
        "equivalent",
        "SELECT first_name FROM pupil ORDER BY age LIMIT 1 OFFSET 1",
        "SELECT first_name FROM pupil WHERE age = (SELECT MIN(age) FROM pupil)",
    ),
    ("equivalent", "SELECT 3", "SELECT count(*) || '' FROM school"),
    # The right rows with other columns.
    ("output_columns", "SELECT name FROM school", "SELECT id, name FROM school"),
    ("output_columns", "SELECT id, name FROM school", "SELECT name FROM school"),
    (
        "output_columns",
        "SELECT name, founded FROM school WHERE city = 'Rome' UNION SELECT 'x', 'y'",
        "SELECT name FROM school WHERE city = 'Rome' UNION SELECT 'z'",
    ),
    # Tables, set operations, joins.
    ("schema_linking", "SELECT name FROM school", "SELECT title FROM course"),
    ("schema_linking", "SELECT COUNT(*) FROM school", "SELECT COUNT(*) FROM pupil"),
    ("schema_linking", "SELECT COUNT(*) FROM school", "SELECT 4"),
    (
        "schema_linking",
        f"SELECT first_name {JOIN} WHERE s.city = 'PARIS'",
        "SELECT first_name FROM pupil WHERE grade = 'PARIS'",
    ),
    (
        "set_operation",
        "SELECT id FROM pupil EXCEPT SELECT pupil_id FROM enrolment",
        "SELECT id FROM pupil JOIN enrolment ON id = pupil_id",
    ),
    (
        "set_operation",
        "SELECT first_name FROM pupil WHERE age > (SELECT AVG(age) FROM pupil)",
        "SELECT first_name FROM pupil WHERE age > 12",
    ),
    (
        "set_operation",
        "SELECT first_name FROM pupil WHERE id NOT IN (SELECT pupil_id FROM enrolment)",
        "SELECT first_name FROM pupil JOIN enrolment ON pupil.id = pupil_id",
    ),
    ("wrong_join", "SELECT COUNT(*) FROM pupil", f"SELECT COUNT(*) {JOIN}"),
    (
        "wrong_join",
        f"SELECT first_name {JOIN}",
        "SELECT first_name FROM pupil p JOIN school s ON p.id = s.id",
    ),
    (
        "wrong_join",
        "SELECT s.name, COUNT(p.id) FROM school s LEFT JOIN pupil p ON p.school_id = s.id "
        "GROUP BY s.id",
        "SELECT s.name, COUNT(p.id) FROM school s JOIN pupil p ON p.school_id = s.id GROUP BY s.id",
    ),
    (
        "wrong_join",
        "SELECT COUNT(*) FROM pupil WHERE id IN (SELECT pupil_id FROM enrolment)",
        "SELECT COUNT(*) FROM pupil JOIN enrolment ON pupil.id = enrolment.pupil_id",
    ),
    # Aggregates and groups.
    ("aggregation", "SELECT MAX(age) FROM pupil", "SELECT MIN(age) FROM pupil"),
    ("aggregation", "SELECT COUNT(DISTINCT age) FROM pupil", "SELECT COUNT(age) FROM pupil"),
    (
        "aggregation",
        "SELECT COUNT(*) FROM pupil GROUP BY age",
        "SELECT COUNT(*) FROM pupil GROUP BY grade, age, id",
    ),
    # Conditions.
    (
        "wrong_value",
        "SELECT name FROM school WHERE city = 'PARIS'",
        "SELECT name FROM school WHERE city = 'Paris'",
    ),
    (
        "wrong_value",
        "SELECT name FROM school WHERE name LIKE 'New%'",
        "SELECT name FROM school WHERE name = 'New'",
    ),
    (
        "wrong_value",
        "SELECT SUM(city = 'PARIS') FROM school",
        "SELECT SUM(city = 'Paris') FROM school",
    ),
    (
        "wrong_column",
        "SELECT first_name FROM pupil WHERE age = 12",
        "SELECT first_name FROM pupil WHERE id = 12",
    ),
    ("wrong_column", "SELECT name FROM school", "SELECT city FROM school"),
    (
        "condition",
        "SELECT first_name FROM pupil WHERE age = 12 AND grade = '7'",
        "SELECT first_name FROM pupil WHERE age > 12",
    ),
    (
        "condition",
        "SELECT first_name FROM pupil WHERE age = 13 OR grade = '7'",
        "SELECT first_name FROM pupil WHERE age = 13 AND grade = '7'",
    ),
    # Order.
    (
        "ordering",
        "SELECT first_name FROM pupil ORDER BY age DESC, id",
        "SELECT first_name FROM pupil ORDER BY id",
    ),
    (
        "ordering",
        "SELECT first_name FROM pupil ORDER BY id LIMIT 2",
        "SELECT first_name FROM pupil ORDER BY id LIMIT 3",
    ),
    (
        "ordering",
        "SELECT first_name FROM pupil WHERE age = (SELECT MIN(age) FROM pupil)",
        "SELECT first_name FROM pupil WHERE age NOT NULL ORDER BY age LIMIT 1",
    ),
    # The rest.
    ("calculation", "SELECT age + 1 FROM pupil", "SELECT age * 2 FROM pupil"),
    (
        "calculation",
        "SELECT SUM(age) / COUNT(*) FROM pupil",
        "SELECT COUNT(*) / SUM(age) FROM pupil",
    ),
    # The same by chance.
    (
        "aggregation",
        "SELECT COUNT(*) > 0 FROM pupil GROUP BY age",
        "SELECT COUNT(*) > 0 FROM pupil GROUP BY school_id, age, id",
    ),
    (
        "wrong_value",
        "SELECT CASE WHEN age > 12 THEN 'old' ELSE 'young' END FROM pupil",
        "SELECT CASE WHEN age > 13 THEN 'old' ELSE 'young' END FROM pupil",
    ),
    (
        "calculation",
        "SELECT AVG(age) FROM pupil",
        "SELECT AVG(age) + 0.04 FROM pupil",
    ),
    # Small words that turn the meaning.
    (
        "condition",
        "SELECT name FROM school WHERE name NOT LIKE 'N%'",
        "SELECT name FROM school WHERE name LIKE 'N%'",
    ),
    (
        "wrong_value",
        "SELECT name FROM school WHERE (id > 1) = TRUE",
        "SELECT name FROM school WHERE (id > 1) = FALSE",
    ),
    (
        "wrong_value",
        "SELECT name FROM school WHERE (id > 1) IS TRUE",
        "SELECT name FROM school WHERE (id > 1) IS FALSE",
    ),
    (
        "condition",
        "SELECT id FROM pupil WHERE age > id",
        "SELECT id FROM pupil WHERE id > age",
    ),
    (
        "condition",
        "SELECT id FROM pupil WHERE age - id > 9",
        "SELECT id FROM pupil WHERE id - age > 9",
    ),
    (
        "wrong_column",
        "SELECT id FROM pupil WHERE age > id",
        "SELECT id FROM pupil WHERE school_id > id",
    ),
    (
        "calculation",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY age DESC, id) FROM pupil",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY age, id) FROM pupil",
    ),
    # Nothing but repeated rows.
    ("equivalent", f"SELECT s.city {JOIN} GROUP BY s.city", f"SELECT s.city {JOIN}"),
    ("equivalent", f"SELECT DISTINCT s.* {JOIN}", f"SELECT s.id, name, city, founded {JOIN}"),
    ("other", "SELECT 1; SELECT 2", "SELECT 7"),
]


def rows(connection: sqlite3.Connection, sql: str) -> tuple[Rows | None, str]:
    try:
        return connection.execute(sql.split(";")[0]).fetchall(), ""
    except sqlite3.Error as error:
        return None, str(error)


@pytest.mark.parametrize(("name", "gold", "predicted"), CASES)
def test_the_class_of_a_mistake(school_db: Path, name: str, gold: str, predicted: str) -> None:
    with Database(school_db) as database:
        schema = database.schema
    connection = sqlite3.connect(school_db)
    gold_rows, gold_error = rows(connection, gold)
    predicted_rows, error = rows(connection, predicted) if predicted.strip() else (None, "no SQL")
    connection.close()
    unknown = [f for f in check(predicted, schema) if f.code in ("unknown-column", "unknown-table")]
    verdict = Verdict(
        "1",
        "school",
        error=error,
        gold_error=gold_error,
        gold_empty=gold_rows == [],
        unknown_names=tuple(f.message for f in unknown),
    )
    assert error_class(gold, predicted, schema, gold_rows, predicted_rows, verdict) == name


def test_every_class_has_a_case() -> None:
    assert {name for name, *_ in CASES} == set(CLASSES)


def test_the_page_has_every_class_in_the_order_of_trying() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "mistakes.md"
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE)
    assert rows == list(CLASSES.items())


def test_spelling_makes_no_difference() -> None:
    """What is left over after all that is the same is the order of the columns alone."""
    school = Table("School", (Column("Id", "INTEGER"), Column("Name", "TEXT")))
    pupil = Table(
        "pupil",
        (Column("id", "INTEGER"), Column("school_id", "INTEGER")),
        foreign_keys=(ForeignKey(("school_id",), "School", ("Id",)),),
    )
    gold = (
        "SELECT T1.name FROM school AS T1 JOIN pupil AS T2 ON T1.id = T2.school_id "
        "WHERE T1.id > 3 AND T2.id BETWEEN 1 AND 5 GROUP BY T1.id ORDER BY count(*) DESC LIMIT 1"
    )
    predicted = (
        'SELECT "School"."Name" FROM pupil INNER JOIN school ON pupil.school_id = school.id '
        "WHERE (pupil.id >= 1) AND 5 >= pupil.id AND 3 < school_id "
        "GROUP BY pupil.school_id ORDER BY COUNT(pupil.id) DESC LIMIT 1"
    )
    schema = Schema("sqlite", (school, pupil))
    verdict = Verdict("1", "school")
    # Of several first rows one was taken: the statements ask for the same.
    assert error_class(gold, predicted, schema, [("a",)], [("b",)], verdict) == "equivalent"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT NAME FROM School", 'SELECT s."name" FROM school AS s'),
        (
            "SELECT id FROM pupil WHERE age BETWEEN 3 AND 5",
            "SELECT id FROM pupil WHERE 3 <= age AND 5 >= age",
        ),
        (
            "SELECT id FROM pupil WHERE age IN (3, 5)",
            "SELECT id FROM pupil WHERE age = 3 OR age = 5",
        ),
        ("SELECT id FROM pupil WHERE grade = '7'", 'SELECT id FROM pupil WHERE grade = "7"'),
        (
            "SELECT id FROM pupil WHERE grade NOT LIKE '7'",
            "SELECT id FROM pupil WHERE NOT grade LIKE '7'",
        ),
        (
            "SELECT id FROM pupil WHERE age > school_id",
            "SELECT id FROM pupil WHERE school_id < age",
        ),
        ("SELECT id FROM pupil WHERE age + id = 9", "SELECT id FROM pupil WHERE 9 = id + age"),
        (
            "SELECT id FROM pupil WHERE age <> school_id",
            "SELECT id FROM pupil WHERE school_id != age",
        ),
        (
            "SELECT max(age) OVER (ORDER BY id ASC) FROM pupil",
            "SELECT max(age) OVER (ORDER BY id) FROM pupil",
        ),
        ("SELECT id FROM pupil WHERE NOT (age = 3)", "SELECT id FROM pupil WHERE (NOT age = 3)"),
        ("SELECT id FROM pupil WHERE age <> 3", "SELECT id FROM pupil WHERE age != 3"),
        ("SELECT COUNT(*) FROM pupil", "SELECT COUNT(id) AS n FROM pupil"),
        ("SELECT age + 1 AS x FROM pupil ORDER BY x", "SELECT age + 1 FROM pupil ORDER BY age + 1"),
        (
            "SELECT id, age FROM pupil ORDER BY 2 DESC",
            "SELECT id, age FROM pupil ORDER BY age DESC",
        ),
        (
            "SELECT grade, COUNT(*) FROM pupil GROUP BY 1",
            "SELECT grade, COUNT(*) FROM pupil GROUP BY grade",
        ),
        (
            "SELECT COUNT(*) FROM enrolment AS e JOIN certificate AS c USING (pupil_id, term)",
            "SELECT COUNT(*) FROM enrolment e JOIN certificate c "
            "ON c.term = e.term AND e.pupil_id = c.pupil_id",
        ),
        (
            "SELECT p.id FROM pupil p JOIN school s ON p.school_id = s.id WHERE s.id = 1",
            "SELECT pupil.id FROM school, pupil WHERE school_id = school.id AND 1 = school_id",
        ),
        (
            "SELECT id FROM pupil UNION SELECT id FROM school",
            "SELECT id FROM pupil UNION SELECT (id) FROM school",
        ),
        (
            "WITH old AS (SELECT * FROM pupil) SELECT id FROM old",
            "WITH o AS (SELECT * FROM pupil) SELECT o.id FROM o",
        ),
        (
            "SELECT id FROM pupil WHERE name = 1 COLLATE NOCASE",
            "select ID from PUPIL where NAME=1 collate nocase",
        ),
        ("SELECT CAST(age AS REAL) FROM pupil", "SELECT CAST(pupil.age AS real) FROM pupil"),
    ],
)
def test_statements_that_ask_for_the_same_are_read_alike(
    school_db: Path, one: str, other: str
) -> None:
    with Database(school_db) as database:
        readings = read_both(one, other, database.schema)
    assert readings is not None
    assert readings[0] == readings[1]


WORDS = (
    "SELECT FROM WHERE a b t u * , ( ) = > 1 'x' AND OR NOT IN EXISTS JOIN ON USING GROUP BY ORDER "
    "HAVING LIMIT UNION EXCEPT WITH AS COUNT(*) MAX CASE WHEN THEN END ; BETWEEN LIKE t.a"
)
PIECES = st.sampled_from(WORDS.split())
CELL = st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=2))
SQL = st.one_of(st.lists(PIECES, max_size=14).map(" ".join), st.text(max_size=30))


@given(SQL, SQL, st.lists(st.tuples(CELL, CELL), max_size=3), st.lists(st.tuples(CELL), max_size=3))
def test_never_raises_on_any_sql(gold: str, predicted: str, one: Rows, other: Rows) -> None:
    columns = (Column("a", "INTEGER"), Column("b", "TEXT"))
    schema = Schema("sqlite", (Table("t", columns), Table("u", columns)))
    verdict = Verdict("1", "db")
    assert error_class(gold, predicted, schema, one, other, verdict) in CLASSES
    assert error_class(gold, predicted, schema, one, one, verdict) in CLASSES


def test_deep_nesting_is_no_trouble() -> None:
    deep = "SELECT " + "(" * 3000 + "1" + ")" * 3000
    schema = Schema("sqlite", (Table("t", (Column("a", "INTEGER"),)),))
    assert error_class(deep, "SELECT 2", schema, [(1,)], [(2,)], Verdict("1", "x")) in CLASSES


@pytest.mark.parametrize(
    ("gold", "predicted", "form"),
    [
        ([(1,)], [(1.0,)], "same"),
        ([("1",)], [(1,)], "same"),
        ([("007",)], [(7,)], ""),
        ([(0.333333,)], [(0.33,)], "same"),
        ([(0.333333,)], [(0.34,)], ""),
        ([(3.4,)], [(3,)], ""),
        ([(2.4752,)], [(2.5,)], ""),
        ([("a ",)], [("a",)], "same"),
        ([(None,)], [(0,)], ""),
        ([(None, 1)], [(1, None)], "same"),
        ([(1,), (1,), (2,)], [(1,), (2,)], "repeated"),
        ([(1, 2), (2, 1)], [(2, 1), (1, 2)], "same"),
        ([(1, 5), (2, 6)], [(6, 2), (5, 1)], "reordered"),
        ([(1, 2), (3, 4)], [(1, 4), (3, 2)], ""),
        ([(1,)], [(1, 2, 3)], "wider"),
        ([(1, "x")], [("x",)], "narrower"),
        ([], [(1,)], ""),
        ([(1,)] * (MOST_ROWS + 1), [(1,)], ""),
    ],
)
def test_likeness(gold: Rows, predicted: Rows, form: str) -> None:
    assert likeness(gold, predicted) == form


def test_one_decimal_is_a_rounding_where_a_statement_rounds() -> None:
    assert likeness([(2.4752,)], [(2.5,)], is_rounded=True) == "same"
    assert likeness([(2.4752,)], [(2.4,)], is_rounded=True) == ""


def test_is_part() -> None:
    assert is_part([(1,), (3,)], [(1,), (2,), (3,)])
    assert not is_part([(1,), (4,)], [(1,), (2,), (3,)])
    assert not is_part([], [(1,)])
