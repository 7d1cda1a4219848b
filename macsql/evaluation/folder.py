"""``RunFolder``: a run on disk that a killed or second process, or a full disk, cannot harm.

run.json          the manifest: what was run, on what data, how
answers.jsonl     one line for each answered question, in the order in which they ended
verdicts.jsonl    one line for each judged answer
traces/ID.json    the whole conversation of a question
summary.json      the figures, written at the end
"""

import hashlib
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

from macsql import __version__
from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.example import Rule
from macsql.evaluation.folder_lines import PARTIAL, JsonLines, write_whole, writing
from macsql.evaluation.sources import listed
from macsql.evaluation.verdict import Verdict

__all__ = ["Manifest", "RunFolder"]

MANIFEST, ANSWERS, VERDICTS, SUMMARY = "run.json", "answers.jsonl", "verdicts.jsonl", "summary.json"
LOCK = ".lock"
TRACES = "traces"
_FREE_TO_DIFFER = frozenset({"command", "started", "ended", "notes", "databases"})
_PLAIN_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is: two runs with the same manifest would give the same scores.

    ``kind`` is "eval" where a model answered, "score" for a file of predictions. ``benchmark`` is
    the name that is printed, ``checksum`` that of its questions, ``ids`` the questions asked.
    ``model``, ``prompts`` and ``agents`` say who answered; ``options`` all else that changes an
    answer or a verdict (the number of workers does not). ``started`` and ``ended`` are times in
    UTC (ISO 8601); ``ended`` is empty while questions are left. ``notes`` are lines for readers.
    ``databases`` says where each database was, by ``db_id``, so that a report can show results;
    ``digests`` says what was in them (see ``database_files``). A run of before there were any has
    none, and is not held to them.
    """

    kind: Literal["eval", "score"]
    benchmark: str
    rule: Rule
    checksum: str
    ids: tuple[str, ...]
    model: str = ""
    prompts: str = ""
    agents: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    macsql: str = __version__
    command: str = ""
    started: str = ""
    ended: str = ""
    notes: tuple[str, ...] = ()
    databases: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the inverse of ``from_dict``."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("ids", "agents", "notes"):
            values[name] = list(values[name])
        for name in ("options", "databases", "digests"):
            values[name] = dict(values[name])
        return values

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Manifest":
        """Read what ``to_dict`` wrote; unknown entries are ignored.

        Raises ValueError when an entry that must be there is missing or of the wrong kind.
        """
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in data.items() if name in known}
        try:
            for name in ("ids", "agents", "notes"):
                values[name] = tuple(values.get(name, ()))
            return cls(**values)
        except TypeError as error:
            raise ValueError(f"not the manifest of a run: {error}") from error


class RunFolder:
    """A run on disk; a context manager. ``create`` writes, ``open`` only reads.

    ``answers`` and ``verdicts`` are by id. The first line of an id counts, another one does not.
    Adding is safe from several threads: a line is written whole, an answer that was paid for is
    also synced to the disk, before it counts.
    """

    def __init__(self, path: Path, manifest: Manifest, lock: IO[bytes] | None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock
        is_paid_for = manifest.kind == "eval"
        self._answers = JsonLines(path / ANSWERS, Answer.from_dict, synced=is_paid_for)
        self._verdicts = JsonLines(path / VERDICTS, Verdict.from_dict, synced=False)

    @classmethod
    def create(cls, path: Path, manifest: Manifest) -> "RunFolder":
        """The run in that folder, begun or gone on with; nobody else can write there meanwhile.

        What a killed process left half-written is cut off, to be done again. Raises ConfigError
        when another process is at work there, when the folder holds something else or a run with
        another manifest (the line names what differs), and when it cannot be written.
        """
        path = Path(path)
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / LOCK).open("ab")
        try:
            with writing(path):
                _take(lock, path)
                agreed = _agreed(path, manifest)
        except BaseException:
            lock.close()
            raise
        folder = cls(path, agreed, lock)
        try:
            with writing(path):
                folder._mend()
        except BaseException:
            folder.close()
            raise
        return folder

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """The run in that folder, to read; it may be at work. Raises ConfigError when none is."""
        path = Path(path)
        manifest = _read_manifest(path)
        if manifest is None:
            raise ConfigError(f"There is no run in {path}: it has no {MANIFEST}.")
        folder = cls(path, manifest, None)
        folder._answers.read()
        folder._verdicts.read()
        return folder

    @property
    def answers(self) -> dict[str, Answer]:
        """The answers so far, by id."""
        return self._answers.by_id

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts so far, by id."""
        return self._verdicts.by_id

    def add_answer(self, answer: Answer) -> bool:
        """Write one answer; False, and nothing done, when its id has one.

        Raises ConfigError when it cannot be written, as on a full disk.
        """
        return self._answers.add(answer)

    def add_verdict(self, verdict: Verdict) -> bool:
        """Write one verdict; False, and nothing done, when its id has one.

        Raises ConfigError when it cannot be written, as on a full disk.
        """
        return self._verdicts.add(verdict)

    def forget(self, ids: Collection[str]) -> None:
        """Take back the answers and verdicts of these ids, so that they are asked again."""
        if not ids:
            return
        # In this order an interruption leaves answers without verdicts, which are judged again.
        self._verdicts.remove(ids)
        self._answers.remove(ids)

    def trace_name(self, id_: str) -> str:
        """The trace file of a question, relative to the folder, whatever signs its id has."""
        # Some file systems do not tell capitals from small letters.
        if not _PLAIN_ID.fullmatch(id_):
            plain = re.sub(r"[^A-Za-z0-9_-]", "_", id_)[:60]
            id_ = f"{plain}.{hashlib.sha256(id_.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        return f"{TRACES}/{id_}.json"

    def finish(self, summary: Mapping[str, Any] | None = None) -> None:
        """Note the time of the end, and keep ``summary`` beside the answers."""
        self.manifest = replace(self.manifest, ended=_now())
        with writing(self.path):
            if summary is not None:
                _write_json(self.path / SUMMARY, summary)
            _write_json(self.path / MANIFEST, self.manifest.to_dict())

    def close(self) -> None:
        """Sync what was written and let others write. May be called twice."""
        self._answers.close()
        self._verdicts.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _mend(self) -> None:
        """Cut off unfinished lines; a verdict whose answer was cut goes too."""
        self._answers.open()
        self._verdicts.open()
        if orphans := self._verdicts.by_id.keys() - self._answers.by_id.keys():
            self._verdicts.remove(orphans)
        (self.path / TRACES).mkdir(exist_ok=True)


