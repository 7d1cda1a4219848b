"""Right queries go through the Refiner as they are: nothing is changed, and no model is asked."""

import os
import random
from pathlib import Path
from typing import Any

import pytest

from macsql.agents.refiner import Refiner
from macsql.database import Database
from macsql.errors import DatabaseError
from macsql.evaluation.benchmark import open_benchmark
from macsql.llm.scripted import ScriptedLLM
from macsql.message import Message
from macsql.prompts import PromptSet

DATA = Path(os.environ.get("MACSQL_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
SAMPLE = 60


def refined(sql: str, question: str, database: Database) -> tuple[Message, int]:
    """What the Refiner makes of a query, and how often it asked a model."""
    model = ScriptedLLM(["```sql\nSELECT 'rewritten'\n```"], loop=True)
    message = Message(question, database.schema, sql=sql)
    for _ in Refiner(model, PromptSet.load()).run(message, database):
        pass
    return message, len(model.calls)


def test_valid_statements_are_returned_as_they_are(school_db: Path) -> None:
    text = (Path(__file__).parent / "valid.sql").read_text(encoding="utf-8")
    with Database(school_db) as database:
        for sql in (line for line in text.splitlines() if line.startswith(("SELECT", "WITH"))):
            try:
                database.execute(sql)
            except DatabaseError:
                continue  # refused by the guard: not a question of right or wrong
            message, calls = refined(sql, "Is it right?", database)
            assert message.error == ""
            if message.result and message.result.rows:
                assert (message.sql, calls) == (sql, 0)


@pytest.mark.skipif(
    not (DATA / "spider").is_dir(),
    reason="the benchmark data is not here: set MACSQL_TEST_DATA to its folder",
)
def test_gold_queries_with_rows_are_returned_as_they_are() -> None:
    examples = open_benchmark("spider-train", DATA).examples
    opened: dict[str, Any] = {}
    for example in random.Random(5).sample(examples, SAMPLE):
        database = opened.setdefault(example.database, Database(example.database))
        try:
            rows = database.execute(example.gold_sql).rows
        except DatabaseError:
            continue
        if rows:
            message, calls = refined(example.gold_sql, example.question, database)
            assert (message.sql, calls) == (example.gold_sql, 0)
