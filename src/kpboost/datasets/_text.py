"""From rows of text to columns of numbers or of categories, a few thousand rows at a time.

Cells become numbers as soon as they are read: as text, a table takes ten times its file. A column
that turns out to hold words after its first rows were numbers is read once more from the start.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TextIO

import numpy as np

from kpboost._typing import FloatArray
from kpboost.datasets._file_bytes import MAX_BYTES, table_bytes
from kpboost.datasets._table import (
    MISSING,
    Column,
    DataError,
    Table,
    is_number,
    listing,
    numbers,
    refuse_repeated,
    shortened,
)
from kpboost.datasets._written_values import date_ways, number_ways, unit_ways

# Names of columns that are to be read as categories, with their order; None: sorted.
Nominal = Mapping[str, Sequence[str] | None]
Rows = Iterable[Sequence[str]]

# Cells that are text at one time: some 30 MB.
CHUNK = 400_000
# A column with this share of numbers or more, but not all, is a column of numbers with a slip, not
# one of categories; the columns we know where some categories look like numbers stay well below.
NUMBER_SHARE = 0.95
# Up to so many different values the numbers may be codes, and a rare word a rare category: a class
# column with 0, 1 and a few "other" must be read.
FEW_CODES = 20


@dataclass(frozen=True)
class Origin:
    """Where rows come from, for messages: the file, and the line of a row if it has lines.

    Where the rows are some of a file, ``row_of`` tells the number of each in the file, from 0.
    """

    file: str | Path
    line_of: Callable[[int], int] | None = None
    row_of: Callable[[int], int] | None = None

    def error(self, reason: str, row: int) -> DataError:
        """Return the error that blames a row."""
        if self.line_of is None:
            number = 1 + (row if self.row_of is None else self.row_of(row))
            return DataError(f"{reason.removesuffix('.')} (row {number}).", self.file)
        return DataError(reason, self.file, self.line_of(row))


def columns_of(
    read_rows: Callable[[], Rows],
    names: Sequence[str],
    origin: Origin,
    nominal: Nominal,
    *,
    only_numbers: bool = False,
) -> tuple[Column, ...]:
    """Return the columns: of numbers where every cell is one or missing, else of categories.

    Parameters
    ----------
    read_rows : callable
        Gives the rows from the first on, each with as many cells as there are names; it is called
        a second time if need be.
    names : sequence of str
        Names of the columns.
    origin : Origin
        Names file and lines in messages.
    nominal : mapping from str to sequence of str or None
        Columns of categories, with their order (None: sorted).
    only_numbers : bool, default=False
        Refuse words in the other columns, rather than take them for categories.
    """
    words: dict[int, list[str]] = {place: [] for place, name in enumerate(names) if name in nominal}
    parts, late = _gathered(read_rows(), len(names), words)
    _gather_words(read_rows, late, words)
    columns = []
    for place, name in enumerate(names):
        if place not in words:
            columns.append(number_column(name, np.concatenate(parts[place]), origin))
            continue
        if name not in nominal:
            _refuse_slips(name, words[place], origin, only_numbers)
        columns.append(nominal_column(name, words[place], nominal.get(name), origin))
    return tuple(columns)


def number_column(name: str, values: FloatArray, origin: Origin) -> Column:
    """Return a column of numbers, none of them infinite."""
    wrong = np.flatnonzero(np.isinf(values))
    if wrong.size:
        reason = f"column {name!r} holds a number that is not finite."
        raise origin.error(reason, int(wrong[0]))
    return Column(name, "number", values)


def nominal_column(
    name: str, words: Sequence[str], categories: Sequence[str] | None, origin: Origin
) -> Column:
    """Return the numbers of the categories: in the order given, or sorted."""
    if categories is None:
        categories = sorted(set(words) - MISSING)
    codes = dict.fromkeys(MISSING, np.nan)
    codes.update((word, float(code)) for code, word in enumerate(categories))  # "NA" may be one
    try:
        values = np.fromiter(map(codes.__getitem__, words), np.float64, len(words))
    except KeyError as error:
        word = error.args[0]
        raise origin.error(
            f"column {name!r} holds {shortened(word)}, which is not among its categories "
            f"{listing(tuple(categories))}.",
            words.index(word),
        ) from None
    return Column(name, "nominal", values, tuple(categories))


def _gathered(
    rows: Rows, width: int, words: dict[int, list[str]]
) -> tuple[list[list[FloatArray]], set[int]]:
    """Gather numbers in parts and words in lists; return also the columns found out too late."""
    parts: list[list[FloatArray]] = [[] for _ in range(width)]
    late: set[int] = set()
    same: dict[str, str] = {}
    for cells in _chunks(rows, width):
        for place, column in enumerate(cells):
            values = None if place in words else numbers(column)
            if values is not None:
                parts[place].append(values)
            elif place in words or not parts[place]:
                words.setdefault(place, []).extend(_shared(column, same))
            else:
                words[place] = []
                late.add(place)
    return parts, late


def _gather_words(
    read_rows: Callable[[], Rows], late: set[int], words: dict[int, list[str]]
) -> None:
    """Read the columns again whose first cells were not kept as text."""
    same: dict[str, str] = {}
    for place in late:
        words[place] = []
    for row in read_rows() if late else ():
        for place in late:
            words[place].extend(_shared((row[place],), same))


def _chunks(rows: Rows, width: int) -> Iterator[Iterator[tuple[str, ...]]]:
    """Yield the columns of a few thousand rows at a time."""
    remaining = iter(rows)
    size = max(1, CHUNK // max(1, width))
    while chunk := list(islice(remaining, size)):
        yield zip(*chunk, strict=True)


def _shared(cells: Iterable[str], same: dict[str, str]) -> Iterator[str]:
    """Yield words without blanks around them, equal words as one object."""
    for cell in cells:
        word = cell.strip()
        yield same.setdefault(word, word)


def _refuse_slips(name: str, words: Sequence[str], origin: Origin, only_numbers: bool) -> None:
    """Refuse words in a column of numbers: one declared so, or one that is nearly all measures."""
    present = [row for row, word in enumerate(words) if word not in MISSING]
    wrong = [row for row in present if not is_number(words[row])]
    few_words = len(wrong) <= (1 - NUMBER_SHARE) * len(present)
    kinds = {words[row] for row in present} if few_words else set()
    if only_numbers or (len(kinds) > FEW_CODES and not number_ways(list(kinds))):
        raise origin.error(
            f"column {name!r} holds {shortened(words[wrong[0]])} among numbers; write '?' where "
            "a value is missing, or declare the column nominal.",
            wrong[0],
        )


# What a file starts with that is no text in UTF-8, and what it is.
FOREIGN_MARKS = {
    b"\xff\xfe": "is written in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is written in UTF-16; save it as UTF-8",
    b"\x1f\x8b": "is compressed by gzip; its name must end in .gz, such as .csv.gz",
    b"BZh": "is compressed by bzip2; its name must end in .bz2, such as .csv.bz2",
    b"\xfd7zXZ": "is compressed by xz; its name must end in .xz, such as .csv.xz",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd; its name must end in .zst, such as .csv.zst",
    b"PK\x03\x04": "is a zip archive or an Excel workbook; an archive must be unpacked, and the "
    "name of a workbook must end in .xlsx",
    b"PAR1": "is a Parquet file; its name must end in .parquet",
    b"ARROW1": "is a Feather or Arrow file; its name must end in .feather or .arrow",
}


def check_text(content: bytes, file: str | Path) -> None:
    """Refuse bytes that are not UTF-8; the mark that some editors put before it may stand."""
    for mark, meaning in FOREIGN_MARKS.items():
        if content.startswith(mark):
            raise DataError(f"{meaning}.", file, 1 if "UTF" in meaning else None)
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError("holds bytes that are not UTF-8; save it as UTF-8.", file, line) from error


def lines_of(content: bytes, newline: str | None = None) -> TextIO:
    """Return the lines of bytes that are UTF-8, one by one: as one text they take more memory."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline=newline)


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


