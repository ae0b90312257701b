"""The folds of a data set, the same for all methods, and splits prepared once for a job."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Table
from kpboost.methods import Method, PreparedSplit, near_one, paper_split, prepare_split
from kpboost.model_selection import FEWEST_MEMBERS, RareClassKFold, Split, hold_out, together


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

    @property
    def n_training(self) -> int:
        """Samples of the largest training part."""
        return max(train.size for train, _ in self.splits)


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


# Bytes of a seed: random_state takes 32 bits.
SEED_BYTES = 4


def seed_of(seed: int, *names: object) -> int:
    """Return a number from 0 to 2^32 - 1 that depends on a seed and names alone.

    Parameters
    ----------
    seed : int
        Of the experiment.
    *names : objects
        What is drawn for, for example a data set, a fold and a method; their texts count.
    """
    text = "\x1f".join(map(str, (seed, *names)))  # a separator that names do not have
    return int.from_bytes(blake2b(text.encode(), digest_size=SEED_BYTES).digest(), "big")


NESTED, STATED, PUBLISHED = "nested", "stated", "published"

# Folds by protocol. Ten is what the paper states; its figures of two classes fit five, as we read
# them (docs/reproduction.md).
DEFAULT_FOLDS = {NESTED: 5, STATED: 10, PUBLISHED: 5}
# One more than without nested choices, whose training part is split again.
FEWEST_NESTED = 3


def outer_splits(
    codes: IndexArray,
    *,
    protocol: str,
    n_folds: int | None,
    seed: int,
    name: str,
    given: Sequence[Split] | None = None,
    records: IndexArray | None = None,
) -> list[Split]:
    """Split a data set as the protocol says.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class numbers.
    protocol : {"nested", "stated", "published"}
    n_folds : int or None
        None is the protocol's own number.
    seed : int
    name : str
        Of the data set, for the draw.
    given : sequence of (train, test) or None
        Folds that came with the data set; taken where ``n_folds`` is None.
    records : ndarray of shape (n,) or None
        Numbers; rows with the same one are copies, which are never parted.

    Returns
    -------
    list of (train, test)
    """
    if given is not None and n_folds is None:
        _check_given(codes, protocol, name, given)
        return [(np.asarray(train), np.asarray(test)) for train, test in given]
    _check_members(codes, protocol, name)
    state = seed_of(seed, name, "partition")
    if protocol == PUBLISHED and n_folds is None and codes.max() > 1:
        return [hold_out(codes, state)]
    folds = RareClassKFold(n_folds or DEFAULT_FOLDS[protocol], random_state=state)
    if records is None:
        return list(folds.split(codes, codes))
    return together(records, codes, lambda own: folds.split(own, own))


def _check_members(codes: IndexArray, protocol: str, name: str) -> None:
    sizes = np.bincount(codes)
    if sizes.size < 2:
        raise ValueError(f"The data set {name!r} has one class; a comparison needs two.")
    fewest = FEWEST_NESTED if protocol == NESTED else FEWEST_MEMBERS
    if sizes.min() < fewest:
        raise ValueError(
            f"The data set {name!r} has a class of {sizes.min()} points; protocol {protocol!r} "
            f"needs {fewest} of every class."
        )


def _check_given(codes: IndexArray, protocol: str, name: str, given: Sequence[Split]) -> None:
    """Refuse folds that leave too little to learn from; one fewer than a whole class needs."""
    fewest = (FEWEST_NESTED if protocol == NESTED else FEWEST_MEMBERS) - 1
    n_classes = codes.max() + 1
    for number, (train, _) in enumerate(given, start=1):
        left = np.bincount(codes[train], minlength=n_classes).min()
        if left < fewest:
            raise ValueError(
                f"The data set {name!r} comes with folds, and the training part of fold {number} "
                f"has a class of {left} points; protocol {protocol!r} needs {fewest}. Set a number "
                "of folds to make new ones."
            )
