"""How sure a figure is: intervals of proportions and means, and tests of paired runs.

Everything is computed with the standard library, and the same input always gives the same figures.
"""

import math
import random
import statistics
from collections.abc import Sequence
from fractions import Fraction

Z = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""

RESAMPLES = 2000


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of the proportion ``successes / n``; (0, 1) when n is 0.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    middle = share + Z * Z / (2 * n)
    spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == n else (middle + spread) / scale
    return low, high


def normal_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of ``values`` by the normal approximation.

    The mean itself twice when there are fewer than two values.

    >>> [round(bound, 3) for bound in normal_interval([1, 2, 3, 4])]
    [1.235, 3.765]
    """
    if not values:
        return 0.0, 0.0
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, mean
    spread = Z * statistics.stdev(values) / math.sqrt(len(values))
    return mean - spread, mean + spread


def bootstrap_mean(
    values: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean of ``values``.

    For a paired comparison the values are the differences, question by question.

    >>> low, high = bootstrap_mean([0.0, 1.0] * 50)
    >>> 0.39 < low < 0.42 and 0.58 < high < 0.61
    True
    """
    if not values:
        return 0.0, 0.0
    chance = random.Random(seed)
    n = len(values)
    means = sorted(statistics.fmean(chance.choices(values, k=n)) for _ in range(resamples))
    return means[int(0.025 * resamples)], means[math.ceil(0.975 * resamples) - 1]


def mcnemar(gained: int, lost: int, *, mid_p: bool = False) -> float:
    """The two-sided exact p-value of McNemar's test.

    ``gained`` questions are right in the second run only, ``lost`` in the first only. ``mid_p``
    counts half of the observed table's own probability, which is less conservative.

    >>> mcnemar(10, 2), mcnemar(0, 0), mcnemar(5, 5)
    (0.03857421875, 1.0, 1.0)
    """
    n, fewer = gained + lost, min(gained, lost)
    if n == 0:
        return 1.0
    # In whole numbers, since the powers of two overflow a float beyond a thousand questions.
    below = 2 * sum(math.comb(n, k) for k in range(fewer + 1))
    if mid_p:
        below -= math.comb(n, fewer)
    return min(1.0, float(Fraction(below, 1 << n)))


def difference_interval(gained: int, lost: int, n: int) -> tuple[float, float]:
    """The 95 % interval of the difference of two paired proportions, second minus first.

    Bonett and Price (2012): the usual interval after one more question of each kind that differs,
    which holds for few questions too.

    >>> [round(bound, 4) for bound in difference_interval(10, 2, 100)]
    [0.0082, 0.1487]
    """
    if n == 0:
        return -1.0, 1.0
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    spread = Z * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return max(-1.0, up - down - spread), min(1.0, up - down + spread)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of the sorted ``values`` do not exceed (nearest rank); 0 for none.

    >>> percentile([1, 2, 3, 4], 0.5), percentile([1, 2, 3, 4], 0.95)
    (2, 4)
    """
    if not values:
        return 0.0
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]
