"""Bytes of a file as text: a regular file, of bounded size, in UTF-8."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import TextIO

from .data_error import DataError

# A table of this size holds some forty million numbers: beyond it, a method whose cost grows with
# the square of the rows has no use for the file anyway, and reading would fill the memory.
MAX_BYTES = 512 * 2**20
# What editors put at the start of a file in another encoding than UTF-8.
FOREIGN_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


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


def check_text(content: bytes, file: str | Path) -> None:
    """Refuse bytes that are not UTF-8; the mark that some editors put before it may stand."""
    for mark, encoding in FOREIGN_MARKS.items():
        if content.startswith(mark):
            raise DataError(f"is written in {encoding}; save it as UTF-8.", file, 1)
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError("holds bytes that are not UTF-8; save it as UTF-8.", file, line) from error


def lines_of(content: bytes, newline: str | None = None) -> TextIO:
    """Return the lines of bytes that are UTF-8, one by one: as one text they take more memory."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline=newline)


def _too_large(path: str | Path, max_bytes: int) -> DataError:
    return DataError(f"is larger than max_bytes={max_bytes} bytes.", path)


def _unreadable(path: str | Path, error: Exception) -> DataError:
    return DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}.", path)
