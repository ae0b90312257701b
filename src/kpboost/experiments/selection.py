"""The choice among the candidates of a group of searches, and what it is worth on the test folds.

Where the choice is made on the test folds themselves, the searches have already tested it. Where
it is made inside the training part, a job of its own tests it afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .choice import choose
from .jobs import JobKey
from .records import FoldOutcome
from .storage.job_rows import KeptJob, kept_job
from .storage.store import Store

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


def tested_fold(job: KeptJob, number: int, labels: Sequence[str]) -> TestedFold:
    """Return what one candidate of a job did on the test points, and its predictions.

    Parameters
    ----------
    job : KeptJob
        One that tested on the fold itself and kept its predictions.
    number : int
        Place of the candidate.
    labels : sequence of str
        Of the classes, in the order of their numbers.
    """
    names = ("gmean", "auc", "gsdi", "fit_seconds", "predict_seconds")
    gmean, auc, gsdi, fit, predict = (float(job.arrays[name][number, 0]) for name in names)
    outcome = FoldOutcome(
        fold=job.key.fold,
        gmean=gmean,
        auc=auc,
        gsdi=gsdi,
        class_recalls=dict(zip(labels, job.arrays["recalls"][number, 0].tolist(), strict=True)),
        params=job.params[number],
        fit_seconds=fit,
        predict_seconds=predict,
    )
    return outcome, job.arrays["predictions"][number].astype(np.intp)
