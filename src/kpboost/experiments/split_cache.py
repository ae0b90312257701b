"""The last few prepared splits of this process: neighbouring jobs ask for the same ones."""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from .preparation import Points
from .splits import PreparedSplit, prepare_split

IndexArray = NDArray[np.intp]

# Squared distances dominate a split; this many bytes of them are kept, and one split in any case.
MOST_BYTES = 512 * 2**20
# Small splits are many: no more than this number.
MOST_SPLITS = 16

_splits: "OrderedDict[tuple[str, bytes, bool], PreparedSplit]" = OrderedDict()
_lock = Lock()


def cached_split(
    points: Points, train: IndexArray, test: IndexArray, *, leak_free: bool
) -> PreparedSplit:
    """Return a prepared split, from the cache or made now.

    Parameters
    ----------
    points : Points
    train, test : ndarray
    leak_free : bool
    """
    rows = blake2b(train.tobytes() + b"|" + test.tobytes()).digest()
    key = (points.fingerprint, rows, leak_free)
    with _lock:
        if key in _splits:
            _splits.move_to_end(key)
            return _splits[key]
    split = prepare_split(points, train, test, leak_free=leak_free)
    with _lock:
        _splits[key] = split
        _make_room()
    return split


def _make_room() -> None:
    """Drop the splits that were not asked for the longest."""
    sizes = [8 * len(split.codes) ** 2 for split in _splits.values()]
    while len(_splits) > 1 and (sum(sizes) > MOST_BYTES or len(_splits) > MOST_SPLITS):
        _splits.popitem(last=False)
        sizes.pop(0)
