"""Excel workbooks (.xlsx), through openpyxl: the first sheet, its first filled row the header.

Cells go the way of a CSV file's, as text, so that a column means the same in both; columns of
dates alone stay dates. Of formulas, the values are read that Excel has saved.

A workbook is an archive of XML files, its parts, which say themselves what other parts are: names
tell nothing. So every part is looked at while openpyxl reads it, before openpyxl's own parser gets
it: no file, forged as it may be, takes more memory than its bytes and ``max_cells`` allow.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import numpy as np

from ._file_bytes import MAX_BYTES, check_file, damaged
from ._table import Column, DataError, Table
from ._text import MAX_COLUMNS, Nominal, Origin, checked_names, columns_of, warn_of_lost_row
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
# Bytes of a part that is read as a whole: it takes some hundred bytes of memory for each.
MOST_OF_A_PART = 8 * 2**20
# Paths of tags to what openpyxl forgets one by one: rows of a sheet, texts that cells share.
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
ROW, SHARED = (
    [MAIN + tag for tag in path] for path in (("worksheet", "sheetData", "row"), ("sst", "si"))
)
CELL, FORMULA, VALUE = (MAIN + tag for tag in "cfv")
# Tags and attributes in one of them, 16 for each of the 16,384 columns that Excel has; and outside
# of all of them, where they stay in memory: merged cells, links, formats.
MOST_IN_ONE, MOST_OUTSIDE = 16 * 16_384, 500_000
# Bytes of one tag with its attributes, and tags inside one another; Excel has a tenth of either.
LONGEST_TAG, DEEPEST = 2**20, 100


def read_excel(
    path: str | Path,
    *,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> Table:
    """Read the first sheet of a workbook; needs openpyxl (``pip install "kpboost[excel]"``).

    Parameters and result are those of ``read_table``; ``max_cells`` is the largest number of cells,
    and columns without any cell are left out. A warning tells of other sheets, and of formulas
    without a saved value, which count as missing.
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
    except _ForgedError as error:
        raise DataError(f"{error}.", path) from error
    except Exception as error:  # XML, packing, numbers: a forged file can be wrong in every way
        raise damaged("is not a readable Excel workbook (.xlsx)", error, path) from error


def _check_size(path: str | Path, max_bytes: int) -> None:
    """Refuse a workbook that unpacks to too much; no part can give more than it says here.

    That holds for parts as Excel packs them. Of other packings a whole piece is unpacked before
    anyone looks at its length.
    """
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if any(part.compress_type not in EXCELS_PACKINGS for part in parts):
        raise DataError("is packed in another way than Excel packs workbooks.", path)
    if sum(part.file_size for part in parts) > max_bytes:
        raise DataError(f"unpacks to more than max_bytes={max_bytes} bytes; {LARGER}.", path)


class _ForgedError(Exception):
    """What no program writes; openpyxl would swallow a ``ValueError``."""


class _Archive(zipfile.ZipFile):
    """The archive of a workbook, whose parts are looked at while they are read.

    Attributes
    ----------
    strings : str
        The part of the texts that cells share, once it is known.
    latest : _Part
        The part that was opened last.
    """

    def __init__(self, path: str | Path, max_cells: int) -> None:
        super().__init__(path)
        self._max_cells, self.strings = max_cells, ""

    def open(self, name: Any, *args: Any, **options: Any) -> Any:
        """Open a part; ``read`` opens it as well."""
        units = (SHARED, self._max_cells) if name == self.strings else (ROW, EXCELS_ROWS)
        size = self.getinfo(name).file_size if isinstance(name, str) else name.file_size
        self.latest = _Part(super().open(name, *args, **options), size, _Shape(*units))
        return self.latest


class _Part:
    """A part of a workbook: as a whole if it is small, or piece by piece."""

    def __init__(self, stream: IO[bytes], size: int, shape: _Shape) -> None:
        self._stream, self._size, self.shape = stream, size, shape

    def __enter__(self) -> _Part:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End reading."""
        self._stream.close()

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, if their shape is right."""
        if size is not None and size >= 0:
            piece = self._stream.read(size)
            self.shape.look_at(piece)
            return piece
        if self._size > MOST_OF_A_PART:
            raise _ForgedError("has styles or a list of sheets of many megabytes; save it as .csv")
        content = self._stream.read()
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = _refuse_entities
        with suppress(expat.ExpatError):  # whoever reads it says so, too
            parser.Parse(content, True)
        return content


