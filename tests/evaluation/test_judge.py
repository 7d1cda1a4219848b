"""One prediction judged: every field of the verdict, by each rule."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.errors import DatabaseError, ResultTooLarge
from macsql.evaluation.example import Example
from macsql.evaluation.judge import Judge, judge, unknown_names
from macsql.evaluation.verdict import Verdict

ROWS = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
INSERT INTO singer VALUES
    (1, 'Ann', 'France', 30), (2, 'Bob', 'France', 41), (3, 'Cem', 'Peru', 41);
CREATE TABLE concert (id INTEGER, singer_id INTEGER REFERENCES singer(id), year INTEGER);
INSERT INTO concert VALUES (1, 1, 2014), (2, 3, 2015);
"""


def database(path: Path, more: str = "") -> str:
    connection = sqlite3.connect(path)
    connection.executescript(ROWS + more)
    connection.close()
    return str(path)


@pytest.fixture(scope="module")
def shows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("judge") / "shows.sqlite"
    bad = "INSERT INTO singer VALUES (4, CAST(x'636166e9' AS TEXT), 'Chad', 20);"
    before = Path(database(path, bad)).read_bytes()
    yield str(path)
    assert path.read_bytes() == before


def judged(shows: str, rule: str, gold: str, sql: str) -> Verdict:
    return judge(Example("7", "?", gold, shows, "shows"), sql, rule=rule)


ALL = "SELECT name FROM singer WHERE id < 4"
IDS = "SELECT id FROM singer"
OLDEST = f"{IDS} ORDER BY age DESC"
CASES = "SELECT n FROM (SELECT 'ann' AS n UNION ALL SELECT 'Ann')"
BLANKS = "SELECT n FROM (SELECT 'ann ' AS n UNION ALL SELECT 'ann')"
NAMED = "SELECT n COLLATE NOCASE AS m FROM (SELECT 'b' AS n UNION ALL SELECT 'B') ORDER BY m"
BOTH = "SELECT n FROM (SELECT 'b' AS n UNION SELECT 'B') ORDER BY n DESC"
TOP = "SELECT age FROM singer ORDER BY age DESC LIMIT 1"

# rule, gold, prediction, ex, strict
VERDICTS = [
    ("spider", ALL, "select NAME from SINGER where id < 4 ;", True, True),
    ("spider", ALL, f"{ALL} ORDER BY name DESC", True, True),
    ("spider", f"{ALL} ORDER BY name", f"{ALL} ORDER BY name DESC", False, False),
    ("bird", f"{ALL} ORDER BY name", f"{ALL} ORDER BY name DESC", True, False),
    # DISTINCT goes from both sides.
    ("spider", "SELECT DISTINCT country FROM singer", "SELECT country FROM singer", True, False),
    ("bird", "SELECT DISTINCT country FROM singer", "SELECT country FROM singer", True, False),
    ("spider", "SELECT country FROM singer", "SELECT DISTINCT country FROM singer", True, False),
    # Columns in another order.
    ("spider", "SELECT id, age FROM singer", "SELECT age, id FROM singer", True, True),
    ("bird", "SELECT id, age FROM singer", "SELECT age, id FROM singer", False, False),
    # Repaired by Spider's script, which runs nothing else as it is written.
    ("spider", f"{IDS} WHERE age >= 41", f"{IDS} WHERE age > = 41", True, False),
    ("spider", "SELECT max(age) FROM singer", "SELECT max(age) AS value FROM singer", False, True),
    ("spider", ALL, f"{ALL}; SELECT 2", True, False),
    ("bird", ALL, f"{ALL}; SELECT 2", False, False),
    ("spider", ALL, f"{ALL}\tshows", True, False),
    ("bird", ALL, f"{ALL}\t----- bird -----\tshows", True, True),
    # Two singers of 41: their order, and which of them a LIMIT leaves, is nobody's fault.
    ("spider", f"{IDS} ORDER BY age", f"{IDS} ORDER BY age, id DESC", False, True),
    ("spider", f"{OLDEST} LIMIT 1", f"{OLDEST}, id DESC LIMIT 1", False, True),
    ("bird", f"{OLDEST} LIMIT 1", f"{OLDEST}, id DESC LIMIT 1", False, True),
    ("bird", f"{OLDEST} LIMIT 1", f"{IDS} ORDER BY age LIMIT 1", False, False),
    # A tie is what ORDER BY takes for one.
    ("bird", f"{CASES} ORDER BY n COLLATE NOCASE", f"{CASES} ORDER BY n", True, True),
    ("bird", f"{CASES} ORDER BY n COLLATE NOCASE LIMIT 1", "SELECT 'Ann'", False, True),
    ("bird", "SELECT 'b' AS n UNION SELECT 'B' ORDER BY n COLLATE NOCASE", BOTH, True, True),
    ("bird", NAMED, BOTH, True, True),
    ("bird", f"{BLANKS} ORDER BY n COLLATE RTRIM", f"{BLANKS} ORDER BY n", True, True),
    ("bird", f"{CASES} ORDER BY n", f"{CASES} ORDER BY n COLLATE NOCASE", True, False),
    ("bird", f"{CASES} ORDER BY n COLLATE RTRIM", f"{CASES} ORDER BY n DESC", True, False),
    # The words ORDER BY inside only: the order counts for Spider's script alone.
    ("spider", f"{IDS} WHERE age = ({TOP})", f"{IDS} WHERE age = 41 ORDER BY id DESC", False, True),
    # Both empty, whatever the columns.
    ("spider", f"{IDS} WHERE id > 9", "SELECT id, age FROM singer WHERE id > 9", True, True),
]


