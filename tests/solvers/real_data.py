"""Real two-class problems: scikit-learn's own data, and the shared folder where it is there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

SHARED_DATA = Path(__file__).parents[2].parent / "shared" / "data"
OWN = {
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "wine": datasets.load_wine,
}
SHARED = ("pima", "vehicle0", "yeast", "car3", "banana", "abalone9vs18", "ecoli1", "glass2")
NAMES = (*OWN, *SHARED)
# Enough for working sets that are a part of the whole, few enough for libsvm at large C.
MOST_ROWS = 600


def load(name):
    """Standardised points, and +1 for the largest class against the rest."""
    X, label = OWN[name](return_X_y=True) if name in OWN else _read_shared(name)
    # Some files are sorted, and every k-th row of a full factorial design would be one class.
    chosen = np.random.default_rng(0).permutation(len(label))[:MOST_ROWS]
    X, label = X[chosen], label[chosen]
    classes, counts = np.unique(label, return_counts=True)
    return StandardScaler().fit_transform(X), np.where(label == classes[counts.argmax()], 1.0, -1.0)


def _read_shared(name):
    file = SHARED_DATA / f"{name}.csv"
    if not file.exists():
        pytest.skip(f"{name}.csv is not among the shared data sets here")
    frame = pd.read_csv(file)
    return frame.iloc[:, :-1].apply(_numbers).to_numpy(np.float64), frame.iloc[:, -1].to_numpy(str)


def _numbers(column):
    """Words become one code each, in order of appearance."""
    return column if pd.api.types.is_numeric_dtype(column) else pd.factorize(column)[0]
