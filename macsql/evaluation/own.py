"""Questions of your own, as JSON lines or CSV.

    {"id": "q1", "question": "How many pupils are there?", "gold_sql": "SELECT count(*) FROM pupil",
     "database": "school.sqlite", "evidence": "", "difficulty": "simple"}

Each object stands on one line; a CSV file has the same names in its first line. ``question`` and
``gold_sql`` (also ``gold``, ``sql``, ``query``, ``SQL``) must be there. Without ``id`` a line's id
is its position, from 0. ``database`` is a file, relative to this one, or a URL; it is not
needed when one database is given for all. ``db_id`` is its short name, by default that of the
file; alone it is looked for as DB_ID.sqlite, DB_ID/DB_ID.sqlite or database/DB_ID/DB_ID.sqlite.
Different databases of one short name are called FOLDER/DB_ID. A line may have other fields.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from macsql.errors import ConfigError
from macsql.evaluation.database_files import place
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.sources import (
    BadLine,
    checksum,
    csv_records,
    listed,
    read_text,
    shortest_ends,
)

GOLD_NAMES = ("gold_sql", "gold", "sql", "query", "SQL")
SUFFIXES = (".jsonl", ".csv")


def open_own(file: Path, database: str = "", data: Path | None = None) -> Benchmark:
    """The questions of ``file``; all on ``database`` when it is given.

    ``data`` is the folder that databases known by ``db_id`` only are looked for in, by default that
    of the file. Answers are compared by BIRD's rule, which changes no SQL. Raises ConfigError that
    names the first line that is wrong and says how many more are.
    """
    reader = csv_records if file.suffix.lower() == ".csv" else _json_lines
    examples: list[Example] = []
    seen: dict[str, int] = {}
    problems: list[str] = []
    for number, fields in reader(read_text(file)):
        try:
            if isinstance(fields, BadLine):
                raise fields
            examples.append(_example(fields, len(examples), file, database, data))
            if number != seen.setdefault(examples[-1].id, number):
                first = seen[examples[-1].id]
                raise BadLine(f'id "{examples[-1].id}" is that of line {first} already')
        except BadLine as problem:
            problems.append(f"line {number} of {file.name}: {problem}")
    if problems:
        count = len(problems) - 1
        more = f" ({count:,} more {'line is' if count == 1 else 'lines are'} wrong.)"
        raise ConfigError(f"{problems[0]}.{more if count else ''}")
    if not examples:
        raise ConfigError(f"{file} has no questions: each line is one, as a JSON object.")
    return Benchmark(file.name, "bird", tuple(_told_apart(examples)), checksum([file]))


def _told_apart(examples: Sequence[Example]) -> Iterator[Example]:
    """The examples; databases that share a short name have the ends of their paths before it."""
    named: dict[str, dict[str, str]] = {}
    for example in examples:
        named.setdefault(example.db_id, {})[place(example.database)] = example.db_id
    for db_id, names in named.items():
        if len(names) > 1:
            ends = zip(names, _ends(list(names), db_id), strict=True)
            names.update({where: f"{end}/{db_id}" for where, end in ends})
    for example in examples:
        yield replace(example, db_id=named[example.db_id][place(example.database)])


def _ends(places: Sequence[str], name: str) -> list[str]:
    """What tells the places apart: their folders, or else also the names of the files."""
    paths = [Path(where).parts for where in places]
    folders = [
        parts[:-1] if Path(parts[-1].partition("?")[0]).stem == name else parts for parts in paths
    ]
    return shortest_ends(folders if len(set(folders)) == len(folders) else paths)


def _json_lines(text: str) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """Number and object of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, BadLine(f"not valid JSON: {error}")
            continue
        if isinstance(fields, dict):
            yield number, fields
        else:
            yield number, BadLine("not a JSON object")


def _example(
    fields: dict[str, Any], position: int, file: Path, database: str, data: Path | None
) -> Example:
    question, gold = _text(fields, "question"), _text(fields, *GOLD_NAMES)
    if not question:
        raise BadLine("the question is empty" if "question" in fields else _lacking(fields))
    if not gold:
        raise BadLine("no gold_sql" if _found(fields, GOLD_NAMES) else _lacking(fields))
    path, db_id = _database(fields, file, database, data)
    return Example(
        id=_text(fields, "id") or str(position),
        question=question,
        gold_sql=gold,
        database=path,
        db_id=db_id,
        evidence=_text(fields, "evidence"),
        difficulty=_text(fields, "difficulty"),
    )


def _database(
    fields: dict[str, Any], file: Path, database: str, data: Path | None
) -> tuple[str, str]:
    """The file or URL asked, and its short name."""
    db_id = _text(fields, "db_id")
    given = database or _text(fields, "database")
    if "://" in given:
        return given, db_id or given.partition("?")[0].rpartition("/")[2]
    if given:
        path = Path(given) if database else file.parent / given
        if not path.is_file():
            raise BadLine(f"the database {path} is not there")
        return str(path), db_id or path.stem
    if not db_id:
        raise BadLine("no database: give one for all with --db, or a field database in each line")
    root, name = data or file.parent, f"{db_id}.sqlite"
    places = (root / name, root / db_id / name, root / "database" / db_id / name)
    for path in places:
        if path.is_file():
            return str(path), db_id
    raise BadLine(f"there is no database {db_id}: looked for {listed(places)}")


def _text(fields: dict[str, Any], *names: str) -> str:
    """The first of the fields that is there, as a text without outer blanks."""
    for name in _found(fields, names):
        value = fields[name]
        if isinstance(value, bool | dict | list):
            raise BadLine(f"{name} is not a text")
        return "" if value is None else str(value).strip()
    return ""


def _found(fields: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in fields]


def _lacking(fields: dict[str, Any]) -> str:
    lacks = "question" if "question" not in fields else "gold_sql"
    return f"no field {lacks}; there is {listed(fields) or 'nothing'}"
