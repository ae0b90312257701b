"""Planted disjuncts are what was asked for, and as far apart as was asked for."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_breast_cancer, load_digits

from kpboost.datasets import disjunct_sizes, embedded, load, make_disjuncts

SIZES = [[50, 20, 5], [30, 4]]


def test_sizes_and_numbers():
    X, y, disjuncts = make_disjuncts(SIZES, n_features=3, random_state=0)
    assert X.shape == (109, 3)
    assert np.bincount(y).tolist() == [75, 34]
    assert np.bincount(disjuncts).tolist() == [50, 20, 5, 30, 4]
    np.testing.assert_array_equal(y, np.array([0, 0, 0, 1, 1])[disjuncts])


@pytest.mark.parametrize("n_features", [1, 2, 20])
@pytest.mark.parametrize("overlap", [0.0, 0.5, 1.0])
def test_distances_and_spread(n_features, overlap):
    sizes = [[2000, 2000], [2000, 2000]]
    X, _, disjuncts = make_disjuncts(sizes, n_features=n_features, overlap=overlap, random_state=1)
    clouds = [X[disjuncts == number] for number in range(4)]
    centres = np.array([cloud.mean(axis=0) for cloud in clouds])
    distances = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(4, 1)]
    assert distances.min() > 8 * (1 - overlap) - 0.4
    assert overlap < 1 or distances.max() < 0.4
    for cloud in clouds:
        np.testing.assert_allclose(cloud.std(axis=0), 1, atol=0.1)


def test_seed_and_order():
    first = make_disjuncts(SIZES, random_state=3)
    for one, other in zip(first, make_disjuncts(SIZES, random_state=3), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (make_disjuncts(SIZES, random_state=4)[0] != first[0]).any()
    assert (np.diff(first[2]) < 0).any()
    in_order = make_disjuncts(SIZES, shuffle=False, random_state=3)
    assert (np.diff(in_order[2]) >= 0).all()
    np.testing.assert_array_equal(np.sort(in_order[0], axis=0), np.sort(first[0], axis=0))


def test_noise():
    sizes = [[40, 10], [30], [20]]
    X, y, disjuncts = make_disjuncts(sizes, label_noise=0.2, shuffle=False, random_state=0)
    clean_X, clean_y, clean = make_disjuncts(sizes, shuffle=False, random_state=0)
    np.testing.assert_array_equal(X, clean_X)
    noisy = disjuncts == -1
    assert noisy.sum() == 20
    assert (y[noisy] != clean_y[noisy]).all()
    assert set(y) == {0, 1, 2}
    np.testing.assert_array_equal(y[~noisy], clean_y[~noisy])
    np.testing.assert_array_equal(disjuncts[~noisy], clean[~noisy])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": []}, r"sizes=\[\] "),
        ({"sizes": [[3], []]}, r"positive whole numbers"),
        ({"sizes": [[3], [0]]}, r"positive whole numbers"),
        ({"sizes": [[2.5]]}, r"positive whole numbers"),
        ({"sizes": [3, 4]}, r"positive whole numbers"),
        ({"n_features": 0}, "n_features=0 .* at least 1"),
        ({"overlap": 1.5}, "overlap=1.5 .* between 0 and 1"),
        ({"overlap": "much"}, "overlap='much'"),
        ({"label_noise": 1.0}, "label_noise=1.0 .* below 1"),
        ({"sizes": [[9]], "label_noise": 0.1}, "needs a second class"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_disjuncts(**arguments)


# Sizes add up and follow the ratios.


def test_by_hand():
    assert disjunct_sizes(90, n_disjuncts=2, imbalance_ratio=2, size_ratio=2) == [
        [40, 20],
        [20, 10],
    ]


@given(
    st.integers(1, 4), st.integers(1, 5), st.integers(0, 500), st.floats(1, 1e4), st.floats(1, 1e4)
)
def test_all_points_are_used_and_no_disjunct_is_empty(classes, disjuncts, more, ratio, size_ratio):
    total = classes * disjuncts + more
    sizes = disjunct_sizes(
        total,
        n_classes=classes,
        n_disjuncts=disjuncts,
        imbalance_ratio=ratio,
        size_ratio=size_ratio,
    )
    assert [len(row) for row in sizes] == [disjuncts] * classes
    assert sum(map(sum, sizes)) == total
    assert all(row == sorted(row, reverse=True) and row[-1] >= 1 for row in sizes)


def test_ratios_of_many_points():
    sizes = disjunct_sizes(100_000, n_classes=3, n_disjuncts=4, imbalance_ratio=9, size_ratio=20)
    totals = [sum(row) for row in sizes]
    assert totals[0] / totals[-1] == pytest.approx(9, rel=0.01)
    assert totals[0] / totals[1] == pytest.approx(3, rel=0.01)
    assert all(row[0] / row[-1] == pytest.approx(20, rel=0.01) for row in sizes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 5}, "n_samples=5 .* at least 6"),
        ({"n_samples": 10.0}, "n_samples=10.0"),
        ({"n_samples": 9, "n_classes": 0}, "n_classes=0"),
        ({"n_samples": 9, "n_disjuncts": True}, "n_disjuncts=True"),
        ({"n_samples": 9, "imbalance_ratio": 0.5}, "imbalance_ratio=0.5 .* at least 1"),
        ({"n_samples": 9, "size_ratio": float("inf")}, "size_ratio=inf"),
    ],
)
def test_bad_arguments_of_disjunct_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        disjunct_sizes(**arguments)


def test_there_are_six():
    assert len(embedded()) == len(set(embedded())) == 6


@pytest.mark.parametrize("name", embedded())
def test_small_complete_and_imbalanced(name):
    data = load(name)
    assert data.name == name
    assert 200 <= data.n_samples <= 1500
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


def test_fourteen_frauds_are_tiny_payments_from_new_accounts():
    data = load("payments")
    amount, _, days, hour, items = data.X.T
    assert data.target_name == "kind"
    assert dict(zip(*np.unique(data.y, return_counts=True), strict=True)) == {
        "fraud": 80,
        "usual": 1200,
    }
    assert ((data.y == "fraud") & (days < 30) & (amount < 10)).sum() == 14
    assert ((data.y == "usual") & (days < 30) & (amount < 10)).sum() == 0
    assert np.array_equal(data.X.round(2), data.X)
    assert np.array_equal(days.round(), days)
    assert (hour.min(), hour.max(), items.min()) == (0, 23, 1)


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
