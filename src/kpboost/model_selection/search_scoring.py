"""Scorers of a search, and candidates' answers in the form that scorers expect."""

import warnings
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from kpboost.problems.training_set import TrainingSet
from kpboost.problems.votes import predicted_codes

from .boosting_grid import CandidateResult, FoldPlan
from .search_folds import check_all_tested

FloatArray = NDArray[np.float64]
Scorer = Callable[..., float]

TRADEOFF = "tradeoff"


def check_scoring(scoring: Any) -> None:
    """Refuse anything but "tradeoff", the name of a scorer, or a callable."""
    known = isinstance(scoring, str) and scoring in (TRADEOFF, *get_scorer_names())
    if not (known or callable(scoring)):
        raise ValueError(
            f"scoring={scoring!r} is not allowed; it must be {TRADEOFF!r}, a name of "
            "sklearn.metrics.get_scorer_names(), or a callable of estimator, X and y."
        )


def named_scorer(scoring: Any) -> Scorer | None:
    """Return the scorer; None for the trade-off, which compares all candidates at once."""
    if callable(scoring):
        return scoring  # type: ignore[no-any-return]
    return None if scoring == TRADEOFF else get_scorer(scoring)


def takes_weights(scorer: Scorer) -> bool:
    """Tell whether a scorer says that it takes sample weights; those of scikit-learn all do."""
    return "sample_weight" in signature(scorer).parameters


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped base classes
    """A candidate's answers on one fold, dressed as the classifier a scorer expects.

    Parameters
    ----------
    all_classes : ndarray
        Sorted labels of the data set.
    result : CandidateResult
        What the candidate says about the test points.
    points : ndarray or CSR matrix
        The test points.
    y_true : ndarray
        Their labels.
    weight : ndarray or None
        Their weights; None where the user gave none.
    """

    def __init__(
        self,
        all_classes: NDArray[Any],
        result: CandidateResult,
        points: Any,
        y_true: NDArray[Any],
        weight: FloatArray | None,
    ) -> None:
        self.all_classes = all_classes
        self.result = result
        self.points = points
        self.y_true = y_true
        self.weight = weight

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes that were in training."""
        return np.asarray(self.all_classes[self.result.classes])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the test points; other points have none."""
        if X is not self.points:
            raise ValueError("a scorer can ask about the test points of a fold only, all at once")
        return self.result.scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of the test points."""
        return np.asarray(self.classes_[predicted_codes(self.decision_function(X))])

    def recalls(self) -> FloatArray:
        """Return the recall of every class; NaN for those without test points."""
        weight = np.ones(self.y_true.size) if self.weight is None else self.weight
        right = self.predict(self.points) == self.y_true
        members = (self.y_true == self.all_classes[:, None]).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(members @ (weight * right) / (members @ weight))

    def score_by(self, scorer: Scorer) -> float:
        """Return what a scorer says; weights are for those that take them."""
        if self.weight is None or not takes_weights(scorer):
            return float(scorer(self, self.points, self.y_true))
        return float(scorer(self, self.points, self.y_true, sample_weight=self.weight))


# From results by fold to answers by fold.
Dresser = Callable[[Sequence[CandidateResult]], list[Answers]]


def check_scorer(name: Any, scorer: Scorer, folds: Sequence[Answers]) -> None:
    """Try a scorer on made-up answers, so that it does not fail after hours of work.

    Parameters
    ----------
    name : object
        What the user called it.
    scorer : callable
    folds : sequence of Answers
        Whatever the answers, with the labels of the folds.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constant answers; real ones may be fine
            for fold in folds:
                fold.score_by(scorer)
    except Exception as error:
        raise ValueError(
            f"scoring={name!r} does not work here ({error}); a scorer must return one number, and "
            "may use predict, decision_function and classes_ on the test points."
        ) from error


def constant_result(plan: FoldPlan) -> CandidateResult:
    """Make up a result that favours the last class everywhere."""
    n_classes = plan.classes.size
    scores = np.ones(plan.test.size)
    if n_classes > 2:
        scores = np.tile(np.arange(n_classes, dtype=np.float64), (plan.test.size, 1))
    return CandidateResult(scores, plan.classes, 0.0, 0.0)


def dresser(plans: Sequence[FoldPlan], data: TrainingSet) -> Dresser:
    """Return what turns the results on all folds into answers; test points are taken once."""
    labels = data.classes[data.codes]
    weight = [data.weight[plan.test] if data.is_weighted else None for plan in plans]
    tests = [
        (data.points[plan.test], labels[plan.test], own)
        for plan, own in zip(plans, weight, strict=True)
    ]
    return lambda results: [
        Answers(data.classes, result, *test) for result, test in zip(results, tests, strict=True)
    ]


def checked_scorer(scoring: Any, plans: Sequence[FoldPlan], data: TrainingSet) -> Scorer | None:
    """Return the scorer, known to work on these folds; None for the trade-off."""
    scorer = named_scorer(scoring)
    if scorer is None:
        check_all_tested([plan.test for plan in plans], data)
    else:
        made_up = dresser(plans, data)([constant_result(plan) for plan in plans])
        check_scorer(scoring, scorer, made_up)
    return scorer
