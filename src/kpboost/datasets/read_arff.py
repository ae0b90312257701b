"""ARFF files (WEKA) and .dat files (KEEL): declared columns, then one line per point.

Both begin with ``@attribute`` lines; KEEL adds ranges behind the types, and says with ``@outputs``
which column is the class. Nominal columns are numbered in the order declared; a column of strings
in sorted order. ``%`` starts a comment line, ``?`` and ``<null>`` are missing values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .data_error import DataError
from .declarations import Attribute, read_header, split_cells
from .table import Column, Table
from .text_columns import (
    MISSING,
    LineOf,
    Nominal,
    finite,
    is_number,
    nominal_column,
    numbers,
    shortened,
)
from .text_file import MAX_BYTES, decoded, read_bytes


def read_arff(
    path: str | Path, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    """Read an ARFF file or a KEEL file.

    Parameters
    ----------
    path : str or Path
        The file.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories whatever the file declares, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in the order of the file.
    """
    text = decoded(read_bytes(path, max_bytes), path)
    return table_of_text(text, path, nominal or {})


def table_of_text(text: str, path: str | Path, nominal: Nominal) -> Table:
    """Return the table that the text of a file holds."""
    lines = _lines(text)
    header = read_header(lines, path)
    at: list[int] = []
    cells = list(zip(*_rows(lines, at, len(header.attributes), path), strict=True))
    if not cells:
        raise DataError("has declarations, but no points.", path)
    columns = [
        _column(attribute, column, path, at.__getitem__, nominal)
        for attribute, column in zip(header.attributes, cells, strict=True)
    ]
    return Table(Path(path).stem, tuple(columns), str(path), header.outputs)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("%"):
            yield number, stripped


def _rows(
    lines: Iterator[tuple[int, str]], at: list[int], width: int, path: str | Path
) -> Iterator[list[str]]:
    """Yield the cells of rows of the right width and note their lines."""
    for number, line in lines:
        if line.startswith("{"):
            raise DataError("rows in braces (sparse ARFF) are not supported.", path, number)
        cells = split_cells(line, path, number)
        if len(cells) != width:
            raise DataError(f"{len(cells)} cells, but {width} columns.", path, number)
        at.append(number)
        yield cells


def _column(
    attribute: Attribute, cells: Sequence[str], path: str | Path, line_of: LineOf, nominal: Nominal
) -> Column:
    name = attribute.name
    if name in nominal or not attribute.is_number:
        categories = nominal.get(name, attribute.categories)
        return nominal_column(name, cells, categories, path, line_of)
    values = numbers(cells)
    if values is None:
        wrong = next(
            place for place, cell in enumerate(cells) if cell not in MISSING and not is_number(cell)
        )
        raise DataError(
            f"column {name!r} holds {shortened(cells[wrong])}, which is not a number.",
            path,
            line_of(wrong),
        )
    return Column(name, "number", finite(name, values, cells, path, line_of))
