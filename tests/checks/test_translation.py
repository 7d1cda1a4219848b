"""Functions and clauses of other dialects give in SQLite what they give where they come from."""

import sqlite3
from typing import Any

import pytest

from macsql.checks import check, repair
from macsql.checks.dialect_functions import (
    DIFFERENCES,
    SQLITE,
    SQLITE_LATELY,
    TRUNCATED,
    WHOLE_DIFFERENCES,
)
from macsql.checks.functions import filled

ALL = SQLITE | SQLITE_LATELY
ARGUMENTS = ["'2023-11-30 10:20:30'", "'2024-02-29'", "7"]
TEMPLATES = {
    **{template: 2 if count is None else count for (_, count), template in ALL.items()},
    **dict.fromkeys((*DIFFERENCES.values(), *WHOLE_DIFFERENCES.values()), 2),
    **dict.fromkeys(TRUNCATED.values(), 1),
}
"""Every template of SQLite, and with how many arguments it is tried."""
NOT_REPEATED = ("RANDOM", "'now'", "ZEROBLOB")


def value(expression: str) -> Any:
    with sqlite3.connect(":memory:") as connection:
        return connection.execute(f"SELECT {expression}").fetchone()[0]


def arguments(template: str, written: str) -> list[str]:
    return [written.format(a) for a in ARGUMENTS[: TEMPLATES[template]]]


@pytest.mark.parametrize("template", sorted(TEMPLATES))
@pytest.mark.parametrize(
    "around", ["10 * {}", "7 - {}", "{} % 4", "'a' || {}", "-{}", "NOT {}", "{} IS NULL"]
)
def test_a_translated_call_keeps_together(template: str, around: str) -> None:
    call = filled(template, arguments(template, "{}"))
    if any(word in template for word in NOT_REPEATED):
        assert call.endswith(")")
    else:
        assert value(around.format(call)) == value(around.format(f"({call})"))


@pytest.mark.parametrize("template", sorted(TEMPLATES))
@pytest.mark.parametrize("written", ["NULL OR {}", "{} || ''", "1 + {}", "{} = 1", "NOT {}"])
def test_arguments_of_a_translated_call_keep_together(template: str, written: str) -> None:
    plain = arguments(template, written)
    if not any(word in template for word in NOT_REPEATED):
        bracketed = [f"({a})" for a in plain]
        assert value(filled(template, plain)) == value(filled(template, bracketed))


def translated(expression: str, school: Any) -> Any:
    best = repair(f"SELECT {expression} FROM school WHERE id = 1", school.schema, failed=True)[0]
    return school.rows(best.sql)[0][0]


