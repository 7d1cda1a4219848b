"""Keys of models: a canary in every place that a key can come from shows up nowhere."""

import gc
import json
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from macsql.cli.app import app
from macsql.database import Database
from macsql.errors import ConfigError, LLMError
from macsql.llm import open_model
from macsql.llm.base import LLM
from macsql.llm.cache import CachedLLM, RecordingLLM
from macsql.llm.download import SourceFailed, from_hub
from macsql.llm.weights import KNOWN
from macsql.pipeline import Pipeline
from macsql.records import hide_password, save

CANARY = "canary9f2"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, in which everything is written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path) -> str:
    """Everything in the files of the folder, and their names."""
    return "\n".join(
        f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".sqlite", ".toml")
    )


ANSWER = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "```sql\nSELECT 1\n```"},
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


def failing(status: int) -> Callable[[str], tuple[Any, int]]:
    """A server that quotes everything it was sent: the key, the address, the headers."""

    def answer(url: str) -> tuple[Any, int]:
        said = f"no: Authorization: Bearer {CANARY}-key, x-api-key={CANARY}-key at {url}"
        return {"error": {"message": said, "code": said}}, status

    return answer


ADDRESSES = ("{}", "{}?x=1&api_key=canary9f2-query")


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "answer",
    [failing(status) for status in (400, 401, 403, 404, 422)]
    + [lambda url: (f"{CANARY}-key is no JSON", 200), lambda url: ({"detail": url}, 400)],
    ids=["400", "401", "403", "404", "422", "no-json", "detail"],
)
def test_a_key_is_in_no_error_log_or_record(
    home: Path,
    player: Any,
    answers: Any,
    caplog: pytest.LogCaptureFixture,
    answer: Callable[[str], tuple[Any, int]],
    kind: str,
    address: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    url = address.format(player.url.replace("http://", f"http://ann:{CANARY}-user@"))
    body, status = answer(url)
    player.play(answers(body, status))
    model = open_model(f"{kind}:m", base_url=url, api_key=f"{CANARY}-key", timeout=5)
    recorded = RecordingLLM(model, home / "record.jsonl")
    with pytest.raises(LLMError) as caught:
        recorded.complete([{"role": "user", "content": "hello"}])
    shown = "".join(traceback.format_exception(caught.value))
    assert player.requests
    assert CANARY not in str(caught.value) + shown_without_source(shown)
    assert CANARY not in caplog.text + written(home) + repr(model) + model.name


def shown_without_source(text: str) -> str:
    """A traceback without the lines of source in it, which tests of secrets fill with canaries."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


def test_what_was_hidden_in_logs_is_shown_again_when_the_model_is_gone() -> None:
    logger = logging.getLogger("httpx")
    gc.collect()
    before = list(logger.filters)
    model: LLM | None = open_model("openai:m", base_url="http://box:1/v1", api_key="k" * 8)
    assert len(logger.filters) == len(before) + 1
    del model
    gc.collect()
    assert logger.filters == before


@pytest.mark.parametrize(
    "url", [f"{CANARY}", f"http://a:{CANARY}@[x/v1", f"http://a:{CANARY}@h:p/v1", f"ftp://{CANARY}"]
)
@pytest.mark.parametrize("kind", ["openai", "anthropic", "vllm"])
def test_an_address_that_is_none_is_said_without_repeating_it(kind: str, url: str) -> None:
    with pytest.raises(ConfigError, match="is no address") as caught:
        open_model(f"{kind}:m", base_url=url, api_key="x")
    assert CANARY not in str(caught.value)


def test_a_whole_question_leaves_no_key_behind(
    home: Path,
    player: Any,
    school_db: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    player.play(ANSWER)
    monkeypatch.setenv("VLLM_API_KEY", f"{CANARY}-environment")
    url = player.url.replace("http://", f"http://ann:{CANARY}-user@") + f"?key={CANARY}-query"
    model = CachedLLM(
        RecordingLLM(open_model("vllm:m", base_url=url), home / "record.jsonl"), home / "cache"
    )
    with Database(school_db) as database:
        message = Pipeline.of(model).run("How many?", database)
    assert message.sql == "SELECT 1"
    save(message, {"server": hide_password(url)}, file=home / "trace.json")
    assert player.requests
    assert CANARY not in written(home) + caplog.text + json.dumps(player.requests)


def test_the_command_line_leaves_no_key_behind(
    home: Path, player: Any, school_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player.play(ANSWER)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "VLLM_API_KEY"):
        monkeypatch.setenv(name, f"{CANARY}-environment")
    monkeypatch.setenv("MACSQL_BASE_URL", f"{player.url}?key={CANARY}-query")
    monkeypatch.setenv("MACSQL_MODEL", "openai:m")
    monkeypatch.setenv("MACSQL_CACHE", "true")
    shown = ""
    for command in (
        ["ask", "How many?", "--db", str(school_db), "--record", "record.jsonl", "--show-prompts"],
        ["ask", "How many?", "--db", str(school_db), "--json"],
        ["trace", "--show-prompts"],
        ["settings"],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0
        shown += done.stdout + done.stderr
    assert player.requests
    assert CANARY not in shown + written(home)


def test_the_password_of_a_mirror_of_weights_is_in_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"nothing://ann:{CANARY}@box.invalid")
    with pytest.raises(SourceFailed) as caught:
        from_hub(KNOWN["qwen2.5-coder-1.5b"], tmp_path, lambda *_: None)
    assert "nothing" in str(caught.value)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("database", "code"), [("school", 0), (f"postgresql://ann:{CANARY}-pw@box/sales", 2)]
)
def test_a_saved_run_holds_no_secret(
    home: Path,
    player: Any,
    school_db: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
    code: int,
) -> None:
    player.play(ANSWER)
    monkeypatch.setenv("OPENAI_API_KEY", f"{CANARY}-environment")
    line = {"id": "1", "question": "How many?", "gold_sql": "SELECT 1"}
    (home / "own.jsonl").write_text(json.dumps(line))
    url = player.url.replace("http://", f"http://ann:{CANARY}-user@") + f"?key={CANARY}-query"
    options = ["--db", str(school_db) if database == "school" else database, "--out", "run"]
    options += ["--model", "openai:m", "--base-url", url, "--judges", "1"]
    done = CliRunner().invoke(app, ["eval", "own.jsonl", *options])
    again = CliRunner().invoke(app, ["report", "run"])
    assert (done.exit_code, again.exit_code) == (code, code)
    assert bool(list((home / "run").rglob("*.json*"))) == (code == 0)
    assert CANARY not in done.stdout + done.stderr + again.stdout + again.stderr + written(home)
