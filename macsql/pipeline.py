"""The agents in order over one message: ``stream`` yields as it goes, ``run`` goes to the end."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from macsql.agents import Agent, Baseline, Decomposer, Refiner, Selector, Voter
from macsql.agents.voter import NO_LIMIT, Budget
from macsql.database import Database, Progress
from macsql.errors import ConfigError, DatabaseUnavailable, MacSQLError, QuestionError
from macsql.llm import open_model
from macsql.llm.base import LLM
from macsql.message import Message, Step
from macsql.prompts import Count, PromptSet, PruneRule, Style
from macsql.schema import Schema
from macsql.shots import BUILTIN, FIXED, ExampleStore, open_examples

LINKING, REPAIR = "linking", "repair"
MAX_QUESTION = 10_000
"""Characters of a question, and of its evidence."""

_SMALL_TALK = frozenset(
    [
        "bye",
        "cheers",
        "goodbye",
        "great",
        "hello",
        "hey",
        "hi",
        "nice",
        "no",
        "ok",
        "okay",
        "please",
        "sure",
        "test",
        "thank",
        "thanks",
        "thx",
        "very",
        "much",
        "you",
        "good",
        "morning",
        "evening",
        "day",
        "well",
        "done",
        "cool",
        "perfect",
        "yes",
        "there",
        "a",
        "lot",
        "so",
    ]
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a question.

    ``kind`` is "start" (an agent begins), "step" (it did something, see ``step``), "progress" (the
    database is being read, see ``progress``; the schema before any agent), and at the very end,
    whatever happens, "done" (there is a result) or "error" (``message.error`` says why not). More
    kinds may come: pass over what you don't know.
    """

    kind: Literal["start", "step", "progress", "done", "error"]
    message: Message
    agent: str = ""
    step: Step | None = None
    progress: Progress | None = None


class Pipeline:
    """A tuple of agents run in order; other tuples are ablations.

    >>> from macsql.llm import ScriptedLLM
    >>> pipeline = Pipeline.of(ScriptedLLM(["SELECT 1"]), without=("selector",))
    >>> [agent.name for agent in pipeline.agents]
    ['decomposer', 'voter', 'refiner']
    >>> pipeline = Pipeline.of(ScriptedLLM(["SELECT 1"]), without=("decomposer",))
    >>> [agent.name for agent in pipeline.agents]
    ['selector', 'baseline', 'voter', 'refiner']
    """

    def __init__(self, agents: Sequence[Agent]) -> None:
        self.agents = tuple(agents)

    @classmethod
    def of(  # noqa: PLR0913 - what pipelines differ in, by name
        cls,
        model: LLM | str = "local",
        *,
        prompts: PromptSet | str | Path = "default",
        without: Sequence[str] = (),
        shots: int | None = None,
        style: Style | None = None,
        prune: PruneRule | None = None,
        max_refinements: int = 3,
        candidates: Count | None = None,
        budget: Budget = NO_LIMIT,
        examples: ExampleStore | str | Path = FIXED,
        steps_pay: bool | None = None,
    ) -> "Pipeline":
        """The paper's three agents over one model; what is None is as the prompt set says.

        ``without`` leaves agents out, or what they do without a model: "linking" of names and
        values, "repair" of SQL. In the Decomposer's place one plain prompt writes the SQL, since
        there has to be some. ``candidates`` above one, or "auto", adds the Voter before the
        Refiner; the default prompt set says "auto". ``examples`` are the worked ones shown: "fixed"
        are the prompt set's own; of "builtin", a file or a store, those that fit the question, as
        many as ``shots``.
        ``steps_pay`` is what was learnt of this model (``macsql tune``): whether sub-questions
        bring more right answers. Raises ConfigError on an unknown model, prompt set, agent or file.
        """
        llm = open_model(model) if isinstance(model, str) else model
        texts = prompts if isinstance(prompts, PromptSet) else PromptSet.load(prompts)
        store = examples if isinstance(examples, ExampleStore) else open_examples(examples)
        candidates = texts.candidates if candidates is None else candidates
        others = None
        if candidates != 1 and not store and texts.can_select_examples:
            others = open_examples(BUILTIN)
        decomposer = Decomposer(
            llm, texts, shots=shots, style=style, examples=store, others=others, steps_pay=steps_pay
        )
        agents: list[Agent] = [
            Selector(llm, texts, prune=prune, use_linking=LINKING not in without),
            decomposer,
            Refiner(llm, texts, max_refinements=max_refinements, use_repair=REPAIR not in without),
        ]
        known = [*(agent.name for agent in agents), LINKING, REPAIR]
        if unknown := sorted(set(without) - set(known)):
            raise ConfigError(f"{unknown[0]!r} cannot be left out: only {', '.join(known)} can.")
        in_place = {Decomposer.name: Baseline(llm, texts)}
        kept = [in_place.get(a.name) if a.name in without else a for a in agents]
        if candidates != 1 and Refiner.name not in without:
            kept.insert(
                -1,
                Voter(
                    llm,
                    decomposer=None if decomposer.name in without else decomposer,
                    candidates=candidates,
                    budget=budget,
                    refine_empty=texts.refine_empty,
                    use_repair=REPAIR not in without,
                ),
            )
        return cls([agent for agent in kept if agent is not None])

    def stream(self, question: str, database: Database, evidence: str = "") -> Iterator[Event]:
        """Answer ``question``, yielding an event after each step; the last is "done" or "error".

        Raises QuestionError for a question that cannot be asked and DatabaseUnavailable for a
        database without tables; everything that goes wrong later is in ``message.error``.
        """
        message = start(question, database, evidence)
        began = time.perf_counter()
        yield from _read_schema(message, database)
        try:
            if is_small_talk(question):
                message.error = "No SQL: this is not a question about the data."
                message.error_kind = "NoSQL"
            for agent in self.agents:
                if message.error:
                    break
                yield Event("start", message, agent.name)
                for said in agent.run(message, database):
                    yield _event(message, agent.name, said)
        except MacSQLError as error:
            message.error, message.error_kind = str(error), type(error).__name__
        message.seconds = time.perf_counter() - began
        yield Event("error" if message.error else "done", message)

    def run(self, question: str, database: Database, evidence: str = "") -> Message:
        """Answer ``question``: the finished message, with ``sql`` and ``result``, or ``error``."""
        for event in self.stream(question, database, evidence):
            message = event.message
        return message


