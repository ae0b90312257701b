"""Try the candidates of one method and one kernel width on one split, sharing what they share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import Any

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.kernels import rbf_from_squared_distances
from kpboost.model_selection import (
    Candidate,
    folds_of_width,
    plan_folds,
    try_candidates,
)
from kpboost.problems import predicted_codes
from kpboost.svm import decay_pair_predictions

from ._grids import Parameters
from ._methods import BOOSTING, DECAY_PAIRS, ON_GRAM, Method
from ._partitions import in_words
from ._splits import PreparedSplit

# What a candidate that failed answers: no class has this number.
NO_ANSWER = -1


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What the candidates say about the test points.

    Attributes
    ----------
    codes : ndarray of shape (n_candidates, n_test)
        Predicted classes; -1 all along for a candidate that failed.
    fit_seconds, predict_seconds : ndarray of shape (n_candidates,)
        Processor time; what candidates share is divided among them.
    errors : tuple of str
        Why candidates failed, in order; empty for the others.
    """

    codes: IndexArray
    fit_seconds: FloatArray
    predict_seconds: FloatArray
    errors: tuple[str, ...]


def try_on_split(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float | None,
    split: PreparedSplit,
    seeds: Sequence[int],
) -> Answers:
    """Fit every candidate on the training part and answer the test part.

    Parameters
    ----------
    method : Method
    candidates : sequence of mappings
    gamma : float or None
        Kernel width; None for a method without.
    split : PreparedSplit
    seeds : sequence of int
        One per candidate, for methods that draw.
    """
    engine = _SHARED.get(method.engine) if split.fits_dense else None
    if engine is None or gamma is None:
        return _one_by_one(method, candidates, gamma, split, seeds)
    return engine(method, candidates, gamma, split)


def _one_by_one(
    method: Method,
    candidates: Sequence[Parameters],
    gamma: float | None,
    split: PreparedSplit,
    seeds: Sequence[int],
) -> Answers:
    estimators = [
        method.build(candidate, gamma, seed, split.nominal)
        for candidate, seed in zip(candidates, seeds, strict=True)
    ]
    return _fit_each(estimators, split.train, split.test[0])


def _on_gram(
    method: Method, candidates: Sequence[Parameters], gamma: float, split: PreparedSplit
) -> Answers:
    """Let machines share one kernel matrix; each starts from its predecessor's solution."""
    begun = thread_time()
    n_train = split.n_train
    kernel = rbf_from_squared_distances(split.squared[:, :n_train], gamma)
    machine = method.estimator_class()(kernel="precomputed", warm_start=True, **method.fixed)
    shared = (thread_time() - begun) / len(candidates)
    training = kernel[:n_train], split.train[1]
    answers = _fit_each([machine] * len(candidates), training, kernel[n_train:], candidates)
    return replace(answers, fit_seconds=answers.fit_seconds + shared)


def _fit_each(
    estimators: Sequence[Any],
    training: tuple[FloatArray, IndexArray],
    X_test: FloatArray,
    settings: Sequence[Parameters] | None = None,
) -> Answers:
    """Fit and ask one after the other; an error is an answer too."""
    codes = np.full((len(estimators), len(X_test)), NO_ANSWER, dtype=np.intp)
    seconds = np.zeros((2, len(estimators)))
    errors = [""] * len(estimators)
    for place, estimator in enumerate(estimators):
        begun = thread_time()
        try:
            if settings is not None:
                estimator.set_params(**settings[place])
            estimator.fit(*training)
            fitted = thread_time()
            codes[place] = estimator.predict(X_test)
            seconds[:, place] = fitted - begun, thread_time() - fitted
        except (ValueError, ArithmeticError, RuntimeError) as error:
            errors[place] = in_words(error)
    return Answers(codes, seconds[0], seconds[1], tuple(errors))


def _boosting(
    method: Method, candidates: Sequence[Parameters], gamma: float, split: PreparedSplit
) -> Answers:
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
        n_rounds=prototype.n_estimators,
        tol=prototype.tol,
        judge_rounds=prototype.judge_rounds,
        n_threads=1,
    )
    codes = np.array([plan.classes[predicted_codes(result.scores)] for result in results])
    own = np.array([(result.fit_seconds, result.score_seconds) for result in results]).T
    spent = thread_time() - begun
    # Candidates' own clocks run while others compute; their shares of the processor time do not.
    share = spent * own / max(own.sum(), np.finfo(np.float64).tiny)
    return Answers(codes, share[0], share[1], ("",) * len(tried))


def _boosting_candidate(candidate: Mapping[str, Any]) -> Candidate:
    return Candidate(candidate["C"], candidate["perturbation_step"], candidate.get("roi_scale"))


def _decay_pairs(
    method: Method, candidates: Sequence[Parameters], gamma: float, split: PreparedSplit
) -> Answers:
    """Answer for all pairs of decays of one C from one machine."""
    codes = np.empty((len(candidates), len(split.test[0])), dtype=np.intp)
    seconds = np.empty((2, len(candidates)))
    costs = [candidate["C"] for candidate in candidates]
    for C in dict.fromkeys(costs):
        own = [place for place, cost in enumerate(costs) if cost == C]
        pairs = [(candidates[i]["decay_pos"], candidates[i]["decay_neg"]) for i in own]
        pos, neg = (sorted(set(decays)) for decays in zip(*pairs, strict=True))
        begun = thread_time()
        machine = method.estimator_class()(C=C, gamma=gamma, **method.fixed).fit(*split.train)
        fitted = thread_time()
        table = decay_pair_predictions(machine, split.test[0], pos, neg)
        codes[own] = [table[pos.index(one), neg.index(other)] for one, other in pairs]
        seconds[:, own] = np.array([[fitted - begun], [thread_time() - fitted]]) / len(own)
    return Answers(codes, seconds[0], seconds[1], ("",) * len(candidates))


Engine = Callable[[Method, Sequence[Parameters], float, PreparedSplit], Answers]
_SHARED: dict[str, Engine] = {
    ON_GRAM: _on_gram,
    BOOSTING: _boosting,
    DECAY_PAIRS: _decay_pairs,
}
