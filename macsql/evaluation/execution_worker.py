"""The process in which SQL is run and judged; ``execution_process`` starts it.

It reads pickled tasks from standard input and writes pickled messages to standard output, one task
at a time: ``Ready`` once, then for each task the name of each step as it begins and the verdict. It
ends when its input does, so it never outlives the process that started it.
"""

import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from macsql.evaluation.exact_match_keys import KeyGroups
from macsql.evaluation.example import Example, Rule
from macsql.evaluation.execution_results import OUT_OF_MEMORY
from macsql.evaluation.judge import NOTHING, Judge, Known
from macsql.evaluation.verdict import Verdict

NO_MEMORY_LEFT = 77
"""Exit status after a task that reached the memory limit: a fresh process takes over."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a worker judges; ``memory`` is in bytes, 0 for no limit."""

    rule: Rule
    timeout: float
    memory: int
    ves_repeats: int = 0
    official_only: bool = False
    key_groups: Mapping[str, KeyGroups] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One prediction to judge; see ``Judge.judge``."""

    example: Example
    sql: str
    error: str = ""
    error_kind: str = ""
    known: Known = NOTHING


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has started."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of judging begins."""

    name: str


Message = Ready | Step | Verdict


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sender = os.fdopen(os.dup(1), "wb")
    # Whatever prints must not end up among the messages.
    os.dup2(2, 1)
    options: Options = pickle.load(sys.stdin.buffer)
    limit_memory(options.memory)
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, tasks), daemon=True).start()
    _serve(options, tasks, sender)


def _receive(source: BinaryIO, tasks: "queue.SimpleQueue[Task]") -> None:
    """Take in tasks while others run, to learn at once that nobody waits for them any more."""
    while True:
        try:
            tasks.put(pickle.load(source))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _serve(options: Options, tasks: "queue.SimpleQueue[Task]", sender: BinaryIO) -> None:
    def send(message: Message) -> None:
        pickle.dump(message, sender)
        sender.flush()

    judge = Judge(
        options.rule,
        timeout=options.timeout,
        ves_repeats=options.ves_repeats,
        official_only=options.official_only,
        key_groups=options.key_groups,
        on_step=lambda name: send(Step(name)),
    )
    send(Ready())
    while True:
        task = tasks.get()
        try:
            verdict = judge.judge(
                task.example, task.sql, task.error, task.error_kind, known=task.known
            )
        except MemoryError:
            os._exit(NO_MEMORY_LEFT)
        send(verdict)
        if verdict.error_kind == OUT_OF_MEMORY:
            os._exit(NO_MEMORY_LEFT)


def limit_memory(limit: int) -> None:
    """Keep this process, and each temporary file of it, below ``limit`` bytes.

    Windows has no such limit; macOS has one but does not keep to it.
    """
    if not limit or sys.platform == "win32":
        return
    import resource

    for name in ("RLIMIT_AS", "RLIMIT_FSIZE"):
        kind = getattr(resource, name)
        allowed = resource.getrlimit(kind)[1]
        bound = limit if allowed == resource.RLIM_INFINITY else min(limit, allowed)
        resource.setrlimit(kind, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
