"""Two-class problems to time solvers on: standardised points and labels in {-1, +1}."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_classification

# A folder of CSV files beside the checkout, the class in the last column; used where it exists.
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# The class that counts as positive in each file of that folder; the others together are negative.
SHARED_PROBLEMS = {
    "pima": "positive",
    "vehicle0": "positive",
    "yeast": "NUC",
    "abalone19": "positive",
    "car3": "positive",
    "banana": "positive",
}
RARE_DIGIT = 8
N_FEATURES = 10
LABEL_NOISE = 0.1  # overlapping classes: many support vectors at the bound, as real data has them
SEED = 0


@dataclass(frozen=True)
class Problem:
    """A named two-class problem."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.y)


def load(name: str) -> Problem:
    """Return the problem of this name: ``generated-<n>``, or a name of `names_of_real_data`."""
    if name.startswith("generated-"):
        return generated(int(name.removeprefix("generated-")))
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return _problem(name, X, y == 0)
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return _problem(name, X, y == RARE_DIGIT)
    return _read_shared(name)


def names_of_real_data() -> list[str]:
    """Name the real data sets that this machine has."""
    return ["breast_cancer", "digits", *_shared_names()]


def generated(n: int) -> Problem:
    """Two clusters per class in ten dimensions, a tenth of the labels drawn at random."""
    X, y = make_classification(
        n_samples=n,
        n_features=N_FEATURES,
        n_informative=5,
        n_redundant=2,
        flip_y=LABEL_NOISE,
        random_state=SEED,
    )
    return _problem(f"generated-{n}", X, y == 1)


def _problem(name: str, X: NDArray[np.float64], positive: NDArray[np.bool_]) -> Problem:
    return Problem(name, _standardised(X), np.where(positive, 1.0, -1.0))


def _standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = X.std(axis=0)
    varying = spread > 0
    standard: NDArray[np.float64] = (X[:, varying] - X[:, varying].mean(axis=0)) / spread[varying]
    return np.ascontiguousarray(standard)


def _shared_names() -> Iterator[str]:
    return (name for name in SHARED_PROBLEMS if (SHARED_DATA / f"{name}.csv").exists())


def _read_shared(name: str) -> Problem:
    with (SHARED_DATA / f"{name}.csv").open(newline="") as file:
        _, *rows = csv.reader(file)
    columns = np.array(rows).T
    X = np.column_stack([_numbers(column) for column in columns[:-1]])
    return _problem(name, X, np.char.strip(columns[-1]) == SHARED_PROBLEMS[name])


def _numbers(column: NDArray[np.str_]) -> NDArray[np.float64]:
    """Numbers as they are, words as the rank of each word."""
    try:
        return column.astype(np.float64)
    except ValueError:
        return np.unique(column, return_inverse=True)[1].astype(np.float64)
