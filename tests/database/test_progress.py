"""Reports of work in a thread: the first and the last come, errors too, and leaving ends it."""

import threading
from collections.abc import Callable, Generator
from typing import cast

import pytest

from macsql.database.progress import Progress, reports_of
from macsql.errors import ExecutionError


def test_the_first_and_the_last_report_come() -> None:
    def work(report: Callable[[Progress], None]) -> None:
        for number in range(1_000):
            report(Progress("values", number, 1_000))

    numbers = [progress.done for progress in reports_of(work)]
    assert (numbers[0], numbers[-1]) == (0, 999)
    assert numbers == sorted(set(numbers))


def test_what_the_work_raises_is_raised() -> None:
    def work(report: Callable[[Progress], None]) -> None:
        report(Progress("schema", 0, 1))
        raise ExecutionError("no such table")

    reports = reports_of(work)
    assert next(reports) == Progress("schema", 0, 1)
    with pytest.raises(ExecutionError, match="no such table"):
        next(reports)


def test_work_ends_at_the_next_report_when_nobody_listens() -> None:
    is_left, has_ended = threading.Event(), threading.Event()

    def work(report: Callable[[Progress], None]) -> None:
        try:
            report(Progress("schema", 0, 1))
            is_left.wait(60)
            while True:
                report(Progress("schema", 1, 1))
        finally:
            has_ended.set()

    reports = cast(Generator[Progress], reports_of(work))
    next(reports)
    reports.close()
    is_left.set()
    assert has_ended.wait(60)
