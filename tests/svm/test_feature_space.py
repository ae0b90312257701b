import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.svm._perturbation import (
    mean_of_near,
    middle_of,
    positive_widths,
    squared_feature_distances,
)


def test_distances_are_those_of_features():
    """A kernel with known features: K_0(x, z) = <u(x), u(z)> of unit vectors, scaled by s."""
    draw = np.random.default_rng(0)
    unit = draw.normal(size=(7, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    scale = draw.uniform(0.1, 2.0, 7)
    features = scale[:, None] * unit
    expected = ((features[:, None] - features) ** 2).sum(axis=2)
    assert_allclose(squared_feature_distances(unit @ unit.T, scale), expected, atol=1e-12)


def test_rounding_never_makes_a_distance_negative():
    kernel = np.array([[1.0, 1.0 + 1e-16], [1.0 + 1e-16, 1.0]])
    assert squared_feature_distances(kernel, np.array([3.0, 3.0])).min() >= 0.0


def test_near_is_below_the_middle_of_the_candidates():
    squared = np.array([[9.0, 1.0, 2.0, 4.0, 11.0]])
    candidates = np.array([[False, True, True, True, True]])
    assert_array_equal(middle_of(squared, candidates), [6.0])
    assert_allclose(mean_of_near(squared, candidates, np.array([6.0])), [7.0 / 3.0])


@pytest.mark.parametrize("row", [[3.0], [3.0, 3.0]])
def test_without_any_below_the_middle_the_nearest_counts(row):
    squared = np.array([row])
    everyone = np.ones(squared.shape, dtype=bool)
    assert_array_equal(mean_of_near(squared, everyone, middle_of(squared, everyone)), [3.0])


def test_widths_of_zero_become_the_smallest_other():
    assert_array_equal(positive_widths(np.array([0.0, 2.0, 5.0])), [2.0, 2.0, 5.0])
    assert positive_widths(np.zeros(3)) is None
