"""The Selector's answer, which tables and columns to keep, from JSON of any quality."""

import re
from collections.abc import Iterator
from typing import Any, Literal

from macsql.errors import ParseError
from macsql.parsing.loose_json import MISSING, Pairs, read_json
from macsql.parsing.reply import blocks, clean
from macsql.schema import Schema, Table

Keep = Literal["keep_all", "drop_all"]
Answer = Keep | list[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEEP = _words("keepall keep all full yes true relevant everything allcolumns")
_DROP = _words("dropall drop no none false irrelevant remove null nothing empty")
_WRAPPERS = _words("tables selection schema result answer output selected selectedtables")
_TABLE_KEYS = ("table", "tablename", "name")
_COLUMN_KEYS = ("columns", "column", "selectedcolumns", "columnnames", "fields", "keep", "action")
_MAX_VALUES = 8
_MAX_DEPTH = 6


def read_selection(reply: str, schema: Schema) -> dict[str, Answer]:
    """What to keep of each table that ``reply`` names, under the schema's own names.

    Names are found whatever their case and quotes, with or without a schema or table in front.
    Unknown tables and columns are left out; a table of which no named column is known stays whole.
    The last usable JSON of the reply counts; cut JSON counts as far as it goes.

    Raises ParseError when the reply answers for no table of the schema.

    >>> from macsql.schema import Column
    >>> s = Schema("sqlite", (Table("t", (Column("Id", "INTEGER"), Column("n", "TEXT"))),))
    >>> read_selection("Sure:\\n{'T': ['id', 'x'], 'u': 'keep_all',}", s)
    {'t': ['Id']}
    """
    text, _ = clean(reply)
    sources = [b.text for b in reversed(blocks(text, "sqlite")[-4:])]
    for source in [*sources, text]:
        for value in reversed(list(_values(source))):
            answers: dict[str, Answer] = {}
            for table, answer in _answers(value, schema, 0):
                answers[table.name] = _union(answers.get(table.name), answer)
            if answers:
                return {t.name: answers[t.name] for t in schema.tables if t.name in answers}
    raise ParseError(
        "The model's reply says of no table whether to keep it; the whole schema can be used.",
        reply=reply,
    )


def _values(text: str) -> Iterator[Any]:
    """The JSON values in ``text``; lines "table: answer" count as one object."""
    position, opening = 0, re.compile(r"[{\[]")
    for _ in range(_MAX_VALUES):
        match = opening.search(text, position)
        if match is None:
            break
        value, position, complete = read_json(text, match.start())
        yield value
        if not complete:
            break
    if position == 0 and ":" in text:
        yield read_json("{" + text + "}")[0]


def _answers(value: Any, schema: Schema, depth: int) -> Iterator[tuple[Table, Answer]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Pairs):
        yield from _object_answers(value, schema, depth)
    elif isinstance(value, list):
        for member in value:
            if isinstance(member, str):
                yield from _named(member, "keep_all", schema)
            else:
                yield from _answers(member, schema, depth + 1)


def _object_answers(value: Pairs, schema: Schema, depth: int) -> Iterator[tuple[Table, Answer]]:
    keys = {_plain(k): v for k, v in value}
    named = next((keys[k] for k in _TABLE_KEYS if isinstance(keys.get(k), str)), None)
    if named is not None and not any(_find_table(k, schema) for k, _ in value):
        columns = next((keys[k] for k in _COLUMN_KEYS if k in keys), "keep_all")
        yield from _named(named, columns, schema)
        return
    for key, member in value:
        nested = isinstance(member, list)
        if _find_table(key, schema) or not (nested and _plain(key) in _WRAPPERS):
            yield from _named(key, member, schema)
        else:
            yield from _answers(member, schema, depth + 1)


def _named(name: str, value: Any, schema: Schema) -> Iterator[tuple[Table, Answer]]:
    """The answer ``value`` for the table, or the "table.column", called ``name``."""
    table = _find_table(name, schema)
    if table is not None:
        answer = _answer(value, table)
        if answer is not None:
            yield table, answer
        return
    owner, _, column = _unquote(name).rpartition(".")
    table = _find_table(owner, schema) if owner else None
    found = _find_column(column, table) if table else None
    if table and found and _word(value) != "drop_all":
        yield table, [found]


def _answer(value: Any, table: Table) -> Answer | None:
    """What ``value`` says about ``table``; None when that is not to be understood."""
    if isinstance(value, Pairs):
        return _object_answer(value, table)
    if isinstance(value, list):
        return _column_answer(value, table)
    word = _word(value)
    if word is not None or not isinstance(value, str):
        return word
    columns = _column_answer(re.split(r"\s*[,;|]\s*", value.strip("[](){} ")), table)
    return columns if isinstance(columns, list) else None


def _object_answer(value: Pairs, table: Table) -> Answer | None:
    for key, member in value:
        if _plain(key) in _COLUMN_KEYS and not _find_column(key, table):
            return _answer(member, table)
    kept = [k for k, member in value if _word(member) != "drop_all" or member is MISSING]
    return _column_answer(kept, table) if value else "drop_all"


def _column_answer(names: list[Any], table: Table) -> Answer:
    """Known columns of ``names``, each once; with none of them known the table stays whole."""
    if not names:
        return "drop_all"
    columns: dict[str, None] = {}
    for member in names:
        name = _column_name(member)
        found = _find_column(name, table) if name else None
        if found is not None:
            columns[found] = None
        elif ((word := _word(name)) is not None and len(names) == 1) or word == "keep_all":
            return word
    return list(columns) or "keep_all"


def _column_name(member: Any) -> str:
    if isinstance(member, Pairs):
        keys = {_plain(k): v for k, v in member}
        member = next((keys[k] for k in ("name", "column", "columnname") if k in keys), "")
    return member if isinstance(member, str) else ""


def _word(value: Any) -> Keep | None:
    """ "keep_all" or "drop_all" when ``value`` is one of the ways to say so."""
    if value is None or value is False:
        return "drop_all"
    if value is True or value is MISSING:
        return "keep_all"
    plain = _plain(value) if isinstance(value, str) else ""
    if plain in _KEEP or (isinstance(value, str) and value.strip() == "*"):
        return "keep_all"
    return "drop_all" if plain in _DROP else None


def _union(old: Answer | None, new: Answer) -> Answer:
    """Both answers together: what one of them keeps is kept."""
    if old is None or old == "drop_all":
        return new
    if new == "drop_all" or old == "keep_all":
        return old
    if new == "keep_all":
        return new
    return list(dict.fromkeys([*old, *new]))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _unquote(name: str) -> str:
    return re.sub(r"[\"'`\[\]“”‘’]", "", name).strip()


def _find_table(name: str, schema: Schema) -> Table | None:
    for form in (name, _unquote(name), _unquote(name).rpartition(".")[2]):
        found = schema.table(form)
        if found is not None:
            return found
    return None


def _find_column(name: str, table: Table) -> str | None:
    unquoted = _unquote(name)
    forms = (name, unquoted, unquoted.rpartition(".")[2], re.sub(r"\s*\(.*", "", unquoted))
    return next((c.name for c in map(table.column, forms) if c is not None), None)
