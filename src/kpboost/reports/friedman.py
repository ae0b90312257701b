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
from scipy.stats import friedmanchisquare, studentized_range

from kpboost.metrics import average_ranks

from .signed_rank import LEVEL

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
    table = np.asarray(scores, dtype=np.float64)
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
    >>> from kpboost.reports.friedman import critical_difference
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
