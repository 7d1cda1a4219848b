"""What is found wrong, and that nothing is said against what is right."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from macsql.checks import check, repair
from macsql.schema import Column, ForeignKey, Schema, Table

HERE = Path(__file__).parent


def statements(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def codes(sql: str, schema: Schema, severity: str = "error") -> list[str]:
    return [f.code for f in check(sql, schema) if f.severity == severity]


VALID = statements("valid.sql")
VALID[-2:] = ["\n".join(VALID[-2:])]


@pytest.mark.parametrize("sql", VALID)
def test_right_statement_has_no_error_and_no_repair(sql: str, school: Any) -> None:
    assert school.refusal(sql) == ""
    assert codes(sql, school.schema) == []
    assert repair(sql, school.schema) == []


@pytest.mark.parametrize("line", statements("broken.sql"))
def test_refused_statement_is_called_wrong_by_its_code(line: str, school: Any) -> None:
    code, mentioned, sql = (part.strip() for part in line.split("|", 2))
    assert school.refusal(sql) != ""
    found = [f for f in check(sql, school.schema) if f.severity == "error"]
    assert code in [f.code for f in found]
    assert any(mentioned in f"{f.message} {f.hint}" for f in found)


def warnings_of(sql: str, schema: Schema) -> Sequence[str]:
    return codes(sql, schema, "warning")


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ('SELECT "no_such" FROM pupil', "quoted-identifier-is-not-a-column"),
        ('SELECT age FROM pupil ORDER BY "height"', "quoted-identifier-is-not-a-column"),
        ('SELECT count(*) FROM pupil GROUP BY "house"', "quoted-identifier-is-not-a-column"),
        ("SELECT age FROM pupil WHERE \"state\" = 'CA'", "quoted-identifier-is-not-a-column"),
        ('SELECT age FROM pupil WHERE 5 < "height"', "quoted-identifier-is-not-a-column"),
        ('SELECT age FROM pupil WHERE "height" IS NULL', "quoted-identifier-is-not-a-column"),
        (
            'SELECT age FROM pupil GROUP BY age HAVING sum("height") > 3',
            "quoted-identifier-is-not-a-column",
        ),
        ("SELECT pupil.age FROM pupil, school", "cartesian-join"),
        ("SELECT pupil.age FROM pupil JOIN school", "cartesian-join"),
        ("SELECT p.age FROM pupil p JOIN school s ON p.id = s.id", "join-not-on-keys"),
        ("SELECT first_name, count(*) FROM pupil", "group-by"),
        ("SELECT name FROM school WHERE id IN (SELECT city FROM pupil)", "outer-column"),
        ("SELECT frobnicate(age) FROM pupil", "unknown-function"),
    ],
)
def test_doubtful_statement_has_a_warning(sql: str, code: str, school: Any) -> None:
    assert code in warnings_of(sql, school.schema)


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT first_name FROM pupil WHERE first_name = "Ann"',
        'SELECT first_name FROM pupil WHERE first_name IN ("Ann", "Ben")',
        'SELECT first_name AS "the name" FROM pupil ORDER BY "the name"',
        "VALUES (1), (2)",
        "SELECT p.age FROM pupil p, school s WHERE p.school_id = s.id",
        "SELECT p.age FROM pupil p, school s, enrolment WHERE school_id = s.id AND p.id = pupil_id",
        "SELECT first_name, max(age) FROM pupil",
        "SELECT age, count(*) FROM pupil GROUP BY age",
        "SELECT s.name FROM school s WHERE EXISTS (SELECT 1 FROM pupil WHERE school_id = s.id)",
    ],
)
def test_ordinary_statement_has_no_warning(sql: str, school: Any) -> None:
    assert warnings_of(sql, school.schema) == []


def test_span_marks_the_wrong_name(school: Any) -> None:
    sql = "SELECT p.first_name, p.agee FROM pupil p"
    [finding] = check(sql, school.schema)
    assert finding.span is not None
    assert sql[slice(*finding.span)] == "p.agee"


def test_same_fault_twice_is_one_finding(school: Any) -> None:
    assert codes("SELECT agee FROM pupil GROUP BY agee", school.schema) == ["unknown-column"]


def test_errors_come_before_warnings(school: Any) -> None:
    found = check('SELECT "nothing", agee FROM pupil', school.schema)
    assert [f.severity for f in found] == ["error", "warning"]


def test_statement_that_is_no_query_is_said_to_be_none(school: Any) -> None:
    assert codes("DROP TABLE pupil", school.schema) == ["not-a-query"]


# Other dialects -------------------------------------------------------------------------------

USERS = Table(
    "UserAccount",
    (Column("id", "int"), Column("firstName", "text"), Column("meta", "jsonb")),
    primary_key=("id",),
)
VISIT = Table(
    "visit",
    (Column("user_id", "int"), Column("day", "date")),
    foreign_keys=(ForeignKey(("user_id",), "UserAccount", ("id",)),),
)


def schema(dialect: str) -> Schema:
    return Schema(dialect, (USERS, VISIT))


def test_postgres_name_of_mixed_case_needs_quotes() -> None:
    assert codes("SELECT firstName FROM UserAccount", schema("postgresql")) == [
        "identifier-case",
        "identifier-case",
    ]
    assert codes('SELECT "firstName" FROM "UserAccount"', schema("postgresql")) == []


def test_postgres_name_of_mixed_case_is_quoted_by_repair() -> None:
    [best, *_] = repair("SELECT u.firstName FROM UserAccount u", schema("postgres"))
    assert best.sql == 'SELECT u."firstName" FROM "UserAccount" u'


def test_mysql_minds_no_case() -> None:
    assert codes("SELECT FIRSTNAME FROM UserAccount", schema("mysql")) == []


def test_postgres_alias_is_not_known_in_where() -> None:
    sql = "SELECT user_id AS who FROM visit WHERE who > 1"
    assert codes(sql, schema("postgres")) == ["unknown-column"]
    assert codes(sql, schema("sqlite")) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT v FROM visit v",
        "SELECT v.day::text, now(), EXTRACT(YEAR FROM day) FROM visit v WHERE day ILIKE 'x'",
        "SELECT table_name FROM information_schema.tables",
        "SELECT g FROM generate_series(1, 3) AS g",
        "SELECT x.n FROM visit v, LATERAL (SELECT v.user_id AS n) x",
        "SELECT id FROM (VALUES (1), (2)) AS t(id)",
    ],
)
def test_postgres_ways_are_not_errors_in_postgres(sql: str) -> None:
    assert codes(sql, schema("postgres")) == []


@pytest.mark.parametrize("name", ["mssql", "tsql", "SQLServer"])
def test_names_of_sql_server_mean_its_dialect(name: str) -> None:
    assert codes("SELECT TOP 5 day FROM visit", schema(name)) == []


def test_tables_of_two_schemas_are_kept_apart() -> None:
    both = Schema(
        "postgres",
        (Table("a.t", (Column("x", "int"),)), Table("b.t", (Column("y", "int"),))),
    )
    assert codes("SELECT one.x, two.y FROM a.t one JOIN b.t two ON one.x = two.y", both) == []
    assert codes("SELECT one.y FROM a.t one", both) == ["unjoined-table"]
