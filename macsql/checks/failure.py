"""Why the database refused a statement: its message in our terms, with the nearest right names."""

import re
from dataclasses import dataclass

from macsql.checks.analysis import analyse
from macsql.message import Finding
from macsql.schema import Schema


@dataclass(frozen=True, slots=True)
class _Reason:
    """``phrases`` of any of the databases mean ``code``."""

    code: str
    hint: str
    phrases: tuple[str, ...]

    def fits(self, message: str) -> bool:
        return any(re.search(phrase, message, re.IGNORECASE) for phrase in self.phrases)


# In the words of SQLite, PostgreSQL, MySQL, DuckDB and SQL Server; the first that fits counts.
_REASONS = (
    _Reason("ambiguous-column", "write the table or alias in front of it", ("ambiguous",)),
    _Reason(
        "unknown-function",
        "use a function that this database has",
        (
            "no such function",
            r"function .* does not exist",
            "is not a recognized .*function",
            "unknown function",
        ),
    ),
    _Reason(
        "unknown-table",
        "use only tables of the schema",
        (
            "no such table",
            "there is no table .* that you may read",
            'relation ".*" does not exist',
            "table '.*' doesn't exist",
            "table with name .* does not exist",
            "invalid object name",
        ),
    ),
    _Reason(
        "unknown-column",
        "use only columns of the tables in FROM",
        (
            "no such column",
            "column .* does not exist",
            "unknown column",
            "referenced (column|table) .* not found",
            "invalid column name",
            "missing from-clause entry",
            "could not be bound",
        ),
    ),
    _Reason(
        "aggregate-in-group-by",
        "group by columns only",
        (
            r"aggregate functions are not allowed in (the )?group by",
            "group by .*contain aggregates",
        ),
    ),
    _Reason(
        "group-by",
        "add the shown columns to GROUP BY",
        (
            "group by clause is required before having",
            "having clause on a non-aggregate",
            "must appear in the group by",
            "isn't in group by",
            "not in group by",
            "invalid in the select list because",
        ),
    ),
    _Reason(
        "aggregate-in-where",
        "move the condition to HAVING, or compare with a sub-query",
        (
            "misuse of aggregate",
            "aggregate functions are not allowed",
            "invalid use of group function",
            "cannot contain aggregates",
            "aggregate may not appear in",
        ),
    ),
    _Reason(
        "misused-window", "compute it in a sub-query", ("misuse of window", "window functions")
    ),
    _Reason(
        "set-operation-arity",
        "select the same number of columns on both sides",
        ("same number of", "different number of columns", "equal number of expressions"),
    ),
    _Reason(
        "sub-query-arity",
        "select only one column in the sub-query",
        (
            "sub-select returns",
            "subquery .*(one|too many|returns) column",
            r"subquery returns \d+ columns",
            "row value misused",
            "operand should contain 1 column",
        ),
    ),
    _Reason(
        "position",
        "order by a column that is shown",
        ("term out of range", "does not match any column", "is not in select list"),
    ),
    _Reason(
        "placeholder",
        "write the value itself in place of ?, $1, @name or :name",
        ("bindings supplied", "you did not supply a value for binding", "no parameter"),
    ),
    _Reason(
        "wrong-arguments",
        "check the arguments of the function",
        ("wrong number of arguments", "no function matches", "incorrect parameter count"),
    ),
    _Reason(
        "several-statements",
        "send a single SELECT",
        ("one statement at a time", "multiple (statements|commands)"),
    ),
    _Reason(
        "syntax",
        "correct the statement around that place",
        ("syntax", "unrecognized token", "incomplete input", "parser error"),
    ),
)
_NAMED = re.compile(r"""["'`]([^"'`\n]+)["'`]|: ([\w.]+)(?:\(\))?$""")


def explain_failure(sql: str, error_message: str, schema: Schema) -> list[Finding]:
    """Findings for a statement that the database refused, errors first; never raises.

    What the checks find has names and hints; the database's own message is added as a finding,
    unless the checks say the same already. There is always at least one finding.

    >>> explain_failure("SELECT 1", "no such function: FOO", Schema("sqlite", ()))[0].code
    'unknown-function'
    """
    findings = [p.finding for p in analyse(sql, schema).problems]
    said = _from_message(sql, error_message)
    errors = [f for f in findings if f.severity == "error"]
    doubts = [f for f in findings if f.severity != "error"]
    if any(_says_the_same(f, said) for f in errors):
        return [*errors, *doubts]
    return [*errors, said, *doubts]


def _from_message(sql: str, error_message: str) -> Finding:
    text = next((line.strip() for line in error_message.splitlines() if line.strip()), "")
    text = text or "the database gave no reason"
    reason = next((r for r in _REASONS if r.fits(text)), None)
    if reason is None:
        return Finding("execution-error", "error", text)
    return Finding(reason.code, "error", text, reason.hint, _place(sql, text))


def _place(sql: str, message: str) -> tuple[int, int] | None:
    """Where the thing complained about is written, when it is written once."""
    found = _NAMED.search(message)
    name = (found[1] or found[2]) if found else ""
    if not name or sql.count(name) != 1:
        return None
    return sql.index(name), sql.index(name) + len(name)


_FINER: dict[str, frozenset[str]] = {
    "unknown-column": frozenset({"unknown-column", "wrong-qualifier", "unjoined-table"}),
    "syntax": frozenset({"reserved-word", "other-dialect", "not-a-query"}),
    "aggregate-in-where": frozenset({"aggregate-in-group-by", "nested-aggregate"}),
}
"""What the checks tell apart of a code of the database: "misuse of aggregate" says less."""


def _says_the_same(finding: Finding, said: Finding) -> bool:
    return finding.code == said.code or finding.code in _FINER.get(said.code, ())
