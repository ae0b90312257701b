"""What the first passes over the blocks find out: classes, moments, and a sample.

The sample is drawn by class. Row i of class c enters with probability q_c, independently, by a
random number that depends on the seed, the block and the row alone. A rare class has q = 1 up to
its fair share of the sample, with two classes half of it: it is in the sample whole. Rows that
entered stand for those that did not, so that sums over the sample estimate sums over all rows,

    weight in the sample = weight * (weight of the class) / (weight of the class in the sample).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray, IndexArray

from ._blocks import Block, Rows, fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What is known of some blocks.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        Sorted labels with a positive weight.
    sizes : ndarray of shape (n_classes,)
        Rows of positive weight, by class.
    mass : ndarray of shape (n_classes,)
        Their weight.
    mean, spread : float
        Weighted mean of all entries of X, and the weighted sum of their squared deviations.
    n_features : int
    fingerprints : tuple of (int, int)
        Of the blocks, in order.
    """

    labels: NDArray[Any]
    sizes: IndexArray
    mass: FloatArray
    mean: float
    spread: float
    n_features: int
    fingerprints: tuple[tuple[int, int], ...]

    @property
    def variance(self) -> float:
        """Variance of all entries of X about their common mean."""
        return float(self.spread / (self.mass.sum() * self.n_features))


def surveyed(block: Block, with_fingerprints: bool) -> Survey:
    """Survey of one block."""
    with np.errstate(over="ignore", invalid="ignore"):  # of the variance, which says so later
        return _surveyed(block, with_fingerprints)


def _surveyed(block: Block, with_fingerprints: bool) -> Survey:
    used = block.weight > 0
    weight, X = block.weight[used], block.X[used]
    labels, codes = np.unique(block.y[used], return_inverse=True)
    total = weight.sum() * X.shape[1]
    mean = float(weight @ X.sum(axis=1)) / total if weight.size else 0.0
    deviations = X - mean
    return Survey(
        labels=labels,
        sizes=np.bincount(codes, minlength=labels.size),
        mass=np.asarray(np.bincount(codes, weight, labels.size), dtype=np.float64),
        mean=mean,
        spread=float(weight @ np.einsum("ij,ij->i", deviations, deviations)),
        n_features=X.shape[1],
        fingerprints=(fingerprint(block),) if with_fingerprints else (),
    )


def joined(one: Survey, other: Survey) -> Survey:
    """Survey of two neighbours, without a difference of large sums."""
    labels = union_of_labels(one.labels, other.labels)
    before, after = float(one.mass.sum()), float(other.mass.sum())
    share = after / (before + after) if after else 0.0  # a block may have no row that counts
    difference = other.mean - one.mean
    return Survey(
        labels=labels,
        sizes=_at(labels, one, "sizes") + _at(labels, other, "sizes"),
        mass=_at(labels, one, "mass") + _at(labels, other, "mass"),
        mean=one.mean + share * difference,
        spread=one.spread + other.spread + share * before * one.n_features * difference**2,
        n_features=one.n_features,
        fingerprints=one.fingerprints + other.fingerprints,
    )


def union_of_labels(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Sorted labels of two blocks, if they are of one kind."""
    if one.size and other.size and _are_strings(one) != _are_strings(other):
        raise ValueError(
            "The labels of the blocks are of several kinds: "
            f"{one.tolist()} and {other.tolist()}; all must be numbers, or all strings."
        )
    return np.union1d(one, other) if one.size and other.size else (one if one.size else other)


def _are_strings(labels: NDArray[Any]) -> bool:
    return all(isinstance(label, str) for label in labels.tolist())


def _at(labels: NDArray[Any], survey: Survey, name: str) -> NDArray[Any]:
    values = getattr(survey, name)
    full = np.zeros(labels.size, dtype=values.dtype)
    full[np.searchsorted(labels, survey.labels)] = values
    return full


class Sample(NamedTuple):
    """Rows that were drawn; their weights are the given ones until :func:`standing_for` them."""

    X: FloatArray
    codes: IndexArray
    weight: FloatArray

    def take(self, rows: Any) -> "Sample":
        """Return some rows."""
        return Sample(self.X[rows], self.codes[rows], self.weight[rows])

    def slices(self, size: int) -> "list[Sample]":
        """Return all rows, in slices of at most so many."""
        return [self.take(slice(at, at + size)) for at in range(0, self.codes.size, size)]


def drawn(rows: Rows, chances: FloatArray, seed: int) -> Sample:
    """Rows of a block that enter the sample.

    Parameters
    ----------
    rows : Rows
    chances : ndarray of shape (n_classes,)
        q by class.
    seed : int

    Returns
    -------
    Sample
    """
    numbers = np.random.default_rng([seed, rows.number]).random(rows.codes.size)
    taken = numbers < chances[rows.codes]  # below 1, so that chance 1 takes all
    return Sample(rows.X[taken], rows.codes[taken], rows.weight[taken])


def side_by_side(one: Sample, other: Sample) -> Sample:
    """Two samples as one."""
    return Sample(
        np.concatenate([one.X, other.X]),
        np.concatenate([one.codes, other.codes]),
        np.concatenate([one.weight, other.weight]),
    )


def standing_for(sample: Sample, mass: FloatArray) -> Sample:
    """Sample whose weights stand for all rows.

    Parameters
    ----------
    sample : Sample
        With rows of every class.
    mass : ndarray of shape (n_classes,)
        Weights of the classes in all rows.

    Returns
    -------
    Sample
    """
    own = np.bincount(sample.codes, weights=sample.weight, minlength=mass.size)
    return sample._replace(weight=sample.weight * (mass / own)[sample.codes])
