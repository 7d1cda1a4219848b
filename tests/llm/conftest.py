"""A real HTTP server on this machine that plays a list of answers and keeps the requests."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Answer:
    """What to say to one request: a body (JSON or text), status, headers, seconds to wait."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


class Player:
    """Plays ``answers`` in order, the last one again and again."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        player = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                player.requests.append(json.loads(self.rfile.read(length)))
                player.headers.append({k.lower(): v for k, v in self.headers.items()})
                player.paths.append(self.path)
                answer = player.answers.pop(0) if len(player.answers) > 1 else player.answers[0]
                player.stop.wait(answer.delay)
                text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                self.send_response(answer.status)
                headers = {"content-type": "application/json", **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *args: object) -> None:
                pass

        self.stop = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def play(self, *answers: Answer | dict[str, Any]) -> None:
        self.answers = [a if isinstance(a, Answer) else Answer(a) for a in answers]

    def close(self) -> None:
        self.stop.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def player() -> Iterator[Player]:
    player = Player()
    yield player
    player.close()


@pytest.fixture
def answers() -> Any:
    """Makes an answer with a status and headers (``delay`` is in seconds)."""

    def make(body: Any, status: int = 200, *, delay: float = 0.0, **headers: str) -> Answer:
        return Answer(body, status, headers, delay)

    return make


@pytest.fixture
def stopwatch() -> Any:
    start = time.monotonic()
    return lambda: time.monotonic() - start
