"""Files that are there as a whole or not at all; arrays and JSON in files of strangers."""

import io
import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

HEADERS: Mapping[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def replace_file(path: str | Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file; whoever looks meanwhile, or after a crash, sees the old one.

    Parameters
    ----------
    path : str or Path
        The file. A link stays a link, and what is no ordinary file, such as /dev/stdout, is
        written to.
    content : bytes or iterable of bytes
        All of it, or its pieces one after the other. If a piece cannot be made, the old file stays.
    """
    given = Path(path)
    pieces = [content] if isinstance(content, bytes) else content
    if given.exists() and not given.is_file():
        _write(given, pieces)
        return
    place = given.resolve()
    new = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        _write(new, pieces)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    with path.open("wb") as stream:
        for piece in pieces:
            stream.write(piece)


def measured(raw: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and type of an array in numpy's format, if it has all its bytes.

    Parameters
    ----------
    raw : bytes
        A whole .npy file. numpy itself takes memory for what the file claims, and then reads.

    Returns
    -------
    shape : tuple of int
    dtype : dtype

    Raises
    ------
    ValueError
        If it is no such file, holds objects, or does not have the size it claims.
    """
    stream = io.BytesIO(raw)
    try:
        shape, _, dtype = HEADERS[np.lib.format.read_magic(stream)](stream)
    except Exception as error:  # its header is an expression, which can be wrong in many ways
        raise ValueError("an array has no header") from error
    needed = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or not dtype.itemsize or needed != len(raw) - stream.tell():
        raise ValueError("an array does not have the size it claims")
    return shape, dtype


def parsed(text: str | bytes, most: int) -> Any:
    """Return what JSON describes, unless it is more than a number of values.

    Parameters
    ----------
    text : str or bytes
        JSON. A value of three letters takes up to some 70 bytes of memory, and one with a name up
        to 230, so that their number matters more than the length of the text.
    most : int
        The number of values that is allowed.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If there are more, or it is no JSON.
    """
    raw = text.encode() if isinstance(text, str) else text
    if sum(map(raw.count, (b"{", b"[", b","))) > most:
        raise ValueError(f"more than {most:,} values")
    return json.loads(raw)
