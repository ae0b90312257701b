import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kpboost.experiments._splits import outer_splits
from kpboost.methods import METHODS
from kpboost.methods._preparation import paper_split, prepare_split, standardised

X = np.array([[1.0, 0.0], [2.0, 1.0], [np.nan, 1.0], [4.0, np.nan], [50.0, 0.0]])


def test_numbers_get_their_mean_and_codes_the_most_frequent():
    found = standardised(X, np.array([False, True]))
    for column, strategy in ((0, "mean"), (1, "most_frequent")):
        pipe = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler())
        expected = pipe.fit_transform(X[:, column : column + 1])
        np.testing.assert_allclose(found[:, column], expected[:, 0])


@pytest.mark.parametrize("name", ["svm", "c45_ib1"])
def test_rows_outside_the_training_part_do_not_matter_to_user_data(name):
    rows, changed = np.arange(5), X.copy()
    changed[4] = -1000.0
    rest = np.array([False, True]), np.arange(5) % 2, rows[:4], rows[4:]
    before, after = (prepare_split(METHODS[name], each, *rest).train[0] for each in (X, changed))
    np.testing.assert_array_equal(before, after)
    paper = [paper_split(each, *rest).train[0] for each in (X, changed)]
    assert not np.array_equal(*paper)


def test_user_data_have_indicators_or_codes():
    rows, nominal = np.arange(5), np.array([True, False])
    data = X[:, ::-1], nominal, np.arange(5) % 2, rows[:4], rows[4:]
    split = prepare_split(METHODS["svm"], *data)
    np.testing.assert_array_equal(
        split.X[:, 1:], [[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 1, 0]]
    )
    assert not split.nominal.any()
    split = prepare_split(METHODS["c45_ib1"], *data)
    np.testing.assert_array_equal(split.X[:, 1], [0, 1, 1, -1, 0])
    assert split.nominal.tolist() == [False, True]


def test_columns_without_a_value_or_a_difference_become_zero():
    empty = np.column_stack([np.full(3, np.nan), np.full(3, 7.0)])
    np.testing.assert_array_equal(standardised(empty, np.zeros(2, dtype=bool)), 0.0)


def test_units_change_no_digit():
    random = np.random.RandomState(0)
    points, nominal = random.normal(3.0, 2.0, size=(50, 3)), np.zeros(3, dtype=bool)
    expected = StandardScaler().fit_transform(points)
    np.testing.assert_array_equal(standardised(points, nominal), expected)
    # powers of two, so that only the exponents change
    units = np.array([2.0**1000, 2.0**-1000, 1.0])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(standardised(points * units, nominal), expected)
    points[0] = np.nan
    expected = standardised(points, nominal)
    np.testing.assert_array_equal(standardised(points * units, nominal), expected)


@pytest.mark.parametrize("sizes", [(90, 30), (60, 4)])
def test_copies_are_never_parted(sizes):
    codes = np.repeat([0, 1], sizes)
    rows = np.append(np.arange(codes.size), np.repeat(np.arange(0, codes.size, 3), 4))
    how = {"protocol": "nested", "n_folds": None, "seed": 0, "name": "copies"}
    splits = outer_splits(codes[rows], records=rows, **how)
    assert len(splits) == 5
    for train, test in splits:
        assert not {*rows[train]} & {*rows[test]}
        assert train.size + test.size == rows.size
        assert np.bincount(codes[rows][test], minlength=2).min() > 0
    alone = outer_splits(codes, records=np.arange(codes.size), **how)
    for own, expected in zip(alone, outer_splits(codes, **how), strict=True):
        np.testing.assert_array_equal(own[1], expected[1])
