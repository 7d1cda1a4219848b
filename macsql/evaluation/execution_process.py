"""One worker process as its owner sees it: started when needed, watched, replaced when lost."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import macsql
from macsql.errors import ConfigError
from macsql.evaluation.execution_results import OUT_OF_MEMORY, TIMEOUT
from macsql.evaluation.execution_worker import NO_MEMORY_LEFT, Options, Ready, Step, Task
from macsql.evaluation.judge import COMPARISON
from macsql.evaluation.verdict import Verdict

CRASHED = "Crashed"
START_SECONDS = 120.0
STARTS_TRIED = 3
END_SECONDS = 2.0
GRACE_SECONDS = 5.0
"""How long after its timeout a statement may run before its process is ended; less for less."""

# Not "-m": what is pickled has to come from a module of the same name on both sides.
_COMMAND = (
    sys.executable,
    "-P",
    "-c",
    "from macsql.evaluation.execution_worker import main; main()",
)


class Lost(Exception):
    """The process ended at ``step`` of judging, empty before the first; the rest says why."""

    def __init__(self, step: str, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.step = step
        self.kind = kind
        self.reason = reason


class WorkerProcess:
    """A worker process, used by one thread; any thread may kill it.

    It is a plain child with two pipes, not one of ``multiprocessing``: nothing of the caller's main
    module is imported, so a script needs no main guard, and it ends with its owner.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._deadline: float | None = None
        self._is_late = False
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process, None while there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def judge(self, task: Task) -> Verdict:
        """The verdict of the process, which is started if there is none.

        A process that is found dead before it has begun is replaced, once. Raises Lost when it ends
        while judging, ConfigError when it cannot be started.
        """
        try:
            return self._ask(task)
        except Lost as lost:
            if lost.step or self._is_closed:
                raise
            return self._ask(task)

    def close(self) -> None:
        """End the process for good and close what belongs to it; for the thread that uses it."""
        self.kill()
        self._bury()

    def kill(self) -> None:
        """End the process for good."""
        with self._lock:
            self._is_closed = True
            if self._child is not None:
                self._child.kill()

    def kill_if_late(self, now: float) -> None:
        """End the process if its step is past its time; the next task starts another one."""
        with self._lock:
            if self._child is not None and self._deadline is not None and now > self._deadline:
                self._is_late = True
                self._child.kill()

    def _ask(self, task: Task) -> Verdict:
        step = ""
        timeout = self._options.timeout
        allowed = timeout + min(GRACE_SECONDS, max(1.0, timeout))
        try:
            child = self._started()
            self._send(child, task)
            while True:
                self._allow(allowed)
                message = pickle.load(_pipe(child.stdout))
                if isinstance(message, Verdict):
                    return message
                step = message.name if isinstance(message, Step) else step
        except (EOFError, OSError, pickle.UnpicklingError):
            raise self._lost(step) from None
        finally:
            self._allow(None)

    def _send(self, child: "subprocess.Popen[bytes]", message: Any) -> None:
        pipe = _pipe(child.stdin)
        pickle.dump(message, pipe)
        pipe.flush()

    def _allow(self, seconds: float | None) -> None:
        with self._lock:
            self._deadline = None if seconds is None else time.monotonic() + seconds

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is not None:
            if self._child.poll() is None:
                return self._child
            self._bury()
        words = ""
        for _ in range(STARTS_TRIED):
            child = self._start()
            self._allow(START_SECONDS)
            try:
                self._send(child, self._options)
                if isinstance(pickle.load(_pipe(child.stdout)), Ready):
                    return child
            except (EOFError, OSError, pickle.UnpicklingError):
                words = self._bury()[1]
        raise ConfigError(f"The process for judging does not start: {words or 'it says nothing.'}")

    def _start(self) -> "subprocess.Popen[bytes]":
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        with self._lock:
            if self._is_closed:
                errors.close()
                raise EOFError
            self._is_late = False
            try:
                self._child = _open_process(errors)
            except OSError as error:
                errors.close()
                raise ConfigError(f"No process for judging can be started: {error}.") from error
            self._errors = errors
            return self._child

    def _lost(self, step: str) -> Lost:
        """Why the process ended, and its end made sure of."""
        status, words = self._bury()
        if self._is_late:
            seconds = self._options.timeout
            kind, reason = TIMEOUT, f"Stopped because it ran longer than {seconds:g} seconds."
        elif status == NO_MEMORY_LEFT:
            kind, reason = OUT_OF_MEMORY, "The memory limit was reached."
        else:
            said = f": {words}" if words else "."
            kind, reason = CRASHED, f"The process that ran it {_ending(status)}{said}"
        # The query itself is not to blame.
        where = "In the comparison with the gold query: " if step == COMPARISON else ""
        return Lost(step, kind, where + reason)

    def _bury(self) -> tuple[int | None, str]:
        """Wait for the end of the process and close what belongs to it.

        Returns its exit status and the last line that it wrote as an error.
        """
        with self._lock:
            child, self._child = self._child, None
        if child is None:
            return None, ""
        try:
            status = child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            status = child.wait()
        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):
                _pipe(pipe).close()
        words = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", errors="replace").strip().splitlines()
            words = lines[-1] if lines else ""
            self._errors.close()
        return status, words


def _open_process(errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """A fresh process, out of reach of Ctrl-C: its owner decides when it ends."""
    package = str(Path(macsql.__file__).parent.parent)
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=not new_group,
        creationflags=new_group,
    )


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise EOFError
    return pipe


def _ending(status: int | None) -> str:
    if status is None or status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
