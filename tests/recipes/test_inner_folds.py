import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kpboost.model_selection import InnerFolds, RareClassKFold, inner_splits


def test_without_single_rows_it_is_the_rare_class_fold():
    y = np.repeat([0, 1, 2], [20, 5, 2])
    ours = InnerFolds(3, random_state=1).split(y, y)
    for (train, test), (train_there, test_there) in zip(
        ours, RareClassKFold(3, random_state=1).split(y, y), strict=True
    ):
        np.testing.assert_array_equal(train, train_there)
        np.testing.assert_array_equal(test, test_there)


@pytest.mark.parametrize("sizes", [(20, 5, 1), (4, 2, 1, 1), (6, 1)])
def test_a_single_row_is_always_learnt_from(sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    singles = np.flatnonzero(np.repeat(sizes, sizes) == 1)
    splits = list(InnerFolds(3, random_state=0).split(y, y))
    assert len(splits) == 3
    for train, test in splits:
        assert set(singles) <= set(train)
        assert not set(train) & set(test)
        assert set(y[train]) == set(y)
        assert test.size


def test_where_all_rows_are_single_they_are_all_that_there_is():
    y = np.array(["a", "b", "c"])
    for train, test in InnerFolds(2).split(y, y):
        assert train.tolist() == test.tolist() == [0, 1, 2]


def test_a_search_takes_it():
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1, 2], [7, 4, 1])
    search = GridSearchCV(SVC(), {"C": [1, 10]}, cv=InnerFolds(3), error_score="raise").fit(X, y)
    assert search.n_splits_ == 3
    assert search.classes_.tolist() == [0, 1, 2]


def test_the_splits_of_a_part_are_those_of_its_rows():
    y = np.repeat([0, 1, 2], [20, 6, 1])
    part = np.delete(np.arange(y.size), [0, 3, 21])
    ours = inner_splits(y, part, 5)
    for (train, test), (there, tested) in zip(
        ours, InnerFolds(random_state=5).split(part, y[part]), strict=True
    ):
        np.testing.assert_array_equal(train, part[there])
        np.testing.assert_array_equal(test, part[tested])
