"""How a schema is shown to a model: M-Schema style, DDL, or the paper's list form.

Values and descriptions come from the database: they are shown as quoted literals on one line and
cut, so that no cell can pass for a part of the prompt. A short value that is not on one line is
left out: another text would stand there.
"""

import re
from collections.abc import Callable, Iterable
from typing import Literal

from macsql.names import quote
from macsql.schema import Column, ExampleValue, ForeignKey, Schema, Table

SchemaForm = Literal["mschema", "ddl", "list"]
MAX_VALUE = 50
MAX_DESCRIPTION = 200
PAPER_DESCRIPTION = 100
MAX_NAME = 200
MAX_TYPE = 60
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]+"
)


def show_schema(
    schema: Schema, form: SchemaForm = "ddl", *, examples: int = 3, descriptions: bool = True
) -> str:
    """The schema as text, with at most ``examples`` values for each column.

    >>> from macsql.schema import Column, Schema, Table
    >>> columns = (Column("id", "INTEGER"), Column("city", "TEXT", "", ("Bonn",)))
    >>> t = Table("order", columns, ("id",))
    >>> print(show_schema(Schema("sqlite", (t,))))
    CREATE TABLE "order" (
      id INTEGER PRIMARY KEY,
      city TEXT -- e.g. 'Bonn'
    );
    """
    writers: dict[SchemaForm, Callable[[Schema, int, bool], str]] = {
        "mschema": _mschema,
        "ddl": _ddl,
        "list": _paper_list,
    }
    return writers[form](schema, examples, descriptions)


def show_foreign_keys(schema: Schema) -> str:
    """One line for each foreign key, in the paper's form ``a.x = b.y``."""
    return "\n".join(_key_line(schema, table, key, " = ") for table, key in schema.joins())


def literal(value: ExampleValue, limit: int = MAX_VALUE) -> str:
    """A stored value as a literal on one line, cut to ``limit`` characters.

    >>> literal("O'Brien"), literal(3), literal(None)
    ("'O''Brien'", '3', 'NULL')
    """
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + one_line(value, limit).replace("'", "''") + "'"
    return str(value)


def one_line(text: str, limit: int) -> str:
    """``text`` without control characters and line breaks, cut to ``limit`` characters.

    >>> one_line("a\\n b", 10)
    'a b'
    """
    flat = re.sub(r"\s+", " ", _UNPRINTABLE.sub(" ", text)).strip()
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def is_on_one_line(text: str) -> bool:
    """Whether ``one_line`` leaves what is inside of ``text`` as it is.

    >>> is_on_one_line("a b "), is_on_one_line("a\\nb"), is_on_one_line("a  b")
    (True, False, False)
    """
    return one_line(text, len(text)) == text.strip()


def shown_name(name: str, dialect: str) -> str:
    """A name as SQL writes it, on one line.

    >>> shown_name("order", "sqlite"), shown_name("a\\nb", "sqlite")
    ('"order"', '"a b"')
    """
    return quote(_bare_name(name), dialect)


def _bare_name(name: str) -> str:
    return _UNPRINTABLE.sub(" ", name)[:MAX_NAME]


def _key_line(schema: Schema, table: Table, key: ForeignKey, equals: str) -> str:
    pairs = zip(key.columns, key.ref_columns, strict=False)
    d = schema.dialect
    owner, target = shown_name(table.name, d), shown_name(key.ref_table, d)
    return " AND ".join(
        f"{owner}.{shown_name(a, d)}{equals}{target}.{shown_name(b, d)}" for a, b in pairs
    )


def _shown(column: Column, count: int) -> list[str]:
    values = [v for v in column.examples if v is not None]
    return [literal(v) for v in values[:count] if not _is_changed(v)]


def _is_changed(value: ExampleValue) -> bool:
    """Whether ``literal`` makes a text of a value that looks whole and is not stored."""
    return isinstance(value, str) and len(value) <= MAX_VALUE and not is_on_one_line(value)


