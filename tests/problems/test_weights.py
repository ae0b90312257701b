import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.class_weight import compute_class_weight

from kpboost.problems._training_set import class_weights, weighted_classes

Y = np.array(["b", "a", "c", "b", "b"])


def test_classes_without_weight_are_absent():
    weight = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    classes, codes = weighted_classes(Y, weight)
    assert classes.tolist() == ["b", "c"]
    assert codes.tolist() == [0, -1, 1, 0, 0]


def test_a_last_class_without_weight_is_absent_too():
    classes, codes = weighted_classes(Y, np.array([1.0, 1.0, 0.0, 1.0, 1.0]))
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, -1, 1, 1]


def test_fewer_than_two_classes_are_refused():
    with pytest.raises(ValueError, match=r"1 class.* at least 2 classes"):
        weighted_classes(Y, np.array([1.0, 0.0, 0.0, 1.0, 1.0]))


def test_balanced_is_scikit_learns_on_repeated_samples():
    repeat = np.array([3, 1, 2, 1, 1])
    classes, codes = np.unique(Y, return_inverse=True)
    ours = class_weights("balanced", classes, codes, repeat.astype(float))
    theirs = compute_class_weight("balanced", classes=classes, y=np.repeat(Y, repeat))
    assert_allclose(ours, theirs, rtol=1e-15)


def test_a_mapping_may_name_a_class_that_is_absent():
    classes, codes = np.unique(Y, return_inverse=True)
    weights = {"a": 2.0, "b": 3.0, "c": 4.0, "d": 5.0}
    assert_array_equal(class_weights(weights, classes, codes, np.ones(5)), [2.0, 3.0, 4.0])
    assert_array_equal(class_weights({"b": 3.0}, classes, codes, np.ones(5)), [1.0, 3.0, 1.0])


def test_a_mistyped_name_is_refused():
    classes, codes = np.unique(Y, return_inverse=True)
    with pytest.raises(ValueError, match=r"names \['B'\].* leaves out \['b'\]"):
        class_weights({"a": 1.0, "B": 2.0, "c": 1.0}, classes, codes, np.ones(5))


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_class_weights_must_be_positive(bad):
    classes, codes = np.unique(Y, return_inverse=True)
    with pytest.raises(ValueError, match="weights must be positive"):
        class_weights({"a": bad}, classes, codes, np.ones(5))
