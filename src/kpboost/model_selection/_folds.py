"""Every split of rows in the package, and the predictions of models on rows they have not seen.

Rare classes are the rule here. `RareClassKFold` is the paper's answer to a class with fewer members
than folds: random subsamples that keep the imbalance take the place of folds. The smallest class,
of m < n_splits members, sends one member to each test set, and every other class the share 1/m that
belongs to it. Test sets then overlap, but each holds every class. Where every row has to be tested
exactly once, as in an audit, `make_folds` leaves such a class out of some test sets instead.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from threadpoolctl import threadpool_limits

from kpboost._typing import FloatArray, IndexArray

Split = tuple[IndexArray, IndexArray]

# One member to learn from and one to be tested on.
FEWEST_MEMBERS = 2
# Inner folds: three leave two thirds of a rare class to learn from, at three fits per candidate.
INNER_FOLDS = 3
# The paper's figures of several classes fit one hold-out of this share of every class, as we read
# them; it states ten folds.
HOLD_OUT_SHARE = 0.3
# Probabilities below this are as good as 0; their logarithm stays a number.
LEAST_PROBABILITY = 1e-6
# Below this number of rows a second thread of a library gains little, and on a busy machine it
# waits many times longer than it works.
ROWS_FOR_THREADS = 50_000


class RareClassKFold:
    """Stratified cross-validation for classes of any size from 2.

    Where every class has at least ``n_splits`` members, this is scikit-learn's
    ``StratifiedKFold(n_splits, shuffle=True)``. Otherwise each test set is a random subsample of
    all classes that keeps their ratio, with one member of the smallest class; the rest is the
    training set. Each subsample on its own is a uniform draw from every class, and together they
    test all members of a class equally often, give or take one.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits, at least 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. An int gives the same splits again, as comparisons of classifiers need.

    See Also
    --------
    sklearn.model_selection.StratifiedKFold : Refuses classes with fewer members than folds.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.model_selection import RareClassKFold
    >>> y = np.repeat(["common", "rare"], [60, 3])
    >>> for train, test in RareClassKFold(n_splits=5, random_state=0).split(y, y):
    ...     print(np.unique(y[test], return_counts=True)[1])
    [20  1]
    [20  1]
    [20  1]
    [20  1]
    [20  1]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        self.n_splits = _checked_splits(n_splits)
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits; all arguments are ignored."""
        return self.n_splits

    def split(self, X: Any, y: ArrayLike, groups: Any = None) -> Iterator[Split]:
        """Yield the rows of the training set and of the test set, split by split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Ignored.
        y : array-like of shape (n_samples,)
            Labels.
        groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray
            Row numbers, ascending.
        """
        labels = column_or_1d(y)
        check_classification_targets(labels)
        classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        if sizes.min() >= self.n_splits:
            folds = StratifiedKFold(self.n_splits, shuffle=True, random_state=self.random_state)
            yield from folds.split(labels, labels)
            return
        if sizes.min() < FEWEST_MEMBERS:
            raise ValueError(
                f"Class {classes.tolist()[sizes.argmin()]!r} has {sizes.min()} member; at least "
                f"{FEWEST_MEMBERS} are needed, one to learn from and one to be tested on."
            )
        yield from self._subsamples(codes, sizes)

    def _subsamples(self, codes: IndexArray, sizes: IndexArray) -> Iterator[Split]:
        random = check_random_state(self.random_state)
        members = [random.permutation(np.flatnonzero(codes == code)) for code in range(sizes.size)]
        # Half a member is rounded up: no class is without a test point.
        n_tested = (2 * sizes + sizes.min()) // (2 * sizes.min())
        for k in range(self.n_splits):
            is_test = np.zeros(codes.size, dtype=np.bool_)
            for own, n_own in zip(members, n_tested, strict=True):
                is_test[_turn(own, k, n_own)] = True
            yield np.flatnonzero(~is_test), np.flatnonzero(is_test)

    def __repr__(self) -> str:
        return f"RareClassKFold(n_splits={self.n_splits}, random_state={self.random_state!r})"


def _checked_splits(value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 2:
        raise ValueError(
            f"n_splits={value!r} is not allowed; it must be a whole number of at least 2."
        )
    return int(value)


def _turn(members: IndexArray, k: int, n_own: int) -> IndexArray:
    """Return the k-th run of ``n_own`` members, going round and round in a fixed order."""
    return np.asarray(members[(k * n_own + np.arange(n_own)) % members.size])


def inner_splits(
    labels: NDArray[Any], train: IndexArray, random_state: Any, *, n_splits: int = INNER_FOLDS
) -> list[Split]:
    """Split the training part of a fold again.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels or class numbers of the whole data set.
    train : ndarray
        Rows of the training part. Those of classes with one member there are in every training set
        and in no test set.
    random_state : int, RandomState instance or None
        Seed of the draw.
    n_splits : int, default=3

    Returns
    -------
    list of (train, test)
        Rows of the whole data set. Without any class of two members, all rows are in both parts.
    """
    own = labels[train]
    codes, sizes = np.unique(own, return_inverse=True, return_counts=True)[1:]
    kept = np.flatnonzero(sizes[codes] >= FEWEST_MEMBERS)
    if not kept.size:
        return [(train, train)] * n_splits
    folds = RareClassKFold(n_splits, random_state=random_state).split(kept, own[kept])
    return [(np.delete(train, kept[test]), train[kept[test]]) for _, test in folds]


def hold_out(codes: IndexArray, seed: int) -> Split:
    """Draw ceil(0.3 n_c) test points of every class, leaving one to learn from."""
    random = np.random.RandomState(seed)
    is_test = np.zeros(codes.size, dtype=np.bool_)
    for code in range(codes.max() + 1):
        members = np.flatnonzero(codes == code)
        # 0.3 * 10 is a hair above 3, and must not become 4
        n_tested = int(np.ceil(round(HOLD_OUT_SHARE * members.size, 9)))
        is_test[random.permutation(members)[: min(n_tested, members.size - 1)]] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def folds_in_order(labels: NDArray[Any], n_splits: int) -> list[Split]:
    """Folds of a search whose ``cv`` is a number: scikit-learn's, unless a class is too rare."""
    if np.unique(labels, return_counts=True)[1].min() < n_splits:
        return list(RareClassKFold(n_splits, random_state=0).split(labels, labels))
    return list(StratifiedKFold(n_splits).split(labels, labels))


