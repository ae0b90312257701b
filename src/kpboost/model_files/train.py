"""From a data set to a trained model with its scores."""

import numpy as np
from threadpoolctl import threadpool_limits

from kpboost.auditing.out_of_fold import ROWS_FOR_THREADS, make_folds, out_of_fold
from kpboost.datasets import Dataset, features_of
from kpboost.recipes import build

from .saved_model import SavedModel

# Folds of the scores on the card; they cost this many trainings more.
N_FOLDS = 5
FEWEST_MEMBERS = 2


def train(
    data: Dataset, method: str = "kpboost", *, tune: bool = False, random_state: int = 0
) -> SavedModel:
    """Train a recipe on all rows, and measure it out of fold.

    Parameters
    ----------
    data : Dataset
        The rows; every class needs two.
    method : str, default="kpboost"
        Name of a recipe.
    tune : bool, default=False
        Whether to choose parameters from the finer grid.
    random_state : int, default=0
        Seed.

    Returns
    -------
    SavedModel
    """
    model = build(method, nominal=data.nominal, tune=tune, random_state=random_state)
    classes, codes, sizes = np.unique(data.y, return_inverse=True, return_counts=True)
    if sizes.min() < FEWEST_MEMBERS:
        raise ValueError(
            f"Class {str(classes[sizes.argmin()])!r} has one row; every class needs at least "
            f"{FEWEST_MEMBERS}."
        )
    folds = make_folds(codes, N_FOLDS, random_state)
    answers = out_of_fold(model, data.X, data.y, classes.tolist(), folds)
    right = np.bincount(codes, weights=answers.predicted == codes)
    with threadpool_limits(1 if codes.size < ROWS_FOR_THREADS else None):
        model.fit(data.X, data.y)
    names = [str(label) for label in classes]
    return SavedModel(
        model=model,
        method=method,
        target=data.target_name,
        features=features_of(data),
        class_sizes=dict(zip(names, sizes.tolist(), strict=True)),
        recalls=dict(zip(names, (right / sizes).tolist(), strict=True)),
    )
