"""Runs read from their folders for a report, and what several of them say together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from macsql.errors import ConfigError
from macsql.evaluation.answer import Answer
from macsql.evaluation.database_files import SUITE
from macsql.evaluation.error_rows import is_rounded, likeness
from macsql.evaluation.folder import MANIFEST, Manifest, RunFolder
from macsql.evaluation.metrics import Summary, summarize
from macsql.evaluation.report_results import Results
from macsql.evaluation.sources import shortest_ends
from macsql.evaluation.verdict import Verdict

__all__ = ["Run", "Suspect", "gold_suspects", "open_runs", "other_data"]

_DEEPEST = 3
FEWEST_RUNS = 3
"""How many runs must agree against the gold before it is suspected."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run with its figures. ``name`` tells it from the others of a report."""

    name: str
    path: Path
    manifest: Manifest
    answers: dict[str, Answer]
    verdicts: dict[str, Verdict]
    summary: Summary

    @property
    def failed(self) -> list[str]:
        """The ids of the questions answered wrongly, in the order of the benchmark."""
        return [i for i in self.manifest.ids if i in self.verdicts and not self.verdicts[i].ex]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A question on which all runs agree with each other, against the gold.

    ``basis`` says how it was seen: "results" that are the same, or the "SQL" alone.
    """

    id: str
    answer: Answer
    sql: tuple[str, ...]
    basis: str


def open_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs in these folders; a folder that holds runs stands for all of them.

    Raises ConfigError when there is none in one of them, or it cannot be read.
    """
    folders: list[Path] = []
    for path in paths:
        found = list(_folders(Path(path), _DEEPEST))
        if not found:
            raise ConfigError(
                f"There is no run in {path}: a run is a folder with {MANIFEST}, as macsql eval "
                "and macsql score --out leave it."
            )
        folders += [folder for folder in found if folder not in folders]
    return [_read(f, name) for f, name in zip(folders, _names(folders), strict=True)]


def gold_suspects(runs: Sequence[Run], results: Results) -> list[Suspect]:
    """Where three or more runs over the same data agree against the gold; else none.

    Runs agree when their results say the same; where a database is not at hand, when their SQL
    is the same but for spaces and letter case.
    """
    if len(runs) < FEWEST_RUNS or not _are_over_the_same(runs):
        return []
    suspects = []
    for id_ in runs[0].failed:
        verdicts = [run.verdicts.get(id_) for run in runs]
        answers = [run.answers[id_] for run in runs if id_ in run.answers]
        if len(answers) < len(runs) or any(v is None or v.ex or not v.valid for v in verdicts):
            continue
        if basis := _agreement([a.sql for a in answers], answers[0].db_id, results):
            suspects.append(Suspect(id_, answers[0], tuple(a.sql for a in answers), basis))
    return suspects


def other_data(first: Run, second: Run) -> list[str]:
    """The databases (``db_id`` in the first run) that had other data in the second.

    Only what is known: runs of before there were digests have none.
    """

    def digests(run: Run, id_: str) -> tuple[str | None, ...]:
        name = run.answers[id_].db_id
        return tuple(run.manifest.digests.get(of) for of in (name, name + SUITE))

    found = set()
    for id_ in first.answers.keys() & second.answers.keys():
        pairs = zip(digests(first, id_), digests(second, id_), strict=True)
        if any(one and other and one != other for one, other in pairs):
            found.add(first.answers[id_].db_id)
    return sorted(found)


def _are_over_the_same(runs: Sequence[Run]) -> bool:
    kinds = {(run.manifest.checksum, run.manifest.rule) for run in runs}
    return len(kinds) == 1 and not any(other_data(*pair) for pair in combinations(runs, 2))


def _agreement(statements: Sequence[str], db_id: str, results: Results) -> str:
    if len({" ".join(sql.casefold().split()).rstrip("; ") for sql in statements}) == 1:
        return "SQL"
    first, *others = (results.read(db_id, sql) for sql in statements)
    if first.result is None or first.result.truncated or not first.result.rows:
        return ""
    for other in others:
        if other.result is None or other.result.truncated:
            return ""
        form = likeness(first.result.rows, other.result.rows, is_rounded=is_rounded(*statements))
        if form not in ("same", "reordered"):
            return ""
    return "results"


def _folders(path: Path, depth: int) -> Iterator[Path]:
    if (path / MANIFEST).is_file():
        yield path
    elif depth and path.is_dir():
        try:
            inner = sorted(p for p in path.iterdir() if p.is_dir())
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
        for folder in inner:
            yield from _folders(folder, depth - 1)


def _names(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that tell them apart."""
    return shortest_ends([folder.resolve().parts for folder in folders])


def _read(path: Path, name: str) -> Run:
    with RunFolder.open(path) as folder:
        summary = summarize(folder.manifest, folder.answers, folder.verdicts)
        return Run(name, path, folder.manifest, folder.answers, folder.verdicts, summary)
