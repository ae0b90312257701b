"""Recalls next to scikit-learn's, and the input that metrics refuse."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import recall_score

from kpboost.metrics import class_recalls


@pytest.mark.parametrize("seed", range(5))
def test_recalls_equal_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 4, (2, 200))
    weight = rng.random(200)
    assert_allclose(class_recalls(y_true, y_pred), recall_score(y_true, y_pred, average=None))
    assert_allclose(
        class_recalls(y_true, y_pred, sample_weight=weight),
        recall_score(y_true, y_pred, average=None, sample_weight=weight),
    )


def test_labels_choose_and_order():
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "a", "b", "a"]
    assert_array_equal(class_recalls(y_true, y_pred, labels=["b", "c", "a"]), [0.5, np.nan, 1.0])


def test_a_class_without_weight_is_absent():
    assert_array_equal(class_recalls([0, 1, 1], [0, 1, 0], sample_weight=[0, 1, 3]), [0.25])
    recalls = class_recalls([0, 1], [0, 1], labels=[0, 1], sample_weight=[0, 1])
    assert_array_equal(recalls, [np.nan, 1.0])


def test_pandas_and_lists_are_welcome():
    y_true, y_pred = pd.Series([0, 0, 1], index=[7, 8, 9]), pd.Series([0, 1, 1])
    assert_array_equal(class_recalls(y_true, y_pred), [0.5, 1.0])
    assert_array_equal(class_recalls([True, False], [True, True]), [0.0, 1.0])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "weight", "message"),
    [
        ([], [], None, "y_true is empty"),
        ([0, 1], [0, 1, 1], None, "inconsistent numbers of samples"),
        ([0.5, 1.2], [0, 1], None, "continuous"),
        (["a", "b"], [0, 1], None, "Mix of label"),
        ([[0, 1], [1, 0]], [0, 1], None, "1d array"),
        ([0, 1], [0, 1], [1.0], r"sample_weight has shape \(1,\)"),
        ([0, 1], [0, 1], [1.0, -1.0], "negative or non-finite"),
        ([0, 1], [0, 1], [1.0, np.nan], "negative or non-finite"),
        ([0, 1], [0, 1], [0.0, 0.0], "zero for every point"),
    ],
)
def test_bad_input_is_refused(y_true, y_pred, weight, message):
    with pytest.raises(ValueError, match=message):
        class_recalls(y_true, y_pred, sample_weight=weight)
