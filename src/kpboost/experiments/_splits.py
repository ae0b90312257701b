"""The data of a job, and its splits, prepared once for all that is tried on them."""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.methods import Method, PreparedSplit, near_one, paper_split, prepare_split
from kpboost.model_selection import Split


@dataclass(frozen=True, slots=True, eq=False)
class PreparedDataset:
    """A table with what jobs need to know about it.

    Attributes
    ----------
    name : str
    table : Table
        The features; nominal ones hold ordinal codes.
    codes : ndarray of shape (n_samples,)
        Class numbers.
    labels : tuple of str
        Of the classes, in the order of their numbers.
    fingerprint : str
        Of the samples and labels; two data sets that differ have different ones.
    disjuncts, disjunct_sizes : ndarray
        Disjunct of every sample, and the sizes of all disjuncts.
    splits : tuple of (train, test)
    """

    name: str
    table: Table
    codes: IndexArray
    labels: tuple[str, ...]
    fingerprint: str
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    splits: tuple[Split, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


# Squared distances dominate a split; this many bytes of them are kept, and one split in any case.
MOST_BYTES = 512 * 2**20
# Small splits are many: no more than this number.
MOST_SPLITS = 16

# What is prepared alike: data set, rows and weights, and how.
Key = tuple[str, bytes, str]
_splits: "OrderedDict[Key, PreparedSplit]" = OrderedDict()
_lock = Lock()


def cached_split(
    data: PreparedDataset,
    train: IndexArray,
    test: IndexArray,
    method: Method | None = None,
    factors: FloatArray | None = None,
) -> PreparedSplit:
    """Return a prepared split, from the cache or made now.

    Parameters
    ----------
    data : PreparedDataset
    train, test : ndarray
    method : Method or None, default=None
        By whose preparation, learnt from the training part; None prepares as the paper did.
    factors : ndarray of shape (n_classes,) or None, default=None
        Weight of a training row of every class.
    """
    arrays = [train, test] if factors is None else [train, test, factors]
    rows = blake2b(b"|".join(each.tobytes() for each in arrays)).digest()
    how = "paper" if method is None else "indicators" if method.nominal is None else "codes"
    key = (data.fingerprint, rows, how)
    with _lock:
        if key in _splits:
            _splits.move_to_end(key)
            return _splits[key]
    split = _prepared(data, train, test, method, factors)
    with _lock:
        _splits[key] = split
        _make_room()
    return split


def _prepared(
    data: PreparedDataset,
    train: IndexArray,
    test: IndexArray,
    method: Method | None,
    factors: FloatArray | None,
) -> PreparedSplit:
    if method is None:
        return paper_split(data.table.values, data.table.nominal, data.codes, train, test)
    X = np.where(data.table.nominal, data.table.values, near_one(data.table.values))
    return prepare_split(method, X, data.table.nominal, data.codes, train, test, factors)


def _make_room() -> None:
    """Drop the splits that were not asked for the longest."""
    sizes = [8 * len(split.codes) ** 2 for split in _splits.values()]
    while len(_splits) > 1 and (sum(sizes) > MOST_BYTES or len(_splits) > MOST_SPLITS):
        _splits.popitem(last=False)
        sizes.pop(0)