def _agreed(path: Path, manifest: Manifest) -> Manifest:
    """The manifest of the run that goes on, or the new one, written.

    Raises ConfigError when the folder holds another run, or other files.
    """
    there = _read_manifest(path)
    if there is None:
        if others := sorted(p.name for p in path.iterdir() if not _is_own(p.name)):
            raise ConfigError(
                f"{path} holds no run but other files, such as {others[0]}: give a new folder."
            )
        manifest = replace(manifest, started=_now(), ended="")
    else:
        if differing := list(_differences(there, manifest)):
            raise ConfigError(
                f"{path} holds another run: {'; '.join(differing)}. "
                "Go on with the same options, or give another folder."
            )
        manifest = replace(manifest, started=there.started, ended="")
    _write_json(path / MANIFEST, manifest.to_dict())
    return manifest


def _is_own(name: str) -> bool:
    """Whether a run that was killed at its very beginning may have left that file."""
    return name == LOCK or name.endswith(PARTIAL)


def _differences(there: Manifest, now: Manifest) -> Iterator[str]:
    old, new = there.to_dict(), json.loads(json.dumps(now.to_dict()))
    for name, value in new.items():
        if name in _FREE_TO_DIFFER or old[name] == value:
            continue
        if name == "options":
            for key in _differing(old[name], value):
                was, is_ = old[name].get(key), value.get(key)
                yield f"{key} is {_shown(was)} there, {_shown(is_)} now"
        elif name == "digests":
            yield from _other_data(old[name], value)
        elif name == "ids":
            yield f"the questions differ ({len(old[name])} there, {len(value)} now)"
        else:
            yield f"{name} is {_shown(old[name])} there, {_shown(value)} now"


def _other_data(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    if old and new:
        yield f"its databases had other data ({listed(_differing(old, new))})"


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return sorted(key for key in {*old, *new} if old.get(key) != new.get(key))


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _read_manifest(path: Path) -> Manifest | None:
    try:
        content = (path / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        return Manifest.from_dict(json.loads(content))
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path / MANIFEST} is not of a run: {error}.") from error


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    write_whole(path, (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode("ascii"))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _take(lock: IO[bytes], path: Path) -> None:
    """Lock for this process; the system lets go when the process ends, however it ends.

    Raises ConfigError when another process has it.
    """
    # The lock is the process's own: children that outlive it do not hold it.
    try:
        if sys.platform == "win32":
            import msvcrt

            lock.seek(0)
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ConfigError(
            f"Another process is at work in {path}: wait for its end, or give another folder."
        ) from error
