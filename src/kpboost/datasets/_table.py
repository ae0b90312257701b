"""A table of named columns, each of numbers or of categories: what every reader returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kpboost._typing import FloatArray, LabelArray


class DataError(ValueError):
    """A file or a data set that cannot be used as it is.

    Parameters
    ----------
    reason : str
        What is wrong and what would be right, as one sentence without the place.
    file : str or Path, default=""
        The file, or the name of the data set.
    line : int or None, default=None
        Number of the line, from 1; None where no single line is to blame.

    Examples
    --------
    >>> from kpboost.datasets import DataError
    >>> print(DataError("5 cells, but the header names 4.", file="points.csv", line=7))
    points.csv, line 7: 5 cells, but the header names 4.
    """

    def __init__(self, reason: str, file: str | Path = "", line: int | None = None) -> None:
        self.reason = reason
        self.file = str(file)
        self.line = line
        super().__init__(reason, file, line)  # all three, so that it travels between processes

    def __str__(self) -> str:
        place = self.file + (f", line {self.line}" if self.line is not None else "")
        return f"{place}: {self.reason}" if place else self.reason


Kind = Literal["number", "nominal", "date"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"number", "nominal", "date"}
        Whether ``values`` are numbers, numbers of categories, or days since 1970-01-01.
    values : ndarray of shape (n_rows,)
        Numbers, or 0, 1, ... for the categories; nan where missing.
    categories : tuple of str or None
        Names of the categories in the order of their numbers; None for numbers.
    """

    name: str
    kind: Kind
    values: FloatArray
    categories: tuple[str, ...] | None = None

    def labels(self) -> LabelArray:
        """Return the values as text: categories by name, whole numbers without a point, "" missing.

        The class labels 1 and 1.0 of two files are one label.
        """
        distinct, places = np.unique(self.values, return_inverse=True)
        return np.array([self._word(value) for value in distinct], dtype=np.str_)[places]

    def _word(self, value: float) -> str:
        if np.isnan(value):
            return ""
        if self.categories is not None:
            return self.categories[int(value)]
        return str(int(value)) if value.is_integer() else repr(float(value))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length.

    Attributes
    ----------
    name : str
        Name of the file without its ending.
    columns : tuple of Column
        The columns in the order of the file.
    file : str
        Where it was read from, for messages.
    outputs : tuple of str
        Names of the columns that the file itself declares as classes (KEEL), or none.
    """

    name: str
    columns: tuple[Column, ...]
    file: str = ""
    outputs: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values) if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name, or refuse with the names there are."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DataError(
            f"there is no column {name!r}; its columns are {listing(self.names)}.", self.file
        )

    def without(self, *names: str) -> Table:
        """Return the table without some columns."""
        kept = tuple(column for column in self.columns if column.name not in names)
        return Table(self.name, kept, self.file, self.outputs)

    def matrix(self) -> FloatArray:
        """All values as one array of shape (n_rows, n_columns)."""
        values = np.empty((self.n_rows, len(self.columns)))
        for place, column in enumerate(self.columns):
            values[:, place] = column.values
        return values


# Names in a message: enough to recognise a file by, short enough for one sentence.
MOST_NAMES = 10


def listing(names: Sequence[str]) -> str:
    """Names for a message, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


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
