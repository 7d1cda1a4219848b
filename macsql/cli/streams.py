"""stdout and stderr as a shell wants them: one line for an error, no noise on a closed pipe."""

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from macsql.errors import ConfigError

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def open_streams() -> None:
    """Let no character fail for want of an encoding, nor a closed stream for being closed."""
    # A stream that the shell closed is None; what replaces it lives as long as the process.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def report(text: str) -> None:
    """One line on stderr, whatever the text is."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"macsql: {' '.join(printable(text).split())}\n")
        sys.stderr.flush()


def write(text: str) -> None:
    """A line, or several, on stdout."""
    sys.stdout.write(text + "\n")


def write_json(document: Any) -> None:
    """One JSON document; in plain ASCII where stdout cannot hold the rest."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    write(json.dumps(document, ensure_ascii=not is_utf8, allow_nan=False, indent=2))


def write_bytes(content: bytes) -> None:
    """Bytes on stdout, past the text layer, which changes the ends of lines on Windows."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Around writing to stdout: a closed pipe passes as BrokenPipeError, the rest as ConfigError.

    After either, stdout goes nowhere, so that the end of the process cannot fail on it again.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        discard_stdout()
        if isinstance(error, BrokenPipeError):
            raise
        raise ConfigError(f"The output cannot be written: {error.strerror or error}.") from error


def discard_stdout() -> None:
    """Let stdout go nowhere from now on."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def printable(text: str) -> str:
    """``text`` with its lines, without anything else that steers a terminal.

    >>> printable("a\\n\\x1b[2Jb")
    'a\\n[2Jb'
    """
    return _STEERING.sub("", text.replace("\r\n", "\n"))
