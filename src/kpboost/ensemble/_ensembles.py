"""What is kept of several boosted problems: arrays over shared support vectors.

Traces speak of the positive class of their problem; here everything is turned so that a positive
value speaks for the later class of a pair, or for the one class against the rest, as
scikit-learn has it. Values by training row are in the compact form of
:mod:`kpboost.problems._multiclass`.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.problems import BinaryProblem, GramSource, put, union_of_support
from kpboost.solvers import DualSolution, StopFlag, solve_dual

from ._boosting import BoostingTrace, ResolutionRule, boost, first_round_only

# Numbers of a trace that come once per round, and what stands for a round that was not done.
PER_ROUND = {
    "intercept": 0.0,
    "tpr": np.nan,
    "tnr": np.nan,
    "errors": np.nan,
    "weights": 0.0,
    "kept": 0.0,
    "n_iter": 0.0,
}


@dataclass(frozen=True, slots=True, eq=False)
class ProblemRecord:
    """What is kept of one problem's trace while the others are boosted.

    Attributes
    ----------
    rows : ndarray of shape (n_own,)
        Training rows of the problem.
    used : ndarray of shape (n_own_SV,)
        Which of them, by their place in ``rows``, support any round.
    dual_coef : ndarray of shape (n_rounds, n_own_SV)
        Their coefficients.
    log_scale : ndarray of shape (n_rounds, n_own)
    perturbation : ndarray of shape (n_rounds, n_own) or None
        None where new points do not inherit it.
    per_round : dict from str to ndarray of shape (n_rounds,)
        The entries of PER_ROUND.
    rule : str
        Which rule chose the rounds.
    vote_tpr, vote_tnr : float
        Rates of correct answers of the vote on the training points.
    interrupted : bool
    """

    rows: IndexArray
    used: IndexArray
    dual_coef: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray | None
    per_round: dict[str, FloatArray]
    rule: str
    vote_tpr: float
    vote_tnr: float
    interrupted: bool

    @property
    def n_rounds(self) -> int:
        """Number of rounds that were done."""
        return len(self.log_scale)


def record_of(
    trace: BoostingTrace, rows: IndexArray, *, with_perturbation: bool = False
) -> ProblemRecord:
    """Take from a trace what is kept; the rest of it can then be freed."""
    used = np.flatnonzero((trace.dual_coef != 0).any(axis=0))
    return ProblemRecord(
        rows=rows,
        used=used,
        dual_coef=trace.dual_coef[:, used],
        log_scale=trace.log_scale,
        perturbation=trace.perturbation if with_perturbation else None,
        per_round={name: np.asarray(getattr(trace, name), dtype=np.float64) for name in PER_ROUND},
        rule=trace.rule,
        vote_tpr=trace.vote_tpr,
        vote_tnr=trace.vote_tnr,
        interrupted=trace.interrupted,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Ensembles:
    """Rounds of all problems.

    Rounds that an interruption left out have weight 0, error NaN and coefficients 0.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Rows that support any round of any problem, class by class.
    dual_coef : ndarray of shape (n_slots, n_rounds, n_SV)
    log_scale : ndarray of shape (n_slots, n_rounds, n)
    perturbation : ndarray of shape (n_slots, n_rounds, n) or None
    intercept, tpr, tnr, errors, weights : ndarray of shape (n_problems, n_rounds)
    kept : ndarray of shape (n_problems, n_rounds)
    n_iter : ndarray of shape (n_problems, n_rounds)
    """

    support: IndexArray
    dual_coef: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray | None
    intercept: FloatArray
    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    n_iter: IndexArray


def gather(
    records: Sequence[ProblemRecord], signs: FloatArray, codes: IndexArray, table: IndexArray
) -> Ensembles:
    """Put the problems side by side.

    Parameters
    ----------
    records : sequence of ProblemRecord
    signs : ndarray of shape (n_problems,)
        +1 where the positive class of the problem is the one a positive value shall speak for.
    codes : ndarray of shape (n,)
        Number of each row's class.
    table : ndarray of shape (n_problems, n_classes)
        Slots, see :func:`~kpboost.problems._multiclass.slot_table`.

    Returns
    -------
    Ensembles
    """
    shape = (int(table.max()) + 1, max(each.n_rounds for each in records))
    support = union_of_support([each.rows[each.used] for each in records], codes)
    column = np.empty(codes.size, dtype=np.intp)
    column[support] = np.arange(support.size)
    inherits = records[0].perturbation is not None
    dual_coef = np.zeros((*shape, support.size))
    log_scale = np.zeros((*shape, codes.size))
    perturbation = np.zeros((*shape, codes.size)) if inherits else None
    for each, sign, slots in zip(records, signs, table, strict=True):
        own = slots[codes[each.rows]]
        put(dual_coef, sign * each.dual_coef, own[each.used], column[each.rows[each.used]])
        put(log_scale, each.log_scale, own, each.rows)
        if perturbation is not None and each.perturbation is not None:
            put(perturbation, each.perturbation, own, each.rows)
    per_round = {name: _padded(records, name, shape[1]) for name in PER_ROUND}
    return Ensembles(
        support=support,
        dual_coef=dual_coef,
        log_scale=log_scale,
        perturbation=perturbation,
        intercept=signs[:, None] * per_round["intercept"],
        tpr=per_round["tpr"],
        tnr=per_round["tnr"],
        errors=per_round["errors"],
        weights=per_round["weights"],
        kept=per_round["kept"].astype(bool),
        n_iter=per_round["n_iter"].astype(np.intp),
    )


def _padded(records: Sequence[ProblemRecord], name: str, n_rounds: int) -> FloatArray:
    """One line per problem, with what stands for the rounds that were not done at its end."""
    lines = np.full((len(records), n_rounds), PER_ROUND[name])
    for line, each in zip(lines, records, strict=True):
        line[: each.n_rounds] = each.per_round[name]
    return lines


Result = TypeVar("Result")

# Seconds between two looks at signals. Not every wait ends with one: not on Windows, and not where
# a library has asked the system to resume waits, as polars does.
SIGNAL_PERIOD = 0.1


def run_in_threads(tasks: Sequence[Callable[[StopFlag], Result]], n_threads: int) -> list[Result]:
    """Run the tasks and return their results in order.

    The solver releases Python's lock, so that threads over one shared Gram matrix use several
    processors. Python gives Ctrl-C to the main thread; here it raises a flag that every task
    gets as its argument, and waits for what the tasks make of it, also those still to begin:
    those that have something to return do so, and the first KeyboardInterrupt of another is raised.

    Parameters
    ----------
    tasks : sequence of callables
        Each takes a StopFlag.
    n_threads : int
        1 runs them one after the other, in this thread.

    Returns
    -------
    list
    """
    stop = StopFlag()
    if n_threads == 1 or len(tasks) == 1:
        return [task(stop) for task in tasks]
    with ThreadPoolExecutor(min(n_threads, len(tasks))) as pool:
        futures: list[Future[Result]] = []
        try:
            _submit_rest(pool, tasks, stop, futures)
            _wait_for(futures)
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            stop.set()
            _submit_rest(pool, tasks, stop, futures)
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after an error no other task begins,
            stop.set()  # and none goes on


def _submit_rest(
    pool: ThreadPoolExecutor,
    tasks: Sequence[Callable[[StopFlag], Result]],
    stop: StopFlag,
    futures: "list[Future[Result]]",
) -> None:
    """Submit the tasks that have no future yet: all, or those that Ctrl-C came before."""
    for task in tasks[len(futures) :]:
        futures.append(pool.submit(task, stop))


def _wait_for(futures: "Sequence[Future[Result]]") -> None:
    """Wait until all are done; an error in one of them is raised at once."""
    running = set(futures)
    while running:
        done, running = wait(running, SIGNAL_PERIOD, FIRST_EXCEPTION)
        for future in done:
            future.result()


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
        trace = _boosted(task, rows, y, first, on_round, stop)
    except KeyboardInterrupt:
        if first is None:
            raise
        stop.set()  # one Ctrl-C is for all problems, also for those still to come
        trace = first_round_only(first, y, task.weight[rows])
    return record_of(trace, rows, with_perturbation=task.with_perturbation)


def _boosted(
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
