"""Values summed class by class are those of every problem's own machine."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble import _voting as module
from kpboost.ensemble._voting import Inheritance, RoundPredictor, nearest_in_training
from kpboost.problems._multiclass import slot_table, spread

RNG = np.random.default_rng(0)
N_SUPPORT = np.array([5, 0, 40, 3])  # a class without support vectors among them
VECTORS = RNG.normal(size=(48, 3))
SUPPORT_CODES = np.repeat(np.arange(4), N_SUPPORT)
SUPPORT = RNG.permutation(60)[:48]
POINTS = RNG.normal(size=(17, 3))
GAMMA, N_ROUNDS = 0.4, 3


@pytest.fixture(params=["one_vs_one", "one_vs_rest"])
def table(request):
    return slot_table(4, request.param)


def rounds_of(table, kernel="rbf", vectors=VECTORS, inheritance=None):
    rng = np.random.default_rng(1)
    dual_coef, log_scale = rng.normal(size=(2, table.max() + 1, N_ROUNDS, 48))
    return dual_coef * np.exp(log_scale), RoundPredictor(
        kernel=kernel,
        gamma=GAMMA if kernel == "rbf" else None,
        support=SUPPORT,
        vectors=None if kernel == "precomputed" else vectors,
        n_support=N_SUPPORT,
        dual_coef=dual_coef,
        log_scale=log_scale,
        intercept=rng.normal(size=(len(table), N_ROUNDS)),
        weights=np.tile([0.5, 0.0, 2.0], (len(table), 1)),
        signs=np.where(np.arange(len(table)) % 2, 1.0, -1.0),
        table=table,
        multi_class="one_vs_one" if len(table) > 4 else "one_vs_rest",
        inheritance=inheritance,
    )


def by_problem(kernel, coef, intercept, table):
    """Follow the definition: all support vectors times the coefficients of every problem."""
    full = spread(coef, table, SUPPORT_CODES)
    return np.einsum("ns,pts->npt", kernel, full) + intercept


def test_rbf_values(table):
    coef, rounds = rounds_of(table)
    expected = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, rounds.intercept, table)
    assert_allclose(rounds.values(POINTS), expected, atol=1e-12)
    assert_allclose(rounds.values(sparse.csr_array(POINTS)), expected, atol=1e-12)
    _, thin = rounds_of(table, vectors=sparse.csr_array(VECTORS))
    assert_allclose(thin.values(POINTS), expected, atol=1e-12)


def test_values_of_a_function_kernel(table):
    coef, rounds = rounds_of(table, kernel=lambda a, b: a @ b.T)
    expected = by_problem(POINTS @ VECTORS.T, coef, rounds.intercept, table)
    assert_allclose(rounds.values(POINTS), expected, atol=1e-12)


def test_values_of_a_given_kernel(table):
    coef, rounds = rounds_of(table, kernel="precomputed")
    rows = np.random.default_rng(2).normal(size=(9, 60))
    expected = by_problem(rows[:, SUPPORT], coef, rounds.intercept, table)
    assert_allclose(rounds.values(rows), expected, atol=1e-12)


def test_blocks_cover_the_rows(table, monkeypatch):
    monkeypatch.setattr(module, "LEAST_ROWS", 4)
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    _, rounds = rounds_of(table)
    blocks = list(rounds.blocks(POINTS))
    assert [rows.stop - rows.start for rows, _ in blocks] == [4, 4, 4, 4, 1]
    together = np.concatenate([values for _, values in blocks])
    assert np.array_equal(together, rounds.values(POINTS))


def test_points_inherit_from_the_nearest_of_the_problem(table):
    rng = np.random.default_rng(3)
    codes = rng.permutation(np.arange(30) % 4)
    training = rng.normal(size=(30, 3))
    perturbation = rng.random((table.max() + 1, N_ROUNDS + 2, 30))  # rounds that are not asked for
    slots = table[:, codes]
    nearest = nearest_in_training("rbf", training, np.arange(30), slots)
    inheritance = Inheritance(perturbation, slots, nearest)
    coef, rounds = rounds_of(table, inheritance=inheritance)
    sums = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, 0 * rounds.intercept, table)
    k = spread(perturbation, table, codes)
    found = rounds.values(POINTS)
    for p in range(len(table)):
        own = np.flatnonzero(table[p, codes] >= 0)
        for i, point in enumerate(POINTS):
            nearest = own[np.argmin(((training[own] - point) ** 2).sum(axis=1))]
            log_scale, value = 0.0, 0.0
            for t in range(N_ROUNDS):
                log_scale -= k[p, t, nearest] * value**2
                value = np.exp(log_scale) * sums[i, p, t] + rounds.intercept[p, t]
                assert_allclose(found[i, p, t], value, atol=1e-10)


def test_the_vote_needs_no_more_rounds_than_have_weight(table):
    _, rounds = rounds_of(table)
    voting = rounds.voting()
    assert_allclose(voting.values(POINTS), rounds.values(POINTS)[:, :, [0, 2]], atol=1e-12)
    (all_rounds,) = rounds.staged_scores(POINTS, [rounds.weights])
    assert_allclose(rounds.scores(POINTS), all_rounds, atol=1e-12)


def test_stages_are_votes_of_the_first_rounds(table):
    _, rounds = rounds_of(table)
    stages = [np.ones((len(table), t)) for t in (1, 2, 3)]
    for stage, weights in zip(rounds.staged_scores(POINTS, stages), stages, strict=True):
        padded = np.pad(weights, ((0, 0), (0, N_ROUNDS - weights.shape[1])))
        assert_allclose(stage, replace(rounds, weights=padded).scores(POINTS), atol=1e-12)


def test_coefficients_by_problem_are_those_of_the_values(table):
    coef, rounds = rounds_of(table)
    assert_allclose(rounds.coef_by_problem(), spread(coef, table, SUPPORT_CODES))
