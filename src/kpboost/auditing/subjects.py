"""The models under audit: the user's own, one by name, or two baselines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from kpboost.recipes import RECIPES, RecipeClassifier, available_recipes, build

from .material import Material
from .out_of_fold import Fold, OutOfFold, out_of_fold

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

    def answer(self, material: Material, folds: Sequence[Fold]) -> OutOfFold:
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
