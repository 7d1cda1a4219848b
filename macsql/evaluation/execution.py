"""``JudgePool``: predictions judged in processes of their own, which nothing they run can hurt."""

import contextlib
import signal
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from macsql.errors import ConfigError
from macsql.evaluation.exact_match_keys import KeyGroups
from macsql.evaluation.example import Example, Rule
from macsql.evaluation.execution_process import Lost, WorkerProcess
from macsql.evaluation.execution_worker import Options, Task
from macsql.evaluation.judge import GOLD
from macsql.evaluation.verdict import Verdict

MEMORY = 2 * 1024**3
_WATCH_SECONDS = 0.1


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Threads started in here do not get SIGINT, so that it wakes the main thread.

    A signal to the process goes to any thread that takes it; Python only notes it there, and the
    main thread, asleep in a system call, would hear of it when that ends.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(eq=False, slots=True)
class _Asked:
    task: Task
    future: "Future[Verdict]" = field(default_factory=Future)


class JudgePool:
    """Judges predictions by ``rule`` in ``workers`` processes; a context manager.

    A statement is stopped after ``timeout`` seconds, and a process that does not stop by itself, or
    takes more than ``memory`` bytes (0 for no limit), is replaced: that costs the verdict on the
    one prediction it was judging, with "Timeout", "OutOfMemory" or "Crashed" as ``error_kind``, and
    no other. Where it happens in the gold query, ``gold_error`` says so, and that query is not
    run again. ``ves_repeats``, ``official_only`` and ``key_groups`` are explained at
    ``Judge``.

    Predictions on one database go to one process while there are some, since it keeps the results
    of the gold queries. ``submit`` may be called from any thread. Leaving the block waits for what
    was submitted; leaving it by an error, or ``close``, cancels that and ends at once.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        workers: int = 2,
        timeout: float = 30.0,
        memory: int = MEMORY,
        ves_repeats: int = 0,
        official_only: bool = False,
        key_groups: Mapping[str, KeyGroups] | None = None,
    ) -> None:
        if workers < 1 or not timeout > 0 or memory < 0 or ves_repeats < 0:
            raise ConfigError(
                "Judging needs at least 1 worker, a timeout greater than 0, and no negative number."
            )
        self.rule = rule
        options = Options(rule, timeout, memory, ves_repeats, official_only, key_groups)
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, deque[_Asked]] = OrderedDict()
        self._open: set[Future[Verdict]] = set()
        self._bad_gold: dict[tuple[str, str], str] = {}
        self._ended = threading.Event()
        self._lanes = [_Lane(WorkerProcess(options)) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._judge, args=(lane,), daemon=True) for lane in self._lanes
        ]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        with _deaf_to_ctrl_c():
            for thread in self._threads:
                thread.start()

    def submit(
        self, example: Example, answer_sql: str, error: str = "", error_kind: str = ""
    ) -> "Future[Verdict]":
        """The verdict on ``answer_sql``, when it is there.

        ``answer_sql`` is empty where there is no answer; ``error`` and ``error_kind`` then say why.
        The future raises ConfigError when no process can be started, and is cancelled by ``close``.
        """
        asked = _Asked(Task(example, answer_sql, error, error_kind))
        with self._changed:
            if self._ended.is_set():
                raise ConfigError("The judges have been closed; open new ones.")
            self._waiting.setdefault(example.database, deque()).append(asked)
            self._open.add(asked.future)
            self._changed.notify()
        asked.future.add_done_callback(self._forget)
        return asked.future

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes that are running now."""
        return tuple(pid for lane in self._lanes if (pid := lane.process.pid) is not None)

    def close(self) -> None:
        """Cancel what is not judged yet and end the processes. May be called twice."""
        with self._changed:
            self._ended.set()
            waiting = [asked for line in self._waiting.values() for asked in line]
            self._waiting.clear()
            self._changed.notify_all()
        for lane in self._lanes:
            lane.process.kill()
        for asked in waiting:
            asked.future.cancel()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                with self._changed:
                    pending = list(self._open)
                wait(pending)
        finally:
            self.close()

    def _forget(self, future: "Future[Verdict]") -> None:
        with self._changed:
            self._open.discard(future)

    # The threads ----------------------------------------------------------------------------

    def _judge(self, lane: "_Lane") -> None:
        """Judge one prediction after the other in the process of ``lane``."""
        while (asked := self._next(lane)) is not None:
            if not asked.future.set_running_or_notify_cancel():
                continue
            try:
                verdict = self._verdict(lane, asked.task)
            except Exception as error:  # noqa: BLE001 - raised where the result is asked for
                asked.future.set_exception(error)
                continue
            except BaseException as fault:
                # Whoever waits for the verdict must not wait for ever.
                asked.future.set_exception(fault)
                raise
            if self._ended.is_set():
                # Its process may have been ended by us: that says nothing about the prediction.
                asked.future.set_exception(CancelledError())
            else:
                asked.future.set_result(verdict)
        lane.process.close()

    def _next(self, lane: "_Lane") -> _Asked | None:
        """The next prediction for ``lane``, on its last database if it can be; None at the end."""
        with self._changed:
            while not self._waiting and not self._ended.is_set():
                self._changed.wait()
            if self._ended.is_set():
                return None
            taken = {other.database for other in self._lanes if other is not lane}
            if lane.database not in self._waiting:
                free = (database for database in self._waiting if database not in taken)
                lane.database = next(free, None) or next(iter(self._waiting))
            line = self._waiting[lane.database]
            asked = line.popleft()
            if not line:
                del self._waiting[lane.database]
            return asked

    def _verdict(self, lane: "_Lane", task: Task) -> Verdict:
        """The verdict on ``task``; what costs a process is not run again."""
        gold = (task.example.database, task.example.gold_sql)
        while True:
            with self._changed:
                known = replace(task.known, gold_error=self._bad_gold.get(gold, ""))
            task = replace(task, known=known)
            try:
                return lane.process.judge(task)
            except Lost as lost:
                if self._ended.is_set() or task.known.error:
                    return _lost_verdict(task, lost)
                if lost.step == GOLD and not task.known.gold_error:
                    with self._changed:
                        self._bad_gold[gold] = lost.reason
                else:
                    known = replace(task.known, error=lost.reason, error_kind=lost.kind)
                    task = replace(task, known=known)

    def _watch(self) -> None:
        """End processes that are past their time."""
        while not self._ended.wait(_WATCH_SECONDS):
            now = time.monotonic()
            for lane in self._lanes:
                lane.process.kill_if_late(now)


@dataclass(eq=False, slots=True)
class _Lane:
    """One process and the database that it works on."""

    process: WorkerProcess
    database: str = ""


def _lost_verdict(task: Task, lost: Lost) -> Verdict:
    """What is left to say when even a look at the texts costs the process."""
    return Verdict(
        id=task.example.id,
        db_id=task.example.db_id,
        difficulty=task.example.difficulty,
        error=task.known.error or lost.reason,
        error_kind=task.known.error_kind or lost.kind,
        gold_error=task.known.gold_error,
        error_class="execution_error",
    )
