"""Probabilities of the classes at every row, from what two models say about it.

The audited model's scores may say little about probabilities (an SVM's do not), so they are joined
by those of a smooth model, a logistic regression on squares and products, which is right where
every class is one cloud. With scores s_m of the models m,

    p(c | x) = (1 - e) softmax_c( sum_m a_m s_m,c(x) + b_c ) + e prior_c,

where a >= 0, b and the noise e maximise the likelihood of the labels.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Directions that the smooth model sees: with squares and products, 44 terms.
MOST_DIRECTIONS = 8
# Keeps parameters that the data say nothing about near their start; too weak to matter otherwise.
PENALTY = 1e-4
START_LOG_SLOPE, START_NOISE_LOGIT = -1.0, -4.0


def smooth_model(n_rows: int, n_features: int) -> Any:
    """Logistic regression on the squares and products of the main directions."""
    return make_pipeline(
        PCA(min(n_features, n_rows // 2, MOST_DIRECTIONS), random_state=0),
        PolynomialFeatures(2, include_bias=False),
        StandardScaler(),
        LogisticRegression(max_iter=500),
    )


def joint_probabilities(scores: Sequence[FloatArray], codes: IndexArray) -> FloatArray:
    """Fit the formula above to out-of-fold scores.

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
    n_models, n_rows, n_classes = stacked.shape
    prior = np.bincount(codes, minlength=n_classes) / n_rows
    rows = np.arange(n_rows)

    def probabilities(parameters: FloatArray) -> FloatArray:
        slopes, noise = np.exp(parameters[:n_models]), expit(parameters[n_models])
        offsets = np.append(0.0, parameters[n_models + 1 :])
        logs = log_softmax(np.tensordot(slopes, stacked, 1) + offsets, axis=1)
        return np.asarray((1 - noise) * np.exp(logs) + noise * prior)

    def loss(parameters: FloatArray) -> float:
        likelihood = np.log(np.maximum(probabilities(parameters)[rows, codes], 1e-300))
        return float(-likelihood.mean() + PENALTY * (parameters**2).sum())

    start = np.r_[np.full(n_models, START_LOG_SLOPE), START_NOISE_LOGIT, np.zeros(n_classes - 1)]
    return probabilities(minimize(loss, start, method="L-BFGS-B").x)


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
