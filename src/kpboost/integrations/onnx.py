"""KPBoostSVC, NystroemKPBoostSVC, their searches and KernelSVC as ONNX models.

They are for use where there is no Python. After :func:`register_onnx`, skl2onnx converts them,
alone or as the last step of a pipeline::

    register_onnx()
    onnx_model = skl2onnx.to_onnx(pipeline, X[:1])

The graph computes in double precision whatever the type of its input, as kpboost does, and its
outputs are ``label`` and ``scores``: what ``predict`` and ``decision_function`` return.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from kpboost._typing import FloatArray, IndexArray
from kpboost.ensemble import (
    CONFIDENCE_SIZE,
    SOFT,
    TIE,
    TIED_SHARE,
    Inheritance,
    KPBoostSVC,
    NystroemKPBoostSVC,
)
from kpboost.model_selection import KPBoostSVCCV, NystroemKPBoostSVCCV
from kpboost.problems import CONFIDENCE_RANGE, NO_SLOT, class_pairs
from kpboost.svm import KernelSVC

# Name of a value in the graph, or an array that becomes a constant of it.
Value = str | NDArray[Any]


class Graph:
    """A graph under construction.

    Parameters
    ----------
    scope, container : object
        As skl2onnx hands them to a converter.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(
        self,
        kind: str,
        *inputs: Value,
        attributes: Mapping[str, int] | None = None,
        output: str | None = None,
    ) -> str:
        """Add a node.

        Parameters
        ----------
        kind : str
            Name of the ONNX operator.
        *inputs : str or ndarray
            Names of its inputs; arrays become constants.
        attributes : mapping, optional
            The operator's attributes.
        output : str, optional
            Name of the result; a new one by default.

        Returns
        -------
        str
            Name of the result.
        """
        name = output or self._scope.get_unique_variable_name(f"kpboost_{kind.lower()}")
        self._container.add_node(
            kind,
            [each if isinstance(each, str) else self._constant(each) for each in inputs],
            name,
            name=self._scope.get_unique_operator_name(kind),
            **dict(attributes or {}),
        )
        return name

    def _constant(self, values: NDArray[Any]) -> str:
        name: str = self._scope.get_unique_variable_name("kpboost_constant")
        number = helper.np_dtype_to_tensor_dtype(values.dtype)
        if values.dtype.kind in "UO":
            content: Any = [str(value).encode() for value in values.ravel()]
        else:
            content = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape))
        self._container.add_initializer(name, number, list(values.shape), content)
        return name


def kernel_sums(graph: Graph, points: str, vectors: Any, gamma: float, coef: FloatArray) -> str:
    """Add sums over the support vectors of an RBF kernel: (n, n_problems, n_rounds).

    Parameters
    ----------
    graph : Graph
    points : str
        Name of the points, (n, d), double.
    vectors : ndarray or CSR matrix of shape (n_SV, d)
    gamma : float
        Width of the kernel.
    coef : ndarray of shape (n_problems, n_rounds, n_SV)
        What multiplies the kernel.

    Returns
    -------
    str
        Name of the sums.
    """
    n_problems, n_rounds, n_vectors = coef.shape
    others = _dense(vectors)
    if n_vectors == 0:  # nothing was learned: a vector that counts nothing keeps the graph whole
        others, coef = np.zeros((1, others.shape[1])), np.zeros((n_problems, n_rounds, 1))
    squared = _squared_distances(graph, points, others)
    kernel = graph.node("Exp", graph.node("Mul", squared, np.array([-gamma])))
    flat = graph.node("MatMul", kernel, coef.reshape(n_problems * n_rounds, -1).T)
    return graph.node("Reshape", flat, np.array([-1, n_problems, n_rounds]))


def inherited(graph: Graph, points: str, others: Any, inheritance: Inheritance) -> str:
    """Add the perturbation of each point's nearest training point: (n, n_problems, n_rounds).

    Parameters
    ----------
    graph : Graph
    points : str
        Name of the points, (n, d), double.
    others : ndarray or CSR matrix of shape (n_train, d)
        The training points.
    inheritance : Inheritance
        Their perturbation.

    Returns
    -------
    str
        Name of the perturbation.
    """
    squared = _squared_distances(graph, points, _dense(others))
    parts = []
    for slots in inheritance.slots:
        rows = np.flatnonzero(slots != NO_SLOT)
        table = np.ascontiguousarray(inheritance.perturbation[slots[rows], :, rows])
        nearest = _nearest(graph, squared, rows, slots.size)
        own = graph.node("Gather", table, nearest, attributes={"axis": 0})
        parts.append(graph.node("Unsqueeze", own, np.array([1])))
    return graph.node("Concat", *parts, attributes={"axis": 1})