@pytest.mark.parametrize(
    ("expression", "right"),
    [
        ("10 * QUARTER('2023-11-30')", 40),
        ("7 - DAYOFWEEK('2023-11-30')", 2),
        ("DATEDIFF('2023-01-02 01:00:00', '2023-01-01 23:00:00')", 1),
        ("DATEDIFF('2023-01-02 23:00:00', '2023-01-01 01:00:00')", 1),
        ("DATEDIFF(day, '2023-01-01 23:00:00', '2023-01-02 01:00:00')", 1),
        ("TIMESTAMPDIFF(DAY, '2023-01-01 23:00:00', '2023-01-02 01:00:00')", 0),
        ("TIMESTAMPDIFF(DAY, '2023-01-01 23:00:00', '2023-01-02 23:00:00')", 1),
        ("TIMESTAMPDIFF(HOUR, '2023-01-01 23:00:00', '2023-01-02 01:30:00')", 2),
        ("TIMESTAMPDIFF(MONTH, '2023-02-15', '2023-07-01')", 4),
        ("TIMESTAMPDIFF(MONTH, '2023-02-15', '2023-07-15')", 5),
        ("TIMESTAMPDIFF(MONTH, '2023-07-01', '2023-02-15')", -4),
        ("TIMESTAMPDIFF(MONTH, '2022-12-31', '2023-01-30')", 0),
        ("TIMESTAMPDIFF(MONTH, '2023-01-15 12:00:00', '2023-02-15 11:59:59')", 0),
        ("TIMESTAMPDIFF(QUARTER, '2022-12-31', '2023-07-01')", 2),
        ("TIMESTAMPDIFF(YEAR, '2010-01-01', '2020-01-01')", 10),
        ("TIMESTAMPDIFF(YEAR, '2010-05-02', '2020-05-01')", 9),
        ("TIMESTAMPDIFF(YEAR, '2020-05-01', '2010-05-02')", -9),
        ("DATEDIFF(month, '2023-01-31', '2023-02-01')", 1),
        ("DATE_SUB('2023-03-31', INTERVAL 1 MONTH)", "2023-02-28"),
        ("DATE_ADD('2024-01-31', INTERVAL 1 MONTH)", "2024-02-29"),
        ("DATE_ADD('2024-02-29', INTERVAL 1 YEAR)", "2025-02-28"),
        ("DATE_ADD('2023-11-30', INTERVAL 1 QUARTER)", "2024-02-29"),
        ("DATEADD(month, -1, '2023-12-31')", "2023-11-30"),
        ("DATE_SUB('2023-03-31', INTERVAL 1 DAY)", "2023-03-30"),
        ("DATE_SUB(founded, INTERVAL 1 MONTH)", "1950-08-01"),
        ("DATE_ADD('2024-01-15 10:30:00', INTERVAL 1 DAY)", "2024-01-16 10:30:00"),
        ("DATE_ADD('2024-01-31 10:30:00', INTERVAL 1 MONTH)", "2024-02-29 10:30:00"),
        ("DATEADD(day, 1, founded || ' 10:30:00')", "1950-09-02 10:30:00"),
        ("DATEADD(month, 1, founded || ' 10:30:00')", "1950-10-01 10:30:00"),
        ("TO_DATE(founded, 'YYYY-MM-DD')", "1950-09-01"),
        ("STR_TO_DATE(founded, '%Y-%m-%d')", "1950-09-01"),
        ("CONCAT_WS('-', 1 + 1, 'a')", "2-a"),
        ("ISNULL(NULL OR 1)", 0),
    ],
)
def test_value_of_a_translated_call(expression: str, right: Any, school: Any) -> None:
    assert translated(expression, school) == right


def test_a_random_number_is_between_zero_and_one(school: Any) -> None:
    assert 0 <= translated("RAND()", school) <= 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT TO_DATE(founded, 'DD/MM/YYYY') FROM school",
        "SELECT STR_TO_DATE(founded, '%d.%m.%Y') FROM school",
        "SELECT name FROM school ORDER BY city FETCH FIRST 1 ROWS WITH TIES",
        "SELECT name FROM school ORDER BY city FETCH FIRST 10 PERCENT ROWS ONLY",
        "SELECT id FROM school WHERE NOT id > ANY (SELECT age FROM pupil)",
        "SELECT id FROM school WHERE id < ANY (SELECT age FROM pupil LIMIT 1)",
        "SELECT id FROM school WHERE id = ANY ((SELECT age FROM pupil))",
        "SELECT id FROM school WHERE id > ALL (SELECT pupil.* FROM pupil)",
        "SELECT id > ALL (SELECT age FROM pupil) FROM school",
        "SELECT age FROM pupil GROUP BY age HAVING count(*) >= ALL (SELECT id FROM school)",
    ],
)
def test_what_has_no_sure_equal_is_left(sql: str, school: Any) -> None:
    assert school.refusal(sql) != ""
    assert [f.severity for f in check(sql, school.schema)] == ["error"]
    assert repair(sql, school.schema) == []


@pytest.mark.parametrize("top", ["TOP 1 WITH TIES", "TOP 40 PERCENT"])
def test_top_rows_of_an_unknown_number_are_not_cut(top: str, school: Any) -> None:
    for found in repair(f"SELECT {top} name FROM school ORDER BY city", school.schema):
        assert school.refusal(found.sql) != ""


