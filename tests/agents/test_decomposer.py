"""The Decomposer: direct or by sub-questions, evidence, abstaining, replies without SQL."""

from collections.abc import Callable

import pytest

from macsql.agents import Decomposer
from macsql.database import Database
from macsql.llm import Completion, ScriptedLLM
from macsql.message import Message
from macsql.pipeline import Pipeline
from macsql.prompts import PromptSet

Answer = Callable[..., Message]

STEPS = """Sub-question 1: What is the average mark?
```sql
SELECT AVG(mark) FROM enrolment
```
Sub-question 2: Which pupils are better?
```sql
SELECT pupil_id FROM enrolment WHERE mark < (SELECT AVG(mark) FROM enrolment)
```"""


def prompt_of(
    database: Database, question: str, *, name: str = "default", **options: object
) -> str:
    decomposer = Decomposer(ScriptedLLM([]), PromptSet.load(name), **options)  # type: ignore[arg-type]
    message = Message(question, database.schema, evidence="best means the lowest mark")
    style = options.get("style", "direct")
    conversation = decomposer.prompt(message, style)  # type: ignore[arg-type]
    return "\n".join(m["content"] for m in conversation)


def test_the_last_sub_question_is_the_answer(answer: Answer) -> None:
    message = answer(STEPS)
    assert len(message.sub_questions) == 2
    assert message.sub_questions[0].sql == "SELECT AVG(mark) FROM enrolment"
    assert message.sql.startswith("SELECT pupil_id")
    assert message.result is not None


def test_a_reply_without_sql_is_asked_for_once_more(answer: Answer) -> None:
    message = answer("I am not sure.", "SELECT COUNT(*) FROM pupil")
    assert message.result is not None
    assert message.steps[1].error


def test_two_replies_without_sql_end_the_question(answer: Answer) -> None:
    message = answer("I am not sure.", "Still not.")
    assert (message.sql, message.error_kind) == ("", "ParseError")


def test_a_plain_no_is_an_answer_without_sql(answer: Answer) -> None:
    message = answer("NO SQL: the schema has no states.", question="Which people are in state CA?")
    assert message.error == "No SQL: the schema has no states."
    assert message.error_kind == "NoSQL"


@pytest.mark.parametrize("style", ["direct", "decompose"])
@pytest.mark.parametrize("name", ["default", "paper"])
def test_more_shots_show_more_examples(database: Database, name: str, style: str) -> None:
    lengths = [
        len(prompt_of(database, "How many pupils?", name=name, shots=n, style=style))
        for n in (0, 1, 2)
    ]
    assert lengths[0] < lengths[1] < lengths[2]


def test_evidence_and_focus_stand_beside_the_question(database: Database) -> None:
    text = prompt_of(database, "How many pupils?")
    assert "Evidence: best means the lowest mark" in text
    assert text.index("CREATE TABLE") < text.index("Evidence:") < text.index("How many pupils?")


def test_questions_on_one_database_share_the_beginning(database: Database) -> None:
    model = ScriptedLLM(["SELECT 1"], loop=True)
    for question in ("How many pupils?", "How many schools are in Berlin?"):
        Pipeline.of(model, candidates=1).run(question, database)
    first, second = ("".join(m["content"] for m in call) for call in model.calls)
    shared = next(i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    assert shared > 0.8 * len(first)


def test_a_model_that_was_cut_while_thinking_is_given_more_tokens(database: Database) -> None:
    limits: list[int] = []

    class Thinker(ScriptedLLM):
        def complete(self, messages: object, **options: object) -> list[Completion]:
            limits.append(options["max_tokens"])  # type: ignore[arg-type]
            if len(limits) == 1:
                return [Completion("<think>maybe SELECT 1", finish_reason="length")]
            return [Completion("<think>so</think>SELECT COUNT(*) FROM pupil")]

    message = Pipeline.of(Thinker([])).run("How many pupils?", database)
    assert message.result is not None
    assert message.result.rows == ((5,),)
    assert limits[1] > 4 * limits[0]


def test_a_small_model_is_asked_at_once(database: Database) -> None:
    question = "What percentage of the pupils is older than the average of all?"
    asked = {}
    for name in ("local:tiny-1.5b", "openai:large"):
        model = ScriptedLLM(["SELECT 1"])
        model.name = name
        message = Pipeline.of(model, without=("refiner",)).run(question, database)
        asked[name] = "sub-question" in message.steps[-1].messages[-1]["content"].casefold()
    assert asked == {"local:tiny-1.5b": False, "openai:large": True}
