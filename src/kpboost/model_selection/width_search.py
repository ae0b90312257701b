"""What searches over kernel widths share: their checks, their folds, the walk over the widths.

Squared distances are computed once for the data set; a width takes one exponential over them.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from numpy.typing import ArrayLike

from kpboost import _parameters as parameters
from kpboost.ensemble.progress import progress
from kpboost.kernels import squared_distances
from kpboost.problems.gram_blocks import fits_dense
from kpboost.problems.training_set import TrainingSet

from .boosting_grid import Fold, FoldPlan
from .candidate_grid import Gamma
from .search_folds import check_splitting, folds_of_width, make_splits, plan_folds
from .search_scoring import check_scoring

Trial = TypeVar("Trial")


class WidthSearch(Protocol):
    """An estimator with the parameters that all these searches have."""

    cv: Any
    scoring: Any
    multi_class: str
    class_weight: Any
    pos_label: Any
    tol: float
    cache_size: float
    n_jobs: int | None
    verbose: int


def check_search(search: WidthSearch) -> None:
    """Refuse bad values of these parameters."""
    check_splitting(search.cv)
    check_scoring(search.scoring)
    parameters.check_choice("multi_class", search.multi_class, ("one_vs_one", "one_vs_rest"))
    parameters.check_class_weight(search.class_weight)
    parameters.check_positive("tol", search.tol)
    parameters.check_positive("cache_size", search.cache_size)
    parameters.check_n_jobs(search.n_jobs)
    parameters.check_verbose(search.verbose)


def check_size(search: WidthSearch, n: int, instead: str) -> None:
    """Refuse data whose squared distances do not fit; `instead` is what to do about it."""
    if not fits_dense(n, search.cache_size):
        raise ValueError(
            f"The squared distances of {n} points take {8 * n * n / 2**20:.0f} MB, above "
            f"cache_size={search.cache_size!r}; raise it, or {instead}, which needs no distances."
        )


def search_plans(search: WidthSearch, X: Any, y: ArrayLike, data: TrainingSet) -> list[FoldPlan]:
    """Return what every split of the data is before the kernel width is known."""
    return plan_folds(
        make_splits(search.cv, X, y, data),
        data,
        multi_class=search.multi_class,
        class_weight=search.class_weight,
        pos_label=search.pos_label,
    )


def over_widths(
    gammas: Sequence[Gamma],
    plans: Sequence[FoldPlan],
    data: TrainingSet,
    try_fold: Callable[[Fold, Callable[[], None]], Trial],
    *,
    verbose: int,
    title: str,
    steps_per_fold: int,
) -> list[list[Trial]]:
    """Try every kernel width on every fold.

    Parameters
    ----------
    gammas : sequence of float, "scale" or "auto"
        Kernel widths.
    plans : sequence of FoldPlan
        The splits.
    data : TrainingSet
        All points.
    try_fold : callable
        From a fold, and what to call after each of its steps, to what is known of it then.
    verbose, title
        Of the progress that is shown.
    steps_per_fold : int
        How often `try_fold` calls back.

    Returns
    -------
    list of lists
        By width and fold. Ctrl-C leaves the widths that are complete on all folds, with a warning;
        before the first is, KeyboardInterrupt is raised.
    """
    squared = squared_distances(data.points)
    trials: list[list[Trial]] = []
    with progress(verbose, title, len(gammas) * len(plans) * steps_per_fold) as on_step:
        try:
            for gamma in gammas:
                folds = folds_of_width(gamma, plans, squared, data)
                trials.append([try_fold(fold, on_step) for fold in folds])
        except KeyboardInterrupt:
            if not trials:
                raise
            warnings.warn(
                f"fit was interrupted; the choice is among {len(trials)} of "
                f"{len(gammas)} kernel widths.",
                stacklevel=4,  # here, the search's own method, its fit, who called it
            )
    return trials
