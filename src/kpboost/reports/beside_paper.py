"""Ours and the paper's scores over the same data sets and methods."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from kpboost.metrics import average_ranks

from .comparison import Comparison, FloatArray
from .published import (
    ONE_VS_ALL,
    ONE_VS_ONE,
    published_group,
    published_ranks,
    published_scores,
)

# Short names of methods that decompose many classes the paper's second way end in this.
ONE_VS_REST_ENDING = "_ovr"
# These need no decomposition: they stand in both of the paper's tables for many classes.
UNDIVIDED = ("aks_chi2", "rusboost", "adaboost_mlp")
# An order of fewer methods agrees or not by chance.
FEWEST_FOR_AGREEMENT = 3


@dataclass(frozen=True)
class BesidePaper:
    """One group, measure and scheme, ours and the paper's.

    Attributes
    ----------
    methods : tuple of str
        Short names.
    datasets : tuple of str
    our_ranks, paper_ranks : ndarray of shape (n_methods,)
        Average ranks over exactly these data sets and methods.
    our_means, paper_means : ndarray of shape (n_methods,)
        Mean scores over these data sets.
    printed : tuple
        Ranks that the paper prints, over all its data sets and methods; None where it prints none.
    agreement : float
        Spearman's correlation of the two rows of ranks; nan for fewer than three methods.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    our_ranks: FloatArray
    paper_ranks: FloatArray
    our_means: FloatArray
    paper_means: FloatArray
    printed: tuple[float | None, ...]
    agreement: float


def beside_paper(
    comparison: Comparison, measure: str, group: str, *, scheme: str = ONE_VS_ONE
) -> BesidePaper | None:
    """Set ours beside the paper's scores, over the data sets and methods that both have.

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
    datasets = tuple(shared.datasets[row] for row in rows)
    titles = [_paper_title(comparison.title(shared.methods[column])) for column in columns]
    theirs = published_scores(measure, datasets, titles, scheme=scheme)
    known = [k for k in range(len(columns)) if rows and np.isfinite(theirs[:, k]).all()]
    if len(known) < 2:
        return None
    chosen = [columns[k] for k in known]
    ours, theirs = shared.scores[np.ix_(rows, chosen)], theirs[:, known]
    our_ranks, paper_ranks = average_ranks(ours), average_ranks(theirs)
    printed = published_ranks(group, measure, scheme=scheme)
    return BesidePaper(
        methods=tuple(shared.methods[column] for column in chosen),
        datasets=datasets,
        our_ranks=our_ranks,
        paper_ranks=paper_ranks,
        our_means=ours.mean(axis=0),
        paper_means=theirs.mean(axis=0),
        printed=tuple(printed[titles[k]].rank if titles[k] in printed else None for k in known),
        agreement=_agreement(our_ranks, paper_ranks),
    )


def _belongs(method: str, scheme: str) -> bool:
    if method in UNDIVIDED:
        return True
    return method.endswith(ONE_VS_REST_ENDING) == (scheme == ONE_VS_ALL)


def _paper_title(title: str) -> str:
    """Name of a method in the paper: ours without the words for its decomposition."""
    return title.removesuffix(" one-vs-rest")


def _agreement(ours: FloatArray, theirs: FloatArray) -> float:
    constant = np.ptp(ours) == 0 or np.ptp(theirs) == 0
    if ours.size < FEWEST_FOR_AGREEMENT or constant:
        return np.nan
    return float(spearmanr(ours, theirs).statistic)
