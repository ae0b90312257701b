"""The table of a search, in the form of GridSearchCV's ``cv_results_``."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .recall_search import PREFIX, best_tradeoff
from .search_scoring import TRADEOFF, Answers, Scorer
from .tradeoff import tradeoff_score

FloatArray = NDArray[np.float64]


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
    scores = None
    if scorer is not None:
        scores = np.array([[fold.score_by(scorer) for fold in folds] for folds in answers])
    table = table_of_scores(grid, recalls, scores, _seconds(answers), classes)
    table["n_without_voters"] = np.array(
        [sum(fold.result.n_without_voters for fold in folds) for folds in answers]
    )
    return table


def table_of_scores(
    grid: Sequence[Mapping[str, Any]],
    recalls: FloatArray,
    scores: FloatArray | None,
    seconds: Mapping[str, FloatArray],
    classes: NDArray[Any],
) -> dict[str, Any]:
    """Table of all candidates from what they reached on every fold.

    Parameters
    ----------
    grid : sequence of mappings
        Parameters of the candidates.
    recalls : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for classes without test points in the fold.
    scores : ndarray of shape (n_candidates, n_folds) or None
        By a scorer; None is the trade-off.
    seconds : mapping from "fit" and "score" to ndarray of shape (n_candidates, n_folds)
    classes : ndarray
        Sorted labels.

    Returns
    -------
    dict
    """
    table: dict[str, Any] = {}
    _add_times(table, seconds)
    _add_parameters(table, grid)
    if scores is None:
        scores = _tradeoffs(recalls)
        mean = tradeoff_score(_tested(_mean(recalls)))
    else:
        mean = scores.mean(axis=1)
    _add_scores(table, scores, mean)
    _add_recalls(table, recalls, classes)
    table["mean_test_tradeoff"] = tradeoff_score(_tested(_mean(recalls)))
    return table


def best_candidate(table: Mapping[str, Any], scoring: Any) -> int:
    """Return the place of the chosen candidate: the best trade-off, or the first of the best."""
    if isinstance(scoring, str) and scoring == TRADEOFF:
        return best_tradeoff(table)
    if not np.all(np.isfinite(table["mean_test_score"])):
        warnings.warn("Some scores are not finite; their candidates come last.", stacklevel=4)
    return int(np.argmin(table["rank_test_score"]))


def _add_parameters(table: dict[str, Any], grid: Sequence[Mapping[str, Any]]) -> None:
    """Add a column per parameter: numbers as numbers, anything else as objects."""
    for name in grid[0]:
        values = [point[name] for point in grid]
        numeric = all(isinstance(value, Real) for value in values)
        column = np.array(values, dtype=None if numeric else object)
        table[f"param_{name}"] = np.ma.MaskedArray(column, mask=False)
    table["params"] = [dict(point) for point in grid]


def _add_scores(table: dict[str, Any], scores: FloatArray, mean: FloatArray) -> None:
    for split, column in enumerate(scores.T):
        table[f"split{split}_test_score"] = column
    table["mean_test_score"] = mean
    table["std_test_score"] = scores.std(axis=1)
    comparable = np.where(np.isnan(mean), -np.inf, mean)
    table["rank_test_score"] = rankdata(-comparable, method="min").astype(np.int32)


def _tradeoffs(recalls: FloatArray) -> FloatArray:
    """Return mu within each split, over the classes that it tests: (n_candidates, n_splits)."""
    by_split = [tradeoff_score(_tested(recalls[:, split])) for split in _range(recalls)]
    return np.column_stack(by_split)


def _range(recalls: FloatArray) -> range:
    return range(recalls.shape[1])


def _mean(recalls: FloatArray) -> FloatArray:
    """Mean over the folds that have the class; NaN where none has it."""
    tested = ~np.isnan(recalls)
    total = np.where(tested, recalls, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / tested.sum(axis=1))


def _spread(recalls: FloatArray) -> FloatArray:
    """Return the standard deviation over the same folds."""
    return np.sqrt(_mean((recalls - _mean(recalls)[:, None]) ** 2))


def _tested(recalls: FloatArray) -> FloatArray:
    """Leave out the classes without test points."""
    return recalls[:, ~np.isnan(recalls).any(axis=0)]


def _seconds(answers: Sequence[Sequence[Answers]]) -> dict[str, FloatArray]:
    return {
        name: np.array(
            [[getattr(fold.result, f"{name}_seconds") for fold in folds] for folds in answers]
        )
        for name in ("fit", "score")
    }


def _add_times(table: dict[str, Any], seconds: Mapping[str, FloatArray]) -> None:
    for name in ("fit", "score"):
        table[f"mean_{name}_time"] = seconds[name].mean(axis=1)
        table[f"std_{name}_time"] = seconds[name].std(axis=1)


def _add_recalls(table: dict[str, Any], recalls: FloatArray, classes: NDArray[Any]) -> None:
    mean, spread = _mean(recalls), _spread(recalls)
    for code, label in enumerate(classes.tolist()):
        name = f"{PREFIX}{label}"
        for split in _range(recalls):
            table[f"split{split}_test_{name}"] = recalls[:, split, code]
        table[f"mean_test_{name}"] = mean[:, code]
        table[f"std_test_{name}"] = spread[:, code]
