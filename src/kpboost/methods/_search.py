"""Try the candidates of a method on splits, sharing what they share, and choose among them.

The rule of choice for user data is one: three inner folds of the training part, the mean recall of
every class, and the best trade-off between them. Methods that follow the plain SVM's kernel width
search that first. :func:`search` does it in one go, for `fit` and `audit`; a nested comparison does
the same as jobs, by the same functions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import Any

import numpy as np

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.kernels import rbf_from_squared_distances
from kpboost.metrics import group_recalls
from kpboost.model_selection import (
    Candidate,
    folds_of_width,
    influence,
    inner_splits,
    largest_tradeoff,
    mean_over_folds,
    plan_folds,
    tested_classes,
    try_candidates,
)
from kpboost.problems import predicted_codes
from kpboost.svm import decay_pair_scores

from ._grids import Parameters, Part, gamma_of
from ._preparation import PreparedSplit, prepare_split
from ._registry import BOOSTING, DECAY_PAIRS, METHODS, ON_GRAM, Method

# The prediction of a candidate that failed: no class has this number.
NO_CLASS = -1


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePredictions:
    """What the candidates predict for the test samples.

    Attributes
    ----------
    codes : ndarray of shape (n_candidates, n_test)
        Predicted classes; -1 all along for a candidate that failed.
    fit_seconds, predict_seconds : ndarray of shape (n_candidates,)
        Processor time; what candidates share is divided among them.
    errors : tuple of str
        Why candidates failed, in order; empty for the others.
    scores : ndarray of shape (n_candidates, n_test, n_classes) or None, default=None
        The larger, the more likely the class: probabilities if the method has them, else decision
        values. NaN all along for a candidate that failed; None if the method has neither, or the
        scores are not wanted.
    are_probabilities : bool, default=False
        Whether the scores are.
    """

    codes: IndexArray
    fit_seconds: FloatArray
    predict_seconds: FloatArray
    errors: tuple[str, ...]
    scores: FloatArray | None = None
    are_probabilities: bool = False


def try_on_split(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float | None,
    split: PreparedSplit,
    seeds: Sequence[int],
    *,
    with_scores: bool = False,
) -> CandidatePredictions:
    """Fit every candidate on the training part and predict for the test part.

    Parameters
    ----------
    method : Method
    candidates : sequence of mappings
    gamma : float or None
        Kernel width; None for a method without.
    split : PreparedSplit
    seeds : sequence of int
        One per candidate, for methods that draw.
    with_scores : bool, default=False
        Whether the scores of the test samples are wanted; a search needs the classes alone.
    """
    engine = _SHARED.get(method.engine) if split.fits_dense else None
    if engine is None or gamma is None or method.threshold is not None:
        return _one_by_one(method, candidates, gamma, split, seeds, with_scores)
    return engine(method, candidates, gamma, split, with_scores)


def _one_by_one(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float | None,
    split: PreparedSplit,
    seeds: Sequence[int],
    with_scores: bool,
) -> CandidatePredictions:
    estimators = [
        method.build(candidate, gamma, seed, split.nominal)
        for candidate, seed in zip(candidates, seeds, strict=True)
    ]
    scores = _empty_scores(len(candidates), split, with_scores)
    return _fit_each(estimators, split.train, split.test[0], scores)


def _on_gram(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float,
    split: PreparedSplit,
    with_scores: bool,
) -> CandidatePredictions:
    """Let machines share one kernel matrix; each starts from its predecessor's solution."""
    begun = thread_time()
    n_train = split.n_train
    kernel = rbf_from_squared_distances(split.squared[:, :n_train], gamma)
    machine = method.estimator_class()(kernel="precomputed", warm_start=True, **method.fixed)
    shared = (thread_time() - begun) / len(candidates)
    training = kernel[:n_train], *split.train[1:]
    machines, scores = (
        [machine] * len(candidates),
        _empty_scores(len(candidates), split, with_scores),
    )
    found = _fit_each(machines, training, kernel[n_train:], scores, candidates)
    return replace(found, fit_seconds=found.fit_seconds + shared)


def _fit_each(
    estimators: Sequence[Any],
    training: tuple[Any, ...],
    X_test: FloatArray,
    scores: FloatArray | None,
    settings: Sequence[Parameters] | None = None,
) -> CandidatePredictions:
    """Fit and predict one after the other; one that fails leaves the others alone."""
    codes = np.full((len(estimators), len(X_test)), NO_CLASS, dtype=np.intp)
    seconds = np.zeros((2, len(estimators)))
    errors = [""] * len(estimators)
    scoring = None
    for place, estimator in enumerate(estimators):
        begun = thread_time()
        try:
            if settings is not None:
                estimator.set_params(**settings[place])
            estimator.fit(*training)
            fitted = thread_time()
            codes[place] = estimator.predict(X_test)
            seconds[:, place] = fitted - begun, thread_time() - fitted
            if scores is not None:
                scoring = _score(estimator, X_test, scores[place])
        except (ValueError, ArithmeticError, RuntimeError) as error:
            errors[place] = in_words(error)
    return CandidatePredictions(
        codes,
        seconds[0],
        seconds[1],
        tuple(errors),
        scores=None if scoring is None else scores,
        are_probabilities=scoring == PROBABILITIES,
    )


