"""The databases of a benchmark as files: where each is, and a digest of what is in it."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from macsql.database import Database
from macsql.database.sqlite import path_in_url
from macsql.errors import ConfigError
from macsql.evaluation.example import Example
from macsql.records import hide_password

SUITE = ", test suite"
"""What follows the ``db_id`` in the name of the digest of its test suite."""

READ_WHOLE = 200_000_000
ENDS = 1_000_000
"""Of a file of more than ``READ_WHOLE`` bytes so many are read at either end."""


def place(database: str) -> str:
    """The address at which a database is found from another folder too; never its password."""
    path = _path(database)
    return hide_password(database) if path is None else str(path.resolve())


def places(examples: Iterable[Example]) -> dict[str, str]:
    """The address of each database, by ``db_id``."""
    return {e.db_id: place(e.database) for e in examples}


def refuse_unreadable(examples: Iterable[Example]) -> None:
    """Raise DatabaseUnavailable for the first database that is none, or is not there."""
    for database in dict.fromkeys(e.database for e in examples):
        with Database(database) as opened:
            opened.read_structure()


def digests(examples: Iterable[Example]) -> dict[str, str]:
    """The digest of each database by ``db_id``, and one of all the databases of its test suite.

    It is the SHA-256 of the file; of a large one, that of its size, its time and its two ends; of a
    server, of its address. Raises ConfigError for a file that cannot be read.
    """
    found: dict[str, str] = {}
    for name, databases in {e.db_id: (e.database, e.test_suite) for e in examples}.items():
        database, suite = databases
        found[name] = _digest(database)
        if suite:
            lines = (f"{_digest(other)}  {Path(other).name}\n" for other in suite)
            found[name + SUITE] = _sha256("".join(lines).encode())
    return found


def _path(database: str) -> Path | None:
    """The file, None for a server."""
    if database.startswith("sqlite:"):
        return path_in_url(database)
    return None if "://" in database else Path(database)


def has_changed(database: str, digest: str) -> bool:
    """Whether a database that is still there has other data than when ``digest`` was taken."""
    path = _path(database)
    return path is not None and path.is_file() and _digest(database) != digest


def _digest(database: str) -> str:
    path = _path(database)
    if path is None:
        return _sha256(hide_password(database).encode())
    try:
        parts = list(_digests_of(path))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    return parts[0] if len(parts) == 1 else _sha256("".join(parts).encode())


def _digests_of(path: Path) -> Iterator[str]:
    """Of the file, and of the rows beside it that SQLite has not written into it yet."""
    for part in (path, path.with_name(f"{path.name}-wal")):
        if part == path or (part.is_file() and part.stat().st_size):
            yield _digest_of_file(part)


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        if about.st_size <= READ_WHOLE:
            return hashlib.file_digest(file, "sha256").hexdigest()
        head = file.read(ENDS)
        file.seek(-ENDS, os.SEEK_END)
        return _sha256(b"%d %d " % (about.st_size, about.st_mtime_ns) + head + file.read(ENDS))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
