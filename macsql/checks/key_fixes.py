"""Columns compared with a text that another column holds, most often the one a key leads to.

A model that sees ``match.host_city`` writes ``host_city = 'Nanjing'`` where the column holds the id
of a city. That runs, and finds nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from macsql.checks.analysis import Analysis, analyse
from macsql.checks.edits import Fix, Repair, repair_all, replace_column
from macsql.checks.joins import Link
from macsql.checks.keys import targets
from macsql.checks.literals import compared_texts
from macsql.checks.names import words
from macsql.checks.same_text import StoredValues, plain
from macsql.checks.scopes import Use
from macsql.checks.text import Edit, quote, span, whole_span
from macsql.schema import Column, Schema, Table

_LOOKS = 6
"""Text columns of the other table that a value is looked for in."""


def repair_keys(
    sql: str, schema: Schema, values: StoredValues, *, question: str = ""
) -> list[Repair]:
    """What a statement without rows becomes when its keys are compared as keys; never raises.

    ``key = 'text'`` becomes a look-up of the text in the table that the key refers to, where it is
    stored; ``key = other.column`` becomes a comparison with the column that it refers to. A text in
    another column of the same table is looked for there, if ``question`` does not name the column
    that was written; that is not certain.
    """
    analysis, asked = analyse(sql, schema), frozenset(words(question))
    keys = [*_texts_for_keys(analysis, values), *_columns_for_keys(analysis)]
    others = [*_texts_of_other_columns(analysis, values, asked)]
    made = repair_all(sql, [*keys, *others])
    return [replace(made, is_certain=not others)] if made else []


def _texts_for_keys(analysis: Analysis, values: StoredValues) -> Iterator[Fix]:
    """``key = 'text'`` where what a key refers to has the text, in one likely place only."""
    for use, literal, table in _unstored(analysis, values):
        place = whole_span(literal.parent) if literal.parent else None
        if place is None:
            continue
        fixes = [*_in_referred_tables(use, table, literal.name, place, analysis, values)]
        if len(fixes) == 1:
            yield fixes[0]


def _texts_of_other_columns(
    analysis: Analysis, values: StoredValues, asked: frozenset[str]
) -> Iterator[Fix]:
    """``column = 'text'`` where another column of the table has the text."""
    for use, literal, table in _unstored(analysis, values):
        is_named = asked.issuperset(words(use.name)) if asked else False
        if not is_named and not targets(table, use.name, analysis.schema):
            yield from _in_other_columns(use, table, literal, values, analysis.statement.dialect)


def _unstored(analysis: Analysis, values: StoredValues) -> Iterator[tuple[Use, exp.Expr, Table]]:
    """Texts that a column is compared with by an equals sign and does not hold."""
    for use, literal in compared_texts(analysis):
        table = use.relation.table if use.relation else None
        if table is not None and isinstance(literal.parent, exp.EQ):
            own = values(table.name, use.name, literal.name) or ()
            if not any(plain(value) == plain(literal.name) for value in own):
                yield use, literal, table


def _in_referred_tables(
    use: Use,
    table: Table,
    text: str,
    place: tuple[int, int],
    analysis: Analysis,
    values: StoredValues,
) -> Iterator[Fix]:
    """The text looked up in the table that the key refers to."""
    for link in targets(table, use.name, analysis.schema):
        target = analysis.schema.table(link.right)
        if target and (found := _stored_in(target, text, values)):
            condition = _look_up(use, link, *found, analysis.statement.dialect)
            column = link.pairs[0][0]
            why = f"{column} refers to {target.name}, where {found[1]!r} is a {found[0]}"
            yield Fix((Edit(*place, condition),), 0.8, why)


def _in_other_columns(
    use: Use, table: Table, literal: exp.Expr, values: StoredValues, dialect: str
) -> Iterator[Fix]:
    """The column of the same table that the text is stored in."""
    others = replace(
        table, columns=tuple(c for c in table.columns if c.name.casefold() != use.name.casefold())
    )
    found, place = _stored_in(others, literal.name, values), span(literal)
    edits = replace_column([use], use.qualifier, found[0], dialect) if found else []
    if found and place and edits:
        text = Edit(*place, exp.Literal.string(found[1]).sql(dialect=dialect))
        why = f"{found[1]!r} is a {found[0]}, and no {use.name}"
        yield Fix((*edits, text), 1.0, why)


def _is_foreign_key(table: Table, column: str) -> bool:
    keys = {name.casefold() for key in table.foreign_keys for name in key.columns}
    return column.casefold() in keys


def _look_up(use: Use, link: Link, column: str, stored: str, dialect: str) -> str:
    """``host_city IN (SELECT id FROM city WHERE name = 'Nanjing')``."""
    column_of_key, key, table = (quote(name, dialect) for name in (*link.pairs[0], link.right))
    alone = len(use.scope.relations) == 1
    name = use.qualifier or ("" if alone or use.relation is None else use.relation.name)
    qualifier = f"{quote(name, dialect)}." if name else ""
    value = exp.Literal.string(stored).sql(dialect=dialect)
    inner = ("SELECT", key, "FROM", table, "WHERE", quote(column, dialect), "=", value)
    return f"{qualifier}{column_of_key} IN ({' '.join(inner)})"


def _stored_in(target: Table, text: str, values: StoredValues) -> tuple[str, str] | None:
    """(column, stored value) equal to ``text`` but for case, in the other table's text columns."""
    for column in [c for c in target.columns if _holds_text(c)][:_LOOKS]:
        for value in values(target.name, column.name, text) or ():
            if value.casefold().strip() == text.casefold().strip():
                return column.name, value
    return None


def _holds_text(column: Column) -> bool:
    return not column.type or any(word in column.type.upper() for word in ("CHAR", "TEXT"))


def _columns_for_keys(analysis: Analysis) -> Iterator[Fix]:
    """``city.name = match.host_city``, where host_city refers to city.id."""
    by_column = {id(u.column): u for u in analysis.resolution.uses}
    tree = analysis.statement.tree
    for node in tree.find_all(exp.EQ, exp.In) if tree else ():
        for one, other in _sides(node):
            left, right = by_column.get(id(one)), by_column.get(id(other))
            if left and right and (fix := _as_key(left, right, analysis)):
                yield fix
                break


def _sides(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    if isinstance(node, exp.EQ):
        yield node.left, node.right
        yield node.right, node.left
    elif isinstance(query := node.args.get("query"), exp.Subquery):
        select = query.unnest()
        if isinstance(select, exp.Select) and len(select.expressions) == 1:
            yield node.this, select.expressions[0].unalias()
            yield select.expressions[0].unalias(), node.this


def _as_key(column: Use, key: Use, analysis: Analysis) -> Fix | None:
    """``column`` replaced by what ``key`` refers to, when they are of the two tables concerned."""
    own = column.relation.table if column.relation else None
    source = key.relation.table if key.relation else None
    if column.relation is None or own is None or source is None or own is source:
        return None
    if _is_foreign_key(own, column.name):
        return None  # two keys may well be compared: what they refer to can be the same
    for link in targets(source, key.name, analysis.schema):
        target = link.pairs[0][1]
        if link.right == own.name and target.casefold() != column.name.casefold():
            alone = len(column.scope.relations) == 1
            qualifier = column.qualifier or ("" if alone else column.relation.name)
            edits = replace_column([column], qualifier, target, analysis.statement.dialect)
            why = f"{key.name} refers to {own.name}.{target}, not to {column.name}"
            return Fix(tuple(edits), 0.8, why) if edits else None
    return None
