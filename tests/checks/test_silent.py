"""Results that are wrong although the query ran, on a real database."""

import sqlite3
from collections.abc import Iterator

import pytest

from macsql.checks.silent import diagnose_result
from macsql.database import Database
from macsql.errors import ExecutionError

SHOP = """
CREATE TABLE dim (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE fact (id INTEGER PRIMARY KEY, dim_id INTEGER REFERENCES dim(id));
CREATE TABLE ordr (id INTEGER PRIMARY KEY, total INTEGER);
CREATE TABLE item (id INTEGER PRIMARY KEY, ordr_id INTEGER REFERENCES ordr(id), kind TEXT);
CREATE TABLE loose (id INTEGER, fk INTEGER, amount INTEGER);
CREATE TABLE mark (name TEXT, grade TEXT, points INTEGER, year TEXT);
INSERT INTO dim VALUES (10, 'ten');
INSERT INTO fact VALUES (1, 10), (2, 10), (3, 99);
INSERT INTO loose VALUES (1, 10, 5), (2, 10, 6), (3, 99, 7), (4, NULL, 8);
INSERT INTO ordr VALUES (1, 100), (2, 50);
INSERT INTO item VALUES (1, 1, 'x'), (2, 1, 'x'), (3, 1, 'y'), (4, 2, 'z');
INSERT INTO mark VALUES ('a', '9', 5, '1998'), ('b', '10', 5, '2003'), ('c', NULL, NULL, '2004');
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(SHOP)
    connection.close()
    with Database(path) as database:
        yield database


def diagnosed(sql: str, database: Database) -> dict[str, str]:
    found = diagnose_result(sql, database.execute(sql), database.schema, database.execute)
    assert all(f.severity in ("warning", "hint") for f in found)
    return {f.code: f"{f.message} | {f.hint}" for f in found}


@pytest.mark.parametrize(
    ("code", "said", "sql"),
    [
        ("broken-key", "1 of 3 rows", "SELECT count(*) FROM fact JOIN dim ON dim_id = dim.id"),
        (
            "broken-key",
            "LEFT JOIN",
            "SELECT d.name, count(*) FROM fact f, dim d WHERE f.dim_id = d.id GROUP BY d.name",
        ),
        # No key is declared between these two; the id of dim identifies its rows all the same.
        ("broken-key", "2 of 4 rows", "SELECT count(*) FROM loose l JOIN dim d ON d.id = l.fk"),
        ("broken-key", "2 of 4 rows", "SELECT sum(amount) FROM loose, dim WHERE fk = dim.id"),
        (
            "fan-out",
            "dim several times",
            "SELECT sum(d.id * 2) FROM dim d JOIN loose l ON l.fk = d.id",
        ),
        (
            "fan-out",
            "ordr several times",
            "SELECT total(o.total) FROM ordr o JOIN item i ON i.ordr_id = o.id",
        ),
        (
            "fan-out",
            "ordr several times",
            "SELECT sum(o.total * 2 + o.id) FROM ordr o JOIN item i ON i.ordr_id = o.id",
        ),
        (
            "fan-out",
            "ordr several times",
            "SELECT o.id FROM ordr o JOIN item i ON i.ordr_id = o.id GROUP BY o.id "
            "HAVING sum(o.total) > 120",
        ),
        (
            "fan-out",
            "ordr several times",
            "SELECT o.id FROM ordr o JOIN item i ON i.ordr_id = o.id GROUP BY o.id "
            "ORDER BY sum(o.total) DESC",
        ),
        (
            "fan-out",
            "ordr several times",
            "SELECT sum(o.total) FROM ordr o JOIN item i ON i.ordr_id = o.id",
        ),
        (
            "fan-out",
            "item",
            "SELECT kind, avg(total) FROM item JOIN ordr ON ordr.id = ordr_id GROUP BY kind",
        ),
        ("numbers-as-text", "CAST(grade AS REAL)", "SELECT max(grade) FROM mark"),
        ("numbers-as-text", "ORDER BY", "SELECT name FROM mark m ORDER BY m.grade DESC"),
        ("numbers-as-text", "condition", "SELECT name FROM mark WHERE grade > 8"),
        ("numbers-as-text", "condition", "SELECT name FROM mark WHERE grade BETWEEN '5' AND '20'"),
        ("nulls-first", "points IS NOT NULL", "SELECT name FROM mark ORDER BY points LIMIT 1"),
        (
            "null-in-not-in",
            "grade IS NOT NULL",
            "SELECT name FROM mark WHERE name NOT IN (SELECT grade FROM mark)",
        ),
        ("null-result", "NULL", "SELECT avg(points) FROM mark WHERE name = 'nobody'"),
        ("ties-cut", "LIMIT 1", "SELECT name FROM mark ORDER BY points DESC LIMIT 1"),
        ("repeated-rows", "2 of 4", "SELECT o.total FROM ordr o JOIN item i ON o.id = i.ordr_id"),
    ],
)
def test_doubtful_result_is_explained(code: str, said: str, sql: str, shop: Database) -> None:
    assert said in diagnosed(sql, shop).get(code, "")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM fact",
        "SELECT count(*) FROM fact LEFT JOIN dim ON dim_id = dim.id",
        "SELECT count(*) FROM fact JOIN dim ON dim_id = dim.id WHERE dim.name = 'ten'",
        "SELECT count(*) FROM ordr JOIN item ON ordr.id = ordr_id",
        "SELECT sum(total) FROM ordr WHERE id IN (SELECT ordr_id FROM item)",
        "SELECT sum(DISTINCT total) FROM ordr JOIN item ON ordr.id = ordr_id",
        "SELECT sum(total) FROM ordr JOIN item ON ordr.id = ordr_id WHERE kind = 'y'",
        "SELECT ordr.id, count(*) FROM ordr JOIN item ON ordr.id = ordr_id GROUP BY ordr.id",
        "SELECT sum(o.total * i.id) FROM ordr o JOIN item i ON i.ordr_id = o.id",
        "SELECT sum(CASE WHEN i.kind = 'y' THEN o.total END) FROM ordr o JOIN item i "
        "ON i.ordr_id = o.id",
        "SELECT count(*) FROM loose JOIN ordr ON fk = total",
        "SELECT count(*) FROM ordr JOIN fact ON ordr.id = fact.id",
        "SELECT max(year) FROM mark",
        "SELECT max(CAST(grade AS REAL)) FROM mark",
        "SELECT name FROM mark WHERE points IS NOT NULL ORDER BY name, points LIMIT 1",
        "SELECT name FROM mark WHERE name NOT IN (SELECT year FROM mark)",
        "SELECT DISTINCT o.total FROM ordr o JOIN item i ON o.id = i.ordr_id",
        "SELECT NULL, 1",
        "VALUES (1), (2)",
    ],
)
def test_sound_result_is_not_doubted(sql: str, shop: Database) -> None:
    assert diagnosed(sql, shop) == {}


def test_probe_that_fails_says_nothing(shop: Database) -> None:
    def refuse(sql: str) -> object:
        raise ExecutionError("no")

    sql = "SELECT max(grade) FROM mark"
    result = shop.execute(sql)
    assert diagnose_result(sql, result, shop.schema, refuse) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sql", ["", "nonsense (", "SELECT nothing FROM nowhere", "DROP TABLE mark"]
)
def test_statement_that_cannot_run_has_no_diagnosis(sql: str, shop: Database) -> None:
    assert diagnose_result(sql, None, shop.schema, shop.execute) == []


def test_every_probe_is_a_query_that_the_guard_lets_pass(shop: Database) -> None:
    asked: list[str] = []

    def note(sql: str) -> object:
        asked.append(sql)
        return shop.execute(sql)

    for sql in (
        'SELECT count(*) FROM "fact" f JOIN dim d ON f.dim_id = d.id',
        "SELECT kind, sum(total) FROM item i, ordr o WHERE o.id = i.ordr_id GROUP BY 1",
        "SELECT name FROM mark WHERE grade > 8 ORDER BY points LIMIT 1",
    ):
        diagnose_result(sql, shop.execute(sql), shop.schema, note)  # type: ignore[arg-type]
    assert len(asked) >= 4
    for sql in asked:
        assert shop.check(sql) == sql
