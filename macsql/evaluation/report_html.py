"""The report as one self-contained HTML page: tables, and a card for each question to look at."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from macsql import __version__
from macsql.database.result import to_text
from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.report import Run, Suspect
from macsql.evaluation.report_compare import Comparison, Flip
from macsql.evaluation.report_results import Results, Shown
from macsql.evaluation.report_tables import Table
from macsql.evaluation.verdict import Verdict
from macsql.message import Message, Step
from macsql.records import load

__all__ = ["Card", "Page", "flip_cards", "run_cards", "suspect_cards"]

TRACE_BUDGET = 2_000_000
"""Characters of all traces on one page; each question has an equal share of them."""

MOST_TRACE = 8_000
MOST_SQL = 4_000
MOST_CELL = 60
MOST_COLUMNS = 12

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Grid:
    """The first rows of one result as text; ``error`` says why there are none."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One statement with its result: "gold", or whose it is."""

    title: str
    sql: str
    grid: Grid


@dataclass(frozen=True, slots=True)
class Card:
    """One question: what was asked, the statements with their results, and the trace.

    ``tags`` are short words (database, difficulty, class of the mistake) that the page filters by.
    """

    id: str
    question: str
    evidence: str
    tags: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    note: str = ""
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that one page shows. ``facts`` are lines under the title."""

    title: str
    facts: tuple[str, ...]
    tables: tuple[Table, ...]
    cards_title: str
    cards: tuple[Card, ...]
    notes: tuple[str, ...] = field(default=())

    def html(self) -> str:
        """The page; all text in it is escaped."""
        tags = Counter(tag for card in self.cards for tag in card.tags)
        page = _template().render(page=self, tags=tags.most_common(24), version=__version__)
        # Half a surrogate pair cannot be written, and the signs below would hide or turn text.
        return _UNSEEN.sub("\ufffd", page.encode("utf-8", "replace").decode("utf-8"))


def run_cards(run: Run, results: Results) -> list[Card]:
    """A card for each question that was answered wrongly."""
    failed = [i for i in run.failed if i in run.answers]
    budget = min(MOST_TRACE, TRACE_BUDGET // max(1, len(failed)))
    return [_failed_card(run, i, results, budget) for i in failed]


def flip_cards(comparison: Comparison, results: Results) -> list[Card]:
    """A card for each question that one run answers rightly and the other not."""
    return [_flip_card(flip, comparison, results) for flip in comparison.flips]


def suspect_cards(suspects: Sequence[Suspect], runs: Sequence[Run], results: Results) -> list[Card]:
    """A card for each question whose gold query is suspected."""
    cards = []
    for suspect in suspects:
        answer = suspect.answer
        given = dict(zip((r.name for r in runs), suspect.sql, strict=True))
        names = list(given)
        attempts = [_attempt("gold", answer.gold_sql, answer.db_id, results)]
        attempts.append(_attempt(", ".join(names), given[names[0]], answer.db_id, results))
        note = f"All {len(names)} runs agree: the same {suspect.basis}."
        tags = (answer.db_id, "gold suspected")
        cards.append(Card(answer.id, answer.question, answer.evidence, tags, tuple(attempts), note))
    return cards


def _failed_card(run: Run, id_: str, results: Results, budget: int) -> Card:
    answer, verdict = run.answers[id_], run.verdicts[id_]
    return Card(
        id=id_,
        question=answer.question,
        evidence=answer.evidence,
        tags=_tags(answer, verdict, verdict.error_class),
        attempts=(
            _attempt("gold", answer.gold_sql, answer.db_id, results, verdict.gold_error),
            _attempt("prediction", answer.sql, answer.db_id, results, _fault(answer, verdict)),
        ),
        note=_second_look(verdict),
        steps=_steps(run, answer, budget),
    )


def _flip_card(flip: Flip, comparison: Comparison, results: Results) -> Card:
    db_id = flip.answer.db_id
    wrong = flip.verdict if flip.gained else flip.other_verdict
    told = f"{comparison.second if flip.gained else comparison.first} is right"
    pairs = (
        (comparison.first, flip.answer, flip.verdict),
        (comparison.second, flip.other, flip.other_verdict),
    )
    given = [_attempt(name, a.sql, db_id, results, _fault(a, v)) for name, a, v in pairs]
    return Card(
        id=flip.id,
        question=flip.answer.question,
        evidence=flip.answer.evidence,
        tags=(
            "wrong to right" if flip.gained else "right to wrong",
            *_tags(flip.answer, wrong, wrong.error_class),
        ),
        attempts=(_attempt("gold", flip.answer.gold_sql, db_id, results), *given),
        note=told,
    )


def _tags(answer: Answer, verdict: Verdict, error_class: str) -> tuple[str, ...]:
    found = (error_class, verdict.difficulty or answer.difficulty, answer.db_id)
    return tuple(dict.fromkeys(tag for tag in found if tag))


def _fault(answer: Answer, verdict: Verdict) -> str:
    return "" if verdict.valid else verdict.error or answer.error


def _second_look(verdict: Verdict) -> str:
    notes = []
    if verdict.gold_empty:
        notes.append("The gold query has no rows.")
    if verdict.unknown_names:
        notes.append(f"Not in the schema: {', '.join(verdict.unknown_names)}.")
    if verdict.first_ex:
        notes.append("The first SQL was right; refinement lost it.")
    return " ".join(notes)


def _attempt(title: str, sql: str, db_id: str, results: Results, error: str = "") -> Attempt:
    shown = Shown(error=error) if error else results.read(db_id, sql)
    return Attempt(title, _cut(sql, MOST_SQL), _grid(shown))


def _grid(shown: Shown) -> Grid:
    result = shown.result
    if result is None:
        return Grid(error=_cut(shown.error, 400))
    rows = tuple(
        tuple(_cut(to_text(cell), MOST_CELL) for cell in row[:MOST_COLUMNS]) for row in result.rows
    )
    notes = []
    if not rows:
        notes.append("no rows")
    elif result.truncated:
        notes.append(f"first {len(rows)} rows")
    if len(result.columns) > MOST_COLUMNS:
        notes.append(f"first {MOST_COLUMNS} of {len(result.columns)} columns")
    heads = tuple(_cut(name, MOST_CELL) for name in result.columns[:MOST_COLUMNS])
    return Grid(heads, rows, "; ".join(notes))


def _steps(run: Run, answer: Answer, budget: int) -> tuple[tuple[str, str], ...]:
    """What the agents did, as (heading, text) pairs within ``budget`` characters."""
    if not answer.trace:
        return ()
    path = (run.path / answer.trace).resolve()
    if not path.is_relative_to(run.path.resolve()):
        return (("trace", "is outside the folder of the run"),)
    try:
        message, _ = load(path)
    except ConfigError as error:
        return (("trace", str(error)),)
    each = budget // max(1, len(message.steps) + 1)
    steps = [(_heading(step), _cut(_said(step), each)) for step in message.steps]
    tried = _cut("\n\n".join(_candidates(message)), each)
    return (*steps, ("statements tried", tried)) if tried else tuple(steps)


def _heading(step: Step) -> str:
    parts = [step.agent, step.note] if step.note else [step.agent]
    if step.usage.calls or step.usage.replayed:
        tokens = f"{step.usage.input_tokens:,} tokens read, {step.usage.output_tokens:,} written"
        parts.append(f"{step.seconds:.1f} s, {tokens}")
    return _cut(" · ".join(parts), 300)


def _said(step: Step) -> str:
    return "\n\n".join(filter(None, (step.reply, step.error and f"-- {step.error}")))


def _candidates(message: Message) -> list[str]:
    told = []
    for candidate in message.candidates:
        rows = len(candidate.result.rows) if candidate.result else 0
        outcome = candidate.error or f"{rows} row{'' if rows == 1 else 's'}"
        told.append(f"-- {candidate.origin}: {' '.join(outcome.split())}\n{candidate.sql}")
    return told


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


@lru_cache(maxsize=1)
def _template() -> Template:
    environment: Any = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found: Template = environment.get_template("report.html.j2")
    return found
