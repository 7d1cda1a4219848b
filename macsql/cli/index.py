"""``macsql index``: read the stored values of a large database before the first question."""

from macsql.cli.exits import ANSWERED
from macsql.cli.opening import open_database
from macsql.cli.progress import ProgressLine
from macsql.cli.show import Screen
from macsql.cli.streams import printable, write, writing
from macsql.config import Settings
from macsql.database.value_index import IndexState
from macsql.errors import ConfigError


def index_values(settings: Settings, seconds: float) -> int:
    """Build the value index of a database for at most ``seconds``, and say how far it is.

    Raises ConfigError under a policy, and what ``open_database`` raises.
    """
    if settings.policy:
        raise ConfigError("Under an access policy no index is kept: there is nothing to build.")
    screen = Screen()
    with open_database(settings) as database, ProgressLine(screen) as line:
        index = database.value_index(seconds, lambda state: line.show(_progress(state)))
        state = index.state()
    for table in state.parts:
        screen.note(f"of {printable(table)}, which is very large or slow, there is a sample only")
    if not state.is_complete:
        screen.note("not all was read in the time given: run the command again to go on")
    with writing():
        write(_summary(state))
    return ANSWERED


def _progress(state: IndexState) -> str:
    return f"{state.texts:,} values, {state.done} of {state.tables} tables and views read"


def _summary(state: IndexState) -> str:
    """One line.

    >>> _summary(IndexState(2, 1, 1, True, (), None))
    '2 values, 1 of 1 tables and views read; kept in no file, but read again by each process'
    """
    where = state.file or "no file, but read again by each process"
    return f"{_progress(state)}; kept in {where}"
