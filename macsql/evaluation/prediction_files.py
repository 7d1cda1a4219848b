r"""The usual forms of files of predicted SQL, read as they stand; who they belong to comes later.

JSON lines         {"id": "12", "sql": "SELECT ...", "db_id": "pets_1"}
JSON list          [{"question_id": 12, "sql": "SELECT ..."}, ...]  or  ["SELECT ...", ...]
JSON object        {"12": "SELECT ...", ...}  or  {"12": {"sql": "SELECT ..."}, ...}
Spider's .sql      SELECT ...<TAB>pets_1        one a line, the database may be left out
BIRD's JSON        {"12": "SELECT ...\t----- bird -----\tpets_1", ...}
CSV                id,sql                       the first line has the names
a run of macsql    the folder with its answers.jsonl

A list or object may also stand in an object, under "predictions" or "results". The SQL is under one
of SQL_NAMES, or under one in there; "query" and "SQL" are names of gold queries and never read. The
id is under one of ID_NAMES; "index" and "idx" are positions in the file of questions, from 0.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from macsql.errors import ConfigError
from macsql.evaluation.folder import RunFolder
from macsql.evaluation.sources import BadLine, csv_records, listed, read_json, read_text

BIRD_MARK = "\t----- bird -----\t"
SQL_NAMES = (
    "sql",
    "predicted_sql",
    "pred_sql",
    "generated_sql",
    "predicted_query",
    "prediction",
    "predicted",
    "pred",
)
ID_NAMES = ("id", "example_id", "question_id", "qid")
INDEX_NAMES = ("index", "idx")
WRAPPERS = ("predictions", "results")
DATABASE_NAMES = ("db_id", "db")

Form = Literal["lines", "records", "keys"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One prediction as it stands in a file; ``where`` says where that is.

    ``ids`` are all the ids that it gives itself, ``index`` is a position. ``db_id`` and
    ``question`` are empty where the file does not say them. ``error`` is why there is no SQL, if
    the file knows.
    """

    where: str
    sql: str
    db_id: str = ""
    ids: tuple[str, ...] = ()
    index: int | None = None
    error: str = ""
    error_kind: str = ""
    question: str = ""


def read_entries(file: Path, databases: Collection[str]) -> tuple[Form, list[Entry]]:
    """The predictions of a file, and what pairs them.

    That is their place ("lines"), the ids they name ("records"), or the keys of an object, which
    may be either ("keys"). ``databases`` are the names that may stand behind a tab in Spider's
    form. Raises ConfigError, naming the line, for a file of no known form.
    """
    if file.is_dir():
        return "records", _of_run(file)
    text = read_text(file)
    start = text.lstrip()[:1]
    suffix = file.suffix.lower()
    if suffix == ".csv":
        return _records(file, _csv_rows(file, text))
    if suffix == ".sql" or (start not in ("{", "[") and suffix not in (".json", ".jsonl")):
        return "lines", _of_lines(text, databases)
    if start != "[" and _is_json_lines(text, suffix):
        return _records(file, _json_lines(file, text))
    document = read_json(file)
    if isinstance(document, dict):
        document = next((document[n] for n in WRAPPERS if n in document), document)
    if isinstance(document, list):
        return _records(file, [(f"entry {i}", entry) for i, entry in enumerate(document, 1)])
    if not isinstance(document, dict):
        raise ConfigError(f"{file} holds no predictions: not a JSON list or object.")
    return "keys", [_of_key(file, key, value) for key, value in document.items()]


def _of_run(folder: Path) -> list[Entry]:
    with RunFolder.open(folder) as run:
        return [
            Entry(f"question {a.id}", a.sql, a.db_id, (a.id,), None, a.error, a.error_kind)
            for a in run.answers.values()
        ]


def _of_lines(text: str, databases: Collection[str]) -> list[Entry]:
    """One prediction a line; a blank line is an empty one, the last line end ends the file."""
    # Not splitlines(): a string in SQL may hold other characters that it takes for line ends.
    lines = text.removesuffix("\n").split("\n") if text else []
    tails = [line.rpartition("\t")[2].strip() for line in lines if line.strip()]
    # Tabs may also be blanks of the SQL, where the word behind one happens to be a database.
    has_databases = 2 * sum(tail in databases for tail in tails) > len(tails)
    entries = []
    for number, line in enumerate(lines, 1):
        sql, db_id = _without_mark(line)
        if has_databases and not db_id:
            head, tab, tail = sql.rpartition("\t")
            if tab and tail.strip() and " " not in tail.strip():
                sql, db_id = head, tail.strip()
        entries.append(Entry(f"line {number}", sql.strip(), db_id))
    return entries


