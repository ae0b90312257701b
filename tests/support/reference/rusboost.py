"""RUSBoost for two classes, step by step with weights of points, given the undersamples."""

import math
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone


def rusboost(X, y, X_new, learner, draws):
    """Take y as 0 and 1; draws are the rows of S'_t. A round of e_t >= 1/2 is left out."""
    n = len(y)
    D = np.full(n, 1 / n)
    errors, votes = [], []
    total = np.zeros((len(X_new), 2))
    for rows in draws:
        W = D[rows] / sum(D[rows])
        h = clone(learner).fit(X[rows], y[rows], sample_weight=W * len(rows))
        p = h.predict_proba(X)
        e = 0.5 * sum(D[i] * (1 - p[i, y[i]] + p[i, 1 - y[i]]) for i in range(n))
        errors.append(e)
        if e >= 0.5:
            votes.append(0.0)
            continue
        beta = e / (1 - e)
        D = np.array([D[i] * beta ** ((1 + p[i, y[i]] - p[i, 1 - y[i]]) / 2) for i in range(n)])
        D = D / D.sum()
        votes.append(math.log(1 / beta))
        total += votes[-1] * h.predict_proba(X_new)
    return SimpleNamespace(errors=errors, votes=votes, total=total)
