"""Which model `kpboost audit` is to question, on which rows, and what to say about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from kpboost.auditing.subjects import weight_parameter
from kpboost.datasets import Dataset, find_dataset
from kpboost.model_files import SavedModel, load_estimator, rows_for
from kpboost.recipes import Columns, RecipeClassifier

from .next_steps import NextSteps


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """What the audit takes.

    Attributes
    ----------
    X : Columns or frame
        The table, as the model takes it.
    y : ndarray
        Labels.
    estimator : classifier, str or None
        The model.
    steps : NextSteps
        The model and its data as the user has named them.
    remarks : tuple of str
        Sentences for the verdict.
    """

    X: Any
    y: NDArray[Any]
    estimator: Any
    steps: NextSteps
    remarks: tuple[str, ...] = ()


def audited_model(
    data: str,
    target: str | None,
    *,
    data_dir: Path | None,
    seed: int,
    method: str | None,
    model: Path | None,
    trust: Sequence[str],
) -> Audited:
    """Read the data and, if one is named, the model.

    Parameters
    ----------
    data, target, data_dir
        As on the command line.
    seed : int
        Seed of the audit.
    method : str or None
        Name of a recipe.
    model : Path or None
        File of a model.
    trust : sequence of str
        Types that the file may hold.

    Returns
    -------
    Audited
    """
    if model is None:
        read = find_dataset(data, target=target, data_dir=data_dir)
        steps = NextSteps(data, read, seed, data_dir, model_seed=seed)
        return Audited(_table(read), read.y, method, steps)
    held = load_estimator(model, trusted=trust)
    known = held.target if isinstance(held, SavedModel) else None
    read = find_dataset(data, target=target or known, data_dir=data_dir)
    X, y = rows_for(held, read)
    if isinstance(held, SavedModel):
        recipe = RecipeClassifier(held.method, tune=held.tune, random_state=held.random_state)
        steps = NextSteps(data, read, seed, data_dir, model, held.tune, held.random_state)
        return Audited(X, y, recipe, steps, (_remark(model, held.tune),))
    weights = weight_parameter(held)
    steps = NextSteps(data, read, seed, data_dir, model, weights=weights, trusted=tuple(trust))
    return Audited(X, y, held, steps, (_remark(model),))


def _remark(model: Path, tune: bool = False) -> str:
    chosen = " Its parameters were chosen anew, from the finer grid, in every fold." if tune else ""
    return (
        f"Audited are the settings of {model.name}, not the trained model in it: they were trained "
        "anew on folds of the data, as rows that a model was trained on would flatter it."
        f"{chosen}"
    )


def _table(read: Dataset) -> Columns:
    return Columns(read.feature_names, read.X, read.nominal, read.categories)
