import numpy as np
import pytest

from kpboost.auditing._data import neighbours_of, parts_of, readings
from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import DisjunctFinder


@pytest.mark.parametrize("seed", range(3))
def test_parts_are_those_of_the_finder_with_strong_links(seed):
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], overlap=0.4, random_state=seed)
    ours = parts_of(neighbours_of(X), y)
    theirs = DisjunctFinder(10, connection="strong").fit(X, y)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_array_equal(ours.sizes, theirs.disjunct_sizes_)


def test_a_tiny_class_does_not_cut_the_others_up():
    X, y, _truth = make_disjuncts([[80, 30], [40], [2]], random_state=0)
    ours = parts_of(neighbours_of(X), y)
    capped = DisjunctFinder(10, connection="strong").fit(X, y)
    assert ours.sizes.size < capped.n_disjuncts_


def test_the_readings_are_compared():
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], random_state=0)
    parts = parts_of(neighbours_of(X), y)
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
    parts = parts_of(neighbours_of(np.arange(4.0).reshape(-1, 1)), np.array([0, 0, 1, 1]))
    assert parts.sizes.tolist() == [2, 2]
