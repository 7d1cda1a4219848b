"""The tables of a report, as text cells that terminal, Markdown and HTML show alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from macsql.evaluation.error_analysis import CLASSES
from macsql.evaluation.metrics import Costs, Refinement, SchemaLinking, Score, Summary
from macsql.evaluation.report import Run
from macsql.evaluation.report_compare import Change, Comparison

__all__ = [
    "NAMES",
    "Table",
    "comparison_tables",
    "many_tables",
    "run_tables",
    "runs_table",
    "to_markdown",
]

NAMES: Mapping[str, str] = {
    "ex": "EX",
    "ex_strict": "EX strict",
    "ex_gold_sound": "EX, sound gold",
    "em": "EM",
    "soft_f1": "Soft-F1",
    "ves": "VES",
    "r_ves": "R-VES",
    "valid_sql": "valid SQL",
    "invented_names": "invented names",
    "abstained": "declined",
    "input_tokens": "tokens read",
    "output_tokens": "tokens written",
    "calls": "calls",
    "seconds": "seconds",
}
"""The figures as they are called in print."""

_MEANINGS = {
    "ex": "execution accuracy by the official rule",
    "ex_strict": "with duplicates and order as asked",
    "ex_gold_sound": "over gold queries that run and have rows",
    "em": "Spider's exact set match, without values",
    "soft_f1": "BIRD's, row by row; mean",
    "ves": "BIRD's first efficiency score; mean",
    "r_ves": "BIRD's efficiency score in steps; mean",
    "valid_sql": "predictions that run",
    "invented_names": "predictions naming what the schema lacks",
    "abstained": "no SQL on purpose",
}
_COUNTS = {
    "unanswered": "questions not answered yet",
    "not_judged": "questions without a verdict",
    "gold_failing": "gold query fails",
    "gold_empty": "gold query has no rows",
    "unparsed": "prediction not readable for exact match",
    "missing": "no prediction",
    "timeouts": "prediction stopped by the time limit",
    "right_but_not_strict": "right by the official rule only",
}
_GROUP_TITLES = {
    "difficulty": "By difficulty",
    "hardness": "By hardness (Spider's)",
    "database": "By database",
    "joins": "By joins of the gold query",
    "queries": "By SELECTs of the gold query",
}
_PERCENT = frozenset(
    {"ex", "ex_strict", "em", "soft_f1", "valid_sql", "invented_names", "abstained"}
)


@dataclass(frozen=True, slots=True)
class Table:
    """One table. Columns in ``text_columns`` are words, the others figures.

    ``bars`` has, for tables that HTML draws, the length in [0, 1] for each row.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: frozenset[int] = frozenset({0})
    bars: tuple[float, ...] = ()
    note: str = ""


def run_tables(summary: Summary) -> list[Table]:
    """All tables of one run, the scores first; those without rows are left out."""
    tables = [_scores(summary), *_groups(summary), _classes(summary), _partial(summary)]
    tables.append(_second_look(summary))
    if summary.refinement:
        tables.append(_refinement(summary.refinement))
    if summary.linking:
        tables.append(_linking(summary.linking))
    if summary.costs:
        tables.append(_costs(summary.costs))
    return [table for table in tables if table.rows]


def runs_table(runs: Sequence[Run]) -> Table:
    """One line for each run."""
    shown = ("ex", "ex_strict", "em", "soft_f1", "ves", "r_ves", "valid_sql")
    names = [n for n in shown if any(n in run.summary.scores for run in runs)]
    costs = [run.summary.costs for run in runs]
    heads = ["run", "model", "n", *(NAMES[n] for n in names)]
    heads += ["tokens read", "s (median)"] if any(costs) else []
    rows = []
    for run, spent in zip(runs, costs, strict=True):
        cells = [run.name, run.manifest.model, str(run.summary.judged)]
        cells += [_with_interval(run.summary.scores.get(n), wide=n == "ex") for n in names]
        if spent:
            cells += [_thousands(spent.input_tokens_mean.value), _seconds(spent.seconds_p50)]
        rows.append((*cells, *[""] * (len(heads) - len(cells))))
    return Table("Runs", tuple(heads), tuple(rows), text_columns=frozenset({0, 1}))


