"""Stratified folds that do not give up on a class with fewer members than folds.

The rule for such data is the paper's: random subsamples that keep the imbalance take the place of
folds. The smallest class, of m < n_splits members, sends one member to each test set, and every
other class the share 1/m that belongs to it. Test sets then overlap, but each holds every class.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from kpboost._typing import IndexArray

# One member to learn from and one to be tested on.
FEWEST_MEMBERS = 2


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

    def split(
        self, X: Any, y: ArrayLike, groups: Any = None
    ) -> Iterator[tuple[IndexArray, IndexArray]]:
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

    def _subsamples(
        self, codes: IndexArray, sizes: IndexArray
    ) -> Iterator[tuple[IndexArray, IndexArray]]:
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
