import gc
import socket

import pytest

from macsql.errors import LLMError
from macsql.llm import open_model
from macsql.llm.openai import OpenAILLM
from macsql.llm.remote import Remote

KEY = "sk-test-0123456789"
ASK = [{"role": "system", "content": "You write SQL."}, {"role": "user", "content": "One?"}]


def chat(*texts, finish="stop", usage=True, **message):
    choices = [
        {
            "index": i,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text, **message},
        }
        for i, text in enumerate(texts)
    ]
    answer = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    answer["choices"] = choices
    if usage:
        answer["usage"] = {
            "prompt_tokens": 100,
            "completion_tokens": 7,
            "total_tokens": 107,
            "prompt_tokens_details": {"cached_tokens": 64},
        }
    return answer


def failure(message, **more):
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


@pytest.fixture
def model(player):
    return open_model("openai:m", base_url=f"{player.url}/v1", api_key=KEY)


def test_reply_and_usage(player, model):
    player.play(chat("SELECT 1"))
    reply = model.complete(ASK, max_tokens=50, stop=["\n\n"])[0]
    assert (reply.text, reply.finish_reason) == ("SELECT 1", "stop")
    usage = reply.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (100, 64, 7)
    assert (usage.calls, usage.cost) == (1, None)
    sent = player.requests[0]
    assert sent == {
        "model": "m",
        "messages": ASK,
        "temperature": 0.0,
        "max_tokens": 50,
        "stop": ["\n\n"],
    }
    assert player.headers[0]["authorization"] == f"Bearer {KEY}"
    assert player.paths == ["/v1/chat/completions"]


def test_a_given_price_is_counted(player):
    player.play(chat("x"))
    model = open_model("openai:m", base_url=player.url, api_key=KEY, price=(10.0, 1.0, 100.0))
    cost = model.complete(ASK)[0].usage.cost
    assert cost == pytest.approx((36 * 10 + 64 * 1 + 7 * 100) / 1e6)


def test_json_format_is_asked_for(player, model):
    player.play(chat("{}"))
    model.complete(ASK, response_format="json")
    assert player.requests[0]["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        (chat(None), "", "stop"),
        (chat(""), "", "stop"),
        (chat("SELECT", finish="length"), "SELECT", "length"),
        (chat("", finish="length"), "", "length"),
        (chat("SELECT 1", reasoning_content="SELECT 2?"), "SELECT 1", "stop"),
        (chat("SELECT 1", finish=None), "SELECT 1", "stop"),
        (chat([{"type": "text", "text": "SELECT "}, {"text": "1"}, "!"]), "SELECT 1!", "stop"),
    ],
)
def test_odd_replies(player, model, body, text, finish):
    player.play(body)
    reply = model.complete(ASK)[0]
    assert (reply.text, reply.finish_reason) == (text, finish)


@pytest.mark.parametrize(
    "body", [chat("", refusal="I must not"), chat("", finish="content_filter")]
)
def test_refusal_is_an_error(player, model, body):
    player.play(body)
    with pytest.raises(LLMError, match="refused to answer") as caught:
        model.complete(ASK)
    assert not caught.value.retryable


def test_missing_usage_is_estimated(player, model):
    player.play(chat("SELECT 1", usage=False))
    usage = model.complete(ASK)[0].usage
    assert usage.input_tokens >= 4
    assert usage.output_tokens == 3


def test_several_replies_in_one_call(player, model):
    player.play(chat("a", "b", "c"))
    replies = model.complete(ASK, n=3, temperature=0.7)
    assert [r.text for r in replies] == ["a", "b", "c"]
    assert [r.usage.calls for r in replies] == [1, 0, 0]
    assert player.requests[0]["n"] == 3


def test_server_that_gives_one_reply_is_asked_again(player, model):
    player.play(chat("a"), chat("b"), chat("c"))
    replies = model.complete(ASK, n=3, temperature=0.7)
    assert [r.text for r in replies] == ["a", "b", "c"]
    assert (replies[0].usage.calls, replies[0].usage.input_tokens) == (3, 300)


def test_rate_limit_waits_as_long_as_the_server_says(player, model, stopwatch, answers):
    player.play(answers(failure("slow down"), 429, **{"retry-after": "1"}), chat("SELECT 1"))
    assert model.complete(ASK)[0].text == "SELECT 1"
    assert 0.9 < stopwatch() < 5
    assert len(player.requests) == 2


def test_server_errors_are_tried_again(player, model, answers):
    retry = {"retry-after-ms": "1"}
    player.play(answers("oops", 500, **retry), answers("oops", 503, **retry), chat("SELECT 1"))
    assert model.complete(ASK)[0].text == "SELECT 1"


def test_lasting_server_error(player, model, answers):
    player.play(answers(failure("overloaded"), 503, **{"retry-after-ms": "1"}))
    with pytest.raises(LLMError, match="503: overloaded") as caught:
        model.complete(ASK)
    assert caught.value.retryable
    assert len(player.requests) == 4


def test_empty_account_is_not_tried_again(player, model, answers):
    text = "You exceeded your current quota, please check your plan."
    player.play(answers(failure(text, code="insufficient_quota"), 429))
    with pytest.raises(LLMError, match="no credit") as caught:
        model.complete(ASK)
    assert not caught.value.retryable
    assert len(player.requests) == 1


