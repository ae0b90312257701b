"""C4.5, release 8."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _core, _validation as parameters
from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, ClassifierMixin, FloatArray
from kpboost._validation import categorical_mask, check_sample_weight

Mask = NDArray[np.bool_]
# Per column: its sorted values if it is nominal, None if it is numeric.
Categories: TypeAlias = list[FloatArray | None]


def find_categories(X: FloatArray, is_categorical: Mask) -> Categories:
    """Values of the nominal columns, sorted; missing ones do not count."""
    return [
        np.unique(column[~np.isnan(column)]) if nominal else None
        for column, nominal in zip(X.T, is_categorical, strict=True)
    ]


def encode(X: FloatArray, categories: Categories) -> FloatArray:
    """Nominal values as 0, 1, 2, ...; one that is not among the categories counts as missing."""
    coded = np.array(X, dtype=np.float64, order="C")
    for column, values in enumerate(categories):
        if values is not None:
            coded[:, column] = _codes(coded[:, column], values)
    return coded


def _codes(column: FloatArray, values: FloatArray) -> FloatArray:
    if not values.size:
        return np.full(column.size, np.nan)
    places = np.minimum(np.searchsorted(values, column), values.size - 1)
    return np.where(values[places] == column, places, np.nan)


class TrainingCases(NamedTuple):
    """Cases of positive weight.

    ``X`` holds NaN where a value is missing, ``codes`` the position of each case's label in
    ``classes``, which are sorted.
    """

    X: FloatArray
    codes: NDArray[np.int32]
    weight: FloatArray
    classes: NDArray[Any]


def training_cases(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> TrainingCases:
    """Check what ``fit`` was given, for ``estimator``, and keep the cases that count.

    A case of weight 0 is absent, and so is a class without any weight.
    """
    X, labels = validate_data(estimator, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
    check_classification_targets(labels)
    weight = check_sample_weight(sample_weight, labels.size)
    kept = weight > 0
    classes, codes = np.unique(labels[kept], return_inverse=True)
    return TrainingCases(X[kept], codes.astype(np.int32), weight[kept], classes)


INDENT = "|   "
MOST_DIGITS = 7  # of cuts and values: as many as keep common data as they were written


def tree_text(tree: Any, names: list[str]) -> str:
    """One line per branch, leaves with their label, weight and errors.

    Parameters
    ----------
    tree : C45Classifier
        Fitted.
    names : list of str
        Names of the columns.

    Returns
    -------
    str
    """
    if tree.node_n_children_[0] == 0:
        return f"{_leaf(tree, 0)}\n"
    lines = []
    waiting = _branches(tree, 0, names)
    while waiting:  # not recursive: a tree may be deeper than Python's stack
        node, test = waiting.pop()
        indent = INDENT * (int(tree.node_depth_[node]) - 1)
        is_leaf = tree.node_n_children_[node] == 0
        lines.append(f"{indent}{test}:{' ' + _leaf(tree, node) if is_leaf else ''}")
        waiting.extend(_branches(tree, node, names))
    return "\n".join(lines) + "\n"


def _branches(tree: Any, node: int, names: list[str]) -> list[tuple[int, str]]:
    """Nodes below with what leads to them, the last one first."""
    first, column = int(tree.node_first_child_[node]), int(tree.node_feature_[node])
    found = [
        (first + branch, f"{names[column]} {_condition(tree, node, column, branch)}")
        for branch in range(int(tree.node_n_children_[node]))
    ]
    return found[::-1]


def _condition(tree: Any, node: int, column: int, branch: int) -> str:
    values = tree.categories_[column]
    if values is not None:
        return f"= {_short(values[branch])}"
    sign = "<=" if branch == 0 else ">"
    return f"{sign} {_short(tree.node_threshold_[node])}"


def _leaf(tree: Any, node: int) -> str:
    weights = tree.node_class_weights_[node]
    total = weights.sum()
    errors = total - weights[tree.node_class_[node]] if total else 0.0
    counts = f"{total:.1f}/{errors:.1f}" if errors >= 0.05 else f"{total:.1f}"
    return f"{tree.classes_[tree.node_class_[node]]} ({counts})"


def _short(value: float) -> str:
    return f"{value:.{MOST_DIGITS}g}"


Whole: TypeAlias = NDArray[np.int32]
LEAF = -1  # in ``node_feature_``
# Sums of shares that differ by less are equal, and the first class wins.
TIE = 1e-9


class C45Classifier(NotebookMixin, ClassifierMixin, BaseEstimator):
    """Quinlan's C4.5, release 8: a pruned decision tree.

    A test has one branch per value of a nominal column, or two sides of a cut through a numeric
    one. The tree takes the test with the largest gain ratio among those whose information gain is
    at least average, and is then pruned: where a pessimistic estimate of the errors does not get
    worse, a part gives way to a leaf or to its own heaviest branch. A missing value (NaN) sends a
    case down all branches, with a share of its weight each.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of the pessimistic estimate, above 0 and up to 1; less prunes more. CF
    min_leaf : int, default=2
        A test needs at least two branches with cases of this weight. m
    criterion : {"gain_ratio", "gain"}, default="gain_ratio"
        What a test is chosen by.
    prune : bool, default=True
        Whether the tree is pruned.
    subtree_raising : bool, default=True
        Whether pruning may replace a test by its heaviest branch.
    collapse : bool, default=True
        Whether tests that save no errors on the training cases become leaves at once.
    cut_penalty : bool, default=True
        Whether the gain of a numeric column pays for the choice among its cuts: log2(cuts) / N.
    min_gap : float, default=1e-5
        Values of a numeric column closer than this are not cut apart. Release 8 has it fixed; set
        it to 0 for columns of very small numbers.
    categorical_features : array-like or None, default=None
        Nominal columns: a Boolean per column, numbers, or names. Their values are any numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    n_leaves_ : int
        Number of leaves, the empty ones included.
    max_depth_ : int
        Number of tests on the longest path.
    node_feature_ : ndarray of shape (n_nodes,)
        Column that each node tests, -1 at leaves. The root is node 0.
    node_threshold_ : ndarray of shape (n_nodes,)
        Cut of a numeric test: values up to it take the first branch.
    node_first_child_ : ndarray of shape (n_nodes,)
        Node of the first branch; the other branches follow it, for nominal columns in the order of
        ``categories_``.
    node_n_children_ : ndarray of shape (n_nodes,)
        Number of branches, 0 at leaves.
    node_class_ : ndarray of shape (n_nodes,)
        Position in ``classes_`` of the heaviest class; of the parent's where there are no cases.
    node_depth_ : ndarray of shape (n_nodes,)
        Number of tests above.
    node_class_weights_ : ndarray of shape (n_nodes, n_classes)
        Weight of each class among the training cases; fractional where values are missing.
    is_categorical_ : ndarray of shape (n_features_in_,)
        Mask of nominal columns.
    categories_ : list
        Per column its sorted values if it is nominal, else None.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    C45IB1Classifier : With nearest neighbours in small leaves.
    sklearn.tree.DecisionTreeClassifier : CART.

    Notes
    -----
    Weights are exact: a case of weight 2 is the same as the case twice. They are not rescaled, so
    weights from boosting should sum to the number of cases, or ``min_leaf`` and the pessimistic
    estimate mean something else. Windowing and grouping of nominal values, both off in release 8
    unless asked for, are not there. Equal gains (to 1e-9) go to the first cut, column or class.

    Our readings: an unseen nominal value counts as missing, and an empty leaf has the
    confidences of one case of its label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kpboost.tree import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45Classifier().fit(X, y).n_leaves_
    5
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_leaf: int = 2,
        criterion: str = "gain_ratio",
        prune: bool = True,
        subtree_raising: bool = True,
        collapse: bool = True,
        cut_penalty: bool = True,
        min_gap: float = 1e-5,
        categorical_features: ArrayLike | None = None,
    ) -> None:
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.criterion = criterion
        self.prune = prune
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.cut_penalty = cut_penalty
        self.min_gap = min_gap
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training cases; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the cases, 0 or more.

        Returns
        -------
        self : C45Classifier
        """
        self._check_parameters()
        cases = training_cases(self, X, y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        mask = categorical_mask(self.categorical_features, cases.X.shape[1], names)
        self.is_categorical_, self.categories_ = mask, find_categories(cases.X, mask)
        self.classes_ = cases.classes
        self._grow(cases)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels with the largest shares of the leaves that the cases reach.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cases; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        sums = self._leaf_sums(X, smoothing=0)
        first_best = np.argmax(sums >= sums.max(axis=1, keepdims=True) - TIE, axis=1)
        return np.asarray(self.classes_[first_best])

    def predict_proba(self, X: Any) -> FloatArray:
        """Laplace estimates of the leaves: (n_c + 1) / (n + number of classes).

        A case that reaches several leaves, because values are missing, gets their weighted mean;
        there, and only there, the largest may not be the label of ``predict``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cases; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._leaf_sums(X, smoothing=1)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Leaf of each case, as a number of a node; of several, that of the largest share.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cases; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        coded = self._coded(X)
        leaves = np.empty(coded.shape[0], dtype=np.int64)
        _core.tree_leaves(coded, *self._tree_arrays(), leaves)
        return leaves

    def export_text(self, feature_names: Sequence[str] | None = None) -> str:
        """Show the tree as C4.5 prints it: label (weight of cases / weight of errors).

        Parameters
        ----------
        feature_names : sequence of str, optional
            Names of the columns; by default those of the training data, or x0, x1, ...

        Returns
        -------
        str
        """
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        names = [f"x{k}" for k in range(self.n_features_in_)] if given is None else list(given)
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} entries, but there are {self.n_features_in_} "
                "columns."
            )
        return tree_text(self, names)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        parameters.check_share("confidence", self.confidence)
        parameters.check_count("min_leaf", self.min_leaf)
        parameters.check_choice("criterion", self.criterion, ("gain_ratio", "gain"))
        for name in ("prune", "subtree_raising", "collapse", "cut_penalty"):
            parameters.check_flag(name, getattr(self, name))
        parameters.check_not_negative("min_gap", self.min_gap)

    def _grow(self, cases: TrainingCases) -> None:
        n_values = [0 if values is None else values.size for values in self.categories_]
        columns = np.ascontiguousarray(encode(cases.X, self.categories_).T)
        feature, threshold, first, count, label, depth, weights = _core.grow_tree(
            columns,
            np.array(n_values, dtype=np.int32),
            cases.codes,
            cases.weight,
            cases.classes.size,
            float(self.min_leaf),
            float(self.min_gap),
            float(self.confidence),
            self.criterion == "gain_ratio",
            self.cut_penalty,
            self.collapse,
            self.prune,
            self.subtree_raising,
        )
        self.node_feature_, self.node_threshold_ = feature, threshold
        self.node_first_child_, self.node_n_children_ = first, count
        self.node_class_, self.node_depth_ = label, depth
        self.node_class_weights_ = weights.reshape(feature.size, cases.classes.size)
        self.n_leaves_ = int(np.sum(feature == LEAF))
        self.max_depth_ = int(depth.max())

    def _coded(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return encode(X, self.categories_)

    def _tree_arrays(self) -> tuple[Mask, Whole, FloatArray, Whole, Whole, FloatArray]:
        return (
            self.is_categorical_,
            self.node_feature_,
            self.node_threshold_,
            self.node_first_child_,
            self.node_n_children_,
            self.node_class_weights_.sum(axis=1),
        )

    def _leaf_sums(self, X: Any, smoothing: float) -> FloatArray:
        coded = self._coded(X)
        sums = np.empty((coded.shape[0], self.classes_.size))
        _core.tree_scores(coded, *self._tree_arrays(), self._node_scores(smoothing), sums)
        return sums

    def _node_scores(self, smoothing: float) -> FloatArray:
        """Shares of the classes; a node without cases speaks for its label."""
        weights = self.node_class_weights_.copy()
        empty = np.flatnonzero(weights.sum(axis=1) == 0)
        weights[empty, self.node_class_[empty]] = 1.0
        weights += smoothing
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