# What scores samples, the best first, and what it says of a class that was not trained on.
PROBABILITIES, DECISION = "predict_proba", "decision_function"
SCORING = {PROBABILITIES: 0.0, DECISION: -np.inf}


def _empty_scores(n_candidates: int, split: PreparedSplit, with_scores: bool) -> FloatArray | None:
    """Return room for the scores of all candidates if they are wanted."""
    shape = n_candidates, len(split.test[0]), split.n_classes
    return np.full(shape, np.nan) if with_scores else None


def _score(estimator: Any, X: FloatArray, scores: FloatArray) -> str | None:
    """Write the scores of a fitted estimator, and return what gave them; None if nothing can."""
    scoring = next((name for name in SCORING if hasattr(estimator, name)), None)
    if scoring is not None:
        _put_scores(scores, getattr(estimator, scoring)(X), estimator.classes_, SCORING[scoring])
    return scoring


def _put_scores(scores: FloatArray, values: FloatArray, classes: IndexArray, absent: float) -> None:
    """Write the scores of one candidate; a value each is the second of two classes'."""
    scores[:] = absent
    scores[:, classes] = np.column_stack((-values, values)) if values.ndim == 1 else values


def _boosting(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float,
    split: PreparedSplit,
    with_scores: bool,
) -> CandidatePredictions:
    """Boost all candidates on one kernel matrix, with one first round per C."""
    begun = thread_time()
    data = split.as_training_set
    rows = np.arange(data.codes.size)
    (plan,) = plan_folds(
        [(rows[: split.n_train], rows[split.n_train :])],
        data,
        multi_class=method.fixed.get("multi_class", "one_vs_one"),
        class_weight=method.fixed.get("class_weight"),
        pos_label=None,
    )
    (fold,) = folds_of_width(gamma, [plan], split.squared, data)
    tried = [_boosting_candidate(candidate) for candidate in candidates]
    prototype = method.estimator_class()(**method.fixed)
    results = try_candidates(
        fold,
        tried,
        influence(plan, [each.roi_scale for each in tried], split.squared),
        n_rounds=prototype.n_estimators,
        tol=prototype.tol,
        judge_rounds=prototype.judge_rounds,
        graded=with_scores,
    )
    codes = np.array([plan.classes[predicted_codes(result.scores)] for result in results])
    own = np.array([(result.fit_seconds, result.score_seconds) for result in results]).T
    spent = thread_time() - begun
    # Candidates' own clocks run while others compute; their shares of the processor time do not.
    share = spent * own / max(own.sum(), np.finfo(np.float64).tiny)
    scores = _empty_scores(len(tried), split, with_scores)
    for place, result in enumerate(results):
        if scores is not None and result.graded is not None:
            _put_scores(scores[place], result.graded, plan.classes, SCORING[DECISION])
    return CandidatePredictions(codes, share[0], share[1], ("",) * len(tried), scores)


def _boosting_candidate(candidate: Mapping[str, Any]) -> Candidate:
    return Candidate(candidate["C"], candidate["perturbation_step"], candidate.get("roi_scale"))


def _decay_pairs(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float,
    split: PreparedSplit,
    with_scores: bool,
) -> CandidatePredictions:
    """Predict for all pairs of decays of one C from one machine."""
    X_test = split.test[0]
    codes = np.empty((len(candidates), len(X_test)), dtype=np.intp)
    seconds = np.empty((2, len(candidates)))
    scores = _empty_scores(len(candidates), split, with_scores)
    costs = [candidate["C"] for candidate in candidates]
    for C in dict.fromkeys(costs):
        own = [place for place, cost in enumerate(costs) if cost == C]
        pos, neg = (
            sorted({candidates[place][name] for place in own})
            for name in ("decay_pos", "decay_neg")
        )
        begun = thread_time()
        machine = method.estimator_class()(C=C, gamma=gamma, **method.fixed).fit(*split.train)
        fitted = thread_time()
        for decay, table in zip(pos, decay_pair_scores(machine, X_test, pos, neg), strict=True):
            for place in (place for place in own if candidates[place]["decay_pos"] == decay):
                values = table[neg.index(candidates[place]["decay_neg"])]
                codes[place] = machine.classes_[predicted_codes(values)]
                if scores is not None:
                    _put_scores(scores[place], values, machine.classes_, SCORING[DECISION])
        seconds[:, own] = np.array([[fitted - begun], [thread_time() - fitted]]) / len(own)
    return CandidatePredictions(codes, seconds[0], seconds[1], ("",) * len(candidates), scores)


