"""Training data in blocks of rows: arrays, files, or anything that can be iterated over again.

A fit reads the data several times and never holds all of them. So a source is *re-iterable*: every
pass yields the same blocks, ``(X, y)`` or ``(X, y, sample_weight)``. Blocks are read in slices of
at most ``batch_size`` rows. What is wrong with one of them is said with the number of the block and
of the row; blocks that are not what they were in the first pass are found by their fingerprints.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray

# Rows of a block read from a file, unless another number is asked for.
FILE_ROWS = 65_536


class Block(NamedTuple):
    """Some rows as they were read, checked.

    Attributes
    ----------
    number : int
        Number of the slice in a pass, for random draws that depend on nothing else.
    name : str
        Where it stands in the data, for messages.
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels.
    weight : ndarray of shape (n,)
    """

    number: int
    name: str
    X: FloatArray
    y: NDArray[Any]
    weight: FloatArray


class Rows(NamedTuple):
    """Rows of a block that count: those of positive weight, with the numbers of their classes."""

    number: int
    X: FloatArray
    codes: IndexArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ArrayBlocks:
    """Rows of arrays or memory maps, which are cut when they are read.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    weight : ndarray of shape (n,) or None
    batch_size : int
        Most rows of a block.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    weight: FloatArray | None
    batch_size: int

    def __iter__(self) -> Iterator[Block]:
        for number, start in enumerate(range(0, len(self.X), self.batch_size)):
            rows = slice(start, start + self.batch_size)
            X = np.ascontiguousarray(self.X[rows], dtype=np.float64)
            _check_finite(X, "X", start)
            weight = np.ones(len(X)) if self.weight is None else self.weight[rows]
            yield Block(number, f"the rows from {start}", X, np.asarray(self.y[rows]), weight)


class GivenBlocks:
    """Blocks of a user, checked and cut.

    Parameters
    ----------
    given : iterable
        Of (X, y) or (X, y, sample_weight).
    batch_size : int
        Most rows of a slice.
    """

    def __init__(self, given: Iterable[Any], batch_size: int) -> None:
        self.given, self.batch_size = given, batch_size
        self._n_given: int | None = None  # known after the first pass

    def __iter__(self) -> Iterator[Block]:
        place = -1
        number, n_features = 0, None
        for place, block in enumerate(self.given):
            for part in slices_of(block, place, number, n_features, self.batch_size):
                n_features, number = part.X.shape[1], number + 1
                yield part
        self._check_end(place + 1)

    def _check_end(self, n_given: int) -> None:
        """Refuse a pass that ends early; one that goes on is found by its fingerprints."""
        if not n_given:
            raise ValueError("There are no blocks; fit needs at least one block (X, y).")
        if self._n_given is not None and n_given < self._n_given:
            raise ValueError(
                f"The blocks changed between two passes, after block {n_given - 1}: there were "
                f"{self._n_given}; every pass must yield the same rows in the same order."
            )
        self._n_given = n_given


def given_blocks(blocks: Any, batch_size: int) -> GivenBlocks:
    """Take what a user gave as blocks, if it can be read more than once and has any.

    Parameters
    ----------
    blocks : iterable
        Of (X, y) or (X, y, sample_weight); every pass over it must start anew.
    batch_size : int

    Returns
    -------
    GivenBlocks
    """
    if isinstance(blocks, str | bytes | Mapping) or not isinstance(blocks, Iterable):
        raise ValueError(
            f"fit got no y, and {type(blocks).__name__} is not a sequence of blocks; give X and y, "
            "or blocks (X, y) that can be iterated over again."
        )
    if iter(blocks) is blocks:
        raise ValueError(
            f"The blocks come from a {type(blocks).__name__}, which is used up after one pass, and "
            "fit needs several; give a list, or an object whose __iter__ starts again."
        )
    return GivenBlocks(blocks, batch_size)


def slices_of(
    block: Any, place: int, first: int, n_features: int | None, batch_size: int
) -> Iterator[Block]:
    """Check one block of a user and cut it.

    Parameters
    ----------
    block : sequence
        (X, y) or (X, y, sample_weight).
    place : int
        Number of the block, for messages.
    first : int
        Number of its first slice in a pass.
    n_features : int or None
        Columns of the other blocks; None before they are known.
    batch_size : int
        Most rows of a slice.

    Yields
    ------
    Block
    """
    X, y, weight = _checked(block, f"block {place}", n_features)
    for number, start in enumerate(range(0, len(X), batch_size), start=first):
        rows = slice(start, start + batch_size)
        part = np.ascontiguousarray(X[rows], dtype=np.float64)
        _check_finite(part, f"X of block {place}", start)
        name = f"block {place}, row {start} and after"
        yield Block(number, name, part, y[rows], weight[rows])


