"""A draw from a Parquet file of any size, rare classes whole, without the other rows in memory.

The file is read three times, some rows at a time: the classes are counted; every row gets a random
number, and of each class the rows of the smallest numbers are drawn; these rows are fetched, and
all words of the text columns with them, so that a category is known though no row of it was drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kpboost._notebook import Facts, FactsMixin, counted
from kpboost._shares import even_shares
from kpboost._typing import IndexArray, LabelArray

from ._column_roles import ColumnChoices
from ._dataset import MAX_CLASSES, Dataset, dataset_of
from ._parquet import (
    arrow_batches,
    parquet_batches,
    parquet_schema,
    parquet_size,
    table_of_arrow,
    texts_of,
    truths_of,
    usable_columns,
)
from ._table import MISSING, DataError, no_column
from ._text import Origin

# Rows of a draw. The default classifier learns from so many, however many there are.
DRAWN_ROWS = 100_000
# Different words of a text column that are remembered; of one with more, those that were drawn.
MOST_WORDS = 100_000

# A class that is rare in the file has so many rows in a draw in proportion, if it has them at all.
FEWEST_IN_PROPORTION = 1000

OnRows = Callable[[str, int, int], None]
Shares = Callable[[IndexArray, int], IndexArray]


@dataclass(frozen=True, eq=False, repr=False)
class Draw(FactsMixin):
    """Some rows of a file, which stand for all.

    Attributes
    ----------
    data : Dataset
        The rows, in the order of the file.
    class_sizes : dict from str to int
        Rows of each class in the file, in the order of the sorted classes.
    rows : ndarray of shape (n_drawn,)
        Numbers of the rows in the file, ascending.

    See Also
    --------
    draw_parquet : Draws from a file.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import Draw, load
    >>> data = load("planted-two")
    >>> rows = np.arange(0, 408, 2)
    >>> Draw(data.take(rows), {"common": 340, "rare": 68}, rows).n_rows
    408
    """

    data: Dataset
    class_sizes: dict[str, int]
    rows: IndexArray

    def _facts(self) -> Facts:
        yield "name", self.data.name
        yield "rows drawn", f"{self.rows.size:,} of {self.n_rows:,}"
        yield "classes of the file", counted(self.class_sizes)

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return sum(self.class_sizes.values())


def is_larger_than_draw(path: str | Path, max_rows: int = DRAWN_ROWS) -> bool:
    """Tell whether a file is one of Parquet with more rows than a draw."""
    return Path(path).suffix.lower() == ".parquet" and parquet_size(path) > max_rows


def in_proportion(sizes: IndexArray, total: int) -> IndexArray:
    """Share about `total` places between classes by their sizes; rare classes get 1,000 or all.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets._draw import in_proportion
    >>> in_proportion(np.array([900_000, 99_900, 100]), 50_000).tolist()
    [45000, 4995, 100]
    """
    natural = np.ceil(sizes * min(1.0, total / sizes.sum())).astype(np.intp)
    return np.asarray(np.maximum(natural, np.minimum(sizes, FEWEST_IN_PROPORTION)), dtype=np.intp)


def draw_dataset(data: Dataset, max_rows: int, shares: Shares, seed: int) -> Draw:
    """Draw rows of a data set in memory, as :func:`draw_parquet` does from a file."""
    classes, codes, sizes = np.unique(data.y, return_inverse=True, return_counts=True)
    keys = np.random.default_rng(seed).random(codes.size)
    rows = _smallest(iter([(0, codes, keys)]), shares(sizes, max_rows))
    names = [str(label) for label in classes]
    return Draw(data.take(rows), dict(zip(names, sizes.tolist(), strict=True)), rows)


def draw_parquet(
    path: str | Path,
    target: str | None = None,
    choices: ColumnChoices | None = None,
    *,
    max_rows: int = DRAWN_ROWS,
    shares: Shares | None = None,
    seed: int = 0,
    on_rows: OnRows | None = None,
) -> Draw:
    """Draw rows of a Parquet file, by default of all classes as many: rare ones are in it whole.

    Memory depends on the draw, not on the file.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str or None, default=None
        Name of the column with the classes; None takes the last.
    choices : ColumnChoices or None, default=None
        What is said about the columns; None says nothing.
    max_rows : int, default=100000
        Rows to draw; all, if there are no more.
    shares : callable, optional
        From sizes of classes and ``max_rows`` to rows that are drawn of each; by default an even
        share for each class, up to its size.
    seed : int, default=0
        Seed of the draw.
    on_rows : callable, optional
        Called with what is done, the rows that have been read, and all rows.

    Returns
    -------
    Draw
    """
    names = usable_columns(parquet_schema(path))
    target = names[-1] if target is None else target
    if target not in names:
        raise DataError(no_column(target, names), path)
    tell = _Telling(on_rows, parquet_size(path))
    sizes = _class_sizes(path, target, tell)
    classes = sorted(sizes)
    wanted = (shares or _one_at_least)(np.array([sizes[name] for name in classes]), max_rows)
    rows = _smallest(_keyed(path, target, classes, seed, tell), wanted)
    frame, words = _fetched(path, rows, tell)
    table = table_of_arrow(frame, Origin(path, row_of=lambda row: int(rows[row])), words)
    data = dataset_of(table, target, choices or ColumnChoices())
    return Draw(data, {name: sizes[name] for name in classes}, rows)


def _one_at_least(sizes: IndexArray, total: int) -> IndexArray:
    return even_shares(sizes, total, at_least=1)


class _Telling:
    """Count rows, and tell them."""

    def __init__(self, on_rows: OnRows | None, total: int) -> None:
        self._on_rows, self._total = on_rows, total

    def rows(self, what: str, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each batch's first row, and the batch."""
        done = 0
        for batch in batches:
            if self._on_rows is not None:
                self._on_rows(what, done, self._total)
            yield done, batch
            done += batch.num_rows if hasattr(batch, "num_rows") else batch.n_rows


