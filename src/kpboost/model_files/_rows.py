"""A data set as a given model takes it: its columns in its order, labels of its own type."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.datasets import DataError, Dataset, Table, encode_like, listing

from ._saved_model import SavedModel

TRUTH: dict[str, bool] = {"True": True, "False": False}


def rows_for(model: Any, data: Dataset) -> tuple[Any, NDArray[Any]]:
    """Table and labels to train a model's settings on.

    Parameters
    ----------
    model : classifier or SavedModel
        A scikit-learn classifier, fitted or not, or a model of ours.
    data : Dataset
        The rows.

    Returns
    -------
    X : Table or pandas.DataFrame
        For a model of ours, numbers and codes; for others a frame with numbers and text.
    y : ndarray of shape (n_samples,)
        Labels, of the type that the model was trained with.

    Raises
    ------
    DataError
        If columns or classes do not fit the model; the message names them.
    """
    if isinstance(model, SavedModel):
        return _table(model, data), _known(data, {*model.class_sizes, *model.left_out})
    return _frame(model, data), _labels(model, data)


def _table(saved: SavedModel, data: Dataset) -> Table:
    """Features as the model knows them; as it is trained again, new categories join the old."""
    if data.target_name != saved.target:
        raise DataError(
            f"its class is {data.target_name!r}, but the model's is {saved.target!r}.", data.source
        )
    old = saved.features
    _check_columns(data, old.names)
    categories = map(_with_new, old.names, old.categories, repeat(data.table))
    known = replace(old, categories=tuple(categories), roles=())  # the data have been read by them
    return replace(encode_like(data.table, known), roles=old.roles)


def _with_new(
    name: str, categories: tuple[str, ...] | None, table: Table
) -> tuple[str, ...] | None:
    if categories is None or name not in table.names:
        return categories
    here = table.column(name).labels().tolist()
    return (*categories, *sorted({*here} - {*categories, ""}))


def _frame(model: Any, data: Dataset) -> Any:
    names = [str(name) for name in getattr(model, "feature_names_in_", data.feature_names)]
    _check_columns(data, names)
    width = getattr(model, "n_features_in_", len(names))
    if width != len(names):
        raise DataError(
            f"has {len(names)} columns beside the class; the model was trained on {width}.",
            data.source,
        )
    cells = dict(zip(data.feature_names, map(_cells, data.X.T, data.categories), strict=True))
    return import_module("pandas").DataFrame({name: cells[name] for name in names})


def _cells(values: NDArray[np.float64], categories: tuple[str, ...] | None) -> Any:
    """Cells that pandas takes for what it reads from a file: numbers, Booleans or text."""
    if categories is None:
        return values
    are_truths = TRUTH.keys() >= {*categories}
    meant = [TRUTH[word] for word in categories] if are_truths else list(categories)
    return [np.nan if np.isnan(code) else meant[int(code)] for code in values.tolist()]


def _labels(model: Any, data: Dataset) -> NDArray[Any]:
    """Labels by the model's classes, or of the type that their text suggests."""
    if not hasattr(model, "classes_"):
        return typed_labels(data.y)
    classes = np.asarray(model.classes_)
    by_word = {_word(label): label for label in classes.tolist()}
    return np.array([by_word[word] for word in _known(data, by_word).tolist()], dtype=classes.dtype)


def _word(label: Any) -> str:
    """Text of a label as it stands in a file, where 1 and 1.0 are one."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label)


def typed_labels(words: NDArray[np.str_]) -> NDArray[Any]:
    """Labels from text: whole numbers, other numbers or Booleans if all of them are."""
    kinds = set(words.tolist())
    if kinds <= TRUTH.keys():
        return np.array([TRUTH[word] for word in words.tolist()])
    for kind in (np.int64, np.float64):
        try:
            return words.astype(kind)
        except (ValueError, OverflowError):
            continue
    return words


def _known(data: Dataset, classes: Iterable[str]) -> NDArray[np.str_]:
    strange = sorted({*data.classes} - {*classes})
    _refuse(data, f"its class {data.target_name!r} has the label", strange)
    return data.y


def _check_columns(data: Dataset, names: Sequence[str]) -> None:
    _refuse(data, "lacks the column", [n for n in names if n not in data.feature_names])
    _refuse(data, "has the column", [n for n in data.feature_names if n not in names])


def _refuse(data: Dataset, what: str, names: Sequence[str]) -> None:
    if not names:
        return
    lacks = what.startswith("lacks")
    why = "which the model was trained on" if lacks else "which the model does not know"
    plural = "s" if len(names) > 1 else ""
    raise DataError(f"{what}{plural} {listing(names)}, {why}.", data.source or data.name)
