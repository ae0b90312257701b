"""From cells of text to columns: which are numbers, which are nominal, which cells are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .data_error import DataError
from .table import Column, listing

FloatArray = NDArray[np.float64]
# Names of columns that are to be read as categories, with their order; None: sorted.
Nominal = Mapping[str, Sequence[str] | None]
# The line that a row of cells came from.
LineOf = Callable[[int], int]

# Cells that stand for a missing value: empty, KEEL's and WEKA's marks, and what pandas and R write.
MISSING = frozenset(("", "?", "<null>", "NA", "N/A", "nan", "NaN", "NAN", "null", "NULL"))
# A column with this share of numbers or more, but not all, is a column of numbers with a slip, not
# one of categories; the columns we know where some categories look like numbers stay well below.
NUMBER_SHARE = 0.95


def column_of(
    name: str, cells: Sequence[str], file: str | Path, line_of: LineOf, nominal: Nominal
) -> Column:
    """Return a column of numbers if every cell is one or missing, else of categories."""
    words = [cell.strip() for cell in cells]
    if name in nominal:
        return nominal_column(name, words, nominal[name], file, line_of)
    values = numbers(words)
    if values is None:
        _refuse_slips(name, words, file, line_of)
        return nominal_column(name, words, None, file, line_of)
    return Column(name, "number", finite(name, values, words, file, line_of))


def nominal_column(
    name: str,
    words: Sequence[str],
    categories: Sequence[str] | None,
    file: str | Path,
    line_of: LineOf,
) -> Column:
    """Return the numbers of the categories: in the order given, or sorted."""
    if categories is None:
        categories = sorted(set(words) - MISSING)
    codes = {word: float(code) for code, word in enumerate(categories)}
    for word in MISSING - codes.keys():  # a declared category is never a missing value
        codes[word] = np.nan
    try:
        values = np.fromiter(map(codes.__getitem__, words), np.float64, len(words))
    except KeyError as error:
        raise DataError(
            f"column {name!r} holds {shortened(error.args[0])}, which is not among its categories "
            f"{listing(tuple(categories))}.",
            file,
            line_of(words.index(error.args[0])),
        ) from None
    return Column(name, "nominal", values, tuple(categories))


def numbers(words: Sequence[str]) -> FloatArray | None:
    """Return the words as numbers, nan where missing, or None if one is neither."""
    if not _plain("".join(words)):
        return None
    try:
        return np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        pass
    try:  # once more, with the marks of missing values, which the common file does not have
        return np.fromiter(
            (np.nan if word in MISSING else float(word) for word in words), np.float64, len(words)
        )
    except ValueError:
        return None


def finite(
    name: str, values: FloatArray, words: Sequence[str], file: str | Path, line_of: LineOf
) -> FloatArray:
    """Return the numbers if none is too large for one."""
    wrong = np.flatnonzero(np.isinf(values))
    if wrong.size:
        raise DataError(
            f"column {name!r} holds {shortened(words[wrong[0]])}, which is not a finite number.",
            file,
            line_of(int(wrong[0])),
        )
    return values


def is_number(word: str) -> bool:
    """Tell whether a word is a number as files write them."""
    if not _plain(word):
        return False
    try:
        float(word)
    except ValueError:
        return False
    return True


def shortened(word: str, most: int = 40) -> str:
    """Return a cell for a message: quoted, without line breaks, and not longer than a glance."""
    return repr(word if len(word) <= most else word[:most] + "...")


def _plain(text: str) -> bool:
    """Tell whether Python's own numbers are the file's: it would take 1_000 and Arabic digits."""
    return "_" not in text and text.isascii()


def _refuse_slips(name: str, words: Sequence[str], file: str | Path, line_of: LineOf) -> None:
    present = [place for place, word in enumerate(words) if word not in MISSING]
    wrong = [place for place in present if not is_number(words[place])]
    if len(wrong) <= (1 - NUMBER_SHARE) * len(present):
        raise DataError(
            f"column {name!r} holds {shortened(words[wrong[0]])} among numbers; write '?' where "
            "a value is missing, or declare the column nominal.",
            file,
            line_of(wrong[0]),
        )
