"""AdaBoost-SVM and Diverse AdaBoost-SVM, step by step on top of scikit-learn's SVC."""

import math
from types import SimpleNamespace

import numpy as np
from sklearn.svm import SVC


def adaboost_svm(X, y, X_new, *, C, step, T, eta=None):
    """Take y as -1 and +1; eta is the diverse variant's. Widths must not run out."""
    n = len(y)
    mean = X.mean(axis=0)
    sigma = max(np.linalg.norm(x - mean) for x in X)
    distances = [[np.linalg.norm(x - z) for z in X] for x in X]
    sigma_min = np.mean([min(d for d in row if d > 0) for row in distances])
    w = np.full(n, 1 / n)
    sigmas, errors, alphas, H, F = [], [], [], np.zeros(len(X_new)), np.zeros(n)
    differences, largest = [], 0.0
    while sigma > sigma_min and len(alphas) < T:
        svm = SVC(C=C, gamma=1 / (2 * sigma**2), tol=1e-9).fit(X, y, sample_weight=n * w)
        h = sign(svm.decision_function(X))
        e = sum(w[i] for i in range(n) if h[i] != y[i])
        d = np.mean(h != sign(F)) if alphas else 0.0
        Div = (sum(differences) + d) / (len(alphas) + 1)
        similar = eta is not None and alphas and Div < eta * largest
        if e >= 0.5 - 1e-12 or similar:
            assert alphas or sigma - step > sigma_min, "the transcription knows no halving"
            sigma -= step
            continue
        alpha = 0.5 * math.log((1 - max(e, 1e-10)) / max(e, 1e-10))
        sigmas.append(sigma)
        errors.append(e)
        alphas.append(alpha)
        differences.append(d)
        largest = max(largest, Div)
        F = F + alpha * h
        H = H + alpha * sign(svm.decision_function(X_new))
        if e == 0:
            break
        w = w * np.exp(-alpha * y * h)
        w = w / w.sum()
    return SimpleNamespace(sigmas=sigmas, errors=errors, alphas=alphas, vote=H)


def sign(values):
    return np.where(values >= 0, 1, -1)
