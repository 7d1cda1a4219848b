"""What speaks against a statement that runs: its question, the values found in it, its result."""

from macsql.checks import check_literals, check_output, check_values_used, diagnose_result
from macsql.database import Database
from macsql.message import Candidate, Finding, Message


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
