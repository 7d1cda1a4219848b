"""Results as JSON and as text."""

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from macsql.database import Result, from_jsonable, to_jsonable, to_text
from macsql.database.result import type_names

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats()
    | st.text(max_size=9) | st.binary(max_size=9)
    | st.decimals() | st.dates() | st.datetimes() | st.datetimes(timezones=st.just(UTC))
    | st.times() | st.timedeltas() | st.uuids()
)  # fmt: skip
CELLS = st.recursive(
    SCALARS,
    lambda cell: (
        st.lists(cell, max_size=2) | st.dictionaries(st.text(max_size=3), cell, max_size=2)
    ),
    max_leaves=4,
)


def same(a: Any, b: Any) -> bool:
    """Equal, of the same type, and NaN equal to itself; the fold of a time is not stored."""
    return type(a) is type(b) and repr(a).replace(", fold=1", "") == repr(b).replace(", fold=1", "")


@settings(max_examples=100, deadline=None)
@given(CELLS)
def test_a_cell_survives_strict_json(cell: object) -> None:
    written = json.dumps(to_jsonable(cell), allow_nan=False)
    assert same(from_jsonable(json.loads(written)), cell)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(SCALARS, SCALARS), max_size=4), st.booleans())
def test_a_result_survives_strict_json(rows: list[tuple[Any, Any]], truncated: bool) -> None:
    result = Result(("a", "a"), ("x", "y"), tuple(rows), truncated, 0.25)
    written = json.dumps(result.to_dict(), allow_nan=False)
    assert same(Result.from_dict(json.loads(written)), result)


@pytest.mark.parametrize(
    ("cell", "data"),
    [
        (b"hi", {"base64": "aGk="}),
        (math.nan, {"float": "nan"}),
        (math.inf, {"float": "inf"}),
        (-math.inf, {"float": "-inf"}),
        (2**53, {"int": "9007199254740992"}),
        (2**53 - 1, 2**53 - 1),
        (True, True),
        (Decimal("1.20"), {"decimal": "1.20"}),
        (date(2024, 7, 1), {"date": "2024-07-01"}),
        (datetime(2024, 7, 1, 9), {"datetime": "2024-07-01T09:00:00"}),
        (time(9), {"time": "09:00:00"}),
        (timedelta(1, 2, 3), {"timedelta": [1, 2, 3]}),
        (UUID(int=1), {"uuid": "00000000-0000-0000-0000-000000000001"}),
        (range(2), {"text": "range(0, 2)"}),
    ],
)
def test_the_encoding_is_the_documented_one(cell: object, data: object) -> None:
    assert to_jsonable(cell) == data
    assert type(to_jsonable(cell)) is type(data)


@pytest.mark.parametrize(
    "data", [{}, {"a": 1}, {"float": "x"}, {"base64": "?"}, {"uuid": 1}, {"decimal": "x"}, [1],
             {"timedelta": ["x"]}, {"date": 5}, {"list": 5}]
)  # fmt: skip
def test_what_is_not_a_cell_is_a_value_error(data: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_jsonable(data)


@pytest.mark.parametrize("data", [{}, {"columns": 1}, {"columns": [], "types": [], "rows": None}])
def test_what_is_not_a_result_is_a_value_error(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Not a result"):
        Result.from_dict(data)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "NULL"),
        ("a\nb", "a\nb"),
        (1, "1"),
        (0.1, "0.1"),
        (math.nan, "nan"),
        (b"\x00M", "x'004d'"),
        (datetime(2024, 7, 1, 9), "2024-07-01 09:00:00"),
        (date(2024, 7, 1), "2024-07-01"),
        (Decimal("1.20"), "1.20"),
    ],
)
def test_a_cell_as_text(cell: object, text: str) -> None:
    assert to_text(cell) == text


def test_null_is_written_as_asked() -> None:
    assert to_text(None, null="") == ""


def test_types_name_all_kinds_in_a_column() -> None:
    assert type_names(((1, None, "a"), (2.5, None, "b")), 3) == ("float|int", "NoneType", "str")
    assert type_names((), 2) == ("NoneType", "NoneType")
