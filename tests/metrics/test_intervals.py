"""Clopper-Pearson next to scipy's, and its promise to cover."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, binomtest

from kpboost.metrics import clopper_pearson


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 1000])
def test_scipy_gives_the_same(n, level):
    right = np.unique(np.linspace(0, n, 9).astype(int))
    low, high = clopper_pearson(right, n, confidence_level=level)
    theirs = [binomtest(int(k), n).proportion_ci(level, method="exact") for k in right]
    assert_allclose(low, [interval.low for interval in theirs], rtol=1e-9, atol=1e-12)
    assert_allclose(high, [interval.high for interval in theirs], rtol=1e-9, atol=1e-12)


def test_scipys_other_method_is_told_apart():
    low, _ = clopper_pearson(3, 10)
    assert abs(low - binomtest(3, 10).proportion_ci(method="wilson").low) > 1e-3


@pytest.mark.parametrize("n", [1, 4, 25])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.97])
def test_the_interval_covers_as_often_as_promised(n, p):
    right = np.arange(n + 1)
    low, high = clopper_pearson(right, n, confidence_level=0.9)
    covered = (low <= p) & (p <= high)
    assert binom.pmf(right, n, p)[covered].sum() >= 0.9


def test_nothing_and_everything_end_at_zero_and_one():
    low, high = clopper_pearson([0, 5], [5, 5])
    assert_array_equal([low[0], high[1]], [0.0, 1.0])
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 5))  # (1 - p)^5 = 0.025
    assert low[1] == pytest.approx(0.025 ** (1 / 5))


@pytest.mark.parametrize(("right", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_impossible_counts_are_refused(right, n):
    with pytest.raises(ValueError, match="n_correct must lie between"):
        clopper_pearson(right, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, np.nan])
def test_impossible_levels_are_refused(level):
    with pytest.raises(ValueError, match="confidence_level"):
        clopper_pearson(1, 2, confidence_level=level)
