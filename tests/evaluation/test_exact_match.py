"""Exact match: one pair of queries for each rule and each oddity of the official script."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.database import Database
from macsql.evaluation.clauses import ColumnUse, Condition, Conditions, OrderBy, Query, Term
from macsql.evaluation.clauses_reader import Unreadable, read_clauses
from macsql.evaluation.clauses_text import words
from macsql.evaluation.exact_match import ExactMatcher, Match
from macsql.evaluation.exact_match_keys import schema_keys, spider_keys
from macsql.evaluation.exact_match_scores import CLAUSE_SCORES
from macsql.evaluation.hardness import hardness
from macsql.schema import Column, ForeignKey, Schema, Table

DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")


def table(name: str, columns: str, **keys: ForeignKey) -> Table:
    owned = tuple(keys.values())
    return Table(name, tuple(Column(c, "") for c in columns.split()), foreign_keys=owned)


SCHEMA = Schema(
    "sqlite",
    (
        table("Author", "id Name born city editor_value"),
        table(
            "Book", "id title author_id year pages", a=ForeignKey(("author_id",), "Author", ("id",))
        ),
        table("loan", "book_id day", b=ForeignKey(("book_id",), "Book", ("id",))),
        table("prize", "author_id year", a=ForeignKey(("author_id",), "Author", ("id",))),
        Table("v_old", (Column("title", ""),), is_view=True),
    ),
)
MATCHER = ExactMatcher(SCHEMA)
JOIN = "FROM author AS T1 JOIN book AS T2 ON T1.id = T2.author_id"


def pairs() -> list[tuple[str, str, str, str]]:
    """Rule, verdict, gold and prediction of every block of the fixture."""
    text = (Path(__file__).parents[1] / "fixtures" / "exact_match.txt").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in text.split("\n\n")[1:]]
    return [(*head.rsplit(": ", 1), gold, predicted) for head, gold, predicted in blocks]


UNREADABLE = [
    ("", "too early"),
    ("SELECT", "from not found"),
    ("SELECT 1", "from not found"),
    ("DELETE FROM author", "select expected"),
    ("SELECT name FROM nobody", "no table nobody"),
    ("SELECT title FROM v_old", "no table v_old"),
    ("SELECT nothing FROM author", "no column nothing"),
    ("SELECT T9.name FROM author", "no column t9.name"),
    ('SELECT "name" FROM author', "no column"),
    ("SELECT `name` FROM author", "no column `"),
    ("SELECT count(*) AS n FROM author", "no column as"),
    ("SELECT T1.* FROM author AS T1", "no column t1."),
    ("SELECT round(avg(born)) FROM author", "no column round"),
    ("SELECT sum(born) / count(*) FROM author", "no column /"),
    ("SELECT max(born, id) FROM author", ") expected, not ,"),
    ("SELECT name FROM author T1", "no table t1"),
    ("SELECT name FROM author, book", "no table ,"),
    ("SELECT name FROM author INNER JOIN book", "no table inner"),
    ("SELECT name FROM author AS book", "alias book is the name of a table"),
    ("SELECT count(*) FROM (SELECT id FROM author) AS t", "no table as"),
    ("SELECT name FROM (SELECT name FROM author)", "no column name"),
    ("SELECT name FROM author WHERE born <> 1", "no column >"),
    ("SELECT name FROM author WHERE born=1", "no column born=1"),
    ("SELECT name FROM author WHERE born IS NOT NULL", "no column not"),
    ("SELECT name FROM author WHERE born IN (1,2)", "no column 1,2"),
    ("SELECT name FROM author WHERE born IN (1, 2)", ") expected"),
    ("SELECT name FROM author WHERE EXISTS (SELECT id FROM book)", "no column exists"),
    ("SELECT name FROM author WHERE (born = 1 OR id = 2)", ") expected"),
    ("SELECT name FROM author WHERE name = 'it''s'", "no column"),
    ("SELECT name FROM author WHERE name = 'it", "quote is left open"),
    ("SELECT name FROM author WHERE born > 1 COLLATE nocase", "followed by collate"),
    ("SELECT name FROM author UNION ALL SELECT title FROM book", "select expected, not all"),
    ("SELECT name FROM author LIMIT", "too early"),
    ("SELECT name FROM author GROUP city", "by expected"),
    ("SELECT name FROM author AS", "nothing follows AS"),
    ("SELECT editor_value FROM author", "no column editor_1"),
    ("SELECT id FROM book UNION " * 60 + "SELECT id FROM book", "too deeply"),
]


@pytest.mark.parametrize(
    ("verdict", "gold", "predicted"), [p[1:] for p in pairs()], ids=[p[0] for p in pairs()]
)
def test_each_rule_by_a_pair_of_queries(verdict: str, gold: str, predicted: str) -> None:
    match = MATCHER.match(gold, predicted)
    assert (match.em, match.unparsed) == (verdict == "same", False)
    assert tuple(match.partial) == CLAUSE_SCORES
    wrong = [name for name, score in match.partial.items() if score == 0.0]
    assert wrong == ([] if verdict in ("same", "FROM") else verdict.split(", "))


def test_the_form_of_the_text_makes_no_difference() -> None:
    gold = "SELECT name FROM author WHERE born > 1"
    for predicted in ("select  NAME\nfrom AUTHOR\n  where Born>2 ;", f"{gold}\tlibrary\tx"):
        assert MATCHER.match(gold, predicted) == Match(True, dict.fromkeys(CLAUSE_SCORES, 1.0))


@pytest.mark.parametrize(("predicted", "reason"), UNREADABLE)
def test_what_cannot_be_read_counts_as_an_empty_query(predicted: str, reason: str) -> None:
    match = MATCHER.match("SELECT name FROM author", predicted)
    assert (match.em, match.unparsed) == (False, True)
    assert (match.partial["select"], match.partial["where"]) == (0.0, 1.0)
    assert reason in match.reason


def test_a_gold_query_that_cannot_be_read_has_no_verdict() -> None:
    match = MATCHER.match("SELECT name AS n FROM author", "SELECT name FROM author")
    assert match == Match(None)
    assert MATCHER.match("SELECT CASE", "SELECT CASE").em is None


def test_only_a_prediction_loses_the_word_value() -> None:
    gold = "SELECT editor_value FROM author"
    assert MATCHER.match(gold, gold).em is False
    assert MATCHER.match(gold, "SELECT EDITOR_VALUE FROM author").em is True


def test_keys_are_the_same_only_where_the_outer_query_names_their_table() -> None:
    assert MATCHER.match("SELECT id FROM author", "SELECT author_id FROM book").em is False
    inner = "SELECT name FROM author WHERE id IN (SELECT {} FROM author JOIN book)"
    assert MATCHER.match(inner.format("author.id"), inner.format("book.author_id")).em is False
    union = f"SELECT T1.id {JOIN} UNION SELECT {{}} FROM author JOIN book"
    assert MATCHER.match(union.format("author.id"), union.format("book.author_id")).em is True


def test_keys_can_come_from_elsewhere() -> None:
    gold, predicted = f"SELECT T1.id {JOIN}", f"SELECT T2.author_id {JOIN}"
    assert ExactMatcher(SCHEMA, key_groups=[]).match(gold, predicted).em is False
    groups = [["book.author_id", "author.id"]]
    assert ExactMatcher(SCHEMA, key_groups=groups).match(gold, predicted).em is True


def test_key_groups_of_a_schema_start_with_the_first_column() -> None:
    groups = [["author.id", "book.author_id", "prize.author_id"], ["book.id", "loan.book_id"]]
    assert schema_keys(SCHEMA) == groups


def test_key_groups_of_the_official_form_are_put_together_pair_by_pair() -> None:
    entry = {
        "table_names_original": ["A", "B"],
        "column_names_original": [[-1, "*"], [0, "x"], [0, "y"], [1, "Z"], [1, "w"]],
        "foreign_keys": [[3, 1], [4, 2], [2, 3]],
    }
    # The last pair touches both groups and goes to the first; they stay two, as officially.
    assert spider_keys(entry) == [["a.x", "a.y", "b.z"], ["a.y", "b.w"]]


def test_clauses_are_resolved_and_typed() -> None:
    query = read_clauses(
        "SELECT T1.Name, count(*) FROM Author AS T1 JOIN Book AS T2 ON T1.id = T2.author_id "
        "WHERE T2.year NOT IN (SELECT DISTINCT born FROM author) GROUP BY city "
        "ORDER BY max(pages) - min(pages) DESC LIMIT 3",
        SCHEMA,
    )
    column = ColumnUse("", "author.name")
    assert [(s.aggregate, s.term.left.column) for s in query.select] == [
        ("", "author.name"),
        ("count", "*"),
    ]
    assert query.select[0].term == Term(column)
    assert query.sources == ("author", "book")
    joined = Condition(Term(ColumnUse("", "author.id")), "=", ColumnUse("", "book.author_id"))
    assert query.joins == Conditions((joined,))
    inner = query.where.terms[0]
    assert (inner.operator, inner.negated) == ("in", True)
    assert isinstance(inner.value, Query)
    assert inner.value.distinct
    assert query.nested == (inner.value,)
    assert query.group_by == (ColumnUse("", "author.city"),)
    spread = Term(ColumnUse("max", "book.pages"), "-", ColumnUse("min", "book.pages"))
    assert (query.order_by, query.limit) == (OrderBy("desc", (spread,)), True)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("a=1 b>=2 c >= 3", ["a=1", "b", ">", "=2", "c", ">=", "3"]),
        ("IN (1,2, 'x')", ["in", "(", "1,2", ",", '"x"', ")"]),
        ("T1.Name<>'A B'", ["t1.name", "<", ">", '"A B"']),
        ("x LIKE'a'", ["x", "like__text_6__"]),
        ("count(*)-1.5;", ["count", "(", "*", ")", "-1.5", ";"]),
        ("limit 5.", ["limit", "5", "."]),
        ("```sql", ["``", "`", "sql"]),
        ('"', None),
    ],
)
def test_words(sql: str, expected: list[str] | None) -> None:
    assert words(sql) == expected


SQL_WORDS = re.findall(
    r"\S+",
    "select distinct from where group by having order limit join on as and or not in between like "
    "union except intersect ( ) , ; * + - = != > max count asc desc 1 'x' \" author book T1 T2 "
    "name born id title year t1.id T2.author_id author.id",
)


@given(st.one_of(st.text(), st.lists(st.sampled_from(SQL_WORDS), max_size=40).map(" ".join)))
def test_any_text_gets_a_verdict_and_matches_itself_if_it_can_be_read(text: str) -> None:
    assert MATCHER.match("SELECT name FROM author", text).em in (True, False)
    match = MATCHER.match(text.replace("value", "x"), text.replace("value", "x"))
    if "\t" not in text.strip():
        assert match.em is (None if match.unparsed else True)


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Queries that the official parser can read."""
    column = st.sampled_from(["id", "name", "born", "author.city"])
    term = st.one_of(column, column.map("max({})".format), st.just("count(*)"))
    sql = "SELECT " + ", ".join(draw(st.lists(term, min_size=1, max_size=3))) + " FROM author"
    conditions = draw(st.lists(st.tuples(column, st.sampled_from(["=", "<", "NOT LIKE"]))))
    if conditions:
        glue = draw(st.sampled_from([" AND ", " OR "]))
        sql += " WHERE " + glue.join(f"{c} {operator} 'v'" for c, operator in conditions)
    for clause in ("GROUP BY", "ORDER BY"):
        if draw(st.booleans()):
            sql += f" {clause} {draw(column)}"
    return sql + draw(st.sampled_from(["", " LIMIT 1", " UNION SELECT id FROM book"]))


