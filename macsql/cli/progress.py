"""How far something has come: a line that changes on a terminal, else a line now and then."""

import time

from rich.status import Status
from rich.text import Text

from macsql.cli.show import Screen
from macsql.database import Progress

PLAIN_SECONDS = 30.0
"""Between two lines where there is no terminal."""


class ProgressLine:
    """A context manager around the work; ``show`` says where it stands."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._status: Status | None = None
        self._said = time.monotonic()

    def __enter__(self) -> "ProgressLine":
        if self._screen.err.is_terminal:
            self._status = self._screen.err.status(Text("starting ...", "dim"))
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, text: str, *, is_last: bool = False) -> None:
        """Say it; where lines stay, only the last one or after a while."""
        if self._status is not None:
            self._status.update(Text(text, "dim"))
        elif is_last or time.monotonic() - self._said >= PLAIN_SECONDS:
            self._said = time.monotonic()
            self._screen.note(text)


def describe(progress: Progress) -> str:
    """What is being read, and how far.

    >>> describe(Progress("schema", 3, 12))
    'reading the schema: value examples of 3 of 12 tables and views'
    >>> describe(Progress("values", 1, 12, 52_000))
    'reading stored values: 52,000 so far, 1 of 12 tables and views done'
    """
    tables = f"{progress.done} of {progress.tables} tables and views"
    if progress.task == "values":
        return f"reading stored values: {progress.values:,} so far, {tables} done"
    return (
        f"reading the schema: value examples of {tables}"
        if progress.tables
        else ("reading the schema")
    )


def time_left(seconds: float) -> str:
    """About how long, for people.

    >>> time_left(8), time_left(100), time_left(9000)
    ('10 s', '2 min', '2.5 h')
    """
    if seconds < 60:
        return f"{max(1, round(seconds / 10)) * 10} s"
    minutes = seconds / 60
    return f"{minutes / 60:.1f} h" if minutes >= 90 else f"{round(minutes)} min"
