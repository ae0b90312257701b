"""A table as a record: computed once, then shown as HTML, Markdown, LaTeX, CSV or in a terminal."""

import math
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = str | int | float | None

# Digits of average ranks, as in the paper.
RANK_DIGITS = 2
# What stands in a cell without a value: a dash reads better than "nan" or nothing.
EMPTY = "–"  # noqa: RUF001


@dataclass(frozen=True)
class Column:
    """One column: its heading, how its numbers are written, and what it means.

    Attributes
    ----------
    name : str
        The heading.
    digits : int or None
        Digits after the point; None for words and whole numbers.
    note : str
        One sentence for whoever asks what the column means.
    """

    name: str
    digits: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under named columns.

    Attributes
    ----------
    name : str
        Short name, good for a file.
    title : str
        Heading.
    columns : tuple of Column
    rows : tuple of tuples
        One value per column; None or nan is an empty cell.
    best : frozenset of (row, column)
        Cells to emphasise.
    note : str
        A sentence or two under the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    best: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Row {number} of table {self.name!r} has {len(row)} values; "
                    f"{len(self.columns)} columns need as many."
                )

    def text(self, row: int, column: int) -> str:
        """Value of a cell as everybody shows it."""
        return written(self.rows[row][column], self.columns[column].digits)

    def is_number(self, column: int) -> bool:
        """Tell whether a column holds numbers: they are aligned to the right."""
        values = [row[column] for row in self.rows if not is_empty(row[column])]
        return bool(values) and not any(isinstance(value, str) for value in values)


def written(value: Value, digits: int | None) -> str:
    """Write a value with so many digits after the point; a dash for none."""
    if is_empty(value):
        return EMPTY
    if digits is None or value is None or isinstance(value, str):
        return str(value)
    tiny = 0 < abs(value) < 0.5 * 10**-digits  # would be written as zero, which it is not
    return f"{value:.1g}" if tiny else f"{value:.{digits}f}"


def is_empty(value: Value) -> bool:
    """Tell whether there is nothing to show."""
    return value is None or (isinstance(value, float) and math.isnan(value))
