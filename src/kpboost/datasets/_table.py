"""The table: named columns of numbers or of categories, read from a file, a frame or an array."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from kpboost._notebook import (
    MOST_SHOWN,
    Facts,
    FactsMixin,
    html_facts,
    html_table,
    names as names_of,
)
from kpboost._text import did_you_mean, some_of
from kpboost._typing import BoolArray, FloatArray, IndexArray, LabelArray

if TYPE_CHECKING:
    from ._column_roles import ColumnRole


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

    See Also
    --------
    read_dataset : Raises it for a file that it cannot use.

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


@dataclass(frozen=True, eq=False, repr=False)
class Column(FactsMixin):
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

    See Also
    --------
    Table : Columns side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import Column
    >>> column = Column("colour", "nominal", np.array([0.0, 1.0, np.nan]), ("red", "blue"))
    >>> column.labels().tolist()
    ['red', 'blue', '']
    """

    name: str
    kind: Kind
    values: FloatArray
    categories: tuple[str, ...] | None = None

    def _facts(self) -> Facts:
        yield "name", self.name
        yield "kind", self.kind
        yield "values", f"{self.values.size:,}"
        if self.categories is not None:
            yield "categories", names_of(self.categories)

    def labels(self) -> LabelArray:
        """Return the values as text: categories by name, whole numbers without a point, "" missing.

        The class labels 1 and 1.0 of two files are one label.
        """
        distinct, places = np.unique(self.values, return_inverse=True)
        return np.array([self._word(value) for value in distinct], dtype=np.str_)[places]

    def as_nominal(self) -> Column:
        """Return a column of numbers as categories in the order of the numbers."""
        known = ~np.isnan(self.values)
        distinct, codes = np.unique(self.values[known], return_inverse=True)
        values = np.full(self.values.size, np.nan)
        values[known] = codes
        return Column(self.name, "nominal", values, tuple(map(self._word, distinct)))

    def _word(self, value: float) -> str:
        if np.isnan(value):
            return ""
        if self.categories is not None:
            return self.categories[int(value)]
        return str(int(value)) if value.is_integer() else repr(float(value))


# Numbers of this size are shown without a point, and without an exponent.
WHOLE_FROM, WHOLE_TO = 1e4, 1e9
# The square of a larger number, summed over a table, would leave the range of floats.
LARGEST = 1e140
# Rows that a notebook shows of a table.
FIRST_ROWS = 5


