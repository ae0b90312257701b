import numpy as np
import pytest

from kpboost.cli._options import folds_for

Y = np.repeat(["a", "b", "c"], [20, 4, 1])


def test_possible_folds_need_no_words():
    assert folds_for(4, Y) == (4, ())


def test_a_class_with_fewer_rows_than_folds_is_named():
    n_folds, (remark,) = folds_for(5, Y)
    assert n_folds == 5
    assert "Class “b” has fewer rows than the 5 folds" in remark


def test_several_classes_are_counted():
    assert "2 classes have fewer rows" in folds_for(9, np.repeat([*"abc"], [9, 4, 3]))[1][0]


def test_more_folds_than_rows_of_any_class_are_reduced():
    n_folds, (remark,) = folds_for(1000, Y)
    assert n_folds == 20
    assert remark == "The largest class has 20 rows, so there were 20 folds and not 1000."


@pytest.mark.parametrize("wanted", [1, 0, -3])
def test_fewer_than_two_are_refused(wanted):
    with pytest.raises(ValueError, match=f"--folds {wanted} is not allowed"):
        folds_for(wanted, Y)
