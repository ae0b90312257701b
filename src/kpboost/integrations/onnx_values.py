"""Decision values of kernel machines as an ONNX graph, in double precision.

    f_t(x) = b_t + sum_i coef_ti exp(-gamma |x - v_i|^2)

Squared distances come from one matrix product, |x|^2 + |v|^2 - 2 x.v, between points that are moved
to the middle of the support vectors first: far from the origin the three terms would cancel.
With regions of influence f_t gets the factor s_t(x), see :mod:`kpboost.ensemble.regions`; the
recursion over the rounds is written out, round by round.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from .onnx_graph import Graph

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What new points inherit: perturbations of training points.

    Attributes
    ----------
    points : ndarray of shape (n_train, d)
        Training points.
    rows : tuple of ndarray
        Which of them take part in each problem.
    perturbation : tuple of ndarray of shape (n_own, n_rounds)
        Perturbation parameters k of these rows, problem by problem.
    """

    points: FloatArray
    rows: tuple[IndexArray, ...]
    perturbation: tuple[FloatArray, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """RBF machines of all problems and rounds over one set of support vectors.

    Attributes
    ----------
    vectors : ndarray of shape (n_SV, d)
        Support vectors, at least one.
    gamma : float
        Width of the kernel.
    coef : ndarray of shape (n_problems, n_rounds, n_SV)
        What multiplies the kernel.
    intercept : ndarray of shape (n_problems, n_rounds)
        b_t.
    influence : Influence or None
        None where new points have full resolution.
    """

    vectors: FloatArray
    gamma: float
    coef: FloatArray
    intercept: FloatArray
    influence: Influence | None = None


def decision_values(graph: Graph, X: str, machines: Machines) -> str:
    """Add the values of all machines: (n, n_problems, n_rounds).

    Parameters
    ----------
    graph : Graph
    X : str
        Name of the points, (n, d), numbers of any type.
    machines : Machines

    Returns
    -------
    str
        Name of the values.
    """
    points = graph.node("Cast", X, attributes={"to": TensorProto.DOUBLE})
    squared = _squared_distances(graph, points, machines.vectors)
    kernel = graph.node("Exp", graph.node("Mul", squared, np.array([-machines.gamma])))
    n_problems, n_rounds, n_vectors = machines.coef.shape
    flat = graph.node("MatMul", kernel, machines.coef.reshape(-1, n_vectors).T)
    sums = graph.node("Reshape", flat, np.array([-1, n_problems, n_rounds]))
    if machines.influence is None:
        return graph.node("Add", sums, machines.intercept[None])
    inherited = _inherited(graph, points, machines.influence)
    return _perturbed(graph, sums, inherited, machines.intercept)


def _squared_distances(graph: Graph, points: str, others: FloatArray) -> str:
    """Add squared distances between the points and fixed ones: (n, n_others)."""
    centre = others.mean(axis=0)
    moved = others - centre
    here = graph.node("Sub", points, centre[None])
    own = graph.node("ReduceSum", graph.node("Mul", here, here), np.array([1]))
    product = graph.node("MatMul", here, -2.0 * moved.T)
    total = graph.node("Add", graph.node("Add", product, (moved**2).sum(axis=1)[None]), own)
    return graph.node("Max", total, np.zeros(1))


def _inherited(graph: Graph, points: str, influence: Influence) -> str:
    """Add the perturbation of each point's nearest training point: (n, n_problems, n_rounds)."""
    squared = _squared_distances(graph, points, influence.points)
    parts = []
    for rows, table in zip(influence.rows, influence.perturbation, strict=True):
        nearest = _nearest(graph, squared, rows, len(influence.points))
        own = graph.node("Gather", table, nearest, attributes={"axis": 0})
        parts.append(graph.node("Unsqueeze", own, np.array([1])))
    return graph.node("Concat", *parts, attributes={"axis": 1})


def _nearest(graph: Graph, squared: str, rows: IndexArray, n_points: int) -> str:
    """Add the place of the nearest point among some rows, of equals the first: (n,)."""
    among = squared
    if rows.size < n_points:
        among = graph.node("Gather", squared, rows.astype(np.int64), attributes={"axis": 1})
    return graph.node("ArgMin", among, attributes={"axis": 1, "keepdims": 0})


def _perturbed(graph: Graph, sums: str, inherited: str, intercept: FloatArray) -> str:
    """Add f_t = s_t g_t + b_t with log s_t = log s_(t-1) - k^t f_(t-1)^2, round by round."""
    value = graph.node("Add", _of_round(graph, sums, 0), intercept[None, :, 0])
    values, log_scale = [value], ""
    for t in range(1, intercept.shape[1]):
        loss = graph.node("Mul", _of_round(graph, inherited, t), graph.node("Mul", value, value))
        log_scale = graph.node("Sub", log_scale or np.zeros(1), loss)
        scaled = graph.node("Mul", graph.node("Exp", log_scale), _of_round(graph, sums, t))
        value = graph.node("Add", scaled, intercept[None, :, t])
        values.append(value)
    lifted = [graph.node("Unsqueeze", each, np.array([2])) for each in values]
    return graph.node("Concat", *lifted, attributes={"axis": 2})


def _of_round(graph: Graph, values: str, t: int) -> str:
    return graph.node("Gather", values, np.array(t), attributes={"axis": 2})
