import numpy as np
import pytest

from kpboost.model_selection import RareClassKFold, inner_splits


def test_without_single_rows_it_is_the_rare_class_fold():
    codes = np.repeat([0, 1, 2], [20, 5, 2])
    train = np.arange(27)[::-1][:26]
    ours = inner_splits(codes, train, 1)
    theirs = RareClassKFold(3, random_state=1).split(train, codes[train])
    for (inner, held), (inner_there, held_there) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(inner, train[inner_there])
        np.testing.assert_array_equal(held, train[held_there])


@pytest.mark.parametrize("sizes", [(20, 5, 1), (4, 2, 1, 1), (6, 1)])
def test_a_single_row_is_always_learnt_from(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    singles = np.flatnonzero(np.repeat(sizes, sizes) == 1)
    splits = inner_splits(codes, np.arange(codes.size), 0)
    assert len(splits) == 3
    for train, test in splits:
        assert set(singles) <= set(train)
        assert not set(train) & set(test)
        assert set(codes[train]) == set(codes)
        assert test.size


def test_where_all_rows_are_single_they_are_all_that_there_is():
    for train, test in inner_splits(np.arange(3), np.arange(3), 0):
        assert train.tolist() == test.tolist() == [0, 1, 2]
