"""Reading skops files without trusting them.

The types in a file are listed before anything is built from it, and a type that is neither known
as harmless to skops nor on our list is refused by name. Compiled trees are not on the
list: arrays in them are followed without checks, so a forged file could crash the program. Who
has made such a file can name the type as trusted.
"""

import zipfile
import zlib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

# Larger than any model of ours; whatever claims more, packed or not, is not one.
MAX_BYTES = 1 << 30
# The entry of a skops archive that says what is in it.
SCHEMA = "schema.json"


class ModelFileError(ValueError):
    """A file that is no model of ours, or holds what must not be loaded."""


def load_trusted(path: str | Path, trusted: Iterable[str], advice: str) -> Any:
    """Build what a skops file holds, if all its types are harmless or named.

    Parameters
    ----------
    path : str or Path
        The file.
    trusted : iterable of str
        Types to accept beyond skops' own list, by their full names.
    advice : str
        What to do about a type that is refused; it ends the sentence that names it.

    Returns
    -------
    object

    Raises
    ------
    ModelFileError
        If it is no skops file, is too large, is damaged, or holds other types.
    """
    file = Path(path)
    skops = skops_io()
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        types = skops.get_untrusted_types(file=file) if size <= MAX_BYTES else []
    except OSError:
        raise
    except Exception as error:  # whatever a forged archive can provoke means the same
        raise ModelFileError(f"{path}: is not a model file.") from error
    if size > MAX_BYTES:
        raise ModelFileError(f"{path}: is larger than any model of ours ({MAX_BYTES:,} bytes).")
    strangers = sorted(set(types) - set(trusted))
    if strangers:
        raise ModelFileError(
            f"{path}: holds {', '.join(strangers)}, which a file must not bring along; {advice}."
        )
    try:
        return skops.load(file, trusted=types)
    except Exception as error:
        raise ModelFileError(f"{path}: is a damaged model file ({error}).") from error


def schema_of(path: str | Path) -> bytes:
    """Return the description of what a skops file holds, or b"" of any other; nothing is built."""
    try:
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo(SCHEMA)
            return archive.read(entry) if entry.file_size <= MAX_BYTES else b""
    except (zipfile.BadZipFile, KeyError, ValueError, zlib.error):
        return b""


def skops_io() -> Any:
    """Return the module that reads and writes, or say what to install."""
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError(
            "Model files need skops, which is not installed: pip install skops."
        ) from error
