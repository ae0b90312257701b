"""From a data set to a trained model with its out-of-fold predictions."""

from dataclasses import replace
from typing import Any

import numpy as np

from kpboost import _validation as parameters
from kpboost._text import some_of
from kpboost.datasets import Dataset, Table, copied_rows, possible_leaks, trainable_rows
from kpboost.methods import MethodClassifier, method_of
from kpboost.metrics import class_recalls
from kpboost.model_selection import limited_threads, make_folds, out_of_fold, together

from ._evaluation import measured_baselines
from ._held_out import MOST_STORED, HeldOutScores, checked_wish
from ._saved_model import SavedModel

# Folds of the scores on the card; they cost this many trainings more.
N_FOLDS = 5
# Classes in a message.
MOST_NAMES = 5


def train(
    data: Dataset,
    method: str = "rare_class",
    *,
    tune: bool = False,
    costs: Any = None,
    recall: float | None = None,
    alarms: float | None = None,
    pos_label: str | None = None,
    random_state: int = 0,
) -> SavedModel:
    """Train a method on all rows, and measure it out of fold.

    Parameters
    ----------
    data : Dataset
        The rows. Classes of one row are left out, as they cannot be both learnt and tested. What is
        dropped, kept or an identifier is said where it is read, see ``read_dataset``.
    method : str, default="rare_class"
        Name of a method.
    tune : bool, default=False
        Whether to choose parameters from the paper's grid.
    costs : mapping or array-like of shape (n_classes, n_classes), optional
        Costs by pairs of true and predicted class, such as ``{("sick", "well"): 5}``, where other
        errors cost 1; or a matrix, rows true and columns predicted, in the order of the sorted
        classes. The operating point with the lowest cost is chosen.
    recall : float, optional
        Recall of ``pos_label`` that the operating point has to reach.
    alarms : float, optional
        Largest share of rows to be called ``pos_label``.
    pos_label : str, optional
        The class that a recall or alarms are about; by default the rarest.
    random_state : int, default=0
        Seed.

    Returns
    -------
    SavedModel
        Without any of ``costs``, ``recall`` and ``alarms``, the method itself decides.
    """
    parameters.check_seed("random_state", random_state)
    method_of(method)
    model = MethodClassifier(
        method,
        tune=tune,
        categorical_features=data.nominal,
        many_classes=True,
        random_state=random_state,
    )
    data.table.check_magnitude()
    used, left_out = without_single_rows(data)
    classes, codes, sizes = np.unique(used.y, return_inverse=True, return_counts=True)
    names = [str(label) for label in classes]
    wish = checked_wish(names, costs, recall, alarms, pos_label)
    copies = copied_rows(used.X, codes)
    records = np.arange(codes.size) if copies.records is None else copies.records
    folds = together(records, codes, lambda own: make_folds(own, N_FOLDS, random_state))
    answers = out_of_fold(model, used.X, used.y, classes.tolist(), folds, decisions=True)
    with limited_threads(codes.size):
        model.fit(used.X, used.y)
    held_out = HeldOutScores.of(
        codes,
        answers,
        folds,
        measured_baselines(used, codes, folds, random_state),
        has_probabilities=hasattr(model, "predict_proba"),
    )
    point, decided = held_out.choose(names, wish) if wish else (None, None)
    return SavedModel(
        model=model.model_,
        method=method,
        target=data.target_name,
        features=Table.without_rows(data.feature_names, data.categories, data.roles),
        class_sizes=dict(zip(names, sizes.tolist(), strict=True)),
        recalls=dict(zip(names, class_recalls(codes, answers.predicted).tolist(), strict=True)),
        n_rows=model.n_rows_,
        tune=tune,
        random_state=random_state,
        n_folds=len(folds),
        left_out=left_out,
        asked=data.asked,
        leaks=possible_leaks(used.X, used.nominal, used.feature_names, used.y),
        n_copies=copies.n_copies,
        copies_together=copies.are_together,
        held_out=replace(held_out, decided=decided).sample(MOST_STORED, random_state),
        operating_point=point,
    )


def without_single_rows(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """Return the data set without classes of one row, and the names of these.

    Raises
    ------
    ValueError
        If fewer than two classes are left.
    """
    rows = trainable_rows(data.y)
    used = data.take(rows)
    left_out = tuple(sorted({*data.classes} - {*used.classes}))
    if len(used.classes) < 2:
        shown = some_of([repr(name) for name in left_out], MOST_NAMES)
        raise ValueError(
            f"A model needs two classes of at least two rows each; of one row are {shown}."
        )
    return used, left_out
