"""What one statement may make SQLite hold at once, and do between two looks at the clock.

SQLite looks at the clock between its own instructions only: while one function searches a long
text, nothing stops it. So a statement that can build long texts gets a shorter longest cell, and
is looked at more often. All of this works on the text alone, with the guard off as well.
"""

import mmap
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

MEMORY = 512_000_000
LONGEST_SEARCHED = 300_000
LONG_STATEMENT = 20_000
JOINED_TABLES = 64
MOST_COLUMNS = 2_000
SECONDS_BETWEEN_LOOKS = 0.005
OPCODES = 2_000
OPCODES_WHEN_GROWING = 100
OPCODES_WHEN_SEARCHING = 10

_GROWING = re.compile(
    r"\b(zeroblob|randomblob|hex|printf|format|group_concat|string_agg|quote|char|recursive"
    r"|json_(group_\w+|array|object))\b",
    re.IGNORECASE,
)
_REPLACE = re.compile(r"\breplace\b", re.IGNORECASE)
_SEARCHING = re.compile(r"\b(instr|replace|like|glob|match|[lr]?trim)\b", re.IGNORECASE)
_UNBOUNDED = re.compile(r"\bjson_group_", re.IGNORECASE)
REPEATED_CHARACTER = re.compile(r"%[^%A-Za-z]*(\*|\d{7})[^%A-Za-z]*c")
_FORMATTING = re.compile(
    r"""\b(?:printf|format)\b["'`\]]?(?:\s|/\*.*?\*/|--[^\n]*\n)*\("""
    r"""(?P<fixed>\s*'(?P<format>(?:[^']|'')*)'\s*[,)])?""",
    re.IGNORECASE | re.DOTALL,
)
_SOME_CONCATENATIONS = 8
_STATM = Path("/proc/self/statm")
_PAGE = mmap.PAGESIZE


def can_grow(sql: str) -> bool:
    """Whether the statement can make texts that are longer than the stored ones."""
    return bool(
        _GROWING.search(sql)
        or len(_REPLACE.findall(sql)) > 1
        or sql.count("||") >= _SOME_CONCATENATIONS
        or len(sql) > LONG_STATEMENT
    )


def can_repeat(sql: str) -> bool:
    """Whether a call of printf() may repeat a character for long: SQLite cannot be stopped then.

    >>> can_repeat("SELECT printf('%5.2f', a)"), can_repeat("SELECT printf('%999999999c', 'x')")
    (False, True)
    """
    return any(
        not call["fixed"] or REPEATED_CHARACTER.search(call["format"])
        for call in _FORMATTING.finditer(sql)
    )


def longest_cell(sql: str, normal: int) -> int:
    """The length to which a text may grow in this statement; ``normal`` if it makes none.

    All cells of a row together stay within ``MEMORY``, and all searches of a row within a time
    that goes with the square of the length.

    >>> longest_cell("SELECT a FROM t", 10**7), longest_cell("SELECT hex(a) LIKE 'x' FROM t", 10**7)
    (10000000, 300000)
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
    _next_look: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.opcodes = _opcodes(self.sql)
        self._deadline = time.monotonic() + self.seconds
        # What these build is outside of SQLite's limit on the length of a text.
        if _UNBOUNDED.search(self.sql):
            self._most_memory = memory_in_use() + self.memory

    def __call__(self) -> bool:
        """Whether the statement has to end now."""
        now = time.monotonic()
        self.is_out_of_time = now > self._deadline
        if self._most_memory is not None and now >= self._next_look:
            self.is_out_of_memory = memory_in_use() > self._most_memory
            self._next_look = now + SECONDS_BETWEEN_LOOKS
        return self.is_out_of_time or self.is_out_of_memory


def _opcodes(sql: str) -> int:
    """After how many instructions SQLite asks again."""
    if not can_grow(sql):
        return OPCODES
    return OPCODES_WHEN_SEARCHING if _SEARCHING.search(sql) else OPCODES_WHEN_GROWING


def memory_in_use() -> int:
    """The memory of this process in bytes; 0 where that cannot be asked."""
    try:
        pages = int(_STATM.read_bytes().split()[1])
    except OSError:
        return _peak_memory()
    return pages * _PAGE


def _peak_memory() -> int:
    """The same at its highest, where only that is known."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
