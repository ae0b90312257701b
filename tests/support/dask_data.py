"""Rows that the workers of a cluster make themselves; some of them kill their worker."""

import os
import signal
from pathlib import Path

import dask.array as da
import numpy as np

ROWS, COLUMNS = 700, 4


def rows(place, n=ROWS, n_columns=COLUMNS, n_classes=2):
    """Points, labels and weights of a chunk; a class may be missing from it."""
    rng = np.random.default_rng(place)
    X = rng.normal(size=(n, n_columns))
    near = np.hypot(X[:, 0] - 1, X[:, 1]) < 0.7
    return X, near * rng.integers(1, n_classes, n), rng.integers(0, 3, n).astype(float)


def blocks(n_chunks, with_weights=False, **how):
    """The same rows as a list of blocks."""
    return [rows(place, **how)[: 3 if with_weights else 2] for place in range(n_chunks)]


def collections(n_chunks, fatal=None, n=ROWS, n_columns=COLUMNS, n_classes=2):
    """X, y and weights on dask, which no client ever sees.

    ``fatal`` is a folder, a chunk and a pass: making that chunk's points for that pass kills the
    process.
    """
    how = {"n": n, "n_columns": n_columns, "n_classes": n_classes}
    lengths = (n,) * n_chunks
    X = da.map_blocks(
        chunk, 0, how, fatal, chunks=(lengths, (n_columns,)), dtype=float, meta=np.empty((0, 0))
    )
    y = da.map_blocks(chunk, 1, how, chunks=(lengths,), dtype=np.int64, meta=np.empty(0, int))
    weight = da.map_blocks(chunk, 2, how, chunks=(lengths,), dtype=float, meta=np.empty(0))
    return X, y, weight


def chunk(which, how, fatal=None, block_id=None):
    if fatal is not None:
        folder, place, last = fatal
        if block_id[0] == place:
            mark(Path(folder), last)
    return rows(block_id[0], **how)[which]


def mark(folder, last):
    """Leave a mark for every pass, and die in one of them."""
    number = len(list(folder.iterdir())) + 1
    (folder / str(number)).touch()
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)
