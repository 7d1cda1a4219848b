"""Where value indexes are kept: a file for each database, removed when long not opened."""

import hashlib
import os
import re
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

from macsql.database.engines import Version

FORMAT = 4
"""Part of the file's name: another form of file is another file."""
UNUSED_DAYS = 90
REMOVED_AT_ONCE = 5

_NAME = re.compile(r"[0-9a-f]{20}\.\d+\.sqlite")


def file_of(folder: Path | None, version: Version | None, small: int) -> Path | None:
    """The file for a database; None where there is to be none, as under ``small`` bytes."""
    if folder is None or version is None or not version.database or version.size < small:
        return None
    digest = hashlib.sha256(version.database.encode("utf-8", "surrogateescape")).hexdigest()
    return folder / f"{digest[:20]}.{FORMAT}.sqlite"


def note_use(file: Path) -> None:
    """Remember that the file was opened, and remove a few others that long were not.

    What cannot be done is left: it will be tried again.
    """
    with suppress(OSError):
        os.utime(file)
    with suppress(OSError):
        for unused in islice(_unused(file.parent), REMOVED_AT_ONCE):
            with suppress(OSError):
                unused.unlink()


def _unused(folder: Path) -> list[Path]:
    limit = time.time() - UNUSED_DAYS * 24 * 60 * 60
    files = (file for file in folder.iterdir() if _NAME.fullmatch(file.name))
    # A journal belongs to a build that was stopped, and is not left without its file.
    return [
        file
        for file in files
        if file.stat().st_mtime < limit and not Path(f"{file}-journal").exists()
    ]
