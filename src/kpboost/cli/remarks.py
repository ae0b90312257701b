"""Warnings as remarks: one line each on stderr, said once, without the place in the code."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text


@contextmanager
def as_remarks(console: Console, *, quiet: bool = False) -> Iterator[None]:
    """Collect the warnings of a block and show them after it, of each kind the first.

    Parameters
    ----------
    console : Console
        Where to show them.
    quiet : bool, default=False
        Show none.
    """
    with warnings.catch_warnings(record=True) as caught:
        yield
    first: dict[type[Warning], str] = {}
    for each in caught:
        first.setdefault(each.category, " ".join(str(each.message).split()))
    for message in () if quiet else dict.fromkeys(first.values()):
        console.print(Text(f"Note: {message}"), soft_wrap=True)
