"""The table for people: aligned, cut, and safe for any cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from macsql.cli.table import MAX_CELL, clean, lay_out
from macsql.database.result import Result


def lines(*rows: tuple[object, ...], width: int | None = None) -> list[str]:
    count = len(rows[0])
    result = Result(tuple(f"c{i}" for i in range(count)), ("str",) * count, rows)
    return ["".join(piece.text for piece in line) for line in lay_out(result, width)]


def test_columns_are_aligned_with_wide_characters() -> None:
    assert lines(("日本", "a"), ("x", "b")) == [
        "c0    c1",
        "----  --",
        "日本  a",
        "x     b",
    ]


def test_an_empty_result_shows_its_columns() -> None:
    result = Result(("a", "long name"), ("NoneType", "NoneType"), ())
    shown = ["".join(piece.text for piece in line) for line in lay_out(result)]
    assert shown == ["a  long name", "-  ---------"]


def test_a_long_cell_is_cut_with_an_ellipsis() -> None:
    assert lines(("x" * 1_000_000,))[-1] == "x" * (MAX_CELL - 1) + "…"


@pytest.mark.parametrize("cell", ["a\nb", "a\r\nb", "a\tb", "a\x1b[2Jb", "a\u202eb", "a\x9bb"])
def test_no_cell_steers_the_terminal(cell: str) -> None:
    [shown] = lines((cell,))[2:]
    assert shown.isprintable()


@given(st.text(max_size=200), st.integers(2, 80))
def test_a_cleaned_text_fits_on_one_line(text: str, limit: int) -> None:
    shown = clean(text, limit)
    assert cell_len(shown) <= limit
    assert len(shown.splitlines()) <= 1


@given(st.lists(st.tuples(st.text(max_size=30), st.none() | st.floats()), min_size=1, max_size=5))
def test_every_line_starts_its_second_column_at_the_same_place(
    rows: list[tuple[str, float | None]],
) -> None:
    result = Result(("a", "b"), ("str", "str"), tuple(rows))
    starts = {cell_len(line[0].text) for line in lay_out(result)}
    assert len(starts) == 1
