"""The Geometric Small Disjunct Index: a geometric mean in which small disjuncts speak loudest.

    GSDI = ( prod_c  sum_i w_i r_i / sum_i w_i )^(1/C)

over the disjuncts i of each class c, with recall r_i and a weight w_i that falls with the size of
the disjunct. exp(-size) underflows from size 746 on, and a product of small class scores does so
much earlier, so weights, sums and product stay logarithms until the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn import get_config
from sklearn.metrics import make_scorer
from sklearn.utils import column_or_1d

from kpboost._typing import FloatArray, IndexArray

from ._by_class import Points, scored_points

# Sizes by label: a mapping (or a pandas series), or an array whose positions are the labels.
Sizes = Mapping[Any, float] | ArrayLike

# "scaled_exp" is 1 up to a size of 10 points or a tenth of the data, whichever is smaller, and has
# fallen to a tenth at half of the data: the constants of the weights released with the paper.
FULL_WEIGHT_SHARE = 0.1
FULL_WEIGHT_SIZE = 10.0
FALLEN_SHARE = 0.5
LOG_OF_FALL = log(10.0)


def sizes_of(labels: NDArray[Any], disjunct_sizes: Sizes) -> tuple[FloatArray, float, int]:
    """Look up the sizes of some disjuncts.

    Parameters
    ----------
    labels : ndarray of shape (n_disjuncts,)
        Disjuncts in question.
    disjunct_sizes : mapping, pandas series or array-like
        Sizes of all disjuncts of the data set, by label.

    Returns
    -------
    sizes : ndarray of shape (n_disjuncts,)
        Sizes of those in question.
    total : float
        Size of the whole data set.
    n_known : int
        Number of disjuncts that the data set has.
    """
    table = _by_label(disjunct_sizes)
    unknown = [label for label in labels.tolist() if label not in table]
    if unknown:
        raise ValueError(f"disjunct_sizes has no size for disjunct {unknown[0]!r}, which occurs.")
    everything = np.array(list(table.values()), dtype=np.float64)
    sizes = np.array([table[label] for label in labels.tolist()], dtype=np.float64)
    is_count = np.isfinite(everything) & (everything >= 0) & (everything == np.rint(everything))
    if not np.all(is_count) or np.any(sizes < 1):
        raise ValueError("disjunct_sizes must be whole numbers, at least 1 for disjuncts in use.")
    return sizes, float(everything.sum()), int(np.count_nonzero(everything))


def _by_label(disjunct_sizes: Any) -> Mapping[Any, float]:
    if isinstance(disjunct_sizes, Mapping):
        return disjunct_sizes
    if hasattr(disjunct_sizes, "to_dict"):  # a series: its index, not its order, names disjuncts
        by_label: dict[Any, float] = disjunct_sizes.to_dict()
        return by_label
    sizes = np.asarray(disjunct_sizes, dtype=np.float64)
    if sizes.ndim != 1:
        raise ValueError(
            f"disjunct_sizes has shape {sizes.shape}; one size per disjunct is needed, or a "
            "mapping from label to size."
        )
    return dict(enumerate(sizes.tolist()))


def log_size_weights(sizes: FloatArray, total: float, size_weighting: str) -> FloatArray:
    """Logarithms of the weights of disjuncts in the GSDI.

    Parameters
    ----------
    sizes : ndarray of shape (n_disjuncts,)
        Sizes over the whole data set.
    total : float
        Size of the whole data set.
    size_weighting : {"exp", "scaled_exp"}
        exp(-size), or min(1, exp(-a (size - s0))) with s0 = min(total / 10, 10) and a such that the
        weight of a disjunct of half the data is 1/10.

    Returns
    -------
    ndarray of shape (n_disjuncts,)
    """
    if size_weighting == "exp":
        return -sizes
    if size_weighting == "scaled_exp":
        full = min(FULL_WEIGHT_SHARE * total, FULL_WEIGHT_SIZE)
        slope = LOG_OF_FALL / (FALLEN_SHARE * total - full)
        return -slope * np.maximum(sizes - full, 0.0)
    raise ValueError(
        f"size_weighting={size_weighting!r} is not allowed; it must be 'exp' or 'scaled_exp'."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Disjuncts that have test points, sorted by label.

    Attributes
    ----------
    labels : ndarray of shape (n_disjuncts,)
        Their labels.
    class_codes : ndarray of shape (n_disjuncts,)
        Number of the class that each is a part of.
    sizes : ndarray of shape (n_disjuncts,)
        Their sizes in the whole data set.
    total : float
        Size of the whole data set.
    n_unseen : int
        Number of disjuncts of the data set without test points.
    n_points, n_correct : ndarray of shape (n_disjuncts,)
        Total weight of the test points, and of those predicted correctly.
    members : ndarray of shape (n,)
        Position of each point's disjunct in ``labels``.
    """

    labels: NDArray[Any]
    class_codes: IndexArray
    sizes: FloatArray
    total: float
    n_unseen: int
    n_points: FloatArray
    n_correct: FloatArray
    members: IndexArray