@pytest.mark.parametrize(("rule", "gold", "sql", "ex", "strict"), VERDICTS)
def test_execution(shows: str, rule: str, gold: str, sql: str, ex: bool, strict: bool) -> None:
    verdict = judged(shows, rule, gold, sql)
    assert (verdict.ex, verdict.ex_strict, verdict.gold_error) == (ex, strict, "")


# rule, prediction, kind of error, a part of the message
FAILURES = [
    ("spider", "", "Missing", "no SQL"),
    ("bird", "  \n", "Missing", "no SQL"),
    ("bird", "SELECT nickname FROM singer", "ExecutionError", "no such column: nickname"),
    ("spider", "SELECT FROM FROM", "UnsafeSQLError", ""),
    ("bird", "UPDATE singer SET age = 1", "UnsafeSQLError", "Only queries"),
    ("bird", "PRAGMA table_info(singer)", "UnsafeSQLError", ""),
    ("bird", "ATTACH 'x.db' AS x", "UnsafeSQLError", ""),
    ("bird", "SELECT load_extension('x')", "UnsafeSQLError", "load_extension"),
    ("bird", "SELECT name FROM singer WHERE id = 4", "ExecutionError", "UTF-8"),
]


@pytest.mark.parametrize(("rule", "sql", "kind", "message"), FAILURES)
def test_what_cannot_be_judged_says_why(
    shows: str, rule: str, sql: str, kind: str, message: str
) -> None:
    verdict = judged(shows, rule, ALL, sql)
    assert verdict.error_kind == kind
    assert message in verdict.error
    assert (verdict.ex, verdict.ex_strict, verdict.valid) == (False, False, False)
    assert verdict.soft_f1 == (0.0 if rule == "bird" else None)
    assert verdict.error_class


def test_an_answer_without_sql_keeps_its_own_reason(shows: str) -> None:
    example = Example("1", "?", ALL, shows, "shows")
    verdict = Judge("spider").judge(example, "", "The model declined.", "NoSQL")
    assert (verdict.error, verdict.error_kind) == ("The model declined.", "NoSQL")
    assert (verdict.em, verdict.hardness, verdict.error_class) == (False, "easy", "no_sql")
    other = Judge("spider").judge(example, ALL, "The money is spent.", "BudgetExceeded")
    assert (other.ex, other.error) == (True, "")


