"""Arrays as compressed bytes and back; nothing in them is ever unpickled."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the arrays as the bytes of a compressed .npz file."""
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays; ValueError if the bytes are not of :func:`pack`."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (BadZipFile, OSError, EOFError, KeyError) as error:
        raise ValueError(f"damaged arrays: {error}") from error


def smallest_integers(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return whole numbers of at least -1 in the narrowest type that holds them."""
    highest = int(values.max(initial=0))
    return values.astype(np.min_scalar_type(-1 - highest))
