"""Points as vectors of their distances to all training points.

r(x) = (|x - x_1|, ..., |x - x_n|). A training point of weight 2 stands for two points, so it has
two equal columns; one column times sqrt(2) gives the same inner products and distances.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Dissimilarities:
    """The map from x to r(x), shifted and scaled column by column.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n, n_features)
        Training points, the representation set.
    center : ndarray of shape (n,)
        What is taken from each column.
    factor : ndarray of shape (n,)
        What each column is then multiplied by; the root of the point's weight aside.
    weight : ndarray of shape (n,)
        Sample weights, positive.
    """

    points: Any
    center: FloatArray
    factor: FloatArray
    weight: FloatArray

    @classmethod
    def to(cls, points: Any, weight: FloatArray, *, standardise: bool) -> Self:
        """Make the map for a training set.

        Parameters
        ----------
        points : ndarray or CSR matrix of shape (n, n_features)
        weight : ndarray of shape (n,)
            Sample weights, positive.
        standardise : bool
            Whether every column gets a mean of 0 and a variance of 1 over the training points, or
            of 0 where it is constant.

        Returns
        -------
        Dissimilarities
        """
        plain = cls(points, np.zeros(weight.size), np.ones(weight.size), weight)
        if not standardise:
            return plain
        columns = plain.vectors(points)
        center = np.average(columns, axis=0, weights=weight)
        spread = np.sqrt(np.average((columns - center) ** 2, axis=0, weights=weight))
        return cls(points, center, 1.0 / np.where(spread > 0.0, spread, 1.0), weight)

    def vectors(self, X: Any) -> FloatArray:
        """Return r(x) for the rows of X, one column per training point."""
        distances = np.sqrt(kernels.squared_distances(X, None if X is self.points else self.points))
        distances -= self.center
        distances *= self.factor
        return distances

    def repeated(self, vectors: FloatArray) -> FloatArray:
        """Return the vectors with columns multiplied as if points were repeated by weight."""
        return np.asarray(vectors * np.sqrt(self.weight))


def dissimilarity_gamma(gamma: float | str, vectors: FloatArray, weight: FloatArray) -> float:
    """Return the number that gamma stands for on vectors r(x), with weights as repetitions.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float
        "scale" is 1 / (n times the variance of all entries), "auto" is 1 / n, where n is the total
        weight.
    vectors : ndarray of shape (n, n)
        r(x) of the training points.
    weight : ndarray of shape (n,)

    Returns
    -------
    float
    """
    if not isinstance(gamma, str):
        return float(gamma)
    total = float(weight.sum())
    if gamma == "auto":
        return 1.0 / total
    share = weight / total
    mean = float(share @ vectors @ share)
    variance = float(share @ (vectors - mean) ** 2 @ share)
    return 1.0 / (total * variance) if variance > 0.0 else 1.0
