"""The graph of decision values next to the library's own arithmetic."""

import numpy as np
import pytest

pytest.importorskip("skl2onnx", reason="needs the extra onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from kpboost.ensemble._voting import Inheritance, perturbed_values
from kpboost.integrations.onnx import inherited, kernel_sums, perturbed
from kpboost.kernels import rbf_kernel
from kpboost.problems import slot_table
from support.small_graphs import run_graph

RNG = np.random.default_rng(1)
VECTORS, GAMMA, COEF = RNG.normal(size=(8, 3)), 0.3, RNG.normal(size=(3, 4, 8))
X = RNG.normal(size=(20, 3))


def expected_sums():
    return np.einsum("ni,pti->npt", rbf_kernel(X, VECTORS, gamma=GAMMA), COEF)


def test_sums_of_all_problems_and_rounds():
    sums = run_graph(lambda graph, name: kernel_sums(graph, name, VECTORS, GAMMA, COEF), X)
    np.testing.assert_allclose(sums, expected_sums(), atol=1e-13)


def test_without_support_vectors_sums_are_zero():
    none, coef = VECTORS[:0], COEF[:, :, :0]
    sums = run_graph(lambda graph, name: kernel_sums(graph, name, none, GAMMA, coef), X)
    np.testing.assert_array_equal(sums, np.zeros((20, 3, 4)))


def test_new_points_inherit_from_the_nearest_of_their_problem():
    rng = np.random.default_rng(3)
    points, codes = rng.normal(size=(12, 3)), np.arange(12) % 3
    slots, k = slot_table(3, "one_vs_one")[:, codes], rng.uniform(0, 0.5, size=(2, 4, 12))
    source = Inheritance(k, slots, None)
    distance = np.linalg.norm(X[:, None] - points, axis=2)
    parts = []
    for own in slots:
        rows = np.flatnonzero(own >= 0)
        nearest = rows[distance[:, rows].argmin(axis=1)]
        parts.append(k[own[nearest], :, nearest])
    inherits = np.stack(parts, axis=1)
    found = run_graph(lambda graph, name: inherited(graph, name, points, source), X)
    np.testing.assert_allclose(found, inherits, atol=1e-15)
    intercept = rng.normal(size=(3, 4))

    def values(graph, name):
        sums = kernel_sums(graph, name, VECTORS, GAMMA, COEF)
        return perturbed(graph, sums, inherited(graph, name, points, source), intercept)

    expected = perturbed_values(expected_sums(), intercept, inherits)
    np.testing.assert_allclose(run_graph(values, X), expected, atol=1e-13)
