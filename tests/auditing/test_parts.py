from itertools import permutations

import numpy as np
import pytest

from kpboost.auditing._parts import AROUND, N_NEIGHBORS, own_order, parts_of, places_of, readings
from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import NOBODY, DisjunctFinder


@pytest.mark.parametrize("seed", range(3))
def test_parts_are_those_of_the_finder_with_strong_links(seed):
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], overlap=0.4, random_state=seed)
    ours = parts_of(places_of(X), y)
    theirs = DisjunctFinder(10, connection="strong").fit(X, y)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_array_equal(ours.sizes, theirs.disjunct_sizes_)


def test_a_tiny_class_does_not_cut_the_others_up():
    X, y, _truth = make_disjuncts([[80, 30], [40], [2]], random_state=0)
    ours = parts_of(places_of(X), y)
    capped = DisjunctFinder(10, connection="strong").fit(X, y)
    assert ours.sizes.size < capped.n_disjuncts_


def test_the_readings_are_compared():
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], random_state=0)
    parts = parts_of(places_of(X), y)
    (own, algorithm, prose), curve = readings(X, y, parts)
    paper = DisjunctFinder().fit(X, y)
    assert (own.n_disjuncts, own.agreement) == (parts.sizes.size, 1.0)
    assert (algorithm.n_disjuncts, algorithm.n_neighbors) == (
        paper.n_disjuncts_,
        paper.n_neighbors_,
    )
    assert prose.name == "prose"
    assert -1 <= algorithm.agreement <= 1
    assert curve.n_disjuncts == tuple(paper.n_disjuncts_path_.tolist())


def test_fewer_points_than_neighbours():
    parts = parts_of(places_of(np.arange(4.0).reshape(-1, 1)), np.array([0, 0, 1, 1]))
    assert parts.sizes.tolist() == [2, 2]


def crowded(seed, n_rows=120, side=5):
    """Points on a small grid, many of them several times."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, side, size=(n_rows, 2)).astype(float), rng.integers(0, 2, n_rows)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("side", [3, 6, 40])
def test_neighbours_are_whole_places_until_they_hold_enough_rows(seed, side):
    points, _ = crowded(seed, side=side)
    places = places_of(points)
    where = points[np.unique(places.numbers, return_index=True)[1]]
    for table, enough in ((places.neighbours, N_NEIGHBORS), (places.around, AROUND)):
        for own, row in enumerate(table):
            near = row[row != NOBODY]
            gaps = ((where - where[own]) ** 2).sum(axis=1)
            assert (np.diff(gaps[near]) >= 0).all()
            beyond = np.setdiff1d(np.arange(len(where)), [own, *near])
            assert not near.size or not beyond.size or gaps[beyond].min() >= gaps[near].max()
            held = places.weights[own] - 1 + places.weights[near].sum()
            assert held >= enough or near.size == len(where) - 1
            assert not near.size or held - places.weights[near[-1]] < enough


def test_rows_that_agree_and_share_a_class_share_a_part():
    points, y = crowded(0)
    labels = parts_of(places_of(points), y).labels
    for place in np.unique(points, axis=0):
        here = (points == place).all(axis=1)
        for code in (0, 1):
            assert np.unique(labels[here & (y == code)]).size <= 1


def test_a_crowded_place_is_a_part_of_its_own():
    points = np.repeat([[0.0], [1.0], [5.0]], [20, 20, 3], axis=0)
    parts = parts_of(places_of(points), np.zeros(43, dtype=int))
    assert sorted(parts.sizes.tolist()) == [3, 20, 20]


def test_all_rows_in_one_place():
    parts = parts_of(places_of(np.zeros((6, 2))), np.array([0, 0, 1, 1, 1, 0]))
    assert parts.sizes.tolist() == [3, 3]


def test_the_order_is_a_matter_of_the_rows_alone():
    values = np.array([[1.0, np.nan], [1.0, 2.0], [0.0, -0.0], [1.0, 2.0], [-0.0, 0.0]])
    codes, marks = np.array([0, 1, 0, 0, 1]), np.array([5, 5, 5, 5, 5], dtype=np.uint64)
    first = own_order(values, codes, marks, 3)
    for given in map(np.array, permutations(range(5))):
        again = own_order(values[given], codes[given], marks[given], 3)
        np.testing.assert_array_equal(values[given][again], values[first])
        np.testing.assert_array_equal(codes[given][again], codes[first])


def test_rows_that_agree_are_not_sorted_by_class():
    codes = np.repeat([0, 1], 50)
    order = own_order(np.zeros((100, 1)), codes, np.zeros(100, dtype=np.uint64), 0)
    assert 15 <= codes[order][:50].sum() <= 35
