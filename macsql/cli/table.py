"""A result as an aligned table for people, or one block for each row when it is too wide."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from macsql.database.result import Result, to_text

MAX_CELL = 60
"""Terminal columns that one cell takes; longer ones are cut with an ellipsis."""

NULL = "NULL"
_GAP = "  "
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_NUMBERS = frozenset({"int", "float", "Decimal", "int|float", "float|int", "NoneType"})


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one kind: "head", "null", "cell" or "rule"."""

    text: str
    kind: str


def clean(text: str, limit: int) -> str:
    """``text`` on one line, without anything that steers a terminal, cut to ``limit`` columns.

    >>> clean("a\\n\\x1b[31mb", 9), clean("abcdef", 4)
    ('a [31mb', 'abc…')
    """
    flat = _CONTROLS.sub(" ", text[: 4 * limit + 4])
    return flat if cell_len(flat) <= limit else set_cell_size(flat, limit - 1).rstrip() + "…"


def lay_out(
    result: Result, width: int | None = None, *, limit: int = MAX_CELL
) -> Iterator[list[Piece]]:
    """The lines of the table; of one block for each row if it is wider than ``width`` columns."""
    heads = [clean(name, limit) for name in result.columns]
    rows = [[_cell(cell, limit) for cell in row] for row in result.rows]
    widths = [
        max(cell_len(head), *(cell_len(row[i].text) for row in rows), 1)
        for i, head in enumerate(heads)
    ]
    if width is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        yield from _blocks(heads, rows)
        return
    right = [kind in _NUMBERS for kind in result.types]
    yield _line([Piece(head, "head") for head in heads], widths, right)
    yield _line([Piece("-" * w, "rule") for w in widths], widths, right)
    for row in rows:
        yield _line(row, widths, right)


def _blocks(heads: Sequence[str], rows: Sequence[Sequence[Piece]]) -> Iterator[list[Piece]]:
    name_width = max(cell_len(head) for head in heads)
    for number, row in enumerate(rows, 1):
        yield [Piece(f"-- row {number} --", "rule")]
        for head, piece in zip(heads, row, strict=True):
            yield [Piece(set_cell_size(head, name_width) + _GAP, "head"), piece]


def _cell(cell: object, limit: int) -> Piece:
    if cell is None:
        return Piece(NULL, "null")
    # The text NULL must not pass for a missing value where there is no colour.
    return Piece(f"'{NULL}'" if cell == NULL else clean(to_text(cell), limit), "cell")


def _line(pieces: Sequence[Piece], widths: Sequence[int], right: Sequence[bool]) -> list[Piece]:
    """The pieces padded to their widths; nothing trails the last one."""
    padded = []
    for i, (piece, width, is_right) in enumerate(zip(pieces, widths, right, strict=True)):
        space = " " * (width - cell_len(piece.text))
        last = i == len(pieces) - 1
        text = space + piece.text if is_right else piece.text + ("" if last else space)
        padded.append(Piece(text + ("" if last else _GAP), piece.kind))
    return padded
