"""Small experiments on files of their own, and what of their outcomes must not depend on clocks."""

import numpy as np


def write_points(path, n_points=60, n_classes=2, seed=0):
    """Write a small data set: a common class, and rarer ones that overlap with it."""
    random = np.random.RandomState(seed)
    codes = (random.permutation(n_points) >= n_points * 2 // 3).astype(int)
    if n_classes == 3:
        codes[np.flatnonzero(codes)[::2]] = 2
    centres = np.array([[0.0, 0.0], [1.5, 1.0], [-1.5, 1.0]])[codes]
    X = centres + random.normal(size=(n_points, 2))
    lines = [f"{a:.6f},{b:.6f},c{code}" for (a, b), code in zip(X, codes, strict=True)]
    path.write_text("\n".join(["a,b,class", *lines]) + "\n")
    return path


def core_of(outcome):
    """All of an outcome that does not depend on a clock."""
    folds = [(fold.fold, fold.scores, fold.class_recalls, fold.params) for fold in outcome.folds]
    return (outcome.dataset, outcome.method, outcome.status, folds, outcome.n_candidates)
