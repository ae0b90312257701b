"""Files that are there as a whole or not at all."""

import os
from pathlib import Path


def replace_file(path: str | Path, content: bytes) -> None:
    """Write a file; whoever looks meanwhile, or after a crash, sees the old one.

    Parameters
    ----------
    path : str or Path
        The file. A link stays a link, and what is no ordinary file, such as /dev/stdout, is
        written to.
    content : bytes
        All of it.
    """
    given = Path(path)
    if given.exists() and not given.is_file():
        given.write_bytes(content)
        return
    place = given.resolve()
    new = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(content)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)
