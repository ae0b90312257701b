import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from kpboost.datasets import embedded, load


def test_there_are_five():
    assert len(embedded()) == len(set(embedded())) == 5


@pytest.mark.parametrize("name", embedded())
def test_small_complete_and_imbalanced(name):
    data = load(name)
    assert data.name == name
    assert 200 <= data.n_samples <= 1000
    assert data.X.shape == (len(data.y), len(data.feature_names))
    assert data.X.dtype == np.float64
    assert not data.has_missing
    assert not data.nominal.any()
    assert data.imbalance_ratio > 4
    assert min(np.unique(data.y, return_counts=True)[1]) >= 10  # ten folds see every class
    assert data.source


@pytest.mark.parametrize("name", embedded())
def test_the_same_points_every_time(name):
    assert np.array_equal(load(name).X, load(name).X)
    assert np.array_equal(load(name).y, load(name).y)


def test_two_and_more_classes_occur():
    assert {len(load(name).classes) for name in embedded()} == {2, 3, 4}


def test_points_are_scikit_learns():
    for name, (X, _) in {
        "rare-malignant": load_breast_cancer(return_X_y=True),
        "four-digits": load_digits(return_X_y=True),
    }.items():
        known = {row.tobytes() for row in X.astype(np.float64)}
        assert {row.tobytes() for row in load(name).X} <= known


def test_rare_digits_are_what_they_say():
    X, digits = load_digits(return_X_y=True)
    digit_of = {row.tobytes(): digit for row, digit in zip(X, digits, strict=True)}
    data = load("rare-digits")
    rare = [digit_of[row.tobytes()] for row in data.X[data.y == "rare"]]
    assert {digit: rare.count(digit) for digit in rare} == {8: 40, 3: 15, 5: 6}
