"""Rows without weight are absent; what passes is what the tags say."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from kpboost.ensemble._adaboost_m2 import labelled_points, points_to_predict


class Liberal(ClassifierMixin, BaseEstimator):
    def __init__(self, sparse=False, allow_nan=False):
        self.sparse = sparse
        self.allow_nan = allow_nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse
        tags.input_tags.allow_nan = self.allow_nan
        return tags


X = np.arange(8.0).reshape(4, 2)
Y = np.array(["b", "a", "c", "a"])


def test_labels_become_numbers():
    data = labelled_points(Liberal(), X, Y, None)
    assert_array_equal(data.classes, ["a", "b", "c"])
    assert_array_equal(data.codes, [1, 0, 2, 0])
    assert_array_equal(data.weight, 1.0)


def test_points_without_weight_are_absent():
    data = labelled_points(Liberal(), X, Y, [1.0, 2.0, 0.0, 0.5])
    assert_array_equal(data.classes, ["a", "b"])
    assert_array_equal(data.points, X[[0, 1, 3]])
    assert_array_equal(data.weight, [1.0, 2.0, 0.5])


def test_missing_values_and_sparse_points_pass_where_the_tags_say_so():
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        labelled_points(Liberal(), holes, Y, None)
    with pytest.raises(TypeError, match="Sparse"):
        labelled_points(Liberal(), sparse.csr_array(X), Y, None)
    assert np.isnan(labelled_points(Liberal(allow_nan=True), holes, Y, None).points[0, 0])
    taker = Liberal(sparse=True)
    assert sparse.issparse(labelled_points(taker, sparse.csr_array(X), Y, None).points)
    assert sparse.issparse(points_to_predict(taker, sparse.csc_array(X)))


def test_prediction_remembers_the_columns():
    model = Liberal()
    labelled_points(model, X, Y, None)
    with pytest.raises(ValueError, match="2 features"):
        points_to_predict(model, X[:, :1])
