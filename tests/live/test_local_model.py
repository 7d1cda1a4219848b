"""Real questions, the real local model, a real database. Run with ``pytest --live``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.llm import open_model
from macsql.llm.base import LLM
from macsql.pipeline import Pipeline

pytestmark = pytest.mark.live

QUESTIONS = [
    ("How many pupils are there?", {(5,)}),
    ("What are the names of the schools founded after 1960?", {("Lake School",), ("New School",)}),
    ("What is the average age of all pupils?", {(13.5,)}),
    ("Show the titles of the courses in the group 'science'.", {("Maths",), ("Physics",)}),
    ("Which pupils go to the school in Paris? Show their first names.", {("Cai",), ("Dan",)}),
]


@pytest.fixture(scope="module")
def model() -> LLM:
    return open_model("local")


@pytest.fixture
def database(school_db: Path) -> Iterator[Database]:
    with Database(school_db) as opened:
        yield opened


@pytest.mark.parametrize(("question", "rows"), QUESTIONS)
def test_a_real_question(
    question: str, rows: set[tuple[object, ...]], model: LLM, database: Database
) -> None:
    message = Pipeline.of(model).run(question, database)
    assert message.error == ""
    assert message.result is not None
    assert set(message.result.rows) == rows


def test_a_second_question_does_not_read_the_schema_again(model: LLM, database: Database) -> None:
    pipeline = Pipeline.of(model)
    pipeline.run("How many schools are there?", database)
    usage = pipeline.run("How many courses are there?", database).usage
    assert usage.cached_tokens > 0.8 * usage.input_tokens


def test_the_same_question_gets_the_same_answer(model: LLM, database: Database) -> None:
    pipeline = Pipeline.of(model)
    answers = {pipeline.run("Who is the oldest pupil?", database).sql for _ in range(3)}
    assert len(answers) == 1
