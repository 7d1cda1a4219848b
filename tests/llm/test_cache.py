import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from macsql.errors import ConfigError, LLMError
from macsql.llm import Completion, ScriptedLLM, Usage
from macsql.llm.cache import CachedLLM, RecordingLLM, ReplayLLM

ASK = [{"role": "system", "content": "sys"}, {"role": "user", "content": "One?"}]


def user(text):
    return [{"role": "user", "content": text}]


class TestCached:
    def test_same_request_is_paid_for_once(self, tmp_path):
        paid = ScriptedLLM(["SELECT 1", "SELECT 2"])
        model = CachedLLM(paid, tmp_path)
        first, second = model.complete(ASK)[0], model.complete(ASK)[0]
        assert first.text == second.text == "SELECT 1"
        assert len(paid.calls) == 1
        assert (first.usage.replayed, second.usage.replayed) == (0, 1)
        assert second.usage.input_tokens == first.usage.input_tokens

    def test_a_kept_reply_costs_nothing(self, tmp_path):
        class Dear(ScriptedLLM):
            def complete(self, messages, **options):
                return [Completion("x", Usage(10, 0, 1, 2.5, calls=1))]

        model = CachedLLM(Dear([]), tmp_path)
        assert [model.complete(ASK)[0].usage.cost for _ in range(2)] == [2.5, 0.0]

    def test_later_runs_find_it(self, tmp_path):
        CachedLLM(ScriptedLLM(["a"]), tmp_path).complete(ASK)
        assert CachedLLM(ScriptedLLM([]), tmp_path).complete(ASK)[0].text == "a"

    @pytest.mark.parametrize(
        "other",
        [
            {"n": 2},
            {"temperature": 0.5},
            {"max_tokens": 5},
            {"stop": [";"]},
            {"response_format": "json"},
        ],
    )
    def test_other_arguments_are_another_request(self, tmp_path, other):
        paid = ScriptedLLM(list("abcdef"))
        model = CachedLLM(paid, tmp_path)
        model.complete(ASK)
        model.complete(ASK, **other)
        assert len(paid.calls) == 2

    def test_another_model_is_another_request(self, tmp_path):
        CachedLLM(ScriptedLLM(["a"]), tmp_path).complete(ASK)
        other = ScriptedLLM(["b"])
        other.name = "other"
        assert CachedLLM(other, tmp_path).complete(ASK)[0].text == "b"

    @pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"request": 1}', "\x00\xff"])
    def test_a_damaged_file_is_asked_for_again(self, tmp_path, damage):
        model = CachedLLM(ScriptedLLM(["a", "b"]), tmp_path)
        model.complete(ASK)
        (file,) = tmp_path.rglob("*.json")
        file.write_text(damage, "latin-1")
        assert model.complete(ASK)[0].text == "b"
        assert model.complete(ASK)[0].text == "b"

    def test_an_error_is_not_kept(self, tmp_path):
        model = CachedLLM(ScriptedLLM([LLMError("down"), "a"]), tmp_path)
        with pytest.raises(LLMError):
            model.complete(ASK)
        assert model.complete(ASK)[0].text == "a"

    def test_a_folder_that_cannot_be_written_does_not_lose_the_reply(self, tmp_path):
        blocked = tmp_path / "file"
        blocked.write_text("")
        assert CachedLLM(ScriptedLLM(["a"]), blocked).complete(ASK)[0].text == "a"

    def test_nothing_half_written_stays(self, tmp_path):
        CachedLLM(ScriptedLLM(["a"]), tmp_path).complete(ASK)
        assert [f.suffix for f in tmp_path.rglob("*") if f.is_file()] == [".json"]


