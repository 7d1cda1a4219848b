import pytest

from macsql.errors import LLMError
from macsql.llm import open_model

KEY = "sk-ant-test-0123456789"
ASK = [{"role": "system", "content": "You write SQL."}, {"role": "user", "content": "One?"}]


def message(text, stop_reason="end_turn"):
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}] if text is not None else [],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 60,
            "cache_creation_input_tokens": 30,
            "output_tokens": 7,
        },
    }


def failure(kind, text):
    return {"type": "error", "error": {"type": kind, "message": text}}


@pytest.fixture
def model(player):
    return open_model("anthropic:m", base_url=player.url, api_key=KEY)


def test_reply_and_usage(player, model):
    player.play(message("SELECT 1"))
    reply = model.complete(ASK, max_tokens=50, stop=["```", "\n\n"])[0]
    usage = reply.usage
    assert (reply.text, reply.finish_reason) == ("SELECT 1", "stop")
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (100, 60, 7)
    sent = player.requests[0]
    assert sent["messages"] == ASK[1:]
    assert (sent["max_tokens"], sent["stop_sequences"]) == (50, ["```"])
    assert KEY in player.headers[0].get("authorization", player.headers[0].get("x-api-key", ""))


def test_system_prompt_is_marked_for_the_cache(player, model):
    player.play(message("x"))
    model.complete(ASK)
    assert player.requests[0]["system"] == [
        {"type": "text", "text": "You write SQL.", "cache_control": {"type": "ephemeral"}}
    ]


def test_stop_words_of_white_space_cut_the_reply_here(player, model):
    player.play(message("SELECT 1\n\nThis gives one."))
    assert model.complete(ASK, stop=["\n\n"])[0].text == "SELECT 1"


def test_a_cut_reply_says_so(player, model):
    player.play(message("SELECT", "max_tokens"))
    assert model.complete(ASK)[0].finish_reason == "length"


def test_a_reply_without_text_is_empty(player, model):
    player.play(message(None))
    assert model.complete(ASK)[0].text == ""


def test_refusal_is_an_error(player, model):
    player.play(message("", "refusal"))
    with pytest.raises(LLMError, match="refused to answer"):
        model.complete(ASK)


def test_several_replies_are_several_calls(player, model):
    player.play(message("a"), message("b"))
    replies = model.complete(ASK, n=2, temperature=1.0)
    assert [r.text for r in replies] == ["a", "b"]
    assert [r.usage.calls for r in replies] == [2, 0]


def test_overload_is_tried_again(player, model, answers):
    body = failure("overloaded_error", "Overloaded")
    player.play(answers(body, 529, **{"retry-after-ms": "1"}), message("SELECT 1"))
    assert model.complete(ASK)[0].text == "SELECT 1"


def test_no_temperature_is_sent(player, model):
    player.play(message("SELECT 1"))
    model.complete(ASK, temperature=0.5)
    assert "temperature" not in player.requests[0]


def test_wrong_key(player, model, answers):
    player.play(answers(failure("authentication_error", f"invalid x-api-key {KEY}"), 401))
    with pytest.raises(LLMError, match="set ANTHROPIC_API_KEY") as caught:
        model.complete(ASK)
    assert KEY not in str(caught.value)
    assert not caught.value.retryable


def test_missing_key():
    with pytest.raises(LLMError, match="needs an API key: set ANTHROPIC_API_KEY"):
        open_model("anthropic:m")


@pytest.mark.parametrize("body", ["{", "{}", "<html>", "null"])
def test_answer_of_another_kind(player, model, answers, body):
    player.play(answers(body))
    with pytest.raises(LLMError, match="the answer is not"):
        model.complete(ASK)
