"""BIRD: questions with evidence and difficulty on large databases with described columns.

    dev.json       [{"question_id": 89, "db_id": "financial", "question": "How many accounts ...",
                     "evidence": "A3 contains the data of region; ...", "difficulty": "moderate",
                     "SQL": "SELECT COUNT(T2.account_id) FROM district AS T1 ..."}, ...]
    dev_tables.json
    dev_databases/financial/financial.sqlite
    dev_databases/financial/database_description/account.csv

Mini-dev is mini_dev_sqlite.json beside the same databases.
"""

from pathlib import Path
from typing import Any

from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.sources import (
    checksum,
    find_folder,
    missing_databases,
    read_entries,
    refuse_missing,
)

FOLDERS = ("bird", "bird/dev", "dev", "bird_dev", "MINIDEV", "minidev/MINIDEV")
FILES = {"dev": "dev.json", "mini-dev": "mini_dev_sqlite.json"}
COMPLETE = {"dev": 1534, "mini-dev": 500}
"""Questions of the official sets."""

_TABLES, _DATABASES = "dev_tables.json", "dev_databases"


def open_bird(data: Path, split: str, questions: Path | None = None) -> Benchmark:
    """The questions of a split, "dev" or "mini-dev"; ids are the question_ids.

    Where a question lacks its question_id, or two share one, the ids are positions in the file,
    from 0, which a note says. A set that is not complete is named "rebuilt BIRD subset".
    Raises ConfigError for a folder or file that is not as it must be.
    """
    names = (_TABLES, _DATABASES) if questions else (FILES[split], _TABLES, _DATABASES)
    folder = find_folder(data, FOLDERS, names, f"BIRD {split}")
    file = questions or folder / FILES[split]
    entries = read_entries(file, ("db_id", "question", "SQL"), "BIRD")
    databases = {e["db_id"]: folder / _DATABASES / e["db_id"] for e in entries}
    missing = missing_databases({n: path / f"{n}.sqlite" for n, path in databases.items()})
    refuse_missing(missing, folder / _DATABASES)
    ids, notes = _ids(entries)
    return Benchmark(
        name=_name(split, questions, len(entries)),
        rule="bird",
        examples=tuple(
            _example(id, entry, databases[entry["db_id"]])
            for id, entry in zip(ids, entries, strict=True)
        ),
        checksum=checksum([file, folder / _TABLES]),
        notes=notes,
    )


def _example(id: str, entry: dict[str, Any], folder: Path) -> Example:
    descriptions = folder / "database_description"
    return Example(
        id=id,
        question=entry["question"].strip(),
        gold_sql=entry["SQL"].strip(),
        database=str(folder / f"{entry['db_id']}.sqlite"),
        db_id=entry["db_id"],
        evidence=_text(entry, "evidence"),
        difficulty=_text(entry, "difficulty"),
        descriptions=descriptions if descriptions.is_dir() else None,
    )


def _ids(entries: list[dict[str, Any]]) -> tuple[list[str], tuple[str, ...]]:
    ids = [_text(entry, "question_id") for entry in entries]
    if all(ids) and len(set(ids)) == len(ids):
        return ids, ()
    what = "repeat" if all(ids) else "are missing for some"
    positions = [str(position) for position in range(len(entries))]
    return positions, (f"question_ids {what}: ids are positions in the file, from 0",)


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return "" if value is None else str(value).strip()


def _name(split: str, questions: Path | None, count: int) -> str:
    if questions is not None:
        return f"rebuilt BIRD subset ({questions.name}, {count:,} questions)"
    complete = COMPLETE[split]
    if count == complete:
        return f"BIRD {split}"
    return f"rebuilt BIRD subset ({split}, {count:,} of {complete:,})"
