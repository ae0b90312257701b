"""What the user should know about a fit: before it how long it may take, after it how it went."""

import math
import warnings
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from kpboost.problems.training_set import TrainingSet

from .gather import ProblemRecord
from .rounds import HALF_OF_LARGEST

# From here on a fit is worth a word before it starts: it takes a minute, or hours.
MANY_ROWS = 50_000
# Sizes of the trial fits. Together they cost a few percent of the smallest fit that is warned of.
TRIAL_ROWS = (2_500, 5_000, 10_000)
# Time was seen to grow with these powers of the number of rows once the kernel matrix no longer
# fits the cache; the trials, where it fits, may show less.
LEAST_GROWTH, MOST_GROWTH = 2.0, 3.0
MINUTE, HOUR = 60, 3600


class NoVotingRoundWarning(UserWarning):
    """No round of a two-class problem met the conditions for voting, or their vote is poor.

    A category of its own, so that a search over many candidates can be told to keep quiet:
    ``warnings.simplefilter("ignore", NoVotingRoundWarning)``.
    """


class LongFitWarning(UserWarning):
    """A fit to many rows is about to begin; the message estimates its time."""


def warn_of(records: Sequence[ProblemRecord]) -> None:
    """Warn of an interruption, and of problems without a round that may vote or a good vote."""
    if any(each.interrupted for each in records):
        done = min(each.n_rounds for each in records)
        warnings.warn(
            f"fit was interrupted; the ensemble has its first rounds only, at least {done} "
            "of every problem.",
            stacklevel=3,
        )
    words = _of_poor_rounds(records) or _of_poor_votes(records)
    if words:
        advice = "another C, gamma or class_weight may help."
        warnings.warn(f"{words}; {advice}", NoVotingRoundWarning, stacklevel=3)


def _of_poor_rounds(records: Sequence[ProblemRecord]) -> str:
    """Say that there is no round that may vote; nothing if there is one everywhere."""
    poor = [each for each in records if each.rule == "best_only"]
    if not poor:
        return ""
    return (
        f"No round met the conditions for voting in {len(poor)} of {len(records)} two-class "
        "problem(s): already the plain SVM errs by more than half of what is possible. The single "
        f"best round is used, {_worst_rates(poor)}"
    )


def _of_poor_votes(records: Sequence[ProblemRecord]) -> str:
    """Say that rounds which are good alone are not so together; nothing if they are."""
    poor = [each for each in records if _vote_error(each) > HALF_OF_LARGEST]
    if not poor:
        return ""
    return (
        f"The rounds that vote outvote each other in {len(poor)} of {len(records)} two-class "
        f"problem(s): together they err by more than half of what is possible, {_worst_rates(poor)}"
    )


def _worst_rates(poor: Sequence[ProblemRecord]) -> str:
    worst = max(poor, key=_vote_error)
    rates = f"with tpr {worst.vote_tpr:.2f} and tnr {worst.vote_tnr:.2f} on the training points"
    return rates if len(poor) == 1 else f"{rates} in the worst of them"


def _vote_error(record: ProblemRecord) -> float:
    return math.hypot(1.0 - record.vote_tpr, 1.0 - record.vote_tnr)


def warn_of_time(estimator: Any, data: TrainingSet) -> None:
    """Warn of a fit to many rows, with an estimate of its time from fits to some of them.

    Parameters
    ----------
    estimator : KPBoostSVC
        With a kernel of points, not a precomputed one.
    data : TrainingSet
        What it is about to be trained on.
    """
    n_rows = data.codes.size
    if n_rows <= MANY_ROWS:
        return
    seconds = [_trial_seconds(estimator, data, size) for size in TRIAL_ROWS]
    growth = np.polyfit(np.log(TRIAL_ROWS), np.log(seconds), 1)[0]
    factor = (n_rows / TRIAL_ROWS[-1]) ** np.clip(growth, LEAST_GROWTH, MOST_GROWTH)
    expected = _duration(seconds[-1] * factor)
    warnings.warn(
        f"KPBoostSVC on {n_rows:,} rows may take roughly {expected}, judging by "
        f"{TRIAL_ROWS[-1]:,} of them; the time grows with the square of the rows or faster. "
        "Ctrl-C keeps the rounds that are done.",
        LongFitWarning,
        stacklevel=3,
    )


def _trial_seconds(estimator: Any, data: TrainingSet, size: int) -> float:
    """Time of a fit to rows spread evenly over the classes."""
    rows = _spread_rows(data.codes, size)
    trial = clone(estimator).set_params(verbose=0)
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = data.classes[data.codes[rows]]
        trial.fit(data.points[rows], labels, sample_weight=data.weight[rows])
    if np.shape(trial.estimator_errors_)[-1] < estimator.n_estimators:
        raise KeyboardInterrupt  # a trial keeps its rounds on Ctrl-C; it was meant for the fit
    return perf_counter() - start


def _spread_rows(codes: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Rows at even distances in the order of the classes, and one of every class at least."""
    by_class = np.argsort(codes, kind="stable")
    even = by_class[np.linspace(0, codes.size - 1, size).astype(np.intp)]
    return np.union1d(even, np.unique(codes, return_index=True)[1])


def _duration(seconds: float) -> str:
    """Return a time in the unit that a person would use."""
    if seconds < MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < 2 * HOUR else f"{seconds / HOUR:.0f} hours"
