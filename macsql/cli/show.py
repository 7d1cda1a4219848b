"""What the terminal shows: the trace and messages on stderr, the answer on stdout."""

import contextlib
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.text import Text

from macsql.chat import ChatMessage
from macsql.cli.streams import printable, write, write_bytes, write_json, writing
from macsql.cli.table import MAX_CELL, clean, lay_out
from macsql.database.result import Result, to_jsonable, to_text
from macsql.llm.base import Usage
from macsql.message import Message, Step

OutputForm = Literal["text", "json", "csv", "sql"]

_STYLES = {"head": "bold", "null": "dim italic", "rule": "dim", "cell": ""}
_SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "hint": "dim"}
_AGENT_WIDTH = 11
_MAX_NOTE = 200
_LONG_CELL = 100_000
"""Length at which a cell is cut, unless a Database is told otherwise."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Not the library's way out, whose exit code stands for something else here."""
        raise BrokenPipeError


class Screen:
    """stdout for the answer, stderr for everything else; colours only where there is a terminal."""

    def __init__(self) -> None:
        self.out = _Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
        self.err = _Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
        self._last_prompt: tuple[ChatMessage, ...] = ()

    def note(self, text: str, style: str = "dim") -> None:
        """A line beside the answer."""
        self.err.print(Text(text, style))

    @contextlib.contextmanager
    def working(self, text: str) -> Iterator[Callable[[str], None]]:
        """A spinner while something runs, on a terminal; what is yielded changes its text."""
        if not self.err.is_terminal:
            yield lambda text: None
            return
        with self.err.status(Text(text, "dim")) as status:
            yield lambda text: status.update(Text(text, "dim"))

    def step(self, step: Step, *, prompts: bool = False) -> None:
        """What an agent did, and what it cost; with ``prompts`` also what was sent."""
        if prompts and step.messages:
            self.prompt(step.messages)
            if step.reply:
                self._said("reply", step.reply)
        line = Text(step.agent.ljust(_AGENT_WIDTH), "bold cyan")
        if step.error:
            said = step.note or f"failed: {step.error}"
            line.append(clean(said, _MAX_NOTE), "red")
        else:
            line.append(clean(step.note or "asked the model", _MAX_NOTE))
        if step.usage.calls or step.usage.replayed:
            line.append("  " + _cost(step.usage, step.seconds), "dim")
        self.err.print(line)

    def prompt(self, messages: Sequence[ChatMessage]) -> None:
        """The messages sent, without the beginning that the last prompt had too."""
        known = 0
        for new, old in zip(messages, self._last_prompt, strict=False):
            if new != old:
                break
            known += 1
        if known:
            self.note(f"--- {known} message{'s' if known > 1 else ''} as before")
        for message in messages[known:]:
            self._said(message["role"], message["content"])
        self._last_prompt = tuple(messages)

    def findings(self, message: Message) -> None:
        """Warnings and hints about the answer, without what its error says anyway."""
        for finding in message.findings:
            if message.error and finding.message in message.error:
                continue
            text = "; ".join(filter(None, (finding.message.removesuffix("."), finding.hint)))
            line = Text(f"{finding.severity}: ", _SEVERITY_STYLES[finding.severity])
            self.err.print(line.append(clean(text, 2 * _MAX_NOTE), "none"))
        if message.sql and message.error:
            self.note(f"tried: {printable(message.sql)}")
        elif message.sql and message.result is None:
            self.note("warning: the SQL was not executed", "yellow")

    def footer(self, message: Message, trace: Path | None) -> None:
        """Time, calls, tokens, cost, and where the trace is."""
        usage = message.usage
        parts = [f"{message.seconds:.1f} s"]
        if usage.calls or usage.replayed:
            calls = usage.calls or usage.replayed
            parts += [f"{calls} call{'' if calls == 1 else 's'}", _tokens(usage)]
        if usage.replayed:
            parts.append(f"{usage.replayed} replayed")
        if usage.cost:
            parts.append(f"${usage.cost:.4f}")
        if trace is not None:
            parts.append(f"trace: {trace}")
        self.note(", ".join(parts))

    def answer(self, message: Message, form: OutputForm, trace: Path | None = None) -> None:
        """The answer on stdout; SQL that failed or was refused is none.

        Raises ConfigError when stdout cannot be written.
        """
        with writing():
            if form == "json":
                write_json(answer_document(message, trace))
            elif message.error:
                return
            elif form == "sql":
                write(message.sql)
            elif form == "csv":
                _write_csv(message.result)
                if message.result is not None and message.result.truncated:
                    count = f"{len(message.result.rows):,}"
                    said = f"warning: only the first {count} rows: {_rest(message.result)}"
                    self.note(f"{said}; --max-rows allows more", "yellow")
            else:
                self._sql(message.sql)
                self._rows(message.result)

    def _sql(self, sql: str) -> None:
        if not self.out.is_terminal:
            write(printable(sql) + "\n")
            return
        from rich.syntax import Syntax

        code = printable(sql)
        highlighted = Syntax(code, "sql", background_color="default").highlight(code)
        highlighted.rstrip()
        self.out.print(highlighted)
        self.out.print()

    def table(self, result: Result, *, limit: int = MAX_CELL) -> None:
        """Rows as an aligned table; on a terminal that is too narrow as one block a row."""
        if not result.columns:
            return
        is_terminal = self.out.is_terminal
        for pieces in lay_out(result, self.out.width if is_terminal else None, limit=limit):
            if is_terminal:
                self.out.print(Text.assemble(*((p.text, _STYLES[p.kind]) for p in pieces)))
            else:
                write("".join(p.text for p in pieces))

    def _rows(self, result: Result | None) -> None:
        if result is None:
            return
        self.table(result)
        count = len(result.rows)
        said = f"{count:,} row{'' if count == 1 else 's'}"
        self.note(f"(first {said}; {_rest(result)})" if result.truncated else f"({said})")

    def _said(self, role: str, content: str) -> None:
        self.note(f"--- {role}")
        self.err.print(Text(printable(content)))


