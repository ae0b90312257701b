"""Our average ranks beside the paper's, over the same data sets and methods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from kpboost.metrics import average_ranks

from .comparison import MEASURES, Comparison, FloatArray
from .published import (
    ONE_VS_ALL,
    ONE_VS_ONE,
    published_group,
    published_ranks,
    published_scores,
)
from .table import RANK_DIGITS, Column, Table, Value

GROUPS = {
    "two-class-low": "two classes, few dimensions",
    "two-class-high": "two classes, many dimensions",
    "multi-class-low": "many classes, few dimensions",
    "multi-class-high": "many classes, many dimensions",
}
# Short names of methods that decompose many classes the paper's second way end in this.
ONE_VS_REST_ENDING = "_ovr"
# These need no decomposition: they stand in both of the paper's tables for many classes.
UNDIVIDED = ("aks_chi2", "rusboost", "adaboost_mlp")


@dataclass(frozen=True)
class BesidePaper:
    """Both average ranks of one group, measure and scheme.

    Attributes
    ----------
    methods : tuple of str
        Short names.
    datasets : tuple of str
    ours, theirs : ndarray of shape (n_methods,)
        Average ranks over exactly these data sets and methods.
    printed : tuple
        What the paper prints, over all its data sets and methods; None where it prints none.
    agreement : float
        Spearman's correlation of the two rows of ranks; nan for fewer than three methods.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ours: FloatArray
    theirs: FloatArray
    printed: tuple[float | None, ...]
    agreement: float


def beside_paper(
    comparison: Comparison, measure: str, group: str, *, scheme: str = ONE_VS_ONE
) -> BesidePaper | None:
    """Rank ours and the paper's scores over the data sets and methods that both have.

    Parameters
    ----------
    comparison : Comparison
    measure : {"gmean", "auc", "gsdi"}
    group : str
        One of the paper's four groups of data sets.
    scheme : {"OVO", "OVA"}, default="OVO"

    Returns
    -------
    BesidePaper or None
        None if there are not two methods on one data set to compare.
    """
    shared = comparison.shared(measure)
    rows = [k for k, name in enumerate(shared.datasets) if published_group(name) == group]
    columns = [k for k, name in enumerate(shared.methods) if _belongs(name, scheme)]
    datasets = [shared.datasets[row] for row in rows]
    titles = [_paper_title(comparison.title(shared.methods[column])) for column in columns]
    theirs = published_scores(measure, datasets, titles, scheme=scheme)
    known = np.flatnonzero(np.isfinite(theirs).all(axis=0)) if rows else np.array([], dtype=int)
    if known.size < 2:
        return None
    ours = average_ranks(shared.scores[np.ix_(rows, np.array(columns)[known])])
    ranks = average_ranks(theirs[:, known])
    printed = published_ranks(group, measure, scheme=scheme)
    return BesidePaper(
        tuple(shared.methods[columns[place]] for place in known),
        tuple(datasets),
        ours,
        ranks,
        tuple(printed[titles[k]].rank if titles[k] in printed else None for k in known),
        _agreement(ours, ranks),
    )


def paper_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Build a table for every group and scheme of the paper that the comparison touches."""
    kinds = [(group, scheme) for group in GROUPS for scheme in _schemes(group)]
    tables = (_table(comparison, group, scheme) for group, scheme in kinds)
    return tuple(table for table in tables if table is not None)


def _table(comparison: Comparison, group: str, scheme: str) -> Table | None:
    found = {
        measure: part
        for measure in MEASURES
        if (part := beside_paper(comparison, measure, group, scheme=scheme)) is not None
    }
    if not found:
        return None
    parts = list(found.values())
    columns = [Column(f"{MEASURES[name]} {whose}", RANK_DIGITS)
               for name in found for whose in ("ours", "paper", "printed")]  # fmt: skip
    methods = max((part.methods for part in parts), key=len)
    rows = tuple((comparison.title(name), *_cells(parts, name)) for name in methods)
    many = f", {scheme}" if group.startswith("multi") else ""
    return Table(
        f"paper-{group}" + (f"-{scheme.lower()}" if many else ""),
        f"Beside the paper: {GROUPS[group]}{many}",
        (Column("Method"), *columns),
        rows,
        note=_note(list(found), parts),
    )


def _cells(parts: Sequence[BesidePaper], name: str) -> list[Value]:
    cells: list[Value] = []
    for part in parts:
        place = part.methods.index(name) if name in part.methods else None
        cells += (
            [None] * 3
            if place is None
            else [float(part.ours[place]), float(part.theirs[place]), part.printed[place]]
        )
    return cells


def _note(measures: Sequence[str], parts: Sequence[BesidePaper]) -> str:
    numbers = [f"{MEASURES[measure]} {part.agreement:.2f}"
               for measure, part in zip(measures, parts, strict=True)
               if not np.isnan(part.agreement)]  # fmt: skip
    counted = f"Average ranks over {len(parts[0].datasets)} of the paper's data sets; "
    meaning = (
        "'paper' ranks its published scores over the same data sets and methods, "
        "'printed' is what it prints over all of its own."
    )
    order = f" Agreement of the two orders (Spearman): {', '.join(numbers)}." if numbers else ""
    return counted + meaning + order


def _schemes(group: str) -> tuple[str, ...]:
    return (ONE_VS_ONE, ONE_VS_ALL) if group.startswith("multi") else (ONE_VS_ONE,)


def _belongs(method: str, scheme: str) -> bool:
    if method in UNDIVIDED:
        return True
    return method.endswith(ONE_VS_REST_ENDING) == (scheme == ONE_VS_ALL)


def _paper_title(title: str) -> str:
    """Name of a method in the paper: ours without the words for its decomposition."""
    return title.removesuffix(", one vs rest")


def _agreement(ours: FloatArray, theirs: FloatArray) -> float:
    constant = np.ptp(ours) == 0 or np.ptp(theirs) == 0
    if ours.size < 3 or constant:
        return np.nan
    return float(spearmanr(ours, theirs).statistic)
