"""Random cases with everything a tree has to bear: ties, names, holes, weights, noise."""

from typing import NamedTuple

import numpy as np


class RandomCases(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    is_nominal: np.ndarray


def random_cases(seed, *, most=150, missing=None, whole_weights=False):
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(5, most)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 3)))
    is_nominal = rng.random(d) < 0.4
    for column in np.flatnonzero(is_nominal):
        X[:, column] = rng.integers(0, rng.integers(2, 6), size=n)
    noise = rng.integers(0, n_classes, n) * (rng.random(n) < rng.choice([0.1, 0.3, 1.0]))
    y = ((X[:, 0] > 0).astype(int) + (X[:, -1] > 0.5) + noise) % n_classes
    share = rng.choice([0.0, 0.02, 0.1, 0.4]) if missing is None else missing
    X[rng.random(X.shape) < share] = np.nan
    weights = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.uniform(0.1, 2, n)]
    return RandomCases(X, y, weights[rng.integers(2 if whole_weights else 3)], is_nominal)


def coded_nominals(X, is_nominal):
    """Nominal columns as 0, 1, 2, ... and the number of their values, 0 for numeric columns."""
    coded, n_values = X.copy(), []
    for column, nominal in enumerate(is_nominal):
        known = ~np.isnan(X[:, column])
        values, codes = np.unique(X[known, column], return_inverse=True)
        if nominal:
            coded[known, column] = codes
        n_values.append(values.size if nominal else 0)
    return coded, n_values
