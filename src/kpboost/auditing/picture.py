"""Where the rows lie on a flat map."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from .material import Material
from .records import DisjunctFinding, Map

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# More points than this hide each other and make the page heavy.
MAP_ROWS = 2_000


def map_of(
    material: Material,
    disjuncts: tuple[DisjunctFinding, ...],
    predicted: IndexArray,
    projection: str,
    seed: int,
) -> Map:
    """Project the points to two dimensions.

    Parameters
    ----------
    material : Material
        The data.
    disjuncts : tuple of DisjunctFinding
        Their names are noted with the rows.
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes.
    projection : {"pca", "umap"}
        Method; umap-learn must be installed for the latter.
    seed : int
        Seed of the sample and of UMAP.

    Returns
    -------
    Map
    """
    names = np.full(material.codes.size, "", dtype=object)
    flagged = np.zeros(material.codes.size, dtype=np.bool_)
    for each in disjuncts:
        names[list(each.rows)] = each.name
        flagged[list(each.rows)] = each.missed
    shown = _shown(flagged, seed)
    positions = _flat(material.points, projection, seed)[shown]
    return Map(
        method=projection.upper(),
        rows=tuple(material.rows[shown].tolist()),
        positions=tuple((float(a), float(b)) for a, b in positions.round(3)),
        classes=tuple(material.names[code] for code in material.codes[shown]),
        disjuncts=tuple(names[shown].tolist()),
        correct=tuple((predicted == material.codes)[shown].tolist()),
    )


def _shown(flagged: NDArray[np.bool_], seed: int) -> IndexArray:
    if flagged.size <= MAP_ROWS:
        return np.arange(flagged.size)
    order = np.random.default_rng(seed).permutation(flagged.size)
    return np.sort(order[np.argsort(~flagged[order], kind="stable")][:MAP_ROWS])


def _flat(points: FloatArray, projection: str, seed: int) -> FloatArray:
    if points.shape[1] == 1:
        return np.column_stack([points, np.zeros(points.shape[0])])
    reducer = _umap(seed) if projection == "umap" else PCA(2, random_state=seed)
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        return np.asarray(reducer.fit_transform(points), dtype=np.float64)


def _umap(seed: int) -> Any:
    return import_module("umap").UMAP(random_state=seed)


def check_projection(projection: str) -> None:
    """Refuse an unknown method, and UMAP where it is not installed."""
    if projection not in ("pca", "umap"):
        raise ValueError(f"projection={projection!r} is not allowed; it must be 'pca' or 'umap'.")
    if projection == "umap" and find_spec("umap") is None:
        raise ValueError("projection='umap' needs umap-learn, which is not installed.")
