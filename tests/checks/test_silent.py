"""Results that are wrong although the query ran, on a real database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

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


@pytest.mark.parametrize(
    ("texts", "sql", "said"),
    [
        (["31/12/2018", "01/02/2019"], "SELECT max(t) FROM d", "MAX compares letters"),
        (["5-MAY-14", "12-JAN-15"], "SELECT t FROM d ORDER BY t", "ORDER BY compares letters"),
        (["March 3, 2010", "April 1, 2011"], "SELECT 1 FROM d WHERE t > 'x'", "the condition"),
        (["06.10.1976", "05.11.1977"], "SELECT 1 FROM d WHERE t BETWEEN '1' AND '2'", "06.10.1976"),
        (["9:05", "10:30"], "SELECT min(t) FROM d", "MIN compares letters"),
        (["2019-2-1", "2019-11-1"], "SELECT t FROM d ORDER BY t LIMIT 1", "ORDER BY"),
        (["31/12/2018", "01/02/2019"], "SELECT strftime('%Y', t) FROM d", "STRFTIME cannot read"),
        (["5 May 2014"], "SELECT julianday(t) - 1 FROM d", "JULIANDAY cannot read"),
        # In the order of time, or no dates, or not compared.
        (["2018-12-31", "2019-02-01"], "SELECT max(t), strftime('%Y', t) FROM d", ""),
        (["2018-12-31 10:00:00", "2019-02-01 09:00:00"], "SELECT max(t), date(t) FROM d", ""),
        (["09:05", "10:30"], "SELECT min(t) FROM d", ""),
        (["01/02/2019", "02/03/2019"], "SELECT t FROM d ORDER BY t", ""),
        (["31/12/2018", "01/02/2019"], "SELECT t FROM d WHERE t = '31/12/2018'", ""),
        (["31/12/2018", "01/02/2019"], "SELECT count(t), substr(t, 7) FROM d", ""),
        (["4-5 people", "10-12 people"], "SELECT max(t) FROM d", ""),
        (["31/12/2018", "soon"], "SELECT max(t) FROM d", ""),
        ([], "SELECT max(t), date(t) FROM d", ""),
        # Scores, blanks at the end.
        (["3:1", "10:2", "2:0"], "SELECT t FROM d ORDER BY t", ""),
        (["2018-12-31 ", "2019-02-01 "], "SELECT date(t) FROM d", ""),
        (["2019-02-01T10:00:00Z", "2018-01-01T09:00:00Z"], "SELECT max(t), date(t) FROM d", ""),
        (["1998-99", "1997-98"], "SELECT max(t) FROM d", ""),
        # Other clocks, a blank or an unknown one, names of the output, other places.
        (["1/2/2019 3:45:00 PM", "11/2/2018 9:05:00 AM"], "SELECT max(t) FROM d", "MAX"),
        (["May-14", "Jan-15"], "SELECT max(t) FROM d", "MAX"),
        (["", "31/12/2018", "01/02/2019"], "SELECT max(t) FROM d", "like '31/12/2018'"),
        (["n/a", *(f"{i}/1/2018" for i in range(8, 19))], "SELECT max(t) FROM d", "MAX"),
        (["31/12/2018", "01/02/2019"], "SELECT * FROM d ORDER BY t", "ORDER BY"),
        (["31/12/2018", "01/02/2019"], "SELECT t AS x FROM d ORDER BY x", "ORDER BY"),
        (["31/12/2018", "01/02/2019"], "SELECT t FROM d ORDER BY 1", "ORDER BY"),
        (["31/12/2018", "01/02/2019"], "SELECT 1 FROM d WHERE '2018' < t", "the condition"),
        (["31/12/2018", "01/02/2019"], "SELECT max(t) FROM d, (SELECT 1 AS one) AS x", "MAX"),
    ],
)
def test_dates_kept_as_text(texts: list[str], sql: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "dates.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE d (t DATE)")
        connection.executemany("INSERT INTO d VALUES (?)", [(text,) for text in texts])
    with Database(path) as database:
        found = diagnose_result(sql, None, database.schema, database.execute)
    assert [f.code for f in found] == (["dates-as-text"] if said else [])
    assert all(said in f.message for f in found)


NAMESAKES = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist(id));
INSERT INTO artist VALUES (1, 'Kim', 'Rom'), (2, 'Kim', 'Bonn'), (3, 'Lou', 'Bonn');
INSERT INTO album VALUES (1, 'A', 1), (2, 'B', 2), (3, 'C', 3);
"""


