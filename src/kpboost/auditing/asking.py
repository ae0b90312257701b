"""Ask several models at the same time; the answers do not depend on how many at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from .out_of_fold import OutOfFold


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to ask: its recipe's name, title and family, and how to get its answers."""

    name: str
    title: str
    family: str
    answer: Callable[[], OutOfFold]


def ask_all(
    candidates: Sequence[Candidate], n_jobs: int | None, begin: Callable[[Candidate], None]
) -> list[OutOfFold | ValueError]:
    """Answers of all candidates, or why one has none.

    Parameters
    ----------
    candidates : sequence of Candidate
        Models to ask.
    n_jobs : int or None
        How many at the same time, in threads: most of their work is compiled and lets others run.
    begin : callable
        Told of each candidate in turn, by the calling thread, once all before it have answered.

    Returns
    -------
    list of OutOfFold or ValueError
    """
    # Several libraries with several threads each would fight for the processors. The limit is set
    # around all models, as each restores on leaving what it has found on entering.
    with threadpool_limits(1):
        coming = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
            delayed(_answer)(candidate) for candidate in candidates
        )
        answers = []
        for candidate in candidates:
            begin(candidate)
            answers.append(next(coming))
    return answers


def _answer(candidate: Candidate) -> OutOfFold | ValueError:
    try:
        return candidate.answer()
    except ValueError as error:  # a model that cannot learn these data is a finding too
        return error
