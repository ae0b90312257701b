"""Our scores beside the paper's: the same data sets, the same methods, one measure at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import spearmanr

from kpboost._typing import BoolArray, FloatArray
from kpboost.experiments import PAPER_MEASURES, Outcome
from kpboost.metrics import average_ranks

from ._comparison import CONTROL, SCORE_DIGITS, Comparison
from ._published import (
    ONE_VS_ALL,
    ONE_VS_ONE,
    PublishedRank,
    is_own_draw,
    published_group,
    published_ranks,
    published_scores,
)
from ._statistics import verdicts_against

# Short names of methods that decompose many classes the paper's second way end in this.
ONE_VS_REST_ENDING = "_ovr"
# These need no decomposition: they stand in both of the paper's tables for many classes.
UNDIVIDED = ("aks_chi2", "rusboost", "adaboost_mlp")
# An order of fewer methods, and a correlation of fewer data sets, agrees or not by chance.
FEWEST_FOR_AGREEMENT = 6
# Where the paper's score of a set lies among those of our seeds.
INSIDE, BELOW, ABOVE = "inside", "below all", "above all"


@dataclass(frozen=True)
class BesidePaper:
    """One group, measure and scheme, ours and the paper's.

    Attributes
    ----------
    measure : str
    methods : tuple of str
        Short names.
    datasets : tuple of str
    ours, theirs : ndarray of shape (n_datasets, n_methods)
        Scores.
    printed : tuple of PublishedRank or None
        Ranks and verdicts that the paper prints, over all its data sets and methods; None where it
        prints none.
    outcomes : mapping from (data set, method) to Outcome
    """

    measure: str
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ours: FloatArray
    theirs: FloatArray
    printed: tuple[PublishedRank | None, ...]
    outcomes: dict[tuple[str, str], Outcome]

    @cached_property
    def our_ranks(self) -> FloatArray:
        """Average ranks over exactly these data sets and methods."""
        return average_ranks(self.ours)

    @cached_property
    def paper_ranks(self) -> FloatArray:
        """Average ranks of the paper's scores over the same."""
        return average_ranks(self.theirs)

    @property
    def differences(self) -> FloatArray:
        """Ours minus the paper's, both with the paper's digits."""
        return difference(self.ours, self.theirs)

    @property
    def agreement(self) -> float:
        """Spearman's correlation of the two rows of ranks; nan for fewer than six methods."""
        return _correlation(
            self.our_ranks, self.paper_ranks, lambda a, b: spearmanr(a, b).statistic
        )

    @property
    def own_draws(self) -> BoolArray:
        """Which data sets are our own draw from the paper's source."""
        return np.array([is_own_draw(name) for name in self.datasets])

    @property
    def control(self) -> int | None:
        """Column of the method that others are tested against: KPBoost of the same scheme."""
        names = [name.removesuffix(ONE_VS_REST_ENDING) for name in self.methods]
        return names.index(CONTROL) if CONTROL in names else None

    @property
    def has_tests(self) -> bool:
        """Whether there is a control, and a method to test against it."""
        return self.control is not None and len(self.methods) > 1

    def verdicts(self) -> tuple[list[str | None], list[str | None], list[str | None]]:
        """Verdicts of the signed rank test: ours, of the paper's scores on the same, and printed.

        None where there is no control, and for too few data sets.
        """
        printed = [None if each is None else each.hypothesis for each in self.printed]
        if self.control is None:
            return [None] * len(self.methods), [None] * len(self.methods), printed
        ours, theirs = (verdicts_against(own, self.control) for own in (self.ours, self.theirs))
        return ours, theirs, printed

    def column(self, method: str) -> tuple[FloatArray, FloatArray]:
        """Scores of a method, ours and the paper's."""
        place = self.methods.index(method)
        return self.ours[:, place], self.theirs[:, place]

    def correlation(self, method: str) -> float:
        """Pearson's correlation of ours and the paper's; nan for fewer than six data sets."""
        return _correlation(*self.column(method), lambda a, b: np.corrcoef(a, b)[0, 1])

    def by_seed(self, dataset: str, method: str) -> FloatArray:
        """Our scores of one cell with the paper's digits, seed by seed."""
        return np.round(self.outcomes[dataset, method].by_seed(self.measure), SCORE_DIGITS)

    def among_seeds(self, dataset: str, method: str) -> str | None:
        """Where the paper's score of one cell lies among those of our seeds; None for one seed."""
        ours = self.by_seed(dataset, method)
        if ours.size < 2:
            return None
        paper = self.theirs[self.datasets.index(dataset), self.methods.index(method)]
        return BELOW if paper < ours.min() else ABOVE if paper > ours.max() else INSIDE


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
        None if there is no method and data set that both have.
    """
    names = [name for name in comparison.datasets if published_group(name) == group]
    methods = [name for name in comparison.methods if _belongs(name, scheme)]
    known = _known(comparison, measure, names, methods, scheme)
    shared = comparison.shared(measure, names, known)
    if not shared.scores.size:
        return None
    titles = [paper_title(comparison.title(name)) for name in shared.methods]
    printed = published_ranks(group, measure, scheme=scheme)
    return BesidePaper(
        measure=measure,
        methods=shared.methods,
        datasets=shared.datasets,
        ours=shared.scores,
        theirs=published_scores(measure, shared.datasets, titles, scheme=scheme),
        printed=tuple(printed.get(title) for title in titles),
        outcomes={(each.dataset, each.method): each for each in comparison.outcomes},
    )


# By measure.
Parts = Mapping[str, BesidePaper]


def beside_by_scheme(comparison: Comparison, group: str) -> dict[str, Parts]:
    """Set ours beside the paper's scores in all measures, for every scheme of a group.

    Methods that need no scheme stand in both of the paper's tables; alone, they are shown once.
    """
    schemes = (ONE_VS_ONE, ONE_VS_ALL) if group.startswith("multi") else (ONE_VS_ONE,)
    found = {scheme: _parts(comparison, group, scheme) for scheme in schemes}
    there = {scheme: parts for scheme, parts in found.items() if parts}
    own = {scheme: parts for scheme, parts in there.items() if _has_own(parts)}
    return own or dict(list(there.items())[:1])


def _parts(comparison: Comparison, group: str, scheme: str) -> Parts:
    found = {name: beside_paper(comparison, name, group, scheme=scheme) for name in PAPER_MEASURES}
    return {name: part for name, part in found.items() if part is not None}


def _has_own(parts: Parts) -> bool:
    return any(name not in UNDIVIDED for part in parts.values() for name in part.methods)


def _known(
    comparison: Comparison,
    measure: str,
    datasets: Sequence[str],
    methods: Sequence[str],
    scheme: str,
) -> list[str]:
    """Return the methods that the paper has on all of these data sets."""
    titles = [paper_title(comparison.title(name)) for name in methods]
    theirs = published_scores(measure, datasets, titles, scheme=scheme)
    return [
        name
        for name, scores in zip(methods, theirs.T, strict=True)
        if len(datasets) and np.isfinite(scores).all()
    ]


def _belongs(method: str, scheme: str) -> bool:
    if method in UNDIVIDED:
        return True
    return method.endswith(ONE_VS_REST_ENDING) == (scheme == ONE_VS_ALL)


def difference(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return ours minus the paper's: both as they are printed, with four digits.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.reports._beside_paper import difference
    >>> difference(np.array([0.98764, 0.5]), np.array([0.9876, 0.75]))
    array([ 0.  , -0.25])
    """
    printed = np.round(ours, SCORE_DIGITS) - np.round(theirs, SCORE_DIGITS)
    return np.asarray(np.round(printed, SCORE_DIGITS))


def paper_title(title: str) -> str:
    """Name of a method in the paper: ours without the words for its decomposition."""
    return title.removesuffix(" one-vs-rest")


def _correlation(
    ours: FloatArray, theirs: FloatArray, of: Callable[[FloatArray, FloatArray], float]
) -> float:
    constant = np.ptp(ours) == 0 or np.ptp(theirs) == 0
    if ours.size < FEWEST_FOR_AGREEMENT or constant:
        return np.nan
    return float(of(ours, theirs))
