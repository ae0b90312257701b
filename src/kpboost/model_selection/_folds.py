"""From a way of splitting to folds that are ready for boosting.

Everything that can be wrong with the splits, the weights or the positive class is found while the
folds are planned, before any distance is computed.
"""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv

from kpboost._typing import FloatArray, IndexArray
from kpboost.kernels import rbf_from_squared_distances, resolve_gamma
from kpboost.problems import TrainingSet, binary_problems, class_weights, positive_sides

from ._boosting_grid import Fold, FoldPlan
from ._splitters import Split, folds_in_order

# What cv=None means in scikit-learn.
DEFAULT_SPLITS = 5


def make_splits(cv: Any, X: Any, y: ArrayLike, data: TrainingSet) -> list[Split]:
    """Split, and return positions among the rows that count, those with a positive weight.

    Parameters
    ----------
    cv : int, None, splitter or iterable
        A number splits the rows that count. The others split the data as given; rows without
        weight are then left out of both parts.
    X, y
        The data as given.
    data : TrainingSet
        Their rows that count, in the order given.

    Returns
    -------
    list of (train, test)
    """
    if cv is None or isinstance(cv, Integral):
        n_splits = DEFAULT_SPLITS if cv is None else int(cv)
        return folds_in_order(data.classes[data.codes], n_splits)
    place = np.full(data.all_codes.size, -1, dtype=np.intp)
    place[data.rows] = np.arange(data.rows.size)
    splits = [
        (_part(train, place, "training"), _part(test, place, "test"))
        for train, test in check_cv(cv, y, classifier=True).split(X, y)
    ]
    if not splits:
        raise ValueError("cv has no splits; at least one is needed.")
    return splits


def plan_folds(
    splits: Sequence[Split],
    data: TrainingSet,
    *,
    multi_class: str,
    class_weight: Mapping[Any, float] | str | None,
    pos_label: Any,
) -> list[FoldPlan]:
    """Work out all of every fold that does not depend on the kernel.

    Parameters
    ----------
    splits : sequence of (train, test)
        Positions among the rows of `data`.
    data : TrainingSet
    multi_class, class_weight, pos_label
        As of :class:`~kpboost.ensemble.KPBoostSVC`.

    Returns
    -------
    list of FoldPlan
    """
    factors = class_weights(class_weight, data.classes, data.codes, data.weight)

    def plan(train: IndexArray, test: IndexArray) -> FoldPlan:
        present = np.unique(data.codes[train])
        if present.size < 2:
            raise ValueError("cv has a training set with one class; use fewer or other splits.")
        if present.size > 2:  # as KPBoostSVC has them: blocks of pairs are then contiguous
            train = train[np.argsort(data.codes[train], kind="stable")]
        codes, weight = np.searchsorted(present, data.codes[train]), data.weight[train]
        classes, own = data.classes[present], factors[present]
        if isinstance(class_weight, str):  # balanced within the fold
            own = class_weights(class_weight, classes, codes, weight)
        problems = list(binary_problems(codes, present.size, multi_class))
        return FoldPlan(
            train=train,
            test=test,
            codes=codes,
            classes=present,
            weight=weight,
            class_factor=own[codes],
            problems=problems,
            signs=positive_sides(problems, weight, classes, pos_label),
            multi_class=multi_class,
        )

    return [plan(train, test) for train, test in splits]


def folds_of_width(
    gamma: float | str, plans: Sequence[FoldPlan], squared: FloatArray, data: TrainingSet
) -> Iterator[Fold]:
    """Yield the folds of one kernel width: a number takes one exponential for all of them.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Words are resolved on every training set.
    plans : sequence of FoldPlan
    squared : ndarray of shape (n, n)
        Squared distances of all points.
    data : TrainingSet

    Yields
    ------
    Fold
    """
    shared = None if isinstance(gamma, str) else rbf_from_squared_distances(squared, gamma)
    for plan in plans:
        among, across = np.ix_(plan.train, plan.train), np.ix_(plan.test, plan.train)
        if shared is None:
            weight = plan.weight if data.is_weighted else None
            width = resolve_gamma(gamma, data.points[plan.train], sample_weight=weight)
            gram = rbf_from_squared_distances(squared[among], width)
            test_kernel = rbf_from_squared_distances(squared[across], width)
        else:
            gram, test_kernel = shared[among], shared[across]
        yield Fold(plan=plan, gram=gram, test_kernel=test_kernel, squared=squared)


def check_all_tested(tests: Sequence[IndexArray], data: TrainingSet) -> None:
    """Refuse splits that never test some class: a trade-off would not know about it."""
    tested = np.unique(data.codes[np.concatenate(tests)])
    if tested.size < data.classes.size:
        missing = np.delete(data.classes, tested).tolist()
        raise ValueError(
            f"cv has no test point of the class(es) {missing}; the trade-off needs the recall of "
            "every class."
        )


def _part(rows: Any, place: IndexArray, name: str) -> IndexArray:
    """Return where rows of the given data stand among those that count."""
    numbers = np.asarray(rows)
    if numbers.dtype == np.bool_:
        numbers = np.flatnonzero(numbers)
    whole = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not numbers.size)
    if not whole or np.any(numbers < 0) or np.any(numbers >= place.size):
        raise ValueError(
            f"cv has a {name} set that is not a list of row numbers from 0 to {place.size - 1}."
        )
    kept = place[numbers.astype(np.intp)]
    if not np.any(kept >= 0):
        raise ValueError(f"cv has a {name} set without a row of positive weight.")
    return np.asarray(kept[kept >= 0])
