from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from macsql.database import Database
from macsql.llm import ScriptedLLM
from macsql.message import Message
from macsql.pipeline import Pipeline
from macsql.prompts import PromptSet


@pytest.fixture
def database(school_db: Path) -> Iterator[Database]:
    with Database(school_db, timeout=5) as opened:
        yield opened


@pytest.fixture
def answer(database: Database) -> Callable[..., Message]:
    """Run the three agents with a model that gives these replies; the question hardly matters.

    No second opinion is asked for, unless ``candidates`` says so.
    """

    def run(*replies: str, question: str = "Which pupils are there?", **options: object) -> Message:
        model = ScriptedLLM(list(replies))
        pipeline = Pipeline.of(model, **{"candidates": 1, **options})  # type: ignore[arg-type]
        return pipeline.run(question, database)

    return run


@pytest.fixture
def prompts() -> PromptSet:
    return PromptSet.load("default")
