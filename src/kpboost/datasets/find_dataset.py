"""A data set by what somebody typed: a name that we know, or a file."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from .dataset import Dataset
from .load import known_names, load
from .read_dataset import read_dataset


def find_dataset(
    given: str, *, target: str | None = None, data_dir: str | Path | None = None
) -> Dataset:
    """Load a known data set, or read a file.

    Parameters
    ----------
    given : str
        Name or alias of a data set, as for :func:`load`, or a path, as for :func:`read_dataset`.
    target : str or None, default=None
        Class column of a file; None is the last.
    data_dir : str, Path or None, default=None
        Folder with data sets of the paper.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from kpboost.datasets import find_dataset
    >>> find_dataset("planted-two").n_samples
    408
    """
    known = known_names()
    if given in known:
        return load(given, data_dir=data_dir)
    if not Path(given).is_file():
        near = get_close_matches(given, known, n=1)
        hint = f"did you mean {near[0]!r}? `kpboost datasets`" if near else "`kpboost datasets`"
        raise ValueError(
            f"There is no data set and no file {given!r}; {hint} lists the known ones."
        )
    return read_dataset(given, target=target)