def _notes(column: Column, examples: int, descriptions: bool) -> str:
    parts = []
    if descriptions and column.description:
        parts.append(one_line(column.description, MAX_DESCRIPTION))
    values = _shown(column, examples)
    if values:
        parts.append("e.g. " + ", ".join(values))
    return "; ".join(parts)


def _ddl(schema: Schema, examples: int, descriptions: bool) -> str:
    return "\n".join(_ddl_table(schema, t, examples, descriptions) for t in schema.tables)


def _ddl_table(schema: Schema, table: Table, examples: int, descriptions: bool) -> str:
    d = schema.dialect
    single = table.primary_key[0] if len(table.primary_key) == 1 else None
    entries: list[tuple[str, str]] = []
    for column in table.columns:
        text = f"{shown_name(column.name, d)} {one_line(column.type, MAX_TYPE)}".rstrip()
        if column.name == single:
            text += " PRIMARY KEY"
        entries.append((text, _notes(column, examples, descriptions)))
    if len(table.primary_key) > 1:
        entries.append((f"PRIMARY KEY ({_names(table.primary_key, d)})", ""))
    for key in table.foreign_keys:
        target = f"{shown_name(key.ref_table, d)}({_names(key.ref_columns, d)})"
        entries.append((f"FOREIGN KEY ({_names(key.columns, d)}) REFERENCES {target}", ""))
    head = f"CREATE {'VIEW' if table.is_view else 'TABLE'} {shown_name(table.name, d)} ("
    if descriptions and table.description:
        head += f" -- {one_line(table.description, MAX_DESCRIPTION)}"
    lines = [head]
    for position, (text, note) in enumerate(entries, 1):
        comma = "," if position < len(entries) else ""
        lines.append(f"  {text}{comma}" + (f" -- {note}" if note else ""))
    return "\n".join([*lines, ");"])


def _names(names: Iterable[str], dialect: str) -> str:
    return ", ".join(shown_name(n, dialect) for n in names)


def _mschema(schema: Schema, examples: int, descriptions: bool) -> str:
    parts = [f"[Database] {_bare_name(schema.name)}", "[Tables]"]
    for table in schema.tables:
        head = f"# {'View' if table.is_view else 'Table'}: {shown_name(table.name, schema.dialect)}"
        if descriptions and table.description:
            head += ", " + one_line(table.description, MAX_DESCRIPTION)
        rows = [_mschema_row(schema, table, c, examples, descriptions) for c in table.columns]
        parts.append("\n".join([head, "[", ",\n".join(rows), "]"]))
    keys = [_key_line(schema, t, k, "=") for t, k in schema.joins()]
    return "\n".join([*parts, *(["[Foreign keys]", *keys] if keys else [])])


def _mschema_row(
    schema: Schema, table: Table, column: Column, examples: int, descriptions: bool
) -> str:
    text = f"({shown_name(column.name, schema.dialect)}:{one_line(column.type, MAX_TYPE) or 'ANY'}"
    if descriptions and column.description:
        text += ", " + one_line(column.description, MAX_DESCRIPTION)
    if column.name in table.primary_key:
        text += ", Primary Key"
    values = _shown(column, examples)
    if values:
        text += f", Examples: [{', '.join(values)}]"
    return text + ")"


def _paper_list(schema: Schema, examples: int, descriptions: bool) -> str:
    return "\n".join(_paper_table(t, examples, descriptions) for t in schema.tables)


def _paper_table(table: Table, examples: int, descriptions: bool) -> str:
    rows = []
    for column in table.columns:
        name = _bare_name(column.name)
        text = name.replace("_", " ").lower() + "."
        if descriptions and column.description:
            text += f" And {one_line(column.description, PAPER_DESCRIPTION)}."
        if values := _paper_values(column, examples):
            text += f" Value examples: [{values}]."
        rows.append(f"  ({name}, {text}),")
    return "\n".join([f"# Table: {_bare_name(table.name)}", "[", *rows, "]"])


def _paper_values(column: Column, count: int) -> str:
    shown = (v for v in column.examples[:count] if not _is_changed(v))
    return ", ".join("None" if v is None else literal(v) for v in shown)
