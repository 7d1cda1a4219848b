"""Intervals and tests against values known from books and from R."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.evaluation.significance import (
    bootstrap_mean,
    difference_interval,
    mcnemar,
    normal_interval,
    percentile,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("gained", "lost", "mid_p", "p"),
    [
        (10, 2, False, 158 / 4096),
        (2, 10, False, 158 / 4096),
        (10, 2, True, 92 / 4096),
        (0, 5, False, 0.0625),
        (1, 1, False, 1.0),
        (0, 0, False, 1.0),
        (3, 3, True, 1.0),
        (0, 0, True, 1.0),
    ],
)
def test_mcnemar(gained: int, lost: int, mid_p: bool, p: float) -> None:
    assert mcnemar(gained, lost, mid_p=mid_p) == pytest.approx(p)


def test_mcnemar_of_thousands_of_questions() -> None:
    # The normal approximation with continuity correction gives 2.5e-3.
    assert mcnemar(1600, 1430) == pytest.approx(2.1e-3, abs=3e-4)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(gained: int, lost: int) -> None:
    p = mcnemar(gained, lost)
    assert 0 < p <= 1
    assert p == mcnemar(lost, gained)
    assert 0 < mcnemar(gained, lost, mid_p=True) <= p


@given(st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_proportion(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert 0 <= low <= high <= 1
    assert n == 0 or low <= successes / n <= high


def test_the_difference_interval_is_the_mirror_of_its_opposite() -> None:
    low, high = difference_interval(30, 12, 400)
    assert (low, high) == pytest.approx((0.0127, 0.0769), abs=2e-3)
    assert difference_interval(12, 30, 400) == pytest.approx((-high, -low))
    assert difference_interval(0, 0, 0) == (-1, 1)


def test_bootstrap_is_repeatable_and_near_the_normal_interval() -> None:
    values = [(i * 37 % 101) / 101 for i in range(300)]
    interval = bootstrap_mean(values)
    assert interval == bootstrap_mean(values)
    assert interval == pytest.approx(normal_interval(values), abs=0.01)
    assert bootstrap_mean(values, seed=1) != interval


@pytest.mark.parametrize("interval", [bootstrap_mean, normal_interval])
def test_means_of_none_and_one(interval: object) -> None:
    assert callable(interval)
    assert interval([]) == (0, 0)
    assert interval([4.0]) == (4, 4)


def test_percentile() -> None:
    assert [percentile([5, 1, 4, 2, 3], share) for share in (0, 0.2, 0.5, 0.95)] == [1, 1, 3, 5]
    assert percentile([], 0.5) == 0
