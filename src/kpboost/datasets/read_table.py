"""One door for all formats of files: the ending decides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .data_error import DataError
from .read_arff import read_arff
from .read_csv import read_csv
from .read_parquet import read_parquet
from .table import Table
from .text_columns import Nominal
from .text_file import MAX_BYTES

READERS: dict[str, Callable[..., Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
    ".dat": read_arff,
}


def read_table(
    path: str | Path, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    """Read a file into columns; the ending of its name tells the format.

    Parameters
    ----------
    path : str or Path
        The file: ``.csv``, ``.tsv`` or ``.txt`` with a line of column names, ``.parquet``,
        ``.arff`` (WEKA) or ``.dat`` (KEEL).
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories even if they look like numbers, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in the order of the file.
    """
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise DataError(f"ends in none of {', '.join(READERS)}.", path)
    return reader(path, nominal=nominal, max_bytes=max_bytes)
