"""Tables with our figures beside the paper's: average ranks and mean scores."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from kpboost._typing import FloatArray
from kpboost.experiments import MEASURES, PAPER_MEASURES
from kpboost.metrics import average_ranks

from ._comparison import Comparison
from ._table import RANK_DIGITS, ReportColumn, ReportTable, Value

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
    >>> from kpboost.reports._paper_tables import published_scores
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


MEAN_DIGITS = 3
GROUPS = {
    "two-class-low": "two classes, few dimensions",
    "two-class-high": "two classes, many dimensions",
    "multi-class-low": "many classes, few dimensions",
    "multi-class-high": "many classes, many dimensions",
}
CHOSEN_OTHERWISE = (
    "The paper chose settings on its test folds; ours were chosen inside the training folds, and "
    "score lower for that alone."
)
OTHER_GRID = "The settings that were tried are fewer than the paper's."
Parts = Mapping[str, BesidePaper]
Cells = Callable[[BesidePaper, int], tuple[Value, ...]]


def paper_tables(comparison: Comparison) -> tuple[ReportTable, ...]:
    """Build two tables for every group and scheme of the paper that the comparison touches."""
    tables: list[ReportTable] = []
    for group in GROUPS:
        for scheme in _schemes(group):
            parts = _parts(comparison, group, scheme)
            if parts:
                tables += [_ranks(comparison, parts, group, scheme),
                           _means(comparison, parts, group, scheme)]  # fmt: skip
    return tuple(tables)


def _parts(comparison: Comparison, group: str, scheme: str) -> dict[str, BesidePaper]:
    found = {name: beside_paper(comparison, name, group, scheme=scheme) for name in PAPER_MEASURES}
    return {name: part for name, part in found.items() if part is not None}


def _ranks(comparison: Comparison, parts: Parts, group: str, scheme: str) -> ReportTable:
    def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
        return float(part.our_ranks[place]), float(part.paper_ranks[place]), part.printed[place]

    columns = [ReportColumn(f"{MEASURES[name].title} {whose}", RANK_DIGITS)
               for name in parts for whose in ("ours", "paper", "printed")]  # fmt: skip
    return ReportTable(
        f"paper-{_file_part(group, scheme)}",
        f"Ranks beside the paper: {_words(group, scheme)}",
        (ReportColumn("Method"), *columns),
        _rows(comparison, parts, cells, n_cells=3),
        note=_note(parts) + _difference(comparison),
    )


def _means(comparison: Comparison, parts: Parts, group: str, scheme: str) -> ReportTable:
    def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
        return float(part.our_means[place]), float(part.paper_means[place])

    columns = [ReportColumn(f"{MEASURES[name].title} {whose}", MEAN_DIGITS)
               for name in parts for whose in ("ours", "paper")]  # fmt: skip
    return ReportTable(
        f"paper-means-{_file_part(group, scheme)}",
        f"Means beside the paper: {_words(group, scheme)}",
        (ReportColumn("Method"), *columns),
        _rows(comparison, parts, cells, n_cells=2),
        note=f"Mean scores over the same {_count(parts)} data sets.",
    )


def _rows(
    comparison: Comparison, parts: Parts, cells: Cells, *, n_cells: int
) -> tuple[tuple[Value, ...], ...]:
    """Build a row per method, the best of our first column's ranks first."""
    first = next(iter(parts.values()))
    order = [first.methods[k] for k in np.argsort(first.our_ranks, kind="stable")]
    methods = dict.fromkeys([*order, *(name for part in parts.values() for name in part.methods)])
    nothing: tuple[Value, ...] = (None,) * n_cells

    def of(part: BesidePaper, name: str) -> tuple[Value, ...]:
        return cells(part, part.methods.index(name)) if name in part.methods else nothing

    return tuple(
        (comparison.title(name), *(value for part in parts.values() for value in of(part, name)))
        for name in methods
    )


def _note(parts: Parts) -> str:
    numbers = [f"{MEASURES[name].title} {part.agreement:.2f}"
               for name, part in parts.items() if not np.isnan(part.agreement)]  # fmt: skip
    order = f" Agreement of the two orders (Spearman): {', '.join(numbers)}." if numbers else ""
    return (
        f"Average ranks over {_count(parts)} of the paper's data sets; 'paper' ranks its published "
        "scores over the same data sets and methods, 'printed' is what it prints over all of its "
        f"own.{order}"
    )


def _difference(comparison: Comparison) -> str:
    """Say what keeps the two from being alike, where the protocol is not the paper's."""
    first = comparison.outcomes[0]
    apart = [CHOSEN_OTHERWISE] if first.protocol == "nested" else []
    apart += [OTHER_GRID] if first.grid != "paper" else []
    return "".join(f" {sentence}" for sentence in apart)


def _count(parts: Parts) -> int:
    return max(len(part.datasets) for part in parts.values())


def _schemes(group: str) -> tuple[str, ...]:
    return (ONE_VS_ONE, ONE_VS_ALL) if group.startswith("multi") else (ONE_VS_ONE,)


def _file_part(group: str, scheme: str) -> str:
    return f"{group}-{scheme.lower()}" if group.startswith("multi") else group


def _words(group: str, scheme: str) -> str:
    return f"{GROUPS[group]}, {scheme}" if group.startswith("multi") else GROUPS[group]
