"""Replies kept on disk: a request is paid for once, and a recorded run repeats without a model."""

import hashlib
import json
import logging
import os
import threading
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from macsql.chat import ChatMessage
from macsql.errors import ConfigError, LLMError
from macsql.folders import write_whole
from macsql.llm.base import LLM, Completion, ResponseFormat, Usage, estimate_tokens

_log = logging.getLogger(__name__)
FORMAT = 1


class CachedLLM:
    """``llm``, with its replies kept under ``folder``: the same request is answered from there.

    A request is the same when the model's name, the messages and all arguments are. A reply from
    the folder costs nothing and is counted in ``Usage.replayed``. Several processes may share the
    folder; a file that cannot be read is asked for again.
    """

    def __init__(self, llm: LLM, folder: Path) -> None:
        self.llm = llm
        self.folder = Path(folder)
        self.name = llm.name
        self.context_window = llm.context_window

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
        """The kept replies, else those of the model, which are then kept."""
        request = _request(self.name, messages, n, temperature, max_tokens, stop, response_format)
        path = self._path(request)
        kept = _read_kept(path, request)
        if kept is not None:
            return [_replayed(completion, free=True) for completion in kept]
        completions = self.llm.complete(
            messages,
            n=n,
            temperature=temperature,
            max_tokens=max_tokens,
            stop=stop,
            response_format=response_format,
        )
        self._keep(path, request, completions)
        return completions

    def count_tokens(self, text: str) -> int:
        """As the model counts."""
        return self.llm.count_tokens(text)

    def _path(self, request: dict[str, Any]) -> Path:
        key = hashlib.sha256(_canonical(request).encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"

    def _keep(self, path: Path, request: dict[str, Any], completions: list[Completion]) -> None:
        text = _canonical({"request": request, "completions": [asdict(c) for c in completions]})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode("utf-8"))
        except OSError as error:
            # The reply is here and was paid for: not keeping it is no reason to lose it.
            _log.warning("cannot keep the reply in %s: %s", self.folder, error.strerror)


