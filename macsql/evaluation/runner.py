"""``Runner``: the questions of a benchmark answered in parallel, judged, and kept as they end."""

import queue
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace

from macsql.database import Database
from macsql.errors import LLMError, MacSQLError
from macsql.evaluation.answer import Answer
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.folder import RunFolder
from macsql.evaluation.folder_lines import writing
from macsql.evaluation.runner_answer import NO_REPLY, answer_of, failed_answer, is_to_retry
from macsql.evaluation.runner_databases import Databases
from macsql.evaluation.verdict import Verdict
from macsql.llm.base import Usage
from macsql.pipeline import Pipeline
from macsql.records import hide_password, save

__all__ = ["Progress", "Runner"]

_NOT_THE_QUESTION = frozenset({"LLMError", "BudgetExceeded", "ConfigError"})
_THE_QUESTION = re.compile(r"context|too long|too large", re.IGNORECASE)
IN_A_ROW, AT_FIRST = 10, 3
"""Failures in a row that end a run; fewer of them while nothing has succeeded yet."""

_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands. ``right`` of ``judged`` answers agree with the gold by ``ex``.

    ``answered`` of ``total`` questions have an answer, ``failed`` of them none but an error.
    ``seconds`` is how long this process has been at it, ``left`` an estimate of the seconds still
    to go, None before the first answer. ``usage`` is the sum over all answers.
    """

    total: int
    answered: int = 0
    failed: int = 0
    judged: int = 0
    right: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    left: float | None = None


@dataclass(frozen=True, slots=True)
class _Judging:
    """The final SQL of a question, and its first one where they differ, on their way."""

    final: "Future[Verdict]"
    first: "Future[Verdict] | None"

    def is_done(self) -> bool:
        return self.final.done() and (self.first is None or self.first.done())

    def verdict(self) -> Verdict:
        verdict = self.final.result()
        return verdict if self.first is None else replace(verdict, first_ex=self.first.result().ex)


@dataclass(frozen=True, slots=True)
class _Ended:
    """A worker's end, and why it ended early."""

    fault: BaseException | None