def _squared_distances(graph: Graph, points: str, others: FloatArray) -> str:
    """Add squared distances between the points and fixed ones: (n, n_others)."""
    centre = others.mean(axis=0)
    moved = others - centre
    here = graph.node("Sub", points, centre[None])
    own = graph.node("ReduceSum", graph.node("Mul", here, here), np.array([1]))
    product = graph.node("MatMul", here, -2.0 * moved.T)
    total = graph.node("Add", graph.node("Add", product, (moved**2).sum(axis=1)[None]), own)
    return graph.node("Max", total, np.zeros(1))


def _nearest(graph: Graph, squared: str, rows: IndexArray, n_points: int) -> str:
    """Add the place of the nearest point among some rows, of equals the first: (n,)."""
    among = squared
    if rows.size < n_points:
        among = graph.node("Gather", squared, rows.astype(np.int64), attributes={"axis": 1})
    return graph.node("ArgMin", among, attributes={"axis": 1, "keepdims": 0})


def perturbed(graph: Graph, sums: str, inherited: str, intercept: FloatArray) -> str:
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
    return _without_ties(graph, votes, TIED_SHARE * weights.sum(axis=1), signs)


def mean_margin(graph: Graph, values: str, weights: FloatArray, signs: FloatArray) -> str:
    """Add the soft votes of all problems, the weighted means of their values.

    Parameters and shape are those of :func:`weighted_vote`; never zero either.
    """
    mean = _mean_over_rounds(graph, values, weights)
    return _without_ties(graph, mean, np.full(signs.size, TIED_SHARE), signs)


def confidence(graph: Graph, values: str, weights: FloatArray, signs: FloatArray) -> str:
    """Add the votes as shares of their total, with equal shares told apart by the values.

    Parameters and shape are those of :func:`weighted_vote`.
    """
    total = weights.sum(axis=1)[None]
    share = graph.node("Div", weighted_vote(graph, values, weights, signs), total)
    mean = _mean_over_rounds(graph, values, weights)
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


def _mean_over_rounds(graph: Graph, values: str, weights: FloatArray) -> str:
    return graph.node("Div", _over_rounds(graph, values, weights), weights.sum(axis=1)[None])


def _without_ties(graph: Graph, votes: str, least: FloatArray, signs: FloatArray) -> str:
    """Add the votes, with those of at most the least size on the side of the positive class."""
    tied = graph.node("LessOrEqual", graph.node("Abs", votes), least[None])
    return graph.node("Where", tied, TIE * signs[None], votes)


def _squeezed(graph: Graph, values: str, size: float) -> str:
    """Add size * v / (1 + |v|)."""
    room = graph.node("Add", graph.node("Abs", values), np.ones(1))
    return graph.node("Div", graph.node("Mul", values, np.array([size])), room)


try:
    from skl2onnx import update_registered_converter
    from skl2onnx.common.data_types import (
        BooleanTensorType,
        DoubleTensorType,
        Int64TensorType,
        StringTensorType,
    )
except ImportError as error:
    raise ImportError(
        'Export to ONNX needs skl2onnx, which is not installed: pip install "kpboost[onnx]".'
    ) from error


__all__ = ["register_onnx"]


ALIASES = {
    KPBoostSVC: "KpboostKPBoostSVC",
    KPBoostSVCCV: "KpboostKPBoostSVCCV",
    KernelSVC: "KpboostKernelSVC",
    NystroemKPBoostSVC: "KpboostNystroemKPBoostSVC",
    NystroemKPBoostSVCCV: "KpboostNystroemKPBoostSVCCV",
}
# skl2onnx offers its classifiers' scores as dictionaries, too; ours come as an array only.
OPTIONS = {"zipmap": [False]}
# In earlier versions of the operators the axes of sums are attributes.
LEAST_OPSET = 13
# Labels by kind of array: ONNX's type, and the type of the array that holds them.
LABEL_TYPES = {
    "b": (BooleanTensorType, np.bool_),
    "i": (Int64TensorType, np.int64),
    "u": (Int64TensorType, np.int64),
    "f": (DoubleTensorType, np.float64),
    "U": (StringTensorType, np.str_),
    "O": (StringTensorType, np.str_),
}


def register_onnx() -> None:
    """Teach skl2onnx to convert KPBoostSVC, NystroemKPBoostSVC, their searches and KernelSVC.

    Calling it again does no harm. Models with a kernel other than "rbf" are refused when they
    are converted.

    Examples
    --------
    >>> import numpy as np
    >>> from skl2onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from kpboost import KPBoostSVC
    >>> from kpboost.integrations.onnx import register_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> register_onnx()
    >>> graph = to_onnx(KPBoostSVC(C=10.0).fit(X, y), X[:1])
    >>> [output.name for output in graph.graph.output]
    ['label', 'scores']
    """
    for model_class, alias in ALIASES.items():
        update_registered_converter(
            model_class, alias, _set_shapes, _convert, parser=_declare, options=OPTIONS
        )


