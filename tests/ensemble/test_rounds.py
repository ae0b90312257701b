"""eps, alpha and the set T by hand, then what must hold for all rounds there can be."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.ensemble._boosting import (
    HALF_OF_LARGEST,
    SMALLEST_ERROR,
    ClassRates,
    ClassWeights,
    round_weights,
    select_rounds,
)

rates = st.integers(0, 20).map(lambda hits: hits / 20)
rounds = st.lists(st.tuples(rates, rates), min_size=1, max_size=12)


def errors_of(pairs):
    return np.array([ClassRates(*pair).error for pair in pairs])


@pytest.mark.parametrize(
    ("tpr", "tnr", "error"),
    [(1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, np.sqrt(2)), (0.4, 0.2, 1.0), (0.5, 0.5, 0.5**0.5)],
)
def test_the_error_is_the_distance_from_the_ideal(tpr, tnr, error):
    assert_allclose(ClassRates(tpr, tnr).error, error, rtol=1e-15)


def test_rates_count_each_class_for_itself():
    y = np.array([1.0, 1, 1, 1, -1, -1])
    correct = np.array([True, False, False, False, True, False])
    plain = ClassWeights(y, np.ones(6)).rates(correct)
    assert (plain.tpr, plain.tnr) == (0.25, 0.5)
    weighted = ClassWeights(y, np.array([5.0, 1, 1, 1, 3, 1])).rates(correct)
    assert (weighted.tpr, weighted.tnr) == (0.625, 0.75)


def test_weights_by_hand():
    half = np.sqrt(2) / 2
    found = round_weights(np.array([half / 2, half, np.sqrt(2) / 5]))
    assert_allclose(found, [np.log(3) / 2, 0.0, np.log(4) / 2], atol=1e-15)


def test_no_error_is_floored_at_machine_epsilon():
    weight = round_weights(np.array([0.0, SMALLEST_ERROR]))
    assert weight[0] == weight[1]
    assert_allclose(weight[0], 18.195, atol=1e-3)


def test_the_largest_error_has_a_finite_weight():
    assert np.isfinite(round_weights(np.array([np.sqrt(2)]))).all()


@given(st.lists(st.floats(0, np.sqrt(2)), min_size=2, max_size=8))
def test_weights_fall_with_the_error(errors):
    weights = round_weights(np.sort(errors))
    assert np.all(np.diff(weights) <= 0)


def test_rounds_no_worse_than_the_first_are_kept():
    tpr = np.array([0.6, 0.6, 0.5, 0.9, 0.6])
    errors = np.array([0.5, 0.4, 0.1, 0.6, 0.5])  # 3 loses on tpr, 4 on eps; a draw stays
    selection = select_rounds(errors, tpr)
    assert selection.rule == "strict"
    assert_array_equal(selection.kept, [True, True, False, False, True])
    assert_allclose(selection.weights, np.where(selection.kept, round_weights(errors), 0.0))


def test_a_poor_first_round_can_be_left_out():
    selection = select_rounds(np.array([1.0, 0.7, 0.72]), np.array([0.0, 0.4, 0.9]))
    assert_array_equal(selection.kept, [False, True, False])
    assert selection.rule == "strict"


def test_where_no_round_qualifies_the_best_one_is_kept_alone():
    selection = select_rounds(np.array([1.0, 0.9, 0.8, 0.8]), np.zeros(4))
    assert selection.rule == "best_only"
    assert_array_equal(selection.kept, [False, False, True, False])
    assert_array_equal(selection.weights, [0.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("pairs", "kept"),
    [
        ([(0.08, 0.996), (0.17, 0.71)], 0),  # nearer to the ideal, but worse than guessing
        ([(0.0, 1.0), (0.17, 0.71), (0.2, 0.9)], 2),
        ([(0.1, 0.8), (0.2, 0.75)], 0),
    ],
)
def test_a_round_worse_than_guessing_is_not_the_best(pairs, kept):
    selection = select_rounds(errors_of(pairs), np.array([pair[0] for pair in pairs]))
    assert selection.rule == "best_only"
    assert_array_equal(np.flatnonzero(selection.kept), [kept])


def test_rounds_that_weigh_nothing_cannot_vote():
    # (0.5, 0.5) is at 1/sqrt 2 exactly: not worse than half of the largest error, weight log 1.
    errors = errors_of([(0.5, 0.5), (0.5, 0.5)])
    assert errors[0] == HALF_OF_LARGEST
    selection = select_rounds(errors, np.array([0.5, 0.5]))
    assert selection.rule == "best_only"
    assert_array_equal(selection.weights, [1.0, 0.0])


@given(rounds)
def test_the_choice_obeys_its_conditions(pairs):
    errors, tpr = errors_of(pairs), np.array([pair[0] for pair in pairs])
    selection = select_rounds(errors, tpr)
    assert selection.weights.sum() > 0
    assert np.all(selection.weights >= 0)
    assert not np.any(selection.weights[~selection.kept])
    if selection.rule == "best_only":
        assert errors[0] >= HALF_OF_LARGEST
        (chosen,) = np.flatnonzero(selection.kept)
        fair = [place for place, pair in enumerate(pairs) if sum(pair) >= 1 - 1e-6]
        assert chosen == 0 or sum(pairs[chosen]) >= 1 - 1e-6
        assert not fair or errors[chosen] <= errors[fair].min() + 1e-6
        return
    allowed = (errors <= min(errors[0], HALF_OF_LARGEST)) & (tpr >= tpr[0])
    assert_array_equal(selection.kept, allowed)


@given(rounds)
def test_the_relaxed_set_of_the_paper_is_never_needed(pairs):
    # eps_1 <= 1/sqrt 2 puts round 1 into the strict set; above it both sets are the same.
    errors, tpr = errors_of(pairs), np.array([pair[0] for pair in pairs])
    assert select_rounds(errors, tpr).rule in ("strict", "best_only")
