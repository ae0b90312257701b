"""Algorithm 1 of the paper, KPBoost-SVM, line by line on top of scikit-learn's SVC."""

from types import SimpleNamespace

import numpy as np
from sklearn.svm import SVC


def kpboost_svm(K, K_new, y, *, C, step, n_rounds):
    """K is (n, n), K_new (n, m); y is -1 or +1. The rounds' f, eps and alpha; h_t and H for Q."""
    f, k = np.zeros(y.size), np.zeros(y.size)
    rounds = []
    for _ in range(n_rounds):
        D = np.diag(np.exp(-k * f**2))
        K = D @ K @ D
        K_new = D @ K_new  # D(x_j) = 1 for the new points
        svm = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
        f = svm.decision_function(K)
        h = np.where(f >= 0, 1, -1)
        k = np.where(h == y, k + step, k)
        tpr, tnr = np.mean(h[y == 1] == 1), np.mean(h[y == -1] == -1)
        eps = np.sqrt((1 - tpr) ** 2 + (1 - tnr) ** 2)
        rounds.append((f, np.where(svm.decision_function(K_new.T) >= 0, 1, -1), tpr, eps))
    f, h_new, tpr, eps = (np.array(column) for column in zip(*rounds, strict=True))
    alpha = weights_of_rounds(eps, tpr)
    vote = np.sum(alpha[:, None] * h_new, axis=0)
    return SimpleNamespace(f=f, eps=eps, alpha=alpha, h=h_new, H=np.where(vote >= 0, 1, -1))


def weights_of_rounds(eps, tpr):
    """Set alpha to 0 outside of T. The paper's T must not be empty here."""
    kept = (eps <= min(eps[0], 1 / np.sqrt(2))) & (tpr >= tpr[0])
    if not kept.any():
        kept = (eps <= 1 / np.sqrt(2)) & (tpr >= tpr[0])
    assert kept.any(), "the transcription knows the paper's two sets only"
    eps = np.maximum(eps, np.finfo(float).eps)
    return np.where(kept, 0.5 * np.log((np.sqrt(2) - eps) / eps), 0.0)