def test_text_that_is_not_utf_8_is_read_as_each_script_reads_it(shows: str) -> None:
    # Spider's script skips the bytes it cannot decode, so they do not count.
    same = judged(shows, "spider", "SELECT name FROM singer WHERE id = 4", "SELECT 'caf'")
    assert same.ex
    # BIRD's fails on them, in the gold query too.
    gold = judged(shows, "bird", "SELECT name FROM singer", "SELECT name FROM singer")
    assert "UTF-8" in gold.gold_error
    assert not gold.ex


@pytest.mark.parametrize("rule", ["spider", "bird"])
def test_a_gold_query_that_fails_is_reported(shows: str, rule: str) -> None:
    verdict = judged(shows, rule, "SELECT mood FROM singer", ALL)
    assert "no such column" in verdict.gold_error
    assert (verdict.ex, verdict.ex_strict, verdict.valid) == (False, False, True)
    assert (verdict.error, verdict.error_class) == ("", "gold_error")


def test_an_empty_gold_result_is_reported(shows: str) -> None:
    verdict = judged(shows, "spider", f"{ALL} AND id > 9", ALL)
    assert (verdict.gold_empty, verdict.ex, verdict.gold_error) == (True, False, "")
    assert not judged(shows, "spider", ALL, ALL).gold_empty


def test_a_database_that_is_not_there_is_reported(tmp_path: Path) -> None:
    verdict = judged(str(tmp_path / "none.sqlite"), "spider", ALL, ALL)
    assert "does not exist" in verdict.gold_error
    assert verdict.error_kind == "DatabaseUnavailable"
    assert not verdict.ex


def test_the_texts_are_compared_by_spiders_rule_only(shows: str) -> None:
    gold = "SELECT name FROM singer WHERE country = 'France'"
    verdict = judged(shows, "spider", gold, "SELECT name FROM singer WHERE country = 'Peru'")
    assert (verdict.ex, verdict.em, verdict.hardness, verdict.difficulty) == (
        False,
        True,
        "easy",
        "easy",
    )
    assert verdict.partial["where"] == 1.0
    assert verdict.gold_columns == ("singer.country", "singer.name")
    assert verdict.error_class == "wrong_value"
    other = judged(shows, "spider", gold, "SELECT name AS n FROM singer")
    assert (other.em, other.unparsed, other.valid) == (False, True, True)
    unread = judged(shows, "spider", "SELECT name FROM singer WHERE name IS NOT NULL", gold)
    assert (unread.em, unread.hardness) == (None, "")
    bird = judged(shows, "bird", gold, gold)
    assert (bird.em, bird.hardness, bird.soft_f1, bird.difficulty) == (None, "", 1.0, "")


def test_difficulty_of_the_benchmark_comes_first(shows: str) -> None:
    example = Example("1", "?", ALL, shows, "shows", difficulty="moderate")
    verdict = judge(example, ALL, rule="spider")
    assert (verdict.difficulty, verdict.hardness) == ("moderate", "easy")


# prediction, names that the schema lacks
UNKNOWN = [
    ("SELECT nickname FROM singer", ("nickname",)),
    (
        "SELECT T1.nickname, T2.x FROM singer AS T1 JOIN concert AS T2",
        ("concert.x", "singer.nickname"),
    ),
    ("SELECT a FROM album", ("album",)),
    ("SELECT year FROM singer", ()),
    ("SELECT country FROM singer JOIN concert", ()),
    ("SELECT (", ()),
]


@pytest.mark.parametrize(("sql", "names"), UNKNOWN)
def test_names_that_the_schema_lacks(shows: str, sql: str, names: tuple[str, ...]) -> None:
    assert unknown_names(sql, Database(shows).read_structure()) == names
    verdict = judged(shows, "spider", ALL, sql)
    assert verdict.unknown_names == (() if verdict.valid else names)


