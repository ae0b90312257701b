"""Parents that openml.org has, for a machine with a network; scikit-learn keeps what it fetched."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.request import getproxies

import numpy as np
from sklearn.datasets import fetch_openml

from .catalogue import CatalogueEntry
from .data_error import DataError
from .dataset import Dataset
from .derive import derive
from .found import Found
from .parents import Parent, parent
from .read_dataset import dataset_of
from .table import Column, Table
from .text_columns import Nominal, Origin, nominal_column

HOST = ("www.openml.org", 443)
ORIGIN = Origin(HOST[0])
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
    return dataset_of(table_of_bunch(bunch, older), bunch.target.name)


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Limit the silence of new connections; fetch_openml has no parameter for it."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def table_of_bunch(bunch: Any, older: Parent) -> Table:
    """Return what fetch_openml gave as a table."""
    source = f"openml.org: {older.openml}"
    columns = [_column(str(name), bunch.frame[name], older.nominal) for name in bunch.frame]
    return Table(older.name, tuple(columns), source)


def _column(name: str, values: Any, nominal: Nominal) -> Column:
    if name not in nominal and values.dtype.kind in "iuf":
        return Column(name, "number", values.to_numpy(dtype=np.float64))
    words = ["" if value is None or value != value else str(value).strip() for value in values]
    declared = [str(word) for word in values.cat.categories] if hasattr(values, "cat") else None
    return nominal_column(name, words, nominal.get(name, declared), ORIGIN)
