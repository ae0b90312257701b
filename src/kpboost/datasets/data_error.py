"""The error of every reader: which file, which line, what is wrong."""

from __future__ import annotations

from pathlib import Path


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
