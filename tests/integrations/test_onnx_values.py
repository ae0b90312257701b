"""The graph of decision values next to the library's own arithmetic."""

import numpy as np
import pytest

pytest.importorskip("skl2onnx", reason="needs the extra onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from kpboost.ensemble._voting import perturbed_values
from kpboost.integrations.onnx import Influence, Machines, decision_values
from kpboost.kernels import rbf_kernel
from support.small_graphs import run_graph


@pytest.fixture
def machines():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(8, 3))
    return Machines(vectors, 0.3, rng.normal(size=(2, 4, 8)), rng.normal(size=(2, 4)))


def kernel_sums(machines, X):
    kernel = rbf_kernel(X, machines.vectors, gamma=machines.gamma)
    return np.einsum("ni,pti->npt", kernel, machines.coef)


def test_values_of_all_problems_and_rounds(machines):
    X = np.random.default_rng(2).normal(size=(20, 3))
    values = run_graph(lambda graph, name: decision_values(graph, name, machines), X)
    np.testing.assert_allclose(values, kernel_sums(machines, X) + machines.intercept, atol=1e-13)


def test_new_points_inherit_from_the_nearest_of_their_problem(machines):
    rng = np.random.default_rng(3)
    X, points = rng.normal(size=(20, 3)), rng.normal(size=(12, 3))
    rows = (np.arange(12), np.array([1, 4, 5, 11]))
    tables = tuple(rng.uniform(0, 0.5, size=(own.size, 4)) for own in rows)
    roi = Machines(
        machines.vectors,
        machines.gamma,
        machines.coef,
        machines.intercept,
        Influence(points, rows, tables),
    )
    distance = np.linalg.norm(X[:, None] - points, axis=2)
    inherited = np.stack(
        [table[distance[:, own].argmin(axis=1)] for own, table in zip(rows, tables, strict=True)],
        axis=1,
    )
    expected = perturbed_values(kernel_sums(roi, X), roi.intercept, inherited)
    values = run_graph(lambda graph, name: decision_values(graph, name, roi), X)
    np.testing.assert_allclose(values, expected, atol=1e-13)