class _Shape:
    """Look at a part that is read piece by piece: as much in one row, and outside, as may be.

    Parameters
    ----------
    unit : list of str
        The path of tags to what is forgotten as soon as it was read.
    most : int
        How many of these there may be.

    Attributes
    ----------
    n_unsaved : int
        Cells with a formula and no value; Excel marks an empty text as text.
    """

    def __init__(self, unit: list[str], most: int) -> None:
        self._unit, self._most = unit, most
        self._path: list[str] = []
        self._n_units = self._n_inside = self._n_outside = self._n_bytes = 0
        self._in_unit = False
        self._is_unsaved = self._is_text = False
        self.n_unsaved = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = _refuse_entities

    def look_at(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._parser.Parse(piece, False)
        self._n_bytes += len(piece)
        if self._n_bytes - self._parser.CurrentByteIndex > LONGEST_TAG:
            raise _ForgedError("has a tag of more than a megabyte")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if self._in_unit:
            self._n_inside += 1 + len(attributes)
            self._look_at_cell(name, attributes)
        elif self._path == self._unit:
            self._in_unit, self._n_inside = True, 0
            self._n_units += 1
        else:
            self._n_outside += 1 + len(attributes)
        self._check()

    def _look_at_cell(self, name: str, attributes: dict[str, str]) -> None:
        if name == CELL:
            self._is_text = attributes.get("t") == "str"
        elif name == FORMULA:
            self._is_unsaved = not self._is_text
        elif name == VALUE and self._is_unsaved:
            self._parser.CharacterDataHandler = self._find_value

    def _find_value(self, _: str) -> None:
        self._is_unsaved = False

    def _check(self) -> None:
        if self._n_units > self._most:
            raise _ForgedError(f"has more than {self._most:,} rows or texts; {LARGER}")
        if self._n_inside > MOST_IN_ONE or self._n_outside > MOST_OUTSIDE:
            raise _ForgedError(f"has a row, or formats and links, of very many parts; {LARGER}")
        if len(self._path) > DEEPEST:
            raise _ForgedError(f"has tags that are more than {DEEPEST} deep")

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == CELL:
            self.n_unsaved += self._is_unsaved
            self._is_unsaved, self._parser.CharacterDataHandler = False, None
        elif len(self._path) < len(self._unit):
            self._in_unit = False


def _refuse_entities(*_: object) -> None:
    """Refuse what may unfold to any length."""
    raise _ForgedError("declares a document type, which no workbook has")


def _first_sheet(path: str | Path, max_cells: int) -> tuple[list[int], list[tuple[Any, ...]]]:
    """Return the filled rows of the first sheet, with their numbers."""
    with _Archive(path, max_cells) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions that openpyxl does not know
        book = _workbook(path, archive)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if not sheets:
            raise DataError("has no visible sheet with cells.", path)
        sheets[0].reset_dimensions()  # those in the file may be wrong
        filled = _filled(sheets[0].iter_rows(values_only=True), path, max_cells)
        n_unsaved = archive.latest.shape.n_unsaved
    _warn(path, [sheet.title for sheet in sheets], n_unsaved)
    return filled


def _workbook(path: str | Path, archive: _Archive) -> Any:
    """Return what openpyxl reads from an archive of ours."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.xml.constants import SHARED_STRINGS

    reader = ExcelReader(path, read_only=True, data_only=True, keep_links=False)
    reader.archive.close()
    reader.archive = archive
    reader.read_manifest()
    strings = reader.package.find(SHARED_STRINGS)
    archive.strings = "" if strings is None else strings.PartName[1:]
    reader.read()
    return reader.wb


def _warn(path: str | Path, titles: Sequence[str], n_unsaved: int) -> None:
    if len(titles) > 1:
        warnings.warn(
            f"{path} has {len(titles)} sheets; only the first, {titles[0]!r}, is read.",
            stacklevel=3,
        )
    if n_unsaved:
        cells = "1 formula" if n_unsaved == 1 else f"{n_unsaved:,} formulas"
        warnings.warn(
            f"{path} has {cells} without a saved value, read as missing: open it in a spreadsheet "
            "program, save it there, and read it again.",
            stacklevel=3,
        )


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
    read = _columns(cells_of, origin, nominal)
    warn_of_lost_row(read, path)
    return Table.of(read, path)


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
