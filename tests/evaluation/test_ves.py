"""VES and R-VES from times that are given."""

import pytest

from macsql.evaluation.ves import r_ves, reward, time_ratio, ves, without_outliers

# time of the gold query over that of the prediction, reward
STEPS = [
    (1e9, 1.25),
    (2.0, 1.25),
    (1.9999, 1.0),
    (1.0, 1.0),
    (0.9999, 0.75),
    (0.5, 0.75),
    (0.4999, 0.5),
    (0.25, 0.5),
    (0.2499, 0.25),
    (1e-9, 0.25),
]


@pytest.mark.parametrize(("ratio", "step"), STEPS)
def test_reward_steps(ratio: float, step: float) -> None:
    assert reward(ratio) == step
    assert r_ves(ratio) ** 2 == pytest.approx(step)


def test_ves_is_the_root_of_the_mean_ratio() -> None:
    gold, predicted = iter([2.0, 8.0]), iter([1.0, 2.0])
    ratio = time_ratio(lambda: next(gold), lambda: next(predicted), 2)
    assert (ratio, ves(ratio)) == (3.0, pytest.approx(3**0.5))


def test_outliers_are_left_out() -> None:
    steady = [1.0, 1.1, 0.9] * 10
    assert without_outliers([*steady, 99.0]) == steady
    # Of nine values none can be three deviations from their mean.
    assert without_outliers([1.0] * 8 + [99.0]) == [1.0] * 8 + [99.0]


@pytest.mark.parametrize("ratios", [[2.0], [1.5, 1.5, 1.5]])
def test_ratios_that_do_not_differ_are_kept(ratios: list[float]) -> None:
    assert without_outliers(ratios) == ratios


def test_a_time_too_short_to_measure_is_no_division_by_zero() -> None:
    assert time_ratio(lambda: 1e-9, lambda: 0.0, 1) == 1.0
