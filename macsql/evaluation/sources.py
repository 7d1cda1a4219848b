"""Reading the files of benchmarks and predictions: UTF-8, JSON, and errors that say where."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from macsql.errors import ConfigError

_LISTED = 8


def read_text(path: Path) -> str:
    """The file's text, without a byte order mark.

    Raises ConfigError when it cannot be read; for bytes that are no UTF-8 it names the line.
    """
    content = _read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8; "
            "save the file as UTF-8."
        ) from error


def read_json(path: Path) -> Any:
    """The JSON document in a file. Raises ConfigError, naming the line, when it is none."""
    text = read_text(path)
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}, line {error.lineno}: not valid JSON: {error.msg}; "
            "the file may be cut off or of another kind."
        ) from error
    except _Repeated as error:
        raise ConfigError(f"{path}: the key {error} is there twice; keep one of them.") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply to be a file of questions.") from error


def read_entries(path: Path, required: Iterable[str], kind: str) -> list[dict[str, Any]]:
    """A JSON list of objects that all have the ``required`` fields, as texts.

    Raises ConfigError, naming the entry (from 1), when the file is not of this kind.
    """
    entries = read_json(path)
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{path} is no {kind} file: that is a JSON list of questions.")
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise ConfigError(f"{path}, entry {number}: not an object, so this is no {kind} file.")
        for name in required:
            if not isinstance(entry.get(name), str) or not entry[name].strip():
                raise ConfigError(
                    f'{path}, entry {number}: no "{name}", which each {kind} question has; '
                    f"there is {listed(entry)}."
                )
    return entries


class BadLine(Exception):
    """What is wrong with a line."""


def csv_records(text: str) -> Iterator[tuple[int, dict[str, str] | BadLine]]:
    """Number of the first line of each record, and its fields by the names of the first line.

    The delimiter is the comma, semicolon or tab of which the first line has most.

    >>> list(csv_records("id;sql\\n7;SELECT 1, 2\\n"))
    [(2, {'id': '7', 'sql': 'SELECT 1, 2'})]
    """
    head = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True
    )
    names: list[str] | None = None
    start = 1
    try:
        for record in reader:
            number, start = start, reader.line_num + 1
            if names is None:
                names = [name.strip() for name in record]
                if twice := next((n for n in names if n and names.count(n) > 1), ""):
                    yield number, BadLine(f'the column "{twice}" is there twice; keep one of them')
                    return
            elif len(record) > len(names):
                yield number, BadLine(f"{len(record)} fields, but the first line has {len(names)}")
            elif record:
                yield number, dict(zip(names, record, strict=False))
    except csv.Error as error:
        yield start, BadLine(f"not valid CSV: {error}")


def checksum(files: Sequence[Path]) -> str:
    """What ``sha256sum FILES | sha256sum`` prints in the folder of the files."""
    lines = (f"{digest(path)}  {path.name}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal. Raises ConfigError when it cannot be read."""
    return hashlib.sha256(_read_bytes(path)).hexdigest()


def find_folder(data: Path, below: Sequence[str], files: Sequence[str], title: str) -> Path:
    """``data``, or the first of the folders ``below`` it, that has all the ``files``.

    Raises ConfigError that says what was looked for and what is there.
    """
    if not data.is_dir():
        what = "is no folder" if data.exists() else "does not exist"
        raise ConfigError(f"{data} {what}: give the folder of {title} with --data.")
    candidates = [*(data / name for name in below), data]
    for folder in candidates:
        if all((folder / name).exists() for name in files):
            return folder
    partly = [c for c in candidates if (c / files[0]).exists()]
    if partly:
        missing = next(name for name in files if not (partly[0] / name).exists())
        raise ConfigError(
            f"{title} has no {missing}: looked in {partly[0]}, where there is "
            f"{contents(partly[0])}."
        )
    raise ConfigError(
        f"There is no {title} in {data}: looked for {files[0]} there and in "
        f"{listed(name + '/' for name in below)}; there is {contents(data)}."
    )


def contents(folder: Path) -> str:
    """What is in a folder, for a message."""
    return listed(sorted(p.name + "/" * p.is_dir() for p in folder.iterdir())) or "nothing"


def listed(names: Iterable[object]) -> str:
    """At most eight names in a row, and how many more there are.

    >>> listed(["a", "b"]), listed(range(10))
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7 and 2 more')
    """
    known = [str(name) for name in names]
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return ", ".join(known[:_LISTED]) + more


def shortest_ends(paths: Sequence[Sequence[str]]) -> list[str]:
    """The ends, all of as many parts, that tell different paths apart.

    >>> shortest_ends([("a", "shop"), ("b", "shop")]), shortest_ends([("a", "x"), ("a", "y")])
    (['a/shop', 'b/shop'], ['x', 'y'])
    """
    longest = max(map(len, paths), default=1)
    for length in range(1, longest + 1):
        names = ["/".join(path[-length:]) for path in paths]
        if len(set(names)) == len(names):
            break
    return names


def missing_databases(databases: Mapping[str, Path]) -> list[str]:
    """The short names whose database file is not there."""
    return sorted(name for name, path in databases.items() if not path.is_file())


def refuse_missing(missing: Sequence[str], folder: Path) -> None:
    """Raise ConfigError when a database is ``missing`` that questions are about."""
    if not missing:
        return
    there = contents(folder) if folder.is_dir() else "no such folder"
    first = folder / missing[0] / f"{missing[0]}.sqlite"
    others = f", nor are {listed(missing[1:])}" if missing[1:] else ""
    raise ConfigError(f"The database {first} is not there{others}; in {folder} there is {there}.")


class _Repeated(ValueError):
    """A key that an object has twice."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Repeated(json.dumps(next(n for n in names if names.count(n) > 1)))
    return entry


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
