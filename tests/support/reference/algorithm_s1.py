"""Algorithm S1 of the paper, KPBoostROI-SVM, line by line on top of scikit-learn's SVC."""

from types import SimpleNamespace

import numpy as np
from sklearn.svm import SVC

from support.reference.algorithm_1 import weights_of_rounds


def kpboost_roi_svm(K, K_new, distance, distance_new, y, *, C, step, roi_scale, n_rounds):
    """Take distances beside the kernels, (n, n) and (n, m); else as in Algorithm 1."""
    f, k, f_new = np.zeros(y.size), np.zeros(y.size), np.zeros(K_new.shape[1])
    others = distance + np.diag(np.full(y.size, np.inf))
    roi = {c: roi_scale * np.mean(others[y == c][:, y == c].min(axis=1)) for c in (1, -1)}
    nearest = distance_new.argmin(axis=0)
    rounds = []
    for _ in range(n_rounds):
        D = np.diag(np.exp(-k * f**2))
        D_new = np.diag(np.exp(-k[nearest] * f_new**2))
        K = D @ K @ D
        K_new = D @ K_new @ D_new
        svm = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
        f, f_new = svm.decision_function(K), svm.decision_function(K_new.T)
        h = np.where(f >= 0, 1, -1)
        omega = set(np.flatnonzero(h == y))
        for i in np.flatnonzero(h != y):
            omega -= set(np.flatnonzero(distance[i] <= roi[y[i]]))
        k = k + step * np.isin(np.arange(y.size), list(omega))
        tpr, tnr = np.mean(h[y == 1] == 1), np.mean(h[y == -1] == -1)
        eps = np.sqrt((1 - tpr) ** 2 + (1 - tnr) ** 2)
        rounds.append((f, np.where(f_new >= 0, 1, -1), tpr, eps))
    f, h_new, tpr, eps = (np.array(column) for column in zip(*rounds, strict=True))
    alpha = weights_of_rounds(eps, tpr)
    vote = np.sum(alpha[:, None] * h_new, axis=0)
    return SimpleNamespace(f=f, eps=eps, alpha=alpha, h=h_new, H=np.where(vote >= 0, 1, -1))
