"""The parents that scikit-learn carries itself."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris, load_wine

from .catalogue import CatalogueEntry
from .dataset import Dataset
from .derive import derive
from .found import Found
from .parents import parent

LOADERS = {"iris": load_iris, "wine": load_wine}


def from_sklearn(entry: CatalogueEntry) -> Found | None:
    """Find the set as a child of one of scikit-learn's."""
    name = parent(entry.parent).sklearn
    if not name:
        return None
    return Found("scikit-learn", lambda: derive(_read(name), entry))


def _read(name: str) -> Dataset:
    bunch = LOADERS[name]()
    width = bunch.data.shape[1]
    return Dataset(
        name=name,
        X=np.asarray(bunch.data, dtype=np.float64),
        y=np.asarray(bunch.target_names, dtype=np.str_)[bunch.target],
        feature_names=tuple(map(str, bunch.feature_names)),
        nominal=np.zeros(width, dtype=np.bool_),
        categories=(None,) * width,
        source=f"scikit-learn: load_{name}",
    )
