"""Data with a planted part of a class, and a plain SVM that misses it, for several tests."""

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC


def plain_svm():
    """An SVM as it comes, for arrays and for the numbers of frames."""
    return make_pipeline(FunctionTransformer(_numbers), StandardScaler(), SVC())


def _numbers(X):
    return X.select_dtypes("number").to_numpy() if hasattr(X, "select_dtypes") else X


def planted(seed=0, small=10, n_common=220):
    """A common class that fills a square, a rare one with a large part and a small one in a gap."""
    rng = np.random.default_rng(seed)
    square = rng.uniform(-3, 3, size=(2 * n_common, 2))
    free = (np.hypot(*(square - 1.5).T) > 1.0) & (np.hypot(*(square - [-1.6, -1.2]).T) > 0.7)
    common = square[free][:n_common]
    large = rng.normal(1.5, 0.45, size=(30, 2))
    few = rng.normal([-1.6, -1.2], 0.2, size=(small, 2))
    part = np.repeat([0, 1, 2], [n_common, 30, small])
    order = rng.permutation(part.size)
    X = np.vstack([common, large, few])[order]
    return X, np.where(part > 0, "rare", "common")[order], part[order]


def one_cloud_each(seed=0):
    """Two overlapping clouds: errors, but no missed part."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [200, 50])
    X = rng.normal(size=(250, 2)) + np.where(y[:, None] == 1, [1.7, 0.0], 0.0)
    order = rng.permutation(250)
    return X[order], y[order]
