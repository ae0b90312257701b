"""CSV files: a line of column names, then one line per point.

The delimiter is the one of ``, ; tab |`` that the first line holds most often outside quotes.
Cells may stand in double quotes, with a doubled quote for a quote. Blank lines are skipped. A first
column without a name is the index of a frame, and gets the name that pandas gives it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ._table import DataError, Table, is_number, refuse_repeated
from ._text import MAX_BYTES, Nominal, TextRows, check_text, columns_of, lines_of, read_bytes

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
    return table_of_bytes(read_bytes(path, max_bytes), path, nominal or {})


def table_of_bytes(content: bytes, path: str | Path, nominal: Nominal) -> Table:
    """Return the table that the bytes of a CSV file hold."""
    check_text(content, path)
    line, header = next(_rows(content, path), (1, []))
    names = _checked_names(header, path, line)
    rows = TextRows(lambda: islice(_rows(content, path), 1, None), len(names), path)
    if next(rows(), None) is None:
        raise DataError("has a header, but no points.", path)
    columns = columns_of(rows, names, rows.origin, nominal)
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


def _checked_names(header: Sequence[str], path: str | Path, line: int) -> list[str]:
    names = [cell.strip() for cell in header]
    if not any(names):
        raise DataError("is empty; it must start with a line of column names.", path, line)
    names[0] = names[0] or UNNAMED_INDEX
    if len(names) > MAX_COLUMNS:
        raise DataError(f"has {len(names)} columns, more than {MAX_COLUMNS}.", path, line)
    if "" in names:
        raise DataError(f"column {names.index('') + 1} has no name.", path, line)
    refuse_repeated(names, path, line)
    if all(map(is_number, names)) and not _is_counting(names):
        raise DataError("starts with numbers; its first line must name the columns.", path, line)
    return names


def _is_counting(names: Sequence[str]) -> bool:
    """Tell whether the names are 0, 1, 2, ... or 1, 2, 3, ..., as frames without names have."""
    return any(list(names) == [str(start + i) for i in range(len(names))] for start in (0, 1))