# In the order of preference where two occur equally often.
DELIMITERS = ",;\t|"
# The line with which spreadsheets tell the delimiter, before the column names.
TOLD_DELIMITER = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
# The widest set of the paper has 21,513 columns; far beyond that, a table is a matter for a
# sparse format.
MAX_COLUMNS = 200_000
# A frame that was written with its index has a first column without a name; pandas calls it so.
UNNAMED_INDEX = "Unnamed: 0"


def read_csv(
    path: str | Path, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    """Read a CSV file.

    Parameters
    ----------
    path : str or Path
        The file.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted). Any other column with a cell that is not a number is nominal
        too, its categories sorted.
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in the order of the file.
    """
    return table_of_bytes(table_bytes(path, max_bytes), path, nominal or {})


def table_of_bytes(content: bytes, path: str | Path, nominal: Nominal) -> Table:
    """Return the table that the bytes of a CSV file hold."""
    check_text(content, path)
    line, header = next(_rows(content, path), (1, []))
    names = checked_names(header, path, line)
    rows = TextRows(lambda: islice(_rows(content, path), 1, None), len(names), path)
    if next(rows(), None) is None:
        raise DataError("has a header, but no rows.", path)
    columns = columns_of(rows, names, rows.origin, nominal)
    warn_of_lost_row(columns, path)
    return Table.of(columns, path)


def _rows(content: bytes, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield every row that is not blank with the number of its last line."""
    first = next((line for line in lines_of(content) if line.strip()), "")
    told = TOLD_DELIMITER.fullmatch(first.strip())
    delimiter = told[1] if told else _delimiter(first)
    reader = csv.reader(lines_of(content, newline=""), delimiter=delimiter, strict=True)
    try:
        filled = (row for row in reader if len(row) > 1 or "".join(row).strip())
        for row in islice(filled, 1 if told else 0, None):
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"is not a CSV file: {error}.", path, max(reader.line_num, 1)) from error


def _delimiter(first: str) -> str:
    outside = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def checked_names(header: Sequence[str], path: str | Path, line: int) -> list[str]:
    names = [cell.strip() for cell in header]
    if not any(names):
        raise DataError("is empty; it must start with a line of column names.", path, line)
    names[0] = names[0] or UNNAMED_INDEX
    if len(names) > MAX_COLUMNS:
        raise DataError(f"has {len(names)} columns, more than {MAX_COLUMNS}.", path, line)
    if "" in names:
        raise DataError(f"column {names.index('') + 1} has no name; name or remove it.", path, line)
    refuse_repeated(names, path, line)
    if all(map(is_number, names)) and not _is_counting(names):
        raise DataError("starts with numbers; its first line must name the columns.", path, line)
    return names


def _is_counting(names: Sequence[str]) -> bool:
    """Tell whether the names are 0, 1, 2, ... or 1, 2, 3, ..., as frames without names have."""
    return any(list(names) == [str(start + i) for i in range(len(names))] for start in (0, 1))


# Names that are numbers in equal steps are a scale, such as years; so are wavelengths, which rise
# or fall throughout. Two cells of a row have one step, and four are sorted in every twelfth row.
FEWEST_EVEN, FEWEST_SORTED = 3, 5


def warn_of_lost_row(columns: Sequence[Column], path: str | Path) -> None:
    """Warn if the names look like one more row: most are what their columns hold."""
    if _are_data(columns):
        names = listing([column.name for column in columns])
        warnings.warn(
            f"The first row of {path} is taken as names of columns ({names}). If it is data, add "
            "a header row.",
            stacklevel=3,
        )


def _are_data(columns: Sequence[Column]) -> bool:
    """Tell whether most names could be cells, of the columns that can tell."""
    alike = [column for column in columns if _is_alike(column)]
    telling = sum(map(_can_tell, columns))
    if 2 * len(alike) <= telling:
        return False
    is_word = any(column.categories is not None for column in alike)
    return is_word or not _are_scale([column.name for column in columns if is_number(column.name)])


def _can_tell(column: Column) -> bool:
    """Tell whether a new cell would be known by the others; of names of persons, it would not."""
    is_new = column.categories is not None and 2 * len(column.categories) > column.values.size
    return not is_new or _is_alike(column)


def _is_alike(column: Column) -> bool:
    """Tell whether the name of a column could be one of its cells."""
    name, words = column.name, column.categories
    if words is not None:
        together = (name, *words)
        ways = date_ways(together) or number_ways(together) or unit_ways(together)
        return bool(ways) or name in words
    if column.kind == "date":
        return bool(date_ways([name]))
    known = column.values[~np.isnan(column.values)] if is_number(name) else np.empty(0)
    if not known.size:
        return False
    low, high = float(known.min()), float(known.max())
    return 2 * low - high <= float(name) <= 2 * high - low  # it may be a little beyond the others


def _are_scale(names: Sequence[str]) -> bool:
    """Tell whether names are counted, or are numbers that rise or fall throughout."""
    steps = [float(later) - float(earlier) for earlier, later in pairwise(names)]
    is_sorted = all(step > 0 for step in steps) or all(step < 0 for step in steps)
    is_even = is_sorted and len(names) >= FEWEST_EVEN and np.allclose(steps, steps[0])
    return _is_counting(names) or is_even or (is_sorted and len(names) >= FEWEST_SORTED)
