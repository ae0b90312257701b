"""Nodes, their attributes and constants."""

import numpy as np
import pytest

pytest.importorskip("skl2onnx", reason="needs the extra onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from kpboost.integrations.onnx import Graph
from support.small_graphs import Notebook, run_graph


def test_arrays_become_constants_as_they_are():
    table = np.arange(12.0).reshape(3, 4).T  # not contiguous
    X = np.ones((2, 4))
    np.testing.assert_array_equal(run_graph(lambda g, x: g.node("MatMul", x, table), X), X @ table)


def test_attributes_reach_the_operator():
    X = np.array([[1.0, 5.0], [7.0, 2.0]])
    largest = run_graph(lambda g, x: g.node("ArgMax", x, attributes={"axis": 1, "keepdims": 0}), X)
    np.testing.assert_array_equal(largest, X.argmax(axis=1))


def test_names_differ_unless_given():
    notebook = Notebook()
    graph = Graph(notebook, notebook)
    names = [graph.node("Exp", "X") for _ in range(3)]
    assert len(set(names)) == 3
    assert graph.node("Exp", "X", output="label") == "label"
