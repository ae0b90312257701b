"""What estimators over a kernel share, next to the estimators' own words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from kpboost.problems._training_set import (
    DecisionClassifier,
    bounds_of,
    gamma_of,
    over_support,
    points_to_predict,
    remember_support,
    training_set,
)

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.array(["b", "a", "c", "b", "a", "c", "b", "b", "a", "c", "b", "c"])


class Machine(DecisionClassifier):
    """As little of an estimator as the functions need."""

    def __init__(self, kernel="rbf"):
        self.kernel = kernel

    def fit(self, X, y):
        """Only there to be one."""
        return self


def test_width_is_that_of_svc():
    data = training_set(Machine(), X, Y, None)
    assert_allclose(gamma_of("rbf", "scale", data), SVC().fit(X, Y)._gamma)
    assert gamma_of("rbf", 0.25, data) == 0.25
    assert gamma_of("precomputed", "scale", data) is None


def test_bounds_multiply_all_weights():
    weight = np.arange(12.0)
    data = training_set(Machine(), X, Y, weight)
    bounds = bounds_of(3.0, {"a": 2.0, "b": 1.0, "c": 5.0}, data)
    factor = np.array([{"a": 2.0, "b": 1.0, "c": 5.0}[label] for label in Y])
    assert_array_equal(bounds, (3.0 * factor * weight)[data.rows])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_support_is_remembered_by_given_rows(container):
    machine = Machine()
    machine.gamma_, machine.pos_label_ = 7.0, "a"
    data = training_set(machine, container(X), Y, None)
    support = np.array([0, 3, 5, 11])
    remember_support(machine, data, support, None, np.ones(3))
    assert_array_equal(machine.classes_, ["a", "b", "c"])
    assert_array_equal(machine.support_, data.rows[support])
    assert_array_equal(
        machine.n_support_, [(Y[machine.support_] == label).sum() for label in "abc"]
    )
    vectors = machine.support_vectors_
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    assert_array_equal(vectors, X[machine.support_])
    assert not hasattr(machine, "gamma_")
    assert not hasattr(machine, "pos_label_")  # of an earlier fit; three classes have none


def test_points_are_checked_against_the_fit():
    machine = Machine()
    with pytest.raises(NotFittedError):
        points_to_predict(machine, X)
    data = training_set(machine, X, Y, None)
    remember_support(machine, data, np.arange(3), 1.0)
    assert points_to_predict(machine, X.tolist()).dtype == np.float64
    with pytest.raises(ValueError, match="3 features"):
        points_to_predict(machine, np.ones((2, 3)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_positive_class_of_two_is_remembered(sign):
    machine, two = Machine(), Y[Y != "c"]
    data = training_set(machine, X[Y != "c"], two, None)
    remember_support(machine, data, np.arange(3), 1.0, np.array([sign]))
    assert machine.pos_label_ == ("b" if sign > 0 else "a")


def test_coefficients_stand_over_the_union_of_support_class_by_class():
    codes = np.array([1, 0, 1, 0, 2, 2])
    first = np.array([[1.0, 0.0, -1.0], [0.0, 0.0, 2.0]])  # at the rows 0, 1 and 3
    second = np.array([5.0, 0.0, 3.0])  # at the rows 0, 4 and 5
    support, (one, other) = over_support(
        [first, second], [np.array([0, 1, 3]), np.array([0, 4, 5])], codes
    )
    assert_array_equal(support, [3, 0, 5])
    assert_array_equal(one, [[-1.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    assert_array_equal(other, [0.0, 5.0, 3.0])


class Liberal(Machine):
    def __init__(self, sparse=False, allow_nan=False):
        self.sparse = sparse
        self.allow_nan = allow_nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse
        tags.input_tags.allow_nan = self.allow_nan
        return tags


def test_missing_values_and_sparse_points_pass_where_the_tags_say_so():
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        training_set(Liberal(), holes, Y, None)
    with pytest.raises(TypeError, match="Sparse"):
        training_set(Liberal(), sparse.csr_array(X), Y, None)
    data = training_set(Liberal(allow_nan=True), holes, Y, None, by_class=False)
    assert np.isnan(data.points[0, 0])
    taker = Liberal(sparse=True)
    assert sparse.issparse(training_set(taker, sparse.csr_array(X), Y, None).points)
    taker.classes_ = np.unique(Y)
    assert sparse.issparse(points_to_predict(taker, sparse.csc_array(X)))


def test_rows_stay_in_their_order_on_request():
    weight = np.array([1.0, 2.0, 0.0] * 4)
    data = training_set(Machine(), X, Y, weight, by_class=False)
    assert_array_equal(data.rows, np.flatnonzero(weight))
    assert_array_equal(data.points, X[data.rows])
    assert_array_equal(data.classes[data.codes], Y[data.rows])
    assert_array_equal(data.weight, weight[data.rows])
