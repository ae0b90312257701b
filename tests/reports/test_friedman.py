import numpy as np
import pytest

from kpboost.reports._statistics import critical_difference, friedman_test

# Demsar (2006), "Statistical comparisons of classifiers over multiple data sets", table 6: AUC of
# C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets. One value has a fourth digit, where his ranks
# tell apart what three digits tie.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsar_ranks_and_statistic():
    result = friedman_test(DEMSAR)
    assert result.ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # He prints 9.28 without the correction for ties; with it the statistic is a little larger.
    ties_ignored = 12 * 14 / 20 * (np.sum(result.ranks**2) - 4 * 25 / 4)
    assert ties_ignored == pytest.approx(9.28, abs=0.01)
    assert result.statistic >= ties_ignored
    assert result.p_value < 0.05


def test_demsar_critical_difference():
    # He computes CD = 1.25 at 0.05 for Nemenyi's test.
    assert friedman_test(DEMSAR).critical_difference == pytest.approx(1.25, abs=0.005)


@pytest.mark.parametrize(
    ("n_methods", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)]
)
def test_quantiles_of_demsars_table(n_methods, quantile):
    scale = np.sqrt(n_methods * (n_methods + 1) / 6)
    assert critical_difference(n_methods, 1) / scale == pytest.approx(quantile, abs=1e-3)


def test_pairs_differ_exactly_if_their_ranks_are_further_apart_than_the_critical_difference():
    rng = np.random.default_rng(1)
    scores = rng.normal(loc=[0, 0.3, 0.8, 0.9, 1.4], size=(30, 5))
    result = friedman_test(scores)
    apart = np.abs(np.subtract.outer(result.ranks, result.ranks)) > result.critical_difference
    assert apart.any()
    assert not apart.all()
    np.testing.assert_array_equal(result.p_values < 0.05, apart)


def test_nothing_differs():
    result = friedman_test(np.ones((4, 3)))
    assert result.p_value == 1.0
    assert result.ranks == pytest.approx([2, 2, 2])


@pytest.mark.parametrize("shape", [(5, 2), (1, 3)])
def test_too_few_are_refused(shape):
    with pytest.raises(ValueError, match="needs 3 methods on 2 data sets or more"):
        friedman_test(np.zeros(shape))
