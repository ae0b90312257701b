"""One job: the candidates of one method and one kernel width on one fold of one data set.

A job depends on nothing but its task and its data set, so that it gives the same result wherever
it runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray
from kpboost.methods import CandidatePredictions, Method, Parameters, gamma_of, try_on_split
from kpboost.model_selection import Split

from ._scores import Predictions, scores_of
from ._splits import PreparedDataset, cached_split, seed_of

# Trying candidates, and testing the one that was chosen.
SEARCH, TEST = "search", "test"


class AllFailedError(ValueError):
    """No candidate could be fitted; the words are those of the first."""


@dataclass(frozen=True, slots=True, order=True)
class JobKey:
    """What a job is called: data set, method, fold, kernel width, and search or test."""

    dataset: str
    method: str
    fold: int
    width: str
    kind: str = SEARCH

    def __str__(self) -> str:
        what = "chosen" if self.kind == TEST else self.width
        return f"{self.dataset}, {self.method}, fold {self.fold}, {what}"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """All that a job needs but the data.

    Attributes
    ----------
    key : JobKey
    method : Method
        Without its grids.
    candidates : tuple of mappings
    length_scale : float or None
        sigma, or None for a method without a kernel width.
    splits : sequence of (train, test)
        One fold, or the inner folds of its training part.
    leak_free : bool
        Whether features are prepared by the training part alone; otherwise as the paper did.
    keep_predictions : bool
    seed : int
    own_fold : int
        Number of the fold among those of this seed.
    factors : ndarray of shape (n_classes,) or None
        Weight of a training row of every class; None is one each.
    """

    key: JobKey
    method: Method
    candidates: tuple[Parameters, ...]
    length_scale: float | None
    splits: Sequence[Split]
    leak_free: bool
    keep_predictions: bool
    seed: int
    own_fold: int
    factors: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JobResult:
    """What came out of a job.

    Attributes
    ----------
    key : JobKey
    params : list of dict
        Parameters of the candidates, with the kernel width, the seed, and what the protocol
        decides.
    arrays : dict from str to ndarray
        ``recalls`` of shape (n_candidates, n_splits, n_classes); values by measure, ``fit_seconds``
        and ``predict_seconds`` of shape (n_candidates, n_splits); ``predictions`` of shape
        (n_candidates, n_test) where they are kept.
    error : str
        What the first candidate failed with that did; empty if none did.
    seconds : float
        Processor time of the whole job.
    """

    key: JobKey
    params: list[dict[str, Any]]
    arrays: dict[str, NDArray[Any]]
    error: str
    seconds: float


def execute(task: Task, data: PreparedDataset) -> JobResult:
    """Do a job.

    Raises
    ------
    AllFailedError
        If no candidate could be fitted, with the reason of the first.
    """
    begun = thread_time()
    seeds = [seed_of(task.seed, *_names(task), _text(each)) for each in task.candidates]
    tests = [_test(task, data, split, seeds) for split in task.splits]
    error = next((error for own in tests for error in own.errors if error), "")
    arrays = _arrays(task, data, tests)
    if np.isnan(arrays["recalls"]).all():
        raise AllFailedError(error)
    params = [_all_params(task, *each) for each in zip(task.candidates, seeds, strict=True)]
    return JobResult(task.key, params, arrays, error, thread_time() - begun)


def _test(
    task: Task, data: PreparedDataset, split: Split, seeds: Sequence[int]
) -> CandidatePredictions:
    """Try all candidates on one of the splits; a search chooses by classes and needs no scores."""
    method = task.method if task.leak_free else None
    prepared = cached_split(data, *split, method, task.factors)
    gamma, with_scores = gamma_of(task.length_scale), task.key.kind == TEST
    return try_on_split(
        task.method, task.candidates, gamma, prepared, seeds, with_scores=with_scores
    )


def _arrays(
    task: Task, data: PreparedDataset, tests: Sequence[CandidatePredictions]
) -> dict[str, NDArray[Any]]:
    class_sizes = np.bincount(data.codes, minlength=data.n_classes)
    found = [
        Predictions(
            truth=data.codes[test],
            predicted=own.codes,
            class_sizes=class_sizes,
            disjuncts=data.disjuncts[test],
            disjunct_sizes=data.disjunct_sizes,
            scores=own.scores,
            are_probabilities=own.are_probabilities,
        )
        for (_, test), own in zip(task.splits, tests, strict=True)
    ]
    scores = [scores_of(each) for each in found]
    arrays: dict[str, NDArray[Any]] = {
        "recalls": np.stack([each.recalls for each in found], axis=1),
        **{name: np.column_stack([each[name] for each in scores]) for name in scores[0]},
        "fit_seconds": np.column_stack([own.fit_seconds for own in tests]),
        "predict_seconds": np.column_stack([own.predict_seconds for own in tests]),
    }
    return {**arrays, "predictions": tests[0].codes} if task.keep_predictions else arrays


def _names(task: Task) -> tuple[object, ...]:
    """Return what seeds depend on; not the width, whose number the searches only find."""
    return task.key.dataset, task.key.method, task.own_fold


def _text(candidate: Parameters) -> str:
    return repr(sorted(candidate.items()))


def _all_params(task: Task, candidate: Parameters, seed: int) -> dict[str, Any]:
    by_protocol = {name: task.method.fixed[name] for name in task.method.as_paper}
    params = {**candidate, **by_protocol}
    if task.length_scale is not None:
        params["gamma"] = gamma_of(task.length_scale)
        params["length_scale"] = task.length_scale
    if task.method.seeded:
        params["random_state"] = seed
    return params
