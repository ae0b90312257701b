"""What a method said about the test points of a fold, from the store alone."""

from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from .storage.dataset_rows import kept_dataset
from .storage.result_rows import kept_predictions
from .storage.schema import StoreError
from .storage.store import Store, damage_in_words

IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """Answers of the chosen candidate.

    Attributes
    ----------
    rows : ndarray of shape (n_test,)
        Test points, as rows of the data set.
    labels : ndarray of shape (n_test,)
        What was predicted for them.
    """

    rows: IndexArray
    labels: NDArray[np.str_]


def predictions(
    store_path: str | PathLike[str], dataset: str, method: str, fold: int
) -> FoldPredictions:
    """Return what the chosen candidate of a method predicted on a fold.

    Parameters
    ----------
    store_path : path
    dataset, method : str
        Names, as in an Outcome.
    fold : int

    Returns
    -------
    FoldPredictions

    Raises
    ------
    StoreError
        If there is no such result.
    """
    with Store(store_path) as store, damage_in_words(store):
        codes = kept_predictions(store, dataset, method, fold)
        kept = kept_dataset(store, dataset)
        if kept is None:
            raise StoreError(f"{store.path} has no data set {dataset!r}.")
        labels = np.array(list(kept.info.class_counts))  # in the order of the class numbers
        return FoldPredictions(kept.splits[fold][1], labels[codes])
