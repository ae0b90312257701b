"""Whether methods differ at all over many data sets, and which of them can be told apart.

Friedman's test answers the first question for all methods at once; Nemenyi's test the second for
every pair: two methods differ if their average ranks are further apart than the critical
difference.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

from kpboost.metrics import average_ranks

# The paper's level of significance.
LEVEL = 0.05
# The verdicts of the paper's tables: alike, different, and the control itself.
ALIKE, DIFFERENT, CONTROL_MARK = "H0", "H1", "CN"
# Scores agree to at most so many digits between machines; below that a difference is none.
DIGITS = 9
# With fewer data sets no difference can be significant: six wins of six are the least for p < 5 %.
FEWEST_FOR_TESTS = 6
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
    >>> from kpboost.reports._statistics import signed_rank_test
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
    results[control] = SignedRank(1.0, 0, CONTROL_MARK)
    return tuple(results)


def verdicts_against(scores: NDArray[np.float64], control: int) -> list[str | None]:
    """Return the verdict on every method of a table; None where the test cannot give one.

    That is so with fewer than six data sets, for all methods but the control itself.
    """
    found = [test.verdict for test in against_control(scores, control)]
    if len(scores) >= FEWEST_FOR_TESTS:
        return [*found]
    return [each if each == CONTROL_MARK else None for each in found]


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


# Friedman's test needs three methods; with two the signed rank test says all there is to say.
FEWEST_METHODS = 3
FEWEST_DATASETS = 2
# Room between a diagram and its labels, as a share of its width.
MARGIN = 0.04


@dataclass(frozen=True)
class Friedman:
    """Average ranks and how far apart they have to be.

    Attributes
    ----------
    statistic, p_value : float
        Friedman's chi-squared and its p-value; nan and 1 where nothing differs.
    ranks : ndarray of shape (n_methods,)
        Average ranks; 1 is the best.
    critical_difference : float
        Nemenyi's, at the level asked for.
    p_values : ndarray of shape (n_methods, n_methods)
        Nemenyi's p-value of every pair.
    n_datasets : int
    """

    statistic: float
    p_value: float
    ranks: NDArray[np.float64]
    critical_difference: float
    p_values: NDArray[np.float64]
    n_datasets: int


def can_compare(scores: NDArray[np.float64]) -> bool:
    """Tell whether there are methods and data sets enough for Friedman's test."""
    n_datasets, n_methods = scores.shape
    return bool(n_datasets >= FEWEST_DATASETS and n_methods >= FEWEST_METHODS)


def friedman_test(scores: ArrayLike, *, level: float = LEVEL) -> Friedman:
    """Compare three methods or more over two data sets or more.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Scores, the higher the better.
    level : float, default=0.05
        Level of the critical difference.

    Returns
    -------
    Friedman
    """
    table = np.asarray(scores, dtype=np.float64).round(DIGITS)
    ranks = average_ranks(table)
    if not can_compare(table):
        raise ValueError(
            f"Friedman's test needs {FEWEST_METHODS} methods on {FEWEST_DATASETS} data sets or "
            f"more; these are {table.shape[1]} methods on {table.shape[0]}."
        )
    statistic, p_value = _chi_squared(table)
    difference = critical_difference(table.shape[1], table.shape[0], level=level)
    return Friedman(statistic, p_value, ranks, difference, _nemenyi(table), table.shape[0])


def critical_difference(n_methods: int, n_datasets: int, *, level: float = LEVEL) -> float:
    """Smallest difference of average ranks that Nemenyi's test calls significant.

    Examples
    --------
    >>> from kpboost.reports._statistics import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = studentized_range.isf(level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def draw_critical_difference(
    result: Friedman, names: list[str], axes: Any, colors: Mapping[str, str], bar_color: str
) -> None:
    """Draw the diagram of average ranks; bars join methods that cannot be told apart.

    Parameters
    ----------
    result : Friedman
    names : list of str
        Of the methods, in order.
    axes : matplotlib Axes
    colors : dict from name to colour
    bar_color : str
        Colour of the bars.
    """
    import pandas as pd
    from scikit_posthocs import critical_difference_diagram

    critical_difference_diagram(
        dict(zip(names, result.ranks, strict=True)),
        pd.DataFrame(result.p_values, index=names, columns=names),
        ax=axes,
        label_fmt_left="{label} ({rank:.2f})\u00a0",
        label_fmt_right="\u00a0({rank:.2f}) {label}",
        elbow_props={"linewidth": 1},
        crossbar_props={"color": bar_color, "linewidth": 3.5, "solid_capstyle": "round"},
        color_palette=dict(colors),
        text_h_margin=MARGIN * float(np.ptp(result.ranks)),
    )


def _chi_squared(table: NDArray[np.float64]) -> tuple[float, float]:
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        statistic, p_value = friedmanchisquare(*table.T)
    # All ranks tied everywhere divides zero by zero: there is no difference to see.
    return float(statistic), 1.0 if np.isnan(p_value) else float(p_value)


def _nemenyi(table: NDArray[np.float64]) -> NDArray[np.float64]:
    from scikit_posthocs import posthoc_nemenyi_friedman

    # Ranks of the negated scores, so that 1 is the best here as well; the p-values are the same.
    return np.asarray(posthoc_nemenyi_friedman(-table), dtype=np.float64)


@dataclass(frozen=True)
class Duels:
    """Counts of data sets for every ordered pair of methods.

    Attributes
    ----------
    wins, ties, losses : ndarray of shape (n_methods, n_methods)
        Row against column; the diagonal holds ties alone.
    """

    wins: NDArray[np.intp]
    ties: NDArray[np.intp]
    losses: NDArray[np.intp]


def duels(scores: ArrayLike) -> Duels:
    """Count wins, ties and losses of all pairs.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Scores, the higher the better.

    Returns
    -------
    Duels

    Examples
    --------
    >>> from kpboost.reports._statistics import duels
    >>> duels([[0.9, 0.8], [0.5, 0.5], [0.4, 0.6]]).wins.tolist()
    [[0, 1], [1, 0]]
    """
    table = np.asarray(scores, dtype=np.float64)
    gaps = np.round(table[:, :, np.newaxis] - table[:, np.newaxis, :], DIGITS)
    return Duels((gaps > 0).sum(axis=0), (gaps == 0).sum(axis=0), (gaps < 0).sum(axis=0))
