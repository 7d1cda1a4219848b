"""The folder of a run: nothing lost, doubled or mixed, whatever happens to the process."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.folder import Manifest, RunFolder
from macsql.evaluation.verdict import Verdict

IDS = tuple(str(i) for i in range(5))
MANIFEST = Manifest("eval", "toy", "spider", "c0ffee", IDS, "scripted", "default", ("selector",))


def answer(id_: str, sql: str = "SELECT 1") -> Answer:
    return Answer(id_, "shop", "How many?", "SELECT 1", sql)


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "run", MANIFEST) as folder:
        folder.add_answer(answer("0", 'SELECT "ü\ud800\n"'))
        folder.add_verdict(Verdict("0", "shop", ex=True))
        folder.finish({"n": 1})
    read = RunFolder.open(tmp_path / "run")
    assert read.answers == {"0": answer("0", 'SELECT "ü\ud800\n"')}
    assert read.verdicts == {"0": Verdict("0", "shop", ex=True)}
    assert read.manifest.ended
    assert replace(read.manifest, started="", ended="") == MANIFEST
    assert json.loads((tmp_path / "run" / "summary.json").read_text()) == {"n": 1}


def test_a_second_line_of_an_id_does_not_count(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        assert folder.add_answer(answer("0"))
        assert not folder.add_answer(answer("0", "SELECT 2"))
    line = json.dumps(answer("0", "SELECT 3").to_dict()) + "\n"
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write(line)
    assert RunFolder.open(tmp_path).answers == {"0": answer("0")}


def test_a_cut_line_is_done_again(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        for id_ in "012":
            folder.add_answer(answer(id_))
            folder.add_verdict(Verdict(id_, "shop"))
    for name in ("answers.jsonl", "verdicts.jsonl"):
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[:-9])
    assert set(RunFolder.open(tmp_path).answers) == {"0", "1"}
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        assert set(folder.answers) == set(folder.verdicts) == {"0", "1"}
        folder.add_answer(answer("2"))
    lines = (tmp_path / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["0", "1", "2"]


def test_a_verdict_without_its_answer_is_done_again(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        folder.add_answer(answer("0"))
        folder.add_verdict(Verdict("0", "shop"))
    (tmp_path / "answers.jsonl").write_bytes(b'{"id": "0", "db')
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        assert (folder.answers, folder.verdicts) == ({}, {})


def test_forgetting_takes_answer_and_verdict_back(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        for id_ in "01":
            folder.add_answer(answer(id_))
            folder.add_verdict(Verdict(id_, "shop"))
        folder.forget({"0"})
        folder.add_answer(answer("0", "SELECT 2"))
    read = RunFolder.open(tmp_path)
    assert read.answers == {"1": answer("1"), "0": answer("0", "SELECT 2")}
    assert set(read.verdicts) == {"1"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"checksum": "bad"}, "checksum is c0ffee there, bad now"),
        ({"model": "local"}, "model is scripted there, local now"),
        ({"prompts": "paper"}, "prompts is default there, paper now"),
        ({"agents": ("refiner",)}, "agents is selector there, refiner now"),
        ({"options": {"shots": 1}}, "shots is None there, 1 now"),
        ({"ids": IDS[:2]}, "the questions differ (5 there, 2 now)"),
        ({"macsql": "9"}, "macsql is"),
    ],
)
def test_a_run_with_another_manifest_is_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    RunFolder.create(tmp_path, MANIFEST).close()
    with pytest.raises(ConfigError) as caught:
        RunFolder.create(tmp_path, replace(MANIFEST, **change))  # type: ignore[arg-type]
    assert said in str(caught.value)
    RunFolder.create(tmp_path, replace(MANIFEST, command="other words")).close()


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"a": "1", "b": "2"}, ""),
        ({"a": "1", "b": "3"}, "its databases had other data (b)"),
        ({"a": "2", "b": "1"}, "its databases had other data (a, b)"),
        ({"a": "1"}, "its databases had other data (b)"),
        ({"a": "1", "b": "2", "b, test suite": "4"}, "other data (b, test suite)"),
    ],
)
def test_a_run_goes_on_with_the_same_data_only(
    tmp_path: Path, now: dict[str, str], said: str
) -> None:
    there = replace(MANIFEST, digests={"a": "1", "b": "2"}, databases={"a": "/old/a"})
    RunFolder.create(tmp_path, there).close()
    moved = replace(MANIFEST, digests=now, databases={"a": "/new/a"})
    if not said:
        RunFolder.create(tmp_path, moved).close()
        return
    with pytest.raises(ConfigError) as caught:
        RunFolder.create(tmp_path, moved)
    assert said in str(caught.value)


def test_a_run_of_before_there_were_digests_opens_and_goes_on(tmp_path: Path) -> None:
    RunFolder.create(tmp_path, MANIFEST).close()
    old = json.loads((tmp_path / "run.json").read_text())
    del old["digests"]
    (tmp_path / "run.json").write_text(json.dumps(old))
    assert RunFolder.open(tmp_path).manifest.digests == {}
    RunFolder.create(tmp_path, replace(MANIFEST, digests={"a": "1"})).close()
    assert RunFolder.open(tmp_path).manifest.digests == {"a": "1"}


def not_a_run(path: Path) -> None:
    (path / "thesis.doc").write_text("")


def broken_manifest(path: Path) -> None:
    (path / "run.json").write_text("[]")


def broken_line(path: Path) -> None:
    RunFolder.create(path, MANIFEST).close()
    (path / "answers.jsonl").write_text("oops\n")


def a_file(path: Path) -> None:
    path.rmdir()
    path.write_text("")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (not_a_run, "thesis.doc"),
        (broken_manifest, "run.json is not of a run"),
        (broken_line, "Line 1 of .*answers.jsonl"),
        (a_file, "File exists"),
    ],
)
def test_a_folder_of_something_else_is_left_alone(
    tmp_path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    spoil(folder)
    with pytest.raises(ConfigError, match=said):
        RunFolder.create(folder, MANIFEST)
    with pytest.raises(ConfigError):
        RunFolder.open(folder)


def test_reading_writes_nothing(tmp_path: Path) -> None:
    RunFolder.create(tmp_path, MANIFEST).close()
    with pytest.raises(ConfigError, match="read only"):
        RunFolder.open(tmp_path).add_answer(answer("0"))


def test_traces_have_names_that_any_file_system_tells_apart(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        ids = ["12", "a", "A", "a/b", "a:b", "../../x", "", ".", "x" * 500, "ü", "\ud800"]
        names = [folder.trace_name(id_) for id_ in ids]
    assert names[0] == "traces/12.json"
    assert len({name.casefold() for name in names}) == len(ids)
    assert all(name.count("/") == 1 and len(name) < 120 and ".." not in name for name in names)


HOLDER = """
import sys, time
from tests.evaluation.test_folder import MANIFEST, RunFolder, answer
with RunFolder.create(sys.argv[1], MANIFEST) as folder:
    folder.add_answer(answer("0"))
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"ready\n"
        with pytest.raises(ConfigError, match="Another process is at work"):
            RunFolder.create(tmp_path, MANIFEST)
        assert set(RunFolder.open(tmp_path).answers) == {"0"}
        first.kill()
        first.wait()
        with RunFolder.create(tmp_path, MANIFEST) as folder:
            assert set(folder.answers) == {"0"}


FULL_DISK = """
import resource, sys
from tests.evaluation.test_folder import MANIFEST, RunFolder, answer
from macsql.errors import ConfigError
with RunFolder.create(sys.argv[1], MANIFEST) as folder:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    try:
        for id_ in MANIFEST.ids:
            folder.add_answer(answer(id_, "x" * 900))
    except ConfigError as error:
        print(len(folder.answers), error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on a file's size")
def test_a_full_disk_is_said_and_leaves_whole_lines(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert said.startswith("2 ")
    assert "cannot be written: File too large. What was finished is kept." in said
    assert (tmp_path / "answers.jsonl").read_bytes().count(b"\n") == 2
    with RunFolder.create(tmp_path, MANIFEST) as folder:
        assert set(folder.answers) == {"0", "1"}
        assert folder.add_answer(answer("2"))


ROOT = Path(__file__).parent.parent.parent
