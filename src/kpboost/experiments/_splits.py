"""The data of a job, and its splits, prepared once for all that is tried on them."""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

import numpy as np

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.methods import Method, PreparedSplit, near_one, paper_split, prepare_split


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A data set as jobs see it: numbers, and what is known about them.

    Attributes
    ----------
    name : str
    fingerprint : str
        Of the points and labels; two data sets that differ have different ones.
    X : ndarray of shape (n, d)
        NaN is a missing value; nominal columns hold ordinal codes.
    nominal : ndarray of bool of shape (d,)
    codes : ndarray of shape (n,)
        Class numbers.
    disjuncts, disjunct_sizes : ndarray
        Disjunct of every point, and the sizes of all disjuncts.
    n_classes : int
    """

    name: str
    fingerprint: str
    X: FloatArray
    nominal: BoolArray
    codes: IndexArray
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    n_classes: int


# Squared distances dominate a split; this many bytes of them are kept, and one split in any case.
MOST_BYTES = 512 * 2**20
# Small splits are many: no more than this number.
MOST_SPLITS = 16

# What is prepared alike: data set, rows and weights, and how.
Key = tuple[str, bytes, str]
_splits: "OrderedDict[Key, PreparedSplit]" = OrderedDict()
_lock = Lock()


def cached_split(
    points: Points,
    train: IndexArray,
    test: IndexArray,
    method: Method | None = None,
    factors: FloatArray | None = None,
) -> PreparedSplit:
    """Return a prepared split, from the cache or made now.

    Parameters
    ----------
    points : Points
    train, test : ndarray
    method : Method or None, default=None
        By whose preparation, learnt from the training part; None prepares as the paper did.
    factors : ndarray of shape (n_classes,) or None, default=None
        Weight of a training row of every class.
    """
    arrays = [train, test] if factors is None else [train, test, factors]
    rows = blake2b(b"|".join(each.tobytes() for each in arrays)).digest()
    how = "paper" if method is None else "indicators" if method.nominal is None else "codes"
    key = (points.fingerprint, rows, how)
    with _lock:
        if key in _splits:
            _splits.move_to_end(key)
            return _splits[key]
    split = _prepared(points, train, test, method, factors)
    with _lock:
        _splits[key] = split
        _make_room()
    return split


def _prepared(
    points: Points,
    train: IndexArray,
    test: IndexArray,
    method: Method | None,
    factors: FloatArray | None,
) -> PreparedSplit:
    if method is None:
        return paper_split(points.X, points.nominal, points.codes, train, test)
    X = np.where(points.nominal, points.X, near_one(points.X))
    return prepare_split(method, X, points.nominal, points.codes, train, test, factors)


def _make_room() -> None:
    """Drop the splits that were not asked for the longest."""
    sizes = [8 * len(split.codes) ** 2 for split in _splits.values()]
    while len(_splits) > 1 and (sum(sizes) > MOST_BYTES or len(_splits) > MOST_SPLITS):
        _splits.popitem(last=False)
        sizes.pop(0)
