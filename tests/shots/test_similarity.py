"""What of a question and of SQL is compared, and which questions are close."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.shots.shape import shape_of
from macsql.shots.similarity import QuestionIndex, mask

MASKED = [
    ("How many singers do we have?", "how number _ do _ have"),
    ("What is the number of singers?", "what is the number of _"),
    ("List the names of all singers above 30 years.", "what the name of all _ more NUM time"),
    ("Show the titles of songs by 'The Lost Band'", "what the _ of _ by TEXT"),
    ("Which city has the most concerts?", "what _ have the most _"),
    ("Find the oldest and the youngest player's names.", "what the highest and the lowest _ name"),
    ("Who hasn't got any guests or interests?", "that _ not _ any _ or _"),
    ("", ""),
]
SHAPES = [
    ("SELECT COUNT(*) FROM t", "select count(*) from pupil;"),
    ("SELECT a FROM t WHERE b = 'x'", "SELECT T1.c FROM u AS T1 WHERE T1.d = \"it''s\""),
    ("SELECT a FROM t WHERE b > 5", "SELECT a FROM t WHERE b > 7.5 -- more"),
    ("SELECT a FROM t ORDER BY b LIMIT 1", "SELECT a FROM t ORDER BY b ASC LIMIT 3"),
    ("SELECT a.x FROM a JOIN b ON a.i = b.i", "SELECT x FROM a AS p INNER JOIN b q ON p.i = q.j"),
    ("SELECT a FROM t WHERE b != 1", "SELECT a FROM t WHERE b <> 2"),
    ("SELECT CAST(a AS REAL) / b FROM t", "SELECT CAST(c AS FLOAT) / d AS share FROM u"),
    ("SELECT [a b] FROM `t u`", "SELECT a FROM t"),
]
APART = [
    ("SELECT a FROM t", "SELECT a, b FROM t"),
    ("SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ("SELECT COUNT(a) FROM t", "SELECT COUNT(*) FROM t"),
    ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
    ("SELECT a FROM t", "SELECT a FROM t JOIN u ON t.i = u.i"),
]


@pytest.mark.parametrize(("question", "masked"), MASKED)
def test_the_words_that_ask_stay(question: str, masked: str) -> None:
    assert " ".join(mask(question)) == masked


@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_names_values_and_aliases_are_no_part_of_the_shape(one: str, other: str) -> None:
    assert shape_of(one) == shape_of(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_is_built_otherwise_has_another_shape(one: str, other: str) -> None:
    assert shape_of(one) != shape_of(other)


@given(st.text())
def test_any_text_has_a_shape_and_a_mask(text: str) -> None:
    assert "\n" not in shape_of(text)
    assert QuestionIndex([text, "Who?"]).nearest(text, 5) is not None


QUESTIONS = [
    "How many singers are there?",
    "Which country has the most singers?",
    "What is the average age of singers?",
    "Show the names of singers who have not given a concert.",
]


@pytest.mark.parametrize(
    ("question", "closest"),
    [
        ("How many harbours do we have?", 0),
        ("Which supplier delivers the most parts?", 1),
        ("Give me the mean price of the parts.", 2),
        ("List parts that were never delivered.", 3),
    ],
)
def test_the_closest_question_asks_for_the_same_kind_of_thing(question: str, closest: int) -> None:
    assert QuestionIndex(QUESTIONS).nearest(question, 1)[0][1] == closest


def test_of_equal_questions_the_one_about_the_same_things_is_closer() -> None:
    index = QuestionIndex(["How many ports are there?", "How many books are there?"])
    assert [n for _, n in index.nearest("How many new books are there?", 2)] == [1, 0]


def test_a_question_is_as_close_to_itself_as_can_be() -> None:
    index = QuestionIndex(QUESTIONS)
    for number, question in enumerate(QUESTIONS):
        similarity, closest = index.nearest(question, 1)[0]
        assert closest == number
        assert similarity == pytest.approx(1.0)


def test_what_is_left_out_does_not_come() -> None:
    found = QuestionIndex(QUESTIONS).nearest("How many singers are there?", 9, leave_out={0})
    assert 0 not in {number for _, number in found}