def answer_document(message: Message, trace: Path | None = None) -> dict[str, Any]:
    """What ``--json`` prints: the answer without the schema and the steps.

    SQL that failed or was refused is no answer; the trace has it.
    """
    result = message.result
    return {
        "question": message.question,
        "sql": "" if message.error else message.sql,
        "columns": list(result.columns) if result else [],
        "rows": [[to_jsonable(cell) for cell in row] for row in result.rows] if result else [],
        "truncated": bool(result and result.truncated),
        "findings": [
            {"code": f.code, "severity": f.severity, "message": f.message, "hint": f.hint}
            for f in message.findings
        ],
        "error": message.error,
        "error_kind": message.error_kind,
        "usage": message.usage.to_dict(),
        "seconds": round(message.seconds, 3),
        "trace": str(trace) if trace else None,
    }


def _rest(result: Result) -> str:
    """What a result that was cut leaves out; that a cell was cut, too, is only seen at the cell."""
    long = any(isinstance(c, (str, bytes)) and len(c) >= _LONG_CELL for r in result.rows for c in r)
    return "a long cell was cut, and there may be more" if long else "there is more"


def _cost(usage: Usage, seconds: float) -> str:
    return f"{seconds:.1f} s, {_tokens(usage)}" + (" (replayed)" if usage.replayed else "")


def _tokens(usage: Usage) -> str:
    cached = f" ({usage.cached_tokens:,} from cache)" if usage.cached_tokens else ""
    return f"{usage.input_tokens:,} tokens read{cached}, {usage.output_tokens:,} written"


def _write_csv(result: Result | None) -> None:
    """RFC 4180: a header, CRLF after each record, quotes where needed; NULL is an empty field."""
    if result is None:
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(result.columns)
    for row in result.rows:
        writer.writerow([to_text(cell, null="") for cell in row])
    write_bytes(text.getvalue().encode("utf-8", "replace"))
