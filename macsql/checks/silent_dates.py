"""Dates kept as text in a form whose order is not that of time, or that the engine cannot read."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from sqlglot import exp

from macsql.checks.probes import Probe
from macsql.checks.scopes import Scope
from macsql.checks.silent_order import ordered_columns, some_texts
from macsql.message import Finding

_KEEPS_TEXT = re.compile(r"char|text|clob|string|date|time|^$", re.IGNORECASE)
_MAY_BE_TIME = re.compile(r"(?=.*\d)\w+(?:[-/.:, ]+\w+)+")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\d\d:\d\d(?::\d\d)?")
_NUMBERS = ("%d/%m/", "%m/%d/", "%d.%m.", "%d-%m-", "%m-%d-", "%d-%b-")
_DAYS = (
    *(form + year for form in _NUMBERS for year in ("%Y", "%y")),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
    *("%A, %B %d, %Y", "%a, %d %b %Y", "%Y/%m/%d", "%Y-%m-%d", "%b %Y", "%B %Y", "%m/%Y"),
    *("%b-%y", "%b-%Y", "%Y-%b-%d"),
)
_HOURS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%I:%M:%S %p")
_FORMS = (*_DAYS, *(f"{day} {hour}" for day in _DAYS for hour in _HOURS), *_HOURS)


def _marks(text: str) -> str:
    """What stands between the parts of a text, blanks left out."""
    return "".join(c for c in text if c in "-/.:,")


# To try a form takes long, since Python builds a regular expression for it anew.
_BY_MARKS = {m: [f for f in _FORMS if _marks(f) == m] for m in map(_marks, _FORMS)}
_DATE = re.compile(r"[-/.]|[^\W\d]{3}")
_SCORE = re.compile(r"\d+:\d\b")  # or a ratio: minutes have two digits
_FEW = 0.1
"""The share of texts that may be something else, such as 'unknown'."""
_READERS = frozenset({"strftime", "date", "datetime", "time", "julianday", "unixepoch"})


def dates_as_text(probe: Probe) -> Iterator[Finding]:
    """ORDER BY, MAX, a comparison or STRFTIME of '31/12/2019' or '5-MAY-14'."""
    # What a column holds can be asked for in every SELECT, also in one that others are part of.
    for scope in probe.analysis.resolution.scopes:
        uses = [(column, what, False) for column, what in ordered_columns(scope)]
        uses += [(column, what, True) for column, what in _read_columns(scope, probe)]
        for column, what, is_read in uses:
            found = probe.stored(column)
            if found is None or not _KEEPS_TEXT.search(found[2].type):
                continue
            _, table, stored = found
            examples = [v for v in stored.examples if isinstance(v, str) and v.strip()]
            if examples and not any(map(_may_matter, examples)):
                continue
            texts = some_texts(probe, table.name, stored.name)
            wrong = _cannot_be_read(texts) if is_read else sorts_wrongly(texts)
            if wrong:
                effect = "cannot read them" if is_read else "compares letters, not time"
                shown = next(t for t in texts if _may_matter(t))
                message = (
                    f"{table.name}.{stored.name} keeps dates as text like {shown!r}: "
                    f"{what} {effect}"
                )
                parts = "year, month and day" if _DATE.search(shown) else "hours and minutes"
                hint = f"take {parts} out of the text, and compare them in this order"
                yield Finding("dates-as-text", "warning", message, hint)


def _may_matter(example: str) -> bool:
    """Whether a column with this example is worth a probe: it says a time, and not as ISO 8601."""
    example = example.strip()
    is_date = _ISO.fullmatch(example) and "-" in example
    return bool(_MAY_BE_TIME.fullmatch(example)) and not is_date


def _read_columns(scope: Scope, probe: Probe) -> Iterator[tuple[exp.Column, str]]:
    """Columns that a date function of SQLite reads, and which."""
    if probe.analysis.statement.dialect != "sqlite":
        return
    for column in scope.select.find_all(exp.Column):
        call = column.parent
        if isinstance(call, exp.TsOrDsToTimestamp):
            call = call.parent
        if column.parent_select is scope.select and isinstance(call, exp.Func):
            name = call.sql("sqlite").partition("(")[0].strip()
            if name.lower() in _READERS:
                yield column, name.upper()


def sorts_wrongly(texts: Sequence[str]) -> bool:
    """Whether the dates come in another order as text, in every way that they can be read.

    >>> sorts_wrongly(["2019-01-05", "2019-02-01"]), sorts_wrongly(["05/01/2020", "06/01/2019"])
    (False, True)
    """
    readings = list(_readings(sorted(set(texts))))
    return bool(readings) and all(any(b < a for a, b in pairwise(times)) for times in readings)


def _cannot_be_read(texts: Sequence[str]) -> bool:
    """Whether the texts are dates, and none is one that SQLite reads."""
    # It passes over blanks at the end.
    return not any(_ISO.fullmatch(t.rstrip()) for t in texts) and any(_readings(texts))


def _readings(texts: Sequence[str]) -> Iterator[list[datetime]]:
    """The times that nearly all the texts say, for every form in which they can be read."""
    if not texts or any(map(_SCORE.search, texts)):
        return
    marked = Counter(map(_marks, texts))
    [(marks, _)] = marked.most_common(1)
    allowed = int(len(texts) * _FEW)
    for form in _BY_MARKS.get(marks, ()) if len(texts) - marked[marks] <= allowed else ():
        times, others = [], 0
        for text in texts:
            try:
                times.append(datetime.strptime(text.strip(), form))
            except ValueError:
                others += 1
                if others > allowed:
                    break
        else:
            yield times
