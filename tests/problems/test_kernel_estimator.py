"""What estimators over a kernel share, next to the estimators' own words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from kpboost.problems._training_set import (
    bounds_of,
    gamma_of,
    points_to_predict,
    remember_support,
    training_set,
)

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.array(["b", "a", "c", "b", "a", "c", "b", "b", "a", "c", "b", "c"])


class Machine(BaseEstimator):
    """As little of an estimator as the functions need."""

    def __init__(self, kernel="rbf"):
        self.kernel = kernel

    def fit(self, X, y):
        """Only there to be one."""
        return self


def test_width_is_that_of_svc():
    data = training_set(Machine(), X, Y, None, "rbf")
    assert_allclose(gamma_of("rbf", "scale", data), SVC().fit(X, Y)._gamma)
    assert gamma_of("rbf", 0.25, data) == 0.25
    assert gamma_of("precomputed", "scale", data) is None


def test_bounds_multiply_all_weights():
    weight = np.arange(12.0)
    data = training_set(Machine(), X, Y, weight, "rbf")
    bounds = bounds_of(3.0, {"a": 2.0, "b": 1.0, "c": 5.0}, data)
    factor = np.array([{"a": 2.0, "b": 1.0, "c": 5.0}[label] for label in Y])
    assert_array_equal(bounds, (3.0 * factor * weight)[data.rows])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_support_is_remembered_by_given_rows(container):
    machine = Machine()
    machine.gamma_, machine.old_ = 7.0, 1
    data = training_set(machine, container(X), Y, None, "rbf")
    support = np.array([0, 3, 5, 11])
    remember_support(machine, data, support, None, stale=("old_",))
    assert_array_equal(machine.classes_, ["a", "b", "c"])
    assert_array_equal(machine.support_, data.rows[support])
    assert_array_equal(
        machine.n_support_, [(Y[machine.support_] == label).sum() for label in "abc"]
    )
    vectors = machine.support_vectors_
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    assert_array_equal(vectors, X[machine.support_])
    assert not hasattr(machine, "gamma_")
    assert not hasattr(machine, "old_")


def test_points_are_checked_against_the_fit():
    machine = Machine()
    with pytest.raises(NotFittedError):
        points_to_predict(machine, X)
    data = training_set(machine, X, Y, None, "rbf")
    remember_support(machine, data, np.arange(3), 1.0)
    assert points_to_predict(machine, X.tolist()).dtype == np.float64
    with pytest.raises(ValueError, match="3 features"):
        points_to_predict(machine, np.ones((2, 3)))
