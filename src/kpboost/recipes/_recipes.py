"""Models by name, as the audit tries them and as ``kpboost fit`` trains them.

Every recipe starts with the same preparation of the columns. Those that choose something (C, the
perturbation step) choose it from a small grid by cross-validation for balanced accuracy inside
the training rows, all of them by the same rule, so that none is ahead by its tuning alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost._validation import well_formed
from kpboost.model_selection import InnerFolds, KPBoostSVCCV
from kpboost.svm import KernelSVC

# Categories of one column beyond this number are rare enough to share an indicator; a column of
# names or identifiers would otherwise outweigh all others.
MOST_CATEGORIES = 20
# Codes start at 0, so this one is free for a missing value.
MISSING_CODE = -1.0


def preparation(nominal: NDArray[np.bool_]) -> Any:
    """Return a transformer that fills, encodes and scales the columns of a table.

    Parameters
    ----------
    nominal : ndarray of bool of shape (n_features,)
        Which columns hold codes of categories.

    Returns
    -------
    ColumnTransformer
        Unfitted; fit it on training rows only.
    """
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    categories = make_pipeline(
        SimpleImputer(strategy="constant", fill_value=MISSING_CODE, keep_empty_features=True),
        OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, np.flatnonzero(~nominal).tolist()),
            ("categories", categories, np.flatnonzero(nominal).tolist()),
        ]
    )


# Kernel machines of the recipes train within seconds on so many rows.
MAX_ROWS = 2500


class RowCapClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Train a classifier on at most ``max_rows`` rows.

    Parameters
    ----------
    estimator : classifier
        What is trained; it must take ``sample_weight`` in ``fit``.
    max_rows : int, default=2500
        Most rows to train on. With fewer, this is the estimator itself. Above, the rows drawn are
        weighted by the shares of their classes; the mean weight is 1, so that parameters such as C
        keep their meaning.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_rows_ : int
        Number of rows that it was trained on.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the data had names.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.recipes import RowCapClassifier
    >>> from sklearn.svm import SVC
    >>> X, y = np.arange(100.0).reshape(-1, 1), np.repeat([0, 1], [90, 10])
    >>> RowCapClassifier(SVC(), max_rows=40, random_state=0).fit(X, y).n_rows_
    40
    """

    def __init__(
        self, estimator: Any, max_rows: int = MAX_ROWS, *, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the rows and train.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; each goes along with its row.

        Returns
        -------
        self : RowCapClassifier
        """
        parameters.check_count("max_rows", self.max_rows)
        X, labels = validate_data(self, well_formed(X), y, accept_sparse="csr")
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        rows, weight = capped_rows(codes, self.max_rows, check_random_state(self.random_state))
        if sample_weight is not None:
            weight = weight * _checked_weights(sample_weight, codes.size)[rows]
        plain = bool(np.all(weight == 1))
        fresh = clone(self.estimator)
        self.estimator_ = (
            fresh.fit(X[rows], labels[rows])
            if plain
            else fresh.fit(X[rows], labels[rows], sample_weight=weight)
        )
        self.n_rows_ = int(rows.size)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, well_formed(X), accept_sparse="csr", reset=False)
        return np.asarray(self.estimator_.predict(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of points, as the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, well_formed(X), accept_sparse="csr", reset=False)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _checked_weights(sample_weight: ArrayLike, n_samples: int) -> FloatArray:
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {given.shape}; one weight per row is needed, ({n_samples},)."
        )
    return given


def capped_rows(
    codes: IndexArray, max_rows: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Rows to train on, ascending, and weights that restore the shares of the classes.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Number of each row's class.
    max_rows : int
        Most rows; every class keeps at least one all the same.
    random : RandomState
        Source of the draws.

    Returns
    -------
    rows : ndarray of int
        Row numbers.
    weight : ndarray of float
        One per row: how many rows it stands for, divided by the mean of that.
    """
    if codes.size <= max_rows:
        return np.arange(codes.size), np.ones(codes.size)
    sizes = np.bincount(codes)
    kept = _shares(sizes, max_rows)
    rows = np.sort(
        np.concatenate(
            [
                random.choice(np.flatnonzero(codes == code), size, replace=False)
                for code, size in enumerate(kept.tolist())
                if size
            ]
        )
    )
    weight = (sizes / np.maximum(kept, 1))[codes[rows]]
    return rows, weight / weight.mean()


def _shares(sizes: IndexArray, room: int) -> IndexArray:
    """Rows of each class: the smallest are served first, and what they leave goes to the others."""
    kept = np.zeros_like(sizes)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    for place, code in enumerate(order):
        fair = max(1, (room - int(kept.sum())) // (order.size - place))
        kept[code] = min(int(sizes[code]), fair)
    return kept


def mean_recall(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Score a fitted classifier, as ``scoring`` of a search.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Points.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), optional
        Their weights.

    Returns
    -------
    float
        Mean over the classes that are in ``y``.
    """
    labels = np.asarray(y)
    codes = np.unique(labels, return_inverse=True)[1]
    weight = np.ones(labels.size) if sample_weight is None else np.asarray(sample_weight)
    right = np.asarray(estimator.predict(X)) == labels
    return float(np.mean(np.bincount(codes, weight * right) / np.bincount(codes, weight)))


# Prices of a margin violation to choose from: the usual ones for standardised columns.
CS = (1.0, 10.0, 100.0)
# Perturbation steps: one that hardly moves the boundary in ten rounds up to one that does at once.
STEPS = (0.003, 0.03, 0.3)
ROI_SCALES = (0.5, 1.0)
# A finer grid, for ``tune``: about five times the candidates.
FINE_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)
FINE_STEPS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

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
    return InnerFolds(random_state=seed)


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