def _labels(path: str | Path, target: str) -> Iterator[Any]:
    return parquet_batches(path, columns=[target])


def _class_sizes(path: str | Path, target: str, tell: _Telling) -> dict[str, int]:
    """Count the rows of each class; every row must have one."""
    sizes: Counter[str] = Counter()
    for start, batch in tell.rows("counting classes", _labels(path, target)):
        missing = np.flatnonzero(np.isnan(batch.values[:, 0]))
        if missing.size:
            row = start + int(missing[0]) + 1
            raise DataError(f"the class {target!r} is missing in row {row}.", path)
        words, counts = np.unique(batch.columns[0].labels(), return_counts=True)
        sizes.update(dict(zip(words.tolist(), counts.tolist(), strict=True)))
        if len(sizes) > MAX_CLASSES:
            raise DataError(
                f"column {target!r} has more than {MAX_CLASSES} different values; that is not a "
                "class (make a few ranges of it, or name another column as target).",
                path,
            )
    return dict(sizes)


Keyed = tuple[int, IndexArray, Any]


def _keyed(
    path: str | Path, target: str, classes: list[str], seed: int, tell: _Telling
) -> Iterator[Keyed]:
    """Yield first rows, class numbers and random numbers; these depend on seed and row alone."""
    random = np.random.default_rng(seed)
    for start, batch in tell.rows("drawing rows", _labels(path, target)):
        labels: LabelArray = batch.columns[0].labels()
        yield start, np.searchsorted(classes, labels), random.random(labels.size)


def _smallest(batches: Iterator[Keyed], wanted: IndexArray) -> IndexArray:
    """Rows with the smallest random numbers of each class, as many as are wanted."""
    keys = [np.empty(0) for _ in wanted]
    rows = [np.empty(0, dtype=np.intp) for _ in wanted]
    for start, codes, numbers in batches:
        for code in np.unique(codes).tolist():
            own = np.flatnonzero(codes == code)
            keys[code] = np.concatenate([keys[code], numbers[own]])
            rows[code] = np.concatenate([rows[code], own + start])
            if keys[code].size > wanted[code]:
                kept = np.argpartition(keys[code], wanted[code])[: wanted[code]]
                keys[code], rows[code] = keys[code][kept], rows[code][kept]
    return np.sort(np.concatenate(rows))


def _fetched(
    path: str | Path, rows: IndexArray, tell: _Telling
) -> tuple[Any, dict[str, list[str] | None]]:
    """Return the rows as one of Arrow's tables, and the words of all rows by text column."""
    from pyarrow import concat_tables

    parts = []
    words: dict[str, set[str]] = {name: set() for name in texts_of(parquet_schema(path))}
    for start, frame in tell.rows("fetching rows", arrow_batches(path)):
        own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + frame.num_rows)]
        parts.append(frame.take(own - start))
        for name in [name for name in words if name in frame.column_names]:
            words[name].update(map(str, frame.column(name).unique().drop_null().to_pylist()))
            if len(words[name]) > MOST_WORDS:
                del words[name]
    known = {name: {word.strip() for word in own} - MISSING for name, own in words.items()}
    known |= {name: {str(False), str(True)} for name in truths_of(parquet_schema(path))}
    return concat_tables(parts).unify_dictionaries(), {n: sorted(own) for n, own in known.items()}
