import threading

import pytest

from macsql.errors import LLMError
from macsql.llm import LLM, ScriptedLLM, estimate_tokens

ASK = [{"role": "user", "content": "One?"}]


def test_is_a_model():
    assert isinstance(ScriptedLLM([]), LLM)


def test_replies_come_in_order():
    model = ScriptedLLM(["a", lambda messages: messages[0]["content"] + "!", "c"])
    assert [model.complete(ASK)[0].text for _ in range(3)] == ["a", "One?!", "c"]


def test_an_exception_is_raised_in_its_turn():
    model = ScriptedLLM([LLMError("down", retryable=True), "b"])
    with pytest.raises(LLMError, match="down"):
        model.complete(ASK)
    assert model.complete(ASK)[0].text == "b"
    assert model.calls == [tuple(ASK), tuple(ASK)]


def test_several_completions_take_several_replies():
    replies = ScriptedLLM(["a", "b", "c"]).complete(ASK, n=2)
    assert [r.text for r in replies] == ["a", "b"]
    assert [r.usage.calls for r in replies] == [1, 0]


def test_running_out_says_so():
    model = ScriptedLLM(["a"])
    model.complete(ASK)
    with pytest.raises(LLMError, match="only 1 reply; reply 2"):
        model.complete(ASK)


def test_loop_starts_again():
    model = ScriptedLLM(["a", "b"], loop=True)
    assert "".join(model.complete(ASK)[0].text for _ in range(5)) == "ababa"


def test_a_loop_of_nothing_runs_out():
    with pytest.raises(LLMError, match="only 0 replies"):
        ScriptedLLM([], loop=True).complete(ASK)


def test_one_text_is_one_reply():
    assert ScriptedLLM("abc").complete(ASK)[0].text == "abc"


def test_threads_get_each_reply_once():
    model = ScriptedLLM([str(i) for i in range(200)])
    got = []

    def ask():
        got.extend(model.complete(ASK)[0].text for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got, key=int) == [str(i) for i in range(200)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("SELECT 1", 3), ("é", 1), ("学校", 3), ("\ud800", 2)],
)
def test_estimate_of_tokens(text, tokens):
    assert estimate_tokens(text) == tokens