def tally(points: Points, disjuncts: ArrayLike, disjunct_sizes: Sizes | None) -> Tally:
    """Count points by disjunct.

    Parameters
    ----------
    points : Points
        Checked test points.
    disjuncts : array-like of shape (n_samples,)
        Disjunct of each point that the user gave; each disjunct belongs to one class.
    disjunct_sizes : mapping, array-like or None
        Sizes over the whole data set by label; None takes the points for the whole data set.

    Returns
    -------
    Tally
    """
    labels, members = np.unique(_at_points(points, disjuncts), return_inverse=True)
    n_points = _sums(members, points.weight)
    if disjunct_sizes is None:
        sizes, total, n_known = n_points, float(n_points.sum()), labels.size
    else:
        sizes, total, n_known = sizes_of(labels, disjunct_sizes)
    return Tally(
        labels=labels,
        class_codes=_class_of_each(labels, members, points),
        sizes=sizes,
        total=total,
        n_unseen=n_known - labels.size,
        n_points=n_points,
        n_correct=_sums(members, points.weight * points.hit),
        members=members,
    )


def _sums(members: IndexArray, values: FloatArray) -> FloatArray:
    return np.bincount(members, weights=values).astype(np.float64)


def _at_points(points: Points, disjuncts: ArrayLike) -> NDArray[Any]:
    labels = column_or_1d(disjuncts)
    if labels.size != points.n_given:
        raise ValueError(
            f"disjuncts has {labels.size} entries for {points.n_given} points; one per point is "
            "needed."
        )
    if labels.dtype.kind == "f" and np.any(np.isnan(labels)):
        raise ValueError("disjuncts has missing values (NaN); every point needs a disjunct.")
    return np.asarray(labels[points.rows])


def _class_of_each(labels: NDArray[Any], members: IndexArray, points: Points) -> IndexArray:
    """Class of each disjunct; two classes in one are refused."""
    class_codes = np.empty(labels.size, dtype=np.intp)
    class_codes[members] = points.codes
    strangers = np.flatnonzero(class_codes[members] != points.codes)
    if strangers.size:
        first = strangers[0]
        here = points.classes[[points.codes[first], class_codes[members[first]]]].tolist()
        raise ValueError(
            f"Disjunct {labels.tolist()[members[first]]!r} has points of the classes "
            f"{here[0]!r} and {here[1]!r}; a disjunct is a part of one class."
        )
    return class_codes


