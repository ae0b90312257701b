"""Models by name, as the audit tries them and as ``kpboost fit`` trains them.

Every recipe starts with the same preparation of the columns. Those that choose something (C, the
perturbation step) choose it from a small grid by cross-validation for balanced accuracy inside
the training rows, all of them by the same rule, so that none is ahead by its tuning alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from kpboost.model_selection import KPBoostSVCCV
from kpboost.svm import KernelSVC

from .criterion import mean_recall
from .inner_folds import InnerFolds
from .preparation import preparation
from .row_cap import MAX_ROWS, RowCapClassifier

# Prices of a margin violation to choose from: the usual ones for standardised columns.
CS = (1.0, 10.0, 100.0)
# Perturbation steps: one that hardly moves the boundary in ten rounds up to one that does at once.
STEPS = (0.003, 0.03, 0.3)
ROI_SCALES = (0.5, 1.0)
# A finer grid, for ``tune``: about five times the candidates.
FINE_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)
FINE_STEPS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
# Three inner splits leave two thirds of a small disjunct to learn from; more would cost time.
INNER_SPLITS = 3

# Families whose training time grows with the square of the rows.
KERNEL_MACHINES = ("svm", "kpboost")

Make = Callable[[bool, int], Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model by name.

    Attributes
    ----------
    name : str
        Short name, as on the command line.
    title : str
        What it is, in words.
    make : callable
        From whether to use the finer grid, and a seed, to an unfitted classifier.
    family : {"boosting", "svm", "kpboost", "imblearn"}
        Who its relatives are.
    package : str
        Package that it needs beyond ours, or "".
    tunable : bool
        Whether it has parameters to choose.
    """

    name: str
    title: str
    make: Make
    family: str
    package: str = ""
    tunable: bool = True

    @property
    def available(self) -> bool:
        """Whether its package is installed."""
        return not self.package or find_spec(self.package) is not None

    @property
    def max_rows(self) -> int | None:
        """Of larger tables it trains on a sample of so many rows; None takes all."""
        return MAX_ROWS if self.family in KERNEL_MACHINES else None


def build(name: str, *, nominal: ArrayLike, tune: bool = False, random_state: int = 0) -> Any:
    """Unfitted model of a recipe.

    Parameters
    ----------
    name : str
        One of ``RECIPES``.
    nominal : array-like of bool of shape (n_features,)
        Which columns of the table hold codes of categories.
    tune : bool, default=False
        Whether parameters come from the finer grid; refused of a recipe that has none.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Pipeline
        Preparation and classifier; it takes a float table in which NaN is missing.

    Examples
    --------
    >>> from kpboost.recipes import build
    >>> [name for name, _ in build("svm", nominal=[False, True]).steps]
    ['columntransformer', 'rowcapclassifier']
    """
    recipe = RECIPES.get(name)
    if recipe is None:
        raise ValueError(f"method {name!r} is not known; it must be one of {', '.join(RECIPES)}.")
    if not recipe.available:
        raise ValueError(
            f"method {name!r} needs imbalanced-learn, which is not installed: "
            "pip install imbalanced-learn."
        )
    if tune and not recipe.tunable:
        raise ValueError(f"method {name!r} has no parameters to choose; leave out tune.")
    mask = np.asarray(nominal, dtype=np.bool_)
    return make_pipeline(preparation(mask), recipe.make(tune, random_state))


def available_recipes() -> list[str]:
    """Names of the recipes whose packages are installed."""
    return [name for name, recipe in RECIPES.items() if recipe.available]


def sample_remark(names: Iterable[str], n_training: int) -> str:
    """Say which of these recipes learn from a sample of so many training rows; "" if none does."""
    capped = [RECIPES[name] for name in names if name in RECIPES]
    capped = [each for each in capped if each.max_rows and each.max_rows < n_training]
    if not capped:
        return ""
    titles = "; ".join(dict.fromkeys(each.title for each in capped))
    return (
        f"Trained on samples of at most {capped[0].max_rows:,} rows, as kernel machines take too "
        f"long on all: {titles}."
    )


def _inner(seed: int) -> InnerFolds:
    return InnerFolds(INNER_SPLITS, random_state=seed)


def _gradient_boosting(balanced: bool) -> Make:
    def make(tune: bool, seed: int) -> Any:
        weight = "balanced" if balanced else None
        # Early stopping would need a validation set, in which a rare class may have nobody.
        model = HistGradientBoostingClassifier(
            class_weight=weight, early_stopping=False, random_state=seed
        )
        grid = {"learning_rate": [0.03, 0.1], "min_samples_leaf": [3, 20]}
        return GridSearchCV(model, grid, scoring=mean_recall, cv=_inner(seed)) if tune else model

    return make


def _plain_svm(tune: bool, seed: int) -> Any:
    return RowCapClassifier(KernelSVC(), random_state=seed) if not tune else _svm(None)(True, seed)


def _svm(class_weight: str | None) -> Make:
    def make(tune: bool, seed: int) -> Any:
        grid = {"C": list(FINE_CS if tune else CS)}
        machine = KernelSVC(class_weight=class_weight)
        search = GridSearchCV(machine, grid, scoring=mean_recall, cv=_inner(seed))
        return RowCapClassifier(search, random_state=seed)

    return make


def _kpboost(roi_scales: tuple[float | None, ...], class_weight: str | None) -> Make:
    def make(tune: bool, seed: int) -> Any:
        search = KPBoostSVCCV(
            Cs=FINE_CS if tune else CS,
            perturbation_steps=FINE_STEPS if tune else STEPS,
            roi_scales=roi_scales,
            class_weight=class_weight,
            cv=_inner(seed),
            scoring=mean_recall,
        )
        return RowCapClassifier(search, random_state=seed)

    return make


def _imblearn(class_name: str) -> Make:
    def make(tune: bool, seed: int) -> Any:
        return getattr(import_module("imblearn.ensemble"), class_name)(random_state=seed)

    return make


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("hgb", "gradient boosting", _gradient_boosting(False), "boosting"),
        Recipe(
            "hgb_balanced",
            "gradient boosting, balanced class weights",
            _gradient_boosting(True),
            "boosting",
        ),
        Recipe("svm", "plain SVM", _plain_svm, "svm"),
        Recipe("svm_tuned", "SVM, C chosen", _svm(None), "svm"),
        Recipe(
            "svm_balanced",
            "SVM, balanced class weights, C chosen",
            _svm("balanced"),
            "svm",
        ),
        Recipe("kpboost", "KPBoost", _kpboost((None,), None), "kpboost"),
        Recipe("kpboost_roi", "KPBoostROI", _kpboost(ROI_SCALES, None), "kpboost"),
        Recipe(
            "kpboost_balanced",
            "KPBoost, balanced class weights",
            _kpboost((None,), "balanced"),
            "kpboost",
        ),
        Recipe(
            "balanced_forest",
            "balanced random forest",
            _imblearn("BalancedRandomForestClassifier"),
            "imblearn",
            "imblearn",
            tunable=False,
        ),
        Recipe(
            "easy_ensemble",
            "EasyEnsemble",
            _imblearn("EasyEnsembleClassifier"),
            "imblearn",
            "imblearn",
            tunable=False,
        ),
        Recipe(
            "rusboost",
            "RUSBoost",
            _imblearn("RUSBoostClassifier"),
            "imblearn",
            "imblearn",
            tunable=False,
        ),
    )
}
