"""How many folds the rows allow."""

import numpy as np
from numpy.typing import NDArray

from kpboost.recipes.trainable import FEWEST_MEMBERS


def folds_for(wanted: int, y: NDArray[np.str_]) -> tuple[int, tuple[str, ...]]:
    """Folds to use, and what to say if they are not those that were wanted.

    Parameters
    ----------
    wanted : int
        As on the command line.
    y : ndarray of shape (n_rows,)
        Labels.

    Returns
    -------
    n_folds : int
        No more than the largest class has rows: further folds would test nothing of any class
        evenly.
    remarks : tuple of str
        One sentence on fewer folds, or on classes with fewer rows than folds; mostly none.

    Raises
    ------
    ValueError
        If fewer than two are wanted.
    """
    if wanted < 2:
        raise ValueError(f"--folds {wanted} is not allowed; it must be a whole number from 2 on.")
    classes, sizes = np.unique(y, return_counts=True)
    largest = int(sizes.max())
    if wanted > largest:
        why = f"The largest class has {largest} rows"
        return largest, (f"{why}, so there were {largest} folds and not {wanted}.",)
    rare = [str(name) for name in classes[(sizes >= FEWEST_MEMBERS) & (sizes < wanted)]]
    return wanted, (_few_rows(rare, wanted),) if rare else ()


def _few_rows(names: list[str], n_folds: int) -> str:
    """Say that nothing is wrong with a class in fewer folds than there are."""
    subject = f"Class “{names[0]}” has" if len(names) == 1 else f"{len(names)} classes have"
    return (
        f"{subject} fewer rows than the {n_folds} folds; each of these rows is still tested "
        "once, by a model that was trained on the others."
    )