def _declare(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Tell skl2onnx that a model has two outputs."""
    operator = scope.declare_local_operator(ALIASES[type(model)], model)
    operator.inputs = inputs
    label_type, _ = _label_types(model)
    operator.outputs.append(scope.declare_local_variable("label", label_type()))
    operator.outputs.append(scope.declare_local_variable("scores", DoubleTensorType()))
    return operator.outputs


def _set_shapes(operator: Any) -> None:
    model = operator.raw_operator
    n_rows = operator.inputs[0].get_first_dimension()
    n_classes = model.classes_.size
    operator.outputs[0].type.shape = [n_rows]
    operator.outputs[1].type.shape = [n_rows] if n_classes == 2 else [n_rows, n_classes]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the graph of a model."""
    model = getattr(operator.raw_operator, "best_estimator_", operator.raw_operator)
    _check_exportable(model, container.target_opset)
    graph, X = Graph(scope, container), operator.inputs[0].full_name
    scores = SCORES[type(model)](graph, X, model)
    codes = predicted_codes(graph, scores, model.classes_.size)
    labels = model.classes_.astype(_label_types(model)[1])
    label_name, scores_name = (output.full_name for output in operator.outputs)
    graph.node("Gather", labels, codes, attributes={"axis": 0}, output=label_name)
    graph.node("Identity", scores, output=scores_name)


def _check_exportable(model: Any, opset: int) -> None:
    name = type(model).__name__
    if not hasattr(model, "gamma_"):
        raise ValueError(
            f"{name}(kernel={model.kernel!r}) cannot be exported to ONNX; only kernel='rbf' can."
        )
    if opset < LEAST_OPSET:
        raise ValueError(
            f"target_opset={opset} is too old for {name}; it must be at least {LEAST_OPSET}."
        )


def _label_types(model: Any) -> tuple[Any, Any]:
    """Return ONNX's type of the labels, and numpy's."""
    check_is_fitted(model, "classes_")
    kind = model.classes_.dtype.kind
    if kind not in LABEL_TYPES:
        raise ValueError(
            f"Labels of type {model.classes_.dtype} cannot be exported to ONNX; numbers, truth "
            "values and text can."
        )
    return LABEL_TYPES[kind]


def _plain_scores(graph: Graph, X: str, model: KernelSVC) -> str:
    """Add KernelSVC's decision function."""
    coef = model.dual_coef_[:, None]
    sums = kernel_sums(graph, _double(graph, X), model.support_vectors_, model.gamma_, coef)
    flat = graph.node("Reshape", sums, np.array([-1, model.intercept_.size]))
    values = graph.node("Add", flat, model.intercept_[None])
    return class_scores(graph, values, model.classes_.size, model.multi_class)


def _boosted_scores(graph: Graph, X: str, model: KPBoostSVC) -> str:
    """Add KPBoostSVC's decision function."""
    rounds, points = model._predictor().voters(), _double(graph, X)
    coef = rounds.coef_by_problem()
    sums = kernel_sums(graph, points, rounds.vectors, model.gamma_, coef)
    if rounds.inheritance is None:
        values = graph.node("Add", sums, rounds.intercept[None])
    else:
        k = inherited(graph, points, model._training_points, rounds.inheritance)
        values = perturbed(graph, sums, k, rounds.intercept)
    return _voted(graph, values, rounds.weights, rounds.signs, model)


def _low_rank_scores(graph: Graph, X: str, model: NystroemKPBoostSVC) -> str:
    """Add NystroemKPBoostSVC's decision function: one kernel block and one product."""
    weights = model._stacked("estimator_weights_")
    voters = np.flatnonzero(weights.any(axis=0))
    rounds = model._machines(voters)
    sums = kernel_sums(graph, _double(graph, X), rounds.landmarks, rounds.gamma, rounds.coef)
    values = graph.node("Add", sums, rounds.intercept[None])
    return _voted(graph, values, weights[:, voters], model._signs, model)


def _voted(graph: Graph, values: str, weights: FloatArray, signs: FloatArray, model: Any) -> str:
    """Add the scores of the classes from the rounds' values, by a hard or a soft vote."""
    hard = weighted_vote if model.classes_.size == 2 else confidence
    vote = mean_margin if model.voting == SOFT else hard
    votes = vote(graph, values, weights, signs)
    return class_scores(graph, votes, model.classes_.size, model.multi_class)


SCORES: Mapping[type, Callable[[Graph, str, Any], str]] = {
    KPBoostSVC: _boosted_scores,
    KernelSVC: _plain_scores,
    NystroemKPBoostSVC: _low_rank_scores,
}


def _double(graph: Graph, X: str) -> str:
    """Add the points, numbers of any type, as doubles."""
    return graph.node("Cast", X, attributes={"to": TensorProto.DOUBLE})


def _dense(points: Any) -> FloatArray:
    return np.asarray(points.toarray() if sparse.issparse(points) else points, dtype=np.float64)
