"""The rarer side is the positive one, unless the user says otherwise."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.problems._multiclass import binary_problems, positive_sides


def sides(codes, weight=None, multi_class="one_vs_one", pos_label=None, classes=None):
    codes = np.asarray(codes)
    classes = np.unique(codes) if classes is None else np.asarray(classes)
    problems = list(binary_problems(codes, classes.size, multi_class))
    weight = np.ones(codes.size) if weight is None else np.asarray(weight, dtype=float)
    return positive_sides(problems, weight, classes, pos_label)


@pytest.mark.parametrize(
    ("codes", "sign"), [([0, 0, 1], 1.0), ([0, 1, 1], -1.0), ([0, 1], -1.0), ([1, 0, 1, 0], -1.0)]
)
def test_the_rarer_class_or_the_first_on_a_tie(codes, sign):
    assert_array_equal(sides(codes), [sign])


def test_weights_count_as_repetition():
    assert_array_equal(sides([0, 0, 1], [1, 1, 3]), [-1.0])
    assert_array_equal(sides([0, 0, 1], [1, 1, 2]), [-1.0])  # a tie
    assert_array_equal(sides([0, 0, 1], [1, 1, 1]), [1.0])


def test_every_pair_has_its_own_rarer_side():
    # Class sizes 2, 3, 1: of (0, 1) the first is rarer, of (0, 2) and (1, 2) the second.
    assert_array_equal(sides([0, 0, 1, 1, 1, 2]), [-1.0, 1.0, 1.0])


def test_one_class_is_usually_rarer_than_the_rest():
    codes = [0, 0, 0, 0, 0, 1, 1, 2]
    assert_array_equal(sides(codes, multi_class="one_vs_rest"), [-1.0, 1.0, 1.0])
    # Class 0 weighs as much as the rest: the one class is positive.
    assert_array_equal(sides([0, 0, 1, 2], multi_class="one_vs_rest"), [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("classes", "pos_label", "sign"),
    [(["no", "yes"], "yes", 1.0), (["no", "yes"], "no", -1.0), ([0, 1], 0, -1.0)],
)
def test_a_given_label_is_positive(classes, pos_label, sign):
    assert_array_equal(sides([0, 1, 1, 0, 0], classes=classes, pos_label=pos_label), [sign])


@pytest.mark.parametrize("pos_label", ["maybe", 3, [0, 1], ["yes"], np.array(["no"]), np.nan])
def test_a_label_that_is_not_there_is_refused(pos_label):
    with pytest.raises(ValueError, match=r"pos_label=.* not a label of y; .* \['no', 'yes'\]"):
        sides([0, 1], classes=["no", "yes"], pos_label=pos_label)


def test_a_label_is_for_two_classes():
    with pytest.raises(ValueError, match="pos_label=1 is for two classes; y has 3"):
        sides([0, 1, 2], pos_label=1)
