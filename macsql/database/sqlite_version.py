"""What tells one state of a SQLite file from another, without reading its data."""

from pathlib import Path

from macsql.database.engines import Version

_HEADER = 100
_CHANGE_COUNTER = slice(24, 28)
_SCHEMA_COOKIE = slice(40, 44)
_WAL_HEADER = 32


def file_version(path: Path) -> Version | None:
    """The version of the file at ``path`` and of its write-ahead log; None when it cannot be read.

    Every change is in the size, the time, the change counter or the schema cookie (see
    https://www.sqlite.org/fileformat2.html), or else still in the log.
    """
    try:
        file = path.resolve()
        status = file.stat()
        with file.open("rb") as opened:
            head = opened.read(_HEADER)
        marks = [status.st_size, status.st_mtime_ns, head[_CHANGE_COUNTER].hex()]
        marks.append(head[_SCHEMA_COOKIE].hex())
        size = status.st_size
        log = Path(f"{file}-wal")
        if log.exists():
            status = log.stat()
            with log.open("rb") as opened:
                marks += [status.st_size, status.st_mtime_ns, opened.read(_WAL_HEADER).hex()]
            size += status.st_size
    except OSError:
        return None
    return Version(str(file), " ".join(map(str, marks)), size)
