"""From a data set to a trained model with its scores."""

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from kpboost import _parameters as parameters
from kpboost.auditing.out_of_fold import ROWS_FOR_THREADS, make_folds, out_of_fold
from kpboost.datasets import Dataset, features_of, possible_leaks
from kpboost.recipes import Columns, build, trainable_rows
from kpboost.recipes.columns import check_magnitude

from .saved_model import SavedModel

# Folds of the scores on the card; they cost this many trainings more.
N_FOLDS = 5
# Classes in a message.
MOST_NAMES = 5


def train(
    data: Dataset, method: str = "kpboost", *, tune: bool = False, random_state: int = 0
) -> SavedModel:
    """Train a recipe on all rows, and measure it out of fold.

    Parameters
    ----------
    data : Dataset
        The rows. Classes of one row are left out, as they cannot be both learnt and tested. What is
        dropped, kept or an identifier is said where it is read, see ``read_dataset``.
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
    parameters.check_seed("random_state", random_state)
    model = build(method, nominal=data.nominal, tune=tune, random_state=random_state)
    check_magnitude(Columns(data.feature_names, data.X, data.nominal, data.categories))
    used, left_out = without_single_rows(data)
    classes, codes, sizes = np.unique(used.y, return_inverse=True, return_counts=True)
    folds = make_folds(codes, N_FOLDS, random_state)
    answers = out_of_fold(model, used.X, used.y, classes.tolist(), folds)
    right = np.bincount(codes, weights=answers.predicted == codes)
    with threadpool_limits(1 if codes.size < ROWS_FOR_THREADS else None):
        model.fit(used.X, used.y)
    names = [str(label) for label in classes]
    return SavedModel(
        model=model,
        method=method,
        target=data.target_name,
        features=features_of(data),
        class_sizes=dict(zip(names, sizes.tolist(), strict=True)),
        recalls=dict(zip(names, (right / sizes).tolist(), strict=True)),
        tune=tune,
        random_state=random_state,
        n_folds=len(folds),
        left_out=left_out,
        roles=data.roles,
        asked=data.asked,
        leaks=possible_leaks(used.X, used.nominal, used.feature_names, used.y),
    )


def without_single_rows(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """Return the data set without classes of one row, and the names of these.

    Raises
    ------
    ValueError
        If fewer than two classes are left.
    """
    rows = trainable_rows(data.y)
    used = replace(data, X=data.X[rows], y=data.y[rows], folds=None)
    left_out = tuple(sorted({*data.classes} - {*used.classes}))
    if len(used.classes) < 2:
        shown = ", ".join(map(repr, left_out[:MOST_NAMES]))
        more = f" and {len(left_out) - MOST_NAMES} more" if len(left_out) > MOST_NAMES else ""
        raise ValueError(
            f"A model needs two classes of at least two rows each; of one row are {shown}{more}."
        )
    return used, left_out