def test_a_test_suite_is_right_only_if_every_database_agrees(tmp_path: Path, shows: str) -> None:
    more = "INSERT INTO singer VALUES (5, 'Dan', 'Mali', 50);"
    other = database(tmp_path / "other.sqlite", more)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database")
    gold, same_here = "SELECT max(age) FROM singer", "SELECT 41"

    def on(*suite: str | Path) -> Verdict:
        suites = tuple(str(path) for path in suite)
        return judge(
            Example("1", "?", gold, shows, "shows", test_suite=suites), same_here, rule="spider"
        )

    assert on().ex
    assert on(shows).ex
    assert (on(shows).ex_strict, on(shows, other).ex, on(shows, other).ex_strict) == (
        True,
        False,
        False,
    )
    assert "broken.sqlite" in on(broken).gold_error


@pytest.mark.parametrize(
    ("gold", "sql", "name"),
    [
        # The same on the first database by chance.
        (
            "SELECT name FROM singer WHERE age = 41",
            "SELECT name FROM singer WHERE id > 1",
            "condition",
        ),
        ("SELECT name FROM singer WHERE age > 45", f"{ALL} AND id > 7", "condition"),
        ("SELECT max(age) FROM singer", "SELECT min(age) + 21 FROM singer", "aggregation"),
        # What differs on another one is the form alone.
        ("SELECT avg(age) FROM singer", "SELECT round(avg(age), 2) FROM singer", "equivalent"),
        (
            "SELECT name FROM singer WHERE age > 45",
            "SELECT name FROM singer WHERE",
            "execution_error",
        ),
    ],
)
def test_a_mistake_that_only_a_test_suite_shows(
    tmp_path: Path, gold: str, sql: str, name: str
) -> None:
    other = database(
        tmp_path / "other.sqlite",
        "INSERT INTO singer VALUES (5, 'Dan', '', 50), (6, 'Eve', '', 49), (7, 'Fay', '', 52);",
    )
    first = database(tmp_path / "first.sqlite", "UPDATE singer SET age = 20 WHERE id = 1;")
    example = Example("1", "?", gold, first, "shows", test_suite=(first, other))
    verdict = judge(example, sql, rule="spider")
    assert (verdict.ex, verdict.error_class) == (False, name)


def test_ves_is_measured_for_right_answers_only(shows: str) -> None:
    timed = Judge("bird", ves_repeats=3)
    example = Example("1", "?", ALL, shows, "shows")
    right = timed.judge(example, ALL)
    assert right.ves is not None
    assert right.ves > 0
    assert right.r_ves in {step**0.5 for step in (1.25, 1.0, 0.75, 0.5, 0.25)}
    assert timed.judge(example, "SELECT 1").ves is None
    assert judge(example, ALL, rule="bird").ves is None


def test_only_what_the_official_scripts_say(shows: str) -> None:
    example = Example("1", "?", ALL, shows, "shows")
    brief = Judge("spider", official_only=True)
    right, wrong = brief.judge(example, ALL), brief.judge(example, "SELECT nickname FROM singer")
    assert (right.ex, right.em, right.hardness, right.ex_strict) == (True, True, "easy", False)
    assert (wrong.unknown_names, wrong.error_class, wrong.gold_columns) == ((), "", ())


def test_a_result_is_read_whole_or_not_at_all(shows: str) -> None:
    whole = Database(shows, max_rows=3, max_cell=1).fetch_all(
        "SELECT id, country FROM singer LIMIT 3"
    )
    assert whole.rows == ((1, "France"), (2, "France"), (3, "Peru"))
    assert not whole.truncated
    for limits in ({"max_rows": 3}, {"max_bytes": 100}):
        with pytest.raises(ResultTooLarge, match="too large"):
            Database(shows, **limits).fetch_all("SELECT id FROM singer")
    with pytest.raises(DatabaseError, match="Only queries"):
        Database(shows).fetch_all("DELETE FROM singer")