def _checked(
    block: Any, name: str, n_features: int | None
) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
    if not isinstance(block, Sequence) or len(block) not in (2, 3):
        raise ValueError(
            f"{name} is a {type(block).__name__}; it must be a pair (X, y), or (X, y, weights)."
        )
    X, y = _numbers(block[0], name), labels_of(block[1], name)
    if n_features is not None and X.shape[1] != n_features:
        raise ValueError(
            f"X of {name} has {X.shape[1]} features, those before it have {n_features}; all blocks "
            "need the same."
        )
    if len(y) != len(X):
        raise ValueError(f"{name} has {len(X)} rows in X and {len(y)} in y; they must be as many.")
    return X, y, _weights(block[2] if len(block) == 3 else None, len(X), name)


def _numbers(X: Any, name: str) -> NDArray[Any]:
    array = np.asarray(X)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"X of {name} has shape {array.shape}; it must be a matrix with at least one row and "
            "one column."
        )
    if array.dtype == object:
        array = _from_objects(array, name)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"X of {name} has dtype {array.dtype}; it must hold real numbers.")
    return array


def _from_objects(array: NDArray[Any], name: str) -> FloatArray:
    for row, values in enumerate(array):
        try:
            array[row].astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"X of {name} holds {values.tolist()!r} in row {row}; it must hold real numbers."
            ) from None
    return array.astype(np.float64)


def labels_of(y: Any, name: str) -> NDArray[Any]:
    """Return the labels of a block or chunk of this name, one per row, none of them missing."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"y of {name} has shape {labels.shape}; it must have one label per row, (n_rows,)."
        )
    wrong = np.flatnonzero(_missing(labels))
    if wrong.size:
        raise ValueError(
            f"y of {name} contains NaN, infinity or nothing in row {wrong[0]}; it must be a label."
        )
    return labels


def _missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    if labels.dtype.kind == "f":
        return np.asarray(~np.isfinite(labels))
    if labels.dtype != object:
        return np.zeros(labels.shape, dtype=np.bool_)
    # NA of pandas is equal to nothing, and says so by itself.
    return np.array([label is None or (label != label) is not False for label in labels], np.bool_)


def _weights(weight: Any, n_rows: int, name: str) -> FloatArray:
    if weight is None:
        return np.ones(n_rows)
    values = np.asarray(weight, dtype=np.float64)
    if values.shape != (n_rows,) or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"The weights of {name} must be {n_rows} finite numbers of at least 0, one per row."
        )
    return values


def _check_finite(X: FloatArray, name: str, start: int) -> None:
    """Refuse NaN and infinity, and say in which row."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(
            X.sum()
        ):  # it costs less than a mask, and of finite numbers is nearly always
            return
    strange = np.argwhere(~np.isfinite(X))
    if strange.size:
        row, column = strange[0].tolist()
        raise ValueError(
            f"{name} contains NaN or infinity in row {start + row}, column {column}; every value "
            "must be a finite number."
        )


def fingerprint(block: Block) -> tuple[int, int]:
    """Return the number of rows and a checksum, by which a later pass knows a block again."""
    y = block.y if block.y.dtype != object else np.asarray(block.y, dtype=np.str_)
    print_of_X = zlib.crc32(block.X.data)
    print_of_y = zlib.crc32(np.ascontiguousarray(y).data, print_of_X)
    return len(block.X), zlib.crc32(np.ascontiguousarray(block.weight).data, print_of_y)


def counted(
    block: Block, classes: NDArray[Any], fingerprints: Sequence[tuple[int, int]] | None
) -> Rows:
    """Rows of a block that count, if the block is still what it was.

    Parameters
    ----------
    block : Block
    classes : ndarray of shape (n_classes,)
        Sorted labels.
    fingerprints : sequence or None
        Of the blocks in the first pass, by their numbers; None where nothing can have changed.

    Returns
    -------
    Rows
    """
    if fingerprints is not None:
        known = fingerprints[block.number] if block.number < len(fingerprints) else None
        if known != fingerprint(block):
            raise ValueError(
                f"The blocks changed between two passes, at {block.name}; every pass must yield "
                "the same rows in the same order."
            )
    codes = np.searchsorted(classes, block.y)
    used = block.weight > 0
    if used.all():
        return Rows(block.number, block.X, codes, block.weight)
    return Rows(block.number, block.X[used], codes[used], block.weight[used])


