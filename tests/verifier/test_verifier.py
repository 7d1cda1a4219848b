"""The verifier expects the statement that answers the question more than one that does not."""

import pytest

from macsql.schema import Schema
from macsql.verifier import Verifier

LOANS = "FROM reader AS r JOIN loan AS l ON l.reader_id = r.reader_id"
PAIRS = [
    (
        "Which town do most readers live in?",
        "SELECT town FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
        "SELECT town, COUNT(*) FROM reader GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    (
        "How many readers are there?",
        "SELECT COUNT(*) FROM reader",
        "SELECT name FROM reader",
    ),
    (
        "List the title and pages of each book.",
        "SELECT title, pages FROM book",
        "SELECT title, SUM(pages) FROM book GROUP BY title",
    ),
    (
        "What are the titles of books that have never been on loan?",
        "SELECT title FROM book WHERE book_id NOT IN (SELECT book_id FROM loan)",
        "SELECT title FROM book AS b JOIN loan AS l ON l.book_id = b.book_id",
    ),
    (
        "Show the languages of books with more than 500 pages and of books with less than 100 pages"
        " alike.",
        "SELECT language FROM book WHERE pages > 500 "
        "INTERSECT SELECT language FROM book WHERE pages < 100",
        "SELECT language FROM book WHERE pages > 500 AND language = 'pages'",
    ),
    (
        "What is the average age of readers in each town?",
        "SELECT town, AVG(age) FROM reader GROUP BY town",
        "SELECT AVG(age) FROM reader",
    ),
    (
        "Show the names of readers in descending order of age.",
        "SELECT name FROM reader ORDER BY age DESC",
        "SELECT name FROM reader ORDER BY age",
    ),
    (
        "Which towns have at least 3 readers?",
        "SELECT town FROM reader GROUP BY town HAVING COUNT(*) >= 3",
        "SELECT town FROM reader WHERE age >= 3",
    ),
    (
        "Give the name of the oldest reader.",
        "SELECT name FROM reader ORDER BY age DESC LIMIT 1",
        "SELECT name, MAX(age) FROM reader GROUP BY name",
    ),
    (
        "Show the name of each reader and the number of loans.",
        f"SELECT r.name, COUNT(*) {LOANS} GROUP BY r.reader_id",
        "SELECT name FROM reader",
    ),
    (
        "What is the language of the book with the most pages?",
        "SELECT language FROM book ORDER BY pages DESC LIMIT 1",
        "SELECT town FROM reader ORDER BY age DESC LIMIT 1",
    ),
]


@pytest.mark.parametrize(("question", "better", "worse"), PAIRS)
def test_what_answers_the_question_is_expected_more(
    library: Schema, question: str, better: str, worse: str
) -> None:
    verifier = Verifier(question, library)
    found, other = verifier.surprise(better), verifier.surprise(worse)
    assert found is not None
    assert other is not None
    assert found.total < other.total


def test_the_answer_of_another_question_is_a_surprise(library: Schema) -> None:
    wins = 0
    for question, better, _ in PAIRS:
        verifier = Verifier(question, library)
        own = verifier.surprise(better)
        assert own is not None
        for _, other, _ in PAIRS:
            found = verifier.surprise(other)
            assert found is not None
            wins += other != better and own.total < found.total
    assert wins >= 0.9 * len(PAIRS) * (len(PAIRS) - 1)


def test_what_is_odd_is_named(library: Schema) -> None:
    found = Verifier("How many readers are there?", library).surprise("SELECT name FROM reader")
    assert found is not None
    assert "selects-count=0" in found.odd


def test_what_cannot_be_read_is_no_surprise(library: Schema) -> None:
    verifier = Verifier("How many readers are there?", library)
    assert verifier.surprise("SELECT FROM WHERE") is None
    assert verifier.alternatives("SELECT FROM WHERE", 0.0) == []


@pytest.mark.parametrize(
    "question", ["", "?", "名前は何ですか", "a " * 5000, "DROP TABLE reader; --"]
)
def test_no_question_is_too_odd(library: Schema, question: str) -> None:
    found = Verifier(question, library).surprise("SELECT name FROM reader")
    assert found is not None
    assert 0 <= found.total < 500


def test_a_schema_without_tables_expects_nothing() -> None:
    found = Verifier("How many readers are there?", Schema("sqlite", ())).surprise("SELECT 1")
    assert found is not None
    assert found.tables == found.used == 0
