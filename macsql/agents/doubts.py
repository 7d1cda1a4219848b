"""What speaks against a statement that runs: its question, the values found in it, its result."""

import re
from collections.abc import Sequence

from macsql.checks import check_literals, check_output, check_values_used, diagnose_result
from macsql.checks.names import word_likeness, words
from macsql.database import Database
from macsql.message import Candidate, Finding, Message

_NAME = re.compile(r"[^\W_]+")
_COMPUTED = frozenset(
    [
        "average",
        "avg",
        "mean",
        "total",
        "sum",
        "number",
        "count",
        "num",
        "amount",
        "max",
        "maximum",
        "min",
        "minimum",
        "highest",
        "lowest",
        "most",
        "least",
        "percentage",
        "percent",
        "share",
        "ratio",
        "rate",
        "rank",
        "difference",
    ]
)
_TEXT = re.compile(r"'((?:[^']|'')*)'")


def doubts_of_words(sql: str, message: Message) -> list[Finding]:
    """Where ``sql`` does not give what the question asks for; nothing is executed.

    Warnings only, and stored values that the question names and ``sql`` does not use: these are
    said of few right queries and of many others (docs/checks.md has the rates).
    """
    asked = check_output(message.question, sql, message.schema, evidence=message.evidence)
    return [
        *(f for f in asked if f.severity == "warning"),
        *check_values_used(sql, message.values, message.schema),
    ]


def doubts_of_attempts(
    sql: str, candidates: Sequence[Candidate], message: Message
) -> list[Finding]:
    """What attempts that could not run took from the question, and ``sql`` does without.

    Where no table has a salary, a model that is told so may answer with the age.
    """
    asked, used = set(words(message.question)), sql.casefold()
    there = {w for name in _NAME.findall(sql) for w in words(name)}
    lost = {}
    for failed in candidates:
        if failed.result is not None or failed.origin == "repair":
            continue
        missing = [f for f in failed.findings if f.code in ("unknown-column", "unknown-table")]
        named = [failed.sql[slice(*f.span)] for f in missing if f.span]
        names = [name.rpartition(".")[2].strip('"`[]') for name in named]
        texts = [text.strip("%").replace("''", "'") for text in _TEXT.findall(failed.sql)]
        for name in names:
            if set(words(name)) <= asked and not _is_there(name, there):
                lost[name] = f"the question speaks of {name}, which the query does without"
        for text in texts if missing else ():
            if text and set(words(text)) <= asked and text.casefold() not in used:
                lost[text] = f"the question says {text!r}, and the query does without"
    hint = "no table has what an earlier attempt looked for; see whether this is the answer"
    return [Finding("left-out", "warning", said, hint) for said in lost.values()]


def _is_there(name: str, there: set[str]) -> bool:
    """Whether a query has every word of ``name``: in the plural, as a word of the same meaning, or
    as something that is computed (``average_age``, ``total``).
    """
    return all(
        word in _COMPUTED or any(word_likeness(word, other) >= 0.9 for other in there)
        for word in words(name)
    )


def doubts_of_result(
    candidate: Candidate, database: Database, *, question: str = ""
) -> list[Finding]:
    """What about the result of a query that ran should not be trusted; runs small probes.

    Also compared texts that are not stored, where the value index knows their column.
    """
    if candidate.result is None:
        return []
    found = diagnose_result(
        candidate.sql, candidate.result, database.schema, database.execute, question=question
    )
    unstored = check_literals(candidate.sql, database.schema, database.indexed_values)
    return [*(f for f in found if f.severity == "warning"), *unstored]
