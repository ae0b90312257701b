"""From a data set to a trained model with its out-of-fold predictions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kpboost import _validation as parameters
from kpboost._text import some_of
from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import Dataset, Table, copied_rows, possible_leaks, trainable_rows
from kpboost.methods import MethodClassifier, method_of
from kpboost.metrics import class_recalls
from kpboost.model_selection import limited_threads, make_folds, out_of_fold, together

from ._evaluation import measured_baselines
from ._held_out import MOST_STORED, HeldOutScores, checked_wish
from ._saved_model import SavedModel

Progress = Callable[[str, int, int], None]

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
    class_sizes: Mapping[str, int] | None = None,
    random_state: int = 0,
    on_progress: Progress | None = None,
) -> SavedModel:
    """Train a method on all rows, and measure it out of fold.

    Parameters
    ----------
    data : Dataset
        The rows. Classes of one row are left out, as they cannot be both learnt and tested. Columns
        to drop, to keep or to take as identifiers are named when it is read: ``read_dataset``.
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
    class_sizes : mapping from str to int, optional
        Rows of each class in the file that the data are a draw of, see
        :func:`~kpboost.datasets.draw_parquet`; model and figures then refer to the file.
    random_state : int, default=0
        Seed.
    on_progress : callable, optional
        Called with the current step in words, the number of finished steps, and that of all steps.

    Returns
    -------
    SavedModel
        Without any of ``costs``, ``recall`` and ``alarms``, the method itself decides.
    """
    parameters.check_seed("random_state", random_state)
    method_of(method)
    tell = on_progress or (lambda what, done, total: None)
    data.table.check_magnitude()
    used, left_out = without_single_rows(data)
    classes, codes, sizes = np.unique(used.y, return_inverse=True, return_counts=True)
    names = [str(label) for label in classes]
    wish = checked_wish(names, costs, recall, alarms, pos_label)
    in_file = _sizes_in_file(class_sizes, names)
    model = MethodClassifier(
        method,
        tune=tune,
        categorical_features=data.nominal,
        many_classes=True,
        class_sizes=in_file,
        random_state=random_state,
    )
    copies = copied_rows(used.X, codes)
    records = np.arange(codes.size) if copies.records is None else copies.records
    folds = together(records, codes, lambda own: make_folds(own, N_FOLDS, random_state))
    n_steps = len(folds) + 2
    answers = out_of_fold(
        model,
        used.X,
        used.y,
        classes.tolist(),
        folds,
        decisions=True,
        on_fold=lambda done: tell("training on folds, to measure it", done, n_steps),
    )
    tell("training on all rows", len(folds), n_steps)
    with limited_threads(codes.size):
        model.fit(used.X, used.y)
    tell("comparing it with quick classifiers", len(folds) + 1, n_steps)
    baselines = measured_baselines(used, codes, folds, random_state)
    held_out = HeldOutScores.of(
        codes,
        answers,
        folds,
        baselines,
        has_probabilities=hasattr(model, "predict_proba"),
        factors=_factors(sizes, in_file),
    )
    point, decided = held_out.choose(names, wish) if wish else (None, None)
    return SavedModel(
        model=model.model_,
        method=method,
        target=data.target_name,
        features=Table.without_rows(data.feature_names, data.categories, data.roles),
        class_sizes=in_file or dict(zip(names, sizes.tolist(), strict=True)),
        tested_sizes=dict(zip(names, sizes.tolist(), strict=True)),
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


def _sizes_in_file(
    class_sizes: Mapping[str, int] | None, names: Sequence[str]
) -> dict[str, int] | None:
    """Return the sizes of the classes that are trained on, if there is a file beside the draw."""
    return None if class_sizes is None else {name: int(class_sizes[name]) for name in names}


def _factors(sizes: IndexArray, in_file: Mapping[str, int] | None) -> FloatArray | None:
    """Weight of a row of each class, by which a draw has the shares of the file."""
    if in_file is None:
        return None
    whole = np.array([*in_file.values()], dtype=np.float64)
    return np.asarray(whole / whole.sum() * sizes.sum() / sizes)


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
