"""JSON lines that only grow: a line is in the file whole or not at all."""

import contextlib
import json
import os
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from macsql.errors import ConfigError

__all__ = ["PARTIAL", "JsonLines", "write_whole", "writing"]

PARTIAL = ".partial"
"""The end of the name of a file that is being written."""


class _Line(Protocol):
    @property
    def id(self) -> str: ...

    def to_dict(self) -> dict[str, Any]: ...


L = TypeVar("L", bound=_Line)


class JsonLines(Generic[L]):
    """A file of JSON lines that only grows, and what is in it by id."""

    def __init__(self, path: Path, parse: Callable[[dict[str, Any]], L], *, synced: bool) -> None:
        self.path = path
        self.by_id: dict[str, L] = {}
        self._parse = parse
        self._synced = synced
        self._file: IO[bytes] | None = None
        self._mutex = threading.Lock()

    def read(self) -> int:
        """Read all whole lines; where they end in the file."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error.strerror or error}.") from error
        end = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:end].split(b"\n")[:-1], 1):
            try:
                read = self._parse(json.loads(line))
            except (ValueError, TypeError, AttributeError) as error:
                raise ConfigError(
                    f"Line {number} of {self.path} cannot be read ({error}): "
                    "remove that line, and its question is done again."
                ) from error
            self.by_id.setdefault(read.id, read)
        return end

    def open(self) -> None:
        """Read, cut off an unfinished line, and make ready to add."""
        end = self.read()
        self._file = self.path.open("ab", buffering=0)
        self._file.truncate(end)

    def add(self, line: L) -> bool:
        """Append; afterwards the file holds the whole line, or is as it was.

        An interruption may come when the line is whole: it then counts when the file is read again.
        """
        # Half of a surrogate pair survives as an escape.
        text = json.dumps(line.to_dict(), ensure_ascii=True, allow_nan=False)
        content = text.encode("ascii") + b"\n"
        with self._mutex:
            if line.id in self.by_id:
                return False
            with writing(self.path):
                self._append(content)
            self.by_id[line.id] = line
        return True

    def remove(self, ids: Collection[str]) -> None:
        """Write the file anew without these ids; it is whole at any moment."""
        with self._mutex, writing(self.path):
            kept = {id_: line for id_, line in self.by_id.items() if id_ not in ids}
            text = "".join(json.dumps(x.to_dict()) + "\n" for x in kept.values())
            write_whole(self.path, text.encode("ascii"))
            if self._file is not None:
                self._file.close()
            self._file = self.path.open("ab", buffering=0)
            self.by_id = kept

    def close(self) -> None:
        """Sync and close. May be called twice."""
        with self._mutex:
            if self._file is not None and not self._file.closed:
                with contextlib.suppress(OSError):
                    os.fsync(self._file.fileno())
                self._file.close()

    def _append(self, content: bytes) -> None:
        if self._file is None:
            raise ConfigError(f"{self.path} was opened to read only.")
        start = self._file.seek(0, os.SEEK_END)
        try:
            left = content
            while left:
                left = left[self._file.write(left) :]
            if self._synced:
                os.fsync(self._file.fileno())
        except BaseException as error:
            # Ctrl-C while the line is synced does not take back what was paid for.
            is_whole = self._file.seek(0, os.SEEK_END) == start + len(content)
            if isinstance(error, OSError) or not is_whole:
                with contextlib.suppress(OSError):
                    self._file.truncate(start)
            raise


def write_whole(path: Path, content: bytes) -> None:
    """The file has its old content or ``content``, never a part."""
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the system objects to while writing, as a ConfigError about ``path``."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}. What was finished is kept."
        ) from error