@dataclass(frozen=True, eq=False, repr=False)
class Table(FactsMixin):
    """Named columns of numbers and of categories, as one array.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    values : ndarray of shape (n_rows, n_columns)
        Numbers, and 0, 1, ... for categories; nan is missing.
    categories : tuple
        For a nominal column its categories in the order of their numbers, otherwise None.
    source : str
        Where it was read from, for messages.
    roles : tuple of ColumnRole
        Columns of the user's table that were no features as they stood; none before
        :func:`features_of`.
    dates : frozenset of str
        Columns that hold days since 1970-01-01; they are numbers once they are features.
    outputs : tuple of str
        Names of the columns that a file itself declares as classes (KEEL), or none.

    See Also
    --------
    read_table : Reads one from a file, a frame or an array.
    Dataset : A table of features with labels.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import Column, Table
    >>> size = Column("size", "number", np.array([1.5, np.nan]))
    >>> colour = Column("colour", "nominal", np.array([0.0, 1.0]), ("red", "blue"))
    >>> table = Table.of([size, colour])
    >>> table.n_rows, table.nominal.tolist()
    (2, [False, True])
    """

    names: tuple[str, ...]
    values: FloatArray
    categories: tuple[tuple[str, ...] | None, ...]
    source: str = ""
    roles: tuple[ColumnRole, ...] = ()
    dates: frozenset[str] = frozenset()
    outputs: tuple[str, ...] = ()

    def _facts(self) -> Facts:
        if self.source:
            yield "source", self.source
        yield "rows", f"{self.n_rows:,}"
        yield "columns", f"{len(self.names)}, {names_of(self.names)}"

    def _repr_html_(self) -> str:
        return html_facts("Table", self._facts()) + self.html_head()

    def html_head(self, labels: LabelArray | None = None, target: str = "class") -> str:
        """Return the first rows and columns as HTML, with the labels of a data set behind them."""
        shown = range(min(len(self.names), MOST_SHOWN))
        columns, rows = [self.names[place] for place in shown], self.values[:FIRST_ROWS]
        more = ["..."] if len(self.names) > len(columns) else []
        own = [] if labels is None else [target]
        cells = [
            [self.show(row[place], place) for place in shown]
            + more
            + ([] if labels is None else [str(labels[number])])
            for number, row in enumerate(rows)
        ]
        return html_table([*columns, *more, *own], cells)

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        source: str | Path = "",
        roles: tuple[ColumnRole, ...] = (),
        outputs: tuple[str, ...] = (),
    ) -> Table:
        """Put columns of equal length side by side."""
        values = np.empty((len(columns[0].values) if columns else 0, len(columns)))
        for place, column in enumerate(columns):
            values[:, place] = column.values
        return cls(
            names=tuple(column.name for column in columns),
            values=values,
            categories=tuple(column.categories for column in columns),
            source=str(source),
            roles=roles,
            dates=frozenset(column.name for column in columns if column.kind == "date"),
            outputs=outputs,
        )

    @classmethod
    def without_rows(
        cls,
        names: Iterable[str],
        categories: Iterable[Sequence[str] | None],
        roles: Iterable[ColumnRole] = (),
    ) -> Table:
        """Return columns alone: what a trained model remembers of its training table."""
        known = tuple(None if words is None else tuple(words) for words in categories)
        return cls(tuple(names), np.empty((0, len(known))), known, roles=tuple(roles))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @cached_property
    def nominal(self) -> BoolArray:
        """Which columns hold categories, an array of shape (n_columns,)."""
        return np.array([words is not None for words in self.categories], dtype=np.bool_)

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the columns that are the same in all rows; gaps beside a value may tell much."""
        if not self.n_rows:
            return ()
        same = (self.values == self.values[0]).all(axis=0) | np.isnan(self.values).all(axis=0)
        return tuple(name for name, is_same in zip(self.names, same, strict=True) if is_same)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns one by one."""
        return tuple(map(self._column, range(len(self.names))))

    def column(self, name: str) -> Column:
        """Return the column of that name, or refuse with the names there are."""
        if name not in self.names:
            raise DataError(no_column(name, self.names), self.source)
        return self._column(self.names.index(name))

    def _column(self, place: int) -> Column:
        name, categories = self.names[place], self.categories[place]
        number: Kind = "date" if name in self.dates else "number"
        kind = number if categories is None else "nominal"
        return Column(name, kind, self.values[:, place], categories)

    def without(self, *names: str) -> Table:
        """Return the table without some columns."""
        kept = [place for place, name in enumerate(self.names) if name not in names]
        if len(kept) == len(self.names):
            return self
        return replace(
            self,
            names=tuple(self.names[place] for place in kept),
            values=np.take(self.values, kept, axis=1),
            categories=tuple(self.categories[place] for place in kept),
        )

    def renamed(self, names: Sequence[str]) -> Table:
        """Return the same columns under other names, in their order."""
        new = dict(zip(self.names, names, strict=True))
        return replace(self, names=tuple(names), dates=frozenset(map(new.__getitem__, self.dates)))

    def as_nominal(self, chosen: BoolArray) -> Table:
        """Return the table with some columns of numbers as columns of categories."""
        new = chosen & ~self.nominal
        if not new.any():
            return self
        given = zip(self.columns, new, strict=True)
        columns = [column.as_nominal() if is_new else column for column, is_new in given]
        return Table.of(columns, self.source, self.roles, self.outputs)

    def take(self, rows: IndexArray) -> Table:
        """Return some rows as a table of the same columns."""
        return replace(self, values=self.values[rows])

    def show(self, value: float, column: int) -> str:
        """Return a value of a column as a person would read it.

        Four digits are enough, but a year or a price keeps all before the point.
        """
        categories = self.categories[column]
        if np.isnan(value):
            return "missing"
        if categories is not None:
            return categories[int(value)]
        if self.names[column] in self.dates:
            return str(np.datetime64(math.floor(value), "D"))
        return f"{value:.0f}" if WHOLE_FROM <= abs(value) < WHOLE_TO else f"{value:.4g}"

    def check_magnitude(self) -> None:
        """Refuse numbers that cannot be squared and summed."""
        too_large = np.flatnonzero((np.abs(self.values) > LARGEST).any(axis=0))  # nan is not
        if too_large.size:
            raise DataError(
                f"column {self.names[too_large[0]]!r} holds numbers beyond {LARGEST:g}; take their "
                "logarithm or scale them.",
                self.source,
            )


def refuse_repeated(names: Sequence[str], source: str | Path, line: int | None = None) -> None:
    """Refuse two columns of one name."""
    if len(set(names)) < len(names):
        again = Counter(names).most_common(1)[0][0]
        raise DataError(f"has two columns named {shortened(again)}.", source, line)


def no_column(name: str, names: Sequence[str], what: str = "column") -> str:
    """Say that there is no such column, and which one may be meant, or which there are."""
    hint = did_you_mean(name, names) or f"its {what}s are {listing(names)}."
    return f"there is no {what} {name!r}; {hint}"


# Names in a message: enough to recognise a file by, short enough for one sentence.
MOST_NAMES = 10
# Letters of a name in a message; a header of one endless name must not fill the screen.
LONGEST_NAME = 100


def listing(names: Sequence[str]) -> str:
    """Names for a message, the first few of many."""
    return some_of([shortened(name, LONGEST_NAME) for name in names], MOST_NAMES)


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
