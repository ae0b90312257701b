"""The models under audit: the user's own, one by name, or two baselines."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from kpboost.datasets import ColumnChoices
from kpboost.model_selection import OutOfFold, Split, out_of_fold
from kpboost.recipes import (
    RECIPES,
    RecipeClassifier,
    available_recipes,
    build,
    trainable_rows,
)

from ._data import Material
from ._records import Remedies

# A strong default that needs no tuning, and the machine that KPBoost starts from.
BASELINES = ("hgb", "svm")
OWN = "own"


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A model to question.

    Attributes
    ----------
    name, title, family : str
        As of a recipe; "own", the class's name and "" for a user's model.
    estimator : classifier
        Unfitted.
    takes_given : bool
        Whether it takes the user's table and labels, rather than the audit's.
    tune : bool
        Of a recipe, whether its parameters come from the finer grid.
    seed : int
        Of a recipe, its seed.
    """

    name: str
    title: str
    family: str
    estimator: Any
    takes_given: bool = False
    tune: bool = False
    seed: int = 0

    def answer(self, material: Material, folds: Sequence[Split]) -> OutOfFold:
        """Out-of-fold answers for all rows."""
        if self.takes_given:
            return out_of_fold(
                self.estimator, material.given, material.labels, material.classes, folds
            )
        numbers = np.arange(len(material.classes)).tolist()
        return out_of_fold(self.estimator, material.columns.values, material.codes, numbers, folds)


def subjects_of(estimator: Any, material: Material, seed: int) -> list[Subject]:
    """Models to audit.

    Parameters
    ----------
    estimator : classifier, str or None
        The user's, the name of a recipe, or None for the baselines. A ``RecipeClassifier`` is
        audited as its recipe.
    material : Material
        The data.
    seed : int
        Seed of recipes.

    Returns
    -------
    list of Subject
    """
    if estimator is None:
        return [recipe_subject(name, material, seed) for name in BASELINES]
    if isinstance(estimator, str):
        return [recipe_subject(estimator, material, seed)]
    if isinstance(estimator, RecipeClassifier):
        chosen = estimator.recipe, material, estimator.random_state, estimator.tune
        return [recipe_subject(*chosen)]
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise ValueError(
            f"estimator={estimator!r} is not allowed; it must be a scikit-learn classifier, the "
            "name of a recipe, or None."
        )
    return [Subject(OWN, _title(estimator), "", estimator, takes_given=True)]


def _title(estimator: Any) -> str:
    """Name a user's model; a pipeline by what it ends in."""
    if isinstance(estimator, Pipeline):
        return f"{type(estimator.steps[-1][1]).__name__} in a pipeline"
    return type(estimator).__name__


def recipe_subject(name: str, material: Material, seed: int, tune: bool = False) -> Subject:
    """Return the model of a recipe."""
    model = build(name, nominal=material.columns.nominal, tune=tune, random_state=seed)
    recipe = RECIPES[name]
    title = f"{recipe.title}, finer grid" if tune else recipe.title
    return Subject(name, title, recipe.family, model, tune=tune, seed=seed)


def remedies_for(
    subject: Subject, names: Sequence[str], material: Material, seed: int
) -> list[Subject]:
    """Models to try in place of the audited one: its own with class weights, and recipes."""
    others = [recipe_subject(name, material, seed) for name in names if name != subject.name]
    return [*_reweighted(subject), *others]


def _reweighted(subject: Subject) -> list[Subject]:
    """Return the user's own model with balanced class weights, if it knows them and has none."""
    if not subject.takes_given:
        return []
    parameter = weight_parameter(subject.estimator)
    if not parameter:
        return []
    model = clone(subject.estimator).set_params(**{parameter: "balanced"})
    return [Subject(f"{OWN}_balanced", f"{subject.title}, balanced class weights", "", model, True)]


def weight_parameter(estimator: Any) -> str:
    """Name of the parameter with a model's class weights if it has none set, or ""."""
    known = estimator.get_params()
    unset = [name for name in known if name.split("__")[-1] == "class_weight" and not known[name]]
    return unset[-1] if unset else ""


def checked_remedies(remedies: Any) -> tuple[str, ...]:
    """Names of the recipes to try; none for "never"."""
    if isinstance(remedies, str) and remedies in ("auto", "always", "never"):
        return () if remedies == "never" else tuple(available_recipes())
    if isinstance(remedies, str) or not isinstance(remedies, Sequence):
        raise ValueError(
            f"remedies={remedies!r} is not allowed; it must be 'auto', 'always', 'never' or a list "
            f"of recipes among {', '.join(RECIPES)}."
        )
    strangers = [name for name in remedies if name not in RECIPES]
    if strangers:
        raise ValueError(
            f"remedies names {strangers[0]!r}, which is no recipe; known are {', '.join(RECIPES)}."
        )
    return tuple(remedies)


IMPORT = "from kpboost.recipes import trainable\n\n"
DROP_ROWS = "X, y = trainable(X, y)  # without rows that have no label, and classes of one row\n"


def snippet_of(
    subject: Subject,
    remedies: Remedies | None,
    y: ArrayLike,
    seed: int = 0,
    choices: ColumnChoices | None = None,
) -> str:
    """Lines to copy.

    Parameters
    ----------
    subject : Subject
        The audited model, which is built if nothing better is recommended.
    remedies : Remedies or None
        What was tried.
    y : array-like of shape (n_rows,)
        Labels as given, of which some may be missing.
    seed : int, default=0
        Seed of the audit, and so of its remedies.
    choices : ColumnChoices or None, default=None
        What the user has said about columns.

    Returns
    -------
    str
        A complete program but for the table ``X`` and the labels ``y`` that were audited.
    """
    name = (remedies.recommended if remedies is not None else "") or subject.name
    complete = trainable_rows(y).size == len(y)  # type: ignore[arg-type]  # it was checked
    if name.startswith(OWN):
        return _own(subject, name, complete)
    tune, seed = (subject.tune, subject.seed) if name == subject.name else (False, seed)
    arguments = ", ".join([recipe_arguments(name, tune, seed), *choice_arguments(choices)])
    return (
        f"from kpboost.recipes import RecipeClassifier{'' if complete else ', trainable'}\n"
        "\n"
        f"{'' if complete else DROP_ROWS}"
        f"model = RecipeClassifier({arguments}).fit(X, y)\n"
    )


def recipe_arguments(name: str, tune: bool, seed: int) -> str:
    """Arguments as one would write them: those that are not the default."""
    chosen = {f'"{name}"': True, "tune=True": tune, f"random_state={seed}": seed != 0}
    return ", ".join(words for words, is_needed in chosen.items() if is_needed)


def choice_arguments(choices: ColumnChoices | None) -> list[str]:
    """Arguments for what the user has said about columns, as one would write them."""
    if choices is None:
        return []
    given = {name: getattr(choices, name) for name in ("drop", "id_columns", "keep")}
    words = [f"{name}={_literal(names)}" for name, names in given.items() if names]
    return words + (["many_classes=True"] if choices.many_classes else [])


def _literal(names: Sequence[str]) -> str:
    return json.dumps(names if isinstance(names, str) else list(names), ensure_ascii=False)


def _own(subject: Subject, name: str, complete: bool) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    return (
        f"{'' if complete else IMPORT + DROP_ROWS}"
        "# model: your own; with balanced class weights it recognises more of what was missed\n"
        f'model.set_params({weight_parameter(subject.estimator)}="balanced")\n'
        "model.fit(X, y)\n"
    )