def check_splitting(cv: Any, *, is_optional: bool = True) -> None:
    """Refuse anything but a number from 2, a splitter, an iterable of splits and perhaps None."""
    if (cv is None and is_optional) or (not isinstance(cv, str) and hasattr(cv, "split")):
        return
    number = isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2
    if not number and (isinstance(cv, str) or not isinstance(cv, Iterable)):
        raise ValueError(
            f"cv={cv!r} is not allowed; it must be a whole number of at least 2, a splitter or "
            "an iterable of splits."
        )


def together(
    records: IndexArray, codes: IndexArray, split: Callable[[IndexArray], Iterable[Split]]
) -> list[Split]:
    """Split records, and give every row the side of its record.

    Parameters
    ----------
    records : ndarray of shape (n_rows,)
        Numbers; rows with the same one are never parted.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes. A record has that of its first row.
    split : callable
        From the classes of the records to splits of them.

    Returns
    -------
    list of (train, test)
    """
    _, first, place = np.unique(records, return_index=True, return_inverse=True)
    inside = np.zeros(first.size, dtype=np.bool_)
    splits = []
    for sides in split(codes[first]):
        rows = []
        for side in sides:
            inside[:] = False
            inside[side] = True
            rows.append(np.flatnonzero(inside[place]))
        splits.append((rows[0], rows[1]))
    return splits


def make_folds(codes: IndexArray, cv: Any, seed: int) -> list[Split]:
    """Disjoint test sets that cover all rows.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    cv : int, splitter or iterable of (train, test)
        A number means shuffled stratified folds; rare classes are in as many as they have rows, and
        there are no more folds than the largest class has rows.
    seed : int
        Seed of the shuffling; a splitter has its own.

    Returns
    -------
    list of (train, test)
    """
    check_splitting(cv, is_optional=False)
    if isinstance(cv, Integral):
        n_folds = min(int(cv), int(np.bincount(codes).max()))
        cv = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # a class with fewer rows than folds is what we are here for
        warnings.simplefilter("ignore", UserWarning)
        splits = cv.split(codes.reshape(-1, 1), codes) if hasattr(cv, "split") else cv
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    nobody = np.zeros(0, dtype=np.intp)  # there may be no folds
    tested = np.bincount(np.concatenate([nobody, *(test for _, test in folds)]), None, codes.size)
    if tested.size != codes.size or not np.all(tested == 1):
        raise ValueError("cv must test every row exactly once; stratified or plain folds do.")
    return folds


