"""The user's own folder of data: a set's own file, or its parent's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from .catalogue import CatalogueEntry
from .dataset import Dataset
from .derive import derive
from .parents import parent
from .read_dataset import read_dataset
from .read_table import READERS

# Where a folder may keep the sets that others are derived from.
PLACES = ("", "parents")


def from_folder(entry: CatalogueEntry, folder: Path) -> Dataset | None:
    """Return the set from a file of its own, else from its parent's, else None."""
    nominal = parent(entry.parent).nominal
    own = find_file(folder, entry.name) or find_file(folder, PurePosixPath(entry.keel_file).stem)
    if own:
        return replace(read_dataset(own, nominal=nominal), name=entry.name)
    older = find_file(folder, entry.parent)
    return derive(read_dataset(older, nominal=nominal), entry) if older else None


def find_file(folder: Path, name: str) -> Path | None:
    """Return the first file of that name in a format we read, or None."""
    if not name:
        return None
    candidates = (folder / place / (name + ending) for place in PLACES for ending in READERS)
    return next((file for file in candidates if file.is_file()), None)
