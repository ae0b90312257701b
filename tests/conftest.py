"""For all tests: real data by name, and the same surroundings wherever the suite runs."""

import os

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from support.patience import hear_ctrl_c
from support.shared_data import read_points

# Enough points for every class of digits, few enough for a fast suite.
MOST_ROWS = 400

# What rich, typer and click ask about the screen; some of it is set on machines for tests.
SCREEN = (
    *("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
    *("COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
)

hear_ctrl_c()
for variable in SCREEN:
    os.environ.pop(variable, None)


@pytest.fixture
def load():
    """Load a data set by name: standardised features and its labels."""

    def loader(name, n_classes=None):
        X, y = read_points(name)
        if n_classes is not None:
            chosen = np.isin(y, np.unique(y)[:n_classes])
            X, y = X[chosen], y[chosen]
        step = -(-len(y) // MOST_ROWS)
        return StandardScaler().fit_transform(X[::step]), y[::step]

    return loader
