"""The null hypothesis: the model's predictions are the best possible ones.

Under it labels have probabilities, of which three things are known. They fit the labels: they come
from the model's own scores and those of two smooth models, and from a rate at which the label of
each class turns up where it does not belong. Where rows agree, the shares of the classes among them
tell more, the more rows there are. And the predicted class is everywhere the likeliest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from kpboost._typing import FloatArray, IndexArray
from kpboost.model_selection import OutOfFold, Split, out_of_fold

from ._data import AuditData
from ._parts import Places


@dataclass(frozen=True, eq=False)
class NullHypothesis:
    """Places of the rows, predicted classes, and the probabilities to draw labels from."""

    places: Places
    predicted: IndexArray
    probabilities: FloatArray

    @cached_property
    def expected(self) -> FloatArray:
        """Rows of each class to be expected at each place."""
        return self.places.sums(self.probabilities)


def null_hypothesis(
    data: AuditData, places: Places, predictions: OutOfFold, folds: Sequence[Split]
) -> NullHypothesis:
    """Find probabilities under which the predictions are the best possible ones.

    Parameters
    ----------
    data : AuditData
    places : Places
        Where the rows lie.
    predictions : OutOfFold
        Of the model under audit.
    folds : sequence of (train, test)
        For the smooth models, whose scores are joined with the model's own.
    """
    numbers, scores = list(range(len(data.classes))), [predictions.scores]
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        smallest = min(len(train) for train, _ in folds)
        for each in smooth_models(smallest, data.points.shape[1]):
            scores.append(out_of_fold(each, data.points, data.codes, numbers, folds).scores)
    likely = joint_probabilities(scores, data.codes)
    likely = with_shares(likely, places, data.codes)
    return NullHypothesis(places, predictions.predicted, as_if_best(likely, predictions.predicted))


# Directions of the straight model, and of the curved one: with squares and products, 44 terms.
STRAIGHT_DIRECTIONS, CURVED_DIRECTIONS = 30, 8


def smooth_models(n_rows: int, n_features: int) -> tuple[Any, Any]:
    """Logistic regression on the main directions, and on squares and products of some of them.

    `n_rows` is the number of rows of the smallest training fold.

    Where classes differ in one column of many, the scores of a model with many terms are mostly
    noise, and probabilities fitted to them are too even along that column: what chance makes of its
    tail looks striking. The straight model has little noise.
    """
    most = max(1, min(n_features, n_rows // 2))
    straight = PCA(min(most, STRAIGHT_DIRECTIONS), random_state=0)
    curved = PCA(min(most, CURVED_DIRECTIONS), random_state=0)
    return _regression(straight), _regression(curved, PolynomialFeatures(2, include_bias=False))


def _regression(*steps: Any) -> Any:
    return make_pipeline(*steps, StandardScaler(), LogisticRegression(max_iter=500))


# Keeps parameters that the data say nothing about near their start; too weak to matter otherwise.
PENALTY = 1e-4
# A third of the scores, and two labels in a hundred that turn up anywhere.
START_LOG_SLOPE, START_NOISE = -1.0, 0.02
LEAST = 1e-300


def joint_probabilities(scores: Sequence[FloatArray], codes: IndexArray) -> FloatArray:
    """Fit probabilities of the classes to out-of-fold scores of several models.

    They are (1 - sum of rates) softmax(sum of slope_m scores_m + offsets) + rates. A class's rate
    is that at which its label turns up anywhere, by mistake: of two classes, the rate at which the
    other is taken for it. Slopes, offsets and rates are those of the largest likelihood.

    Parameters
    ----------
    scores : sequence of ndarray of shape (n_rows, n_classes)
        One array per model.
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Rows sum to 1.
    """
    stacked = np.stack([s - s.mean(axis=1, keepdims=True) for s in scores])
    fit = JointFit(stacked, codes)
    start = fit.start()
    found = minimize(fit.loss, start, args=(start,), jac=True, method="L-BFGS-B").x
    return fit.probabilities(found)


@dataclass(frozen=True, slots=True, eq=False)
class JointFit:
    """The likelihood of slopes, rates and offsets, in this order, and its gradient.

    Slopes are logarithms. Rates are a softmax with 0, for no mistake, in front.
    """

    scores: FloatArray
    codes: IndexArray

    def start(self) -> FloatArray:
        """Return parameters of weak scores and few mistakes, as frequent as the classes."""
        n_models, n_rows, n_classes = self.scores.shape
        sizes = np.maximum(np.bincount(self.codes, minlength=n_classes), 1)
        rates = np.log(START_NOISE / (1 - START_NOISE) * sizes / n_rows)
        start = [np.full(n_models, START_LOG_SLOPE), rates, np.zeros(n_classes)]
        return np.concatenate(start)

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Probabilities of all classes at all rows."""
        _, rates, clean = self._terms(parameters)
        return np.asarray((1 - rates.sum()) * clean + rates)

    def loss(self, parameters: FloatArray, start: FloatArray) -> tuple[float, FloatArray]:
        """Mean of -log probability of the labels, with the penalty, and its gradient."""
        _, n_rows, n_classes = self.scores.shape
        slopes, rates, clean = self._terms(parameters)
        rows = np.arange(n_rows)
        own, share = clean[rows, self.codes], 1 - rates.sum()
        likely = np.maximum(share * own + rates[self.codes], LEAST)
        by_logit = clean * (share * own / likely)[:, None]
        by_logit[rows, self.codes] -= share * own / likely
        by_slope = slopes * np.tensordot(self.scores, by_logit, 2)
        by_rate = (own / likely).sum() - np.bincount(self.codes, 1 / likely, n_classes)
        by_rate = rates * (by_rate - rates @ by_rate)
        gradient = np.r_[by_slope, by_rate, by_logit.sum(axis=0)] / n_rows
        away = parameters - start
        loss = -np.log(likely).mean() + PENALTY * away @ away
        return float(loss), gradient + 2 * PENALTY * away

    def _terms(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Slopes, rates, and probabilities without mistakes."""
        n_models, _, n_classes = self.scores.shape
        slopes, logits, offsets = np.split(parameters, [n_models, n_models + n_classes])
        slopes = np.exp(slopes)
        rates = softmax(np.append(0.0, logits))[1:]
        clean = softmax(np.tensordot(slopes, self.scores, 1) + offsets, axis=1)
        return slopes, rates, clean


# Bounds of the number of rows that the fitted probabilities are worth beside the rows of a place.
FEWEST_WORTH, MOST_WORTH = 1.0, 1e6


def with_shares(probabilities: FloatArray, places: Places, codes: IndexArray) -> FloatArray:
    """Join probabilities with what the rows of a place say about each other.

    A row's label is foretold by the other rows of its place and by its probabilities, which are
    worth as many rows as makes the labels likeliest. On the average over the w rows of a place
    that gives

        ((w - 1) share + worth probability) / (w - 1 + worth)

    so that a single row keeps its probabilities, and many rows get the shares of their place.
    """
    counts = places.counts(codes, probabilities.shape[1])[places.numbers]
    others = places.weights[places.numbers] - 1.0
    again = others > 0
    if not again.any():
        return probabilities
    rows = np.arange(codes.size)
    same, likely = counts[rows, codes] - 1, probabilities[rows, codes]

    def loss(log_worth: float) -> float:
        worth = np.exp(log_worth)
        foretold = (same + worth * likely)[again] / (others + worth)[again]
        return float(-np.log(np.maximum(foretold, LEAST)).sum())

    bounds = np.log([FEWEST_WORTH, MOST_WORTH])
    worth = np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x)
    shares = counts / (others + 1)[:, None]
    joined = others[:, None] * shares + worth * probabilities
    return np.asarray(joined / (others + worth)[:, None])


def as_if_best(probabilities: FloatArray, predicted: IndexArray) -> FloatArray:
    """Nearest probabilities under which the predicted class is everywhere the likeliest.

    A predicted class that is not gets, together with those above it, their common mean.
    """
    rows = np.arange(predicted.size)
    total = probabilities[rows, predicted].copy()
    count = np.ones(predicted.size)
    shared = np.zeros(probabilities.shape, dtype=np.bool_)
    shared[rows, predicted] = True
    for candidate in np.argsort(-probabilities, axis=1).T:
        value = probabilities[rows, candidate]
        joins = (value > total / count) & (candidate != predicted)
        total[joins] += value[joins]
        count[joins] += 1
        shared[rows[joins], candidate[joins]] = True
    return np.where(shared, (total / count)[:, None], probabilities)
