"""Wilcoxon's signed rank test of a control against others, as the paper's tables have it.

H0: the differences between two methods over the data sets are symmetric around zero. The null
distribution is exact, ties and all: every difference keeps its size and gets a fair coin's sign,
and the sums of the ranks with a positive sign are counted. Data sets without a difference say
nothing and are left out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, wilcoxon

# The paper's level of significance.
LEVEL = 0.05
# The verdicts of the paper's tables: alike, different, and the control itself.
ALIKE, DIFFERENT, CONTROL = "H0", "H1", "CN"
# Scores agree to at most so many digits between machines; below that a difference is none.
DIGITS = 9
# Above so many differences the normal distribution is as good as counting, and faster.
MOST_COUNTED = 100


@dataclass(frozen=True)
class SignedRank:
    """What the test says of one method beside the control.

    Attributes
    ----------
    p_value : float
        Two-sided; 1 where there is no difference at all.
    n_differences : int
        Data sets on which the two differ.
    verdict : {"H0", "H1", "CN"}
        H0: no difference that the test can see; H1: a difference; CN: the control itself.
    """

    p_value: float
    n_differences: int
    verdict: str


def signed_rank_test(control: ArrayLike, other: ArrayLike, *, level: float = LEVEL) -> SignedRank:
    """Test whether two methods differ over the same data sets.

    Parameters
    ----------
    control, other : array-like of shape (n_datasets,)
        Their scores.
    level : float, default=0.05
        Below this p-value the verdict is H1.

    Returns
    -------
    SignedRank

    Examples
    --------
    >>> from kpboost.reports.signed_rank import signed_rank_test
    >>> signed_rank_test([0.9, 0.8, 0.7, 0.6, 0.5, 0.9], [0.8, 0.6, 0.4, 0.2, 0.0, 0.3])
    SignedRank(p_value=0.03125, n_differences=6, verdict='H1')
    """
    gaps = np.asarray(control, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if gaps.ndim != 1 or not np.all(np.isfinite(gaps)):
        raise ValueError("control and other need one finite score each per data set.")
    gaps = np.round(gaps, DIGITS)
    gaps = gaps[gaps != 0]
    p_value = _p_value(gaps)
    return SignedRank(p_value, gaps.size, DIFFERENT if p_value < level else ALIKE)


def against_control(
    scores: ArrayLike, control: int, *, level: float = LEVEL
) -> tuple[SignedRank, ...]:
    """Test every method of a table against one of them.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
    control : int
        Column of the control.
    level : float, default=0.05

    Returns
    -------
    tuple of SignedRank
        One per method; the control's own verdict is "CN".
    """
    table = np.asarray(scores, dtype=np.float64)
    results = [signed_rank_test(table[:, control], column, level=level) for column in table.T]
    results[control] = SignedRank(1.0, 0, CONTROL)
    return tuple(results)


def _p_value(gaps: NDArray[np.float64]) -> float:
    if gaps.size == 0:
        return 1.0
    if gaps.size > MOST_COUNTED:
        return float(wilcoxon(gaps, method="approx").pvalue)
    ranks = rankdata(np.abs(gaps))
    smaller = min(ranks[gaps > 0].sum(), ranks[gaps < 0].sum())
    return min(1.0, 2.0 * _share_up_to(ranks, smaller))


def _share_up_to(ranks: NDArray[np.float64], limit: float) -> float:
    """Share of all choices of signs whose positive ranks sum to at most `limit`."""
    halves = np.rint(2 * ranks).astype(np.int64)  # shared ranks are halves at worst
    share = np.zeros(halves.sum() + 1)
    share[0] = 1.0
    for half in halves:
        share[half:] = (share[half:] + share[:-half]) / 2
        share[:half] /= 2
    return float(share[: round(2 * limit) + 1].sum())
