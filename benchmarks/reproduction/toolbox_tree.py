"""C4.5/IB1 of the paper as a tree with three slips, on rows that are sorted by class.

The tree that is tried here is no C4.5. It splits by information gain, and

1. the entropy of a branch is weighted by the branch's share of the points twice, so that cuts which
   leave one branch nearly empty look as good as none;
2. a cut is looked for between any two rows of a sorted column, also between rows of the same value:
   what it seems to part depends on the order of the rows. Sorted by class, a column that is nearly
   constant seems to part the classes at a glance, and the cut then sends all of them one way;
3. a column of at most ten different values is nominal, and a value not seen before has no branch.

    python benchmarks/reproduction/toolbox_tree.py --data-dir FOLDER            two minutes
    python benchmarks/reproduction/toolbox_tree.py --data-dir FOLDER --datasets mnist_2vs17
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from beside import Answer, Array, Beside, options, problems, score

# The first was what gave the cause away.
SETS = (
    *(
        "mnist_2vs17",
        "abalone3vs11",
        "glass0",
        "glass1",
        "glass015vs2",
        "glass016vs2",
        "glass04vs5",
        "glass06vs5",
    ),
    *("ecoli1", "ecoli3", "pima", "iris12vs3", "thyroid1", "yeast1458vs7", "cleveland0vs4"),
)
MOST_NOMINAL = 10
# Nodes of at most this share of the training points become leaves.
LEAF_SHARE = 0.05
# The class whose rows come first; None leaves them as they are.
ORDERS = {"common first": 0, "rare first": 1, "as they come": None}
TINY = np.finfo(float).eps


def entropy_in_branches(counts: Array, n: int) -> Any:
    """Sum of the branches' entropies, each weighted by its share twice (the first slip).

    Parameters
    ----------
    counts : ndarray of shape (..., n_branches, 2)
        Points of both classes in every branch.
    n : int
    """
    joint = counts / n
    share = joint.sum(axis=-1, keepdims=True)
    parts = -joint * np.log2(TINY + joint / np.where(share == 0, TINY, share))
    return (parts.sum(axis=-1) * share[..., 0]).sum(axis=-1)


def best_cut(column: Array, y: Array) -> tuple[float, float]:
    """Return the entropy of the best cut between two rows in sorted order, and its value."""
    order = np.argsort(column, kind="stable")
    left = np.cumsum(np.eye(2)[y[order]], axis=0)[:-1]
    counts = np.stack([left, np.bincount(y, minlength=2) - left], axis=1)
    found = entropy_in_branches(counts, y.size)
    place = int(np.argmin(found))
    return float(found[place]), float(column[order[place]])


def grow(X: Array, y: Array, nominal: Sequence[bool], least: float) -> Any:
    """Return a class, or (column, cut, low branch, high branch), or (column, branches by value)."""
    counts = np.bincount(y, minlength=2)
    if counts.min() == 0 or y.size <= least or len(np.unique(X, axis=0)) == 1:
        return int(counts.argmax())
    found: list[tuple[float, float | None]] = []
    for place, column in enumerate(X.T):
        if nominal[place]:
            table = np.array([np.bincount(y[column == v], minlength=2) for v in np.unique(column)])
            found.append((float(entropy_in_branches(table, y.size)), None))
        else:
            found.append(best_cut(column, y))
    place = int(np.argmin([entropy for entropy, _ in found]))
    column, cut = X[:, place], found[place][1]
    if nominal[place]:
        values = np.unique(column)
        if values.size == 1:
            return int(counts.argmax())
        parts = {v: (X[column == v], y[column == v]) for v in values}
        return place, {v: grow(*own, nominal, least) for v, own in parts.items()}
    low = column <= cut
    if low.all():
        return int(counts.argmax())
    return place, cut, *(grow(X[own], y[own], nominal, least) for own in (low, ~low))


def answer_of(tree: Any, x: Array) -> int:
    while not isinstance(tree, int):
        if len(tree) == 2:
            tree = tree[1].get(x[tree[0]], 0)  # a value not seen before: the first class
        else:
            tree = tree[2] if x[tree[0]] <= tree[1] else tree[3]
    return tree


def toolbox_tree(first: int | None) -> Answer:
    def answer(X: Array, y: Array, new: Array) -> Array:
        if first is not None:
            order = np.argsort(y != first, kind="stable")
            X, y = X[order], y[order]
        nominal = [np.unique(column).size <= MOST_NOMINAL for column in X.T]
        tree = grow(X, y, nominal, LEAF_SHARE * y.size)
        return np.array([answer_of(tree, x) for x in new])

    return answer


def main() -> None:
    beside = Beside("C4.5/IB1")
    for name, X, y, folds in problems(options(__doc__.splitlines()[0], SETS)):
        trees = {words: toolbox_tree(first) for words, first in ORDERS.items()}
        beside.show(name, {words: score(own, X, y, folds) for words, own in trees.items()})
    beside.summary()


if __name__ == "__main__":
    main()