def test_top_of_a_sub_query_stays_there(school: Any) -> None:
    sql = "SELECT id FROM pupil WHERE school_id IN (SELECT TOP 1 id FROM school ORDER BY id)"
    best = repair(sql, school.schema)[0]
    assert school.rows(best.sql) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("age > ALL (SELECT id FROM school WHERE id > 99)", [1, 2, 3, 4, 5]),
        ("age > ALL (SELECT age FROM pupil WHERE school_id = 1)", [5]),
        ("age > ALL (SELECT age FROM pupil WHERE school_id = 2)", []),
        ("age > ALL (SELECT age FROM pupil ORDER BY age LIMIT 3)", []),
        ("age >= ALL (SELECT age FROM pupil WHERE age > 1 UNION SELECT 12)", [5]),
        ("age > ANY (SELECT age FROM pupil)", [2, 5]),
        ("age < SOME (SELECT age FROM pupil)", [1, 2, 3]),
        ("age >= ALL (SELECT MAX(age) FROM pupil)", [5]),
        ("age > ALL (SELECT AVG(age) FROM pupil WHERE age < 17 GROUP BY id)", [5]),
        ("age = ANY (SELECT age FROM pupil WHERE id = 1)", [1, 3]),
        ("age <> ALL (SELECT age FROM pupil WHERE id = 1)", [2, 5]),
    ],
)
def test_rows_of_all_and_any(condition: str, ids: list[int], school: Any) -> None:
    best = repair(f"SELECT id FROM pupil WHERE {condition} ORDER BY id", school.schema)[0]
    assert [row[0] for row in school.rows(best.sql)] == ids


@pytest.mark.parametrize(
    ("sign", "inner", "ages"),
    [
        (">=", "SELECT COUNT(*) FROM pupil GROUP BY age", [12]),
        ("<=", "SELECT COUNT(*) FROM pupil GROUP BY age", [None, 13, 17]),
        (">", "SELECT COUNT(*) FROM pupil WHERE age > 99 GROUP BY age", [None, 12, 13, 17]),
    ],
)
def test_a_count_is_compared_with_all_counts(
    sign: str, inner: str, ages: list[int | None], school: Any
) -> None:
    sql = "SELECT age FROM pupil GROUP BY age HAVING "
    best = repair(f"{sql} COUNT(*) {sign} ALL ({inner})", school.schema)[0]
    assert [row[0] for row in school.rows(best.sql)] == ages


def test_an_alias_that_goes_is_written_out(school: Any) -> None:
    sql = (
        "SELECT id FROM school WHERE id IN "
        "(SELECT school_id, COUNT(*) AS n FROM pupil GROUP BY school_id HAVING n > 1)"
    )
    best = repair(sql, school.schema)[0]
    assert best.sql.endswith("(SELECT school_id FROM pupil GROUP BY school_id HAVING COUNT(*) > 1)")
    assert school.rows(best.sql) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("sql", "readable"),
    [
        (
            "SELECT age FROM (SELECT age FROM pupil LIMIT 2 - 5 % 4 OFFSET 3 % 2)",
            "SELECT age FROM (SELECT age FROM pupil LIMIT (2 - 5 % 4) OFFSET (3 % 2))",
        ),
        (
            "SELECT max(age) FROM (SELECT age FROM pupil LIMIT (SELECT count(*) FROM school) % 2)",
            "SELECT max(age) FROM (SELECT age FROM pupil "
            "LIMIT ((SELECT count(*) FROM school) % 2))",
        ),
        ("SELECT age FROM pupil /* of all", "SELECT age FROM pupil /* of all */"),
    ],
)
def test_what_sqlite_reads_is_made_readable_and_says_the_same(
    sql: str, readable: str, school: Any
) -> None:
    best = repair(sql, school.schema)[0]
    assert best.sql == readable
    assert school.rows(readable) == school.rows(sql)
