"""A data set by what the user typed: a name we know, or a file."""

from pathlib import Path

from kpboost.datasets import Dataset, known_names, load, read_dataset


def find_data(given: str, *, target: str | None = None, data_dir: Path | None = None) -> Dataset:
    """Load a known data set, or read a file.

    Parameters
    ----------
    given : str
        Name or alias of a data set, or a path.
    target : str or None, default=None
        Class column of a file; None is the last.
    data_dir : Path or None, default=None
        Folder with data sets of the paper.

    Returns
    -------
    Dataset
    """
    if given in known_names():
        return load(given, data_dir=data_dir)
    if not Path(given).is_file():
        raise ValueError(
            f"There is no data set and no file {given!r}; `kpboost datasets` lists the known ones."
        )
    return read_dataset(given, target=target)