def test_wrong_key(player, answers):
    player.play(answers(failure(f"Incorrect API key provided: {KEY}"), 401))
    model = open_model("openai:m", base_url=player.url, api_key=KEY)
    with pytest.raises(LLMError, match="set OPENAI_API_KEY") as caught:
        model.complete(ASK)
    assert not caught.value.retryable
    assert KEY not in str(caught.value)
    assert len(player.requests) == 1


def test_a_key_quoted_by_the_server_is_not_shown(player, model, answers):
    player.play(answers(failure(f"key {KEY} may not do this\nat all"), 403))
    with pytest.raises(LLMError) as caught:
        model.complete(ASK)
    assert str(caught.value).endswith("key *** may not do this at all).")


def test_key_is_in_no_repr(model):
    assert KEY not in repr(model) + repr(model.remote) + repr(vars(model))


def test_missing_key():
    with pytest.raises(LLMError, match="needs an API key: set OPENAI_API_KEY"):
        open_model("openai:gpt-4o")


@pytest.mark.parametrize(
    ("message", "param", "gone", "come"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_tokens",
            "max_completion_tokens",
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "temperature",
            "temperature",
            None,
        ),
        ("Unrecognized request argument supplied: temperature", None, "temperature", None),
        ("response_format is not supported", None, "response_format", None),
        ("extra fields not permitted: n", None, "n", None),
    ],
)
def test_refused_parameter_is_left_out(player, model, answers, message, param, gone, come):
    player.play(answers(failure(message, param=param), 400), chat("x"))
    model.complete(ASK, n=2, temperature=0.0, response_format="json")
    model.complete(ASK, n=2, temperature=0.0, response_format="json")
    assert gone in player.requests[0]
    for later in player.requests[1:]:
        assert gone not in later
        assert come is None or come in later


def test_two_refused_parameters(player, model, answers):
    player.play(
        answers(failure("unsupported", param="max_tokens"), 400),
        answers(failure("unsupported", param="temperature"), 400),
        chat("x"),
    )
    assert model.complete(ASK)[0].text == "x"
    assert "temperature" not in player.requests[2]


def test_refused_stop_words_are_cut_here(player, model, answers):
    player.play(answers(failure("unsupported", param="stop"), 400), chat("SELECT 1; SELECT 2"))
    assert model.complete(ASK, stop=[";"])[0].text == "SELECT 1"


def test_bad_request_is_not_repeated(player, model, answers):
    text = "This model's maximum context length is 4096 tokens. However, you requested 5000"
    player.play(answers(failure(text, code="context_length_exceeded"), 400))
    with pytest.raises(LLMError, match="maximum context length is 4096") as caught:
        model.complete(ASK)
    assert not caught.value.retryable
    assert len(player.requests) == 1


def test_unknown_model(player, model, answers):
    player.play(answers(failure("The model 'm' does not exist"), 404))
    with pytest.raises(LLMError, match="does not exist"):
        model.complete(ASK)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"choices": [', "application/json"),
        ("<html>Bad gateway</html>", "text/html"),
        ("{}", "application/json"),
        ('{"choices": []}', "application/json"),
        ('{"choices": [{"index": 0}]}', "application/json"),
        ('{"error": {"message": "no model loaded"}}', "application/json"),
        ("[]", "application/json"),
        ("null", "application/json"),
    ],
)
def test_answer_of_another_kind_is_one_line(player, model, answers, body, kind):
    player.play(answers(body, 200, **{"content-type": kind}))
    with pytest.raises(LLMError, match="the answer is not") as caught:
        model.complete(ASK)
    assert "\n" not in str(caught.value)


def test_slow_server(player, answers):
    player.play(answers(chat("late"), 200, delay=5.0))
    model = OpenAILLM(Remote("openai", "m", player.url, KEY, timeout=0.2, max_retries=0))
    with pytest.raises(LLMError, match=r"no answer within 0\.2 seconds") as caught:
        model.complete(ASK)
    assert caught.value.retryable


def test_no_server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = OpenAILLM(Remote("vllm", "m", f"http://127.0.0.1:{port}/v1", KEY, max_retries=0))
    with pytest.raises(LLMError, match="cannot reach the server") as caught:
        model.complete(ASK)
    assert caught.value.retryable


def test_azure(player, monkeypatch):
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    player.play(chat("SELECT 1"))
    model = open_model("azure:mine", base_url=player.url, api_key=KEY)
    assert model.complete(ASK)[0].text == "SELECT 1"
    assert player.paths == ["/openai/deployments/mine/chat/completions?api-version=2024-10-21"]
    assert player.headers[0]["api-key"] == KEY


def test_azure_without_version_is_one_line(player):
    with pytest.raises(LLMError, match="OPENAI_API_VERSION"):
        open_model("azure:mine", base_url=player.url, api_key=KEY)
    gc.collect()


def test_own_server_is_not_sent_the_key_of_another(player, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    player.play(chat("x"))
    open_model("ollama:m", base_url=player.url).complete(ASK)
    assert KEY not in player.headers[0].get("authorization", "")
