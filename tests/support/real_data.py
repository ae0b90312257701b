"""Real two-class problems: one class of a data set against its others."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from support.shared_data import read_points

NAMES = (
    *("breast_cancer", "digits", "wine"),
    *("pima", "vehicle0", "yeast", "car3", "banana", "abalone9vs18", "ecoli1", "glass2"),
)
# Enough for working sets that are a part of the whole, few enough for libsvm at large C.
MOST_ROWS = 600


def load(name):
    """Standardised points, and +1 for the largest class against the rest."""
    X, label = read_points(name)
    # Some files are sorted, and every k-th row of a full factorial design would be one class.
    chosen = np.random.default_rng(0).permutation(len(label))[:MOST_ROWS]
    X, label = X[chosen], label[chosen]
    classes, counts = np.unique(label, return_counts=True)
    return StandardScaler().fit_transform(X), np.where(label == classes[counts.argmax()], 1.0, -1.0)
