"""The local model. Most need the real weights: ``pytest --live tests/llm/test_local.py``.

``MACSQL_TEST_MODEL`` names another model than ``local``.
"""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from macsql.errors import LLMError
from macsql.folders import default_cache_dir
from macsql.llm import LLM, open_model
from macsql.llm.local import LocalLLM

# Read before the fixtures clean the environment.
MODEL = os.environ.get("MACSQL_TEST_MODEL", "local")
CACHE = default_cache_dir()
pytest.importorskip("xllamacpp")

TABLES = "\n".join(f"table sale_{i}(id, customer, amount_{i}, day)" for i in range(12))
RULES = [{"role": "system", "content": "Write one SQLite query, nothing else.\n" + TABLES}]


def ask(question):
    return [*RULES, {"role": "user", "content": question}]


@pytest.fixture(scope="module")
def model():
    return open_model(MODEL, cache_dir=CACHE)


def test_a_file_that_is_no_model_is_one_quiet_line(tmp_path, capfd):
    path = tmp_path / "damaged.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    model = LocalLLM(path)
    assert isinstance(model, LLM)
    with pytest.raises(LLMError, match="the file is damaged") as caught:
        model.complete(ask("How many?"))
    assert not caught.value.retryable
    assert capfd.readouterr() == ("", "")


@pytest.mark.live
def test_greedy_replies_are_the_same_every_time(model):
    texts = {model.complete(ask("How many rows has sale_3?"), max_tokens=20)[0].text for _ in "ab"}
    assert len(texts) == 1
    assert "sale_3" in texts.pop()


@pytest.mark.live
def test_the_second_question_does_not_read_the_schema_again(model):
    schema = model.count_tokens(RULES[0]["content"])
    model.complete(ask("How many rows has sale_1?"), max_tokens=4)
    usage = model.complete(ask("Which customers are in sale_2?"), max_tokens=4)[0].usage
    assert usage.cached_tokens >= schema
    assert usage.input_tokens - usage.cached_tokens < 30
    assert (usage.output_tokens, usage.cost, usage.calls) == (4, 0.0, 1)


@pytest.mark.live
def test_two_ways_of_asking_do_not_overwrite_each_other(model):
    one, other = "Count with care. " * 12, "Never guess a name. " * 12
    for rules in (one, other):
        model.complete(ask(f"{rules}How many rows has sale_1?"), max_tokens=2)
    for rules in (one, other):
        usage = model.complete(ask(f"{rules}Which days has sale_2?"), max_tokens=2)[0].usage
        assert usage.input_tokens - usage.cached_tokens < 30


@pytest.mark.live
def test_another_database_in_between_does_not_lose_the_schema(model):
    model.complete(ask("How many rows has sale_1?"), max_tokens=2)
    other = [{"role": "system", "content": "Tables: " + "zebra, lion, " * 40}, ask("Lions?")[1]]
    model.complete(other, max_tokens=2)
    usage = model.complete(ask("Name all days of sale_4."), max_tokens=2)[0].usage
    assert usage.cached_tokens >= model.count_tokens(RULES[0]["content"])


@pytest.mark.live
def test_sure_replies_have_a_higher_logprob(model):
    sure = model.complete(ask("How many rows has sale_3?"), max_tokens=6)[0]
    wild = model.complete(ask("Say a word."), max_tokens=6, temperature=3.0)[0]
    assert -1.0 < sure.logprob <= 0.0
    assert wild.logprob < sure.logprob


@pytest.mark.live
def test_json_is_json(model):
    prompt = [{"role": "user", "content": 'Answer with {"ok": true} and nothing else.'}]
    reply = model.complete(prompt, max_tokens=60, response_format="json")[0]
    assert isinstance(json.loads(reply.text), dict)


@pytest.mark.live
def test_stop_words_and_limit(model):
    count = [{"role": "user", "content": "Count: 1, 2, 3, 4, 5, 6, 7, 8"}]
    cut = model.complete(count, max_tokens=3)[0]
    assert (cut.finish_reason, cut.usage.output_tokens) == ("length", 3)
    stopped = model.complete(count, max_tokens=40, stop=["5"])[0]
    assert "5" not in stopped.text
    assert stopped.finish_reason == "stop"


@pytest.mark.live
def test_several_replies_differ_when_warm(model):
    replies = model.complete(ask("Tell a story."), n=2, temperature=1.5, max_tokens=12)
    assert replies[0].text != replies[1].text
    assert [r.usage.calls for r in replies] == [2, 0]


@pytest.mark.live
def test_a_prompt_beyond_the_window_is_refused_with_sizes(model):
    with pytest.raises(LLMError, match=r"has \d+ tokens, the context window .* 8192") as caught:
        model.complete([{"role": "user", "content": "word " * 9000}])
    assert not caught.value.retryable


@pytest.mark.live
def test_tokens_are_counted_by_the_model(model):
    assert model.count_tokens("SELECT name FROM pupil") == 4
    assert model.count_tokens("") == 0


@pytest.mark.live
def test_ctrl_c_ends_the_process_soon(model):
    code = (
        "import sys; from macsql.llm.local import LocalLLM; print('ready', flush=True)\n"
        "prompt = 'a long story about many things. ' * 700\n"
        "LocalLLM(sys.argv[1]).complete([{'role': 'user', 'content': prompt}], max_tokens=900)"
    )
    command = [sys.executable, "-c", code, str(model.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=8)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert time.monotonic() - start < 20
    assert errors.rstrip().endswith(b"KeyboardInterrupt")
    assert process.returncode in (1, 130, -signal.SIGINT)


@pytest.mark.live
@pytest.mark.parametrize("delay", [0.05, 0.2, 0.4, 0.6, 0.8])
def test_ctrl_c_while_the_weights_are_loaded_ends_the_process(model, delay):
    code = (
        "import sys; from macsql.llm.local import LocalLLM; print('ready', flush=True)\n"
        "LocalLLM(sys.argv[1]).count_tokens('SELECT 1'); import time; time.sleep(9)"
    )
    command = [sys.executable, "-c", code, str(model.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert errors.rstrip().endswith(b"KeyboardInterrupt")
