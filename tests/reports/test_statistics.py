import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, wilcoxon

from kpboost.reports._statistics import (
    MOST_COUNTED,
    against_control,
    critical_difference,
    duels,
    friedman_test,
    signed_rank_test,
)

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


WHOLE = st.integers(-4, 4)


def by_all_signs(gaps):
    """P-value by trying every choice of signs, one after the other."""
    gaps = np.array([gap for gap in gaps if gap != 0])
    if gaps.size == 0:
        return 1.0
    ranks = rankdata(np.abs(gaps))
    smaller = min(ranks[gaps > 0].sum(), ranks[gaps < 0].sum())
    sums = [np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=gaps.size)]
    return min(1.0, 2 * np.mean(np.array(sums) <= smaller + 1e-9))


@given(st.lists(WHOLE, min_size=1, max_size=9))
def test_equals_trying_all_signs(gaps):
    result = signed_rank_test(gaps, np.zeros(len(gaps)))
    assert result.p_value == pytest.approx(by_all_signs(gaps), abs=1e-12)
    assert result.n_differences == np.count_nonzero(gaps)


@pytest.mark.parametrize("n", [6, 20, 42])
def test_equals_scipy_without_ties(n):
    rng = np.random.default_rng(n)
    gaps = rng.normal(0.3, size=n)
    expected = wilcoxon(gaps, method="exact").pvalue
    assert signed_rank_test(gaps, np.zeros(n)).p_value == pytest.approx(expected, rel=1e-9)


def test_counting_passes_smoothly_into_the_normal_distribution():
    gaps = np.random.default_rng(0).normal(0.2, size=MOST_COUNTED)
    counted = signed_rank_test(gaps, np.zeros(gaps.size)).p_value
    assert counted == pytest.approx(wilcoxon(gaps, method="approx").pvalue, rel=0.05)
    more = np.append(gaps, 1e-6)
    assert signed_rank_test(more, np.zeros(more.size)).p_value == pytest.approx(counted, rel=0.1)


@given(st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=30))
def test_does_not_depend_on_who_is_the_control(pairs):
    one, other = np.array(pairs, dtype=float).T
    assert signed_rank_test(one, other) == signed_rank_test(other, one)


def test_no_difference_at_all():
    result = signed_rank_test([0.5, 0.7], [0.5, 0.7])
    assert (result.p_value, result.verdict) == (1.0, "H0")


def test_rounding_noise_is_no_difference():
    assert signed_rank_test([0.1 + 0.2], [0.3]).n_differences == 0


def test_the_level_decides():
    gaps = [1, 2, 3, 4, 5, 6]  # p = 2 / 2**6
    assert signed_rank_test(gaps, np.zeros(6)).verdict == "H1"
    assert signed_rank_test(gaps, np.zeros(6), level=0.03).verdict == "H0"


def test_table_against_its_control():
    scores = np.column_stack([np.zeros(8), np.arange(1, 9), np.zeros(8)])
    assert [result.verdict for result in against_control(scores, 0)] == ["CN", "H1", "H0"]


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [[1.0], [2.0]]])
def test_bad_scores_are_refused(bad):
    with pytest.raises(ValueError, match="one finite score each"):
        signed_rank_test(bad, np.zeros(np.shape(bad)))


SCORES = arrays(np.float64, (7, 4), elements=st.floats(0, 1, width=16))


def test_counts_of_a_small_table():
    result = duels([[0.9, 0.8, 0.8], [0.5, 0.5, 0.7]])
    assert result.wins.tolist() == [[0, 1, 1], [0, 0, 0], [1, 1, 0]]
    assert result.ties.tolist() == [[2, 1, 0], [1, 2, 1], [0, 1, 2]]


@given(SCORES)
def test_what_one_wins_the_other_loses(scores):
    result = duels(scores)
    np.testing.assert_array_equal(result.wins, result.losses.T)
    np.testing.assert_array_equal(result.wins + result.ties + result.losses, len(scores))


def test_rounding_noise_is_a_tie():
    assert duels([[0.1 + 0.2, 0.3]]).ties[0, 1] == 1
