"""Time of guard and policy for one statement, in milliseconds: median and 99th percentile.

    python benchmarks/policy.py

The statements are those of tests/fixtures/policy.txt that may run, and three longer ones; each is
taken 20 times. ``policy`` is the rewriting alone; ``in all`` is what a statement waits for before
it reaches the database: guard, rewriting, and the guard again on what was rewritten.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from macsql.database import Database
from macsql.errors import DatabaseError

ROUNDS = 20
FIXTURE = Path(__file__).parent.parent / "tests" / "fixtures" / "policy.txt"
SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, email TEXT, ssn TEXT, region TEXT);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer_id INT, total REAL);
CREATE TABLE salary (id INTEGER PRIMARY KEY, customer_id INT, pay INT);
CREATE VIEW v_customer AS SELECT * FROM customer;
CREATE VIEW v_names(who) AS SELECT name FROM v_customer WHERE region <> 'east';
CREATE VIEW v_pay AS SELECT sum(pay) AS pay FROM salary;
"""
POLICY = {
    "roles": {
        "clerk": {
            "tables": {
                "customer": {
                    "hide": ["ssn"],
                    "masks": {"email": "substr(email, 1, 1) || '***'"},
                    "rows": "region = :user_region",
                },
                "*": "all",
                "v_pay": {"trusted": True},
            },
            "hide": ["salary"],
        }
    }
}
LONGER = [
    "SELECT c.region, count(*) AS n, avg(o.total) AS mean FROM customer AS c"
    ' JOIN "order" AS o ON o.customer_id = c.id WHERE o.total > (SELECT avg(total) FROM "order")'
    " AND c.name LIKE 'A%' GROUP BY c.region HAVING count(*) > 2 ORDER BY n DESC LIMIT 10",
    'WITH best AS (SELECT customer_id, sum(total) AS s FROM "order" GROUP BY 1), '
    "north AS (SELECT * FROM customer WHERE region = 'north') "
    "SELECT n.name, b.s FROM north AS n JOIN best AS b ON b.customer_id = n.id "
    'WHERE EXISTS (SELECT 1 FROM "order" AS o WHERE o.customer_id = n.id AND o.total > 5) '
    "UNION SELECT who, 0 FROM v_names ORDER BY 2 DESC",
    "SELECT name, CASE WHEN region IN ('north', 'south') THEN 'land' ELSE 'sea' END AS part, "
    "row_number() OVER (PARTITION BY region ORDER BY id) FROM v_customer",
]


def main() -> None:
    """Print the three lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SHOP)
        database = Database(path, policy=POLICY, role="clerk", parameters={"user_region": "north"})
        statements = [sql for sql in [*of_the_fixture(), *LONGER] if runs(database, sql)]
        report("policy", statements, database._backend.access.rewrite)
        report("in all", statements, database.rewritten)
        report("in all, longer ones", LONGER, database.rewritten)


def of_the_fixture() -> list[str]:
    """The statements of the tests."""
    blocks = FIXTURE.read_text(encoding="utf-8").split("\n\n")
    return [b.split("\n=> ")[0] for b in blocks if "\n=> " in b]


def runs(database: Database, sql: str) -> bool:
    """Whether the statement is allowed."""
    try:
        database.rewritten(sql)
    except DatabaseError:
        return False
    return True


def report(what: str, statements: list[str], way: Callable[[str], object]) -> None:
    """Take every statement through ``way``, and print how long it took."""
    taken = []
    for sql in statements * ROUNDS:
        began = time.process_time_ns()
        way(sql)
        taken.append((time.process_time_ns() - began) / 1e6)
    high = statistics.quantiles(taken, n=100)[98]
    print(
        f"{what:20} {len(statements):3} statements: median {statistics.median(taken):.2f} ms, "
        f"99th percentile {high:.2f} ms"
    )


if __name__ == "__main__":
    main()
