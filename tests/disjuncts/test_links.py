"""Links by both readings, next to plain sorting."""

import numpy as np
import pytest

from kpboost.disjuncts._finder import find_links

# Two classes that take turns along a line.
X = np.arange(8.0)[:, None]
CODES = np.array([0, 0, 1, 0, 1, 1, 0, 0])


def test_among_all_other_classes_take_places():
    links = find_links(X, CODES, 2, "all", None)
    assert links.tolist() == [
        [1, -1],
        [0, -1],
        [-1, -1],
        [-1, -1],
        [-1, 5],
        [4, -1],
        [-1, 7],
        [6, -1],
    ]


def test_within_the_class_every_place_is_a_link():
    links = find_links(X, CODES, 2, "class", None)
    assert links.tolist() == [[1, 3], [0, 3], [4, 5], [1, 0], [5, 2], [4, 2], [7, 3], [6, 3]]


def test_among_all_the_smallest_class_is_the_cap():
    assert find_links(X, CODES, 7, "all", None).shape == (8, 3)


def test_within_the_class_each_class_has_its_own_cap():
    links = find_links(X, CODES, 7, "class", None)
    assert (links >= 0).sum(axis=1).tolist() == [4, 4, 2, 4, 2, 2, 4, 4]


@pytest.mark.parametrize("neighbors_from", ["all", "class"])
def test_links_stay_within_classes(neighbors_from):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=90)
    links = find_links(rng.normal(size=(90, 2)), codes, 9, neighbors_from, None)
    sources, columns = np.nonzero(links >= 0)
    assert sources.size
    np.testing.assert_array_equal(codes[links[sources, columns]], codes[sources])
