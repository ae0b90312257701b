"""A data set by what somebody typed: a name that we know, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from .column_roles import ColumnChoices
from .dataset import Dataset
from .load import known_names, load
from .read_dataset import read_chosen


def find_dataset(
    given: str,
    *,
    target: str | None = None,
    data_dir: str | Path | None = None,
    drop: Sequence[str] = (),
    id_columns: Sequence[str] = (),
    keep: Sequence[str] = (),
    many_classes: bool = False,
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
    drop, id_columns, keep : sequence of str, default=()
        Columns of a file to leave out, to take as identifiers and to keep as features, as for
        :func:`read_dataset`; known data sets are taken as they are.
    many_classes : bool, default=False
        Whether a class column of more than 50 different numbers is meant.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from kpboost.datasets import find_dataset
    >>> find_dataset("planted-two").n_samples
    408
    """
    choices = ColumnChoices(drop, id_columns, keep, many_classes)
    return find_chosen(given, target, data_dir, choices)


def find_chosen(
    given: str, target: str | None, data_dir: str | Path | None, choices: ColumnChoices
) -> Dataset:
    """Load or read a data set, as :func:`find_dataset` does, with choices in one record."""
    known = known_names()
    if given in known:
        _refuse_choices(given, choices)
        return load(given, data_dir=data_dir)
    if not Path(given).is_file():
        near = get_close_matches(given, known, n=1)
        hint = f"did you mean {near[0]!r}? `kpboost datasets`" if near else "`kpboost datasets`"
        raise ValueError(
            f"There is no data set and no file {given!r}; {hint} lists the known ones."
        )
    return read_chosen(given, target, choices)


def _refuse_choices(given: str, choices: ColumnChoices) -> None:
    if choices.named and not choices.optional:
        raise ValueError(
            f"{given!r} is a known data set, which is taken as it is; columns to drop, to keep or "
            "to take as identifiers can be named for files only."
        )
