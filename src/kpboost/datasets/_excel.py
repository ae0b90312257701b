"""Excel workbooks (.xlsx), through openpyxl: the first sheet, its first filled row the header.

Cells go the way of a CSV file's, as text, so that a column means the same in both; columns of
dates alone stay dates. Of formulas, the values are read that Excel has saved.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from ._file_bytes import MAX_BYTES, check_file, damaged
from ._table import Column, DataError, Table
from ._text import MAX_COLUMNS, Nominal, Origin, checked_names, columns_of
from ._written_values import days_since_1970

# A workbook is a packed one of XML: in memory, a cell takes some hundred bytes.
MAX_CELLS = 10_000_000
# What Excel shows in place of a value that it cannot compute.
ERRORS = frozenset(
    ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)
LARGER = "save it as CSV or Parquet"


# How Excel, and all that writes its files, packs their parts; and the rows that a sheet may have.
EXCELS_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
EXCELS_ROWS = 1_048_576
# Bytes of a part that is read as a whole.
MOST_OF_A_PART = 8 * 2**20


def read_excel(
    path: str | Path,
    *,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> Table:
    """Read the first sheet of a workbook; needs openpyxl (``pip install "kpboost[excel]"``).

    Parameters
    ----------
    path : str or Path
        The file.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read, and most bytes that it may unpack to.
    max_cells : int, default=10000000
        Largest number of cells to read.

    Returns
    -------
    Table
        Its columns in the order of the sheet, but for those without any cell.

    Warns
    -----
    UserWarning
        If there are more sheets.
    """
    check_file(path, max_bytes)
    with _readable(path):
        _check_size(path, max_bytes)
        numbers, rows = _first_sheet(path, max_cells)
    return _table(path, numbers, rows, nominal or {})


@contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    """Turn whatever a damaged file provokes into a sentence."""
    try:
        import openpyxl  # noqa: F401
    except ImportError as error:
        reason = 'needs openpyxl to be read: pip install "kpboost[excel]".'
        raise DataError(reason, path) from error
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # XML, packing, numbers: a forged file can be wrong in every way
        raise damaged("is not a readable Excel workbook (.xlsx)", error, path) from error


def _check_size(path: str | Path, max_bytes: int) -> None:
    """Refuse a workbook that unpacks to too much; no part can give more than it says here.

    That holds for parts as Excel packs them. Of other packings a whole piece is unpacked before
    anyone looks at its length. Styles and the list of sheets are read as a whole, with some hundred
    bytes of memory for each of theirs.
    """
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if any(part.compress_type not in EXCELS_PACKINGS for part in parts):
        raise DataError("is packed in another way than Excel packs workbooks.", path)
    if sum(part.file_size for part in parts) > max_bytes:
        raise DataError(f"unpacks to more than max_bytes={max_bytes} bytes; {LARGER}.", path)
    if any(part.file_size > MOST_OF_A_PART for part in parts if not _is_read_in_pieces(part)):
        raise DataError("has styles or a list of sheets of many megabytes; save it as .csv.", path)


def _is_read_in_pieces(part: zipfile.ZipInfo) -> bool:
    name = part.filename
    return name.startswith(("xl/worksheets/", "xl/sharedStrings")) or not name.endswith(
        (".xml", ".rels")
    )


def _first_sheet(path: str | Path, max_cells: int) -> tuple[list[int], list[tuple[Any, ...]]]:
    """Return the filled rows of the first sheet, with their numbers."""
    from openpyxl import load_workbook

    with warnings.catch_warnings():  # of styles and extensions that it does not know
        warnings.simplefilter("ignore")
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if not sheets:
            raise DataError("has no visible sheet with cells.", path)
        if len(sheets) > 1:
            warnings.warn(
                f"{path} has {len(sheets)} sheets; only the first, {sheets[0].title!r}, is read.",
                stacklevel=2,
            )
        sheets[0].reset_dimensions()  # those in the file may be wrong
        return _filled(sheets[0].iter_rows(values_only=True), path, max_cells)
    finally:
        book.close()


def _filled(
    rows: Iterator[tuple[Any, ...]], path: str | Path, max_cells: int
) -> tuple[list[int], list[tuple[Any, ...]]]:
    numbers, kept, n_cells = [], [], 0
    for number, row in enumerate(rows, 1):
        n_cells += len(row)
        if number > EXCELS_ROWS:  # a forged number; rows that are left out come as empty ones
            raise DataError(f"has more rows than a sheet may have, {EXCELS_ROWS:,}.", path)
        if n_cells > max_cells:
            raise DataError(f"has more than max_cells={max_cells} cells; {LARGER}.", path)
        if any(not _is_empty(cell) for cell in row):
            numbers.append(number)
            kept.append(row)
    return numbers, kept


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _table(
    path: str | Path, numbers: Sequence[int], rows: Sequence[tuple[Any, ...]], nominal: Nominal
) -> Table:
    if not rows:
        raise DataError("has an empty first sheet; it must start with a row of names.", path)
    if len(rows) == 1:
        raise DataError("has a header, but no rows.", path, numbers[0])
    width = max(map(len, rows))
    if width * len(rows) > max(MAX_CELLS, 10 * sum(map(len, rows))) or width > MAX_COLUMNS:
        raise DataError(f"has rows of very different lengths, up to {width} cells.", path)
    columns = [[row[j] if j < len(row) else None for row in rows] for j in range(width)]
    columns = [cells for cells in columns if not all(map(_is_empty, cells))]
    header = [_word(cells[0]) for cells in columns]
    if "" in header[1:]:
        place = header.index("", 1) + 1
        raise DataError(
            f"column {place} has no name; the first filled row must name every column, without "
            "merged cells.",
            path,
            numbers[0],
        )
    names = checked_names(header, path, numbers[0])
    origin = Origin(path, lambda row: numbers[row + 1])
    cells_of = {name: cells[1:] for name, cells in zip(names, columns, strict=True)}
    return Table.of(_columns(cells_of, origin, nominal), path)


def _columns(cells_of: dict[str, list[Any]], origin: Origin, nominal: Nominal) -> list[Column]:
    """Return dates as dates, and all others as a CSV file's columns."""
    dated = [n for n, cells in cells_of.items() if n not in nominal and _are_dates(cells)]
    written = [[*map(_word, cells)] for name, cells in cells_of.items() if name not in dated]
    names = [name for name in cells_of if name not in dated]
    read = columns_of(lambda: zip(*written, strict=True), names, origin, nominal) if names else ()
    found = {column.name: column for column in read}
    found |= {name: Column(name, "date", _days(cells_of[name])) for name in dated}
    return [found[name] for name in cells_of]


def _are_dates(cells: Sequence[Any]) -> bool:
    filled = [cell for cell in cells if not _is_empty(cell)]
    return bool(filled) and all(isinstance(cell, date) for cell in filled)


def _days(cells: Sequence[Any]) -> Any:
    moments = [cell if isinstance(cell, date) else None for cell in cells]
    return days_since_1970(np.array(moments, dtype="datetime64[us]"))


def _word(cell: Any) -> str:
    """Return a cell as a CSV file would have it."""
    if cell is None or cell in ERRORS:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e16 else repr(cell)
    if isinstance(cell, datetime):
        return str(cell.date()) if cell.time() == time() else cell.isoformat(" ")
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds() / 86_400)
    return str(cell).strip()
