"""Arrays and JSON as compressed bytes and back; nothing in them is ever unpickled."""

import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from kpboost._files import measured, parsed

# More than the predictions of all candidates on a large fold take, unpacked.
MAX_BYTES = 1 << 30
# 100,000 candidates of 150 letters and nine parameters each; the paper's grids have up to 2,738.
MAX_TEXT_BYTES, MAX_VALUES = 1 << 24, 1_000_000


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the arrays as the bytes of a compressed .npz file.

    Not by ``np.savez_compressed``: numpy 1.26 takes its ``allow_pickle`` for an array.
    """
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.save(entry, array, allow_pickle=False)
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays; ValueError if the bytes are not of :func:`pack`."""
    try:
        with ZipFile(BytesIO(data)) as file:
            entries = file.infolist()
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise ValueError("larger than any data set")
            return {entry.filename.removesuffix(".npy"): _array(file, entry) for entry in entries}
    except Exception as error:  # whatever forged bytes can provoke means the same
        raise ValueError(f"damaged arrays: {error}") from error


def unpack_text(data: bytes) -> str:
    """Return a text that was compressed by zlib; ValueError if the bytes are not of that kind."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, MAX_TEXT_BYTES)
    except zlib.error as error:
        raise ValueError(f"damaged text: {error}") from error
    if not stream.eof:
        raise ValueError(f"damaged text: it has no end within {MAX_TEXT_BYTES:,} bytes")
    return text.decode()


def values_of_json(text: str) -> Any:
    """Return what a text of a store describes; ValueError if it is more than any store holds."""
    return parsed(text, MAX_VALUES)


def _array(file: ZipFile, entry: ZipInfo) -> NDArray[Any]:
    """Read an array, and never more than it claims."""
    with file.open(entry) as stream:
        raw = stream.read(entry.file_size)
    measured(raw)
    return np.asarray(np.load(BytesIO(raw), allow_pickle=False))


def smallest_integers(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return whole numbers of at least -1 in the narrowest type that holds them."""
    highest = int(values.max(initial=0))
    return values.astype(np.min_scalar_type(-1 - highest))