def same_folds(some: Sequence[Split], others: Sequence[Split]) -> bool:
    """Tell whether two lists of folds test the same rows together."""
    tests = zip(some, others, strict=False)
    return len(some) == len(others) and all(np.array_equal(a[1], b[1]) for a, b in tests)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Predictions for all rows.

    Attributes
    ----------
    predicted : ndarray of shape (n_rows,)
        Number of the predicted class.
    scores : ndarray of shape (n_rows, n_classes)
        Logarithms of probabilities, decision values, or, of a model that has neither, 1 for the
        predicted class.
    seconds : float
        Time for all folds.
    decisions : ndarray of shape (n_rows, n_classes) or None
        Decision values, or scores of a model that has none; None where they were not wanted.
    """

    predicted: IndexArray
    scores: FloatArray
    seconds: float
    decisions: FloatArray | None = None


def limited_threads(n_rows: int) -> Any:
    """Return a context in which libraries use one thread, if there are few rows."""
    return threadpool_limits(1 if n_rows < ROWS_FOR_THREADS else None)


def out_of_fold(
    model: Any,
    X: Any,
    labels: NDArray[Any],
    classes: Sequence[Any],
    folds: Sequence[Split],
    *,
    decisions: bool = False,
    on_fold: Callable[[int], None] | None = None,
) -> OutOfFold:
    """Train a clone on each fold's training rows and predict its test rows.

    Parameters
    ----------
    model : classifier or list of classifiers
        Unfitted or fitted; only clones are trained. A list has one for each fold. A
        ``FrozenEstimator`` is not trained again: so fitted models predict rows they have not seen.
    X : array, frame or sparse matrix of n_rows rows
        As the model takes it.
    labels : ndarray of shape (n_rows,)
        Labels as the model takes them.
    classes : sequence
        All labels, in the order of their numbers.
    folds : sequence of (train, test)
        Test sets are disjoint and cover all rows.
    decisions : bool, default=False
        Whether decision values are wanted beside the scores.
    on_fold : callable, optional
        Called before every fold, with the number of those that are over.

    Returns
    -------
    OutOfFold

    Raises
    ------
    ValueError
        If a model fails; the message names the model and the fold.
    """
    codes = {label: code for code, label in enumerate(classes)}
    predicted = np.zeros(labels.size, dtype=np.intp)
    scores = np.zeros((labels.size, len(classes)))
    values = np.zeros_like(scores) if decisions else None
    models = model if isinstance(model, list) else [model] * len(folds)
    start = perf_counter()
    for number, (each, (train, test)) in enumerate(zip(models, folds, strict=True), 1):
        if on_fold is not None:
            on_fold(number - 1)
        try:
            with limited_threads(labels.size):
                fitted = clone(each).fit(rows_of(X, train), labels[train])
                points = rows_of(X, test)
                predicted[test] = _predicted(fitted, points, codes)
                scores[test] = _scores(fitted, points, codes, predicted[test])
                if values is not None:
                    values[test] = decision_scores(fitted, points, codes, predicted[test])
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
            name = type(each).__name__
            raise ValueError(f"{name} failed on fold {number} of {len(folds)}: {error}") from error
    return OutOfFold(predicted, scores, perf_counter() - start, values)


def rows_of(X: Any, rows: IndexArray) -> Any:
    """Return some rows of an array, a frame or a sparse matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _predicted(fitted: Any, X: Any, codes: dict[Any, int]) -> IndexArray:
    """Numbers of the predicted classes."""
    return np.array([codes[label] for label in np.asarray(fitted.predict(X)).tolist()], np.intp)


def decision_scores(
    fitted: Any, X: Any, codes: dict[Any, int], predicted: IndexArray | None = None
) -> FloatArray:
    """Decision values of new rows, one column per class.

    Parameters
    ----------
    fitted : classifier
    X : array, frame or sparse matrix of n_rows rows
    codes : dict
        From all labels to their numbers.
    predicted : ndarray of shape (n_rows,), optional
        Numbers of the predicted classes, where they are known; a model without scores needs them.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Two columns have the decision value as their difference. Without decision values, logarithms
        of probabilities; without these too, 1 for the predicted class.
    """
    return _scores(fitted, X, codes, predicted, ("decision_function", "predict_proba"))


def _scores(
    fitted: Any,
    X: Any,
    codes: dict[Any, int],
    predicted: IndexArray | None = None,
    kinds: Sequence[str] = ("predict_proba", "decision_function"),
) -> FloatArray:
    """Scores over all classes; those that the training rows lacked get the lowest."""
    kind = next((name for name in kinds if hasattr(fitted, name)), None)
    if kind is None:
        return _indicators(fitted, X, codes, predicted)
    raw = np.asarray(getattr(fitted, kind)(X), dtype=np.float64)
    if kind == "predict_proba":
        raw = np.log(np.clip(raw, LEAST_PROBABILITY, 1.0))
    elif raw.ndim == 1:
        raw = np.column_stack([-raw / 2, raw / 2])
    known = [codes[label] for label in np.asarray(fitted.classes_).tolist()]
    if raw.shape[1] != len(known):  # one column per pair of classes: votes say enough
        return _indicators(fitted, X, codes, predicted)
    scores = np.full((raw.shape[0], len(codes)), raw.min(initial=0.0))
    scores[:, known] = raw
    return scores


def _indicators(
    fitted: Any, X: Any, codes: dict[Any, int], predicted: IndexArray | None
) -> FloatArray:
    """1 for the predicted class of each row; predictions are made where none are given."""
    return np.eye(len(codes))[_predicted(fitted, X, codes) if predicted is None else predicted]
