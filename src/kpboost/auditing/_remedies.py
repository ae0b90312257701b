"""Models that may recognise what the audited one misses, and what they cost elsewhere.

The rows in question were chosen because the audited model failed on them under certain folds. By
luck alone another model, or the same one under other folds, would do better there. So the audited
model and all remedies answer again under new folds, and a remedy counts as help only if an exact
sign test on the rows in question says so after correction for the number of remedies. Whatever a
remedy chooses, it chooses inside the training rows.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pickle import PicklingError

import numpy as np
from joblib import effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor
from numpy.typing import NDArray
from scipy.stats import binom

from kpboost._typing import IndexArray
from kpboost.methods import METHODS
from kpboost.metrics import clopper_pearson

from ._data import Parts
from ._models import OutOfFold
from ._records import ClassFinding, DisjunctFinding, Remedies, Remedy
from ._scoring import holm, scores_of
from ._significance import LEVEL

Reply = OutOfFold | ValueError

# Seconds until Ctrl-C is noticed at the latest. Some packages, polars among them, handle signals
# in a way that does not end an endless wait.
PATIENCE = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to ask: its name and title, and how to get its answers."""

    name: str
    title: str
    answer: Callable[[], OutOfFold]


def ask_all(
    candidates: Sequence[Candidate], n_jobs: int | None, begin: Callable[[Candidate], None]
) -> list[Reply]:
    """Answers of all candidates, or why one has none.

    Parameters
    ----------
    candidates : sequence of Candidate
        Models to ask.
    n_jobs : int or None
        How many at the same time; None for one.
    begin : callable
        Told of each candidate, the last one first, when all before it have answered; told again
        where all have to be asked again.

    Returns
    -------
    list of OutOfFold or ValueError
    """
    last_first = list(reversed(candidates))
    n_workers = _workers(n_jobs, len(candidates))
    if n_workers > 1:
        try:
            return _in_processes(last_first, n_workers, begin)[::-1]
        except (PicklingError, BrokenExecutor):
            pass  # a user's model that cannot be sent, or a process that was killed
    return _one_by_one(last_first, begin)[::-1]


def _workers(n_jobs: int | None, n_candidates: int) -> int:
    return 1 if n_jobs is None else min(int(effective_n_jobs(n_jobs)), n_candidates)


def _one_by_one(candidates: Sequence[Candidate], begin: Callable[[Candidate], None]) -> list[Reply]:
    replies = []
    for candidate in candidates:
        begin(candidate)
        replies.append(_answer(candidate))
    return replies


def _in_processes(
    candidates: Sequence[Candidate], n_workers: int, begin: Callable[[Candidate], None]
) -> list[Reply]:
    futures: list[Future[Reply]] = []
    with _pool(n_workers) as pool:
        for number, candidate in enumerate(candidates):
            begin(candidate)
            while number >= len(futures) or not futures[number].done():
                running = [each for each in futures if not each.done()]
                # No more than there are processes: on Ctrl-C nothing must be left in a queue.
                begun = candidates[len(futures) :][: n_workers - len(running)]
                new = [pool.submit(_answer, each) for each in begun]
                futures += new
                wait([*running, *new], PATIENCE, FIRST_COMPLETED)
        return [future.result() for future in futures]


@contextmanager
def _pool(n_workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes, and end them whatever happens, Ctrl-C included."""
    # A warning from there would not say which model it is about.
    pool = ProcessPoolExecutor(n_workers, initializer=warnings.simplefilter, initargs=("ignore",))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _answer(candidate: Candidate) -> Reply:
    try:
        return candidate.answer()
    except ValueError as error:  # a model that cannot learn these data is a finding too
        return error


# Differences of worth below this are called equal in words.
SAME = 0.02


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
    audited: tuple[Candidate, OutOfFold],
    answered: Sequence[tuple[Candidate, OutOfFold | ValueError]],
    codes: IndexArray,
    parts: Parts,
    names: Sequence[str],
    question: tuple[tuple[str, ...], IndexArray],
    disjuncts: Sequence[DisjunctFinding],
) -> Remedies:
    """Compare all candidates on the rows in question.

    Parameters
    ----------
    audited : tuple of (Candidate, OutOfFold)
        The audited model and its answers under the new folds.
    answered : sequence of (Candidate, OutOfFold or ValueError)
        The remedies and their answers under the same folds, or why they have none.
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
    model, before = audited
    known = [(one, after) for one, after in answered if isinstance(after, OutOfFold)]
    chances = holm([sign_test(*_changes(after, before, codes, rows)) for _, after in known])
    tried = [
        _remedy(one, after, before, codes, parts, names, rows, p, disjuncts)
        for (one, after), p in zip(known, chances, strict=True)
    ]
    tried.sort(key=_rank)
    recommended = tried[0] if tried and tried[0].helps else None
    return Remedies(
        question=what,
        n_rows=int(rows.size),
        before=scores_of(model.name, model.title, before, codes, parts, names),
        recall_before=float((before.predicted == codes)[rows].mean()),
        tried=tuple(tried),
        failed={one.name: str(why) for one, why in answered if isinstance(why, ValueError)},
        recommended=recommended.scores.name if recommended else "",
        kpboost=kpboost_sentence(tried, recommended),
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


def kpboost_sentence(tried: Sequence[Remedy], recommended: Remedy | None) -> str:
    """Say how KPBoost did beside the recommended remedy, or beside the others if it is the one."""
    ours = [each for each in tried if _is_kpboost(each)]
    others = [each for each in tried if not _is_kpboost(each)]
    if not ours or not others:
        return ""
    best, rival = min(ours, key=_rank), min(others, key=_rank)
    facts = (
        f"{quoted(best.scores.title)} recognises {best.recall:.0%} of the rows in question "
        f"(balanced accuracy {best.scores.balanced_accuracy:.2f} over all rows)"
        f"{'' if best.helps else f', but {why_no_help(best)}'}"
    )
    if recommended is None:
        return f"KPBoost does not help here either: {facts}."
    who = "the recommended" if rival is recommended else "the best of the others,"
    rest = f"{rival.recall:.0%} ({rival.scores.balanced_accuracy:.2f})"
    return (
        f"KPBoost {_place(best, rival)} here: {facts}; {who} {quoted(rival.scores.title)} {rest}."
    )


def _is_kpboost(remedy: Remedy) -> bool:
    method = METHODS.get(remedy.scores.name)
    return method is not None and method.is_kpboost


def _place(best: Remedy, rival: Remedy) -> str:
    gap = worth(best) - worth(rival)
    if not best.helps or gap < -SAME:
        return "loses"
    return "is ahead" if gap > SAME or not rival.helps else "is on a par"


def quoted(title: str) -> str:
    """Put a title of several words and commas between quotes."""
    return f"“{title}”" if "," in title else title


def why_no_help(remedy: Remedy) -> str:
    """Say why a remedy is none."""
    if remedy.n_gained <= remedy.n_lost:
        return "no more than before"
    if remedy.p_value > LEVEL:
        return "the gain may be luck"
    return f"the gain costs {-remedy.elsewhere:.1%} of all other rows"


def _rank(remedy: Remedy) -> tuple[bool, float]:
    """Order from the best to the worst."""
    return not remedy.helps, -worth(remedy)


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
    )


def _elsewhere(hit: NDArray[np.bool_], was: NDArray[np.bool_], rows: IndexArray) -> float:
    other = np.ones(hit.size, dtype=np.bool_)
    other[rows] = False
    return float(hit[other].mean() - was[other].mean()) if other.any() else 0.0
