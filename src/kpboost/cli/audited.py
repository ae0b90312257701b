"""Which model `kpboost audit` is to question, on which rows, and what to say about it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from kpboost.auditing.subjects import weight_parameter
from kpboost.datasets import ColumnChoices, Dataset
from kpboost.datasets.find_dataset import find_chosen
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
    choices : ColumnChoices
        What is still to be done about the columns of ``X``.
    """

    X: Any
    y: NDArray[Any]
    estimator: Any
    steps: NextSteps
    remarks: tuple[str, ...] = ()
    choices: ColumnChoices = field(default_factory=ColumnChoices)


def audited_model(
    data: str,
    target: str | None,
    choices: ColumnChoices | None = None,
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
    choices : ColumnChoices or None, default=None
        What the user says about columns.
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
    choices = choices or ColumnChoices()
    if model is None:
        read = find_chosen(data, target, data_dir, choices)
        steps = NextSteps(data, read, seed, data_dir, model_seed=seed, choices=choices)
        return Audited(_table(read), read.y, method, steps)
    held = load_estimator(model, trusted=trust)
    if isinstance(held, SavedModel):
        _refuse_choices(choices)
        read = find_chosen(data, target or held.target, data_dir, held.choices)
        X, y = rows_for(held, read)
        recipe = RecipeClassifier(held.method, tune=held.tune, random_state=held.random_state)
        steps = NextSteps(
            data, read, seed, data_dir, model, held.tune, held.random_state, choices=held.asked
        )
        return Audited(X, y, recipe, steps, (_remark(model, held.tune),))
    # A stranger's model gets every column; what is no feature is left out of the audit's own look.
    as_is = replace(choices, id_columns=(), keep="all")
    read = find_chosen(data, target, data_dir, as_is)
    X, y = rows_for(held, read)
    weights = weight_parameter(held)
    steps = NextSteps(
        data, read, seed, data_dir, model, weights=weights, trusted=tuple(trust), choices=choices
    )
    return Audited(X, y, held, steps, (_remark(model),), replace(choices, drop=()))


def _refuse_choices(choices: ColumnChoices) -> None:
    if choices.named or choices.keeps_all:
        raise ValueError(
            "--drop, --id and --keep were chosen when the model was trained; leave them out."
        )


def _remark(model: Path, tune: bool = False) -> str:
    chosen = " Its parameters were chosen anew, from the finer grid, in every fold." if tune else ""
    return (
        f"Audited are the settings of {model.name}, not the trained model in it: they were trained "
        "anew on folds of the data, as rows that a model was trained on would flatter it."
        f"{chosen}"
    )


def _table(read: Dataset) -> Columns:
    return Columns(read.feature_names, read.X, read.nominal, read.categories, read.roles)
