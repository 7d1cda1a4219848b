"""Exit codes: what the process tells the shell."""

from typing import TYPE_CHECKING

from macsql.errors import (
    AccessDenied,
    BudgetExceeded,
    ConfigError,
    DatabaseError,
    DatabaseUnavailable,
    LLMError,
    MacSQLError,
    QuestionError,
    UnsafeSQLError,
)

if TYPE_CHECKING:
    from macsql.message import Message

ANSWERED, NO_ANSWER, USAGE, MODEL, DATABASE, REFUSED, STOPPED = 0, 1, 2, 3, 4, 5, 130

MEANINGS = {
    ANSWERED: "answered",
    NO_ANSWER: "no answer: no SQL, none that runs, or not a question about the data",
    USAGE: "the command, a setting, a file or the question is not right",
    MODEL: "the model gave no reply",
    DATABASE: "the database cannot be used",
    REFUSED: "the SQL was refused as unsafe",
    STOPPED: "stopped by Ctrl-C",
}

_BY_CLASS: tuple[tuple[type[MacSQLError], int], ...] = (
    (ConfigError, USAGE),
    (QuestionError, USAGE),
    (LLMError, MODEL),
    (BudgetExceeded, MODEL),
    (UnsafeSQLError, REFUSED),
    (AccessDenied, REFUSED),
    (DatabaseUnavailable, DATABASE),
    (DatabaseError, DATABASE),
)
_BY_KIND = {kind.__name__: code for kind, code in _BY_CLASS}


def code_of_error(error: MacSQLError) -> int:
    """The code for an error that kept the question from being asked."""
    return next((code for kind, code in _BY_CLASS if isinstance(error, kind)), NO_ANSWER)


def code_of_answer(message: "Message") -> int:
    """The code for a question that was asked.

    SQL that fails in the database, or takes too long there, is no answer rather than a database
    that cannot be used.
    """
    if not message.error:
        return ANSWERED if message.sql else NO_ANSWER
    return _BY_KIND.get(message.error_kind, NO_ANSWER)
