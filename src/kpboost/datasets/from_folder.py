"""The user's own folder of data: a set's own file, or its parent's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from .catalogue import CatalogueEntry
from .dataset import Dataset
from .derive import derive, old_classes
from .found import Found
from .parents import parent
from .read_dataset import read_dataset
from .read_table import READERS

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
