"""The choice among the candidates of a group of searches, and what it is worth on the test folds.

Where the choice is made on the test folds themselves, the searches have already tested it. Where
it is made inside the training part, a job of its own tests it afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .choice import choose
from .job_rows import KeptJob, kept_job
from .jobs import JobKey, JobResult
from .records import FoldOutcome
from .store import Store

IndexArray = NDArray[np.intp]
TestedFold = tuple[FoldOutcome, IndexArray]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The chosen candidate of a group.

    Attributes
    ----------
    width : str
        Label of its kernel width.
    number : int
        Its place among the candidates of that width.
    jobs : tuple of KeptJob
        The searches that tried it, fold by fold.
    """

    width: str
    number: int
    jobs: tuple[KeptJob, ...]

    @property
    def length_scale(self) -> float | None:
        """Return sigma of the chosen kernel, None for a method without."""
        value = self.jobs[0].params[self.number].get("length_scale")
        return None if value is None else float(value)


def choose_in_group(store: Store, keys: Sequence[JobKey]) -> Choice:
    """Choose among all candidates of finished searches.

    Parameters
    ----------
    store : Store
    keys : sequence of JobKey
        All searches of the group, on one or more folds.
    """
    by_width: dict[str, list[KeptJob]] = {}
    for key in keys:
        by_width.setdefault(key.width, []).append(kept_job(store, key))
    # Folds of a search, inner or outer, are one axis: (candidates, folds, classes).
    recalls = [
        np.concatenate([job.arrays["recalls"] for job in jobs], axis=1)
        for jobs in by_width.values()
    ]
    place = choose(np.concatenate(recalls))
    for (width, jobs), own in zip(by_width.items(), recalls, strict=True):
        if place < len(own):
            return Choice(width, place, tuple(jobs))
        place -= len(own)
    raise AssertionError("a place beyond all candidates")


def tested_by_searches(choice: Choice, labels: Sequence[str]) -> list[TestedFold]:
    """Return the chosen candidate's outcome on every fold that searches tested it on."""
    return [
        _outcome(job.key.fold, choice.number, job.params, job.arrays, labels) for job in choice.jobs
    ]


def tested_by_job(result: JobResult, labels: Sequence[str]) -> TestedFold:
    """Return the outcome of a test of its own."""
    names = ("recalls", "gmean", "auc", "gsdi", "fit_seconds", "predict_seconds", "predictions")
    arrays = {name: getattr(result, name) for name in names}
    return _outcome(result.key.fold, 0, result.params, arrays, labels)


def _outcome(
    fold: int,
    number: int,
    params: Sequence[dict[str, Any]],
    arrays: dict[str, NDArray[Any]],
    labels: Sequence[str],
) -> TestedFold:
    recalls = arrays["recalls"][number, 0].tolist()
    single = ("gmean", "auc", "gsdi", "fit_seconds", "predict_seconds")
    gmean, auc, gsdi, fit, predict = (float(arrays[name][number, 0]) for name in single)
    outcome = FoldOutcome(
        fold=fold,
        gmean=gmean,
        auc=auc,
        gsdi=gsdi,
        class_recalls=dict(zip(labels, recalls, strict=True)),
        params=params[number],
        fit_seconds=fit,
        predict_seconds=predict,
    )
    return outcome, arrays["predictions"][number]
