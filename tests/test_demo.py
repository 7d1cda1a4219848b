"""The demo database is as described, the same each time, and its questions have answers."""

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

DEMO = Path(__file__).parents[1] / "examples" / "demo"
QUESTIONS = [
    json.loads(line) for line in (DEMO / "questions.jsonl").read_text("utf-8").splitlines()
]


def make(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEMO / "make_database.py"), str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def demo_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.sqlite"
    made = make(path)
    assert made.returncode == 0, made.stderr
    return path


@pytest.fixture
def demo(demo_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{demo_path}?mode=ro", uri=True)) as connection:
        yield connection


def names(demo: sqlite3.Connection, kind: str) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = ?"
    return [name for (name,) in demo.execute(sql, (kind,))]


def test_it_has_ten_tables_and_fifty_thousand_rows(demo: sqlite3.Connection) -> None:
    tables = names(demo, "table")
    rows = [demo.execute(f'SELECT COUNT(*) FROM "{t}"').fetchone()[0] for t in tables]
    assert len(tables) >= 10
    assert min(rows) > 0
    assert sum(rows) >= 50_000


def test_foreign_keys_hold(demo: sqlite3.Connection) -> None:
    assert demo.execute("PRAGMA foreign_key_check").fetchall() == []


def test_each_table_is_related_to_another(demo: sqlite3.Connection) -> None:
    related = set()
    for table in names(demo, "table"):
        for key in demo.execute(f'PRAGMA foreign_key_list("{table}")'):
            related |= {table, key[2]}
    assert related == set(names(demo, "table"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM customer WHERE city = 'BERLIN'",
        "SELECT 1 FROM customer WHERE city = 'Berlin'",
        "SELECT 1 FROM customer WHERE city LIKE '% '",
        "SELECT 1 FROM customer WHERE credit_limit IS NULL",
        "SELECT 1 FROM customer WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
        "SELECT 1 FROM orders WHERE order_date LIKE '2024-__-__'",
        "SELECT 1 FROM payment WHERE paid_on LIKE '__.__.2024'",
        "SELECT 1 FROM employee WHERE manager_id IS NULL",
        "SELECT 1 FROM price_list WHERE \"group\" = 'A'",
        "SELECT 1 FROM product_supplier GROUP BY product_id HAVING COUNT(*) > 1",
        "SELECT 1 FROM v_order_total WHERE total > 0",
    ],
)
def test_it_is_as_untidy_as_described(demo: sqlite3.Connection, sql: str) -> None:
    assert demo.execute(sql).fetchone() == (1,)


def test_the_same_seed_gives_the_same_file(demo_path: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again.sqlite", tmp_path / "other.sqlite"
    make(again)
    make(other, "--seed", "8")
    first, second, third = (
        hashlib.sha256(p.read_bytes()).hexdigest() for p in (demo_path, again, other)
    )
    assert first == second
    assert first != third


@pytest.mark.parametrize("question", QUESTIONS, ids=[q["id"] for q in QUESTIONS])
def test_gold_sql_gives_an_answer(demo: sqlite3.Connection, question: dict[str, str]) -> None:
    rows = demo.execute(question["sql"]).fetchall()
    assert rows
    assert all(value not in (None, 0, "") for row in rows for value in row)


def test_there_are_five_complete_questions() -> None:
    assert len(QUESTIONS) == 5
    assert all(set(q) == {"id", "question", "evidence", "sql"} for q in QUESTIONS)


def test_descriptions_name_what_exists(demo: sqlite3.Connection) -> None:
    described = yaml.safe_load((DEMO / "descriptions.yaml").read_text("utf-8"))["tables"]
    assert set(described) == {*names(demo, "table"), *names(demo, "view")}
    for table, text in described.items():
        columns = {row[1] for row in demo.execute(f'PRAGMA table_info("{table}")')}
        assert set(text.get("columns", {})) <= columns, table


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    made = make(tmp_path / "no-folder" / "demo.sqlite")
    assert made.returncode == 1
    assert made.stderr.count("\n") == 1
    assert "was not written" in made.stderr


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    (tmp_path / "demo.sqlite").mkdir()
    assert make(tmp_path / "demo.sqlite").returncode == 1
    assert [p.name for p in tmp_path.iterdir()] == ["demo.sqlite"]
