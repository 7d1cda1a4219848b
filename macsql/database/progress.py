"""How far a database is read: reports of work that goes on in a thread, as an iterator."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Literal

SECONDS_BETWEEN = 0.1
"""Reports that come sooner after another are passed over, but for the last."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is that takes a while with a large database.

    ``task`` is "schema" (value examples are read) or "values" (stored texts are read for looking
    them up). ``done`` of ``tables`` tables and views are read; ``values`` is how many different
    texts are known so far.
    """

    task: Literal["schema", "values"]
    done: int
    tables: int
    values: int = 0


Work = Callable[[Callable[[Progress], None]], object]


class _Stopped(Exception):
    """Nobody listens any more."""


def reports_of(work: Work) -> Iterator[Progress]:
    """What ``work`` reports while it runs in a thread of its own; what it raises is raised here.

    When the iterator is left early, as by Ctrl-C, the work ends at its next report.
    """
    queue: SimpleQueue[Progress | BaseException | None] = SimpleQueue()
    is_left = threading.Event()

    def report(progress: Progress) -> None:
        if is_left.is_set():
            raise _Stopped
        queue.put(progress)

    def run() -> None:
        try:
            work(report)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            queue.put(error)
        else:
            queue.put(None)

    # A thread that nobody waits for does not hold up the end of the process.
    threading.Thread(target=run, name="macsql-reading", daemon=True).start()
    try:
        yield from _now_and_then(queue)
    finally:
        is_left.set()


def _now_and_then(queue: "SimpleQueue[Progress | BaseException | None]") -> Iterator[Progress]:
    said, waiting = -SECONDS_BETWEEN, None
    while isinstance(progress := queue.get(), Progress):
        waiting = progress
        if time.monotonic() - said >= SECONDS_BETWEEN:
            yield progress
            said, waiting = time.monotonic(), None
    if progress is not None:
        raise progress
    if waiting is not None:
        yield waiting
