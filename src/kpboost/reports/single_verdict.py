"""One data set in words: who is the best on it, and in how many folds."""

import numpy as np

from .comparison import MAIN_MEASURE, MEASURES, Comparison, Shared, best_places
from .listed import listed
from .signed_rank import DIGITS

# Folds of one data set share their training points: they are no sample that a test could use.
FOLDS_ARE_A_HINT = (
    "Folds of one data set are no independent sample: a lead in most of them is a hint, "
    "not a proof."
)

# Who comes fourth or later is read off the table.
MOST_FOLLOWERS = 3


def single_heading(comparison: Comparison, shared: Shared) -> str:
    """Say who is the best on the one data set."""
    title = MEASURES[MAIN_MEASURE]
    names = [comparison.title(shared.methods[k]) for k in best_places(shared.scores[0])]
    does = "does" if len(names) == 1 else "do"
    score = f"{title} {shared.scores[0].max():.3f}"
    return f"{listed(names)} {does} best on {shared.datasets[0]}: {score}"


def single_sentences(comparison: Comparison, shared: Shared) -> list[str]:
    """Say who follows, in how many folds the best is ahead, and who is best on small disjuncts."""
    order = np.argsort(-shared.scores[0], kind="stable")
    scores = shared.scores[0]
    after = [k for k in order if k not in best_places(scores)][:MOST_FOLLOWERS]
    rest = [f"{comparison.title(shared.methods[k])} ({scores[k]:.3f})" for k in after]
    best, second = (shared.methods[k] for k in order[:2])
    return [
        *([f"Then {', '.join(rest)}."] if rest else []),
        *_small_parts(comparison),
        *_folds(comparison, shared.datasets[0], best, second),
    ]


def _small_parts(comparison: Comparison) -> list[str]:
    shared = comparison.shared("gsdi")
    if shared.is_empty:
        return []
    names = [comparison.title(shared.methods[k]) for k in best_places(shared.scores[0])]
    figure = f"{shared.scores[0].max():.3f}"
    return [f"Best on small disjuncts (GSDI): {listed(names)} ({figure})."]


def _folds(comparison: Comparison, dataset: str, best: str, second: str) -> list[str]:
    first, other = (_fold_scores(comparison, dataset, name) for name in (best, second))
    common = [fold for fold in first if fold in other]
    if len(common) < 2:
        return []
    gaps = np.round([first[fold] - other[fold] for fold in common], DIGITS)
    ahead, behind = int((gaps > 0).sum()), int((gaps < 0).sum())
    titles = comparison.title(best), comparison.title(second)
    return [
        f"Of {len(common)} folds, {titles[0]} is ahead of {titles[1]} in {ahead} and behind in "
        f"{behind}. {FOLDS_ARE_A_HINT}"
    ]


def _fold_scores(comparison: Comparison, dataset: str, method: str) -> dict[int, float]:
    outcome = next(
        each for each in comparison.outcomes if (each.dataset, each.method) == (dataset, method)
    )
    return {fold.fold: float(getattr(fold, MAIN_MEASURE)) for fold in outcome.folds}
