"""One job: the candidates of one method and one kernel width on one fold of one data set.

A job depends on nothing but its task and its data set, so that it gives the same result wherever
it runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.methods import Answers, Method, Parameters, gamma_of, try_on_split

from ._candidates import Scores, score_all
from ._partitions import seed_of
from ._splits import Points, cached_split

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
    factors : ndarray of shape (n_classes,) or None
        Weight of a training row of every class; None is one each.
    """

    key: JobKey
    method: Method
    candidates: tuple[Parameters, ...]
    length_scale: float | None
    splits: Sequence[tuple[IndexArray, IndexArray]]
    leak_free: bool
    keep_predictions: bool
    seed: int
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
    recalls : ndarray of shape (n_candidates, n_splits, n_classes)
    gmean, auc, gsdi : ndarray of shape (n_candidates, n_splits)
    fit_seconds, predict_seconds : ndarray of shape (n_candidates, n_splits)
    predictions : ndarray of shape (n_candidates, n_test) or None
    errors : list of str
        What candidates failed with; those that did not are left out.
    seconds : float
        Processor time of the whole job.
    """

    key: JobKey
    params: list[dict[str, Any]]
    recalls: FloatArray
    gmean: FloatArray
    auc: FloatArray
    gsdi: FloatArray
    fit_seconds: FloatArray
    predict_seconds: FloatArray
    predictions: IndexArray | None
    errors: list[str]
    seconds: float


def execute(task: Task, points: Points) -> JobResult:
    """Do a job.

    Raises
    ------
    AllFailedError
        If no candidate could be fitted, with the reason of the first.
    """
    begun = thread_time()
    seeds = [seed_of(task.seed, *_names(task), _text(each)) for each in task.candidates]
    tried = [_try(task, points, number, seeds) for number in range(len(task.splits))]
    answers = [answer for answer, _ in tried]
    scores = [score for _, score in tried]
    errors = [error for answer in answers for error in answer.errors if error]
    if np.isnan([score.gmean for score in scores]).all():
        raise AllFailedError(errors[0])
    return JobResult(
        key=task.key,
        params=[_all_params(task, *each) for each in zip(task.candidates, seeds, strict=True)],
        recalls=np.stack([score.recalls for score in scores], axis=1),
        gmean=np.column_stack([score.gmean for score in scores]),
        auc=np.column_stack([score.auc for score in scores]),
        gsdi=np.column_stack([score.gsdi for score in scores]),
        fit_seconds=np.column_stack([answer.fit_seconds for answer in answers]),
        predict_seconds=np.column_stack([answer.predict_seconds for answer in answers]),
        predictions=answers[0].codes if task.keep_predictions else None,
        errors=errors,
        seconds=thread_time() - begun,
    )


def _try(task: Task, points: Points, number: int, seeds: Sequence[int]) -> tuple[Answers, Scores]:
    """Try all candidates on one of the splits."""
    train, test = task.splits[number]
    method = task.method if task.leak_free else None
    split = cached_split(points, train, test, method, task.factors)
    answers = try_on_split(task.method, task.candidates, gamma_of(task.length_scale), split, seeds)
    scores = score_all(
        points.codes[test],
        answers.codes,
        n_classes=points.n_classes,
        disjuncts=points.disjuncts[test],
        disjunct_sizes=points.disjunct_sizes,
    )
    return answers, scores


def _names(task: Task) -> tuple[object, ...]:
    """Return what seeds depend on; not the width, whose number the searches only find."""
    return task.key.dataset, task.key.method, task.key.fold


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