def comparison_tables(comparison: Comparison) -> list[Table]:
    """The differences, by figure, difficulty, database and class of mistakes."""
    tables = [_changes("Differences", comparison.changes)]
    for grouping, changes in comparison.groups.items():
        tables.append(_changes(f"EX, {_GROUP_TITLES[grouping].lower()}", changes))
    rows = tuple(
        (name, str(a), str(b), f"{b - a:+d}" if a != b else "0", CLASSES.get(name, ""))
        for name, (a, b) in comparison.classes.items()
    )
    heads = ("class", "first", "second", "change", "meaning")
    tables.append(Table("Mistakes by class", heads, rows, text_columns=frozenset({0, 4})))
    return [table for table in tables if table.rows]


def many_tables(runs: Sequence[Run], against_first: Sequence[Comparison]) -> list[Table]:
    """EX of the runs against that of the first, and the mistakes of all by class."""
    changes = {made.second: made.changes["ex"] for made in against_first}
    counts = [run.summary.error_classes for run in runs]
    rows = tuple(
        (name, *(str(count.get(name, 0)) for count in counts))
        for name in CLASSES
        if any(name in count for count in counts)
    )
    tables = [_changes(f"EX, against {runs[0].name}", changes)]
    tables.append(Table("Mistakes by class", ("class", *(run.name for run in runs)), rows))
    return [table for table in tables if table.rows]


def to_markdown(table: Table) -> Iterator[str]:
    """The lines of the table in Markdown, under its title.

    >>> print(*to_markdown(Table("Scores", ("a|b", "n"), (("x", "1"),))), sep="\\n")
    ### Scores
    <BLANKLINE>
    | a\\|b | n |
    |---|--:|
    | x | 1 |
    <BLANKLINE>
    """
    yield from (f"### {table.title}", "")
    yield _markdown_row(table.heads)
    marks = ("---" if i in table.text_columns else "--:" for i in range(len(table.heads)))
    yield f"|{'|'.join(marks)}|"
    for row in table.rows:
        yield _markdown_row(row)
    yield ""
    if table.note:
        yield from (table.note, "")


def percent(share: float) -> str:
    """A share in [0, 1] as a percentage with one decimal: "83.4"."""
    return f"{100 * share:.1f}"


# One run ----------------------------------------------------------------------------------


def _scores(summary: Summary) -> Table:
    rows = tuple(
        (NAMES[name], percent(s.value), _interval(s), str(s.n), _MEANINGS[name])
        for name, s in summary.scores.items()
        if s.n
    )
    return Table(
        "Scores",
        ("score", "%", "95 % interval", "n", "meaning"),
        rows,
        text_columns=frozenset({0, 4}),
        note="Intervals: Wilson's for proportions, the normal approximation for means.",
    )


def _groups(summary: Summary) -> Iterator[Table]:
    for grouping, groups in summary.groups.items():
        if len(groups) < 2:
            continue
        names = list(dict.fromkeys(n for scores in groups.values() for n in scores))
        rows = tuple(
            (
                group,
                str(scores["ex"].n),
                *(_with_interval(scores.get(n), wide=n == "ex") for n in names),
            )
            for group, scores in groups.items()
        )
        yield Table(
            _GROUP_TITLES[grouping],
            (grouping, "n", *(NAMES[n] for n in names)),
            rows,
            bars=tuple(scores["ex"].value for scores in groups.values()),
        )


def _classes(summary: Summary) -> Table:
    wrong = sum(summary.error_classes.values())
    most = max(summary.error_classes.values(), default=1)
    rows = tuple(
        (name, str(count), percent(count / wrong), CLASSES.get(name, ""))
        for name, count in summary.error_classes.items()
    )
    return Table(
        "Mistakes by class",
        ("class", "count", "% of mistakes", "meaning"),
        rows,
        text_columns=frozenset({0, 3}),
        bars=tuple(count / most for count in summary.error_classes.values()),
        note="Of several classes that fit, the first counts; see macsql.evaluation.error_analysis.",
    )


def _partial(summary: Summary) -> Table:
    rows = tuple(
        (name, percent(s.value), _interval(s), str(s.n)) for name, s in summary.partial.items()
    )
    return Table("Exact match by clause", ("clause", "F1 %", "95 % interval", "n"), rows)


def _second_look(summary: Summary) -> Table:
    rows = tuple(
        (_COUNTS.get(name, name), str(count)) for name, count in summary.counts.items() if count
    )
    return Table("Needs a second look", ("questions", "count"), rows)


