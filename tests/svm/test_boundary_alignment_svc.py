from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.svm import BoundaryAlignmentSVC
from kpboost.svm._boundary_alignment_svc import (
    BETAS,
    BoundaryAlignment,
    best_beta,
    boundary_widths,
    squared_boundary_distances,
)
from kpboost.svm._perturbation import BaseKernel, Problem, Stage, SupportSamples
from support.reference.perturbed_kernels import boundary_alignment
from support.transcribed import NAMES, assert_transcribed, halves

# The last machine, which the transcription ends with.
literal = partial(BoundaryAlignmentSVC, keep_best=False)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_transcription(load, name, C):
    model = literal(C)
    assert_transcribed(load, name, model, boundary_alignment(), n_iterations=10, theta=0.0)


@pytest.mark.parametrize("pairs", ["nearest", "all"])
@pytest.mark.parametrize("beta", ["log_loss", "ratio", 0.5, 0.8, 1.0])
def test_every_switch_equals_the_transcription(load, pairs, beta):
    model = literal(100.0, pairs=pairs, beta=beta, n_iterations=2)
    model.set_params(min_improvement=None)
    factor = boundary_alignment(pairs, beta)
    assert_transcribed(load, "thyroid1", model, factor, n_iterations=2)


@pytest.mark.parametrize("pairs", ["nearest", "all"])
@pytest.mark.parametrize("beta", ["log_loss", 0.5, 1.0])
def test_widths_by_other_boundary_points_equal_the_transcription(load, pairs, beta):
    model = literal(100.0, pairs=pairs, beta=beta, width_scope="boundary")
    model.set_params(n_iterations=2, min_improvement=None)
    factor = boundary_alignment(pairs, beta, "boundary")
    assert_transcribed(load, "thyroid1", model, factor, n_iterations=2)


def test_the_scopes_can_be_told_apart(load):
    model, factor = literal(100.0, width_scope="boundary"), boundary_alignment()
    with pytest.raises(AssertionError):
        assert_transcribed(load, "thyroid1", model, factor, n_iterations=10, theta=0.0)


def test_the_switches_can_be_told_apart(load):
    model, factor = literal(100.0, beta=0.5), boundary_alignment(beta=0.9)
    with pytest.raises(AssertionError):
        assert_transcribed(load, "thyroid1", model, factor, n_iterations=10, theta=0.0)


def test_two_points_by_hand():
    """The boundary point is half-way, and its width the squared distance of both: D = 1/e."""
    model = literal(beta=0.5, n_iterations=1, gamma=0.7).fit([[0.0], [1.0]], [0, 1])
    assert np.allclose(model.log_scale_, -1.0)
    # At x = 1/2, |Phi(x) - Phi(x_b)|^2 = 1 - 2 K(x,p) + (1 + K(p,q)) / 2.
    (step,) = model._machines.chains[0].steps
    near, apart = np.exp(-0.7 / 4), np.exp(-0.7)
    expected = -(1.0 - 2.0 * near + (1.0 + apart) / 2.0) / ((1.0 - apart) / 2.0)
    log_factor = step(np.array([[0.5]]), np.zeros((1, 1)), np.zeros(1))
    assert np.allclose(log_factor, expected)
    assert log_factor > -1.0  # magnified more than at the points themselves


def test_all_pairs_of_many_support_vectors_in_bounded_memory(load, monkeypatch):
    X, y, new = halves(load, "pima")
    model = literal(pairs="all", n_iterations=1).fit(X, y)
    whole = model.decision_function(new)
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 2**16)
    blocks = literal(pairs="all", n_iterations=1).fit(X, y).decision_function(new)
    assert np.allclose(whole, blocks, atol=1e-9)


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
    places = SupportSamples(np.zeros((7, 1)), positive, np.array(up + down), np.zeros(7))
    losses = [loss(beta, up, down, imbalance) for beta in BETAS]
    assert best_beta(places, imbalance) == BETAS[np.argmin(losses)]


def test_beta_moves_towards_the_majority_with_the_imbalance():
    positive = np.arange(2) < 1
    places = SupportSamples(np.zeros((2, 1)), positive, np.array([1.0, -1.0]), np.zeros(2))
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


def test_a_step_that_did_not_lower_the_training_error_is_not_kept(load):
    X, y, _ = halves(load, "thyroid1")
    last, best = literal(100.0).fit(X, y), BoundaryAlignmentSVC(100.0).fit(X, y)
    errors = last.training_errors_[0]
    assert not errors[-1] < errors[-2]  # that ended the iterations
    assert best.n_perturbations_[0] == errors.argmin() < last.n_perturbations_[0]
    assert np.mean(best.predict(X) != y) == errors.min()