@pytest.mark.parametrize(
    ("shown", "group", "is_doubted"),
    [
        ("a.name, count(*)", "a.name", True),
        ("name, city, count(*)", "name", True),
        ("name", "name HAVING count(*) > 1", True),
        ("a.name, count(*)", "a.id, a.name", False),
        ("a.name, count(*)", "a.name, a.city", False),
        ("city, count(*)", "city", False),
        ("b.title, count(*)", "b.title", False),
        ("upper(name), count(*)", "upper(name)", False),
    ],
)
def test_things_of_the_same_name_that_become_one_group(
    shown: str, group: str, is_doubted: bool, tmp_path: Path
) -> None:
    path = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(NAMESAKES)
    joined = "FROM artist a JOIN album b ON a.id = b.artist_id"
    with Database(path) as database:
        said = [
            diagnose_result(sql, None, database.schema, database.execute)
            for sql in (
                f"SELECT {shown} {joined} GROUP BY {group}",
                f"SELECT {shown} {joined} WHERE a.id <> 2 GROUP BY {group}",
            )
        ]
    assert ["merged-names" in [f.code for f in found] for found in said] == [is_doubted, False]
    assert all("group by a.id as well" in f.hint for f in said[0] if f.code == "merged-names")


@pytest.mark.parametrize(
    ("question", "sql", "hint"),
    [
        (
            "How many ordrs have an item?",
            "SELECT count(*) FROM ordr o JOIN item i ON i.ordr_id = o.id",
            "COUNT(DISTINCT o.id)",
        ),
        (
            "Count the dims with facts.",
            "SELECT count(dim.id) FROM fact, dim WHERE dim_id = dim.id",
            "COUNT(DISTINCT dim.id)",
        ),
        (
            "For each kind, what is the number of different ordrs?",
            "SELECT kind, count(*) FROM ordr JOIN item ON ordr_id = ordr.id GROUP BY kind",
            "COUNT(DISTINCT ordr.id)",
        ),
        # Items are counted, and each comes once.
        ("How many items?", "SELECT count(*) FROM ordr o JOIN item i ON i.ordr_id = o.id", ""),
        ("How many ordr items?", "SELECT count(*) FROM ordr JOIN item ON ordr_id = ordr.id", ""),
        ("How many ordrs?", "SELECT count(DISTINCT ordr_id) FROM ordr, item", ""),
        ("How many ordrs?", "SELECT count(*) FROM ordr", ""),
        ("How many ordrs?", "SELECT count(i.id) FROM ordr JOIN item i ON ordr_id = ordr.id", ""),
        (
            "How many ordrs have a y?",
            "SELECT count(*) FROM ordr o JOIN item ON ordr_id = o.id WHERE kind = 'y'",
            "",
        ),
        ("Which ordrs?", "SELECT count(*) FROM ordr o JOIN item i ON i.ordr_id = o.id", ""),
    ],
)
def test_rows_of_a_join_that_are_counted_for_things(
    question: str, sql: str, hint: str, shop: Database
) -> None:
    result = shop.execute(sql)
    found = diagnose_result(sql, result, shop.schema, shop.execute, question=question)
    hints = [f.hint for f in found if f.code == "counted-twice"]
    assert hints == [] if not hint else hint in hints[0]


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