def _without_mark(sql: str) -> tuple[str, str]:
    """The SQL before BIRD's mark, and the database after it."""
    head, mark, db_id = sql.partition(BIRD_MARK)
    if not mark and sql.startswith(BIRD_MARK.lstrip()):
        return "", sql.removeprefix(BIRD_MARK.lstrip()).strip()
    return head, db_id.strip()


def _is_json_lines(text: str, suffix: str) -> bool:
    """Whether each line is a document of its own, rather than the file being one object."""
    first, _, rest = text.strip().partition("\n")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return suffix == ".jsonl" and first.strip() != "{"
    return bool(rest) or (isinstance(record, dict) and any(n in record for n in SQL_NAMES))


def _json_lines(file: Path, text: str) -> list[tuple[str, Any]]:
    documents = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            documents.append((f"line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise ConfigError(
                f"{file}, line {number}: not valid JSON: {error}; "
                "if the line was cut off, take it out or predict it again."
            ) from error
    return documents


def _csv_rows(file: Path, text: str) -> list[tuple[str, Any]]:
    rows = []
    for number, fields in csv_records(text):
        if isinstance(fields, BadLine):
            raise ConfigError(f"{file}, line {number}: {fields}.")
        rows.append((f"line {number}", {name: cell or None for name, cell in fields.items()}))
    return rows


def _records(file: Path, documents: list[tuple[str, Any]]) -> tuple[Form, list[Entry]]:
    """Entries of documents that are objects with ids, or that all have none."""
    entries = [_of_record(file, where, document) for where, document in documents]
    bare = [e for e in entries if not e.ids and e.index is None]
    if bare and len(bare) < len(entries):
        raise ConfigError(
            f"{file}, {bare[0].where}: no id, which other lines have; "
            f"name the question as one of {listed((*ID_NAMES, *INDEX_NAMES))}."
        )
    return ("lines" if bare or not entries else "records"), entries


def _of_record(file: Path, where: str, document: Any) -> Entry:
    if isinstance(document, str):
        sql, db_id = _without_mark(document)
        return Entry(where, sql, db_id)
    if not isinstance(document, dict):
        raise ConfigError(f"{file}, {where}: neither an object nor a text.")
    name = next((n for n in SQL_NAMES if n in document), None)
    if name is None:
        raise ConfigError(
            f"{file}, {where}: no SQL: it should be called {listed(SQL_NAMES)}; "
            f"there is {listed(document)}."
        )
    value = document[name]
    if isinstance(value, dict):
        value = next((value[n] for n in SQL_NAMES if n in value), value)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{file}, {where}: {name} is not a text.")
    sql, db_id = _without_mark(value or "")
    known = [str(document[n]) for n in DATABASE_NAMES if isinstance(document.get(n), str)]
    is_empty = not sql.strip()
    return Entry(
        where=where,
        sql=sql,
        db_id=db_id or (known[0] if known else ""),
        ids=tuple(str(document[n]) for n in ID_NAMES if document.get(n) is not None),
        index=_index(file, where, next((document[n] for n in INDEX_NAMES if n in document), None)),
        error=str(document.get("error") or "") if is_empty else "",
        error_kind=str(document.get("error_kind") or "") if is_empty else "",
        question=str(document.get("question") or ""),
    )


def _index(file: Path, where: str, value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    raise ConfigError(f"{file}, {where}: index is not a position, a whole number from 0.")


def _of_key(file: Path, key: str, value: Any) -> Entry:
    if isinstance(value, dict):
        return replace(_of_record(file, f'key "{key}"', value), ids=(key,), index=None)
    if isinstance(value, list):
        raise ConfigError(f'{file}, key "{key}": not SQL but a JSON list.')
    # BIRD's own files have a number where a model gave nothing; its script reads that as no SQL.
    sql, db_id = _without_mark(value if isinstance(value, str) else "")
    return Entry(f'key "{key}"', sql, db_id, (key,))
