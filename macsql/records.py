"""Traces: the record that every question leaves, answered, failed or interrupted."""

import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from macsql.database.result import Result
from macsql.errors import ConfigError
from macsql.folders import write_whole
from macsql.message import Message
from macsql.redaction import hide_password

__all__ = ["hide_password", "load", "newest", "save", "trace_folder"]

ANSWER_BYTES = 200_000
"""About how much of the answer's rows a trace holds; of a candidate's rows, a tenth."""

_NAME = re.compile(r"\d{8}T\d{12}-[0-9a-f]{4}\.json")
_PARTIAL = ".partial"
_STALE_SECONDS = 3600.0


def save(
    message: Message,
    about: Mapping[str, str],
    *,
    keep: int = 200,
    file: Path | None = None,
    folder: Path | None = None,
) -> Path | None:
    """Write the trace of ``message``: to ``file``, else to the trace folder, where ``keep`` stay.

    ``about`` says what is not in the message (database, model, version). Nothing is written when
    ``keep`` is 0 and no ``file`` is given. Only the owner can read a trace, and nobody
    sees half of one. Raises OSError when it cannot be written.
    """
    if file is None and keep == 0:
        return None
    now = datetime.now(UTC)
    record = {"about": {"time": now.isoformat(timespec="seconds"), **about}, **_slim(message)}
    # A lone surrogate becomes the escape \udcXX, which is how JSON writes it.
    content = json.dumps(record, ensure_ascii=False).encode("utf-8", "backslashreplace")
    if file is not None:
        return _write(file, content)
    folder = folder or trace_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{now:%Y%m%dT%H%M%S%f}-{secrets.token_hex(2)}.json"
    path = _write(folder / name, content)
    _prune(folder, keep)
    return path


def load(path: Path) -> tuple[Message, dict[str, str]]:
    """The message of a trace, and what was written about it.

    Raises ConfigError when the file is missing or no trace.
    """
    try:
        record = json.loads(path.read_bytes())
        message = Message.from_dict(record)
    except OSError as error:
        raise ConfigError(f"The trace {path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no trace of macsql: {error}.") from error
    about = record.get("about")
    known = about if isinstance(about, dict) else {}
    return message, {str(key): str(value) for key, value in known.items()}


def newest(folder: Path | None = None) -> Path:
    """The trace written last. Raises ConfigError when there is none."""
    folder = folder or trace_folder()
    traces = _traces(folder)
    if not traces:
        raise ConfigError(f"There is no trace in {folder} yet: ask something first.")
    return traces[-1]


def trace_folder() -> Path:
    """Where traces are kept: below ``MACSQL_STATE_DIR``, else in the user's folder for states."""
    if given := os.environ.get("MACSQL_STATE_DIR"):
        return Path(given).expanduser() / "traces"
    from platformdirs import user_state_path

    return user_state_path("macsql", appauthor=False) / "traces"


def _traces(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def _prune(folder: Path, keep: int) -> None:
    """Remove the oldest traces, and what a killed process left half-written."""
    for path in _traces(folder)[:-keep]:
        with suppress(OSError):
            path.unlink()
    for path in folder.glob(f"*{_PARTIAL}"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink()


def _write(path: Path, content: bytes) -> Path:
    if path.exists() and not path.is_file():
        # A pipe or a device is written to; replacing it would remove it.
        path.write_bytes(content)
        return path
    path = Path(os.path.realpath(path))
    write_whole(path, content, suffix=_PARTIAL)
    return path


def _slim(message: Message) -> dict[str, object]:
    """The message as plain data with its results cut, so that traces stay small."""
    candidates = [replace(c, result=_cut(c.result, ANSWER_BYTES // 10)) for c in message.candidates]
    slim = replace(message, result=_cut(message.result, ANSWER_BYTES), candidates=candidates)
    return slim.to_dict()


def _cut(result: Result | None, budget: int) -> Result | None:
    """The first rows of ``result`` whose text is within ``budget`` characters."""
    if result is None:
        return None
    for count, row in enumerate(result.rows):
        budget -= sum(len(repr(cell)) for cell in row)
        if budget < 0:
            return replace(result, rows=result.rows[:count], truncated=True)
    return result
