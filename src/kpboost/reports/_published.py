"""The paper's figures: scores, ranks, verdicts and data sets, as it prints them."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from kpboost.datasets import CatalogueEntry, catalogue

# The paper's average ranks and hypotheses do not include KPBoostROI-SVM, its scores do.
RANKS, SCORES = "published_ranks.csv", "published_scores.csv"
ONE_VS_ONE, ONE_VS_ALL = "OVO", "OVA"


@dataclass(frozen=True)
class PublishedRank:
    """One cell pair of the paper's tables of ranks.

    Attributes
    ----------
    rank : float
        Average rank. AR
    hypothesis : {"H0", "H1", "CN"}
        Verdict of the signed rank test against KPBoost-SVM. WSR
    """

    rank: float
    hypothesis: str


def published_ranks(
    group: str, measure: str, *, scheme: str = ONE_VS_ONE
) -> dict[str, PublishedRank]:
    """Average ranks and hypotheses of one group of data sets.

    Parameters
    ----------
    group : str
        "two-class-low", "two-class-high", "multi-class-low" or "multi-class-high".
    measure : {"gmean", "auc", "gsdi"}
    scheme : {"OVO", "OVA"}, default="OVO"
        Matters for many classes only.

    Returns
    -------
    dict from the method's name in the paper to PublishedRank
        Empty for a group that the paper does not have.
    """
    return {
        row["method"]: PublishedRank(float(row[f"{measure}_rank"]), row[f"{measure}_hypothesis"])
        for row in _published_rows(RANKS)
        if row["group"] == group and row["scheme"] in ("", scheme)
    }


def published_scores(
    measure: str, datasets: Sequence[str], methods: Sequence[str], *, scheme: str = ONE_VS_ONE
) -> NDArray[np.float64]:
    """Scores of the paper for these data sets and methods.

    Parameters
    ----------
    measure : {"gmean", "auc", "gsdi"}
    datasets, methods : sequence of str
        Names as in the paper.
    scheme : {"OVO", "OVA"}, default="OVO"
        Matters for many classes only.

    Returns
    -------
    ndarray of shape (n_datasets, n_methods)
        nan where the paper has none.

    Examples
    --------
    >>> from kpboost.reports._published import published_scores
    >>> published_scores("gmean", ["abalone19", "mine"], ["SVM", "KPBoost-SVM"])
    array([[0.1565, 0.4159],
           [   nan,    nan]])
    """
    known = {row["dataset"]: row for row in _of_scheme(measure, scheme)}
    cells = [[known.get(name, {}).get(method) for method in methods] for name in datasets]
    values = [[float(cell) if cell else np.nan for cell in row] for row in cells]
    return np.array(values, dtype=np.float64).reshape(len(datasets), len(methods))


def published_group(dataset: str) -> str | None:
    """Group of a data set of the paper; None for any other."""
    return next(
        (row["group"] for row in _published_rows(SCORES) if row["dataset"] == dataset), None
    )


def published_datasets(group: str) -> tuple[str, ...]:
    """Names of the data sets of one group, in the paper's order."""
    return tuple(
        dict.fromkeys(row["dataset"] for row in _published_rows(SCORES) if row["group"] == group)
    )


def _of_scheme(measure: str, scheme: str) -> Iterator[dict[str, str]]:
    return (
        row
        for row in _published_rows(SCORES)
        if row["measure"] == measure and row["scheme"] in ("", scheme)
    )


@cache
def _published_rows(name: str) -> tuple[dict[str, str], ...]:
    text = (files("kpboost.reports") / name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


# What the catalogue says of points that are drawn from the paper's source, but not by the paper.
OWN_DRAW_WORDS = "not the paper's"
OWN_DRAW = " *"
OWN_DRAW_NOTE = " * marks data sets whose points are our own draw from the paper's source."


@cache
def published_data() -> dict[str, CatalogueEntry]:
    """Return what the paper says of its data sets, by name."""
    return {entry.name: entry for entry in catalogue()}


def is_own_draw(dataset: str) -> bool:
    """Tell whether the points of a data set of the paper are our own draw from its source.

    Examples
    --------
    >>> from kpboost.reports._published import is_own_draw
    >>> is_own_draw("banana"), is_own_draw("glass0")
    (True, False)
    """
    entry = published_data().get(dataset)
    return entry is not None and OWN_DRAW_WORDS in entry.derivation


def marked(dataset: str) -> str:
    """Return the name of a data set, with a mark if its points are our own draw."""
    return dataset + OWN_DRAW if is_own_draw(dataset) else dataset


def explained(note: str, datasets: Sequence[str]) -> str:
    """Return a note that says what the mark means, if one of these data sets has it."""
    return note + OWN_DRAW_NOTE if any(map(is_own_draw, datasets)) else note