Engine = Callable[[Method, Sequence[Parameters], float, PreparedSplit, bool], CandidatePredictions]
_SHARED: dict[str, Engine] = {
    ON_GRAM: _on_gram,
    BOOSTING: _boosting,
    DECAY_PAIRS: _decay_pairs,
}


class NoChoiceError(ValueError):
    """There is no candidate that could be tried on all folds."""


def choose(recalls: FloatArray) -> int:
    """Return the candidate with the best trade-off of its mean recalls.

    Parameters
    ----------
    recalls : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for a class without test points, and all along for a candidate that failed on a fold:
        such a candidate cannot win.

    Returns
    -------
    int
        The largest mu; among equals the largest geometric mean, then the first. mu
    """
    if np.any(np.all(np.isnan(recalls), axis=2), axis=1).all():
        raise NoChoiceError("Every candidate failed on some fold.")
    return largest_tradeoff(tested_classes(mean_over_folds(recalls)))


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPart:
    """Rows to choose and to learn from.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        NaN is a missing value; nominal columns hold codes.
    nominal : ndarray of bool of shape (d,)
    codes : ndarray of shape (n,)
        Class numbers, from 0 without gaps.
    factors : ndarray of shape (n_classes,) or None
        Weight of a row of every class, see ``sample_rows``.
    """

    X: FloatArray
    nominal: BoolArray
    codes: IndexArray
    factors: FloatArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.codes.max()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class ChosenCandidate:
    """The chosen candidate, and its length scale; None for a method without a kernel width."""

    candidate: Parameters
    length_scale: float | None


def search(method: Method, grid: str, part: TrainingPart, seed: int) -> ChosenCandidate:
    """Choose a candidate by inner folds of a training part.

    Parameters
    ----------
    method : Method
    grid : {"quick", "paper"}
    part : TrainingPart
    seed : int
        Seed of the inner folds, and of methods that draw.

    Raises
    ------
    NoChoiceError
        If every candidate failed on some fold, with the reason of the first.
    """
    every = np.arange(part.codes.size)
    data = part.X, part.nominal, part.codes
    splits = [
        prepare_split(method, *data, train, test, part.factors)
        for train, test in inner_splits(part.codes, every, seed)
    ]
    best = None
    for leader in method.needs(grid):
        best = _search(METHODS[leader], grid, part, splits, None, seed).length_scale
    return _search(method, grid, part, splits, best, seed)


def _search(
    method: Method,
    grid: str,
    part: TrainingPart,
    splits: Sequence[PreparedSplit],
    best: float | None,
    seed: int,
) -> ChosenCandidate:
    choices = [
        ChosenCandidate(candidate, each.width.length_scale(part.X.shape[1], best))
        for each in method.grids[grid]
        for candidate in method.candidates(each, part.n_classes)
    ]
    if len(choices) == 1:
        return choices[0]
    tried = [_try_part(method, each, part, splits, best, seed) for each in method.grids[grid]]
    try:
        return choices[choose(np.concatenate([recalls for recalls, _ in tried]))]
    except NoChoiceError as error:
        why = next((word for _, errors in tried for word in errors), "nothing")
        raise NoChoiceError(f"Every candidate failed on some fold; the first said: {why}") from (
            error
        )


def _try_part(
    method: Method,
    tried: Part,
    part: TrainingPart,
    splits: Sequence[PreparedSplit],
    best: float | None,
    seed: int,
) -> tuple[FloatArray, list[str]]:
    """Recalls (n_candidates, n_splits, n_classes) of the candidates of one width, and errors."""
    candidates = method.candidates(tried, part.n_classes)
    gamma = gamma_of(tried.width.length_scale(part.X.shape[1], best))
    seeds = [seed] * len(candidates)
    searched = method.as_searched()
    tests = [try_on_split(searched, candidates, gamma, split, seeds) for split in splits]
    recalls = [
        group_recalls(hits_of(own.codes, split.test[1]), split.test[1], part.n_classes)
        for split, own in zip(splits, tests, strict=True)
    ]
    return np.stack(recalls, axis=1), [word for own in tests for word in own.errors if word]


def hits_of(predicted: IndexArray, truth: IndexArray) -> FloatArray:
    """Whether each prediction is correct, (n_candidates, n_test); NaN for those that failed."""
    return np.where(predicted[:, :1] < 0, np.nan, (predicted == truth).astype(np.float64))


# Enough for a sentence; some libraries print whole arrays.
MOST_LETTERS = 500


def in_words(error: BaseException) -> str:
    """Return the kind of an error and what it says, on one line."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:MOST_LETTERS] if text else name
