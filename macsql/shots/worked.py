r"""``WorkedExample``: a question with its SQL; and the files that hold many of them.

    {"question": "How many pupils are there?", "sql": "SELECT COUNT(*) FROM pupil",
     "db_id": "school", "evidence": ""}

One JSON object a line, or one list of them. The SQL may also be called ``query`` (as in Spider's
train_spider.json), ``SQL`` (as in BIRD's train.json) or ``gold_sql``. ``db_id`` and ``evidence``
may be missing; other fields are passed over.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsql.errors import ConfigError

_BLANKS = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`|--[^\n]*)|(?P<gap>[ \t]+(?![,; \t]))|[ \t]+""")
SQL_NAMES = ("query", "SQL", "gold_sql", "sql")


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A question and the SQL that answers it. ``db_id`` is the short name of the database that
    they are about; empty, it is the one that is asked.
    """

    question: str
    sql: str
    db_id: str = ""
    evidence: str = ""

    def is_about(self, database: str) -> bool:
        """Whether it is about the database of that name."""
        return not self.db_id or self.db_id.casefold() == database.casefold()


def read_examples(path: Path) -> tuple[WorkedExample, ...]:
    """The pairs of a file, each once, in their order.

    Raises ConfigError when the file cannot be read or has no pairs; of entries that are no pairs,
    it names the first and says how many more there are.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is no UTF-8 text: {error}.") from error
    found: dict[WorkedExample, None] = {}
    problems: list[str] = []
    for place, entry in _entries(path, text):
        example = _example(entry)
        if isinstance(example, str):
            problems.append(f"{path}, {place}: {example}")
        else:
            found[example] = None
    if problems:
        more = f" ({len(problems) - 1:,} more are wrong.)" if problems[1:] else ""
        raise ConfigError(f"{problems[0]}.{more}")
    if not found:
        raise ConfigError(f"{path} has no examples: each is a JSON object with question and sql.")
    return tuple(found)


def _entries(path: Path, text: str) -> Iterable[tuple[str, Any]]:
    """Each entry and where it stands; a line that is no JSON is an entry as it is."""
    if not text.lstrip().startswith("["):
        return _lines(text)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid JSON: {error}.") from error
    return ((f"entry {number}", entry) for number, entry in enumerate(entries, 1))


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = line
            yield f"line {number}", entry


def _example(entry: Any) -> WorkedExample | str:
    """The pair, or what is wrong with the entry."""
    if not isinstance(entry, dict):
        return "not a JSON object"
    # Spider's entries have both: the text as "query", its tree as "sql".
    sql = next((entry[n] for n in SQL_NAMES if isinstance(entry.get(n), str)), "")
    texts = {"sql": _tidy(sql)}
    for name in ("question", "db_id", "evidence"):
        value = "" if entry.get(name) is None else entry[name]
        if not isinstance(value, str):
            return f"{name} is not a text"
        texts[name] = value.strip()
    for name in ("question", "sql"):
        if not texts[name]:
            return f"no {name}"
    return WorkedExample(**texts)


def _tidy(sql: str) -> str:
    """``sql`` without blanks that say nothing: a model reads them, and writes them.

    >>> _tidy("SELECT count(*) ,  a FROM t WHERE b  =  'x  y' ;")
    "SELECT count(*), a FROM t WHERE b = 'x  y'"
    """
    tidy = _BLANKS.sub(lambda m: m[1] or (" " if m["gap"] else ""), sql.strip())
    return tidy.rstrip("; ")
