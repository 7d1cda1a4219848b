"""When two results are equal: Spider's rule, BIRD's rule, and a strict one. Pure functions on rows.

Cells are compared as Python compares them, as the official scripts do: 6 equals 6.0, '6' does not.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

Row = tuple[Any, ...]
Rows = Sequence[Row]


def spider_equal(gold_rows: Rows, predicted_rows: Rows, *, ordered: bool) -> bool:
    """Spider's rule: ``result_eq`` of taoyds/test-suite-sql-eval.

    The results are equal when one order of the columns makes the predicted rows the gold rows: the
    same sequence when ``ordered``, else the same bag, duplicates counted. Two empty results are
    equal whatever their columns. ``ordered`` is true where the gold text, in lower case, has
    "order by" anywhere.

    The official function first compares rows whose cells are sorted by their text; that turns down
    some rows that are equal but for 1 in place of 1.0, and so does this. It then tries all
    orders of the columns; here they are found by refinement, with the same verdict.

    >>> spider_equal([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], ordered=False)
    True
    >>> spider_equal([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], ordered=True)
    False
    """
    if len(gold_rows) != len(predicted_rows):
        return False
    if not gold_rows:
        return True
    if len(gold_rows[0]) != len(predicted_rows[0]):
        return False
    gold = [_by_text(row) for row in gold_rows]
    predicted = [_by_text(row) for row in predicted_rows]
    if ordered:
        return gold == predicted and same_up_to_columns(
            gold_rows, predicted_rows, range(len(gold_rows))
        )
    return set(gold) == set(predicted) and same_up_to_columns(gold_rows, predicted_rows)


def bird_equal(gold_rows: Rows, predicted_rows: Rows) -> bool:
    """BIRD's rule: ``calculate_ex`` of bird-bench/mini_dev. The sets of rows are equal.

    Neither order nor duplicates count; the order of the columns does.

    >>> bird_equal([(1, 2), (1, 2)], [(1, 2)]), bird_equal([(1, 2)], [(2, 1)])
    (True, False)
    """
    return set(gold_rows) == set(predicted_rows)


def strict_equal(
    gold_rows: Rows,
    predicted_rows: Rows,
    *,
    ordered: bool,
    any_column_order: bool = False,
    groups: Sequence[int] | None = None,
) -> bool:
    """Our own, strict rule: the same rows, each as often, and in the same order when ``ordered``.

    No official script has it. What it keeps of the benchmark's rule is the part on columns: BIRD
    demands their order, Spider doesn't (``any_column_order``). ``ordered`` is true where the
    outermost gold query has an ORDER BY. ``groups``, one number for each gold row, marks rows that
    tie in that ORDER BY: rows of one number may stand in any order among themselves.

    >>> strict_equal([(1,), (1,)], [(1,)], ordered=False)
    False
    >>> strict_equal([("a",), ("b",)], [("b",), ("a",)], ordered=True, groups=[0, 0])
    True
    """
    if len(gold_rows) != len(predicted_rows):
        return False
    if not gold_rows:
        return True
    if len(gold_rows[0]) != len(predicted_rows[0]):
        return False
    if not ordered:
        labels: Sequence[int] = [0] * len(gold_rows)
    else:
        labels = range(len(gold_rows)) if groups is None else groups
    if any_column_order:
        return same_up_to_columns(gold_rows, predicted_rows, labels)
    return _bag(gold_rows, labels) == _bag(predicted_rows, labels)


def _by_text(row: Row) -> Row:
    return tuple(sorted(row, key=lambda cell: f"{cell}{type(cell)}"))


def _bag(rows: Rows, labels: Sequence[Hashable]) -> Counter[tuple[Hashable, Row]]:
    return Counter(zip(labels, rows, strict=True))


# The order of the columns -------------------------------------------------------------------


def same_up_to_columns(gold: Rows, predicted: Rows, labels: Sequence[int] | None = None) -> bool:
    """Whether one order of the predicted columns makes both bags of labelled rows equal.

    Row N of either side carries label N: all the same for a bag, all different for a sequence.
    Both sides have the same number of rows and columns, and at least one row.
    """
    labels = [0] * len(gold) if labels is None else labels
    if _bag(gold, labels) == _bag(predicted, labels):
        return True
    width = len(gold[0])
    if width == 1:
        return False
    sides = (_Side(gold, labels), _Side(predicted, labels))
    return _find_order(sides, ([0] * width, [0] * width), labels)


class _Side:
    """The rows of one result, also by column, with a number of equal meaning for each row."""

    def __init__(self, rows: Rows, labels: Sequence[int]) -> None:
        self.rows = rows
        self.columns = list(zip(*rows, strict=True))
        self.labels = labels


Colours = tuple[list[int], list[int]]


def _find_order(sides: tuple[_Side, _Side], colours: Colours, labels: Sequence[int]) -> bool:
    """Search with refinement: columns of one colour cannot be told apart yet. Only where several
    different columns share a colour is one of them paired by trial.
    """
    refined = _refine(sides, colours, labels)
    if refined is None:
        return False
    ambiguous = _ambiguous(sides[1], refined)
    if ambiguous is None:
        return _fits(sides, refined, labels)
    ours, theirs = refined
    new = max(ours) + 1
    column = ours.index(ambiguous)
    tried = set()
    for other, colour in enumerate(theirs):
        cells = sides[1].columns[other]
        if colour != ambiguous or cells in tried:
            continue
        tried.add(cells)
        trial = (list(ours), list(theirs))
        trial[0][column] = trial[1][other] = new
        if _find_order(sides, trial, labels):
            return True
    return False


def _renumbered(
    kinds: Colours, lines: tuple[Sequence[Row], Sequence[Row]], across: Colours
) -> Colours:
    """New kinds of lines (columns, or rows), the same on both sides for lines that are alike: of
    one kind before, with the same cells in lines ``across`` of each kind.
    """
    numbers: dict[Hashable, int] = {}

    def side(n: int) -> list[int]:
        keys = (
            (kind, frozenset(Counter(zip(across[n], cells, strict=True)).items()))
            for kind, cells in zip(kinds[n], lines[n], strict=True)
        )
        return [numbers.setdefault(key, len(numbers)) for key in keys]

    return side(0), side(1)


def _refine(sides: tuple[_Side, _Side], colours: Colours, labels: Sequence[int]) -> Colours | None:
    """Tell columns apart by their cells in rows of each class, and rows by their cells in columns
    of each colour, until nothing changes. None when the two sides turn out to differ.
    """
    classes = (list(labels), list(labels))
    while True:
        found = _renumbered(colours, (sides[0].columns, sides[1].columns), classes)
        if Counter(found[0]) != Counter(found[1]):
            return None
        is_stable = len(set(found[0])) == len(set(colours[0]))
        colours = found
        if is_stable or len(set(found[0])) == len(found[0]):
            return colours
        parted = _renumbered(classes, (sides[0].rows, sides[1].rows), colours)
        if Counter(parted[0]) != Counter(parted[1]):
            return None
        classes = parted


def _ambiguous(predicted: _Side, colours: Colours) -> int | None:
    """A colour that several different predicted columns share, the rarest first, or None."""
    members: dict[int, set[Hashable]] = {}
    for colour, cells in zip(colours[1], predicted.columns, strict=True):
        members.setdefault(colour, set()).add(cells)
    shared = [(len(cells), colour) for colour, cells in members.items() if len(cells) > 1]
    return min(shared)[1] if shared else None


def _fits(sides: tuple[_Side, _Side], colours: Colours, labels: Sequence[int]) -> bool:
    """Whether the columns paired by colour make the bags of rows equal."""
    places: dict[int, list[int]] = {}
    for place, colour in enumerate(colours[1]):
        places.setdefault(colour, []).append(place)
    order = [places[colour].pop() for colour in colours[0]]
    moved = [tuple(row[place] for place in order) for row in sides[1].rows]
    return _bag(sides[0].rows, labels) == _bag(moved, labels)
