"""Ask several models at the same time; the answers do not depend on how many at a time.

In processes, not threads: the slowest remedies are many small trees built from Python, and threads
would wait for each other. Models are begun from the last to the first, as the slowest recipes are
the last ones, and nobody should have to wait for one of them alone.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pickle import PicklingError

from joblib import effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor

from .out_of_fold import OutOfFold

Reply = OutOfFold | ValueError

# Seconds until Ctrl-C is noticed at the latest. Some packages, polars among them, handle signals
# in a way that does not end an endless wait.
PATIENCE = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to ask: its recipe's name, title and family, and how to get its answers."""

    name: str
    title: str
    family: str
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
