"""``Makeup``: which agents answer in a run, and how they differ from the prompt set's own way."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsql.agents import Agent, Baseline
from macsql.errors import ConfigError
from macsql.evaluation.example import Example
from macsql.evaluation.oracle import OracleSelector
from macsql.llm.base import LLM
from macsql.pipeline import LINKING, Pipeline
from macsql.prompts import Count, PromptSet, PruneRule, Style
from macsql.shots import BUILTIN, FIXED, ExampleStore, open_examples

SELECTOR = "selector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Makeup:
    """The agents of a run; None leaves what the prompt set says.

    ``without`` leaves agents out, as ``Pipeline.of`` does. ``baseline`` is one prompt alone.
    ``oracle_schema`` puts the gold's tables and columns in the Selector's place. Of ``examples``
    none is shown that is about the database asked, or has the question asked: a question of a
    benchmark is about a database that nobody has seen.
    """

    prompts: str = "default"
    shots: int | None = None
    style: Style | None = None
    prune: PruneRule | None = None
    without: tuple[str, ...] = ()
    max_refinements: int = 3
    candidates: Count | None = None
    examples: str = FIXED
    steps_pay: bool | None = None
    baseline: bool = False
    oracle_schema: bool = False

    def __post_init__(self) -> None:
        if self.baseline and (self.oracle_schema or self.without):
            raise ConfigError(
                "The baseline has no agents: give --baseline, or --without and --oracle-schema."
            )
        if self.oracle_schema and SELECTOR in self.without:
            raise ConfigError("The oracle schema takes the Selector's place: keep the selector.")

    def pipelines(self, llm: LLM) -> Callable[[Example], Pipeline]:
        """The pipeline for each question; they differ in examples, and with the oracle schema.

        Raises ConfigError on an unknown prompt set, agent or file of examples.
        """
        prompts = PromptSet.load(self.prompts)
        store = open_examples(self.examples)
        of_database: dict[str, list[Agent]] = {}

        def agents_for(db_id: str) -> list[Agent]:
            key = db_id if store else ""
            if key not in of_database:
                shown = store.unseen(db_id) if store else None
                of_database[key] = self._agents(llm, prompts, shown)
            return of_database[key]

        def pipeline_for(example: Example) -> Pipeline:
            agents = agents_for(example.short_name)
            if not self.oracle_schema:
                return Pipeline(agents)
            rest = [agent for agent in agents if agent.name != SELECTOR]
            use_linking = LINKING not in self.without
            selector = OracleSelector(llm, prompts, example.gold_sql, use_linking=use_linking)
            return Pipeline([selector, *rest])

        agents_for("")
        return pipeline_for

    def options(self) -> dict[str, Any]:
        """What of this changes an answer, for the manifest; with a checksum of the prompts."""
        prompts = PromptSet.load(self.prompts)
        return {
            "prompts_sha256": _checksum(prompts),
            "shots": prompts.shots if self.shots is None else self.shots,
            "style": self.style or prompts.style,
            "prune": self.prune or prompts.prune_rule,
            "max_refinements": self.max_refinements,
            "candidates": prompts.candidates if self.candidates is None else self.candidates,
            "oracle_schema": self.oracle_schema,
            **({} if self.steps_pay is None else {"steps_pay": self.steps_pay}),
            **self._examples(prompts),
        }

    def _examples(self, prompts: PromptSet) -> dict[str, str]:
        """Which examples are selected from; nothing for the fixed ones, which are prompts."""
        store = open_examples(self.examples)
        asks_again = (self.candidates or prompts.candidates) != 1 and not self.baseline
        if store is None and asks_again and prompts.can_select_examples:
            # A second opinion selects from the built-in ones.
            store = open_examples(BUILTIN)
        if store is None:
            return {}
        return {"examples": Path(self.examples).name, "examples_sha256": store.checksum}

    def _agents(self, llm: LLM, prompts: PromptSet, examples: ExampleStore | None) -> list[Agent]:
        if self.baseline:
            return [Baseline(llm, prompts)]
        pipeline = Pipeline.of(
            llm,
            prompts=prompts,
            without=self.without,
            shots=self.shots,
            style=self.style,
            prune=self.prune,
            max_refinements=self.max_refinements,
            candidates=self.candidates,
            examples=examples or FIXED,
            steps_pay=self.steps_pay,
        )
        return list(pipeline.agents)


def _checksum(prompts: PromptSet) -> str:
    """Twelve digits that change when a word of the prompt set does."""
    digest = hashlib.sha256()
    for file in sorted(prompts.folder.glob("*")):
        if file.suffix in (".j2", ".toml"):
            digest.update(f"{file.name}\n".encode() + file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]
