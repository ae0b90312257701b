import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.svm._boundary_alignment_svc import (
    BETAS,
    BoundaryAlignment,
    best_beta,
    squared_boundary_distances,
)
from kpboost.svm._perturbation import BaseKernel, Problem, Stage, SupportPlaces

KERNEL = BaseKernel("rbf", 0.5)


def made_up(X, target, decision=None, weight=None):
    n = len(X)
    decision = np.zeros(n) if decision is None else np.array(decision)
    weight = np.ones(n) if weight is None else np.array(weight)
    problem = Problem(np.asarray(X), np.array(target)[:, None], np.ones(n), weight)
    stage = Stage(np.ones((1, n)), np.zeros(1), decision[:, None], np.zeros(n), 0.0, 1, True, None)
    return problem, stage


def test_distances_are_those_of_features():
    """Exact algebra, beside vectors that one can see."""
    draw = np.random.default_rng(0)
    vectors, points, beta = draw.normal(size=(6, 4)), draw.normal(size=(5, 4)), 0.7
    first, second = np.array([0, 1, 2]), np.array([3, 5, 4])
    boundary = (1 - beta) * vectors[first] + beta * vectors[second]
    ours = squared_boundary_distances(
        points @ vectors.T, (points**2).sum(1), first, second, beta, (boundary**2).sum(1)
    )
    assert_allclose(ours, ((points[:, None] - boundary) ** 2).sum(2))


def test_every_support_vector_meets_its_nearest_opposite_once():
    problem, stage = made_up([[0.0], [1.0], [1.5], [9.0]], [1.0, 1.0, -1.0, -1.0])
    nearest = BoundaryAlignment(KERNEL)(problem, stage)
    assert_array_equal(np.c_[nearest.first, nearest.second], [[0, 2], [1, 2], [1, 3]])
    everyone = BoundaryAlignment(KERNEL, pairs="all")(problem, stage)
    assert_array_equal(np.c_[everyone.first, everyone.second], [[0, 2], [0, 3], [1, 2], [1, 3]])


@pytest.mark.parametrize(("weight", "expected"), [((1, 1, 1, 1), 0.75), ((9, 1, 1, 1), 0.5)])
def test_the_share_of_the_negative_class(weight, expected):
    problem, stage = made_up([[0.0], [1.0], [2.0], [3.0]], [1.0, -1.0, -1.0, -1.0], weight=weight)
    assert BoundaryAlignment(KERNEL, beta="ratio")(problem, stage).beta == expected
    assert BoundaryAlignment(KERNEL, beta=0.6)(problem, stage).beta == 0.6


def loss(beta, up, down, imbalance):
    g_up, g_down = np.array(up) + 2 * beta - 1, np.array(down) + 2 * beta - 1
    return imbalance * np.log1p(np.exp(-g_up)).mean() + np.log1p(np.exp(g_down)).mean()


@pytest.mark.parametrize("imbalance", [0.5, 1.0, 2.0, 3.0, 20.0])
def test_beta_minimises_the_loss(imbalance):
    up, down = [1.0, 0.4, -0.8], [-1.0, -1.0, 0.5, 0.1]
    positive = np.arange(7) < 3
    places = SupportPlaces(np.zeros((7, 1)), positive, np.array(up + down), np.zeros(7))
    losses = [loss(beta, up, down, imbalance) for beta in BETAS]
    assert best_beta(places, imbalance) == BETAS[np.argmin(losses)]


def test_beta_moves_towards_the_majority_with_the_imbalance():
    positive = np.arange(2) < 1
    places = SupportPlaces(np.zeros((2, 1)), positive, np.array([1.0, -1.0]), np.zeros(2))
    betas = [best_beta(places, imbalance) for imbalance in (1.0, 2.0, 4.0)]
    assert betas[0] == 0.5
    assert betas == sorted(betas)
    assert betas[2] > betas[1] > 0.5
    assert best_beta(places, 100.0) == 1.0


def test_a_boundary_on_the_majority_has_a_width_all_the_same():
    """beta = 1: x_b is q itself, and where no other is near its own distance 0 is the mean."""
    problem, stage = made_up([[0.0], [9.0], [0.5]], [1.0, -1.0, -1.0])
    factor = BoundaryAlignment(KERNEL, beta=1.0)(problem, stage)
    assert np.all(factor.widths > 0)


def test_nothing_but_one_place_or_one_side_stops():
    rule = BoundaryAlignment(KERNEL)
    assert rule(*made_up([[0.0], [0.0]], [1.0, -1.0])) is None
    assert rule(*made_up([[0.0], [1.0]], [1.0, 1.0])) is None
