"""Bytes of files, never more than allowed: of plain ones, and of compressed text as .csv.gz.

A compressed file may unfold to any size; unpacking stops where a plain file would be too large.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._table import DataError

# A table of this size holds some forty million numbers: beyond it, a method whose cost grows with
# the square of the rows has no use for the file anyway, and reading would fill the memory.
MAX_BYTES = 512 * 2**20
# Endings of text that may be compressed, and how.
TEXTS = (".csv", ".tsv", ".txt", ".arff", ".dat")
PACKINGS = (".gz", ".bz2", ".xz", ".zst")
# What xz may take for its dictionary; its strongest setting needs 65 MB.
MOST_XZ_MEMORY = 256 << 20
# Bytes of a compressed file that are read at a time.
PIECE = 1 << 20


def read_bytes(path: str | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of at most ``max_bytes`` bytes."""
    check_file(path, max_bytes)
    try:
        with Path(path).open("rb") as file:
            content = file.read(max_bytes + 1)  # it may have grown since
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > max_bytes:
        raise _too_large(path, max_bytes)
    return content


def check_file(path: str | Path, max_bytes: int = MAX_BYTES) -> None:
    """Refuse what is not there, not a regular file (a pipe would wait for ever), or too large."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise DataError("is not a file.", path)
    if status.st_size > max_bytes:
        raise _too_large(path, max_bytes)


def _too_large(path: str | Path, max_bytes: int) -> DataError:
    return DataError(f"is larger than max_bytes={max_bytes} bytes.", path)


def _unreadable(path: str | Path, error: Exception) -> DataError:
    return DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}.", path)


def damaged(what: str, error: Exception, path: str | Path) -> DataError:
    """Return what a damaged file is not, with the reason that its reader gave, in one sentence."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return DataError(f"{what}: {reason.rstrip('.')}.", path)


def ending_of(path: str | Path) -> str:
    """Return the ending that tells the format, in small letters; ``.csv.gz`` is one ending.

    Examples
    --------
    >>> from kpboost.datasets._file_bytes import ending_of
    >>> ending_of("data/My.Table.CSV.gz"), ending_of("a.parquet"), ending_of("b.tar.gz")
    ('.csv.gz', '.parquet', '.gz')
    """
    return _ending(path).lower()


def _ending(path: str | Path) -> str:
    suffixes = Path(path).suffixes[-2:]
    small = [suffix.lower() for suffix in suffixes]
    if len(small) == 2 and small[0] in TEXTS and small[1] in PACKINGS:
        return "".join(suffixes)
    return suffixes[-1] if suffixes else ""


def stem_of(path: str | Path) -> str:
    """Return the name of a file without the ending that tells its format.

    Examples
    --------
    >>> from kpboost.datasets import stem_of
    >>> stem_of("data/churn.csv.gz"), stem_of("data/churn.2024.csv")
    ('churn', 'churn.2024')
    """
    name = Path(path).name
    return name[: len(name) - len(_ending(path))]


def table_bytes(path: str | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the text of a file, unpacked if its name says that it is compressed.

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int, default=536870912
        Largest file, and largest text in it.

    Returns
    -------
    bytes
    """
    packing = Path(path).suffix.lower()
    if packing not in PACKINGS:
        return read_bytes(path, max_bytes)
    check_file(path, max_bytes)
    if not Path(path).stat().st_size:
        raise DataError("is empty.", path)
    read = UNPACKERS[packing]
    try:
        content = read(path, max_bytes + 1)
    except DataError:
        raise
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, MemoryError) as error:
        raise damaged(f"is not a whole {packing} file", error, path) from error
    if len(content) > max_bytes:
        raise DataError(f"unpacks to more than max_bytes={max_bytes} bytes.", path)
    return content


def _gz(path: str | Path, most: int) -> bytes:
    with gzip.open(path) as stream:
        return stream.read(most)


def _bz2(path: str | Path, most: int) -> bytes:
    with bz2.open(path) as stream:
        return stream.read(most)


def _xz(path: str | Path, most: int) -> bytes:
    """Unpack with bounded memory, which ``lzma.open`` cannot; a file may have several streams."""
    unpacked = bytearray()
    packed = b""
    with Path(path).open("rb") as stream:
        while len(unpacked) < most and (packed or (packed := stream.read(PIECE))):
            unpacker = lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY)
            while not unpacker.eof and len(unpacked) < most:
                if unpacker.needs_input and not packed and not (packed := stream.read(PIECE)):
                    raise EOFError("it ends before its end marker")
                unpacked += unpacker.decompress(packed, most - len(unpacked))
                packed = b""
            packed = unpacker.unused_data.lstrip(b"\0")  # zeros may fill up a stream
    return bytes(unpacked)


def _zst(path: str | Path, most: int) -> bytes:
    try:
        from pyarrow import input_stream
    except ImportError as error:
        reason = 'needs pyarrow to be read: pip install "kpboost[parquet]".'
        raise DataError(reason, path) from error
    with input_stream(str(path), compression="zstd") as stream:
        content: Any = stream.read(most)
    return bytes(content)


UNPACKERS: dict[str, Callable[[str | Path, int], bytes]] = {
    ".gz": _gz,
    ".bz2": _bz2,
    ".xz": _xz,
    ".zst": _zst,
}
