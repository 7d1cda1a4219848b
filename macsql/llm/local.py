"""A model on this machine: llama.cpp inside the process, its prompt cache kept between calls."""

import atexit
import contextlib
import functools
import json
import os
import secrets
import threading
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Any, TypeVar

from macsql.chat import ChatMessage
from macsql.errors import ConfigError, LLMError
from macsql.llm.base import Completion, ResponseFormat, Usage

# Prompt tokens read between two looks at the stop flag: Ctrl-C during a long prompt waits for one
# batch at most. Measured on one core: 64 reads 18.5 tokens/s, 128 reads 19.8, 512 reads 15.8.
BATCH = 64
# Prompts kept in memory for reuse, beside the running one. A token of the default model takes
# 28 KiB, so this holds some 37,000 tokens: the schemas of dozens of databases.
PROMPT_CACHE_MIB = 1024
# Below this share of a prompt in common with the last one, the last one is put into that memory and
# the best that is there taken out. High, so that two ways of asking about one database do not
# overwrite each other: each time only the question is new (benchmarks/prefix_cache.py).
IN_COMMON = 0.97
SEED = 0
_POLL_SECONDS = 0.2


class LocalLLM:
    """The weights in the GGUF file ``path``, run in this process.

    The weights are loaded at the first call, once for all models on the same file. Calls run one
    after the other: on a CPU two at a time are no faster, and one conversation at a time gives
    the same reply to the same prompt every time at temperature 0.
    """

    def __init__(self, path: str | Path, *, name: str = "", context_window: int = 8192) -> None:
        self.path = Path(path).expanduser().resolve()
        if not self.path.is_file():
            raise ConfigError(f"no such weights file: {path}.")
        self.name = name or f"local:{self.path.name}@{self.path.stat().st_size}"
        self.context_window = context_window
        self._engine = _engine(str(self.path), context_window, os.getpid())

    def __repr__(self) -> str:
        return f"LocalLLM({str(self.path)!r})"

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        n: int = 1,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        stop: Sequence[str] = (),
        response_format: ResponseFormat = "text",
    ) -> list[Completion]:
        """``n`` replies; usage holds the engine's own counters."""
        request: dict[str, Any] = {
            "messages": list(messages),
            "temperature": temperature,
            "max_tokens": max_tokens,
            "cache_prompt": True,
            "stream": True,
            "return_progress": True,
            "logprobs": True,
            "top_logprobs": 1,
        }
        if stop:
            request["stop"] = list(stop)
        if response_format == "json":
            request["response_format"] = {"type": "json_object"}
        # At temperature 0 all replies are the same one.
        different = n if temperature > 0 else 1
        replies = [self._reply({**request, "seed": SEED + i}) for i in range(different)]
        usage = sum((reply.usage for reply in replies), Usage())
        texts = replies * (n // different)
        return [
            Completion(r.text, Usage() if i else usage, r.finish_reason, r.logprob)
            for i, r in enumerate(texts)
        ]

    def count_tokens(self, text: str) -> int:
        """Exact: asks the model's own tokenizer, and so loads the model."""
        return self._engine.count_tokens(text)

    def _reply(self, request: dict[str, Any]) -> Completion:
        stream = _Stream()
        self._engine.run(request, stream)
        return stream.completion()


class _Stream:
    """Puts one reply together from the pieces that the engine hands over."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._text: list[str] = []
        self._logprobs: list[float] = []
        self._last: dict[str, Any] = {}
        self._finish = ""

    def __call__(self, chunk: dict[str, Any]) -> bool:
        """Take one piece; true tells the engine to stop."""
        if "choices" not in chunk:
            self._last = chunk
            return True
        for choice in chunk["choices"]:
            self._text.append(choice.get("delta", {}).get("content") or "")
            self._finish = choice.get("finish_reason") or self._finish
            tokens = (choice.get("logprobs") or {}).get("content") or ()
            self._logprobs += [token["logprob"] for token in tokens]
        if "timings" in chunk:
            self._last = chunk
        return self.cancelled.is_set()

    def completion(self) -> Completion:
        """The whole reply. Raises LLMError when the engine refused or was stopped."""
        timings = self._last.get("timings")
        if timings is None:
            raise _engine_error(self._last)
        usage = Usage(
            input_tokens=timings["cache_n"] + timings["prompt_n"],
            cached_tokens=timings["cache_n"],
            output_tokens=timings["predicted_n"],
            cost=0.0,
            calls=1,
        )
        cut = self._finish == "length"
        known = self._logprobs
        mean = sum(known) / len(known) if known else None
        return Completion("".join(self._text), usage, "length" if cut else "stop", mean)


def _engine_error(answer: dict[str, Any]) -> LLMError:
    error = answer.get("error", answer)
    if error.get("type") == "exceed_context_size_error":
        return LLMError(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, the context window of the "
            f"local model {error.get('n_ctx')}: shorten the prompt or raise the context window."
        )
    message = " ".join(str(error.get("message", "it stopped without a word")).split())
    return LLMError(f"the local model gave no reply: {message}.")


class _Engine:
    """One llama.cpp server, started when first used, closed when the process ends."""

    def __init__(self, path: str, context_window: int) -> None:
        self._path = path
        self._window = context_window
        self._key = secrets.token_urlsafe(24)
        self._lock = threading.Lock()
        self._server: Any = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="macsql-local")
        self.count_tokens = functools.lru_cache(maxsize=512)(self._count_tokens)

    def run(self, request: dict[str, Any], stream: _Stream) -> None:
        """Let the engine answer ``request`` into ``stream``; Ctrl-C stops it."""

        def work() -> None:
            server = self._started()
            if not stream.cancelled.is_set():
                server.handle_chat_completions(request, stream)

        _wait(self._worker.submit(work), stream.cancelled.set)

    def close(self) -> None:
        """Stop the server and free its memory."""
        self._worker.shutdown(cancel_futures=True)
        self._server = None

    def _count_tokens(self, text: str) -> int:
        # The binding has no call for the tokenizer; the server's own local port has.
        server = self._server or _wait(self._worker.submit(self._started))
        try:
            return len(self._ask(server, "/tokenize", {"content": text})["tokens"])
        except (OSError, ValueError, KeyError) as error:
            raise LLMError(f"the local model could not count tokens: {error}.") from error

    def _started(self) -> Any:
        """The server. Called in the worker alone: there no Ctrl-C can interrupt the start."""
        with self._lock:
            if self._server is None:
                server = _start(self._path, self._window, self._key)
                # A server that is closed before its loop runs waits for ever; this goes through it.
                with contextlib.suppress(OSError, ValueError):
                    self._ask(server, "/lora-adapters")
                self._server = server
            return self._server

    def _ask(self, server: Any, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"{server.listening_address}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as response:
            return json.load(response)


_T = TypeVar("_T")


def _wait(future: "Future[_T]", cancel: Callable[[], None] = lambda: None) -> _T:
    """Wait so that Ctrl-C is heard while the engine is busy in C++, on Windows too."""
    while True:
        try:
            return future.result(timeout=_POLL_SECONDS)
        except FutureTimeout:
            if future.done():
                raise
        except BaseException:
            cancel()
            future.cancel()
            raise


def _start(path: str, window: int, key: str) -> Any:
    # Read by OpenMP when it is loaded. Its threads wait for each other by spinning, which on a busy
    # machine keeps the one they wait for from running: prompts were read three times slower.
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigError("the local model needs an extra: pip install 'macsql[local]'.") from error
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = window
    params.n_batch = params.n_ubatch = BATCH
    params.n_parallel = 1
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.slot_prompt_similarity = IN_COMMON
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _cores()
    params.verbosity = -1
    params.warmup = False
    # The engine always opens a port on 127.0.0.1: nobody else gets to use it.
    params.api_keys = [key]
    params.cors_origins = ""
    params.ui = params.endpoint_slots = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise LLMError(
            f"the local model could not be loaded from {path}: the file is damaged, of a kind that "
            "this llama.cpp does not know, or memory is short."
        ) from error


def _cores() -> int:
    """Cores to compute on: of those that this process may use, each counted once.

    Two threads on one core hinder each other, and so do more threads than a container may run.
    """
    if not hasattr(os, "sched_getaffinity"):
        return max(1, (os.cpu_count() or 2) // 2)
    allowed = os.sched_getaffinity(0)
    topology = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    cores = {_first_line(topology.format(cpu)) or str(cpu) for cpu in allowed}
    quota, _, period = _first_line("/sys/fs/cgroup/cpu.max").partition(" ")
    limit = int(quota) // int(period) if quota.isdigit() and period.isdigit() else len(cores)
    return max(1, min(len(cores), limit))


def _first_line(file: str) -> str:
    try:
        return Path(file).read_text("ascii").strip()
    except OSError:
        return ""


_registry_lock = threading.Lock()


def _engine(path: str, window: int, pid: int) -> _Engine:
    with _registry_lock:
        return _cached_engine(path, window, pid)


@functools.cache
def _cached_engine(path: str, window: int, pid: int) -> _Engine:
    # Keyed by process too: a forked child has the parent's memory but not its threads.
    engine = _Engine(path, window)
    atexit.register(engine.close)
    return engine
