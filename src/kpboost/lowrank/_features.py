"""The low-rank kernel: a few landmarks, and features whose products are nearly kernel values.

With landmarks l_1, ..., l_m, K_mm = U S U' their kernel matrix and k(x) = (K(l_j, x))_j,

    z(x) = A' k(x),    A = U S^(-1/2),    z(x)'z(x') = k(x)' K_mm^(-1) k(x') ~ K(x, x'),

exactly so where x or x' is a landmark. Eigenvalues far below the largest are left out: their
directions carry rounding errors only. A linear machine (v, b) on z(x) is a kernel machine on the
landmarks, z(x)'v + b = k(x)'(A v) + b: new points need no features.

Landmarks are centres of the classes, each class on its own, so that a rare class has as many as the
others: seeds by k-means++, the next one with probability proportional to the squared distance from
those before, so that a remote part of a class gets one; then a few steps of Lloyd.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from kpboost import kernels
from kpboost._shares import even_shares
from kpboost._typing import FloatArray, IndexArray

from ._blocks import Rows
from ._survey import Sample

Single = NDArray[np.float32]

# Eigenvalues of the landmarks' kernel matrix below this share of the largest are left out. The
# features are kept in single precision, whose error S^(-1/2) multiplies.
SMALLEST_EIGENVALUE = 1e-5

# Steps of Lloyd after k-means++; more of them move landmarks, and no label.
LLOYD_STEPS = 5

# Rows of a class that its landmarks are chosen from, at most.
KMEANS_ROWS = 20_000

# Rows whose kernel values against some hundred landmarks stay in the processor's cache.
CACHED_ROWS = 1024

CLASS_KMEANS, UNIFORM = "class_kmeans", "uniform"
LANDMARK_RULES = (CLASS_KMEANS, UNIFORM)


class Features(NamedTuple):
    """Features of the rows of a block.

    Attributes
    ----------
    Z : float32 ndarray of shape (n, r)
    codes : ndarray of shape (n,)
        Numbers of the classes.
    weight : ndarray of shape (n,)
    """

    Z: Single
    codes: IndexArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMap:
    """The map from points to features.

    Attributes
    ----------
    landmarks : ndarray of shape (m, d)
    gamma : float
        Coefficient of the RBF kernel.
    transform : ndarray of shape (m, r)
        A.
    """

    landmarks: FloatArray
    gamma: float
    transform: FloatArray

    @property
    def n_components(self) -> int:
        """Number of features, r."""
        return int(self.transform.shape[1])

    def kernel(self, X: FloatArray) -> Single:
        """Kernel values against the landmarks, k(x), in single precision: (n, m)."""
        return kernels.single_rbf_kernel(X, self.landmarks, gamma=self.gamma)

    def features(self, X: FloatArray) -> Single:
        """Features z(x) in single precision: (n, r)."""
        Z = np.empty((len(X), self.n_components), dtype=np.float32)
        transform = self.transform.astype(np.float32)
        for start in range(0, len(X), CACHED_ROWS):
            rows = slice(start, start + CACHED_ROWS)
            np.matmul(self.kernel(X[rows]), transform, out=Z[rows])
        return Z


def feature_map(landmarks: FloatArray, gamma: float) -> FeatureMap:
    """Build the map from landmarks and a kernel width."""
    return FeatureMap(landmarks, gamma, half_inverse(kernels.rbf_kernel(landmarks, gamma=gamma)))


def half_inverse(gram: FloatArray) -> FloatArray:
    """Return A = U S^(-1/2) of a kernel matrix, over its eigenvalues that count."""
    eigenvalues, vectors = linalg.eigh(gram)
    kept = eigenvalues > SMALLEST_EIGENVALUE * eigenvalues[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(eigenvalues[kept]))


def featured(rows: Rows | Sample, feature_map: FeatureMap) -> Features:
    """Features of the rows of a block."""
    if not rows.codes.size:
        return Features(
            np.empty((0, feature_map.n_components), np.float32), rows.codes, rows.weight
        )
    return Features(feature_map.features(rows.X), rows.codes, rows.weight)


def choose_landmarks(
    sample: Sample, n_classes: int, n_landmarks: int, rule: str, rng: np.random.Generator
) -> FloatArray:
    """Choose landmarks from a sample.

    Parameters
    ----------
    sample : Sample
    n_classes : int
    n_landmarks : int
        Most landmarks.
    rule : {"class_kmeans", "uniform"}
        Centres of the classes, each with an even share; or rows drawn from all.
    rng : Generator

    Returns
    -------
    ndarray of shape (m, d)
        No two are equal. Where a class, or the whole sample, has no more points than its share,
        all of them. Class by class, where they belong to classes.
    """
    if rule == UNIFORM:
        return _some(sample.X, sample.weight, n_landmarks, rng)
    members = [np.flatnonzero(sample.codes == code) for code in range(n_classes)]
    shares = even_shares(np.array([own.size for own in members]), n_landmarks)
    centres = [
        _centres(sample.X[own], sample.weight[own], int(share), rng)
        for own, share in zip(members, shares, strict=True)
    ]
    landmarks = np.concatenate(centres)
    return landmarks[np.sort(np.unique(landmarks, axis=0, return_index=True)[1])]


def _some(X: FloatArray, weight: FloatArray, n_wanted: int, rng: np.random.Generator) -> FloatArray:
    points = np.unique(X, axis=0)
    if len(points) <= n_wanted:
        return points
    drawn = rng.choice(len(X), n_wanted, replace=False, p=weight / weight.sum())
    return np.unique(X[drawn], axis=0)


def _centres(
    X: FloatArray, weight: FloatArray, n_wanted: int, rng: np.random.Generator
) -> FloatArray:
    """Centres of one class, by k-means++ and Lloyd; all its points if those are no more."""
    if len(X) <= n_wanted:
        return np.unique(X, axis=0)
    if len(X) > KMEANS_ROWS:
        rows = np.sort(rng.choice(len(X), KMEANS_ROWS, replace=False))
        X, weight = X[rows], weight[rows]
    centres = _seeds(X, weight, n_wanted, rng)
    for _ in range(LLOYD_STEPS):
        centres = _moved(X, weight, centres)
    return centres


def _seeds(
    X: FloatArray, weight: FloatArray, n_wanted: int, rng: np.random.Generator
) -> FloatArray:
    """Seeds by k-means++; fewer than wanted where X has fewer different rows."""
    chosen = [_pick(weight, rng)]
    nearest = _squared(X, X[chosen[0]])
    while len(chosen) < n_wanted and nearest.any():
        chosen.append(_pick(weight * nearest, rng))
        np.minimum(nearest, _squared(X, X[chosen[-1]]), out=nearest)
    return X[chosen]


def _pick(mass: FloatArray, rng: np.random.Generator) -> int:
    """Draw a row with probability proportional to its mass: weight 2 is a row twice in place."""
    totals = np.cumsum(mass)
    place = np.searchsorted(totals, rng.random() * totals[-1], side="right")
    return int(min(place, mass.size - 1))


def _squared(X: FloatArray, point: FloatArray) -> FloatArray:
    difference = X - point
    return np.asarray(np.einsum("ij,ij->i", difference, difference))


def _moved(X: FloatArray, weight: FloatArray, centres: FloatArray) -> FloatArray:
    """Means of the points that are nearest to each centre; a centre without points stays."""
    nearest = _nearest(X, centres)
    mass = np.bincount(nearest, weights=weight, minlength=len(centres))
    sums = np.stack(
        [np.bincount(nearest, weights=weight * x, minlength=len(centres)) for x in X.T], axis=1
    )
    return np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)


def _nearest(X: FloatArray, centres: FloatArray) -> NDArray[Any]:
    """Nearest centre of every point, in slices that stay in the cache."""
    parts = (
        kernels.squared_distances(X[start : start + CACHED_ROWS], centres).argmin(axis=1)
        for start in range(0, len(X), CACHED_ROWS)
    )
    return np.concatenate(list(parts))
