"""Adding runs is numpy's own indexed addition."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.kernels import add_runs


@pytest.mark.parametrize(("n", "m", "k", "t"), [(1, 1, 1, 1), (7, 3, 5, 10), (4, 9, 45, 3)])
def test_runs_are_added_like_numpy_does(n, m, k, t):
    rng = np.random.default_rng(0)
    part, out = rng.normal(size=(n, m, t)), rng.normal(size=(n, k, t))
    places = rng.permutation(k)[:m]
    expected = out.copy()
    expected[:, places] += part
    add_runs(part, places, out)
    assert_array_equal(out, expected)


def test_nothing_is_added_from_nothing():
    out = np.ones((2, 3, 4))
    add_runs(np.empty((2, 0, 4)), np.empty(0, dtype=np.intp), out)
    assert_array_equal(out, 1.0)


@pytest.mark.parametrize("places", [[0, 3], [-1, 0]])
def test_places_outside_are_refused(places):
    with pytest.raises(ValueError, match="between 0 and 2"):
        add_runs(np.ones((2, 2, 4)), np.array(places), np.ones((2, 3, 4)))


def test_shapes_that_do_not_fit_are_refused():
    part, places = np.ones((2, 2, 4)), np.array([0, 1])
    for out in (np.ones((3, 3, 4)), np.ones((2, 3, 5))):
        with pytest.raises(ValueError, match="shapes"):
            add_runs(part, places, out)
    with pytest.raises(ValueError, match="shapes"):
        add_runs(part, places[:1], np.ones((2, 3, 4)))
    with pytest.raises(TypeError):  # a copy would be added to, and lost
        add_runs(part, places, np.ones((2, 6, 4))[:, ::2])
