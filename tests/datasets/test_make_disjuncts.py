"""Planted disjuncts are what was asked for, and as far apart as was asked for."""

import numpy as np
import pytest

from kpboost.datasets import make_disjuncts

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
