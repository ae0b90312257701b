"""What fit is given, checked, without the cases that do not count."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.tree import C45Classifier
from kpboost.tree._c45 import training_cases

X = np.array([[1.0], [np.nan], [3.0], [4.0]])
Y = np.array(["b", "a", "c", "b"])


def test_cases_without_weight_are_absent():
    cases = training_cases(C45Classifier(), X, Y, [1, 0, 2, 0.5])
    assert_array_equal(cases.X, [[1], [3], [4]])
    assert_array_equal(cases.classes, ["b", "c"])
    assert_array_equal(cases.codes, [0, 1, 0])
    assert_array_equal(cases.weight, [1, 2, 0.5])


@pytest.mark.parametrize("given", [None, 1.0])
def test_the_same_for_all(given):
    assert_array_equal(training_cases(C45Classifier(), X, Y, given).weight, np.ones(4))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, 2], r"has shape \(2,\)"),
        ([1, 1, 1, -1], "negative or non-finite"),
        ([1, 1, 1, np.nan], "negative or non-finite"),
        (np.zeros(4), "zero for every sample"),
        (["a", "b", "c", "d"], "^sample_weight=.* one number per sample"),
    ],
)
def test_weights_refused(weight, words):
    with pytest.raises(ValueError, match=words):
        training_cases(C45Classifier(), X, Y, weight)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        training_cases(C45Classifier(), [[np.inf], [1.0]], [0, 1], None)


def test_targets_of_regression_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        training_cases(C45Classifier(), X, [0.1, 0.2, 0.3, 0.4], None)
