"""Folds: whose rows they are, what they leave out, and the kernels they get."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold

from kpboost import KPBoostSVC
from kpboost.kernels import resolve_gamma, squared_distances
from kpboost.model_selection import RareClassKFold
from kpboost.model_selection._boosting_grid import folds_of_width, make_splits, plan_folds
from kpboost.problems._training_set import training_set

OPTIONS = {"multi_class": "one_vs_one", "class_weight": None, "pos_label": None}


def blobs(n_classes=3, weight=None):
    X, y = make_blobs(60, centers=n_classes, random_state=0)
    return X, y, training_set(KPBoostSVC(), X, y, weight, by_class=False)


def assert_same_splits(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert_array_equal(ours[0], theirs[0])
        assert_array_equal(ours[1], theirs[1])


def test_rows_are_in_the_order_given():
    X, y, data = blobs()
    assert_array_equal(data.points, X)
    assert_array_equal(data.classes[data.codes], y)
    assert_array_equal(data.rows, np.arange(60))


@pytest.mark.parametrize("cv", [4, np.int32(4)])
def test_a_number_is_stratified(cv):
    X, y, data = blobs()
    assert_same_splits(make_splits(cv, X, y, data), StratifiedKFold(4).split(X, y))


def test_none_is_five_folds():
    X, y, data = blobs()
    assert_same_splits(make_splits(None, X, y, data), StratifiedKFold(5).split(X, y))


def test_a_number_above_a_class_takes_subsamples():
    X, y, data = blobs()
    expected = RareClassKFold(25, random_state=0).split(X, y)
    assert_same_splits(make_splits(25, X, y, data), expected)


def test_rows_without_weight_are_in_no_part():
    weight = (np.arange(60) % 4 > 0).astype(float)
    X, y, data = blobs(weight=weight)
    for (train, test), given in zip(
        make_splits(KFold(3), X, y, data), KFold(3).split(X), strict=True
    ):
        assert_array_equal(data.rows[train], [row for row in given[0] if weight[row]])
        assert_array_equal(data.rows[test], [row for row in given[1] if weight[row]])


def test_a_splitter_sees_the_data_as_given():
    class Curious:
        def split(self, X, y, groups=None):
            assert X is given_X
            assert y is given_y
            yield np.arange(40), np.arange(40, 60)

    X, y, data = blobs()
    given_X, given_y = X.tolist(), y.tolist()
    assert len(make_splits(Curious(), given_X, given_y, data)) == 1


@pytest.mark.parametrize("gamma", [0.3, "scale", "auto"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_kernels_next_to_scikit_learns(gamma, n_classes):
    X, y, data = blobs(n_classes)
    plans = plan_folds(make_splits(3, X, y, data), data, **OPTIONS)
    for fold in folds_of_width(gamma, plans, squared_distances(X), data):
        train, test = X[fold.plan.train], X[fold.plan.test]
        width = resolve_gamma(gamma, train)
        assert_allclose(fold.gram, rbf_kernel(train, gamma=width), atol=1e-12)
        assert_allclose(fold.test_kernel, rbf_kernel(test, train, gamma=width), atol=1e-12)
        assert_array_equal(data.codes[fold.plan.train], fold.plan.classes[fold.plan.codes])


def test_balance_is_that_of_the_fold():
    _, y, data = blobs(2)
    train = np.r_[np.flatnonzero(y == 0)[:10], np.flatnonzero(y == 1)[:5]]
    (plan,) = plan_folds([(train, train)], data, **OPTIONS | {"class_weight": "balanced"})
    assert_allclose(plan.class_factor, np.where(y[train] == 0, 0.75, 1.5))
    (plan,) = plan_folds([(train, train)], data, **OPTIONS | {"class_weight": {1: 4.0}})
    assert_allclose(plan.class_factor, np.where(y[train] == 0, 1.0, 4.0))
