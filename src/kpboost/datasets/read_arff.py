"""ARFF files (WEKA) and .dat files (KEEL): declared columns, then one line per point.

Both begin with ``@attribute`` lines; KEEL adds ranges behind the types, and says with ``@outputs``
which column is the class. Nominal columns are numbered in the order declared; a column of strings
in sorted order. ``%`` starts a comment line, ``?`` and ``<null>`` are missing values.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .data_error import DataError
from .declarations import read_header, split_cells
from .table import Table
from .text_columns import Nominal, columns_of
from .text_file import MAX_BYTES, check_text, lines_of, read_bytes
from .text_rows import TextRows


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
    return table_of_bytes(read_bytes(path, max_bytes), path, nominal or {})


def table_of_bytes(content: bytes, path: str | Path, nominal: Nominal) -> Table:
    """Return the table that the bytes of a file hold."""
    check_text(content, path)
    header = read_header(_lines(content), path)
    rows = TextRows(lambda: _rows(content, path), len(header.attributes), path)
    if next(rows(), None) is None:
        raise DataError("has declarations, but no points.", path)
    names = [attribute.name for attribute in header.attributes]
    declared = {each.name: each.categories for each in header.attributes if not each.is_number}
    columns = columns_of(rows, names, rows.origin, {**declared, **nominal}, only_numbers=True)
    return Table(Path(path).stem, columns, str(path), header.outputs)


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, line in enumerate(lines_of(content), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("%"):
            yield number, stripped


def _rows(content: bytes, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield lines and cells of the points."""
    lines = _lines(content)
    read_header(lines, path)
    for number, line in lines:
        if line.startswith("{"):
            raise DataError("rows in braces (sparse ARFF) are not supported.", path, number)
        yield number, split_cells(line, path, number)
