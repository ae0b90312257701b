"""The measures of a comparison, and the scores of many candidates on one test fold.

A new measure is a function of :class:`Predictions` and a line in ``MEASURES``: stores, tables,
files and pages find it there. The paper's three measures have columns in a store. Others are kept
beside the predictions; those of labels can be computed from these for a store from before, those of
scores and probabilities cannot.

A comparison under the paper's protocols has the paper's measures alone. The area under the curve of
hard labels is one of them; for two classes it is the balanced accuracy, for C classes of mean
recall r it is (1 + (C r - 1) / (C - 1)) / 2. Outside of the paper's tables the mean recall itself
is shown, by its name.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.methods import hits_of
from kpboost.metrics import geometric_mean, group_recalls, gsdi, hard_auc

from ._splits import NESTED, PUBLISHED, STATED

# What a measure is computed from.
LABELS, SCORES, PROBABILITIES = "labels", "scores", "probabilities"
# A probability of zero for what came true costs -log of this, 36, and not all: scikit-learn's own.
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What some candidates predict for the samples of one test fold.

    Attributes
    ----------
    truth : ndarray of shape (n_test,)
        Class numbers.
    predicted : ndarray of shape (n_candidates, n_test)
        Predicted class numbers; a row that begins with a negative one failed.
    class_sizes : ndarray of shape (n_classes,)
        Sizes of the classes of the data set; a fold may have fewer classes.
    disjuncts : ndarray of shape (n_test,)
        Disjuncts of the samples.
    disjunct_sizes : ndarray
        Sizes of all disjuncts of the data set.
    scores : ndarray of shape (n_candidates, n_test, n_classes) or None, default=None
        The larger, the more likely the class; None if nobody asked for them, or there are none.
    are_probabilities : bool, default=False
        Whether the scores are.
    """

    truth: IndexArray
    predicted: IndexArray
    class_sizes: IndexArray
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    scores: FloatArray | None = None
    are_probabilities: bool = False

    @property
    def hits(self) -> FloatArray:
        """Whether each prediction is correct, (n_candidates, n_test); NaN for those that failed."""
        return hits_of(self.predicted, self.truth)

    @property
    def recalls(self) -> FloatArray:
        """Recalls, (n_candidates, n_classes); NaN for classes without samples here."""
        return group_recalls(self.hits, self.truth, self.class_sizes.size)

    @property
    def tested_recalls(self) -> FloatArray:
        """Recalls of the classes that have samples here."""
        return self.recalls[:, np.unique(self.truth)]

    def allow(self, measure: "Measure") -> bool:
        """Tell whether there is what a measure needs."""
        if measure.needs == LABELS:
            return True
        return self.scores is not None and (measure.needs == SCORES or self.are_probabilities)


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
        From Predictions to an array of shape (n_candidates,); NaN for a candidate that failed, and
        for a fold on which it is not defined.
    larger_is_better : bool
    needs : {"labels", "scores", "probabilities"}
        What it is computed from.
    protocols : tuple of str
        Under which a comparison has it.
    is_detail : bool
        Whether the short table leaves it to the other tables and the files.
    """

    name: str
    title: str
    note: str
    function: Callable[[Predictions], FloatArray]
    larger_is_better: bool = True
    needs: str = LABELS
    protocols: tuple[str, ...] = (NESTED, STATED, PUBLISHED)
    is_detail: bool = False


def _gmean(found: Predictions) -> FloatArray:
    return geometric_mean(found.tested_recalls)


def _balanced_accuracy(found: Predictions) -> FloatArray:
    return np.asarray(found.tested_recalls.mean(axis=1))


def _auc(found: Predictions) -> FloatArray:
    """Hand and Till's mean over pairs of classes; NaN for one class alone."""
    recalls = found.tested_recalls
    return hard_auc(recalls) if recalls.shape[1] > 1 else np.full(len(recalls), np.nan)


def _gsdi(found: Predictions) -> FloatArray:
    numbers, first, groups = np.unique(found.disjuncts, return_index=True, return_inverse=True)
    class_codes = np.unique(found.truth[first], return_inverse=True)[1]
    recalls = group_recalls(found.hits, groups, numbers.size)
    return gsdi(recalls, class_codes, -found.disjunct_sizes[numbers].astype(np.float64))


def _of_each(found: Predictions, function: Callable[[IndexArray, FloatArray], float]) -> FloatArray:
    """Measure the scores of every candidate, given with the truth; NaN for those that failed."""
    every = np.empty((0, 0, 0)) if found.scores is None else found.scores
    return np.array(
        [np.nan if np.isnan(own).any() else function(found.truth, own) for own in every]
    )


def _roc_auc(found: Predictions) -> FloatArray:
    return _of_each(found, _area_over_pairs)