def _refinement(found: Refinement) -> Table:
    first = found.first_ex
    rounds = ", ".join(f"{count} with {rounds}" for rounds, count in found.rounds.items())
    rows = (
        ("EX of the first SQL", f"{percent(first.value)} {_interval(first)}, n = {first.n}"),
        ("wrong at first, right in the end", str(found.gained)),
        ("right at first, wrong in the end", str(found.lost)),
        ("McNemar's exact p", _p(found.p)),
        ("questions by rounds of refinement", rounds),
    )
    return Table("Refinement", ("what", "figure"), rows)


def _linking(found: SchemaLinking) -> Table:
    scores = {
        "recall of gold columns, %": found.recall,
        "questions with all gold columns, %": found.strict_recall,
        "precision, %": found.precision,
        "questions whose schema was narrowed, %": found.pruned,
    }
    rows = tuple((name, percent(s.value), _interval(s), str(s.n)) for name, s in scores.items())
    fell = f"Selector failed and the whole schema was kept: {found.fallbacks} questions, "
    return Table(
        "Schema linking",
        ("score", "%", "95 % interval", "n"),
        rows,
        note=f"{fell}of which {found.saved} were answered rightly.",
    )


def _costs(found: Costs) -> Table:
    def line(name: str, total: int, each: Score) -> tuple[str, str, str, str]:
        interval = f"[{_thousands(each.low)}, {_thousands(each.high)}]"
        return name, _thousands(total), _thousands(each.value), interval

    rows = [
        line("tokens read", found.input_tokens, found.input_tokens_mean),
        line("of these from cache", found.cached_tokens, found.cached_tokens_mean),
        line("tokens written", found.output_tokens, found.output_tokens_mean),
        line("calls", found.calls, found.calls_mean),
    ]
    if found.dollars is not None:
        each = found.dollars / max(1, found.calls_mean.n)
        rows.append(("US dollars", f"{found.dollars:.4f}", f"{each:.5f}", ""))
    seconds = f"Seconds for a question: {_seconds(found.seconds_p50)} (median), "
    note = f"{seconds}{_seconds(found.seconds_p95)} (95th percentile)."
    if found.replayed:
        note += f" {found.replayed:,} calls were answered from a recording or cache; "
        note += "the seconds are those of the other questions."
    heads = ("cost", "total", "mean", "95 % interval")
    return Table(f"Cost (n = {found.calls_mean.n})", heads, tuple(rows), note=note)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


# Two runs ---------------------------------------------------------------------------------


def _changes(title: str, changes: Mapping[str, Change]) -> Table:
    is_score = title == "Differences"
    rows = tuple(
        _change(name, c, is_share=not is_score or name in _PERCENT) for name, c in changes.items()
    )
    heads = ("", "first", "second", "difference", "95 % interval", "gained", "lost", "p", "n")
    note = (
        "Percent for scores, means for the rest. Gained: wrong in the first run, right in the "
        "second. p: McNemar's exact test. Intervals: Bonett and Price for proportions, paired "
        "bootstrap for means."
    )
    of_groups = "p is not corrected for the number of comparisons."
    return Table(title, heads, rows, note=note if is_score else of_groups)


def _change(name: str, change: Change, *, is_share: bool) -> tuple[str, ...]:
    factor = 100 if is_share else 1
    values = (change.before, change.after, change.difference, change.low, change.high)
    before, after, difference, low, high = (factor * v for v in values)
    return (
        NAMES.get(name, name),
        f"{before:,.1f}",
        f"{after:,.1f}",
        f"{difference:+,.1f}",
        f"[{low:+,.1f}, {high:+,.1f}]",
        "" if change.gained is None else str(change.gained),
        "" if change.lost is None else str(change.lost),
        "" if change.p is None else _p(change.p),
        str(change.n),
    )


# Cells ------------------------------------------------------------------------------------


def _interval(score: Score) -> str:
    return f"[{percent(score.low)}, {percent(score.high)}]"


def _with_interval(score: Score | None, *, wide: bool) -> str:
    if score is None:
        return ""
    return f"{percent(score.value)} {_interval(score)}" if wide else percent(score.value)


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _thousands(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:,.1f}"


def _markdown_row(cells: Sequence[str]) -> str:
    safe = (" ".join(c.split()).replace("\\", "\\\\").replace("|", "\\|") for c in cells)
    return f"| {' | '.join(c.replace('<', '&lt;') for c in safe)} |"
