"""Cells of text: which are numbers, which are missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Cells that stand for a missing value: empty, KEEL's and WEKA's marks, and what pandas and R write.
MISSING = frozenset(("", "?", "<null>", "NA", "N/A", "nan", "NaN", "NAN", "null", "NULL"))


def numbers(cells: Sequence[str]) -> FloatArray | None:
    """Return the cells as numbers, nan where missing, or None if one is neither."""
    if not _plain("".join(cells)):
        cells = [cell.strip() for cell in cells]  # of blanks that are not ASCII, too
        if not _plain("".join(cells)):
            return None
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    try:  # once more, with the marks of missing values, which most columns do not have
        return np.fromiter(map(_number, cells), np.float64, len(cells))
    except ValueError:
        return None


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number as files write them."""
    if not _plain(cell):
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True


def shortened(cell: str, most: int = 40) -> str:
    """Return a cell for a message: quoted, without line breaks, and not longer than a glance."""
    return repr(cell if len(cell) <= most else cell[:most] + "...")


def _number(cell: str) -> float:
    return np.nan if cell.strip() in MISSING else float(cell)


def _plain(text: str) -> bool:
    """Tell whether Python's own numbers are the file's: it would take 1_000 and Arabic digits."""
    return "_" not in text and text.isascii()
