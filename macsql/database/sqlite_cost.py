"""What one statement may make SQLite hold at once, and do between two looks at the clock.

SQLite looks at the clock between its own instructions only: while one function searches a long
text, nothing stops it. So a statement that can build long texts gets a shorter longest cell, and
is looked at more often. All of this works on the text alone, with the guard off as well.
"""

import re
import sys
import time
from dataclasses import dataclass, field

MEMORY = 512_000_000
LONGEST_SEARCHED = 500_000
LONG_STATEMENT = 20_000
JOINED_TABLES = 64
MOST_COLUMNS = 2_000
OPCODES = 2_000
OPCODES_WHEN_GROWING = 100

_GROWING = re.compile(
    r"\b(zeroblob|randomblob|hex|printf|format|group_concat|string_agg|quote|char|recursive"
    r"|json_(group_\w+|array|object))\b",
    re.IGNORECASE,
)
_REPLACE = re.compile(r"\breplace\b", re.IGNORECASE)
_SEARCHING = re.compile(r"\b(instr|replace|like|glob|match|[lr]?trim)\b", re.IGNORECASE)
_UNBOUNDED = re.compile(r"\bjson_group_", re.IGNORECASE)
_SOME_CONCATENATIONS = 8
_COUNTS_BYTES = sys.platform == "darwin"


def can_grow(sql: str) -> bool:
    """Whether the statement can make texts that are longer than the stored ones."""
    return bool(
        _GROWING.search(sql)
        or len(_REPLACE.findall(sql)) > 1
        or sql.count("||") >= _SOME_CONCATENATIONS
        or len(sql) > LONG_STATEMENT
    )


def longest_cell(sql: str, normal: int) -> int:
    """The length to which a text may grow in this statement; ``normal`` if it makes none.

    All cells of a row together stay within ``MEMORY``, and all searches of a row within a time
    that goes with the square of the length.

    >>> longest_cell("SELECT a FROM t", 10**7), longest_cell("SELECT hex(a) LIKE 'x' FROM t", 10**7)
    (10000000, 500000)
    """
    if not can_grow(sql):
        return normal
    tables = JOINED_TABLES if "*" in sql else 1
    cells = min(MOST_COLUMNS, (sql.count(",") + 1) * tables)
    searches = len(_SEARCHING.findall(sql))
    longest = min(normal, MEMORY // cells)
    return min(longest, int(LONGEST_SEARCHED / searches**0.5)) if searches else longest


@dataclass(slots=True)
class Watch:
    """Asked by SQLite again and again while it works: whether the statement has to end."""

    sql: str
    seconds: float
    memory: int = MEMORY
    is_out_of_time: bool = False
    is_out_of_memory: bool = False
    opcodes: int = field(init=False)
    _deadline: float = field(init=False)
    _most_memory: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.opcodes = OPCODES_WHEN_GROWING if can_grow(self.sql) else OPCODES
        self._deadline = time.monotonic() + self.seconds
        # What these build is outside of SQLite's limit on the length of a text.
        if _UNBOUNDED.search(self.sql):
            self._most_memory = peak_memory() + self.memory

    def __call__(self) -> bool:
        """Whether the statement has to end now."""
        self.is_out_of_time = time.monotonic() > self._deadline
        if self._most_memory is not None:
            self.is_out_of_memory = peak_memory() > self._most_memory
        return self.is_out_of_time or self.is_out_of_memory


def peak_memory() -> int:
    """The most memory this process has had, in bytes; 0 where that cannot be asked."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if _COUNTS_BYTES else most * 1024
