"""The graph of votes next to the library's own, ties and zeros among the values."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

pytest.importorskip("skl2onnx", reason="needs the extra onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from kpboost.ensemble import _voting as voting
from kpboost.integrations import onnx as onnx_votes
from kpboost.problems import _multiclass as votes
from support.small_graphs import run_graph

# The first three sum to a tie only but for rounding: 0.1 + 0.2 - 0.3 is not 0.
WEIGHTS = np.array([[0.1, 0.2, 0.3], [0.5, 0.5, 1.0], [1.0, 0.0, 1.0]])
SIGNS = np.array([1.0, -1.0, 1.0])
# Few different values, so that votes are often tied.
VALUES = arrays(np.float64, (6, 3, 3), elements=st.sampled_from([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0]))


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_votes(values):
    found = run_graph(lambda g, x: onnx_votes.weighted_vote(g, x, WEIGHTS, SIGNS), values)
    expected = voting.weighted_vote(values, WEIGHTS, SIGNS)
    np.testing.assert_array_equal(np.sign(found), np.sign(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_soft_votes(values):
    found = run_graph(lambda g, x: onnx_votes.mean_margin(g, x, WEIGHTS, SIGNS), values)
    expected = voting.mean_margin(values, WEIGHTS, SIGNS)
    np.testing.assert_array_equal(np.sign(found), np.sign(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(VALUES, st.sampled_from(["one_vs_one", "one_vs_rest"]))
def test_scores_and_codes_of_three_classes(values, multi_class):
    def scores(graph, name):
        shares = onnx_votes.confidence(graph, name, WEIGHTS, SIGNS)
        return onnx_votes.class_scores(graph, shares, 3, multi_class)

    expected = voting.class_scores(values, WEIGHTS, SIGNS, 3, multi_class)
    np.testing.assert_allclose(run_graph(scores, values), expected, atol=1e-15)


def test_codes():
    two, three = np.array([-1.0, 0.0, 2.0]), np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]])
    for scores, n_classes in ((two, 2), (three, 3)):
        found = run_graph(lambda g, x, n=n_classes: onnx_votes.predicted_codes(g, x, n), scores)
        np.testing.assert_array_equal(found, votes.predicted_codes(scores))