@dataclass(frozen=True, slots=True, eq=False)
class NpyBlocks:
    """Rows of ``.npy`` files, for ``NystroemKPBoostSVC().fit(NpyBlocks("X.npy", "y.npy"))``.

    Files are mapped for one block at a time, so that memory does not grow with them.

    Parameters
    ----------
    X : path
        Of a matrix, one sample per row.
    y : path
        Of the labels.
    sample_weight : path, optional
        Of the weights.
    n_rows : int, default=65536
        Rows of a block.

    See Also
    --------
    kpboost.NystroemKPBoostSVC : Fits to them.
    ParquetBlocks : The same for Parquet files.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from kpboost.lowrank import NpyBlocks
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.zeros((5, 2)))
    ...     np.save(f"{folder}/y.npy", np.arange(5))
    ...     blocks = NpyBlocks(f"{folder}/X.npy", f"{folder}/y.npy", n_rows=3)
    ...     [len(y) for X, y in blocks]
    [3, 2]
    """

    X: str | PathLike[str]
    y: str | PathLike[str]
    sample_weight: str | PathLike[str] | None = None
    n_rows: int = FILE_ROWS

    def __iter__(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield (X, y) or (X, y, sample_weight), block by block."""
        parameters.check_count("n_rows", self.n_rows)
        files = [file for file in (self.X, self.y, self.sample_weight) if file is not None]
        lengths = [len(_mapped(file)) for file in files]
        if len(set(lengths)) > 1:
            named = " and ".join(f"{n} in {f}" for n, f in zip(lengths, files, strict=True))
            raise ValueError(f"The files differ in their rows: {named}; the numbers must be equal.")
        for start in range(0, lengths[0], self.n_rows):
            yield tuple(np.array(_mapped(file)[start : start + self.n_rows]) for file in files)


def _mapped(file: str | PathLike[str]) -> NDArray[Any]:
    array = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray) or array.ndim == 0:
        raise ValueError(f"{file} is not a .npy file with one entry per row.")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class ParquetBlocks:
    """Rows of a Parquet file, some at a time, whatever its row groups are.

    Parameters
    ----------
    file : path
    target : str
        Column of the labels.
    features : sequence of str, optional
        Columns of the features, all of numbers; by default all other columns.
    sample_weight : str, optional
        Column of the weights.
    n_rows : int, default=65536
        Most rows of a block.

    See Also
    --------
    kpboost.NystroemKPBoostSVC : Fits to them.
    NpyBlocks : The same for ``.npy`` files.

    Examples
    --------
    >>> from kpboost.lowrank import ParquetBlocks
    >>> blocks = ParquetBlocks("rows.parquet", target="class")
    >>> model = NystroemKPBoostSVC().fit(blocks)  # doctest: +SKIP
    """

    file: str | PathLike[str]
    target: str
    features: Sequence[str] | None = None
    sample_weight: str | None = None
    n_rows: int = FILE_ROWS

    @property
    def feature_names(self) -> list[str]:
        """Columns of the features, in order; a fit remembers them as ``feature_names_in_``."""
        with _parquet().ParquetFile(self.file) as table:
            return self._features(table.schema_arrow.names)

    def __iter__(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield (X, y) or (X, y, sample_weight), block by block."""
        parameters.check_count("n_rows", self.n_rows)
        with _parquet().ParquetFile(self.file) as table:
            features = self._features(table.schema_arrow.names)
            others = [name for name in (self.target, self.sample_weight) if name is not None]
            _check_numbers(table.schema_arrow, features, self.file)
            batches = table.iter_batches(self.n_rows, columns=[*features, *others])
            for batch in batches:
                X = np.column_stack([_column(batch, name) for name in features])
                yield (X, *(_column(batch, name) for name in others))

    def _features(self, names: Sequence[str]) -> list[str]:
        others = [name for name in (self.target, self.sample_weight) if name is not None]
        wanted = (
            [name for name in names if name not in others]
            if self.features is None
            else list(self.features)
        )
        missing = [name for name in [*wanted, *others] if name not in names]
        if missing or not wanted:
            raise ValueError(
                f"{self.file} has the columns {list(names)}; "
                + (f"{missing} are not among them." if missing else "none is left for features.")
            )
        return wanted


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError("ParquetBlocks needs pyarrow: pip install 'kpboost[parquet]'.") from None
    return parquet


def _check_numbers(schema: Any, names: Sequence[str], file: str | PathLike[str]) -> None:
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    wrong = [name for name in names if not any(test(schema.field(name).type) for test in tests)]
    if wrong:
        told = ", ".join(f"{name!r} ({schema.field(name).type})" for name in wrong[:10])
        raise ValueError(
            f"{file} has no numbers in {told}; features must be numbers. Name others in features, "
            "or let kpboost fit prepare the table."
        )


def _column(batch: Any, name: str) -> NDArray[Any]:
    return np.asarray(batch.column(name).to_numpy(zero_copy_only=False))
