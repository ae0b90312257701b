import numpy as np
import pytest
from numpy.testing import assert_allclose

from kpboost.svm._boundary_alignment_svc import boundary_widths

# Vectors one can see: a linear kernel, whose feature space is the plane.
VECTORS = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [4.0, 3.0], [9.0, 2.0]])
FIRST, SECOND, BETA = np.array([0, 0, 1, 1]), np.array([2, 3, 3, 4]), 0.75


def widths(scope, first=FIRST, second=SECOND, beta=BETA, vectors=VECTORS):
    boundary = (1 - beta) * vectors[first] + beta * vectors[second]
    norms = (boundary**2).sum(axis=1)
    return boundary_widths(vectors @ vectors.T, first, second, beta, norms, scope), boundary


def by_hand(boundary, points):
    """Mean of the squared distances below the middle of the smallest and the largest."""
    found = []
    for k, here in enumerate(boundary):
        others = np.delete(points, k, axis=0) if points is boundary else points
        apart = ((others - here) ** 2).sum(axis=1)
        near = apart[apart < (apart.min() + apart.max()) / 2]
        found.append(near.mean() if near.size else apart.min())
    return found


def test_by_support_vectors():
    ours, boundary = widths("support_vectors")
    assert_allclose(ours, by_hand(boundary, VECTORS))


def test_by_the_other_boundary_points():
    ours, boundary = widths("boundary")
    assert_allclose(ours, by_hand(boundary, boundary))


def test_a_single_boundary_point_is_measured_by_support_vectors():
    one = {"first": FIRST[:1], "second": SECOND[:1]}
    assert_allclose(widths("boundary", **one)[0], widths("support_vectors", **one)[0])


def test_a_boundary_on_the_majority_keeps_its_gaps():
    """beta = 1: x_b is q, at a distance of 0 from itself, and alone is near; its like are not."""
    corners = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 20.0]])
    pairs = {"first": np.array([0, 0]), "second": np.array([1, 2])}
    assert_allclose(widths("support_vectors", **pairs, beta=1.0, vectors=corners)[0], [50.0, 0.0])
    assert_allclose(widths("boundary", **pairs, beta=1.0, vectors=corners)[0], 500.0)


@pytest.mark.parametrize("scope", ["support_vectors", "boundary"])
def test_blocks_change_nothing(scope, monkeypatch):
    whole = widths(scope)[0]
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 8)
    assert_allclose(widths(scope)[0], whole)