class Runner:
    """Asks every question of ``benchmark`` that ``folder`` has no answer for, and judges all.

    ``pipeline_for`` gives the agents for a question. ``workers`` questions are asked at a time;
    with one, in the calling thread. Questions on one database come together, so that its schema is
    read once and a model's prompt cache holds it. Lines are written as questions end: whatever
    stops a run loses what is under way and nothing else, and running again goes on.

    A question that fails leaves its error. Any other exception is a fault in macsql: the other
    workers finish their question, and it is raised with a note that names the question.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        folder: RunFolder,
        pipeline_for: Callable[[Example], Pipeline],
        judges: JudgePool,
        *,
        workers: int = 1,
        open_database: Callable[[Example], Database] | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self.benchmark = benchmark
        self.folder = folder
        self.workers = workers
        self._pipeline_for = pipeline_for
        self._judges = judges
        self._on_progress = on_progress
        self._open = open_database or _open_database
        self._databases = Databases(self._open, ())
        self._examples = {example.id: example for example in benchmark.examples}
        self._events: queue.SimpleQueue[Answer | _Judging | _Ended] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._in_judgement = 0
        self._fault: BaseException | None = None
        self._failures = 0
        self._has_succeeded = False
        self._began = time.monotonic()
        self._asked = 0
        self._right = 0
        self._failed = 0
        self._usage = Usage()

    def run(self, *, retry_errors: bool = True) -> None:
        """To the end. With ``retry_errors``, what failed earlier without a fault of the question,
        such as for want of a network, is asked again.

        Raises LLMError when the model does not answer for many questions in a row, ConfigError
        when the folder cannot be written, and whatever fault there is in macsql.
        """
        if retry_errors:
            answers = self.folder.answers.values()
            self.folder.forget({a.id for a in answers if is_to_retry(a)})
        self._began = time.monotonic()
        self._right = sum(v.ex for v in self.folder.verdicts.values())
        self._failed = sum(bool(a.error) for a in self.folder.answers.values())
        self._usage = sum((a.usage for a in self.folder.answers.values()), Usage())
        for id_ in self.folder.answers.keys() - self.folder.verdicts.keys():
            self._judge(self.folder.answers[id_])
        left = self._grouped(e for e in self.benchmark.examples if e.id not in self.folder.answers)
        self._databases = Databases(self._open, left)
        try:
            self._ask_all(left)
        finally:
            self._stopping.set()
            self._databases.close()

    def _grouped(self, examples: Iterable[Example]) -> list[Example]:
        """The questions, database by database, in the order of the benchmark."""
        groups: dict[str, list[Example]] = {}
        for example in examples:
            groups.setdefault(example.database, []).append(example)
        return [example for group in groups.values() for example in group]

    def _ask_all(self, examples: list[Example]) -> None:
        self._report()
        working = 0
        if self.workers == 1:
            # In this thread, Ctrl-C reaches the model itself.
            self._ask_here(examples)
        else:
            working = self._start_workers(deque(examples))
        while working or (self._in_judgement and self._fault is None):
            try:
                event = self._events.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                self._report()
                continue
            if isinstance(event, _Ended):
                working -= 1
                self._stop_for(event.fault)
            else:
                self._take(event)
        if self._fault is not None:
            raise self._fault

    def _ask_here(self, examples: list[Example]) -> None:
        for example in examples:
            self._take(self._ask(example))
            while not self._events.empty():
                event = self._events.get()
                if not isinstance(event, _Ended):
                    self._take(event)
            if self._stopping.is_set():
                return

    def _start_workers(self, waiting: deque[Example]) -> int:
        """Threads that ask until nothing waits; they do not keep a stopped process alive."""
        count = min(self.workers, len(waiting))
        for number in range(count):
            threading.Thread(
                target=self._work, args=(waiting,), name=f"macsql-ask-{number}", daemon=True
            ).start()
        return count

    def _work(self, waiting: deque[Example]) -> None:
        fault: BaseException | None = None
        try:
            while waiting and not self._stopping.is_set():
                with suppress(IndexError):
                    example = waiting.popleft()
                    self._events.put(self._ask(example))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for this one
            fault = error
        self._events.put(_Ended(fault))

    def _stop_for(self, fault: BaseException | None) -> None:
        """Begin no further question, and raise ``fault`` when those under way have ended."""
        if fault is not None:
            self._fault = self._fault or fault
            self._stopping.set()

    def _ask(self, example: Example) -> Answer:
        """The answer to one question, its trace written."""
        try:
            with self._databases.lent(example) as database:
                message = self._pipeline_for(example).run(
                    example.question, database, example.evidence
                )
                whole = database.schema
        except MacSQLError as error:
            return failed_answer(example, error)
        except BaseException as fault:
            fault.add_note(
                f"This happened at question {example.id} of {self.benchmark.name}. "
                f"What was finished is kept in {self.folder.path}."
            )
            raise
        trace = self.folder.trace_name(example.id)
        with writing(self.folder.path / trace):
            save(message, self._about(example), file=self.folder.path / trace)
        return answer_of(example, message, whole, trace)

    def _about(self, example: Example) -> dict[str, str]:
        manifest = self.folder.manifest
        return {
            "macsql": manifest.macsql,
            "database": hide_password(example.database),
            "model": manifest.model,
            "prompts": manifest.prompts,
            "benchmark": manifest.benchmark,
            "id": example.id,
        }

    def _take(self, event: Answer | _Judging) -> None:
        """Write down what ended."""
        if isinstance(event, Answer):
            self.folder.add_answer(event)
            self._asked += 1
            self._failed += bool(event.error)
            self._usage += event.usage
            self._judge(event)
            self._stop_for(self._outage(event))
        elif event.is_done():
            verdict = event.verdict()
            if self.folder.add_verdict(verdict):
                self._in_judgement -= 1
                self._right += verdict.ex
        self._report()

    def _judge(self, answer: Answer) -> None:
        example = self._examples[answer.id]
        final = self._judges.submit(example, answer.sql, answer.error, answer.error_kind)
        first = None
        if answer.first_sql not in ("", answer.sql):
            first = self._judges.submit(example, answer.first_sql)
        judging = _Judging(final, first)
        self._in_judgement += 1
        for future in (final, first):
            if future is not None:
                future.add_done_callback(lambda _: self._events.put(judging))

    def _outage(self, answer: Answer) -> LLMError | None:
        """The error to stop with when the model seems to be gone, rather than a question bad."""
        if NO_REPLY not in answer.findings and answer.error_kind not in _NOT_THE_QUESTION:
            self._failures, self._has_succeeded = 0, True
        elif not _THE_QUESTION.search(answer.error):
            self._failures += 1
        if self._failures < (IN_A_ROW if self._has_succeeded else AT_FIRST):
            return None
        return LLMError(
            f"Stopped after {self._failures} questions in a row without a reply: "
            f"{answer.error or 'the model failed.'} "
            "When that is mended, run the same command again to go on."
        )

    def _report(self) -> None:
        answers = self.folder.answers
        seconds = time.monotonic() - self._began
        total = len(self.benchmark.examples)
        left = seconds / self._asked * (total - len(answers)) if self._asked else None
        self._on_progress(
            Progress(
                total=total,
                answered=len(answers),
                failed=self._failed,
                judged=len(self.folder.verdicts),
                right=self._right,
                usage=self._usage,
                seconds=seconds,
                left=left,
            )
        )


def _open_database(example: Example) -> Database:
    return Database(example.database, descriptions=example.descriptions)
