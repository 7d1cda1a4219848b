"""The order that a gold query demands of its rows, and which of them tie in it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from macsql.checks.text import read
from macsql.evaluation.compare import Rows, strict_equal

GOLDS_REMEMBERED = 10_000
MOST_COLUMNS_TRIED = 4
"""Results that are cut inside a tie are compared in every order of up to so many columns."""

_SMALL_LETTERS = str.maketrans(ascii_uppercase, ascii_lowercase)


@dataclass(frozen=True, slots=True)
class SortKeys:
    """A statement with the gold rows before any LIMIT, and where their sort keys are.

    The last ``added`` columns are keys and no part of the result; ``keys`` are the positions of
    all keys in a row, ``collations`` what ORDER BY has after COLLATE for each of them, or nothing.
    ``offset`` rows come before the first one of the gold result. ``is_cut`` says that the gold
    query has a LIMIT.
    """

    sql: str
    keys: tuple[int, ...]
    collations: tuple[str, ...] = ()
    added: int = 0
    offset: int = 0
    is_cut: bool = False


@lru_cache(maxsize=GOLDS_REMEMBERED)
def outermost_is_ordered(gold_sql: str) -> bool:
    """Whether the outermost query has an ORDER BY; by its words where it cannot be read.

    >>> outermost_is_ordered("SELECT a FROM t ORDER BY b LIMIT 1")
    True
    >>> outermost_is_ordered("SELECT a FROM t WHERE b = (SELECT max(b) FROM t ORDER BY 1)")
    False
    """
    # Most have none at all, and reading them takes as long as running them.
    if "order" not in gold_sql.lower():
        return False
    tree = _read(gold_sql)
    if tree is None:
        return "order by" in " ".join(gold_sql.lower().split())
    return bool(tree.args.get("order"))


@lru_cache(maxsize=GOLDS_REMEMBERED)
def sort_keys(gold_sql: str) -> SortKeys | None:
    """How to learn the sort keys of the gold rows, None where that is not known.

    >>> sort_keys("SELECT name AS n FROM t ORDER BY age DESC, n LIMIT 3").sql
    'SELECT name AS n, age, name FROM t ORDER BY age DESC, n'
    """
    tree = _read(gold_sql)
    order = tree.args.get("order") if tree is not None else None
    if tree is None or not order or not all(isinstance(o, exp.Ordered) for o in order.expressions):
        return None
    offset = _number(tree.args.get("offset"))
    limit = tree.args.get("limit")
    if offset is None or isinstance(limit, exp.Fetch):
        return None
    whole = tree.copy()
    whole.set("limit", None)
    whole.set("offset", None)
    terms = [o.this for o in order.expressions]
    if any(s.is_star for s in tree.selects) and any(isinstance(t, exp.Literal) for t in terms):
        return None
    if isinstance(tree, exp.Select) and not tree.args.get("distinct"):
        added = [_meaning(term, tree.expressions) for term in terms]
        whole.set("expressions", [*whole.expressions, *added])
        keys: Sequence[int] = range(-len(added), 0)
    else:
        added = []
        places = [_place(term, tree) for term in terms]
        keys = [place for place in places if place is not None]
        if len(keys) < len(places):
            return None
    collations = tuple(_collation(_meaning(term, tree.selects)) for term in terms)
    return SortKeys(
        whole.sql("sqlite"), tuple(keys), collations, len(added), offset, limit is not None
    )


def equal_but_for_ties(
    known: SortKeys, keyed: Rows, gold: Rows, predicted: Rows, *, any_column_order: bool
) -> bool:
    """Whether both results are what the gold query may give, whatever it does with rows that tie.

    ``keyed`` are the rows of ``known.sql``. Rows with the same sort keys may stand in any order;
    where a LIMIT or OFFSET cuts between them, any of them may be the ones that are left.
    """
    end = known.offset + len(gold)
    if len(gold) != len(predicted) or not gold or end > len(keyed):
        return False
    width = len(gold[0])
    if len(predicted[0]) != width or len(keyed[0]) != width + known.added:
        return False
    labels = list(_groups(known, keyed))
    rows = [row[:width] for row in keyed]
    starts, ends = known.offset == 0, end == len(keyed)
    if (starts or labels[known.offset - 1] != labels[known.offset]) and (
        ends or labels[end - 1] != labels[end]
    ):
        return all(
            strict_equal(
                rows[known.offset : end],
                given,
                ordered=True,
                any_column_order=any_column_order,
                groups=labels[known.offset : end],
            )
            for given in (gold, predicted)
        )
    tries = permutations(range(width)) if any_column_order and width <= MOST_COLUMNS_TRIED else ()
    orders = [*tries] or [tuple(range(width))]
    return _may_be(rows, labels, known.offset, gold) and any(
        _may_be(rows, labels, known.offset, [tuple(row[i] for i in order) for row in predicted])
        for order in orders
    )


def _may_be(rows: Rows, labels: Sequence[int], offset: int, given: Rows) -> bool:
    """Whether ``given`` are rows from ``offset`` on, taken from each group as often as needed."""
    wanted = Counter(zip(labels[offset : offset + len(given)], given, strict=True))
    return wanted <= Counter(zip(labels, rows, strict=True))


def _groups(known: SortKeys, keyed: Rows) -> Iterator[int]:
    group, last = -1, None
    for row in keyed:
        key = [row[place] for place in known.keys]
        if any(known.collations):
            key = [_folded(*pair) for pair in zip(key, known.collations, strict=True)]
        group += key != last
        last = key
        yield group


def _collation(term: exp.Expr) -> str:
    """The collation that a sort key names, in capitals."""
    while isinstance(term, exp.Paren):
        term = term.this
    return term.expression.name.upper() if isinstance(term, exp.Collate) else ""


def _folded(cell: object, collation: str) -> object:
    """A cell that is equal where the collation of SQLite takes two texts as equal."""
    if not isinstance(cell, str):
        return cell
    if collation == "NOCASE":
        return cell.translate(_SMALL_LETTERS)
    return cell.rstrip(" ") if collation == "RTRIM" else cell


def _read(sql: str) -> exp.Query | None:
    tree = read(sql, "sqlite").tree
    return tree if isinstance(tree, exp.Query) else None


def _number(node: exp.Expr | None) -> int | None:
    """A written number, 0 for none at all, None where it is anything else."""
    if node is None:
        return 0
    value = node.args.get("expression")
    return int(value.name) if isinstance(value, exp.Literal) and value.is_int else None


def _meaning(term: exp.Expr, selected: Sequence[exp.Expr]) -> exp.Expr:
    """A sort key as it can stand among the columns: what its number or aliases mean."""
    if isinstance(term, exp.Literal) and term.is_int and 0 < int(term.name) <= len(selected):
        meant: exp.Expr = selected[int(term.name) - 1].unalias().copy()
        return meant
    aliased: dict[str, exp.Expr] = {
        s.alias.lower(): s.this for s in selected if isinstance(s, exp.Alias)
    }

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in aliased:
            return aliased[node.name.lower()].copy()
        return node

    return term.copy().transform(replaced)


def _place(term: exp.Expr, tree: exp.Query) -> int | None:
    """The position of a sort key among the columns of the result, if it is one of them."""
    selected = tree.selects
    if any(s.is_star for s in selected):
        return None
    if isinstance(term, exp.Literal) and term.is_int and 0 < int(term.name) <= len(selected):
        return int(term.name) - 1
    if isinstance(term, exp.Collate):
        term = term.this
    for place, column in enumerate(selected):
        named = isinstance(term, exp.Column) and not term.table
        if term == column.unalias() or (named and term.name.lower() == column.output_name.lower()):
            return place
    return None
