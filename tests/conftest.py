"""Real data: scikit-learn's own, and the shared folder where it is there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

SHARED_DATA = Path(__file__).parents[1].parent / "shared" / "data"
LOADERS = {
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
# Enough points for every class of digits, few enough for a fast suite.
MOST_ROWS = 400


@pytest.fixture
def load():
    """Load a data set by name: standardised features and its labels."""

    def loader(name, n_classes=None):
        if name in LOADERS:
            X, y = LOADERS[name](return_X_y=True)
        else:
            X, y = read_shared(name)
        if n_classes is not None:
            chosen = np.isin(y, np.unique(y)[:n_classes])
            X, y = X[chosen], y[chosen]
        step = -(-len(y) // MOST_ROWS)
        return StandardScaler().fit_transform(X[::step]), y[::step]

    return loader


def read_shared(name):
    file = SHARED_DATA / f"{name}.csv"
    if not file.exists():
        pytest.skip(f"{name}.csv is not among the shared data sets here")
    frame = pd.read_csv(file)
    return frame.iloc[:, :-1].to_numpy(np.float64), frame.iloc[:, -1].to_numpy(str)
