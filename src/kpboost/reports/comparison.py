"""All outcomes of a store in three arrays, and what of them can be compared.

Ranks need every method on every data set. A run that is still going, or a method that failed here
and there, leaves holes; so methods that have finished clearly fewer data sets than the others are
set aside, and of the data sets those count that all remaining methods have finished. Nothing is
filled in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kpboost.experiments.records import COMPLETE, Outcome

from .signed_rank import DIGITS

FloatArray = NDArray[np.float64]

# What is measured, and how tables call it.
MEASURES: Mapping[str, str] = {"gmean": "Gmean", "auc": "AUC", "gsdi": "GSDI"}
# The measure that decides who is the best where only one can.
MAIN_MEASURE = "gmean"
# The method that others are tested against, if it is there.
CONTROL = "kpboost"
# A method with less than this share of the most finished data sets would cost the others too many.
ENOUGH = 0.5


@dataclass(frozen=True)
class Shared:
    """Scores without holes in one measure.

    Attributes
    ----------
    scores : ndarray of shape (n_datasets, n_methods)
    datasets, methods : tuple of str
        What the rows and columns are.
    """

    scores: FloatArray
    datasets: tuple[str, ...]
    methods: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compare."""
        return len(self.datasets) == 0 or len(self.methods) < 2

    def mean(self, method: str) -> float:
        """Mean score of a method; nan if it is not compared."""
        if self.is_empty or method not in self.methods:
            return np.nan
        return float(self.scores[:, self.methods.index(method)].mean())


@dataclass(frozen=True)
class Comparison:
    """Data sets x methods.

    Attributes
    ----------
    datasets, methods : tuple of str
        Names, in the order of the store.
    titles : mapping from str to str
        How tables call each method.
    scores : mapping from str to ndarray of shape (n_datasets, n_methods)
        Means over folds by measure; nan where not all folds are finished.
    seconds : ndarray of shape (n_datasets, n_methods)
        Time spent, search included; nan where not finished.
    outcomes : tuple of Outcome
        All of them, with folds and errors.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    titles: Mapping[str, str]
    scores: Mapping[str, FloatArray]
    seconds: FloatArray
    outcomes: tuple[Outcome, ...]

    def title(self, method: str) -> str:
        """Name of a method for people."""
        return self.titles.get(method, method)

    def shared(self, measure: str) -> Shared:
        """Scores of the methods and data sets that can be compared."""
        scores = self.scores[measure]
        finished = np.isfinite(scores)
        columns = _enough(finished)
        rows = np.flatnonzero(finished[:, columns].all(axis=1))
        return Shared(
            scores[np.ix_(rows, columns)],
            tuple(self.datasets[row] for row in rows),
            tuple(self.methods[column] for column in columns),
        )

    def total_seconds(self, shared: Shared) -> FloatArray:
        """Time that each compared method took for the data sets compared."""
        rows = [self.datasets.index(name) for name in shared.datasets]
        columns = [self.methods.index(name) for name in shared.methods]
        return np.asarray(self.seconds[np.ix_(rows, columns)].sum(axis=0))

    def control(self, shared: Shared) -> int:
        """Column of the method that others are tested against: KPBoost, or else the first."""
        return shared.methods.index(CONTROL) if CONTROL in shared.methods else 0


def compare_outcomes(outcomes: Sequence[Outcome], titles: Mapping[str, str]) -> Comparison:
    """Arrange outcomes as arrays.

    Parameters
    ----------
    outcomes : sequence of Outcome
        At most one per data set and method.
    titles : mapping from str to str
        Names of methods for people; a method that is not there keeps its short name.

    Returns
    -------
    Comparison
    """
    datasets = tuple(dict.fromkeys(outcome.dataset for outcome in outcomes))
    methods = tuple(dict.fromkeys(outcome.method for outcome in outcomes))
    found = {(outcome.dataset, outcome.method): outcome for outcome in outcomes}
    cells = [found.get(pair) for pair in product(datasets, methods)]
    shape = len(datasets), len(methods)

    def table(name: str) -> FloatArray:
        return np.array([_finished(cell, name) for cell in cells]).reshape(shape)

    scores = {measure: table(measure) for measure in MEASURES}
    return Comparison(datasets, methods, titles, scores, table("seconds"), tuple(outcomes))


def _finished(outcome: Outcome | None, name: str) -> float:
    if outcome is None or outcome.status != COMPLETE:
        return np.nan
    return float(getattr(outcome, name))


def _enough(finished: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Columns of the methods that have finished data sets enough."""
    counts = finished.sum(axis=0)
    most = counts.max(initial=0)
    return np.flatnonzero((counts > 0) & (counts >= ENOUGH * most))


def best_places(values: FloatArray) -> tuple[int, ...]:
    """Places of the largest value: all of them if it is tied, none if nothing is known."""
    if np.isnan(values).all():
        return ()
    rounded = np.round(values, DIGITS)
    return tuple(int(place) for place in np.flatnonzero(rounded == np.nanmax(rounded)))
