"""Five sets that need no file: small, imbalanced, with rare parts; for a first try."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits

from .dataset import Dataset
from .make_disjuncts import make_disjuncts

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Digits of the rare class and how many of each: three parts, the last nearly invisible.
RARE_DIGITS = {8: 40, 3: 15, 5: 6}
# Points of each of the other digits: enough for a clear majority, few enough to be quick.
COMMON_DIGITS = 60
# One to fifty: the imbalance of a screening rather than of a clinic.
FOUR_DIGITS = {1: 150, 7: 90, 4: 30, 9: 12}
RARE_MALIGNANT = 30
# Clouds that touch: nobody gets everything right, and the smallest ones are hard to see at all.
TWO_CLASSES = ((220, 90, 30), (45, 16, 7))
TWO_OVERLAP = 0.55
THREE_CLASSES = ((160, 60), (70, 20), (24, 8))
THREE_OVERLAP = 0.5
SEED = 0


def embedded() -> tuple[str, ...]:
    """Return the names of the five sets that need no file.

    Examples
    --------
    >>> from kpboost.datasets import embedded
    >>> embedded()[0]
    'rare-malignant'
    """
    return tuple(MAKERS)


def load_embedded(name: str) -> Dataset:
    """Return one of the five by its name."""
    return MAKERS[name](name)


def _rare_malignant(name: str) -> Dataset:
    data = load_breast_cancer()
    sizes = {0: RARE_MALIGNANT, 1: len(data.target)}
    rows = _first(data.target, sizes)
    labels = np.where(data.target == 0, "malignant", "benign")
    return _dataset(
        name,
        data.data[rows],
        labels[rows],
        tuple(map(str, data.feature_names)),
        f"scikit-learn's breast_cancer with the first {RARE_MALIGNANT} malignant tumours",
    )


def _rare_digits(name: str) -> Dataset:
    X, digits = load_digits(return_X_y=True)
    rows = _first(digits, dict.fromkeys(range(10), COMMON_DIGITS) | RARE_DIGITS)
    labels = np.where(np.isin(digits, list(RARE_DIGITS)), "rare", "common")
    parts = ", ".join(f"{count} of {digit}" for digit, count in RARE_DIGITS.items())
    source = f"scikit-learn's digits; the rare class is {parts}"
    return _dataset(name, X[rows], labels[rows], _numbered("pixel", 64), source)


def _four_digits(name: str) -> Dataset:
    X, digits = load_digits(return_X_y=True)
    rows = _first(digits, FOUR_DIGITS)
    parts = ", ".join(f"{count} of {digit}" for digit, count in FOUR_DIGITS.items())
    source = f"scikit-learn's digits: {parts}"
    return _dataset(name, X[rows], digits[rows].astype(str), _numbered("pixel", 64), source)


def _planted_two(name: str) -> Dataset:
    X, y, _ = make_disjuncts(TWO_CLASSES, overlap=TWO_OVERLAP, random_state=SEED)
    labels = np.array(["common", "rare"])[y]
    return _dataset(name, X, labels, _numbered("x", 2), f"make_disjuncts({TWO_CLASSES})")


def _planted_three(name: str) -> Dataset:
    X, y, _ = make_disjuncts(THREE_CLASSES, n_features=5, overlap=THREE_OVERLAP, random_state=SEED)
    labels = np.array(["large", "middle", "small"])[y]
    return _dataset(name, X, labels, _numbered("x", 5), f"make_disjuncts({THREE_CLASSES})")


MAKERS: Mapping[str, Callable[[str], Dataset]] = {
    "rare-malignant": _rare_malignant,
    "rare-digits": _rare_digits,
    "four-digits": _four_digits,
    "planted-two": _planted_two,
    "planted-three": _planted_three,
}


def _first(classes: IndexArray, sizes: Mapping[int, int]) -> IndexArray:
    """Rows of the first few points of each class, in the order of the data."""
    chosen = [np.flatnonzero(classes == label)[:size] for label, size in sizes.items()]
    return np.sort(np.concatenate(chosen))


def _numbered(word: str, count: int) -> tuple[str, ...]:
    return tuple(f"{word}{number}" for number in range(1, count + 1))


def _dataset(
    name: str, X: FloatArray, y: NDArray[np.str_], features: tuple[str, ...], source: str
) -> Dataset:
    width = X.shape[1]
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X, dtype=np.float64),
        y=y,
        feature_names=features,
        nominal=np.zeros(width, dtype=np.bool_),
        categories=(None,) * width,
        source=source,
    )