def gsdi_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    disjuncts: ArrayLike,
    disjunct_sizes: Sizes | None = None,
    size_weighting: str = "exp",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Geometric Small Disjunct Index.

    Disjuncts without test points are skipped, and so are classes without test points.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of the test points.
    disjuncts : array-like of shape (n_samples,)
        Disjunct of each test point; each disjunct is a part of one class. Delta
    disjunct_sizes : mapping, pandas series or array-like, optional
        Sizes of all disjuncts over the whole data set: by label, or as an array whose positions are
        the labels, like ``DisjunctFinder.disjunct_sizes_``. By default the test points are taken
        for the whole data set. |Delta|
    size_weighting : {"exp", "scaled_exp"}, default="exp"
        Weight of a disjunct: exp(-size), as published; or the milder one of the code released with
        the paper, which is 1 up to a size of 10 points (or a tenth of the data, if smaller) and
        falls to 1/10 at half of the data.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the points; 0 or more. They count in the recalls, and in the sizes where none
        are given.

    Returns
    -------
    float
        Between 0 and 1, the best. GSDI

    Notes
    -----
    exp(-size) is steep: a disjunct of 5 points weighs 148 times as much as one of 10, and 2e17
    times as much as one of 45. In practice the smallest disjuncts of each class decide.

    Examples
    --------
    >>> from kpboost.metrics import gsdi_score
    >>> y_true, y_pred = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]
    >>> round(gsdi_score(y_true, y_pred, disjuncts=[0, 0, 0, 1, 1, 2]), 4)
    0.5186
    """
    points = scored_points(y_true, y_pred, sample_weight)
    counts = tally(points, disjuncts, disjunct_sizes)
    log_weight = log_size_weights(counts.sizes, counts.total, size_weighting)
    return float(gsdi(counts.n_correct / counts.n_points, counts.class_codes, log_weight))


def gsdi(recalls: FloatArray, class_codes: IndexArray, log_weight: FloatArray) -> FloatArray:
    """Geometric mean over classes of the weighted mean recall of their disjuncts.

    Parameters
    ----------
    recalls : ndarray of shape (..., n_disjuncts)
        Of one candidate or many.
    class_codes : ndarray of shape (n_disjuncts,)
        Class of each disjunct, numbered without gaps.
    log_weight : ndarray of shape (n_disjuncts,)

    Returns
    -------
    ndarray of shape (...)
    """
    own = [class_codes == code for code in range(class_codes.max() + 1)]
    log_means = [_log_mean(recalls[..., members], log_weight[members]) for members in own]
    return np.asarray(np.exp(np.mean(log_means, axis=0)))


def _log_mean(values: FloatArray, log_weight: FloatArray) -> FloatArray:
    """Logarithm of the weighted mean of values between 0 and 1, over the last axis."""
    shifted = log_weight - log_weight.max()  # or the digits of a million would cost those of a mean
    with np.errstate(divide="ignore"):
        mean = logsumexp(np.log(values) + shifted, axis=-1) - logsumexp(shifted)
    return np.asarray(np.minimum(mean, 0.0))  # rounding could lift a mean of ones above 1


def gsdi_scorer(disjunct_sizes: Sizes, *, size_weighting: str = "exp") -> Any:
    """Scorer of the GSDI that asks for ``disjuncts`` by metadata routing.

    Pass the disjunct of every row to ``fit`` of a search (``search.fit(X, y, disjuncts=...)``) or
    to ``cross_validate(..., params={"disjuncts": ...})``; each fold gets its own part of them.
    Routing must be switched on with ``sklearn.set_config(enable_metadata_routing=True)``.

    Parameters
    ----------
    disjunct_sizes : mapping, pandas series or array-like
        Sizes of all disjuncts over the whole data set, as in :func:`gsdi_score`. A fold cannot
        know them, so they are not optional here.
    size_weighting : {"exp", "scaled_exp"}, default="exp"
        Weight of a disjunct, as in :func:`gsdi_score`.

    Returns
    -------
    scorer
        Called as ``scorer(estimator, X, y, disjuncts=...)``.
    """
    if not get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            "gsdi_scorer gets its disjuncts by metadata routing, which is switched off; call "
            "sklearn.set_config(enable_metadata_routing=True) first."
        )
    scorer = make_scorer(gsdi_score, disjunct_sizes=disjunct_sizes, size_weighting=size_weighting)
    return scorer.set_score_request(disjuncts=True)
