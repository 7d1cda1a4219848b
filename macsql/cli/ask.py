"""``macsql ask``: one question, from the flags to the answer, the trace and the exit code."""

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from macsql import __version__
from macsql.agents.voter import Budget, read_count
from macsql.cli.exits import ANSWERED, code_of_answer, code_of_error
from macsql.cli.opening import NOBODY, Caller, open_database, open_llm, stand_in
from macsql.cli.progress import describe
from macsql.cli.show import OutputForm, Screen
from macsql.cli.streams import printable, report, write, writing
from macsql.config import Settings
from macsql.errors import MacSQLError
from macsql.llm.base import LLM, estimate_tokens
from macsql.message import Message
from macsql.pipeline import Event, Pipeline
from macsql.records import hide_password, save
from macsql.schema import Schema
from macsql.tuned import steps_pay


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How the agents differ from the prompt set's own way; None leaves it."""

    shots: int | None = None
    prune: Literal["auto", "paper", "never"] | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one ``macsql ask`` is told beside the settings."""

    question: str
    evidence: str = ""
    descriptions: Path | None = None
    caller: Caller = NOBODY
    shape: Shape
    form: OutputForm = "text"
    show_prompts: bool = False
    record: Path | None = None
    replay: Path | None = None
    trace: Path | None = None


def ask(request: Request, settings: Settings) -> int:
    """Answer the question on the screen, leave its trace, and return the exit code."""
    return _Run(request, settings).to_the_end()


def show_first_prompt(request: Request, settings: Settings) -> int:
    """Print what would be sent to the model first; no model is opened."""
    screen = Screen()
    llm = stand_in(settings)
    with open_database(settings, request.descriptions, request.caller) as database:
        message = _pipeline(llm, settings, request.shape).run(
            request.question, database, request.evidence
        )
    step = next((s for s in message.steps if s.messages), None)
    if step is None:
        report(message.error or "No agent is left that asks a model.")
        return code_of_answer(message)
    with writing():
        for said in step.messages:
            write(printable(f"--- {said['role']}\n{said['content']}"))
    tokens = estimate_tokens("".join(said["content"] for said in step.messages))
    screen.note(f"{step.agent}: about {tokens:,} tokens to read; nothing was sent")
    return ANSWERED


class _Run:
    """One question on its way; ``message`` is what is known about it at any moment."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self.request = request
        self.settings = settings
        self.screen = Screen()
        self.message = Message(request.question, Schema("", ()), evidence=request.evidence)
        self.began = time.perf_counter()
        self.shown = 0
        self.about = {
            "macsql": __version__,
            "database": hide_password(settings.db),
            "model": str(request.replay or settings.model),
            "server": hide_password(settings.base_url),
            "prompts": settings.prompts,
            "role": request.caller.role or "",
        }

    def to_the_end(self) -> int:
        code = None
        try:
            self._answer()
        except MacSQLError as error:
            self._end(str(error), type(error).__name__)
            code = code_of_error(error)
        except BaseException as error:
            stopped = isinstance(error, KeyboardInterrupt)
            self._end("Stopped by Ctrl-C." if stopped else "A fault.", type(error).__name__)
            self._save()
            raise
        trace = self._save()
        self.screen.findings(self.message)
        self.screen.answer(self.message, self.request.form, trace)
        if self.message.steps:
            self.screen.footer(self.message, trace)
        if self.message.error:
            report(self.message.error)
        return code_of_answer(self.message) if code is None else code

    def _answer(self) -> None:
        request = self.request
        with open_database(self.settings, request.descriptions, request.caller) as database:
            llm = open_llm(
                self.settings,
                self.screen,
                record=self.request.record,
                replay=self.request.replay,
            )
            self.about["database"] = database.display_url
            pipeline = _pipeline(llm, self.settings, self.request.shape)
            events = pipeline.stream(self.request.question, database, self.request.evidence)
            with self.screen.working("reading the schema ...") as now:
                for event in events:
                    self.message = event.message
                    if text := doing(event):
                        now(f"{text} ...")
                    self._show_steps()
        if not self.message.sql and not self.message.error:
            self.message.error = "No SQL: the agent that writes it was left out."
            self.message.error_kind = "NoSQL"

    def _show_steps(self) -> None:
        for step in self.message.steps[self.shown :]:
            self.screen.step(step, prompts=self.request.show_prompts)
        self.shown = len(self.message.steps)

    def _end(self, error: str, kind: str) -> None:
        self.message.error, self.message.error_kind = error, kind
        self.message.seconds = time.perf_counter() - self.began

    def _save(self) -> Path | None:
        """Leave the trace; that it cannot be written costs a warning, never the answer."""
        keep, file = self.settings.keep_traces, self.request.trace
        try:
            return save(self.message, self.about, keep=keep, file=file)
        except OSError as error:
            reason = error.strerror or str(error)
            self.screen.note(f"warning: the trace was not written: {reason}", "yellow")
            return None


def doing(event: Event) -> str:
    """What is being done, as far as the event says it."""
    return describe(event.progress) if event.progress else event.agent


def _pipeline(llm: LLM, settings: Settings, shape: Shape) -> Pipeline:
    """The agents over ``llm``. Raises ConfigError when there is no such prompt set."""
    return Pipeline.of(
        llm,
        prompts=settings.prompts,
        without=shape.without,
        shots=shape.shots,
        examples=settings.examples,
        prune=shape.prune,
        max_refinements=settings.max_refinements,
        candidates=read_count(settings.candidates),
        steps_pay=steps_pay(llm.name),
        budget=Budget(settings.candidate_seconds, settings.candidate_tokens or math.inf),
    )
