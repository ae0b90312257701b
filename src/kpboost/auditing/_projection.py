"""Where the rows lie on a flat map."""

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from kpboost._typing import FloatArray, IndexArray

from ._data import AuditData
from ._records import DisjunctFinding, Map

# More points than this hide each other and make the page heavy.
MAP_ROWS = 2_000
# No eye sees more on a map, and the page stays light.
DIGITS = 5
UMAP_NEIGHBORS = 15  # its default


def map_of(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    projection: str,
    seed: int,
) -> Map:
    """Show the rows in two dimensions.

    Parameters
    ----------
    data : AuditData
    disjuncts : sequence of DisjunctFinding
        Their names are noted with the rows.
    predicted : ndarray of shape (n_rows,)
        Numbers of the predicted classes.
    projection : {"pca", "umap"}
        Method; umap-learn must be installed for the latter. Two columns of numbers without gaps
        need no PCA: they are the map.
    seed : int
        Seed of the sample and of UMAP.

    Returns
    -------
    Map
    """
    table = data.table
    whole = not table.nominal.any() and not np.isnan(table.values).any()
    if projection == "pca" and len(table.names) == 2 and whole:
        return _in_columns(data, disjuncts, predicted, (0, 1), seed)
    shown = _shown(_flagged(disjuncts, predicted.size), seed)
    method = projection.upper()
    flat = _flat(data.points, shown, projection, seed)
    return _map(data, disjuncts, predicted, shown, flat, method, _axes(method))


def box_map_of(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    seed: int,
) -> Map | None:
    """Show the rows in the columns of the first missed box that has two columns of numbers."""
    names = data.table.names
    for found in disjuncts:
        pair = [names.index(name) for name in found.columns]
        own = data.table.values[np.ix_(found.rows, pair)]
        # A box of missing values has no place in its columns, nor have categories.
        if len(pair) == 2 and not (data.table.nominal[pair].any() or np.isnan(own).any()):
            return _in_columns(data, disjuncts, predicted, (pair[0], pair[1]), seed)
    return None


def _in_columns(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    pair: tuple[int, int],
    seed: int,
) -> Map:
    """Rows in two columns, but for those that lack a value there."""
    table = data.table
    shown = _shown(_flagged(disjuncts, predicted.size), seed)
    values = table.values[shown][:, list(pair)]
    known = ~np.isnan(values).any(axis=1)
    axes = (table.names[pair[0]], table.names[pair[1]])
    return _map(data, disjuncts, predicted, shown[known], values[known], "columns", axes)


def _map(
    data: AuditData,
    disjuncts: Sequence[DisjunctFinding],
    predicted: IndexArray,
    shown: IndexArray,
    positions: FloatArray,
    method: str,
    axes: tuple[str, str],
) -> Map:
    names = np.full(predicted.size, "", dtype=object)
    for each in sorted(
        disjuncts, key=lambda found: bool(found.columns)
    ):  # boxes have the last word
        names[list(each.rows)] = each.name
    order = np.argsort(data.rows[shown])  # as the user's table has them
    shown, positions = shown[order], positions[order]
    return Map(
        method=method,
        axes=axes,
        rows=tuple(data.rows[shown].tolist()),
        positions=tuple((_rounded(a), _rounded(b)) for a, b in positions.tolist()),
        classes=tuple(data.names[code] for code in data.codes[shown]),
        disjuncts=tuple(names[shown].tolist()),
        correct=tuple((predicted == data.codes)[shown].tolist()),
    )


def _axes(method: str) -> tuple[str, str]:
    return f"{method} 1", f"{method} 2"


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _flagged(disjuncts: Sequence[DisjunctFinding], n_rows: int) -> NDArray[np.bool_]:
    flagged = np.zeros(n_rows, dtype=np.bool_)
    for each in disjuncts:
        if each.missed:
            flagged[list(each.rows)] = True
    return flagged


def _shown(flagged: NDArray[np.bool_], seed: int) -> IndexArray:
    if flagged.size <= MAP_ROWS:
        return np.arange(flagged.size)
    order = np.random.default_rng(seed).permutation(flagged.size)
    return np.sort(order[np.argsort(~flagged[order], kind="stable")][:MAP_ROWS])


def _flat(points: FloatArray, shown: IndexArray, projection: str, seed: int) -> FloatArray:
    if points.shape[1] == 1:
        return np.column_stack([points[shown], np.zeros(shown.size)])
    if projection == "umap":  # of the rows shown only: it is slow, and places each among the others
        flat = _umap(shown.size, seed).fit_transform(points[shown])
        return np.asarray(flat, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        flat = PCA(2, random_state=seed).fit_transform(points)
    return np.asarray(flat, dtype=np.float64)[shown]


def _umap(n_rows: int, seed: int) -> Any:
    """UMAP by its own defaults, but for what it would warn of: too many neighbours, and threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # of parts of it that are not needed here
        package = import_module("umap")
    n_neighbors = min(UMAP_NEIGHBORS, n_rows - 1)
    return package.UMAP(n_neighbors=n_neighbors, n_jobs=1, random_state=seed)


def check_projection(projection: str) -> None:
    """Refuse an unknown method, and UMAP where it is not installed."""
    if projection not in ("pca", "umap"):
        raise ValueError(f"projection={projection!r} is not allowed; it must be 'pca' or 'umap'.")
    if projection == "umap" and find_spec("umap") is None:
        raise ValueError(
            "A map by UMAP needs umap-learn, which is not installed: pip install umap-learn."
        )
