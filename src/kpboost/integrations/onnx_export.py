"""KPBoostSVC, KPBoostSVCCV and KernelSVC as ONNX models, for use where there is no Python.

After :func:`register_onnx`, skl2onnx converts them, alone or as the last step of a pipeline::

    register_onnx()
    onnx_model = skl2onnx.to_onnx(pipeline, X[:1])

The graph computes in double precision whatever the type of its input, as kpboost does, and its
outputs are ``label`` and ``scores``: what ``predict`` and ``decision_function`` return.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

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

from kpboost.ensemble import KPBoostSVC
from kpboost.model_selection import KPBoostSVCCV
from kpboost.problems.slots import NO_SLOT
from kpboost.svm import KernelSVC

from .onnx_graph import Graph
from .onnx_values import Influence, Machines, decision_values
from .onnx_votes import class_scores, confidence, predicted_codes, weighted_vote

__all__ = ["register_onnx"]

FloatArray = NDArray[np.float64]

ALIASES = {
    KPBoostSVC: "KpboostKPBoostSVC",
    KPBoostSVCCV: "KpboostKPBoostSVCCV",
    KernelSVC: "KpboostKernelSVC",
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
    """Teach skl2onnx to convert KPBoostSVC, with and without ROI, KPBoostSVCCV and KernelSVC.

    Calling it again does no harm. Models with a kernel other than "rbf" are refused when they
    are converted.

    Examples
    --------
    >>> import numpy as np
    >>> from skl2onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from kpboost import KPBoostSVC
    >>> from kpboost.integrations.onnx_export import register_onnx
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
    make_scores = _boosted_scores if isinstance(model, KPBoostSVC) else _plain_scores
    scores = make_scores(graph, X, model)
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
    machines = _machines(model, model.dual_coef_[:, None], model.intercept_[:, None])
    one_round = decision_values(graph, X, machines)
    values = graph.node("Reshape", one_round, np.array([-1, model.intercept_.size]))
    return class_scores(graph, values, model.classes_.size, model.multi_class)


def _boosted_scores(graph: Graph, X: str, model: KPBoostSVC) -> str:
    """Add KPBoostSVC's decision function."""
    weights = _by_problem(model, model.estimator_weights_)
    is_roi = hasattr(model, "_perturbation")
    rounds = _rounds_needed(weights, is_roi)
    scale = np.exp(_by_problem(model, model.log_scale_)[:, rounds][:, :, model.support_])
    machines = _machines(
        model,
        _by_problem(model, model.dual_coef_)[:, rounds] * scale,
        _by_problem(model, model.intercept_)[:, rounds],
        _influence(model, rounds.size) if is_roi else None,
    )
    values = decision_values(graph, X, machines)
    vote = weighted_vote if model.classes_.size == 2 else confidence
    votes = vote(graph, values, weights[:, rounds], model._signs)
    return class_scores(graph, votes, model.classes_.size, model.multi_class)


def _by_problem(model: KPBoostSVC, values: FloatArray) -> FloatArray:
    """Give an array of rounds its axis of problems, also for two classes."""
    return values[None] if model.classes_.size == 2 else values


def _rounds_needed(weights: FloatArray, is_roi: bool) -> NDArray[np.intp]:
    """Return the rounds that vote and, where later rounds build on earlier ones, all before."""
    voting = np.flatnonzero(weights.any(axis=0))
    return np.arange(voting[-1] + 1) if is_roi else voting


def _machines(
    model: Any, coef: FloatArray, intercept: FloatArray, influence: Influence | None = None
) -> Machines:
    vectors = _dense(model.support_vectors_)
    if len(vectors) == 0:  # nothing was learned: a vector that counts nothing keeps the graph whole
        vectors, coef = np.zeros((1, vectors.shape[1])), np.zeros((*coef.shape[:2], 1))
    return Machines(vectors, model.gamma_, coef, intercept, influence)


def _influence(model: KPBoostSVC, n_rounds: int) -> Influence:
    source = model._inheritance()
    rows = tuple(np.flatnonzero(slots != NO_SLOT) for slots in source.slots)
    perturbation = tuple(
        np.ascontiguousarray(source.perturbation[slots[own], :n_rounds, own])
        for slots, own in zip(source.slots, rows, strict=True)
    )
    return Influence(_dense(source.points), rows, perturbation)


def _dense(points: Any) -> FloatArray:
    return np.asarray(points.toarray() if sparse.issparse(points) else points, dtype=np.float64)
