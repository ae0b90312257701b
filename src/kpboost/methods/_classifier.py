"""A method as one scikit-learn classifier for tables as they are: frames, text, missing values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from kpboost import _validation as parameters
from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, ClassifierMixin, FloatArray, IndexArray, available_if
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

from ._grids import gamma_of
from ._preparation import as_pipeline, fit_preparation, sample_rows
from ._registry import Method, method_of
from ._search import ChosenCandidate, TrainingPart, search


def _has(name: str) -> Callable[[Any], bool]:
    """Tell of a method whether its estimators have a function; before ``fit`` by their class."""

    def check(self: Any) -> bool:
        known = self.model_ if hasattr(self, "model_") else method_of(self.method).estimator_class()
        return hasattr(known, name)

    return check


def check_number_labels(classes: NDArray[Any], many_classes: bool) -> None:
    """Refuse labels that are many different numbers, unless that is meant."""
    if classes.dtype.kind in "iuf":
        check_amount("y", classes.size, many_classes)


class MethodClassifier(NotebookMixin, ClassifierMixin, BaseEstimator):
    """Train a method on a table of numbers and text.

    Columns of text, of categories and of Booleans are encoded, missing values filled, numbers
    scaled; parameters are chosen from the method's grid by three inner folds, for the best
    trade-off between the recalls of the classes; then the chosen estimator is trained. It is what
    ``kpboost fit`` trains, and what ``kpboost compare`` does in every fold. In a frame,
    identifiers and free text are recognised and left out, dates become days, weekday and month, and
    numbers with a decimal comma are read; arrays are taken as they are.

    Parameters
    ----------
    method : str, default="rare_class"
        One of ``kpboost.methods.METHODS``.
    tune : bool, default=False
        Whether parameters come from the paper's grid rather than the quick one.
    categorical_features : array-like or None, default=None
        Columns of numbers that are codes of categories: a Boolean per feature, numbers or
        names of features. Columns of text, of categories and of Booleans are always nominal.
    drop : sequence of str, default=()
        Columns to leave out.
    id_columns : sequence of str, default=()
        Columns of identifiers, which are left out too, beside those that are recognised.
    keep : sequence of str or "all", default=()
        Columns of a frame that stay features as they are, whatever they look like.
    many_classes : bool, default=False
        Whether more than 50 different numbers in ``y`` are meant as class labels.
    class_sizes : mapping or None, default=None
        From labels to the sizes of the classes in the data that the rows were drawn from; for the
        default method, and for kernel machines. None if the rows are not a draw.
    random_state : int, default=0
        Seed.

    Attributes
    ----------
    model_ : Pipeline
        Fitted preparation and the chosen estimator; it takes numbers and codes.
    best_params_ : dict
        What was chosen: parameters of the estimator, gamma among them where it has one.
    categories_ : list
        Of each feature its categories in the order of their codes, or None for numbers.
    column_names_ : list of str
        Names of the training table's columns; ``x0``, ``x1``, ... of an array. New rows are read by
        the order of their columns.
    roles_ : list of dict
        Columns of a frame that are not features as they are, each a ``ColumnRole`` as plain data:
        identifiers and free text that are left out, dates and numbers with a comma that are read.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_rows_ : int
        Number of rows that the classifier was trained on. Of many rows some kernel machines take a
        sample, weighted so that the classes keep their shares; others take all of them, with a
        kernel of low rank.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the table had names.

    See Also
    --------
    METHODS : The methods by name.
    kpboost.model_files.train : Trains a method on a file's rows, to be saved.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.methods import MethodClassifier
    >>> X = np.array([[1.0, "red"], [None, "red"], [3.0, "blue"]] * 20, dtype=object)
    >>> y = ["a", "a", "b"] * 20
    >>> MethodClassifier("svm_balanced").fit(X, y).predict(X[:3]).tolist()
    ['a', 'a', 'b']
    """

    def __init__(
        self,
        method: str = "rare_class",
        *,
        tune: bool = False,
        categorical_features: ArrayLike | None = None,
        drop: Sequence[str] = (),
        id_columns: Sequence[str] = (),
        keep: Sequence[str] = (),
        many_classes: bool = False,
        class_sizes: Mapping[Any, float] | None = None,
        random_state: int = 0,
    ) -> None:
        self.method = method
        self.tune = tune
        self.categorical_features = categorical_features
        self.drop = drop
        self.id_columns = id_columns
        self.keep = keep
        self.many_classes = many_classes
        self.class_sizes = class_sizes
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn the columns, choose the parameters, and train.

        Parameters
        ----------
        X : array-like, sparse matrix, pandas or polars frame of shape (n_samples, n_features)
            Training table; None and NaN are missing values.
        y : array-like of shape (n_samples,)
            Labels. There is no ``sample_weight``: not every method could use it.

        Returns
        -------
        self : MethodClassifier
        """
        method = method_of(self.method)
        parameters.check_flag("tune", self.tune)
        parameters.check_seed("random_state", self.random_state)
        if self.class_sizes is not None and not method.takes_draws:
            raise ValueError(f"The method {method.name!r} takes no class_sizes; it must be None.")
        table = self._learnt_columns(X)
        labels = check_array(
            column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y"
        )
        check_consistent_length(table.values, labels)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if self.classes_.size < 2:
            raise ValueError("y has 1 class; a classifier needs at least 2 classes.")
        check_number_labels(self.classes_, self.many_classes)
        self._train(table, labels)
        return self

    def _learnt_columns(self, X: Any) -> Table:
        """Read the training table, and remember what its columns were."""
        choices = ColumnChoices(self.drop, self.id_columns, self.keep, self.many_classes)
        checked = self._checked(X, reset=True)
        table = features_of(checked, choices)
        table.check_magnitude()
        self.column_names_ = column_names(checked)
        self.roles_ = [asdict(role) for role in table.roles]
        self.categories_ = [None if words is None else list(words) for words in table.categories]
        return table

    def _train(self, table: Table, labels: NDArray[Any]) -> None:
        """Choose and train, on no more rows than the method takes."""
        method, seed = method_of(self.method).for_rows(labels.size), self.random_state
        names = np.array(table.names)
        named = parameters.categorical_mask(self.categorical_features, names.size, names)
        codes = np.searchsorted(self.classes_, labels)
        rows, factors = sample_rows(codes, method.max_rows, seed)
        if self.class_sizes is not None:
            method, factors = self._told_sizes(method, codes[rows])
        part = TrainingPart(table.values[rows], table.nominal | named, codes[rows], factors)
        chosen = search(method, "paper" if self.tune else "quick", part, seed)
        fitted, ready, nominal = fit_preparation(method, part.X, part.nominal)
        estimator = method.build(chosen.candidate, gamma_of(chosen.length_scale), seed, nominal)
        weight = () if factors is None else (factors[part.codes],)
        estimator.fit(ready, labels[rows], *weight)
        self.model_ = as_pipeline(fitted, estimator)
        self.best_params_ = {**_parameters(chosen), **_own_choice(estimator)}
        self.n_rows_ = int(getattr(estimator, "n_samples_drawn_", rows.size))

    def _told_sizes(self, method: Method, codes: IndexArray) -> tuple[Method, FloatArray | None]:
        """Tell a method the sizes of the classes, or weigh the rows by them."""
        sizes = parameters.check_class_sizes(self.class_sizes, self.classes_)
        if method.weighs_rows:
            return method, sizes / sizes.sum() * codes.size / np.bincount(codes)
        return method.fixing({"class_sizes": self.class_sizes}), None

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

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, where the method's estimator has them.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(self._answer(X, "predict_proba"))

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of rows, where the method's estimator has them.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return np.asarray(self._answer(X, "decision_function"))

    def _answer(self, X: Any, name: str) -> Any:
        check_is_fitted(self)
        roles = [ColumnRole(**{**role, "parts": tuple(role["parts"])}) for role in self.roles_]
        made = {role.name: role.features for role in roles}
        names = [each for own in self.column_names_ for each in made.get(own, (own,))]
        known = Table.without_rows(names, self.categories_, roles)
        table = read_table(self._checked(X, reset=False)).renamed(self.column_names_)
        return getattr(self.model_, name)(encode_like(table, known, unseen="missing").values)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return a table of the right columns; a frame stays one, as each column has its type."""
        parameters.refuse_dask(X)
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


def _own_choice(estimator: Any) -> dict[str, Any]:
    """Return what an estimator has chosen itself, also inside of a threshold."""
    inner = getattr(estimator, "estimator_", estimator)
    return dict(getattr(inner, "best_params_", {}))


def _parameters(chosen: ChosenCandidate) -> dict[str, Any]:
    gamma = gamma_of(chosen.length_scale)
    return {**chosen.candidate, **({} if gamma is None else {"gamma": gamma})}
