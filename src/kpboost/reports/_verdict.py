"""A comparison in a few sentences that anyone can read, with the doubt that belongs to them."""

from dataclasses import dataclass

import numpy as np

from kpboost._typing import FloatArray
from kpboost.metrics import average_ranks

from ._comparison import CONTROL, MAIN_MEASURE, SMALL_MEASURE, Comparison, Shared, best_places
from ._statistics import (
    DIFFERENT,
    DIGITS,
    FEWEST_FOR_TESTS,
    LEVEL,
    can_compare,
    duels,
    friedman_test,
    signed_rank_test,
)
from ._table import listed

# Folds of one data set share their training points: they are no sample that a test could use.
FOLDS_ARE_A_HINT = (
    "Folds of one data set are not an independent sample: a lead in most of them is a hint, "
    "not a proof."
)

# Who comes fourth or later is read off the table.
MOST_FOLLOWERS = 3


def single_heading(comparison: Comparison, shared: Shared) -> str:
    """Say who is the best on the one data set."""
    title = shared.measure.title
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
        *_small_parts_of_one(comparison),
        *_folds(comparison, shared.datasets[0], best, second),
    ]


def _small_parts_of_one(comparison: Comparison) -> list[str]:
    shared = comparison.shared(SMALL_MEASURE)
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
    return {fold.fold: fold.scores[MAIN_MEASURE] for fold in outcome.folds}


CHOSEN_INSIDE = (
    "Settings were chosen inside the training folds alone, so that these figures are what to "
    "expect on new data."
)
CHOSEN_ON_TEST = (
    "Settings were chosen on the very folds that are reported, as in the paper, which flatters "
    "methods with many settings: expect less on new data."
)
ONE_ALONE = "There is no other method to compare it with."
NOT_YET = (
    "Two methods have to finish one data set; the same command goes on where this run was, and "
    "failures are tried again on demand."
)
PROTOCOLS = {"nested": CHOSEN_INSIDE, "stated": CHOSEN_ON_TEST, "published": CHOSEN_ON_TEST}


@dataclass(frozen=True)
class Verdict:
    """What came out.

    Attributes
    ----------
    heading : str
        The result in one line.
    sentences : tuple of str
        What stands behind it.
    mood : {"good", "mixed"}
        Whether a test supports the heading.
    """

    heading: str
    sentences: tuple[str, ...]
    mood: str


def verdict(comparison: Comparison) -> Verdict:
    """Say who is the best in Gmean, by how much, and how sure that is."""
    shared = comparison.shared(MAIN_MEASURE)
    if shared.is_empty:
        return _without_rival(comparison)
    if len(shared.datasets) == 1:
        words = [*single_sentences(comparison, shared), _protocol(comparison)]
        return Verdict(single_heading(comparison, shared), tuple(words), "mixed")
    ranks = average_ranks(shared.scores)
    best = int(np.argmin(ranks))
    sentences = [
        _figures(comparison, shared, ranks),
        *_small_parts(comparison),
        _certainty(shared),
    ]
    if CONTROL in shared.methods and shared.methods[best] != CONTROL:
        sentences.append(_control(comparison, shared, best))
    sentences.append(_protocol(comparison))
    mood = "good" if _is_sure(shared) else "mixed"
    return Verdict(_heading(comparison, shared, ranks), tuple(sentences), mood)


def _without_rival(comparison: Comparison) -> Verdict:
    """Say what there is where nothing can be compared: one method, or nothing finished."""
    scores = comparison.scores[MAIN_MEASURE]
    finished = scores[np.isfinite(scores)]
    if len(comparison.methods) == 1 and finished.size:
        title = comparison.title(comparison.methods[0])
        where = "1 data set" if finished.size == 1 else f"{finished.size} data sets"
        heading = f"{title} alone: mean Gmean {finished.mean():.3f} on {where}"
        return Verdict(heading, (ONE_ALONE, _protocol(comparison)), "mixed")
    return Verdict("Nothing to compare yet", (NOT_YET,), "mixed")


def _protocol(comparison: Comparison) -> str:
    protocol = comparison.outcomes[0].protocol
    return PROTOCOLS.get(protocol, f"Protocol: {protocol}.")


def _heading(comparison: Comparison, shared: Shared, ranks: FloatArray) -> str:
    first = [comparison.title(shared.methods[k]) for k in np.flatnonzero(ranks == ranks.min())]
    names = listed(first)
    have = "has" if len(first) == 1 else "share"
    return f"{names} {have} the best average rank: {ranks.min():.2f} among {len(ranks)} methods"


def _figures(comparison: Comparison, shared: Shared, ranks: FloatArray) -> str:
    order = np.argsort(ranks, kind="stable")
    parts = [
        f"{comparison.title(shared.methods[k])} ({shared.scores[:, k].mean():.3f})"
        for k in order[:3]
    ]
    return (
        f"Mean Gmean over {len(shared.datasets)} data sets, best ranked first: {', '.join(parts)}."
    )


def _small_parts(comparison: Comparison) -> list[str]:
    """Say who does best on small disjuncts, where that is known."""
    shared = comparison.shared(SMALL_MEASURE)
    if shared.is_empty:
        return []
    ranks = average_ranks(shared.scores)
    first = best_places(-ranks)
    names = listed([comparison.title(shared.methods[k]) for k in first])
    means = listed([f"{shared.scores[:, k].mean():.3f}" for k in first])
    verb = "is" if len(first) == 1 else "are"
    return [
        f"On small disjuncts (GSDI) the best {verb} {names}: rank {ranks.min():.2f}, mean {means}."
    ]


def _certainty(shared: Shared) -> str:
    n_datasets = len(shared.datasets)
    if n_datasets < FEWEST_FOR_TESTS:
        few = f"{n_datasets} data sets are too few to tell one method from another"
        return f"{few}: take the order as a hint."
    if not can_compare(shared.scores):
        p_value = signed_rank_test(*shared.scores.T).p_value
        return f"Signed rank test of the two: p = {p_value:.3g}."
    p_value = friedman_test(shared.scores).p_value
    if p_value < LEVEL:
        return f"The methods differ (Friedman's test, p = {p_value:.2g})."
    return f"No difference between the methods can be seen (Friedman's test, p = {p_value:.2g})."


def _control(comparison: Comparison, shared: Shared, best: int) -> str:
    """Set KPBoost beside the winner, when it is not itself the winner."""
    column = shared.methods.index(CONTROL)
    counts = duels(shared.scores)
    doubt = "" if len(shared.datasets) < FEWEST_FOR_TESTS else _doubt(shared, column, best)
    return (
        f"{comparison.title(CONTROL)} against {comparison.title(shared.methods[best])}: "
        f"{counts.wins[column, best]} won, {counts.ties[column, best]} tied, "
        f"{counts.losses[column, best]} lost{doubt}."
    )


def _doubt(shared: Shared, column: int, best: int) -> str:
    test = signed_rank_test(shared.scores[:, column], shared.scores[:, best])
    word = "significant" if test.verdict == DIFFERENT else "not significant"
    return f", which is {word} (signed rank test, p = {test.p_value:.2g})"


def _is_sure(shared: Shared) -> bool:
    enough = len(shared.datasets) >= FEWEST_FOR_TESTS and can_compare(shared.scores)
    return enough and friedman_test(shared.scores).p_value < LEVEL
