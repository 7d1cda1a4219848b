"""Small edits of names in the text of a statement, and the cures made of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.scopes import Relation, Use
from macsql.checks.text import Edit, apply_edits, quote, span


@dataclass(frozen=True, slots=True)
class Fix:
    """One possible cure of one problem. The cheaper of two is the smaller, likelier change.

    ``is_certain`` is False where another reading may have been meant.
    """

    edits: tuple[Edit, ...]
    cost: float
    explanation: str
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired statement, why it was changed, and how much: the cheaper, the likelier.

    ``is_certain`` is False where another reading may have been meant: a stored text took the place
    of another that is like it, a name that of one that is not quite the same.
    """

    sql: str
    explanation: str
    cost: float
    is_certain: bool = True


def repair_all(sql: str, fixes: Sequence[Fix]) -> Repair | None:
    """All of ``fixes`` at once; None when there are none, or they overlap."""
    text = apply_edits(sql, (e for fix in fixes for e in fix.edits)) if fixes else None
    if text is None:
        return None
    return Repair(
        text,
        "; ".join(f.explanation for f in fixes),
        sum(f.cost for f in fixes),
        all(f.is_certain for f in fixes),
    )


def requalify(uses: Iterable[Use], qualifier: str, dialect: str) -> list[Edit]:
    """Edits that make every use of a column refer to ``qualifier``; the name stays as written."""
    edits = []
    for use in uses:
        whole, name = span(use.column), span(use.column.this)
        if whole and name:
            edits.append(Edit(whole[0], name[0], f"{quote(qualifier, dialect)}."))
    return edits


def rename(uses: Iterable[Use], name: str, dialect: str) -> list[Edit]:
    """Edits that correct the name of a column and leave its qualifier."""
    places = (span(use.column.this) for use in uses)
    return [Edit(*place, quote(name, dialect)) for place in places if place]


def replace_column(uses: Iterable[Use], qualifier: str, name: str, dialect: str) -> list[Edit]:
    """Edits that write ``qualifier.name`` in place of a column; no qualifier when it is empty."""
    written = quote(name, dialect)
    if qualifier:
        written = f"{quote(qualifier, dialect)}.{written}"
    places = (span(use.column) for use in uses)
    return [Edit(*place, written) for place in places if place]


def table_place(relation: Relation) -> tuple[int, int] | None:
    """Where the name of a relation's table is written, without its alias."""
    return span(relation.node) if isinstance(relation.node, exp.Table) else None
