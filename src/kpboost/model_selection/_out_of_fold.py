"""Out-of-fold predictions: for every row, those of a model that has not seen it."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from kpboost._typing import FloatArray, IndexArray

from ._splitters import Split

# Probabilities below this are as good as 0; their logarithm stays a number.
LEAST_PROBABILITY = 1e-6
# Below this number of rows a second thread of a library gains little, and on a busy machine it
# waits many times longer than it works.
ROWS_FOR_THREADS = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Predictions for all rows.

    Attributes
    ----------
    predicted : ndarray of shape (n_rows,)
        Number of the predicted class.
    scores : ndarray of shape (n_rows, n_classes)
        Logarithms of probabilities, decision values, or, of a model that has neither, 1 for the
        predicted class.
    seconds : float
        Time for all folds.
    decisions : ndarray of shape (n_rows, n_classes) or None
        Decision values, or scores of a model that has none; None where they were not wanted.
    """

    predicted: IndexArray
    scores: FloatArray
    seconds: float
    decisions: FloatArray | None = None


def limited_threads(n_rows: int) -> Any:
    """Return a context in which libraries use one thread, if there are few rows."""
    return threadpool_limits(1 if n_rows < ROWS_FOR_THREADS else None)


def out_of_fold(
    model: Any,
    X: Any,
    labels: NDArray[Any],
    classes: Sequence[Any],
    folds: Sequence[Split],
    *,
    decisions: bool = False,
) -> OutOfFold:
    """Train a clone on each fold's training rows and predict its test rows.

    Parameters
    ----------
    model : classifier or list of classifiers
        Unfitted or fitted; only clones are trained. A list has one for each fold. A
        ``FrozenEstimator`` is not trained again: so fitted models predict rows they have not seen.
    X : array, frame or sparse matrix of n_rows rows
        As the model takes it.
    labels : ndarray of shape (n_rows,)
        Labels as the model takes them.
    classes : sequence
        All labels, in the order of their numbers.
    folds : sequence of (train, test)
        Test sets are disjoint and cover all rows.
    decisions : bool, default=False
        Whether decision values are wanted beside the scores.

    Returns
    -------
    OutOfFold

    Raises
    ------
    ValueError
        If a model fails; the message names the model and the fold.
    """
    codes = {label: code for code, label in enumerate(classes)}
    predicted = np.zeros(labels.size, dtype=np.intp)
    scores = np.zeros((labels.size, len(classes)))
    values = np.zeros_like(scores) if decisions else None
    models = model if isinstance(model, list) else [model] * len(folds)
    start = perf_counter()
    for number, (each, (train, test)) in enumerate(zip(models, folds, strict=True), 1):
        try:
            with limited_threads(labels.size):
                fitted = clone(each).fit(rows_of(X, train), labels[train])
                points = rows_of(X, test)
                predicted[test] = [
                    codes[label] for label in np.asarray(fitted.predict(points)).tolist()
                ]
                scores[test] = _scores(fitted, points, predicted[test], codes)
                if values is not None:
                    values[test] = decision_scores(fitted, points, predicted[test], codes)
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
            name = type(each).__name__
            raise ValueError(f"{name} failed on fold {number} of {len(folds)}: {error}") from error
    return OutOfFold(predicted, scores, perf_counter() - start, values)


def rows_of(X: Any, rows: IndexArray) -> Any:
    """Return some rows of an array, a frame or a sparse matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def decision_scores(
    fitted: Any, X: Any, predicted: IndexArray, codes: dict[Any, int]
) -> FloatArray:
    """Decision values of new rows, one column per class.

    Parameters
    ----------
    fitted : classifier
    X : array, frame or sparse matrix of n_rows rows
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes, for a model without scores.
    codes : dict
        From all labels to their numbers.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Two columns have the decision value as their difference. Without decision values, logarithms
        of probabilities; without these too, 1 for the predicted class.
    """
    return _scores(fitted, X, predicted, codes, ("decision_function", "predict_proba"))


def _scores(
    fitted: Any,
    X: Any,
    predicted: IndexArray,
    codes: dict[Any, int],
    kinds: Sequence[str] = ("predict_proba", "decision_function"),
) -> FloatArray:
    """Scores over all classes; those that the training rows lacked get the lowest."""
    kind = next((name for name in kinds if hasattr(fitted, name)), None)
    if kind is None:
        return np.eye(len(codes))[predicted]
    raw = np.asarray(getattr(fitted, kind)(X), dtype=np.float64)
    if kind == "predict_proba":
        raw = np.log(np.clip(raw, LEAST_PROBABILITY, 1.0))
    elif raw.ndim == 1:
        raw = np.column_stack([-raw / 2, raw / 2])
    known = [codes[label] for label in np.asarray(fitted.classes_).tolist()]
    if raw.shape[1] != len(known):  # one column per pair of classes: votes say enough
        return np.eye(len(codes))[predicted]
    scores = np.full((raw.shape[0], len(codes)), raw.min(initial=0.0))
    scores[:, known] = raw
    return scores