@pytest.mark.parametrize(
    ("question", "sql", "code"),
    [
        # No finding: two tables are counted, the same table twice, one for each, a filter.
        ("How many ordrs and how many items?", "SELECT count(*) FROM {}", ""),
        ("How many ordrs?", "SELECT count(*) FROM ordr a JOIN ordr b ON b.total >= a.total", ""),
        ("How many ordrs?", "SELECT o.id, count(*) FROM {} GROUP BY o.id", ""),
        ("How many ordrs?", "SELECT count(*) FILTER (WHERE kind = 'y') FROM {}", ""),
        ("How many ordrs have items?", "SELECT total AS t, count(*) FROM {} GROUP BY 1, i.id", ""),
        ("How many items contain ordrs?", "SELECT count(*) FROM {}", ""),
        ("Which are the most popular ordrs?", "SELECT count(*) FROM {}", ""),
        ("How many ordrs?", "SELECT count(o.id) FROM item i LEFT JOIN ordr o ON 0 = i.id", ""),
        ("How many ordrs?", "SELECT count(1) FROM {}", "counted-twice"),
        ("How many ordrs use items?", "SELECT count(*) FROM {}", "counted-twice"),
        ("How many ordrs?", "SELECT i.kind AS k, count(*) FROM {} GROUP BY k", "counted-twice"),
        # An order without items of this kind would have one.
        (
            "How many items has each ordr?",
            "SELECT o.id, count(*) FROM ordr o LEFT JOIN item i ON ordr_id = o.id AND kind = 'z' "
            "GROUP BY o.id",
            "none-counted",
        ),
        (
            "How many items has each ordr?",
            "SELECT o.id, count(*) FROM ordr o LEFT JOIN item i ON ordr_id = o.id GROUP BY o.id",
            "",
        ),
        (
            "How many items has each ordr?",
            "SELECT o.id, count(i.id) FROM ordr o LEFT JOIN item i ON kind = 'z' GROUP BY o.id",
            "",
        ),
    ],
)
def test_which_things_a_join_counts(question: str, sql: str, code: str, shop: Database) -> None:
    sql = sql.format("ordr o JOIN item i ON i.ordr_id = o.id")
    found = diagnose_result(sql, shop.execute(sql), shop.schema, shop.execute, question=question)
    codes = [f.code for f in found if f.code in ("counted-twice", "none-counted")]
    assert codes == ([code] if code else [])


def test_names_in_hints_are_written_as_they_must_be(tmp_path: Path) -> None:
    path = tmp_path / "names.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            'CREATE TABLE "order" ("the id" INTEGER PRIMARY KEY, name TEXT);'
            'CREATE TABLE part ("of" INTEGER REFERENCES "order", no INTEGER, '
            'PRIMARY KEY ("of", no)) WITHOUT ROWID;'
            "CREATE TABLE mark (part_of INTEGER, part_no INTEGER);"
            "INSERT INTO \"order\" VALUES (1, 'a'), (2, 'a');"
            "INSERT INTO part VALUES (1, 1), (1, 2), (2, 1);"
            "INSERT INTO mark VALUES (1, 1), (1, 1);"
        )
    joined = 'FROM "order" JOIN part ON "of" = "the id"'
    marked = 'FROM part AS "a p" JOIN mark ON "of" = part_of AND no = part_no'
    with Database(path) as database:
        said = [
            f"{f.code}: {f.hint}"
            for sql, question in (
                (f"SELECT count(*) {joined}", "How many orders?"),
                (f"SELECT name AS n, max(no) {joined} GROUP BY n, part.no", ""),
                (f"SELECT name, max(no) {joined} GROUP BY name", "What is it for each  name?"),
                (f"SELECT name {joined} GROUP BY name", ""),
                (f"SELECT count(*) {marked}", "How many parts?"),
            )
            for f in diagnose_result(
                sql, None, database.schema, database.execute, question=question
            )
        ]
    assert said == [
        'counted-twice: write COUNT(DISTINCT "order"."the id") to count each once',
        'merged-names: group by "order"."the id" as well',
        'counted-twice: count the rows of SELECT DISTINCT "a p".of, "a p".no to count each once',
    ]


def test_aliases_are_written_without_quotes_where_quotes_mind_the_case(shop: Database) -> None:
    asked: list[str] = []

    def note(sql: str) -> object:
        asked.append(sql)
        return shop.execute("SELECT 1, 1")

    sql = (
        "SELECT T1.name, count(*) FROM dim AS T1 JOIN fact AS T2 ON dim_id = T1.id GROUP BY T1.name"
    )
    schema = replace(shop.schema, dialect="postgres")
    found = diagnose_result(sql, None, schema, note, question="How many dims?")  # type: ignore[arg-type]
    assert {"merged-names", "counted-twice"} <= {f.code for f in found}
    assert asked
    assert all('"T1"' not in said for said in asked)
    assert all("LIMIT" in said for said in asked if "JOIN" in said)
