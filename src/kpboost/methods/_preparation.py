"""From a table to the numbers that an estimator takes.

User data are prepared one way everywhere: missing values are filled, nominal columns become
indicators, numbers are scaled, and all of it is learnt from the training part alone. Estimators
that tell names from numbers themselves get the codes of nominal columns instead. The paper's
protocols standardise ordinal codes over the whole data set, as the paper did.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kpboost._shares import even_shares
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.kernels import squared_distances
from kpboost.problems import TrainingSet

from ._registry import LOW_RANK_ROWS, METHODS, Method

# Categories of one column beyond this number are rare enough to share an indicator; a column of
# names or identifiers would otherwise outweigh all others.
MOST_CATEGORIES = 20
# Codes start at 0, so this one is free for a missing value.
MISSING_CODE = -1.0


def preparation(nominal: BoolArray, *, codes: bool = False) -> Any:
    """Return a transformer that fills, encodes and scales the columns of a table.

    Parameters
    ----------
    nominal : ndarray of bool of shape (n_features,)
        Which columns hold codes of categories.
    codes : bool, default=False
        Whether nominal columns stay codes, for estimators that know what these are; otherwise they
        become indicators.

    Returns
    -------
    ColumnTransformer
        Unfitted; fit it on training rows only. Numbers come first, then nominal columns.
    """
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    filled = SimpleImputer(strategy="constant", fill_value=MISSING_CODE, keep_empty_features=True)
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, np.flatnonzero(~nominal).tolist()),
            (
                "categories",
                filled if codes else make_pipeline(filled, encoder),
                np.flatnonzero(nominal).tolist(),
            ),
        ]
    )


def fit_preparation(
    method: Method, X: FloatArray, nominal: BoolArray
) -> tuple[Any, FloatArray, BoolArray]:
    """Learn a method's preparation from training rows.

    Parameters
    ----------
    method : Method
    X : ndarray of shape (n, d)
        NaN is a missing value; nominal columns hold codes.
    nominal : ndarray of bool of shape (d,)

    Returns
    -------
    fitted : ColumnTransformer
    X : ndarray of shape (n, d')
        The rows as the estimator takes them.
    nominal : ndarray of bool of shape (d',)
        Which of these columns hold codes.
    """
    fitted = preparation(nominal, codes=method.nominal is not None)
    ready = np.asarray(fitted.fit_transform(X))
    n_numbers = int((~nominal).sum())
    holds_codes = np.arange(ready.shape[1]) >= n_numbers
    return fitted, ready, holds_codes & (method.nominal is not None)


def standardised(X: FloatArray, nominal: BoolArray) -> FloatArray:
    """Fill in missing values and standardise by all rows, as the paper's protocols do.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    nominal : ndarray of bool of shape (d,)
        These columns get their most frequent code, the others their mean.

    Returns
    -------
    ndarray of shape (n, d)
    """
    X = near_one(X)
    filled = X.copy()
    for strategy, columns in (("mean", ~nominal), ("most_frequent", nominal)):
        if np.isnan(X[:, columns]).any():
            # A column without any value becomes 0: constant, hence harmless.
            imputer = SimpleImputer(strategy=strategy, keep_empty_features=True)
            filled[:, columns] = imputer.fit_transform(X[:, columns])
    return np.asarray(StandardScaler().fit_transform(filled))


def near_one(X: FloatArray) -> FloatArray:
    """Divide every column by the power of two next to its largest value.

    It changes no digit of what follows, but squares of 1e300 or 1e-300 would be no numbers.
    """
    largest = np.max(np.abs(X), axis=0, initial=0.0, where=~np.isnan(X))
    return np.asarray(np.ldexp(X, -np.frexp(largest)[1]))


# Squared distances and kernel values of all points are kept in memory up to this size, 275 MB per
# matrix and two to three of them per job; larger data sets fit their candidates one by one, on rows
# computed when needed. The paper's largest has 4177 points.
MOST_DENSE_POINTS = 6000


@dataclass(frozen=True, eq=False)
class PreparedSplit:
    """Prepared points of a training and a test part, and what kernels need of them.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        All points of the split, training part first.
    codes : ndarray of shape (n,)
        Their classes.
    n_train : int
    n_classes : int
        Classes of the data set; a split may have fewer.
    nominal : ndarray of bool of shape (d,)
        Columns whose values are codes of categories; standardised, they still are as many.
    weight : ndarray of shape (n_train,) or None
        Weights of the training points; None is one each.
    """

    X: FloatArray
    codes: IndexArray
    n_train: int
    n_classes: int
    nominal: BoolArray
    weight: FloatArray | None = None

    @property
    def train(self) -> tuple[Any, ...]:
        """Training points, their classes and, where there are any, their weights."""
        part = self.X[: self.n_train], self.codes[: self.n_train]
        return part if self.weight is None else (*part, self.weight)

    @property
    def test(self) -> tuple[FloatArray, IndexArray]:
        """Test points and their classes."""
        return self.X[self.n_train :], self.codes[self.n_train :]

    @property
    def fits_dense(self) -> bool:
        """Tell whether matrices of all points may be kept."""
        return len(self.codes) <= MOST_DENSE_POINTS

    @cached_property
    def squared(self) -> FloatArray:
        """Squared distances of all points."""
        return squared_distances(self.X)

    @cached_property
    def as_training_set(self) -> TrainingSet:
        """All points in the form that shared searches expect."""
        rows = np.arange(len(self.codes))
        weight = np.ones(rows.size)
        if self.weight is not None:
            weight[: self.n_train] = self.weight
        return TrainingSet(
            points=self.X,
            rows=rows,
            codes=self.codes,
            weight=weight,
            is_weighted=self.weight is not None,
            classes=np.arange(self.n_classes),
            all_codes=self.codes,
        )


def prepare_split(
    method: Method,
    X: FloatArray,
    nominal: BoolArray,
    codes: IndexArray,
    train: IndexArray,
    test: IndexArray,
    factors: FloatArray | None = None,
) -> PreparedSplit:
    """Prepare one split as user data are prepared: all is learnt from the training part.

    Parameters
    ----------
    method : Method
    X : ndarray of shape (n, d)
        NaN is a missing value; nominal columns hold codes.
    nominal : ndarray of bool of shape (d,)
    codes : ndarray of shape (n,)
        Class numbers.
    train, test : ndarray
        Row numbers.
    factors : ndarray of shape (n_classes,) or None, default=None
        Weight of a training row of every class, see :func:`sample_rows`.
    """
    fitted, ready, holds_codes = fit_preparation(method, X[train], nominal)
    rows = np.concatenate([train, test])
    return PreparedSplit(
        np.concatenate([ready, np.asarray(fitted.transform(X[test]))]),
        codes[rows],
        train.size,
        int(codes.max()) + 1,
        holds_codes,
        None if factors is None else factors[codes[train]],
    )


def paper_split(
    X: FloatArray, nominal: BoolArray, codes: IndexArray, train: IndexArray, test: IndexArray
) -> PreparedSplit:
    """Prepare one split as the paper did; parameters are those of :func:`prepare_split`."""
    rows = np.concatenate([train, test])
    ready = standardised(X, nominal)[rows]
    return PreparedSplit(ready, codes[rows], train.size, int(codes.max()) + 1, nominal)


def sample_rows(
    codes: IndexArray, max_rows: int | None, seed: int
) -> tuple[IndexArray, FloatArray | None]:
    """Draw the rows to learn from: all, up to a number.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Number of each row's class.
    max_rows : int or None
        Most rows; None is no limit.
    seed : int
        Seed of the draw.

    Returns
    -------
    rows : ndarray of int
        Ascending. Every class keeps at least one row; the smallest classes are served first, and
        what they leave goes to the others.
    factors : ndarray of shape (n_classes,) or None
        Weight of a row of every class that restores the shares of the classes, so that the mean
        over the rows is 1 and parameters such as C keep their meaning; None if all rows are taken.
    """
    if max_rows is None or codes.size <= max_rows:
        return np.arange(codes.size), None
    random = np.random.RandomState(seed)
    sizes = np.bincount(codes)
    kept = even_shares(sizes, max_rows, at_least=1)
    drawn = [
        random.choice(np.flatnonzero(codes == code), size, replace=False)
        for code, size in enumerate(kept.tolist())
    ]
    factors = sizes / np.maximum(kept, 1)
    return np.sort(np.concatenate(drawn)), factors * kept.sum() / sizes.sum()


def sample_sentence(names: Iterable[str], n_training: int) -> str:
    """Say which of these methods do otherwise with so many training rows; "" if none does.

    Kernel machines take all of them with a kernel of low rank, or learn from a sample.
    """
    known = [METHODS[name].for_rows(n_training) for name in names if name in METHODS]
    changed = [each for each in known if METHODS[each.name].low_rank and each.max_rows is None]
    capped = [each for each in known if each.max_rows and each.max_rows < n_training]
    sentences = []
    if changed:
        sentences.append(
            f"With kernels of low rank, as exact ones take too long for more than "
            f"{LOW_RANK_ROWS:,} rows: {_titles(changed)}. They learn from all rows, by balanced "
            "samples where there are more than 100,000."
        )
    if capped:
        sentences.append(
            f"Trained on samples of at most {capped[0].max_rows:,} rows, as kernel machines take "
            f"too long on all: {_titles(capped)}."
        )
    return " ".join(sentences)


def _titles(methods: Iterable[Method]) -> str:
    return ", ".join(dict.fromkeys(each.title for each in methods))


def as_pipeline(fitted: Any, estimator: Any) -> Pipeline:
    """Join a fitted preparation and a fitted estimator to a model for tables of numbers and codes.

    The names of its steps are what saved models call them.
    """
    return Pipeline([("preparation", fitted), ("estimator", estimator)])
