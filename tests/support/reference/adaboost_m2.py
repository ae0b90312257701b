"""AdaBoost.M2 with plain loops over mislabels, as Freund and Schapire state it."""

import math
from types import SimpleNamespace

import numpy as np


def adaboost_m2(y, n_classes, hypotheses):
    """Boost known hypotheses h_t(x_i, y), an array (T, n, n_classes); the order is the rounds'."""
    n = len(y)
    B = [(i, c) for i in range(n) for c in range(n_classes) if c != y[i]]
    D = {pair: 1 / len(B) for pair in B}
    errors, betas, marginals = [], [], []
    for h in hypotheses:
        marginals.append([sum(D[i, c] for c in range(n_classes) if c != y[i]) for i in range(n)])
        e = 0.5 * sum(D[i, c] * (1 - h[i][y[i]] + h[i][c]) for i, c in B)
        beta = e / (1 - e)
        errors.append(e)
        betas.append(beta)
        D = {(i, c): D[i, c] * beta ** (0.5 * (1 + h[i][y[i]] - h[i][c])) for i, c in B}
        Z = sum(D.values())
        D = {pair: value / Z for pair, value in D.items()}
    votes = [math.log(1 / beta) for beta in betas]
    H = [
        int(
            np.argmax(
                [
                    sum(v * h[i][c] for v, h in zip(votes, hypotheses, strict=True))
                    for c in range(n_classes)
                ]
            )
        )
        for i in range(n)
    ]
    return SimpleNamespace(errors=errors, votes=votes, marginals=np.array(marginals), H=np.array(H))
