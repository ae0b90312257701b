"""Boosting of all two-class problems of one fit, so that Ctrl-C leaves an ensemble behind.

Several problems solve round 1, the plain SVM, before any of them goes on: from then on every
problem has something to answer with, whenever the rest is given up. A Gram matrix of a pair of
classes is asked for twice that way, which takes about as long as one more round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.binary_problems import BinaryProblem
from kpboost.problems.gram_blocks import GramSource
from kpboost.solvers import DualSolution, StopFlag, solve_dual

from .boosting import BoostingTrace, boost, first_round_only
from .gather import ProblemRecord, record_of
from .resolution import ResolutionRule
from .threads import run_in_threads

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTask:
    """What the problems of one fit have in common.

    Attributes
    ----------
    gram : callable
        From row indices to the Gram matrix of those rows.
    bounds, weight : ndarray of shape (n,)
        Upper bounds of the dual coefficients, and sample weights.
    rule_of : callable
        From targets and rows of a problem to the rule of who loses resolution.
    as_new : bool
        Whether rounds are judged by what training points get as new points.
    step : float
    n_rounds : int
    tol : float
    with_perturbation : bool
        Whether new points will inherit the perturbation.
    """

    gram: GramSource
    bounds: FloatArray
    weight: FloatArray
    rule_of: Callable[[FloatArray, IndexArray], ResolutionRule]
    as_new: bool
    step: float
    n_rounds: int
    tol: float
    with_perturbation: bool


def boost_problems(
    task: BoostingTask,
    problems: Sequence[BinaryProblem],
    signs: FloatArray,
    *,
    n_threads: int,
    on_round: Callable[[], None],
) -> list[ProblemRecord]:
    """Run the rounds of every problem.

    Parameters
    ----------
    task : BoostingTask
    problems : sequence of BinaryProblem
    signs : ndarray of shape (n_problems,)
        +1 where the target +1 is the positive class.
    n_threads : int
        Problems at a time; the result does not depend on it.
    on_round : callable
        Called after every round.

    Returns
    -------
    list of ProblemRecord
        After Ctrl-C with fewer rounds, at least one; before every problem has its first round
        KeyboardInterrupt is raised.
    """
    sides = [
        (problem.rows, sign * problem.target) for problem, sign in zip(problems, signs, strict=True)
    ]
    firsts: Sequence[DualSolution | None] = [None]
    if len(problems) > 1:
        firsts = run_in_threads(
            [partial(_first, task, *side, on_round) for side in sides], n_threads
        )
    runs = [
        partial(_run, task, *side, first, on_round)
        for side, first in zip(sides, firsts, strict=True)
    ]
    return run_in_threads(runs, n_threads)


def _first(
    task: BoostingTask,
    rows: IndexArray,
    y: FloatArray,
    on_round: Callable[[], None],
    stop: StopFlag,
) -> DualSolution:
    if stop.is_set():  # short solves never look at it
        raise KeyboardInterrupt
    solution = solve_dual(task.gram(rows), y, task.bounds[rows], tol=task.tol, stop=stop)
    on_round()
    return solution


def _run(
    task: BoostingTask,
    rows: IndexArray,
    y: FloatArray,
    first: DualSolution | None,
    on_round: Callable[[], None],
    stop: StopFlag,
) -> ProblemRecord:
    try:
        if stop.is_set():
            raise KeyboardInterrupt
        trace = _trace(task, rows, y, first, on_round, stop)
    except KeyboardInterrupt:
        if first is None:
            raise
        stop.set()  # one Ctrl-C is for all problems, also for those still to come
        trace = first_round_only(first, y, task.weight[rows])
    return record_of(trace, rows, with_perturbation=task.with_perturbation)


def _trace(
    task: BoostingTask,
    rows: IndexArray,
    y: FloatArray,
    first: DualSolution | None,
    on_round: Callable[[], None],
    stop: StopFlag,
) -> BoostingTrace:
    return boost(
        task.gram(rows),
        y,
        task.bounds[rows],
        step=task.step,
        n_rounds=task.n_rounds,
        rule=task.rule_of(y, rows),
        as_new=task.as_new,
        weight=task.weight[rows],
        first=first,
        tol=task.tol,
        stop=stop,
        on_round=on_round,
    )