@given(queries(), queries())
def test_exact_match_is_reflexive_and_symmetric(one: str, other: str) -> None:
    assert MATCHER.match(one, one) == Match(True, dict.fromkeys(CLAUSE_SCORES, 1.0))
    assert MATCHER.match(one, other) == MATCHER.match(other, one)


def test_reading_raises_its_own_error() -> None:
    with pytest.raises(Unreadable, match="no table nobody"):
        read_clauses("SELECT name FROM nobody", SCHEMA)


needs_data = pytest.mark.skipif(
    not (DATA / "verdicts").is_dir(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)
FOLDERS = {"spider": ("spider/database", "spider/tables.json"),
           "bird": ("bird/dev_databases", "bird/dev_tables.json")}  # fmt: skip
RUNS = sorted(f.name for f in (DATA / "verdicts").glob("spider_*.jsonl"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def official() -> "Official":
    return Official()


class Official:
    """Matchers and schemas of the benchmark databases, made when first asked for."""

    def __init__(self) -> None:
        self.questions = json.loads((DATA / "spider" / "dev.json").read_text(encoding="utf-8"))
        self.schemas: dict[str, Schema] = {}
        self.matchers: dict[str, ExactMatcher] = {}
        self.entries = {
            entry["db_id"]: entry
            for _, tables in FOLDERS.values()
            for entry in json.loads((DATA / tables).read_text(encoding="utf-8"))
        }

    def verdict(self, db_id: str, gold: str, sql: str, kind: str = "spider") -> tuple[object, ...]:
        if db_id not in self.schemas:
            with Database(DATA / FOLDERS[kind][0] / db_id / f"{db_id}.sqlite") as database:
                self.schemas[db_id] = database.schema
            keys = spider_keys(self.entries[db_id])
            self.matchers[db_id] = ExactMatcher(self.schemas[db_id], key_groups=keys)
        match = self.matchers[db_id].match(gold, sql)
        return match.em, match.unparsed, hardness(gold, self.schemas[db_id])


@needs_data
@pytest.mark.parametrize("run", RUNS)
def test_every_official_verdict_on_published_predictions(official: Official, run: str) -> None:
    predictions, verdicts = lines(DATA / "predictions" / run), lines(DATA / "verdicts" / run)
    assert len(predictions) == len(verdicts) == len(official.questions) == 972
    for question, line, said in zip(official.questions, predictions, verdicts, strict=True):
        unread = "not parsed by the official parser" in str(said["error"])
        ours = official.verdict(question["db_id"], question["query"], str(line["sql"]))
        assert ours == (said["em"], unread, said["hardness"]), (question["query"], line["sql"])


@needs_data
def test_every_official_verdict_on_edge_cases(official: Official) -> None:
    cases = lines(DATA / "verdicts" / "edge_cases.jsonl")
    assert len(cases) == 73
    for case in cases:
        db_id, gold, sql, kind = (str(case[k]) for k in ("db_id", "gold", "pred", "set"))
        em, unread, hard = official.verdict(db_id, gold, sql, kind)
        assert (em, hard) == (case["em"], case["hardness"]), case
        if em is not None:
            said = case["error"] if isinstance(case["error"], dict) else {}
            assert unread is ("prediction not parsed" in said.get("em", "")), case
