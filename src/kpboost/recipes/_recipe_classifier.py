"""A recipe as one scikit-learn classifier for tables as they are: frames, text, missing values."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_array, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost._validation import well_formed
from kpboost.datasets import (
    ColumnChoices,
    ColumnRole,
    Table,
    check_amount,
    column_names,
    encode_like,
    features_of,
    read_table,
)

from ._recipes import build


def _has(method: str) -> Callable[[Any], bool]:
    """Tell of a recipe whether its models have a method; before ``fit`` by building one."""

    def check(self: Any) -> bool:
        model = self.model_ if hasattr(self, "model_") else build(self.recipe, nominal=[False])[-1]
        return hasattr(model, method)

    return check


def check_number_labels(classes: NDArray[Any], many_classes: bool) -> None:
    """Refuse labels that are many different numbers, unless that is meant."""
    if classes.dtype.kind in "iuf":
        check_amount("y", classes.size, many_classes)


class RecipeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Train a recipe on a table of numbers and text.

    Columns of text, of categories and of truth values are encoded, missing values filled, numbers
    scaled; then the recipe's classifier is trained. It is what ``kpboost fit`` trains. In a frame,
    identifiers are recognised and left out, dates become days, weekday and month, and numbers with
    a decimal comma are read; arrays are taken as they are.

    Parameters
    ----------
    recipe : str, default="kpboost"
        One of ``kpboost.recipes.RECIPES``.
    tune : bool, default=False
        Whether parameters come from the finer grid.
    drop : sequence of str, default=()
        Columns to leave out.
    id_columns : sequence of str, default=()
        Columns of identifiers, which are left out too, beside those that are recognised.
    keep : sequence of str or "all", default=()
        Columns of a frame that stay features as they are, whatever they look like.
    many_classes : bool, default=False
        Whether labels of more than 50 different numbers are meant.
    random_state : int, default=0
        Seed.

    Attributes
    ----------
    model_ : Pipeline
        Fitted preparation and classifier; it takes numbers and codes.
    categories_ : list
        Of each feature its categories in the order of their codes, or None for numbers.
    column_names_ : list of str
        Names of the training table's columns; ``x0``, ``x1``, ... of an array. New rows are read by
        the order of their columns.
    roles_ : list of dict
        Columns of a frame that are no features as they stand, each a ``ColumnRole`` as plain data:
        identifiers that are left out, dates and numbers with a comma that are read.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_rows_ : int
        Number of rows that the classifier was trained on; kernel machines take a sample of many.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the table had names.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.recipes import RecipeClassifier
    >>> X = np.array([[1.0, "red"], [None, "red"], [3.0, "blue"]] * 20, dtype=object)
    >>> y = ["a", "a", "b"] * 20
    >>> RecipeClassifier("svm_balanced").fit(X, y).predict(X[:3]).tolist()
    ['a', 'a', 'b']
    """

    def __init__(
        self,
        recipe: str = "kpboost",
        *,
        tune: bool = False,
        drop: Sequence[str] = (),
        id_columns: Sequence[str] = (),
        keep: Sequence[str] = (),
        many_classes: bool = False,
        random_state: int = 0,
    ) -> None:
        self.recipe = recipe
        self.tune = tune
        self.drop = drop
        self.id_columns = id_columns
        self.keep = keep
        self.many_classes = many_classes
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn the columns, and train.

        Parameters
        ----------
        X : array-like, sparse matrix, pandas or polars frame of shape (n_samples, n_features)
            Training table; None and NaN are missing values.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self : RecipeClassifier
        """
        parameters.check_flag("tune", self.tune)
        choices = ColumnChoices(self.drop, self.id_columns, self.keep, self.many_classes)
        checked = self._checked(X, reset=True)
        table = features_of(checked, choices)
        table.check_magnitude()
        labels = check_array(
            column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y"
        )
        check_consistent_length(table.values, labels)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        check_number_labels(self.classes_, self.many_classes)
        self.column_names_ = column_names(checked)
        self.roles_ = [asdict(role) for role in table.roles]
        self.categories_ = [None if words is None else list(words) for words in table.categories]
        model = build(
            self.recipe, nominal=table.nominal, tune=self.tune, random_state=self.random_state
        )
        self.model_ = model.fit(table.values, labels)
        self.n_rows_ = int(getattr(self.model_[-1], "n_rows_", labels.size))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows with the columns of the training table. A category that it did not have counts as
            missing.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(self._answer(X, "predict"))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, where the recipe's classifier has them.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(self._answer(X, "predict_proba"))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of rows, where the recipe's classifier has them.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return np.asarray(self._answer(X, "decision_function"))

    def _answer(self, X: Any, method: str) -> Any:
        check_is_fitted(self)
        roles = [ColumnRole(**{**role, "parts": tuple(role["parts"])}) for role in self.roles_]
        made = {role.name: role.features for role in roles}
        names = [each for name in self.column_names_ for each in made.get(name, (name,))]
        known = Table.without_rows(names, self.categories_, roles)
        table = read_table(self._checked(X, reset=False)).renamed(self.column_names_)
        return getattr(self.model_, method)(encode_like(table, known, unseen="missing").values)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return a table of the right columns; a frame stays one, as each column has its type."""
        if hasattr(X, "columns"):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(
            self,
            well_formed(X),
            reset=reset,
            dtype=None,
            ensure_all_finite="allow-nan",
            accept_sparse="csr",
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
