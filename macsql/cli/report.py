"""``macsql report``: runs shown, compared, and written as Markdown, JSON or one HTML page."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rich.cells import cell_len
from rich.text import Text

from macsql.cli.exits import ANSWERED
from macsql.cli.show import Screen
from macsql.cli.streams import printable, write, write_json, writing
from macsql.cli.table import Piece, clean, lay_out
from macsql.database import Result
from macsql.errors import ConfigError
from macsql.evaluation.database_files import has_changed
from macsql.evaluation.metrics import Summary
from macsql.evaluation.report import Run, Suspect, gold_suspects, open_runs
from macsql.evaluation.report_compare import Comparison, Flip, compare
from macsql.evaluation.report_html import Card, Page, flip_cards, run_cards, suspect_cards
from macsql.evaluation.report_results import Results
from macsql.evaluation.report_tables import (
    Table,
    comparison_tables,
    many_tables,
    run_tables,
    runs_table,
    to_markdown,
)

Form = Literal["text", "markdown", "json"]

_STYLES = {"head": "bold", "rule": "dim"}
_WIDEST_CELL = 100
_LONGEST_SQL = 400
_COMPARED_ROWS = 1000
_OF_EACH_QUESTION = ("ids", "databases", "digests")
_ONLY_IN_FULL = ("By database", "By joins of the gold query", "By SELECTs of the gold query")


@dataclass(frozen=True, slots=True)
class _Report:
    """What is said about one, two or more runs."""

    runs: tuple[Run, ...]
    comparison: Comparison | None
    against_first: tuple[Comparison, ...]
    suspects: tuple[Suspect, ...]
    warnings: tuple[str, ...]
    databases: Mapping[str, str]

    @property
    def title(self) -> str:
        if self.comparison:
            return f"{self.comparison.second} against {self.comparison.first}"
        return self.runs[0].name if len(self.runs) == 1 else f"{len(self.runs)} runs"

    @property
    def facts(self) -> tuple[str, ...]:
        """Lines that say what the runs are over."""
        lines = [line for run in self.runs for line in _facts(run)]
        if made := self.comparison:
            lines.append(
                f"{made.n:,} questions in common; {made.only_first:,} more in {made.first}, "
                f"{made.only_second:,} more in {made.second}"
            )
        return tuple(dict.fromkeys(lines))

    @property
    def tables(self) -> list[Table]:
        if len(self.runs) == 1:
            return run_tables(self.runs[0].summary)
        if self.comparison:
            return [runs_table(self.runs), *comparison_tables(self.comparison)]
        return [runs_table(self.runs), *many_tables(self.runs, self.against_first)]


def report(paths: Sequence[Path], *, form: Form, html: Path | None, force: bool) -> int:
    """Show the runs in ``paths``, and return the exit code. No model is asked."""
    screen = Screen()
    runs = open_runs(paths)
    made = _made(runs, is_asked=len(paths) == 2, force=force)
    for warning in made.warnings:
        screen.note(f"warning: {printable(warning)}", "yellow")
    if html is not None:
        size = _write_page(made, html)
        screen.note(f"page: {html} ({size / 1e6:.1f} MB)")
    with writing():
        if form == "json":
            write_json(_document(made))
        elif form == "markdown":
            write("\n".join(_markdown(made)).rstrip())
        else:
            _print(made, screen)
    return ANSWERED


def print_summary(summary: Summary, screen: Screen) -> None:
    """The tables that matter most right after a run."""
    for table in run_tables(summary):
        if table.title not in _ONLY_IN_FULL:
            print_table(table, screen)


def print_table(table: Table, screen: Screen) -> None:
    """One table on stdout, under its title; a terminal too narrow for the meanings goes without."""
    is_terminal = screen.out.is_terminal
    lines = _laid_out(table)
    last = len(table.heads) - 1
    if is_terminal and last in table.text_columns and _width(lines) > screen.out.width:
        lines = _laid_out(replace(table, heads=table.heads[:-1], rows=_without_last(table.rows)))
    title = [Piece(table.title, "head")]
    for pieces in (title, *lines, *([[Piece(table.note, "cell")]] if table.note else []), []):
        if is_terminal:
            screen.out.print(Text.assemble(*((p.text, _STYLES.get(p.kind, "")) for p in pieces)))
        else:
            write("".join(p.text for p in pieces))


def _laid_out(table: Table) -> list[list[Piece]]:
    kinds = tuple("str" if i in table.text_columns else "int" for i in range(len(table.heads)))
    return list(lay_out(Result(table.heads, kinds, table.rows), limit=_WIDEST_CELL))


def _without_last(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(row[:-1] for row in rows)


def _width(lines: Sequence[Sequence[Piece]]) -> int:
    return max(sum(cell_len(p.text) for p in pieces) for pieces in lines)


def _made(runs: Sequence[Run], *, is_asked: bool, force: bool) -> _Report:
    """The report. Two runs are compared; ``is_asked`` says that they were named one by one."""
    comparison, warnings = None, list(_warnings(runs))
    if len(runs) == 2:
        try:
            comparison = compare(*runs, force=force)
            warnings += comparison.warnings
        except ConfigError as error:
            if is_asked:
                raise
            warnings.append(f"Not compared: {error}")
    changed = _changed(runs)
    if changed:
        names = ", ".join(sorted(changed))
        warnings.append(f"Other data than when they were judged, so no rows are shown: {names}.")
    places = {n: p for n, p in _databases(runs).items() if n not in changed}
    with Results(places, rows=_COMPARED_ROWS) as results:
        suspects = gold_suspects(runs, results)
    against_first = () if comparison else tuple(_against_first(runs))
    return _Report(tuple(runs), comparison, against_first, tuple(suspects), tuple(warnings), places)


def _against_first(runs: Sequence[Run]) -> Iterator[Comparison]:
    """Each other run over the same questions, compared with the first."""
    for run in runs[1:]:
        with suppress(ConfigError):
            yield compare(runs[0], run)


def _warnings(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        summary = run.summary
        if summary.judged < summary.total:
            yield (
                f"{run.name} is not finished: {summary.judged:,} of {summary.total:,} questions "
                "have a verdict."
            )


def _databases(runs: Sequence[Run]) -> dict[str, str]:
    """Where each database is; one that had other data in each run is left out."""
    manifests = [run.manifest for run in runs]
    places = {name: place for m in manifests for name, place in m.databases.items()}

    def is_one(name: str) -> bool:
        return len({m.digests[name] for m in manifests if name in m.digests}) < 2

    return {name: place for name, place in places.items() if is_one(name)}


def _changed(runs: Sequence[Run]) -> set[str]:
    """Databases that are other ones by now: what they hold says nothing about old verdicts."""
    return {
        name
        for manifest in (run.manifest for run in runs)
        for name, place in manifest.databases.items()
        if name in manifest.digests and has_changed(place, manifest.digests[name])
    }


SHOWN_OPTIONS = (
    "examples",
    "shots",
    "style",
    "prune",
    "candidates",
    "max_refinements",
    "oracle_schema",
)
"""Options by which runs of one model differ."""


def _facts(run: Run) -> Iterator[str]:
    manifest = run.manifest
    who = [f"model {manifest.model}"] if manifest.model else []
    if manifest.kind == "eval":
        who += [f"prompts {manifest.prompts}", f"agents {', '.join(manifest.agents) or 'none'}"]
        given = ((name, manifest.options.get(name)) for name in SHOWN_OPTIONS)
        who += [f"{name.replace('_', ' ')} {value}" for name, value in given if value]
    yield "; ".join([f"{run.name}: {manifest.benchmark}, {manifest.rule}'s rule", *who])
    when = f"{manifest.started} to {manifest.ended or 'now'}" if manifest.started else ""
    yield "; ".join(
        filter(None, [f"data {manifest.checksum[:12]}", f"macsql {manifest.macsql}", when])
    )
    yield from manifest.notes


# Text -------------------------------------------------------------------------------------


def _print(made: _Report, screen: Screen) -> None:
    for fact in made.facts:
        write(printable(fact))
    write("")
    for table in made.tables:
        print_table(table, screen)
    for line in _flips(made):
        write(printable(line))


def _flips(made: _Report) -> Iterator[str]:
    """The questions to look at, after the tables."""
    if made.comparison:
        for title, flips in _sides(made.comparison):
            yield f"{title} ({len(flips)})"
            for flip in flips:
                yield f"  {flip.id} [{flip.answer.db_id}] {_line(flip.answer.question)}"
                yield f"    gold    {_line(flip.answer.gold_sql)}"
                yield f"    first   {_line(flip.answer.sql or flip.answer.error)}"
                yield f"    second  {_line(flip.other.sql or flip.other.error)}"
            yield ""
    if made.suspects:
        yield f"Gold suspected: all runs agree against it ({len(made.suspects)})"
    for suspect in made.suspects:
        yield f"  {suspect.id} [{suspect.answer.db_id}] {_line(suspect.answer.question)}"
        yield f"    gold    {_line(suspect.answer.gold_sql)}"
        yield f"    all     {_line(suspect.sql[0])} (the same {suspect.basis})"


def _sides(comparison: Comparison) -> Iterator[tuple[str, list[Flip]]]:
    for title, gained in (("Right to wrong", False), ("Wrong to right", True)):
        if flips := [f for f in comparison.flips if f.gained is gained]:
            yield title, flips


def _line(text: str) -> str:
    return clean(" ".join(text.split()), _LONGEST_SQL)


# Markdown, JSON, HTML ---------------------------------------------------------------------


def _markdown(made: _Report) -> Iterator[str]:
    yield from (f"## {_plain(made.title)}", "")
    for line in (*made.facts, *(f"Warning: {w}" for w in made.warnings)):
        yield from (_plain(line), "")
    for table in made.tables:
        yield from map(printable, to_markdown(table))
    if made.comparison:
        for title, flips in _sides(made.comparison):
            yield from (f"### {title} ({len(flips)})", "")
            for flip in flips:
                yield f"* {flip.id} ({_plain(flip.answer.db_id)}): {_plain(flip.answer.question)}"
                yield f"  * gold: {_code(flip.answer.gold_sql)}"
                yield f"  * first: {_code(flip.answer.sql or flip.answer.error)}"
                yield f"  * second: {_code(flip.other.sql or flip.other.error)}"
            yield ""
    if made.suspects:
        yield from ("### Gold suspected: all runs agree against it", "")
    for suspect in made.suspects:
        answer = suspect.answer
        yield f"* {suspect.id} ({_plain(answer.db_id)}): {_plain(answer.question)}"
        yield f"  * gold: {_code(answer.gold_sql)}"
        yield f"  * all runs (the same {suspect.basis}): {_code(suspect.sql[0])}"


def _plain(text: str) -> str:
    """Text in Markdown that is only text."""
    line = " ".join(printable(text).split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in line)


def _code(text: str) -> str:
    """SQL as a code span; the fence is longer than any run of backticks in it."""
    line = " ".join(printable(text).split()) or "(no SQL)"
    longest = max(
        (len(r) for r in "".join(c if c == "`" else " " for c in line).split()), default=0
    )
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"


def _document(made: _Report) -> dict[str, Any]:
    """What ``--json`` prints: one run as it is, several in a list."""
    runs = []
    for run in made.runs:
        manifest = {k: v for k, v in run.manifest.to_dict().items() if k not in _OF_EACH_QUESTION}
        runs.append(
            {"run": run.name, **run.summary.to_dict(), "manifest": manifest, "failed": run.failed}
        )
    if len(runs) == 1:
        return runs[0]
    suspects = [
        {
            "id": s.id,
            "db_id": s.answer.db_id,
            "question": s.answer.question,
            "gold_sql": s.answer.gold_sql,
            "sql": list(s.sql),
            "basis": s.basis,
        }
        for s in made.suspects
    ]
    compared = made.comparison.to_dict() if made.comparison else None
    against_first = [c.to_dict() for c in made.against_first]
    return {
        "runs": runs,
        "comparison": compared,
        "against_first": against_first,
        "gold_suspected": suspects,
    }


def _write_page(made: _Report, file: Path) -> int:
    """Write the page; its size in bytes. Raises ConfigError when it cannot be written."""
    with Results(made.databases) as results:
        title, cards = _cards(made, results)
    page = Page(
        title=made.title,
        facts=made.facts,
        tables=tuple(made.tables),
        cards_title=title,
        cards=tuple(cards),
        notes=made.warnings,
    )
    content = page.html().encode("utf-8")
    try:
        return file.write_bytes(content)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror or error}.") from error


def _cards(made: _Report, results: Results) -> tuple[str, list[Card]]:
    if len(made.runs) == 1:
        return "Questions answered wrongly", run_cards(made.runs[0], results)
    if made.comparison:
        return "Questions that flipped", flip_cards(made.comparison, results)
    if made.suspects:
        return "Gold suspected", suspect_cards(made.suspects, made.runs, results)
    return "", []
