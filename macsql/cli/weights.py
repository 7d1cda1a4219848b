"""``macsql model``: weights of the local models, listed, fetched with progress, and found."""

from pathlib import Path

from macsql.cli.exits import ANSWERED
from macsql.cli.show import Screen
from macsql.cli.streams import write, writing
from macsql.database import Result
from macsql.errors import ConfigError
from macsql.llm import weights

_LOCAL = "local"


def list_weights() -> int:
    """Print the known weights and whether they are here."""
    rows = tuple(
        (
            entry.name,
            f"{entry.size / 1e9:.1f} GB",
            entry.licence,
            "here" if weights.find(entry) else "not here",
            "default" if entry.name == weights.DEFAULT else "",
        )
        for entry in weights.KNOWN.values()
    )
    with writing():
        Screen().table(Result(("name", "size", "licence", "state", ""), ("str",) * 5, rows))
    return ANSWERED


def pull_weights(name: str) -> int:
    """Fetch weights if they are not here, and print where they are."""
    path = fetch(_known(name), Screen())
    with writing():
        write(str(path))
    return ANSWERED


def print_path(name: str) -> int:
    """Print where weights are. Raises ConfigError when they are not here."""
    entry = _known(name)
    path = weights.find(entry)
    if path is None:
        raise ConfigError(
            f"The weights of {entry.name} are not here: run macsql model pull {entry.name}."
        )
    with writing():
        write(str(path))
    return ANSWERED


def fetch_for(model: str, screen: Screen) -> None:
    """Fetch the weights that the model ``model`` needs, if it is a local one of the list.

    Raises LLMError when they cannot be fetched.
    """
    kind, _, name = model.partition(":")
    if kind == _LOCAL and (not name or name in weights.KNOWN):
        fetch(_known(name or _LOCAL), screen)


def fetch(entry: weights.Weights, screen: Screen) -> Path:
    """The weights file, downloaded with progress on stderr when it is not here."""
    found = weights.find(entry)
    if found is not None:
        return found
    screen.note(f"fetching the weights of {entry.name}, {entry.size / 1e9:.1f} GB, once")
    if not screen.err.is_terminal:
        return weights.pull(entry, progress=_Lines(screen))
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(
        *columns, TextColumn("{task.description}", markup=False), console=screen.err
    ) as bar:
        task = bar.add_task("", total=entry.size)
        return weights.pull(
            entry,
            progress=lambda done, total, text: bar.update(
                task, completed=done, total=total, description=text
            ),
        )


class _Lines:
    """Progress where there is no terminal: a line for each tenth and for each change of source."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.last = ("", -1)

    def __call__(self, done: int, total: int, text: str) -> None:
        tenth = 10 * done // max(1, total)
        source = text.rpartition("from ")[2]
        if (source, tenth) != self.last:
            self.last = (source, tenth)
            self.screen.note(f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB, {text}")


def _known(name: str) -> weights.Weights:
    bare = name.removeprefix(f"{_LOCAL}:")
    return weights.known(weights.DEFAULT if bare in ("", _LOCAL) else bare)
