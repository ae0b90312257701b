import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import rankdata, wilcoxon

from kpboost.reports._statistics import MOST_COUNTED, against_control, signed_rank_test

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
