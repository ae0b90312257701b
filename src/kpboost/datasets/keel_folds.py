"""KEEL's partitions: pairs of files ``NAME-5-1tra.dat`` and ``NAME-5-1tst.dat`` beside the data.

The test parts share out the points of the whole file, and each training part is the rest; points
are recognised by their values, since the files do not number them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .data_error import DataError
from .dataset import Fold
from .read_arff import read_arff
from .table import Table
from .text_file import MAX_BYTES

IndexArray = NDArray[np.intp]
# Files of one partition by number of the fold and part ("tra", "tst").
Parts = Mapping[tuple[int, str], Path]


def keel_folds(
    path: str | Path, table: Table, max_bytes: int = MAX_BYTES
) -> tuple[Fold, ...] | None:
    """Return the (train, test) row numbers that KEEL's files beside ``path`` prescribe, or None.

    The files are looked for in the folder of ``path`` and in its sub-folder ``NAME-5-fold``.
    With several partitions, the one with the fewest folds counts.
    """
    found = find_parts(Path(path))
    if not found:
        return None
    n_folds = min(found)
    parts = _complete(found[n_folds], n_folds, path)
    whole = _keys(table, table)
    tests = [_read(parts[fold, "tst"], table, max_bytes) for fold in range(1, n_folds + 1)]
    rows = _shared_out(whole, table, tests)
    for fold, test in enumerate(rows, start=1):
        _check_rest(whole, test, table, _read(parts[fold, "tra"], table, max_bytes))
    everything = np.arange(table.n_rows)
    return tuple((np.setdiff1d(everything, test), test) for test in rows)


def find_parts(path: Path) -> dict[int, dict[tuple[int, str], Path]]:
    """Return the files of partitions, by number of folds."""
    pattern = re.compile(re.escape(path.stem) + r"-(\d{1,3})-(\d{1,3})(tra|tst)\.dat")
    found: dict[int, dict[tuple[int, str], Path]] = defaultdict(dict)
    for file in _neighbours(path):
        match = pattern.fullmatch(file.name)
        if match:
            n_folds, fold, part = match.groups()
            found[int(n_folds)][int(fold), part] = file
    return dict(found)


def _neighbours(path: Path) -> Iterable[Path]:
    yield from sorted(path.parent.iterdir())
    for folder in sorted(path.parent.glob("*-fold")):
        if folder.is_dir() and folder.name.startswith(path.stem + "-"):
            yield from sorted(folder.iterdir())


def _complete(parts: Parts, n_folds: int, path: str | Path) -> Parts:
    for fold in range(1, n_folds + 1):
        for part in ("tra", "tst"):
            if (fold, part) not in parts:
                name = f"{Path(path).stem}-{n_folds}-{fold}{part}.dat"
                raise DataError(f"is one of {n_folds} folds, but it is not there.", name)
    return parts


def _read(file: Path, whole: Table, max_bytes: int) -> Table:
    """Read a part, its categories numbered as in the whole file."""
    order = {column.name: column.categories for column in whole.columns if column.categories}
    return read_arff(file, nominal=order, max_bytes=max_bytes)


def _shared_out(whole: list[bytes], table: Table, tests: list[Table]) -> list[IndexArray]:
    """Return the row numbers of every test part; each row of the table goes to exactly one."""
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for row in reversed(range(len(whole))):  # the first of equal points is taken first
        waiting[whole[row]].append(row)
    shares = [[_taken(waiting, key, test) for key in _keys(test, table)] for test in tests]
    left = sum(map(len, waiting.values()))
    if left:
        raise DataError(f"{left} of its points are in no test part of its folds.", table.file)
    return [np.sort(np.array(share, dtype=np.intp)) for share in shares]


def _taken(waiting: dict[bytes, list[int]], key: bytes, test: Table) -> int:
    if not waiting.get(key):
        raise DataError("holds a point more often than the whole file does.", test.file)
    return waiting[key].pop()


def _check_rest(whole: list[bytes], test: IndexArray, table: Table, training: Table) -> None:
    rest = Counter(whole)
    rest.subtract(whole[row] for row in test)
    if +rest != Counter(_keys(training, table)):
        raise DataError("is not the rest of the points beside its test part.", training.file)


def _keys(part: Table, whole: Table) -> list[bytes]:
    """Return the values of every row as bytes; -0.0 and 0.0 are one value."""
    if part.names != whole.names:
        raise DataError(f"has other columns than {Path(whole.file).name}.", part.file)
    return [row.tobytes() for row in part.matrix() + 0.0]
