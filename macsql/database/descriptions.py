"""Descriptions of tables and columns from files: BIRD's folders, or a CSV or YAML of one's own."""

import csv
import difflib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from macsql.errors import ConfigError
from macsql.schema import Column, Schema, Table

_FILLERS = frozenset({"", "-", "--", "n/a", "nan", "none"})
_BIRD_MARK = re.compile(r"common\s?sense evidence\s*:?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Description:
    """What is said about a table (``column`` is empty) or about one of its columns."""

    table: str
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class Descriptions:
    """All that a file or folder says. With ``strict``, every name in it must exist."""

    source: Path
    found: tuple[Description, ...]
    strict: bool


def describe(schema: Schema, path: str | Path) -> Schema:
    """``schema`` with the descriptions of a file or folder.

    ``path`` is BIRD's ``database_description`` folder; a CSV file with the columns table, column
    and description (column empty: about the table); or a YAML file
    ``{tables: {t: {description: …, columns: {c: …}}}}``. Descriptions from BIRD that fit no table
    are ignored, since its folders have such. Raises ConfigError when the path does not exist, does
    not have this form, or a file of one's own names something that is not in the schema.
    """
    return apply_descriptions(schema, read_descriptions(path))


def read_descriptions(path: str | Path) -> Descriptions:
    """What the file or folder says. Raises ConfigError when it cannot be read."""
    source = Path(path)
    try:
        if source.is_dir():
            return Descriptions(source, tuple(_read_bird(source)), strict=False)
        text = _read_text(source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"Cannot read the descriptions {str(path)!r}: {reason}.") from error
    if source.suffix.lower() in {".yaml", ".yml"}:
        return Descriptions(source, tuple(_read_yaml(source, text)), strict=True)
    return Descriptions(source, tuple(_read_own_csv(source, text)), strict=True)


def apply_descriptions(schema: Schema, descriptions: Descriptions) -> Schema:
    """``schema`` with those descriptions; later ones win. Raises ConfigError as ``describe``."""
    texts: dict[tuple[str, str], str] = {}
    for item in descriptions.found:
        table = schema.table(item.table)
        column = table.column(item.column) if table and item.column else None
        if descriptions.strict:
            _check_names(schema, table, column, item, descriptions.source)
        if table and item.text and (column or not item.column):
            texts[table.name, column.name if column else ""] = item.text
    return replace(schema, tables=tuple(_described(table, texts) for table in schema.tables))


def _described(table: Table, texts: Mapping[tuple[str, str], str]) -> Table:
    columns = tuple(
        replace(c, description=texts.get((table.name, c.name), c.description))
        for c in table.columns
    )
    text = texts.get((table.name, ""), table.description)
    return replace(table, columns=columns, description=text)


def _check_names(
    schema: Schema, table: Table | None, column: Column | None, item: Description, source: Path
) -> None:
    if table is None:
        known = [t.name for t in schema.tables]
        raise ConfigError(
            f"{source.name} describes the table {item.table!r}, which the database does not have."
            f"{_nearest(item.table, known)}"
        )
    if item.column and column is None:
        known = [c.name for c in table.columns]
        raise ConfigError(
            f"{source.name} describes the column {table.name}.{item.column}, which does not exist."
            f"{_nearest(item.column, known)}"
        )


def _nearest(name: str, known: Iterable[str]) -> str:
    folded = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


def _read_bird(folder: Path) -> Iterator[Description]:
    inner = folder / "database_description"
    files = sorted((inner if inner.is_dir() else folder).glob("*.csv"))
    if not files:
        raise ConfigError(f"The descriptions folder {str(folder)!r} has no CSV files.")
    for file in files:
        for row in _rows(file, _read_text(file)):
            name = row.get("original_column_name", "").strip()
            if name:
                yield Description(file.stem, name, _bird_text(name, row))


def _bird_text(name: str, row: Mapping[str, str]) -> str:
    """The parts that add something, as "full name: description. values"."""
    parts: list[str] = []
    said = {_comparable(name)}
    for key in ("column_name", "column_description", "value_description"):
        text = clean_text(_BIRD_MARK.sub(" ", row.get(key, "")))
        if text.casefold() not in _FILLERS and _comparable(text) not in said:
            said.add(_comparable(text))
            parts.append(text)
    has_full_name = bool(parts) and parts[0] == clean_text(row.get("column_name", ""))
    if has_full_name and len(parts) > 1:
        parts[:2] = [f"{parts[0]}: {parts[1]}"]
    return ". ".join(part.rstrip(". ") if part is not parts[-1] else part for part in parts)


def _comparable(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _read_own_csv(source: Path, text: str) -> Iterator[Description]:
    rows = list(_rows(source, text))
    if not rows or not {"table", "column", "description"} <= rows[0].keys():
        raise ConfigError(
            f"{source.name} needs the columns table, column and description in its first line."
        )
    for row in rows:
        if row["table"].strip():
            yield Description(
                row["table"].strip(), row["column"].strip(), clean_text(row["description"])
            )


def _read_yaml(source: Path, text: str) -> Iterator[Description]:
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{source.name} is not valid YAML{where}.") from error
    for table, told in _mapping(source, _mapping(source, content).get("tables")).items():
        parts = told if isinstance(told, dict) else {"description": told}
        yield Description(str(table), "", clean_text(parts.get("description")))
        for column, said in _mapping(source, parts.get("columns") or {}).items():
            yield Description(str(table), str(column), clean_text(said))


def _mapping(source: Path, value: Any) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise ConfigError(
            f"{source.name} must have the form "
            "{tables: {TABLE: {description: TEXT, columns: {COLUMN: TEXT}}}}."
        )
    return value


def _read_text(file: Path) -> str:
    content = file.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _rows(source: Path, text: str) -> Iterator[dict[str, str]]:
    """The lines of a CSV by the names in its first line, folded; missing cells are empty."""
    reader = csv.reader(io.StringIO(text.replace("\x00", ""), newline=""))
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        for line in reader:
            cells = line + [""] * (len(header) - len(line))
            yield dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise ConfigError(f"{source.name} is not a valid CSV file: {error}.") from error


def clean_text(value: object) -> str:
    """``value`` as one line without control characters; None is empty.

    >>> clean_text(" two\\n\\tlines\\x07 ")
    'two lines'
    """
    text = "" if value is None else str(value)
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
