"""Rows of a text file that know their lines."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

from .data_error import DataError
from .text_columns import Origin


class TextRows:
    """Rows from the first on, as often as they are asked for.

    Parameters
    ----------
    numbered : callable
        Starts again from the first row and yields the line and the cells of each.
    width : int
        Number of cells that every row must have.
    path : str or Path
        The file, for messages.
    """

    def __init__(
        self,
        numbered: Callable[[], Iterator[tuple[int, list[str]]]],
        width: int,
        path: str | Path,
    ) -> None:
        self._numbered = numbered
        self._width = width
        self._path = path
        self._lines = array("q")  # a list of so many numbers would be larger than the table

    def __call__(self) -> Iterator[list[str]]:
        """Yield the rows; one of another width is refused with its line."""
        del self._lines[:]
        for line, cells in self._numbered():
            if len(cells) != self._width:
                raise DataError(f"{len(cells)} cells, but {self._width} columns.", self._path, line)
            self._lines.append(line)
            yield cells

    @property
    def origin(self) -> Origin:
        """Where the rows come from; lines are known of those that have been read."""
        return Origin(self._path, self._lines.__getitem__)
