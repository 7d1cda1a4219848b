"""``macsql check``: what the safety layers and the checks think of one statement."""

import sys
from dataclasses import asdict, dataclass
from typing import Any

from macsql.checks import Repair, repair, repair_literals
from macsql.checks import check as find_faults
from macsql.checks.reads import reads
from macsql.cli.exits import ANSWERED, NO_ANSWER, REFUSED
from macsql.cli.opening import Caller, open_database
from macsql.cli.show import Screen
from macsql.cli.streams import printable, write, write_json, writing
from macsql.config import Settings
from macsql.database import Database
from macsql.errors import AccessDenied, UnsafeSQLError
from macsql.message import Finding

LONGEST = 1_000_000
"""Bytes read of stdin; the guard refuses long before."""

_MENDABLE = frozenset({"unparsable", "forbidden-function", "access-denied"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of ``sql``. ``reason`` is a short code, ``refusal`` its text; both are empty
    when the statement may run, and then ``rewritten`` is what a policy makes of it.
    """

    sql: str
    reason: str = ""
    refusal: str = ""
    reads: dict[str, tuple[str, ...]] | None = None
    findings: tuple[Finding, ...] = ()
    repair: Repair | None = None
    rewritten: str = ""

    @property
    def code(self) -> int:
        """The exit code."""
        if self.reason:
            return REFUSED
        return NO_ANSWER if any(f.severity == "error" for f in self.findings) else ANSWERED


def check(sql: str, settings: Settings, caller: Caller, *, as_json: bool) -> int:
    """Print the verdict on ``sql``, for "-" on what stdin holds, and return the exit code."""
    if sql == "-":
        sql = sys.stdin.buffer.read(LONGEST).decode("utf-8-sig", "replace")
    else:
        sql = sql.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    with open_database(settings, caller=caller) as database:
        verdict = judge(sql.strip(), database)
    with writing():
        if as_json:
            write_json(_document(verdict))
        else:
            _show(verdict)
    return verdict.code


def judge(sql: str, database: Database) -> Verdict:
    """What guard, policy and checks say about ``sql``, which is not run.

    Raises DatabaseError when the schema cannot be read.
    """
    schema = database.schema
    reason = refusal = rewritten = ""
    try:
        checked = database.check(sql)
        rewritten = database.rewritten(sql)
        rewritten = "" if rewritten == checked else rewritten
    except UnsafeSQLError as error:
        reason, refusal = error.reason or "refused", str(error)
    except AccessDenied as error:
        reason, refusal = "access-denied", str(error)
    if reason and reason not in _MENDABLE:
        return Verdict(sql, reason, refusal)
    findings = tuple(find_faults(sql, schema))
    values = database.similar_values
    mended = repair(sql, schema, values=values, failed=bool(reason))
    mended = mended or repair_literals(sql, schema, values)
    return Verdict(
        sql,
        reason,
        refusal,
        reads(sql, schema),
        findings,
        mended[0] if mended else None,
        rewritten,
    )


def _document(verdict: Verdict) -> dict[str, Any]:
    return {
        "sql": verdict.sql,
        "allowed": not verdict.reason,
        "reason": verdict.reason,
        "refusal": verdict.refusal,
        "reads": [
            {"table": table, "columns": list(columns)}
            for table, columns in (verdict.reads or {}).items()
        ],
        "findings": [asdict(finding) for finding in verdict.findings],
        "repair": (
            {"sql": verdict.repair.sql, "explanation": verdict.repair.explanation}
            if verdict.repair
            else None
        ),
        "rewritten": verdict.rewritten or None,
    }


def _line(text: str) -> str:
    """One line whatever the names in it are: none of them may pass for a verdict."""
    return " ".join(printable(text).split())


def _show(verdict: Verdict) -> None:
    """The verdict in words: the first word says whether it may run."""
    screen = Screen()
    said = f"refused ({verdict.reason}): {verdict.refusal}" if verdict.reason else "allowed"
    write(_line(said))
    for table, columns in (verdict.reads or {}).items():
        write(_line(f"reads {table}: {', '.join(columns) or 'its rows'}"))
    for finding in verdict.findings:
        text = "; ".join(filter(None, (finding.message, finding.hint)))
        write(_line(f"{finding.severity}: {text}"))
    if verdict.repair:
        write(printable(f"repair: {verdict.repair.sql}"))
        screen.note(f"({printable(verdict.repair.explanation)})")
    if verdict.rewritten:
        write(printable(f"runs as: {verdict.rewritten}"))
