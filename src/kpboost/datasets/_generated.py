"""Made-up data: classes whose disjuncts are known, and card payments with two kinds of fraud.

Each disjunct is a cloud of normally distributed points with standard deviation 1 in every
direction. The centres lie as close together as random placing brings them, at a least distance that
``overlap`` shrinks, and the classes take turns, so that the parts of a class are usually parted
by other classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from kpboost._typing import FloatArray, IndexArray, LabelArray
from kpboost._validation import check_count, is_count, is_not_negative, is_positive, refusal

# Least distance of two centres without overlap, in standard deviations: halfway between them even
# a cloud of ten thousand points has hardly any.
SPACING = 8.0
# The box that centres are drawn from grows by this factor whenever a draw lies too close to the
# others: slowly enough that they end up side by side.
BOX_GROWTH = 1.02
# What `disjuncts` says of a point whose label is noise.
NO_DISJUNCT = -1
# Rows of the payments: usual ones, large ones far from home, and tiny ones from new accounts.
N_USUAL, N_FAR, N_TRIAL = 1200, 66, 14
PAYMENT_COLUMNS = ("amount", "distance_km", "account_days", "hour", "items")
PAYMENTS_SEED = 7
# How widely amounts and distances are spread, as standard deviations of their logarithms.
SPREAD = 0.8
# Those who try cards all do the same.
TRIAL_SPREAD = 0.3


def make_disjuncts(
    sizes: Sequence[Sequence[int]] = ((200, 60, 20), (50, 15, 5)),
    *,
    n_features: int = 2,
    overlap: float = 0.0,
    label_noise: float = 0.0,
    shuffle: bool = True,
    random_state: Any = None,
) -> tuple[FloatArray, IndexArray, IndexArray]:
    """Generate points of several classes, each in several disjuncts.

    Parameters
    ----------
    sizes : sequence of sequences of int, default=((200, 60, 20), (50, 15, 5))
        For each class the numbers of points of its disjuncts; :func:`disjunct_sizes` makes them
        from ratios.
    n_features : int, default=2
        Dimension.
    overlap : float in [0, 1], default=0.0
        0 keeps neighbouring centres at least 8 standard deviations apart, 1 makes them coincide.
    label_noise : float in [0, 1), default=0.0
        Share of the points that get the label of another class, drawn at random.
    shuffle : bool, default=True
        Whether the rows come in random order, or disjunct by disjunct.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Points.
    y : ndarray of shape (n_samples,)
        Classes 0, 1, ...
    disjuncts : ndarray of shape (n_samples,)
        Numbers of the disjuncts, from 0 on, class by class in the order of ``sizes``; -1 for
        points whose label is noise.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.datasets import make_disjuncts
    >>> X, y, disjuncts = make_disjuncts([[30, 5], [10]], random_state=0)
    >>> np.bincount(y), np.bincount(disjuncts)
    (array([35, 10]), array([30,  5, 10]))
    """
    _check(sizes, n_features, overlap, label_noise)
    rng = check_random_state(random_state)
    owners = np.repeat(np.arange(len(sizes)), [len(row) for row in sizes])
    counts = np.concatenate([np.asarray(row, dtype=np.intp) for row in sizes])
    centres = np.empty((counts.size, n_features))
    centres[_taking_turns(sizes)] = (1 - overlap) * _place_centres(counts.size, n_features, rng)
    disjuncts = np.repeat(np.arange(counts.size), counts)
    X = centres[disjuncts] + rng.normal(size=(disjuncts.size, n_features))
    y = owners[disjuncts]
    _disturb(y, disjuncts, round(label_noise * y.size), len(sizes), rng)
    order = rng.permutation(y.size) if shuffle else np.arange(y.size)
    return X[order], y[order], disjuncts[order]


def _taking_turns(sizes: Sequence[Sequence[int]]) -> IndexArray:
    """Numbers of the disjuncts: the first of every class, the second of every class, and so on."""
    ranks = np.concatenate([np.arange(len(row)) for row in sizes])
    return np.argsort(ranks, kind="stable")


def _place_centres(count: int, n_features: int, rng: np.random.RandomState) -> FloatArray:
    """Draw points from a growing box and keep those with enough room around them."""
    centres = np.zeros((count, n_features))
    side = SPACING
    for placed in range(1, count):
        while True:
            centre = rng.uniform(-side / 2, side / 2, size=n_features)
            if (np.linalg.norm(centres[:placed] - centre, axis=1) >= SPACING).all():
                break
            side *= BOX_GROWTH
        centres[placed] = centre
    return centres


def _disturb(
    y: IndexArray, disjuncts: IndexArray, count: int, n_classes: int, rng: np.random.RandomState
) -> None:
    """Give `count` points the label of another class."""
    rows = rng.choice(y.size, count, replace=False)
    if count:
        y[rows] = (y[rows] + rng.randint(1, n_classes, size=count)) % n_classes
        disjuncts[rows] = NO_DISJUNCT


def _check(sizes: Any, n_features: Any, overlap: Any, label_noise: Any) -> None:
    if not (_is_list(sizes) and all(_is_list(row) and all(map(is_count, row)) for row in sizes)):
        allowed = "for every class a list of the positive whole numbers of points of its disjuncts"
        raise refusal("sizes", sizes, allowed)
    check_count("n_features", n_features)
    if not (is_not_negative(overlap) and overlap <= 1):
        raise refusal("overlap", overlap, "a number between 0 and 1")
    if not (is_not_negative(label_noise) and label_noise < 1):
        raise refusal("label_noise", label_noise, "a number of at least 0 and below 1")
    if label_noise and len(sizes) == 1:
        raise ValueError("label_noise needs a second class to take labels from; sizes has one.")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and len(value) > 0


def disjunct_sizes(
    n_samples: int,
    *,
    n_classes: int = 2,
    n_disjuncts: int = 3,
    imbalance_ratio: float = 4.0,
    size_ratio: float = 8.0,
) -> list[list[int]]:
    """Sizes for :func:`make_disjuncts`, falling geometrically from the first to the last.

    Parameters
    ----------
    n_samples : int
        Number of points in all; at least one for every disjunct.
    n_classes : int, default=2
        Number of classes, the largest first.
    n_disjuncts : int, default=3
        Number of disjuncts of each class, the largest first.
    imbalance_ratio : float, default=4.0
        Size of the largest class by that of the smallest, at least 1. Rounding to whole
        points changes it a little. IR
    size_ratio : float, default=8.0
        Size of a class's largest disjunct by that of its smallest, at least 1.

    Returns
    -------
    list of lists of int
        One list per class; they sum to ``n_samples``.

    Examples
    --------
    >>> from kpboost.datasets import disjunct_sizes
    >>> disjunct_sizes(100, n_disjuncts=2, imbalance_ratio=4, size_ratio=3)
    [[60, 20], [15, 5]]
    """
    check_count("n_classes", n_classes)
    check_count("n_disjuncts", n_disjuncts)
    if not (is_count(n_samples) and n_samples >= n_classes * n_disjuncts):
        allowed = f"a whole number of at least {n_classes * n_disjuncts}"
        raise refusal("n_samples", n_samples, allowed)
    for name, ratio in (("imbalance_ratio", imbalance_ratio), ("size_ratio", size_ratio)):
        if not (is_positive(ratio) and ratio >= 1):
            raise refusal(name, ratio, "a number of at least 1")
    shares = np.outer(_falling(n_classes, imbalance_ratio), _falling(n_disjuncts, size_ratio))
    whole = _rounded_to_sum(shares.ravel(), n_samples)
    return [[int(size) for size in row] for row in whole.reshape(shares.shape)]


def _falling(count: int, ratio: float) -> FloatArray:
    """Return shares in geometric progression; they sum to 1, and first by last is the ratio."""
    values = np.geomspace(ratio, 1.0, count)
    return np.asarray(values / values.sum())


def _rounded_to_sum(shares: FloatArray, total: int) -> NDArray[np.intp]:
    """Return positive whole numbers in about these shares, by largest remainders."""
    exact = np.maximum(shares * total - 1, 0)
    exact *= (total - shares.size) / exact.sum() if exact.any() else 0
    whole = np.floor(exact).astype(np.intp)
    missing = total - shares.size - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole + 1


def payments() -> tuple[FloatArray, LabelArray]:
    """Return a made-up table of card payments: values of the columns and kinds, in random order.

    Most fraud is large and far from home. Fourteen payments are another kind, which a linear model
    cannot see: tiny ones from new accounts, which try whether a stolen card works.
    """
    rng = np.random.default_rng(PAYMENTS_SEED)
    usual = _some_payments(rng, N_USUAL, (30, 5, 400))
    far = _some_payments(rng, N_FAR, (180, 70, 400))
    trial = _some_payments(rng, N_TRIAL, (2.5, 5, 9), TRIAL_SPREAD)
    kinds = np.repeat(["usual", "fraud"], [N_USUAL, N_FAR + N_TRIAL])
    order = rng.permutation(kinds.size)
    return np.concatenate([usual, far, trial])[order], kinds[order]


def _some_payments(
    rng: np.random.Generator,
    n: int,
    medians: tuple[float, float, float],
    spread: float = SPREAD,
) -> FloatArray:
    """Draw payments around the medians; the hour and the number of items say nothing."""
    amount, distance, days = (rng.lognormal(np.log(middle), spread, n) for middle in medians)
    distance = rng.lognormal(np.log(medians[1]), SPREAD, n)  # even trials are spread in space
    hours, items = rng.integers(24, size=n), 1 + rng.poisson(2, n)
    days = days.round(2).round()
    return np.column_stack([amount.round(2), distance.round(2), days, hours, items])