class RecordingLLM:
    """``llm``, with every request, reply, error and token count written to ``file``, line by line.

    An existing file is continued. A line is on the disk before its reply is returned.
    Raises ConfigError when the file cannot be written.
    """

    def __init__(self, llm: LLM, file: Path) -> None:
        self.llm = llm
        self.file = Path(file)
        self.name = llm.name
        self.context_window = llm.context_window
        self._lock = threading.Lock()
        self._counted: set[str] = set()
        self._continue_whole()
        self._write({"format": FORMAT, "model": self.name, "context_window": self.context_window})

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
        """The model's replies, recorded; its LLMError too."""
        request = _request(self.name, messages, n, temperature, max_tokens, stop, response_format)
        try:
            completions = self.llm.complete(
                messages,
                n=n,
                temperature=temperature,
                max_tokens=max_tokens,
                stop=stop,
                response_format=response_format,
            )
        except LLMError as error:
            said = {"message": str(error), "retryable": error.retryable}
            self._write({"request": request, "error": said})
            raise
        self._write({"request": request, "completions": [asdict(c) for c in completions]})
        return completions

    def count_tokens(self, text: str) -> int:
        """As the model counts, recorded once for each text."""
        tokens = self.llm.count_tokens(text)
        key = _text_key(text)
        with self._lock:
            new = key not in self._counted
            self._counted.add(key)
        if new:
            self._write({"text_sha256": key, "tokens": tokens})
        return tokens

    def _continue_whole(self) -> None:
        """Cut off a line that an earlier run did not finish."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            if not self.file.exists():
                return
            with self.file.open("r+b") as file:
                file.truncate(file.read().rfind(b"\n") + 1)
        except OSError as error:
            raise _cannot_write(self.file, error) from error

    def _write(self, line: dict[str, Any]) -> None:
        data = (_canonical(line) + "\n").encode()
        try:
            with self._lock, self.file.open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _cannot_write(self.file, error) from error


class ReplayLLM:
    """Answers from a recording: the same run gives the same replies, errors and token counts.

    A request that was recorded several times gets its replies in that order. Usage is what was
    recorded, with the calls counted in ``Usage.replayed``. A request that is not in the recording,
    or comes more often than there, is an LLMError that names it; a text whose tokens were not
    counted gets an estimate. Raises ConfigError when ``file`` is not a recording.
    """

    def __init__(self, file: Path) -> None:
        self.file = Path(file)
        self._lock = threading.Lock()
        self._answers: defaultdict[str, deque[dict[str, Any]]] = defaultdict(deque)
        self._asked: defaultdict[str, int] = defaultdict(int)
        self._tokens: dict[str, int] = {}
        self.name = ""
        self.context_window = 0
        for number, line in _read_recording(self.file):
            self._take(line, number)
        if not self.name:
            raise ConfigError(f"{self.file} is not a recording of a model.")

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
        """The recorded replies, or the recorded LLMError."""
        request = _request(self.name, messages, n, temperature, max_tokens, stop, response_format)
        key = _canonical(request)
        with self._lock:
            answers = self._answers.get(key)
            answer = answers.popleft() if answers else None
            self._asked[key] += 1
            times = self._asked[key]
        if answer is None:
            raise LLMError(_not_recorded(self.file, messages, times))
        if "error" in answer:
            raise LLMError(answer["error"]["message"], retryable=answer["error"]["retryable"])
        return [_replayed(_completion(c)) for c in answer["completions"]]

    def count_tokens(self, text: str) -> int:
        """As recorded, else an estimate."""
        known = self._tokens.get(_text_key(text))
        return estimate_tokens(text) if known is None else known

    def _take(self, line: dict[str, Any], number: int) -> None:
        try:
            if "request" in line:
                for completion in line.get("completions", ()):
                    _completion(completion)
                self._answers[_canonical(line["request"])].append(line)
            elif "text_sha256" in line:
                self._tokens[line["text_sha256"]] = int(line["tokens"])
            else:
                self.name, self.context_window = str(line["model"]), int(line["context_window"])
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"line {number} of {self.file} is not of a recording.") from error


def _request(
    model: str,
    messages: Sequence[ChatMessage],
    n: int,
    temperature: float,
    max_tokens: int,
    stop: Sequence[str],
    response_format: ResponseFormat,
) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": m["role"], "content": m["content"]} for m in messages],
        "n": n,
        "temperature": float(temperature),
        "max_tokens": max_tokens,
        "stop": list(stop),
        "response_format": response_format,
    }


def _canonical(data: object) -> str:
    """One spelling for one value; ASCII, so that half of a surrogate pair survives too."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _completion(data: dict[str, Any]) -> Completion:
    """Raises KeyError, TypeError or ValueError when ``data`` is not a completion."""
    if not isinstance(data["text"], str) or data["finish_reason"] not in ("stop", "length"):
        raise ValueError("not a completion")
    return Completion(**{**data, "usage": Usage(**data["usage"])})


def _replayed(completion: Completion, *, free: bool = False) -> Completion:
    usage = replace(completion.usage, replayed=completion.usage.calls)
    if free and usage.cost is not None:
        usage = replace(usage, cost=0.0)
    return replace(completion, usage=usage)


def _read_kept(path: Path, request: dict[str, Any]) -> list[Completion] | None:
    try:
        kept = json.loads(path.read_text("utf-8"))
        if kept["request"] == request:
            return [_completion(c) for c in kept["completions"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _read_recording(file: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise ConfigError(f"cannot read the recording {file}: {error.strerror}.") from error
    # What follows the last line end was cut off while it was written.
    read = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            data = json.loads(line)
        except ValueError as error:
            raise ConfigError(f"line {number} of {file} is not of a recording.") from error
        if not isinstance(data, dict):
            raise ConfigError(f"line {number} of {file} is not of a recording.")
        read.append((number, data))
    return read


def _not_recorded(file: Path, messages: Sequence[ChatMessage], times: int) -> str:
    last = " ".join(messages[-1]["content"].split())[-80:] if messages else ""
    often = f"recorded only {times - 1} times" if times > 1 else "not recorded"
    return (
        f"{file.name}: the request that ends with {last!r} was {often}: the run or its settings "
        "differ from the recorded one; record it again."
    )


def _cannot_write(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"cannot write the recording {file}: {error.strerror}.")
