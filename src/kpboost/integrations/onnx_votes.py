"""From decision values to votes, scores and labels, as an ONNX graph.

The same arithmetic as in :mod:`kpboost.ensemble.voting` and :mod:`kpboost.problems.votes`, with the
same constants, so that ties fall to the same side.
"""

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from kpboost.ensemble.voting import CONFIDENCE_SIZE, TIE, TIED_SHARE
from kpboost.problems.binary_problems import class_pairs
from kpboost.problems.votes import CONFIDENCE_RANGE

from .onnx_graph import Graph

FloatArray = NDArray[np.float64]


def weighted_vote(graph: Graph, values: str, weights: FloatArray, signs: FloatArray) -> str:
    """Add the votes of all problems: (n, n_problems), never zero.

    Parameters
    ----------
    graph : Graph
    values : str
        Name of the decision values, (n, n_problems, n_rounds).
    weights : ndarray of shape (n_problems, n_rounds)
        alpha_t.
    signs : ndarray of shape (n_problems,)
        Side of the positive class, -1 or +1, which gets zeros and ties.

    Returns
    -------
    str
        Name of the votes.
    """
    is_zero = graph.node("Equal", values, np.zeros(1))
    decided = graph.node("Where", is_zero, signs[None, :, None], values)
    votes = _over_rounds(graph, graph.node("Sign", decided), weights)
    least = TIED_SHARE * weights.sum(axis=1)
    tied = graph.node("LessOrEqual", graph.node("Abs", votes), least[None])
    return graph.node("Where", tied, TIE * signs[None], votes)


def confidence(graph: Graph, values: str, weights: FloatArray, signs: FloatArray) -> str:
    """Add the votes as shares of their total, with equal shares told apart by the values.

    Parameters and shape are those of :func:`weighted_vote`.
    """
    total = weights.sum(axis=1)[None]
    share = graph.node("Div", weighted_vote(graph, values, weights, signs), total)
    mean = graph.node("Div", _over_rounds(graph, values, weights), total)
    told_apart = graph.node("Add", share, _squeezed(graph, mean, CONFIDENCE_SIZE))
    same_side = graph.node("Equal", graph.node("Sign", told_apart), graph.node("Sign", share))
    return graph.node("Where", same_side, told_apart, share)


def class_scores(graph: Graph, values: str, n_classes: int, multi_class: str) -> str:
    """Add the scores of the classes: (n,) for two, or (n, n_classes).

    Parameters
    ----------
    graph : Graph
    values : str
        Name of the problems' values, (n, n_problems).
    n_classes : int
        Number of classes.
    multi_class : {"one_vs_one", "one_vs_rest"}
        What the problems of more than two classes are.

    Returns
    -------
    str
        Name of the scores.
    """
    if n_classes == 2:
        return graph.node("Reshape", values, np.array([-1]))
    return values if multi_class == "one_vs_rest" else _one_vs_one(graph, values, n_classes)


def predicted_codes(graph: Graph, scores: str, n_classes: int) -> str:
    """Add the numbers of the predicted classes: by sign for two, else of the largest score."""
    if n_classes == 2:
        positive = graph.node("Greater", scores, np.zeros(1))
        return graph.node("Cast", positive, attributes={"to": TensorProto.INT64})
    return graph.node("ArgMax", scores, attributes={"axis": 1, "keepdims": 0})


def _one_vs_one(graph: Graph, values: str, n_classes: int) -> str:
    """Add the votes per class, with ties ordered by summed confidences."""
    identity, pairs = np.eye(n_classes), class_pairs(n_classes)
    earlier, later = identity[pairs[:, 0]], identity[pairs[:, 1]]
    positive = graph.node("Greater", values, np.zeros(1))
    for_later = graph.node("Cast", positive, attributes={"to": TensorProto.DOUBLE})
    # A vote that the later class of a pair gets is one that the earlier class does not get.
    moved = graph.node("MatMul", for_later, later - earlier)
    votes = graph.node("Add", moved, earlier.sum(axis=0)[None])
    sums = graph.node("MatMul", values, later - earlier)
    return graph.node("Add", votes, _squeezed(graph, sums, CONFIDENCE_RANGE))


def _over_rounds(graph: Graph, values: str, weights: FloatArray) -> str:
    weighted = graph.node("Mul", values, weights[None])
    return graph.node("ReduceSum", weighted, np.array([2]), attributes={"keepdims": 0})


def _squeezed(graph: Graph, values: str, size: float) -> str:
    """Add size * v / (1 + |v|)."""
    room = graph.node("Add", graph.node("Abs", values), np.ones(1))
    return graph.node("Div", graph.node("Mul", values, np.array([size])), room)
