"""Ways around an access policy that were found, or looked for, by thinking as an attacker."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from macsql.database import Database
from macsql.errors import DatabaseError, ExecutionError

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT, region TEXT);
CREATE TABLE sale (id INTEGER PRIMARY KEY, total REAL);
CREATE TABLE salary (id INTEGER PRIMARY KEY, pay INT);
CREATE INDEX by_name ON customer(name);
CREATE INDEX by_ssn ON customer(ssn);
CREATE VIEW v_north AS SELECT name FROM customer WHERE region = 'north';
CREATE VIRTUAL TABLE letter USING fts5(title, body);
INSERT INTO customer VALUES (1, 'Ann', 'ssn-1', 'north'), (2, 'Bob', 'ssn-2', 'south'),
    (3, 'Cy', 'ssn-3', 'north');
INSERT INTO sale VALUES (1, 10), (2, 20);
INSERT INTO salary VALUES (1, 7777);
INSERT INTO letter VALUES ('Hello', 'codeword'), ('Bye', 'nothing');
ANALYZE;
"""
RULES = {
    "customer": {"hide": ["ssn"], "rows": "region = 'north'"},
    "sale": {"columns": ["id", "total"]},
    "letter": {"columns": ["title"]},
    "v_north": {"trusted": True},
}
ATTACKS = (
    "SELECT (SELECT ssn) FROM customer",
    "SELECT 'c'.ssn FROM customer 'c'",
    "SELECT main.customer.ssn FROM customer",
    "SELECT * FROM customer ORDER BY 3, ssn",
    "SELECT name, sum(1) OVER (PARTITION BY ssn) FROM customer",
    "SELECT * FROM json_each((SELECT json_group_array(ssn) FROM customer))",
    "SELECT 1 FROM sale WHERE (id, 'ssn-1') IN (SELECT id, ssn FROM customer)",
    "SELECT 1 FROM sale WHERE (id, 7777) = (SELECT id, pay FROM salary)",
    "SELECT id FROM sale LIMIT (SELECT pay FROM salary)",
    "SELECT id FROM sale ORDER BY (SELECT pay FROM salary)",
    "SELECT * FROM generate_series(1, (SELECT pay FROM salary))",
    "SELECT * FROM sale JOIN (customer AS c JOIN salary) ON 1",
    "SELECT * FROM sale NATURAL JOIN salary",
    "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM salary) SELECT * FROM a",
    "WITH RECURSIVE c(x) AS (SELECT ssn FROM customer UNION SELECT x FROM c) SELECT * FROM c",
    "WITH 'under_policy' AS (SELECT 1) SELECT ssn FROM customer",
    "SELECT under_policy.ssn FROM customer",
    'SELECT customer."rowid" FROM customer',
    "SELECT * FROM sqlite_stat1",
    "SELECT * FROM pragma_index_info('by_ssn')",
    "SELECT title FROM letter WHERE letter MATCH 'codeword'",
    "SELECT title FROM letter('codeword')",
    "SELECT highlight(letter, 1, '', '') FROM letter",
    "SELECT snippet(letter, 1, '', '', '', 9) FROM letter",
    "SELECT rank FROM letter",
    "SELECT * FROM letter_content",
    "SELECT * FROM letter_data",
)
OTHER_SPELLINGS = (
    "'customer'",
    "main.'customer'",
    '"main"."customer"',
    "[main].[customer]",
    "('customer')",
    "(customer)",
    "customer AS 'c'",
    "customer AS under_policy",
    "(SELECT * FROM customer)",
    "customer /* , salary */ AS /* x */ c",
)


@pytest.fixture
def shop(build: Callable[..., Path]) -> Path:
    return build(SHOP)


def opened(shop: Path, tables: dict[str, Any]) -> Database:
    return Database(shop, policy={"roles": {"a": {"tables": tables}}}, role="a")


@pytest.mark.parametrize("sql", ATTACKS)
def test_a_way_to_what_is_hidden_ends_in_an_error_that_tells_nothing(shop: Path, sql: str) -> None:
    with opened(shop, RULES) as database, pytest.raises(DatabaseError) as caught:
        database.execute(sql)
    assert not any(word in str(caught.value) for word in ("ssn-", "7777", "Bob", "codeword"))


@pytest.mark.parametrize("table", OTHER_SPELLINGS)
def test_a_table_spelled_otherwise_is_restricted(shop: Path, table: str) -> None:
    with opened(shop, RULES) as database:
        result = database.execute(f"SELECT * FROM {table}")
    assert result.columns == ("id", "name", "region")
    assert [row[1] for row in result.rows] == ["Ann", "Cy"]


def test_no_error_speaks_of_what_the_policy_wrote(shop: Path) -> None:
    sql = "SELECT nosuch.*, (SELECT max(id) FROM customer) FROM customer AS c"
    with opened(shop, RULES) as database, pytest.raises(ExecutionError) as caught:
        database.execute(sql)
    assert "under_policy" not in str(caught.value)


@pytest.mark.parametrize("source", ["customer", "v_north"])
def test_an_error_is_never_about_a_row_that_is_left_out(shop: Path, source: str) -> None:
    # SQLite would read the names from the index first, and the region of each afterwards.
    sql = f"SELECT 1 FROM {source} WHERE name > 'B' AND json_extract('{{}}', '$[' || name) IS NULL"
    with opened(shop, RULES) as database, pytest.raises(ExecutionError) as caught:
        database.execute(sql)
    assert "Cy" in str(caught.value)


def test_a_column_made_later_is_not_among_those_allowed(shop: Path) -> None:
    with opened(shop, RULES) as database:
        with closing(sqlite3.connect(shop)) as connection:
            connection.execute("ALTER TABLE sale ADD COLUMN margin REAL DEFAULT 7777")
        assert database.execute("SELECT * FROM sale").columns == ("id", "total")
        with pytest.raises(ExecutionError, match="no such column: margin"):
            database.execute("SELECT margin FROM sale")
