"""Values summed class by class are those of every problem's own machine."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble import _voting as module
from kpboost.ensemble._voting import (
    Inheritance,
    RoundMachines,
    class_machines,
    round_values,
    values_by_blocks,
)
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


def machines_of(table, kernel="rbf", vectors=VECTORS, inheritance=None):
    rng = np.random.default_rng(1)
    coef = rng.normal(size=(table.max() + 1, N_ROUNDS, 48))
    given = None if kernel == "precomputed" else vectors
    return coef, RoundMachines(
        kernel=kernel,
        gamma=GAMMA if kernel == "rbf" else None,
        classes=class_machines(coef, N_SUPPORT, SUPPORT, given, table),
        intercept=rng.normal(size=(len(table), N_ROUNDS)),
        inheritance=inheritance,
    )


def by_problem(kernel, coef, intercept, table):
    """Follow the definition: all support vectors times the coefficients of every problem."""
    full = spread(coef, table, SUPPORT_CODES)
    return np.einsum("ns,pts->npt", kernel, full) + intercept


def test_rbf_values(table):
    coef, machines = machines_of(table)
    expected = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, machines.intercept, table)
    assert_allclose(round_values(machines, POINTS), expected, atol=1e-12)
    assert_allclose(round_values(machines, sparse.csr_array(POINTS)), expected, atol=1e-12)
    _, thin = machines_of(table, vectors=sparse.csr_array(VECTORS))
    assert_allclose(round_values(thin, POINTS), expected, atol=1e-12)


def test_values_of_a_function_kernel(table):
    coef, machines = machines_of(table, kernel=lambda a, b: a @ b.T)
    expected = by_problem(POINTS @ VECTORS.T, coef, machines.intercept, table)
    assert_allclose(round_values(machines, POINTS), expected, atol=1e-12)


def test_values_of_a_given_kernel(table):
    coef, machines = machines_of(table, kernel="precomputed")
    rows = np.random.default_rng(2).normal(size=(9, 60))
    expected = by_problem(rows[:, SUPPORT], coef, machines.intercept, table)
    assert_allclose(round_values(machines, rows), expected, atol=1e-12)


def test_blocks_cover_the_rows(table, monkeypatch):
    monkeypatch.setattr(module, "LEAST_ROWS", 4)
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    _, machines = machines_of(table)
    blocks = list(values_by_blocks(machines, POINTS))
    assert [rows.stop - rows.start for rows, _ in blocks] == [4, 4, 4, 4, 1]
    together = np.concatenate([values for _, values in blocks])
    assert np.array_equal(together, round_values(machines, POINTS))


def test_points_inherit_from_the_nearest_of_the_problem(table):
    rng = np.random.default_rng(3)
    codes = rng.permutation(np.arange(30) % 4)
    training = rng.normal(size=(30, 3))
    perturbation = rng.random((table.max() + 1, N_ROUNDS + 2, 30))  # rounds that are not asked for
    inheritance = Inheritance(perturbation, training, np.arange(30), table[:, codes])
    coef, machines = machines_of(table, inheritance=inheritance)
    sums = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, 0 * machines.intercept, table)
    k = spread(perturbation, table, codes)
    found = round_values(machines, POINTS)
    for p in range(len(table)):
        own = np.flatnonzero(table[p, codes] >= 0)
        for i, point in enumerate(POINTS):
            nearest = own[np.argmin(((training[own] - point) ** 2).sum(axis=1))]
            log_scale, value = 0.0, 0.0
            for t in range(N_ROUNDS):
                log_scale -= k[p, t, nearest] * value**2
                value = np.exp(log_scale) * sums[i, p, t] + machines.intercept[p, t]
                assert_allclose(found[i, p, t], value, atol=1e-10)
