"""Traces: whole, private, few, small, and without secrets."""

import json
import os
import stat
from pathlib import Path

import pytest

from macsql.database.result import Result
from macsql.errors import ConfigError
from macsql.llm.base import Usage
from macsql.message import Candidate, Finding, Message, Step
from macsql.records import hide_password, load, newest, save, trace_folder
from macsql.schema import Column, Schema, Table


def message(question: str = "How many pupils?", rows: int = 1) -> Message:
    result = Result(("n",), ("int",), tuple((i,) for i in range(rows)))
    return Message(
        question,
        Schema("sqlite", (Table("pupil", (Column("id", "INTEGER", examples=(1, None)),)),)),
        sql="SELECT count(*) FROM pupil",
        result=result,
        candidates=[Candidate("SELECT count(*) FROM pupil", "decomposer", result)],
        findings=(Finding("empty-result", "hint", "No rows.", span=(0, 3)),),
        steps=[Step("decomposer", "one query", ({"role": "user", "content": "?"},), "x", Usage(3))],
        seconds=1.5,
    )


def test_a_trace_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = save(message(), {"model": "m"}, folder=tmp_path)
    assert path is not None
    read, about = load(path)
    assert read == message()
    assert about["model"] == "m"
    assert "time" in about


@pytest.mark.parametrize("text", ["naïve ‘quotes’", "\udcff\ud800", "a\x00b\x1b[1m", "😀\u2028"])
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    path = save(message(text), {}, folder=tmp_path)
    assert path is not None
    assert load(path)[0].question == text


def test_only_the_newest_are_kept_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    paths = [save(message(str(i)), {}, keep=3, folder=tmp_path) for i in range(5)]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["mine.json", *(p.name for p in paths[2:] if p)]
    )
    assert newest(tmp_path) == paths[-1]


def test_keeping_none_writes_none(tmp_path: Path) -> None:
    assert save(message(), {}, keep=0, folder=tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_named_file_is_written_even_if_none_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("old")
    assert save(message(), {}, keep=0, file=file, folder=tmp_path / "unused") == file
    assert load(file)[0] == message()
    assert [p.name for p in tmp_path.iterdir()] == ["mine.json"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        save(message(), {}, file=pipe)
        assert json.loads(os.read(reader, 1_000_000))["question"] == "How many pupils?"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    save(message(), {}, file=link)
    assert link.is_symlink()
    assert load(target)[0] == message()


def test_only_the_owner_can_read_a_trace(tmp_path: Path) -> None:
    path = save(message(), {}, folder=tmp_path / "state" / "traces")
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "target.json"
    folder.mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        save(message(), {}, file=folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        save(message(), {}, folder=tmp_path / "file")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "target.json"]


def test_what_a_killed_process_left_is_removed_after_a_while(tmp_path: Path) -> None:
    old, new = tmp_path / "old.partial", tmp_path / "new.partial"
    old.write_text("{")
    new.write_text("{")
    os.utime(old, (0, 0))
    save(message(), {}, folder=tmp_path)
    assert (old.exists(), new.exists()) == (False, True)


def test_long_results_are_cut_and_say_so(tmp_path: Path) -> None:
    path = save(message(rows=50_000), {}, folder=tmp_path)
    assert path is not None
    assert path.stat().st_size < 1_000_000
    result = load(path)[0].result
    assert result is not None
    assert result.truncated
    assert 30_000 < len(result.rows) < 50_000


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', "\x00", "[" * 100_000])
def test_what_is_no_trace_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="is no trace of macsql"):
        load(path)


def test_a_missing_trace_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(ConfigError, match="There is no trace"):
        newest(tmp_path / "none")


def test_the_state_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MACSQL_STATE_DIR", str(tmp_path))
    assert trace_folder() == tmp_path / "traces"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:pa55@h/d", "postgresql://***@h/d"),
        ("postgresql+psycopg://u:p@55w/rd@h:5432/d", "postgresql+psycopg://***@h:5432/d"),
        ("mysql://token@h/d", "mysql://***@h/d"),
        ("postgresql://h/d?user=u&password=pa55", "postgresql://h/d?user=u&password=***"),
        ("https://h/v1?api_key=pa55&x=1", "https://h/v1?api_key=***&x=1"),
        ("sqlite:///data/shop.db", "sqlite:///data/shop.db"),
        ("me@work.sqlite", "me@work.sqlite"),
        ("", ""),
    ],
)
def test_passwords_are_hidden(url: str, shown: str) -> None:
    assert hide_password(url) == shown
