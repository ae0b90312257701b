import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from kpboost.svm._perturbation import Problem, Stage, support_places

X = np.array([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0], [0.0, 1.0], [5.0, 0.0], [2.0, 3.0]])
TARGET = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
COEF = np.array([0.5, 0.0, -1.0, 0.7, -0.5, 0.3])


def stage(coef=COEF):
    n = coef.size
    return Stage(
        coef[None], np.zeros(1), np.arange(n)[:, None] + 0.5, np.arange(n) / 10, 0, 0, True, None
    )


@pytest.mark.parametrize("points", [X, sparse.csr_array(X), sparse.csr_matrix(X)])
def test_copies_count_once_by_place_and_class(points):
    problem = Problem(points, TARGET[:, None], np.ones(6), np.ones(6))
    places = support_places(problem, stage())
    dense = places.points.toarray() if sparse.issparse(points) else places.points
    assert_array_equal(dense, X[[0, 2, 4, 5]])
    assert_array_equal(places.positive, [True, False, False, True])
    assert_array_equal(places.decision, [0.5, 2.5, 4.5, 5.5])
    assert_allclose(places.log_scale, [0.0, 0.2, 0.4, 0.5])
    assert places.has_both_sides


@pytest.mark.parametrize("points", [X, sparse.csr_array(X)])
def test_no_support_vectors_and_one_side(points):
    problem = Problem(points, TARGET[:, None], np.ones(6), np.ones(6))
    none = support_places(problem, stage(np.zeros(6)))
    assert none.positive.size == 0
    assert not none.has_both_sides
    one = support_places(problem, stage(np.where(TARGET > 0, COEF, 0.0)))
    assert not one.has_both_sides


def test_stored_zeros_do_not_make_another_place():
    stored = sparse.csr_array((np.array([1.0, 0.0, 1.0]), [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    problem = Problem(stored, np.ones((2, 1)), np.ones(2), np.ones(2))
    assert support_places(problem, stage(np.ones(2))).positive.size == 1
