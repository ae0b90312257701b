"""Arrays and frames of dask as blocks, and a class-stratified sample of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kpboost import _validation as parameters
from kpboost._shares import even_shares
from kpboost._typing import FloatArray, IndexArray

from ._blocks import Block, labels_of, slices_of
from ._dask_engine import Chunk, Cluster, DaskBlocks, needs_dask
from ._survey import union_of_labels

# Rows are drawn one by one, so that a class that should have fewer might get none.
LEAST_DRAWN = 50


def _is_array(data: Any) -> bool:
    return parameters.is_on_dask(data) and hasattr(data, "chunks") and hasattr(data, "ndim")


def _is_frame(data: Any) -> bool:
    return parameters.is_on_dask(data) and hasattr(data, "map_partitions") and hasattr(data, "ndim")


@dataclass(frozen=True, slots=True, eq=False)
class Collections:
    """X, y and perhaps weights on dask, cut alike.

    Attributes
    ----------
    parts : list of tuple of Delayed
        By chunk: X, y and perhaps weights.
    lengths : list of int
        Rows of the chunks.
    n_features : int
    feature_names : list of str or None
        Columns of a frame.
    """

    parts: list[tuple[Any, ...]]
    lengths: list[int]
    n_features: int
    feature_names: list[str] | None

    def blocks(self, cluster: Cluster, batch_size: int) -> DaskBlocks:
        """Return checked blocks of at most so many rows; chunks without rows are left out.

        Parameters
        ----------
        cluster : Cluster
        batch_size : int

        Returns
        -------
        DaskBlocks
        """
        if not sum(self.lengths):
            raise ValueError("X has no rows; at least one is needed.")
        chunks, first = [], 0
        for place, (part, length) in enumerate(zip(self.parts, self.lengths, strict=True)):
            if length:
                opened = _Cut(place, first, self.n_features, batch_size)
                chunks.append(Chunk(opened, part, first))
                first += -(-length // batch_size)
        return DaskBlocks(chunks, cluster)


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """From the values of a chunk to its slices."""

    place: int
    first: int
    n_features: int
    batch_size: int

    def __call__(self, *values: Any) -> "_Slices":
        return _Slices(values, self)


@dataclass(frozen=True, slots=True, eq=False)
class _Slices:
    """Slices of a chunk, cut whenever they are read."""

    values: tuple[Any, ...]
    how: _Cut

    def __iter__(self) -> Iterator[Block]:
        how = self.how
        return slices_of(self.values, how.place, how.first, how.n_features, how.batch_size)


def as_collections(
    X: Any, y: Any, sample_weight: Any, cluster: Cluster, instead: str
) -> Collections:
    """Check what can be checked without a task, and find the lengths of the chunks.

    Parameters
    ----------
    X : dask array or DataFrame
    y : dask array or Series
    sample_weight : dask array or Series, or None
    cluster : Cluster
        Asked for the lengths where dask does not know them.
    instead : str
        Where other data may go, for the message.

    Returns
    -------
    Collections
    """
    given = {"X": X, "y": y}
    if sample_weight is not None:
        given["sample_weight"] = sample_weight
    for name, data in given.items():
        if not (_is_array(data) or _is_frame(data)):
            raise ValueError(
                f"{name} is a {type(data).__name__}; it must be a dask array or DataFrame. "
                f"{instead}"
            )
    if len(X.shape) != 2:
        raise ValueError(f"X has {len(X.shape)} dimension(s); it must have 2, rows and columns.")
    _check_cuts(given)
    parts = list(zip(*map(_parts, given.values()), strict=True))
    return Collections(parts, _lengths(given, parts, cluster), int(X.shape[1]), _names(X))


def _names(X: Any) -> list[str] | None:
    """Columns of a frame, if all of them have names, which scikit-learn asks for."""
    names = list(X.columns) if _is_frame(X) else []
    return names if names and all(isinstance(name, str) for name in names) else None


def _rows_by_chunk(data: Any) -> list[int | None]:
    """Rows of every chunk; None where dask does not know them."""
    if _is_frame(data):
        return [None] * data.npartitions
    return [None if isnan(n) else int(n) for n in data.chunks[0]]


def _check_cuts(given: dict[str, Any]) -> None:
    first, *others = ((name, _rows_by_chunk(data)) for name, data in given.items())
    for name, rows in others:
        if len(rows) != len(first[1]):
            raise ValueError(
                f"X has {len(first[1])} chunks and {name} has {len(rows)}; they must be cut alike, "
                f"for example by {name}.rechunk or repartition."
            )
        for place, (own, other) in enumerate(zip(first[1], rows, strict=True)):
            if own is not None and other is not None and own != other:
                raise ValueError(
                    f"Chunk {place} has {own} rows in X and {other} in {name}; they must be cut "
                    f"alike, for example by {name}.rechunk or repartition."
                )


def _parts(data: Any) -> list[Any]:
    """Tasks of the chunks."""
    if _is_array(data) and data.ndim == 2 and data.numblocks[1] > 1:
        data = data.rechunk({1: -1})  # a row has all of its columns
    return list(np.ravel(data.to_delayed()))


def _lengths(
    given: dict[str, Any], parts: Sequence[tuple[Any, ...]], cluster: Cluster
) -> list[int]:
    """Rows of the chunks; where no collection knows them, the labels are counted."""
    for data in given.values():
        rows = _rows_by_chunk(data)
        if None not in rows:
            return rows  # type: ignore[return-value]
    delayed = needs_dask().delayed
    counts = [delayed(len, pure=False)(part[1]) for part in parts]
    return list(cluster.result(delayed(_in_order, pure=False)(counts)))


def _in_order(counts: list[int]) -> list[int]:
    return counts


class DrawnRows(NamedTuple):
    """A class-stratified sample of a collection, in memory.

    Attributes
    ----------
    X : ndarray or DataFrame
    y : ndarray of shape (n,)
    sizes : ndarray of shape (n_classes,)
        Rows of the classes in all data, in the order of the sorted labels.
    """

    X: Any
    y: NDArray[Any]
    sizes: IndexArray


def drawn_rows(X: Any, y: Any, max_samples: int | None, seed: int) -> DrawnRows:
    """Draw rows by class, of every class as many as far as it has them.

    Workers count the labels and draw the rows, each by a random number that depends on the seed,
    the chunk and the row alone; only what is drawn comes here.

    Parameters
    ----------
    X : dask array or DataFrame
        Values of any kind, missing ones too.
    y : dask array or Series
    max_samples : int or None
        About how many; None takes all.
    seed : int

    Returns
    -------
    DrawnRows
    """
    cluster = Cluster()
    given = as_collections(X, y, None, cluster, "X and y go together, both on dask or neither.")
    chunks = [Chunk(_Table(n), part, n) for n, part in enumerate(given.parts)]
    tables = DaskBlocks(chunks, cluster)
    labels, sizes = tables.total(_counted_labels, merge=_all_labels)
    chances = _chances(sizes, max_samples)
    table, own = tables.total(_drawn_table, labels, chances, seed, merge=_stacked)
    return DrawnRows(_with_categories(table, X), own, sizes)


def _chances(sizes: IndexArray, max_samples: int | None) -> FloatArray:
    """Chance of a row to be drawn, by class."""
    if max_samples is None or sizes.sum() <= max_samples:
        return np.ones(sizes.size)
    least = LEAST_DRAWN * sizes.size
    if max_samples < least:
        allowed = f"at least {least}, {LEAST_DRAWN} for each class"
        raise parameters.refusal("max_samples", max_samples, allowed)
    return np.asarray(even_shares(sizes, max_samples) / sizes)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """From the values of a chunk to one block: its number, table and labels."""

    place: int

    def __call__(self, X: Any, y: Any) -> list[tuple[int, Any, NDArray[Any]]]:
        labels = labels_of(y, f"chunk {self.place}")
        if len(labels) != len(X):
            raise ValueError(
                f"Chunk {self.place} has {len(X)} rows in X, and {len(labels)} in y; y must have "
                "one label per row."
            )
        return [(self.place, X, labels)]


TableBlock = tuple[int, Any, NDArray[Any]]


def _counted_labels(block: TableBlock) -> tuple[NDArray[Any], IndexArray]:
    labels, sizes = np.unique(block[2], return_counts=True)
    return labels, sizes


def _all_labels(
    one: tuple[NDArray[Any], IndexArray], other: tuple[NDArray[Any], IndexArray]
) -> tuple[NDArray[Any], IndexArray]:
    labels = union_of_labels(one[0], other[0])
    sizes = np.zeros(labels.size, dtype=np.intp)
    for own, counts in (one, other):
        sizes[np.searchsorted(labels, own)] += counts
    return labels, sizes


def _drawn_table(
    block: TableBlock, labels: NDArray[Any], chances: FloatArray, seed: int
) -> tuple[Any, NDArray[Any]]:
    place, table, own = block
    numbers = np.random.default_rng([seed, place]).random(own.size)
    taken = numbers < chances[np.searchsorted(labels, own)]
    return table[taken], own[taken]


def _stacked(
    one: tuple[Any, NDArray[Any]], other: tuple[Any, NDArray[Any]]
) -> tuple[Any, NDArray[Any]]:
    if hasattr(one[0], "iloc"):
        import pandas as pd

        table = pd.concat([one[0], other[0]])
    else:
        table = np.concatenate([one[0], other[0]])
    return table, np.concatenate([one[1], other[1]])


def _with_categories(table: Any, X: Any) -> Any:
    """Give columns of categories their type back, where chunks had different ones."""
    if not _is_frame(X):
        return table
    lost = [n for n, kind in X.dtypes.items() if kind == "category" and table[n].dtype != kind]
    return table.astype(dict.fromkeys(lost, "category"))
