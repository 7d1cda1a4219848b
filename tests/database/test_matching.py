"""Which stored texts resemble a given one."""

import pytest

from macsql.database.matching import nearest

STORED = [
    "MANHATTAN",
    "Bronx",
    "Manhattan",
    "São Paulo",
    "New York",
    "York",
    "Los Angeles",
    "O'Hare",
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Manhattan", ["Manhattan", "MANHATTAN"]),
        ("manhattan", ["MANHATTAN", "Manhattan"]),
        ("sao paulo", ["São Paulo"]),
        ("los  angeles", ["Los Angeles"]),
        ("Los Angelas", ["Los Angeles"]),
        ("O’Hare", ["O'Hare"]),
        ("New York", ["New York", "York"]),
        ("Zanzibar", []),
    ],
)
def test_the_closest_come_first(text: str, found: list[str]) -> None:
    assert nearest(text, STORED, limit=5) == found


def test_no_more_than_the_limit_and_no_repeats() -> None:
    assert nearest("a1", ["a1", "a1", "A1", "a1 "], limit=2) == ["a1", "A1"]


def test_many_texts_are_searched_in_time() -> None:
    stored = [f"customer number {i}" for i in range(20_000)]
    assert nearest("Customer Number 19999", stored, limit=3)[0] == "customer number 19999"
