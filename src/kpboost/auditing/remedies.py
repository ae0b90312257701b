"""Models that may recognise what the audited one misses, and what they cost elsewhere.

The rows in question were chosen because the audited model failed on them under certain folds. By
luck alone another model, or the same one under other folds, would do better there. So the audited
model and all remedies answer again under new folds, and a remedy counts as help only if an exact
sign test on the rows in question says so after correction for the number of remedies. Whatever a
remedy chooses, it chooses inside the training rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from kpboost.metrics import clopper_pearson

from .chance import LEVEL
from .out_of_fold import OutOfFold
from .parts import Parts
from .records import ClassFinding, DisjunctFinding, Remedies, Remedy
from .scoring import holm, scores_of

IndexArray = NDArray[np.intp]

# Differences of recall below this are called equal in words.
SAME = 0.02


@dataclass(frozen=True, slots=True)
class Candidate:
    """A remedy to try: its recipe's name, title and family, and how to get its answers."""

    name: str
    title: str
    family: str
    answer: Callable[[], OutOfFold]


def question_of(
    disjuncts: Sequence[DisjunctFinding], classes: Sequence[ClassFinding], codes: IndexArray
) -> tuple[tuple[str, ...], IndexArray]:
    """Names and rows of what is to be improved: flagged disjuncts, missed and weak classes."""
    names: list[str] = []
    asked = np.zeros(codes.size, dtype=np.bool_)
    for disjunct in disjuncts:
        if disjunct.missed:
            names.append(disjunct.name)
            asked[list(disjunct.rows)] = True
    for code, finding in enumerate(classes):
        if finding.status != "fine":
            names.append(f"class {finding.label}")
            asked[codes == code] = True
    return tuple(names), np.flatnonzero(asked)


def try_remedies(
    audited: Candidate,
    candidates: Sequence[Candidate],
    codes: IndexArray,
    parts: Parts,
    names: Sequence[str],
    question: tuple[tuple[str, ...], IndexArray],
    disjuncts: Sequence[DisjunctFinding],
) -> Remedies:
    """Try all candidates on the rows in question.

    Parameters
    ----------
    audited : Candidate
        The audited model, under the new folds.
    candidates : sequence of Candidate
        The remedies, under the same folds.
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    parts : Parts
        The disjuncts.
    names : sequence of str
        Names of the classes.
    question : tuple of (names, rows)
        What is to be improved.
    disjuncts : sequence of DisjunctFinding
        Flagged ones get a recall of their own.

    Returns
    -------
    Remedies
    """
    what, rows = question
    before = audited.answer()
    answers, failed = _answers(candidates)
    chances = holm([sign_test(*_changes(after, before, codes, rows)) for after in answers.values()])
    tried = [
        _remedy(candidate, answers[candidate.name], before, codes, parts, names, rows, p, disjuncts)
        for candidate, p in zip(
            [each for each in candidates if each.name in answers], chances, strict=True
        )
    ]
    tried.sort(key=lambda each: (not each.helps, -worth(each)))
    helpful = [each.scores.name for each in tried if each.helps]
    hit = before.predicted == codes
    recall_before = float(hit[rows].mean())
    return Remedies(
        question=what,
        n_rows=int(rows.size),
        before=scores_of(audited.name, audited.title, before, codes, parts, names),
        recall_before=recall_before,
        tried=tuple(tried),
        failed=failed,
        recommended=helpful[0] if helpful else "",
        kpboost=kpboost_sentence(tried, recall_before),
    )


def sign_test(n_gained: int, n_lost: int) -> float:
    """Chance of at least so many gains among the changes if gains and losses are equally likely."""
    return float(binom.sf(n_gained - 1, n_gained + n_lost, 0.5)) if n_gained else 1.0


def worth(remedy: Remedy) -> float:
    """Return what the order of the remedies goes by: what is gained, less what it costs elsewhere.

    Both are shares, of the rows in question and of all others. A remedy that recognises a rare
    class by giving up half of a common one is not the best, however rare the class.
    """
    return remedy.recall + remedy.elsewhere


def kpboost_sentence(tried: Sequence[Remedy], recall_before: float) -> str:
    """Say how KPBoost did beside the best of the others."""
    ours = [each for each in tried if each.family == "kpboost"]
    others = [each for each in tried if each.family != "kpboost"]
    if not ours or not others:
        return ""
    best, rival = max(ours, key=worth), max(others, key=worth)
    facts = (
        f"{best.scores.title} recognises {best.recall:.0%} of the rows in question "
        f"(balanced accuracy {best.scores.auc:.3f} over all rows), {rival.scores.title} "
        f"{rival.recall:.0%} ({rival.scores.auc:.3f})"
    )
    gap = worth(best) - worth(rival)
    if gap < -SAME:
        return f"KPBoost loses here: {facts}."
    return (
        f"KPBoost is ahead here: {facts}." if gap > SAME else f"KPBoost is on a par here: {facts}."
    )


def _answers(candidates: Sequence[Candidate]) -> tuple[dict[str, OutOfFold], dict[str, str]]:
    answers: dict[str, OutOfFold] = {}
    failed: dict[str, str] = {}
    for candidate in candidates:
        try:
            answers[candidate.name] = candidate.answer()
        except ValueError as error:  # a remedy that cannot learn these data is a finding too
            failed[candidate.name] = str(error)
    return answers, failed


def _changes(
    after: OutOfFold, before: OutOfFold, codes: IndexArray, rows: IndexArray
) -> tuple[int, int]:
    was, now = before.predicted[rows] == codes[rows], after.predicted[rows] == codes[rows]
    return int((now & ~was).sum()), int((was & ~now).sum())


def _remedy(
    candidate: Candidate,
    after: OutOfFold,
    before: OutOfFold,
    codes: IndexArray,
    parts: Parts,
    names: Sequence[str],
    rows: IndexArray,
    p_value: float,
    disjuncts: Sequence[DisjunctFinding],
) -> Remedy:
    gained, lost = _changes(after, before, codes, rows)
    hit, was = after.predicted == codes, before.predicted == codes
    recall, elsewhere = float(hit[rows].mean()), _elsewhere(hit, was, rows)
    low, high = clopper_pearson(int(hit[rows].sum()), rows.size)
    return Remedy(
        scores=scores_of(candidate.name, candidate.title, after, codes, parts, names),
        recall=recall,
        low=float(low),
        high=float(high),
        n_gained=gained,
        n_lost=lost,
        p_value=p_value,
        # A gain that costs a larger share of the other rows is no help.
        helps=p_value <= LEVEL and recall + elsewhere > float(was[rows].mean()),
        elsewhere=elsewhere,
        disjunct_recalls={
            each.name: float(hit[list(each.rows)].mean()) for each in disjuncts if each.missed
        },
        family=candidate.family,
    )


def _elsewhere(hit: NDArray[np.bool_], was: NDArray[np.bool_], rows: IndexArray) -> float:
    other = np.ones(hit.size, dtype=np.bool_)
    other[rows] = False
    return float(hit[other].mean() - was[other].mean()) if other.any() else 0.0
