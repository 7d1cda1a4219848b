import subprocess
import sys

import pytest

from macsql.errors import ConfigError
from macsql.llm import LLM, open_model
from macsql.llm.names import KINDS


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"local"}))
def test_every_kind_of_server_opens_without_a_call(name, monkeypatch):
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    base_url = "http://127.0.0.1:9/v1" if name == "azure" else None
    model = open_model(f"{name}:some-model", api_key="k", base_url=base_url)
    assert isinstance(model, LLM)
    assert model.name.startswith(f"{name}:some-model")
    assert model.context_window == KINDS[name].context_window


def test_context_window_can_be_given():
    assert open_model("ollama:m", context_window=32768).context_window == 32768


def test_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from-env")
    assert open_model("openai:m").remote.api_key == "from-env"


@pytest.mark.parametrize(
    ("spec", "price"),
    [("openai:gpt-4o", (2.5, 1.25, 10.0)), ("ollama:x", (0.0, 0.0, 0.0)), ("openai:new", None)],
)
def test_price_when_known(spec, price):
    known = open_model(spec, api_key="k").remote.price
    assert (known and (known.input, known.cached, known.output)) == price


def test_price_of_a_server_with_another_address_is_not_guessed():
    remote = open_model("openai:gpt-4o", api_key="k", base_url="http://127.0.0.1:9").remote
    assert remote.price is None


def test_a_class_of_the_users_own(tmp_path, monkeypatch):
    source = "from macsql.llm import ScriptedLLM\nclass Mine(ScriptedLLM):\n"
    source += "    def __init__(self):\n        super().__init__(['mine'])\n"
    (tmp_path / "users_own_models.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    model = open_model("users_own_models:Mine")
    assert model.complete([{"role": "user", "content": "?"}])[0].text == "mine"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("opnai:gpt-4o", "try openai"),
        ("locl", "try local"),
        ("", "no model is called ''"),
        ("gpt-4o", "no model is called 'gpt-4o'"),
        ("no.such.module:Class", "no model is called"),
        ("json:NoSuchClass", "no NoSuchClass in the module json"),
        ("json:JSONDecoder", "is not a model"),
        ("collections:namedtuple", "without arguments"),
        ("openai:", "which model"),
        ("openai", "which model"),
        ("local:qwen", "qwen2.5-coder-1.5b, qwen2.5-coder-0.5b"),
        ("local:/no/such/file.gguf", "no such weights file"),
        ("a:b:c", "no model is called"),
    ],
)
def test_unknown_model_is_one_line(spec, message):
    with pytest.raises(ConfigError, match=message) as caught:
        open_model(spec)
    assert "\n" not in str(caught.value)


def test_missing_weights_say_how_to_get_them():
    with pytest.raises(ConfigError, match=r"1\.1 GB.*macsql model pull qwen2\.5-coder-1\.5b"):
        open_model("local")


def test_import_loads_no_sdk():
    code = (
        "import sys, macsql.llm; heavy = {'openai', 'anthropic', 'xllamacpp', 'huggingface_hub',"
        " 'httpx', 'httpx2', 'urllib.request'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
