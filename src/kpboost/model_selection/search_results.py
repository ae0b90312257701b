"""The table of a search, in the form of GridSearchCV's ``cv_results_``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin

from kpboost.problems.votes import predicted_codes

from .boosting_grid import CandidateResult
from .recall_search import PREFIX, best_tradeoff
from .tradeoff import tradeoff_score

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Scorer = Callable[[Any, Any, Any], float]


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """A candidate's answers on one fold, dressed as the classifier a scorer expects.

    Whatever it is asked about, it repeats what the candidate said about the fold's test points.
    """

    def __init__(
        self,
        all_classes: NDArray[Any],
        present: IndexArray,
        scores: FloatArray,
        y_true: NDArray[Any],
        result: CandidateResult,
    ) -> None:
        self.all_classes = all_classes
        self.present = present
        self.scores = scores
        self.y_true = y_true
        self.result = result

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes that were in training."""
        return np.asarray(self.all_classes[self.present])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the test points."""
        return self.scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of the test points."""
        return np.asarray(self.classes_[predicted_codes(self.scores)])

    def recalls(self) -> FloatArray:
        """Return the recall of every class; NaN for those without test points."""
        predicted, known = self.predict(None), np.full(self.all_classes.size, np.nan)
        for code, label in enumerate(self.all_classes):
            own = self.y_true == label
            if own.any():
                known[code] = np.mean(predicted[own] == label)
        return known


def results_table(
    grid: Sequence[Mapping[str, Any]],
    answers: Sequence[Sequence[Answers]],
    classes: NDArray[Any],
    scorer: Scorer | None,
) -> dict[str, Any]:
    """Table of all candidates; None for a scorer is the trade-off.

    Parameters
    ----------
    grid : sequence of mappings
        Parameters of the candidates.
    answers : sequence of sequences of Answers
        By candidate and fold.
    classes : ndarray
        Sorted labels.
    scorer : callable or None

    Returns
    -------
    dict
    """
    recalls = np.array([[fold.recalls() for fold in folds] for folds in answers])
    table: dict[str, Any] = {"params": [dict(point) for point in grid]}
    for name in grid[0]:
        column = np.empty(len(grid), dtype=object)
        column[:] = [point[name] for point in grid]
        table[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    _add_times(table, answers)
    _add_recalls(table, recalls, classes)
    table["mean_test_tradeoff"] = tradeoff_score(_mean(recalls))
    if scorer is None:
        by_split = np.array([tradeoff_score(_without_nan(recalls[:, s])) for s in _range(recalls)])
        scores, mean = by_split.T, table["mean_test_tradeoff"]
    else:
        scores = np.array(
            [[scorer(fold, fold.y_true, fold.y_true) for fold in folds] for folds in answers]
        )
        mean = scores.mean(axis=1)
    for split in range(scores.shape[1]):
        table[f"split{split}_test_score"] = scores[:, split]
    table["mean_test_score"] = mean
    table["std_test_score"] = scores.std(axis=1)
    table["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return table


def best_candidate(table: Mapping[str, Any], by_tradeoff: bool) -> int:
    """Return the place of the chosen candidate: the best trade-off, or the first of the best."""
    return best_tradeoff(table) if by_tradeoff else int(np.argmax(table["mean_test_score"]))


def _range(recalls: FloatArray) -> range:
    return range(recalls.shape[1])


def _mean(recalls: FloatArray) -> FloatArray:
    """Mean over the folds that have the class."""
    return np.asarray(np.nanmean(recalls, axis=1))


def _without_nan(recalls: FloatArray) -> FloatArray:
    """Leave out the classes that a split does not test."""
    return recalls[:, ~np.isnan(recalls).any(axis=0)]


def _add_times(table: dict[str, Any], answers: Sequence[Sequence[Answers]]) -> None:
    for name in ("fit", "score"):
        seconds = np.array(
            [[getattr(fold.result, f"{name}_seconds") for fold in folds] for folds in answers]
        )
        table[f"mean_{name}_time"] = seconds.mean(axis=1)
        table[f"std_{name}_time"] = seconds.std(axis=1)


def _add_recalls(table: dict[str, Any], recalls: FloatArray, classes: NDArray[Any]) -> None:
    for code, label in enumerate(classes.tolist()):
        name = f"{PREFIX}{label}"
        for split in _range(recalls):
            table[f"split{split}_test_{name}"] = recalls[:, split, code]
        table[f"mean_test_{name}"] = _mean(recalls)[:, code]
        table[f"std_test_{name}"] = np.nanstd(recalls[:, :, code], axis=1)