def ask(
    question: str,
    database: str | Path | Database,
    *,
    evidence: str = "",
    model: LLM | str = "local",
    prompts: str | Path = "default",
) -> Message:
    """Answer one question about a database file, URL or open Database.

    The message returned has ``sql`` and ``result``, or says in ``error`` why it has none.
    Raises ConfigError, QuestionError or DatabaseUnavailable when the question cannot be started.
    """
    pipeline = Pipeline.of(model, prompts=prompts)
    if isinstance(database, Database):
        return pipeline.run(question, database, evidence)
    with Database(database) as opened:
        return pipeline.run(question, opened, evidence)


def start(question: str, database: Database, evidence: str = "") -> Message:
    """A fresh message, without tables yet. Raises QuestionError, as ``stream`` says."""
    if not question.strip():
        raise QuestionError("The question is empty: ask something about the data.")
    for what, text in (("question", question), ("evidence", evidence)):
        if len(text) > MAX_QUESTION:
            raise QuestionError(
                f"The {what} has {len(text):,} characters; at most {MAX_QUESTION:,} are read."
            )
    schema = Schema(database.dialect, (), name=database.name)
    return Message(question=question.strip(), schema=schema, evidence=evidence.strip())


def _read_schema(message: Message, database: Database) -> Iterator[Event]:
    for progress in database.reading_schema():
        yield _event(message, "", progress)
    message.schema = database.schema
    if not message.schema.tables:
        raise DatabaseUnavailable(f"The database {database.name} has no tables to ask about.")


def _event(message: Message, agent: str, said: Step | Progress) -> Event:
    if isinstance(said, Progress):
        return Event("progress", message, agent, progress=said)
    return Event("step", message, agent, said)


def is_small_talk(question: str) -> bool:
    """Whether the question is a greeting or thanks, which no table can answer.

    >>> is_small_talk("Thanks!"), is_small_talk("How many thanks?")
    (True, False)
    """
    spoken = "".join(c if c.isalnum() else " " for c in question.casefold()).split()
    return all(word in _SMALL_TALK for word in spoken)
