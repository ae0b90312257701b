"""Disjuncts for every number of links: the kappa-delta curve, and the disjuncts at one point of it.

Two points of a class are in one disjunct, after the first k columns of links,

- "directed": if the searches of Algorithm 2 say so. They go along links, from the lowest row not
  yet visited, and never enter an earlier disjunct. Equivalently: if the lowest row from which a
  path of links leads to them is the same. The order of the rows has a say.
- "weak": if a path connects them on which links may be taken either way.
- "strong": if paths of links lead from each to the other.

Strong disjuncts lie within directed ones, and directed ones within weak ones.
"""

import numpy as np
from numpy.typing import NDArray

from kpboost import _core

from .neighbors import Rows

IndexArray = NDArray[np.intp]


def disjunct_counts(links: Rows, connection: str, n_columns: int) -> IndexArray:
    """Numbers of disjuncts with 1, 2, ..., n_columns links; columns past the last add nothing."""
    counts, _ = _grow(links, connection, n_columns)
    last = counts[-1] if counts.size else links.shape[0]
    return np.append(counts, np.repeat(last, n_columns - counts.size)).astype(np.intp)


def disjunct_labels(
    links: Rows, connection: str, n_columns: int, codes: IndexArray
) -> tuple[IndexArray, IndexArray]:
    """Each point's disjunct, and each disjunct's class.

    Disjuncts are numbered class by class, and within a class by their lowest row.
    """
    _, lowest = _grow(links, connection, n_columns)
    heads = np.unique(lowest)
    heads = heads[np.argsort(codes[heads], kind="stable")]
    number = np.empty(codes.size, dtype=np.intp)
    number[heads] = np.arange(heads.size)
    return number[lowest], codes[heads]


def _grow(links: Rows, connection: str, n_columns: int) -> tuple[NDArray[np.int64], Rows]:
    counts = np.empty(min(n_columns, links.shape[1]), dtype=np.int64)
    lowest = np.empty(links.shape[0], dtype=np.int32)
    _core.grow(links, connection, counts, lowest)
    return counts, lowest
