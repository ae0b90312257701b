"""Predictions of rows by models that have not seen them."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from kpboost.recipes.columns import take_rows

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Fold = tuple[IndexArray, IndexArray]

# Probabilities below this are as good as 0; their logarithm stays a number.
LEAST_PROBABILITY = 1e-6
# Below this number of rows a second thread of a library gains little, and on a busy machine it
# waits many times longer than it works.
ROWS_FOR_THREADS = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Answers for all rows.

    Attributes
    ----------
    predicted : ndarray of shape (n_rows,)
        Number of the predicted class.
    scores : ndarray of shape (n_rows, n_classes)
        What the model thinks of each class: logarithms of probabilities, decision values, or 1 for
        the answer of a model that has neither.
    seconds : float
        Time for all folds.
    """

    predicted: IndexArray
    scores: FloatArray
    seconds: float


def make_folds(codes: IndexArray, cv: Any, seed: int) -> list[Fold]:
    """Disjoint test sets that cover all rows.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    cv : int, splitter or iterable of (train, test)
        A number means shuffled stratified folds; rare classes are in as many as they have rows.
    seed : int
        Seed of the shuffling; a splitter has its own.

    Returns
    -------
    list of (train, test)
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return _stratified(codes, int(cv), seed)
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        allowed = "a whole number of at least 2, a splitter or a list of (train, test)"
        raise ValueError(f"cv={cv!r} is not allowed; it must be {allowed}.")
    splits: Iterable[Any] = cv.split(codes.reshape(-1, 1), codes) if hasattr(cv, "split") else cv
    folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    nobody = np.zeros(0, dtype=np.intp)  # there may be no folds
    tested = np.bincount(np.concatenate([nobody, *(test for _, test in folds)]), None, codes.size)
    if tested.size != codes.size or not np.all(tested == 1):
        raise ValueError("cv must test every row exactly once; stratified or plain folds do.")
    return folds


def are_equal(some: Sequence[Fold], others: Sequence[Fold]) -> bool:
    """Tell whether two lists of folds test the same rows together."""
    tests = zip(some, others, strict=False)
    return len(some) == len(others) and all(np.array_equal(a[1], b[1]) for a, b in tests)


def _stratified(codes: IndexArray, n_splits: int, seed: int) -> list[Fold]:
    if n_splits < 2:
        raise ValueError(f"cv={n_splits} is not allowed; it must be a whole number of at least 2.")
    n_folds = min(n_splits, int(np.bincount(codes).max()))
    with warnings.catch_warnings():  # a class with fewer rows than folds is what we are here for
        warnings.simplefilter("ignore", UserWarning)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(codes, codes))


def out_of_fold(
    model: Any,
    X: Any,
    labels: NDArray[Any],
    classes: Sequence[Any],
    folds: Sequence[Fold],
) -> OutOfFold:
    """Train a clone on each fold's training rows and answer for its test rows.

    Parameters
    ----------
    model : classifier
        Unfitted or fitted; only clones are trained.
    X : array, frame or sparse matrix of n_rows rows
        As the model takes it.
    labels : ndarray of shape (n_rows,)
        Labels as the model takes them.
    classes : sequence
        All labels, in the order of the codes.
    folds : sequence of (train, test)
        Test sets are disjoint and cover all rows.

    Returns
    -------
    OutOfFold
    """
    place = {label: code for code, label in enumerate(classes)}
    predicted = np.zeros(labels.size, dtype=np.intp)
    scores = np.zeros((labels.size, len(classes)))
    start = perf_counter()
    n_threads = 1 if labels.size < ROWS_FOR_THREADS else None
    for number, (train, test) in enumerate(folds, 1):
        try:
            with threadpool_limits(n_threads):
                fitted = clone(model).fit(take_rows(X, train), labels[train])
                here = take_rows(X, test)
                answers = np.asarray(fitted.predict(here)).tolist()
                predicted[test] = [place[answer] for answer in answers]
                scores[test] = _scores(fitted, here, predicted[test], place)
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
            name = type(model).__name__
            raise ValueError(f"{name} failed on fold {number} of the audit: {error}") from error
    return OutOfFold(predicted, scores, perf_counter() - start)


def _scores(fitted: Any, X: Any, predicted: IndexArray, place: dict[Any, int]) -> FloatArray:
    """Scores over all classes; those that the training rows lacked get the lowest."""
    if hasattr(fitted, "predict_proba"):
        raw = np.log(np.clip(fitted.predict_proba(X), LEAST_PROBABILITY, 1.0))
    elif hasattr(fitted, "decision_function"):
        raw = np.asarray(fitted.decision_function(X), dtype=np.float64)
        raw = np.column_stack([-raw / 2, raw / 2]) if raw.ndim == 1 else raw
    else:
        return np.eye(len(place))[predicted]
    known = [place[label] for label in np.asarray(fitted.classes_).tolist()]
    if raw.shape[1] != len(known):  # one column per pair of classes: votes say enough
        return np.eye(len(place))[predicted]
    scores = np.full((raw.shape[0], len(place)), raw.min(initial=0.0))
    scores[:, known] = raw
    return scores