def _area_over_pairs(truth: IndexArray, scores: FloatArray) -> float:
    """Area under the ROC curve; for several classes Hand and Till's mean over pairs of them."""
    present = np.unique(truth)
    if present.size < 2:
        return np.nan
    if scores.shape[1] == 2:
        return _area(truth == 1, scores[:, 1])
    areas = []
    for pair in combinations(present, 2):
        rows = np.isin(truth, pair)
        areas += [_area(truth[rows] == own, scores[rows, own]) for own in pair]
    return float(np.mean(areas))


def _area(positive: BoolArray, scores: FloatArray) -> float:
    """Share of pairs, a positive and a negative sample, of which the positive one scores higher."""
    n_positive = int(positive.sum())
    above = rankdata(scores)[positive].sum() - n_positive * (n_positive + 1) / 2
    return float(above / (n_positive * (positive.size - n_positive)))


def _average_precision(found: Predictions) -> FloatArray:
    """Return that of the rarer of two classes, or the mean over the classes that have samples."""
    sizes = found.class_sizes
    rarer = int(sizes[1] <= sizes[0])  # of equals the second, as scikit-learn
    classes = [rarer] if sizes.size == 2 else np.unique(found.truth).tolist()
    return _of_each(found, lambda truth, scores: _mean_precision(truth, scores, classes))


def _mean_precision(truth: IndexArray, scores: FloatArray, classes: Iterable[int]) -> float:
    return float(np.mean([_precision(truth == own, scores[:, own]) for own in classes]))


def _precision(positive: BoolArray, scores: FloatArray) -> float:
    """Mean precision over the positive samples, with all of equal score or higher called positive.

    NaN without positive samples.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(scores[order][1:] != scores[order][:-1], True))
    found = np.cumsum(positive[order])[ends]
    if found[-1] == 0:
        return np.nan
    return float(np.sum(np.diff(found, prepend=0) * found / (ends + 1)) / found[-1])


def _log_loss(found: Predictions) -> FloatArray:
    return _of_each(found, _mean_surprise)


def _mean_surprise(truth: IndexArray, probabilities: FloatArray) -> float:
    own = probabilities[np.arange(truth.size), truth]
    return float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean())


def _brier(found: Predictions) -> FloatArray:
    return _of_each(found, _half_squared_distance)


def _half_squared_distance(truth: IndexArray, probabilities: FloatArray) -> float:
    gaps = probabilities - np.eye(probabilities.shape[1])[truth]
    return float(0.5 * np.square(gaps).sum(axis=1).mean())


# The measures that the paper reports.
PAPER_MEASURES = ("gmean", "auc", "gsdi")
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("gmean", "Gmean", "geometric mean of the recalls of all classes", _gmean),
        Measure(
            "auc",
            "AUC",
            "area under the curve of hard labels, for two classes the mean of both recalls",
            _auc,
            protocols=(STATED, PUBLISHED),
        ),
        Measure(
            "balanced_accuracy",
            "Balanced accuracy",
            "mean of the recalls of all classes",
            _balanced_accuracy,
            protocols=(NESTED,),
        ),
        Measure("gsdi", "GSDI", "recall of the disjuncts, the small ones counting most", _gsdi),
        Measure(
            "roc_auc",
            "ROC-AUC",
            "area under the ROC curve of the scores, for several classes Hand and Till's",
            _roc_auc,
            needs=SCORES,
            protocols=(NESTED,),
        ),
        Measure(
            "average_precision",
            "AP",
            "average precision of the rarer of two classes, for several the mean over all",
            _average_precision,
            needs=SCORES,
            protocols=(NESTED,),
        ),
        Measure(
            "log_loss",
            "Log-loss",
            f"mean -log of the true class's probability, which is at least {LEAST_PROBABILITY:.1e}",
            _log_loss,
            larger_is_better=False,
            needs=PROBABILITIES,
            protocols=(NESTED,),
            is_detail=True,
        ),
        Measure(
            "brier",
            "Brier score",
            "half the mean squared distance of the probabilities from the truth",
            _brier,
            larger_is_better=False,
            needs=PROBABILITIES,
            protocols=(NESTED,),
            is_detail=True,
        ),
    )
}


def measures_of(protocol: str) -> tuple[Measure, ...]:
    """Return the measures of comparisons under a protocol."""
    return tuple(measure for measure in MEASURES.values() if protocol in measure.protocols)


def measured_names(protocol: str) -> tuple[str, ...]:
    """Return the keys of the scores of an outcome: its protocol's measures and the paper's."""
    own = {measure.name for measure in measures_of(protocol)}
    return tuple(name for name in MEASURES if name in own or name in PAPER_MEASURES)


def scores_of(found: Predictions) -> dict[str, FloatArray]:
    """Score every candidate by every measure for which there is what it needs."""
    return {
        name: measure.function(found) for name, measure in MEASURES.items() if found.allow(measure)
    }
