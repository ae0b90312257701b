import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kpboost.experiments._splits import standardised

X = np.array([[1.0, 0.0], [2.0, 1.0], [np.nan, 1.0], [4.0, np.nan], [50.0, 0.0]])


def test_numbers_get_their_mean_and_codes_the_most_frequent():
    train = np.arange(4)
    found = standardised(X, np.array([False, True]), train)
    for column, strategy in ((0, "mean"), (1, "most_frequent")):
        pipe = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler())
        expected = pipe.fit(X[train, column : column + 1]).transform(X[:, column : column + 1])
        np.testing.assert_allclose(found[:, column], expected[:, 0])


def test_rows_outside_the_training_part_do_not_matter():
    train, changed = np.arange(4), X.copy()
    changed[4] = -1000.0
    nominal = np.array([False, False])
    before, after = (standardised(each, nominal, train)[:4] for each in (X, changed))
    np.testing.assert_array_equal(before, after)
    assert not np.array_equal(standardised(X, nominal)[:4], standardised(changed, nominal)[:4])


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
