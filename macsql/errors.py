"""Every error that macsql raises on purpose, as one tree.

    MacSQLError
    ├── ConfigError               a setting, model name, prompt set or extra that does not exist
    ├── QuestionError             a question that cannot be asked: empty, or far too long
    ├── LLMError                  no usable completion after the retries
    ├── ParseError                a reply without the SQL or JSON asked for
    ├── BudgetExceeded            tokens, seconds or money spent
    └── DatabaseError
        ├── DatabaseUnavailable   cannot be opened: missing, locked, unreadable, not a database
        ├── UnsafeSQLError        refused before execution
        ├── AccessDenied          outside the caller's policy
        ├── ExecutionError        refused by the database, in its own words
        ├── ResultTooLarge        more rows or bytes than may be read whole
        └── QueryTimeout          stopped by us

Messages are one line for a person: what happened, why, what to do next.
"""


class MacSQLError(Exception):
    """Root of everything macsql raises on purpose."""


class ConfigError(MacSQLError):
    """A setting, model name, prompt set, file or extra that does not exist."""


class QuestionError(MacSQLError):
    """A question that cannot be asked: empty, or far too long."""


class LLMError(MacSQLError):
    """No usable completion.

    ``retryable`` is true when the same request may succeed later (network, rate limit, overload),
    false when it cannot (wrong key, unknown model, prompt longer than the context window).
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class ParseError(MacSQLError):
    """A model reply without the SQL or JSON asked for; ``reply`` is the raw text."""

    def __init__(self, message: str, *, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class BudgetExceeded(MacSQLError):
    """Tokens, seconds or money are used up; ``spent`` says how much, in the unit of the message."""

    def __init__(self, message: str, *, spent: float = 0.0) -> None:
        super().__init__(message)
        self.spent = spent


class DatabaseError(MacSQLError):
    """Anything the database, or a layer in front of it, objects to; ``sql`` is the statement."""

    def __init__(self, message: str, *, sql: str = "") -> None:
        super().__init__(message)
        self.sql = sql


class DatabaseUnavailable(DatabaseError):
    """The database cannot be opened: missing, locked, unreadable, not a database."""


class UnsafeSQLError(DatabaseError):
    """Refused before execution; ``reason`` is a short code such as ``not-a-query``."""

    def __init__(self, message: str, *, sql: str = "", reason: str = "") -> None:
        super().__init__(message, sql=sql)
        self.reason = reason


class AccessDenied(DatabaseError):
    """Outside the caller's policy. The text is the same whether or not the object exists."""


class ExecutionError(DatabaseError):
    """Refused by the database; the message is the database's own."""


class ResultTooLarge(DatabaseError):
    """A result that has to be read whole has more rows or bytes than the limits allow."""


class QueryTimeout(DatabaseError):
    """Stopped by us because the time limit was reached; ``seconds`` is that limit."""

    def __init__(self, message: str, *, sql: str = "", seconds: float = 0.0) -> None:
        super().__init__(message, sql=sql)
        self.seconds = seconds
