"""The measures of a comparison, and the scores of many candidates on one test fold.

A new measure is a function of :class:`Predictions` and a line in ``MEASURES``: stores, tables,
files and pages find it there. Three measures have columns in a store; others are computed when it
is read, from the predictions that it keeps.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.methods import hits_of
from kpboost.metrics import geometric_mean, group_recalls, gsdi, hard_auc


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What some candidates predict for the samples of one test fold.

    Attributes
    ----------
    truth : ndarray of shape (n_test,)
        Class numbers.
    predicted : ndarray of shape (n_candidates, n_test)
        Predicted class numbers; a row that begins with a negative one failed.
    n_classes : int
        Classes of the data set; a fold may have fewer.
    disjuncts : ndarray of shape (n_test,)
        Disjuncts of the samples.
    disjunct_sizes : ndarray
        Sizes of all disjuncts of the data set.
    """

    truth: IndexArray
    predicted: IndexArray
    n_classes: int
    disjuncts: IndexArray
    disjunct_sizes: IndexArray

    @property
    def hits(self) -> FloatArray:
        """Whether each prediction is correct, (n_candidates, n_test); NaN for those that failed."""
        return hits_of(self.predicted, self.truth)

    @property
    def recalls(self) -> FloatArray:
        """Recalls, (n_candidates, n_classes); NaN for classes without samples here."""
        return group_recalls(self.hits, self.truth, self.n_classes)

    @property
    def tested_recalls(self) -> FloatArray:
        """Recalls of the classes that have samples here."""
        return self.recalls[:, np.unique(self.truth)]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a comparison.

    Attributes
    ----------
    name : str
        Its key in records and files.
    title : str
        How tables call it.
    note : str
        What it measures, in half a sentence.
    function : callable
        From Predictions to an array of shape (n_candidates,); NaN for a candidate that failed.
    larger_is_better : bool
    """

    name: str
    title: str
    note: str
    function: Callable[[Predictions], FloatArray]
    larger_is_better: bool = True


def _gmean(found: Predictions) -> FloatArray:
    return geometric_mean(found.tested_recalls)


def _auc(found: Predictions) -> FloatArray:
    """Hand and Till's mean over pairs of classes; NaN for one class alone."""
    recalls = found.tested_recalls
    return hard_auc(recalls) if recalls.shape[1] > 1 else np.full(len(recalls), np.nan)


def _gsdi(found: Predictions) -> FloatArray:
    numbers, first, groups = np.unique(found.disjuncts, return_index=True, return_inverse=True)
    class_codes = np.unique(found.truth[first], return_inverse=True)[1]
    recalls = group_recalls(found.hits, groups, numbers.size)
    return gsdi(recalls, class_codes, -found.disjunct_sizes[numbers].astype(np.float64))


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("gmean", "Gmean", "geometric mean of the recalls of all classes", _gmean),
        Measure(
            "auc",
            "AUC",
            "area under the curve of hard labels, for two classes the mean of both recalls",
            _auc,
        ),
        Measure("gsdi", "GSDI", "recall of the disjuncts, the small ones counting most", _gsdi),
    )
}


def scores_of(found: Predictions) -> dict[str, FloatArray]:
    """Score every candidate by every measure."""
    return {name: measure.function(found) for name, measure in MEASURES.items()}
