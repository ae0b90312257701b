import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from kpboost.reports._statistics import duels

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
