"""Votes by hand: weights, zeros and ties on the positive side, and confidence that only assists."""

from itertools import permutations

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.ensemble._voting import CONFIDENCE_SIZE, TIE, confidence, weighted_vote

ONE = np.array([1.0])
values_of_rounds = arrays(np.float64, (5, 2, 4), elements=st.floats(-1e6, 1e6))
weights_of_rounds = arrays(np.float64, (2, 4), elements=st.floats(0.01, 18.0))
either_side = arrays(np.float64, 2, elements=st.sampled_from([-1.0, 1.0]))


def one_problem(values, weights, sign=1.0):
    return np.array([[values]]), np.array([weights]), np.array([sign])


def test_votes_by_hand():
    vote = weighted_vote(*one_problem([0.1, -9.0, 2.0], [1.0, 0.5, 2.0]))
    assert_allclose(vote, [[2.5]])


def test_the_size_of_a_value_does_not_matter():
    small = weighted_vote(*one_problem([1e-300, -1e-3], [1.0, 2.0]))
    large = weighted_vote(*one_problem([1e300, -1e3], [1.0, 2.0]))
    assert_array_equal(small, large)


def test_zero_counts_for_the_positive_class():
    for sign in (1.0, -1.0):
        vote = weighted_vote(*one_problem([0.0, -0.0], [1.0, 0.25], sign))
        assert_array_equal(vote, [[1.25 * sign]])


def test_a_tie_goes_to_the_positive_class():
    for sign in (1.0, -1.0):
        for values in ([1.0, -1.0], [-1.0, 1.0]):
            assert_array_equal(
                weighted_vote(*one_problem(values, [0.7, 0.7], sign)), [[sign * TIE]]
            )


def test_a_tie_does_not_depend_on_the_order_of_the_rounds():
    """-a -b +b +a is not always 0 in floating point."""
    weights = np.array([0.8201223133225226, 0.9366193166251232])
    sums = set()
    for sign in (1.0, -1.0):
        for order in permutations([(-1.0, 0), (-1.0, 1), (1.0, 0), (1.0, 1)]):
            values, own = [value for value, _ in order], weights[[which for _, which in order]]
            sums.add(float(np.add.accumulate(values * own)[-1]))
            assert_array_equal(weighted_vote(*one_problem(values, own, sign)), [[sign * TIE]])
    assert len(sums) > 1


def test_a_round_without_weight_is_silent():
    with_it = weighted_vote(*one_problem([1.0, -5.0, -5.0], [0.3, 0.0, 0.0]))
    assert_array_equal(with_it, weighted_vote(*one_problem([1.0], [0.3])))


def test_each_problem_votes_for_itself():
    values = np.array([[[1.0, 1.0], [-1.0, 1.0]]])
    weights = np.array([[1.0, 2.0], [5.0, 1.0]])
    assert_array_equal(weighted_vote(values, weights, np.ones(2)), [[3.0, -4.0]])


@given(values_of_rounds, weights_of_rounds, either_side)
def test_mirror_image(values, weights, signs):
    vote = weighted_vote(values, weights, signs)
    assert_array_equal(weighted_vote(-values, weights, -signs), -vote)
    assert np.all(vote != 0)


@given(values_of_rounds, weights_of_rounds, either_side)
def test_confidence_never_overrules_the_vote(values, weights, signs):
    vote, share = weighted_vote(values, weights, signs), confidence(values, weights, signs)
    assert_array_equal(np.sign(share), np.sign(vote))
    assert_allclose(share, vote / weights.sum(axis=1), atol=CONFIDENCE_SIZE)


def test_confidence_does_not_overrule_a_narrow_vote():
    # The two rounds for the class have a hair more weight, and far smaller values.
    problem = one_problem([1.0, 1.0, -100.0], [0.5, 0.5, 1.0 - 1e-9])
    assert weighted_vote(*problem) > 0
    assert confidence(*problem) > 0


def test_confidence_leaves_a_tie_to_the_positive_class():
    for sign in (1.0, -1.0):
        problem = one_problem([5.0, -1.0], [1.0, 1.0], sign)
        assert np.sign(confidence(*problem)) == np.sign(weighted_vote(*problem)) == sign


def test_values_tell_equal_shares_apart():
    values = np.array([[[1.0, 1.0]], [[2.0, 3.0]], [[-2.0, -3.0]]])
    share = confidence(values, np.array([[1.0, 2.0]]), ONE)[:, 0]
    assert share[1] > share[0] > 1.0
    assert share[2] < -1.0
