"""C4.5/IB1: a decision tree whose small leaves ask the nearest neighbour."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _core, _validation as parameters
from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, ClassifierMixin, FloatArray
from kpboost._validation import categorical_mask

from ._c45 import C45Classifier, TrainingCases, training_cases

Rows = NDArray[np.int64]
# Fractional weights of a leaf that should sum to a whole number miss it by less.
WEIGHT_SLACK = 1e-9


class C45IB1Classifier(NotebookMixin, ClassifierMixin, BaseEstimator):
    """C4.5 for the large disjuncts, the nearest neighbour for the small ones.

    Every leaf of a pruned :class:`C45Classifier` is a disjunct. A case that falls into a large leaf
    gets the leaf's label; one that falls into a small leaf gets the label of its nearest
    neighbour (IB1). After Ting (1994) and Carvalho and Freitas (2005).

    Parameters
    ----------
    max_disjunct_size : int, default=5
        Leaves with at most this weight of training cases are small, right or wrong. rho
    search : {"all", "small", "leaf"}, default="all"
        Where neighbours are looked for: among all training cases, those of all small leaves, or
        those of the same leaf. The articles at hand do not settle it; "all" is our reading.
        With "leaf", a pure leaf only repeats its label.
    inclusive : bool, default=True
        Whether a leaf of exactly ``max_disjunct_size`` is small.
    confidence : float, default=0.25
        Confidence of the tree's pessimistic estimate, above 0 and up to 1. CF
    min_leaf : int, default=2
        A test of the tree needs at least two branches with cases of this weight. m
    prune : bool, default=True
        Whether the tree is pruned.
    categorical_features : array-like or None, default=None
        Nominal columns: a Boolean per column, numbers, or names. Their values are any numbers.

    Attributes
    ----------
    tree_ : C45Classifier
        The tree.
    small_leaves_ : ndarray of shape (n_small_leaves,)
        Small leaves, as numbers of the tree's nodes; the empty ones are among them.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    C45Classifier : The tree alone.

    Notes
    -----
    IB1's distance is Euclidean over columns scaled to [0, 1] by their range in the training set and
    the case itself; different nominal values are 1 apart. A missing value is as far away as it
    could be: 1, or max(v, 1 - v) from a scaled value v. The first of several nearest ones counts.

    Our readings: a case with missing values belongs to the leaf that gets the largest share of
    it; sizes of leaves are weights, so that a case of weight 2 is the same as the case twice;
    with ``search="leaf"``, a leaf to which no training case belongs predicts its label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kpboost.tree import C45IB1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45IB1Classifier(10).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        max_disjunct_size: int = 5,
        *,
        search: str = "all",
        inclusive: bool = True,
        confidence: float = 0.25,
        min_leaf: int = 2,
        prune: bool = True,
        categorical_features: ArrayLike | None = None,
    ) -> None:
        self.max_disjunct_size = max_disjunct_size
        self.search = search
        self.inclusive = inclusive
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.prune = prune
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree and keep the cases that neighbours are looked for among.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training cases; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the cases in the tree, 0 or more; a case of weight 0 is no neighbour either.

        Returns
        -------
        self : C45IB1Classifier
        """
        self._check_parameters()
        cases = training_cases(self, X, y, sample_weight)
        labels = cases.classes[cases.codes]
        self.tree_ = self._new_tree(cases.X.shape[1]).fit(cases.X, labels, cases.weight)
        self.classes_ = cases.classes
        self.small_leaves_ = self._find_small_leaves()
        self._remember_examples(cases)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of the leaf, or of the nearest neighbour where the leaf is small.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cases; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaves, asked, answers = self._answers(X)
        codes = self.tree_.node_class_[leaves]
        codes[asked] = answers
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> FloatArray:
        """Laplace estimates in large leaves; 1 for the neighbour's class where the leaf is small.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cases; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        leaves, asked, answers = self._answers(X)
        weights = self.tree_.node_class_weights_[leaves] + 1.0
        scores = np.asarray(weights / weights.sum(axis=1, keepdims=True))
        scores[asked] = np.eye(self.classes_.size)[answers]
        return scores

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        parameters.check_count("max_disjunct_size", self.max_disjunct_size)
        parameters.check_choice("search", self.search, ("all", "small", "leaf"))
        parameters.check_flag("inclusive", self.inclusive)

    def _new_tree(self, n_features: int) -> C45Classifier:
        names = getattr(self, "feature_names_in_", None)
        return C45Classifier(
            confidence=self.confidence,
            min_leaf=self.min_leaf,
            prune=self.prune,
            categorical_features=categorical_mask(self.categorical_features, n_features, names),
        )

    def _find_small_leaves(self) -> Rows:
        sizes = self.tree_.node_class_weights_.sum(axis=1)
        sign = 1 if self.inclusive else -1
        is_small = sizes <= self.max_disjunct_size + sign * WEIGHT_SLACK
        return np.flatnonzero(is_small & (self.tree_.node_n_children_ == 0))

    def _remember_examples(self, cases: TrainingCases) -> None:
        """Keep the cases that may be asked, their leaves, and the range of all columns."""
        is_missing = np.isnan(cases.X)
        self._low = np.where(is_missing, np.inf, cases.X).min(axis=0)
        self._high = np.where(is_missing, -np.inf, cases.X).max(axis=0)
        leaves = self.tree_.apply(cases.X)
        kept = np.isin(leaves, self.small_leaves_) | (self.search == "all")
        self._examples, self._example_codes = cases.X[kept], cases.codes[kept]
        self._example_leaves = leaves[kept]

    def _answers(self, X: Any) -> tuple[Rows, Rows, NDArray[Any]]:
        """Leaves of all cases, the cases in small ones, and what their neighbours say."""
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        leaves = self.tree_.apply(X)
        asked = np.flatnonzero(np.isin(leaves, self.small_leaves_))
        labels = self.tree_.node_class_[leaves[asked]]
        return leaves, asked, self._neighbour_codes(X[asked], leaves[asked], labels)

    def _neighbour_codes(self, X: FloatArray, leaves: Rows, codes: NDArray[Any]) -> NDArray[Any]:
        """Classes of the nearest examples; those given where there is no example to ask."""
        if self.search != "leaf":
            return self._ask(X, np.arange(self._example_leaves.size), codes)
        answers = codes.copy()
        for leaf in np.unique(leaves):
            theirs = np.flatnonzero(leaves == leaf)
            examples = np.flatnonzero(self._example_leaves == leaf)
            answers[theirs] = self._ask(X[theirs], examples, codes[theirs])
        return answers

    def _ask(self, X: FloatArray, examples: Rows, codes: NDArray[Any]) -> NDArray[Any]:
        if examples.size == 0:
            return codes
        found = np.empty(X.shape[0], dtype=np.int64)
        is_nominal = self.tree_.is_categorical_
        points = np.ascontiguousarray(self._examples[examples])
        _core.nearest_examples(
            np.ascontiguousarray(X), points, is_nominal, self._low, self._high, found
        )
        return np.asarray(self._example_codes[examples[found]])