class TestRecording:
    def record(self, file, replies, asks):
        model = RecordingLLM(ScriptedLLM(replies), file)
        return [model.complete(user(text)) for text in asks]

    def test_a_replay_is_the_run(self, tmp_path):
        file = tmp_path / "run.jsonl"
        recorded = self.record(file, ["a", "b", "c"], ["1", "2", "3"])
        replay = ReplayLLM(file)
        replayed = [replay.complete(user(text)) for text in "123"]
        assert [[c.text for c in reply] for reply in replayed] == [["a"], ["b"], ["c"]]
        for old, new in zip(recorded, replayed, strict=True):
            assert (old[0].usage.input_tokens, old[0].usage.cost) == (
                new[0].usage.input_tokens,
                new[0].usage.cost,
            )
            assert (old[0].usage.replayed, new[0].usage.replayed) == (0, 1)

    def test_the_same_request_is_replayed_in_order(self, tmp_path):
        file = tmp_path / "run.jsonl"
        self.record(file, ["a", "b"], ["1", "1"])
        replay = ReplayLLM(file)
        assert [replay.complete(user("1"))[0].text for _ in range(2)] == ["a", "b"]
        with pytest.raises(LLMError, match="ends with '1' was recorded only 2 times"):
            replay.complete(user("1"))

    def test_a_new_request_is_named(self, tmp_path):
        file = tmp_path / "run.jsonl"
        self.record(file, ["a"], ["1"])
        with pytest.raises(LLMError, match="ends with 'how many\\?' was not recorded") as caught:
            ReplayLLM(file).complete(user("how\nmany?"))
        assert not caught.value.retryable

    def test_an_error_is_replayed(self, tmp_path):
        file = tmp_path / "run.jsonl"
        model = RecordingLLM(ScriptedLLM([LLMError("down", retryable=True), "a"]), file)
        with pytest.raises(LLMError):
            model.complete(ASK)
        model.complete(ASK)
        replay = ReplayLLM(file)
        with pytest.raises(LLMError, match="down") as caught:
            replay.complete(ASK)
        assert caught.value.retryable
        assert replay.complete(ASK)[0].text == "a"

    def test_name_window_and_token_counts_are_those_of_the_model(self, tmp_path):
        file = tmp_path / "run.jsonl"
        counting = ScriptedLLM([], context_window=77)
        counting.name = "some-model"
        counting.count_tokens = lambda text: 42
        assert RecordingLLM(counting, file).count_tokens("text") == 42
        replay = ReplayLLM(file)
        assert (replay.name, replay.context_window) == ("some-model", 77)
        assert (replay.count_tokens("text"), replay.count_tokens("new")) == (42, 1)

    def test_a_torn_last_line_is_ignored(self, tmp_path):
        file = tmp_path / "run.jsonl"
        self.record(file, ["a", "b"], ["1", "2"])
        file.write_bytes(file.read_bytes()[:-20])
        replay = ReplayLLM(file)
        assert replay.complete(user("1"))[0].text == "a"
        with pytest.raises(LLMError, match="not recorded"):
            replay.complete(user("2"))

    def test_a_recording_goes_on_after_a_torn_line(self, tmp_path):
        file = tmp_path / "run.jsonl"
        self.record(file, ["a", "b"], ["1", "2"])
        file.write_bytes(file.read_bytes()[:-20])
        self.record(file, ["c"], ["3"])
        replay = ReplayLLM(file)
        assert [replay.complete(user(t))[0].text for t in "13"] == ["a", "c"]

    @pytest.mark.parametrize("text", ["", "hello\n", "{}\n", "[]\n", '{"request": 1}\n', "\xff\n"])
    def test_another_file_is_no_recording(self, tmp_path, text):
        file = tmp_path / "run.jsonl"
        file.write_text(text, "latin-1")
        with pytest.raises(ConfigError, match=r"run\.jsonl"):
            ReplayLLM(file)

    def test_a_missing_recording(self, tmp_path):
        with pytest.raises(ConfigError, match="cannot read the recording"):
            ReplayLLM(tmp_path / "none.jsonl")

    def test_a_place_that_cannot_be_written(self, tmp_path):
        with pytest.raises(ConfigError, match="cannot write the recording"):
            RecordingLLM(ScriptedLLM([]), tmp_path)

    def test_threads_write_whole_lines(self, tmp_path):
        file = tmp_path / "run.jsonl"
        model = RecordingLLM(ScriptedLLM(["x"], loop=True), file)

        def ask(thread):
            for i in range(10):
                model.complete(user(f"{thread} {i}"))

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert len([line for line in lines if "request" in line]) == 40


texts = st.text(st.characters(), max_size=30)


@settings(max_examples=60, deadline=None)
@given(asked=texts, said=texts, stop=st.lists(texts, max_size=2))
def test_any_text_survives_recording_and_keeping(asked, said, stop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    file = folder / "run.jsonl"
    model = CachedLLM(RecordingLLM(ScriptedLLM([said]), file), folder)
    replies = [model.complete(user(asked), stop=stop) for _ in range(2)]
    replies.append(ReplayLLM(file).complete(user(asked), stop=stop))
    assert [reply[0].text for reply in replies] == [said] * 3
