"""The trade-off measure: the paper's example, the formula spelt out, and what must not matter."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.model_selection import tradeoff_score

MANY = settings(max_examples=80, deadline=None)
PAPER = np.array([[0.4, 0.8], [0.67, 0.67], [0.875, 0.515], [0.9, 0.5]])

# Recalls as they occur: shares of a few points.
shares = st.builds(lambda k, n: k / n, st.integers(0, 20), st.just(20))
tables = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=shares)


def brute_force(recalls):
    scores = []
    for candidate in recalls:
        score = 0.0
        for column, recall in zip(recalls.T, candidate, strict=True):
            if column.max() > column.min():
                score += (recall - column.min()) / (column.max() - column.min())
        scores.append(score)
    return scores


def test_the_papers_four_classifiers():
    scores = tradeoff_score(PAPER)
    assert_allclose(scores, [1, 1.1067, 1, 1], atol=5e-5)
    assert scores.argmax() == 1


@MANY
@given(tables)
def test_the_formula(recalls):
    assert_allclose(tradeoff_score(recalls), brute_force(recalls), atol=1e-12)


@MANY
@given(tables)
def test_scores_lie_between_zero_and_the_number_of_classes(recalls):
    scores = tradeoff_score(recalls)
    assert scores.min() >= 0
    assert scores.max() <= recalls.shape[1] + 1e-12


@MANY
@given(tables, st.data())
def test_order_of_candidates_and_of_classes_does_not_matter(recalls, data):
    rows = data.draw(st.permutations(range(recalls.shape[0])))
    columns = data.draw(st.permutations(range(recalls.shape[1])))
    moved = tradeoff_score(recalls[np.ix_(rows, columns)])
    assert_allclose(moved, tradeoff_score(recalls)[rows], atol=1e-12)


@MANY
@given(tables, st.floats(0.1, 1.0), st.floats(0.0, 0.5))
def test_a_class_that_is_harder_for_all_alike_counts_the_same(recalls, factor, shift):
    other = recalls.copy()
    other[:, 0] = factor * other[:, 0] + shift
    assert_allclose(tradeoff_score(other), tradeoff_score(recalls), atol=1e-9)


def test_a_class_on_which_all_agree_adds_nothing():
    same = np.column_stack([PAPER, np.full(4, 0.3)])
    assert_array_equal(tradeoff_score(same), tradeoff_score(PAPER))
    assert_array_equal(tradeoff_score([[0.2, 0.4]]), [0.0])


def test_rounding_is_not_taken_for_a_difference():
    """0.1 + 0.2 and 0.3 differ in the last bit; that must not decide between 0 and 1."""
    nearly = np.column_stack([PAPER, [0.1 + 0.2, 0.3, 0.3, 0.3]])
    assert nearly[0, 2] != nearly[1, 2]
    assert_allclose(tradeoff_score(nearly), tradeoff_score(PAPER), atol=1e-12)


def test_a_failed_candidate_takes_no_part():
    failed = np.vstack([PAPER, [np.nan, 1.0]])
    assert_array_equal(tradeoff_score(failed), [*tradeoff_score(PAPER), np.nan])


@pytest.mark.parametrize(
    ("recalls", "message"),
    [
        ([0.4, 0.8], r"shape \(2,\)"),
        (np.empty((0, 2)), r"shape \(0, 2\)"),
        ([[0.5, np.inf]], "infinite"),
        ([[np.nan, 0.5], [0.5, np.nan]], "no complete row"),
    ],
)
def test_bad_input_is_refused(recalls, message):
    with pytest.raises(ValueError, match=message):
        tradeoff_score(recalls)
