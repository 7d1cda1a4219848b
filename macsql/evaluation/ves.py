"""VES and R-VES: how fast a correct prediction runs beside the gold query."""

import math
import statistics
from collections.abc import Callable, Sequence

REPEATS = 100
"""How many times the official scripts run each query."""

_STEPS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5))
_SLOWEST_REWARD = 0.25


def time_ratio(
    gold_seconds: Callable[[], float], predicted_seconds: Callable[[], float], repeats: int
) -> float:
    """How many times faster the prediction is than the gold query (``iterated_execute_sql``).

    The two are run in turn ``repeats`` times; each call runs a query once and returns its seconds.
    The result is the mean of the ratios that ``without_outliers`` keeps.
    """
    ratios = []
    for _ in range(repeats):
        predicted = predicted_seconds()
        ratios.append(gold_seconds() / max(predicted, 1e-9))
    return statistics.fmean(without_outliers(ratios))


def without_outliers(ratios: Sequence[float]) -> list[float]:
    """The ratios less than three standard deviations from their mean (``clean_abnormal``).

    All are kept when that leaves none, as for a single one; the official script fails there.

    >>> without_outliers([1.0] * 20 + [50.0]) == [1.0] * 20, without_outliers([2.0])
    (True, [2.0])
    """
    mean = statistics.fmean(ratios)
    allowed = 3 * statistics.pstdev(ratios)
    return [ratio for ratio in ratios if abs(ratio - mean) < allowed] or list(ratios)


def ves(ratio: float) -> float:
    """The share of one correct prediction in VES: the square root of the time ratio.

    BIRD's original ``evaluation_ves.py``; a wrong prediction has 0. VES is 100 times the mean
    over all questions.

    >>> ves(4.0)
    2.0
    """
    return math.sqrt(ratio)


def reward(ratio: float) -> float:
    """The reward step of R-VES for one correct prediction (``evaluation_ves.py`` of mini_dev).

    1.25 from a ratio of 2 on, 1 from 1, 0.75 from 0.5, 0.5 from 0.25, else 0.25.

    >>> [reward(ratio) for ratio in (2.0, 1.99, 0.5, 0.3, 0.1)]
    [1.25, 1.0, 0.75, 0.5, 0.25]
    """
    return next((step for bound, step in _STEPS if ratio >= bound), _SLOWEST_REWARD)


def r_ves(ratio: float) -> float:
    """The share of one correct prediction in R-VES: the square root of its reward.

    mini_dev's ``compute_ves`` takes that root before it averages; a wrong prediction has 0. R-VES
    is 100 times the mean over all questions.

    >>> r_ves(1.5), round(r_ves(3.0), 3)
    (1.0, 1.118)
    """
    return math.sqrt(reward(ratio))
