"""Several problems boosted together: what is kept of them, threads, and trials of a search.

Traces speak of the positive class of their problem; here everything is turned so that a positive
value speaks for the later class of a pair, or for the one class against the rest, as
scikit-learn has it. Values by training row are in the compact form of
:mod:`kpboost.problems._multiclass`.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kpboost import _core
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.problems import BinaryProblem, put
from kpboost.solvers import (
    DEFAULT_MAX_ITER,
    DualProblem,
    DualSolution,
    StopFlag,
    several_threads,
    solve_dual,
    warn_of_gap,
)

from ._boosting import (
    BoostingTrace,
    ClassRates,
    ResolutionRule,
    boost,
    first_round_only,
    select_rounds,
)
from ._voting import HARD, perturbed_values


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
    traces: Sequence[BoostingTrace],
    rows: Sequence[IndexArray],
    signs: FloatArray,
    codes: IndexArray,
    table: IndexArray,
    *,
    inherits: bool,
) -> Ensembles:
    """Put the problems side by side.

    Parameters
    ----------
    traces : sequence of BoostingTrace
    rows : sequence of ndarray
        Training rows of each problem.
    signs : ndarray of shape (n_problems,)
        +1 where the positive class of the problem is the one a positive value shall speak for.
    codes : ndarray of shape (n,)
        Number of each row's class.
    table : ndarray of shape (n_problems, n_classes)
        Slots, see :func:`~kpboost.problems._multiclass.slot_table`.
    inherits : bool
        Whether new points will inherit the perturbation.

    Returns
    -------
    Ensembles
    """
    shape = (int(table.max()) + 1, max(trace.n_rounds for trace in traces), codes.size)
    dual_coef, log_scale = np.zeros(shape), np.zeros(shape)
    perturbation = np.zeros(shape) if inherits else None
    for trace, own, sign, slots in zip(traces, rows, signs, table, strict=True):
        at = slots[codes[own]]
        put(dual_coef, sign * trace.dual_coef, at, own)
        put(log_scale, trace.log_scale, at, own)
        if perturbation is not None:
            put(perturbation, trace.perturbation, at, own)
    used = np.flatnonzero(dual_coef.any(axis=(0, 1)))
    support = used[np.argsort(codes[used], kind="stable")]
    return Ensembles(
        support=support,
        dual_coef=dual_coef[:, :, support],
        log_scale=log_scale,
        perturbation=perturbation,
        intercept=signs[:, None] * _padded(traces, "intercept", 0.0),
        tpr=_padded(traces, "tpr", np.nan),
        tnr=_padded(traces, "tnr", np.nan),
        errors=_padded(traces, "errors", np.nan),
        weights=_padded(traces, "weights", 0.0),
        kept=_padded(traces, "kept", False),
        n_iter=_padded(traces, "n_iter", 0),
    )


def _padded(traces: Sequence[BoostingTrace], name: str, missing: Any) -> NDArray[Any]:
    """One line per problem, with what stands for the rounds that were not done at its end."""
    lines = [getattr(trace, name) for trace in traces]
    longest = max(map(len, lines))
    return np.array(
        [
            line if len(line) == longest else np.append(line, [missing] * (longest - len(line)))
            for line in lines
        ]
    )


Result = TypeVar("Result")

# Seconds between two looks at signals. Not every wait ends with one: not on Windows, and not where
# a library has asked the system to resume waits, as polars does.
SIGNAL_PERIOD = 0.1


class Threads:
    """Threads that run lists of tasks, one list after the other, and end with its context.

    The solver releases Python's lock, so that threads over one shared Gram matrix use several
    processors. To start a thread can take milliseconds where others are busy: small tasks come in
    lists for the same threads.

    Parameters
    ----------
    n_threads : int
        1 runs the tasks one after the other, in the thread that asks.
    """

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads)  # a thread starts when there is a task for it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def run(self, tasks: Sequence[Callable[[StopFlag], Result]]) -> list[Result]:
        """Run the tasks and return their results in order.

        Python gives Ctrl-C to the main thread; here it raises a flag that every task gets as its
        argument, and waits for what the tasks make of it, also those still to begin: those that
        have something to return do so, and the first KeyboardInterrupt of another is raised.
        """
        stop = StopFlag()
        if self._n_threads == 1 or len(tasks) == 1:
            return [task(stop) for task in tasks]
        futures: list[Future[Result]] = []
        try:
            _submit_rest(self._pool, tasks, stop, futures)
            _wait_for(futures)
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            stop.set()
            _submit_rest(self._pool, tasks, stop, futures)
            return [future.result() for future in futures]
        finally:
            for future in futures:  # after an error no other task begins,
                future.cancel()
            stop.set()  # and none goes on


def run_in_threads(tasks: Sequence[Callable[[StopFlag], Result]], n_threads: int) -> list[Result]:
    """Run one list of tasks in threads of its own, as :meth:`Threads.run`.

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
    with Threads(min(n_threads, max(len(tasks), 1))) as threads:
        return threads.run(tasks)


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


# In the place of what no one reads any more.
FREED = np.empty((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTask:
    """All two-class problems of one fit.

    Attributes
    ----------
    problems : sequence of BinaryProblem
    signs : ndarray of shape (n_problems,)
        +1 where the target +1 is the positive class.
    gram_of : callable
        From the number of a problem to the Gram matrix of its rows.
    rule_of : callable
        From the number of a problem to the rule of who loses resolution.
    bounds, weight : ndarray of shape (n,)
        Upper bounds of the dual coefficients, and sample weights.
    as_new : bool
        Whether rounds are judged by what training points get as new points.
    step : float
    n_rounds : int
    tol : float
    inherits : bool
        Whether new points will inherit the perturbation.
    voting : {"hard", "soft"}
        Which vote is judged on the training points.
    on_round : callable or None
        Called after every round.
    """

    problems: Sequence[BinaryProblem]
    signs: FloatArray
    gram_of: Callable[[int], Any]
    rule_of: Callable[[int], ResolutionRule]
    bounds: FloatArray
    weight: FloatArray
    as_new: bool
    step: float
    n_rounds: int
    tol: float
    inherits: bool
    voting: str = HARD
    on_round: Callable[[], None] | None = None

    def first_round(self, p: int, stop: StopFlag) -> DualSolution:
        """Solve round 1, the plain SVM, of one problem."""
        if stop.is_set():  # short solves never look at it
            raise KeyboardInterrupt
        bounds = self.bounds[self.problems[p].rows]
        solution = solve_dual(self.gram_of(p), self._target(p), bounds, tol=self.tol, stop=stop)
        if self.on_round is not None:
            self.on_round()
        return solution

    def boost(self, p: int, first: DualSolution | None, stop: StopFlag) -> BoostingTrace:
        """Run the rounds of one problem."""
        rows = self.problems[p].rows
        return boost(
            self.gram_of(p),
            self._target(p),
            self.bounds[rows],
            step=self.step,
            n_rounds=self.n_rounds,
            rule=self.rule_of(p),
            as_new=self.as_new,
            voting=self.voting,
            weight=self.weight[rows],
            first=first,
            tol=self.tol,
            stop=stop,
            on_round=self.on_round,
        )

    def boost_or_keep_first(
        self, p: int, first: DualSolution | None, stop: StopFlag
    ) -> BoostingTrace:
        """Run the rounds of one problem; Ctrl-C leaves at least a first round that is known.

        While the other problems are boosted, only what :func:`gather` reads is kept.
        """
        try:
            if stop.is_set():
                raise KeyboardInterrupt
            trace = self.boost(p, first, stop)
        except KeyboardInterrupt:
            if first is None:
                raise
            stop.set()  # one Ctrl-C is for all problems, also for those still to come
            weight = self.weight[self.problems[p].rows]
            trace = first_round_only(first, self._target(p), weight)
        perturbation = trace.perturbation if self.inherits else FREED
        return replace(trace, decision=FREED, judged=FREED, perturbation=perturbation)

    def _target(self, p: int) -> FloatArray:
        return np.asarray(self.signs[p] * self.problems[p].target)


def boost_problems(task: BoostingTask, *, n_threads: int) -> list[BoostingTrace]:
    """Run the rounds of every problem.

    Parameters
    ----------
    task : BoostingTask
    n_threads : int
        Problems at a time; threads share the work of a single one. The result does not depend on
        it.

    Returns
    -------
    list of BoostingTrace
        After Ctrl-C with fewer rounds, at least one; before every problem has its first round
        KeyboardInterrupt is raised.
    """
    numbers = range(len(task.problems))
    firsts: Sequence[DualSolution | None] = [None]
    if len(numbers) > 1:
        firsts = run_in_threads([partial(task.first_round, p) for p in numbers], n_threads)
    runs = [
        partial(task.boost_or_keep_first, p, first)
        for p, first in zip(numbers, firsts, strict=True)
    ]
    if len(runs) > 1:
        return run_in_threads(runs, n_threads)
    with several_threads(n_threads):
        return run_in_threads(runs, 1)


# ---- the candidates of a search -----------------------------------------------------------------
# On small data a candidate takes a millisecond, and what Python does for it, one thread at a time,
# is to be little. So labels and bounds are checked once for all steps, the compiled call
# (cpp/boosting/trial.cpp) runs all two-class problems and asks their rounds about training and test
# points, and the rounds of all of them are chosen at once.


@dataclass(frozen=True, slots=True, eq=False)
class RegionsOfInfluence:
    """What KPBoostROI knows of a two-class problem and its test points, at any kernel width.

    Attributes
    ----------
    regions : ndarray of uint8 of shape (n_own, ceil(n_own / 8))
        See :meth:`~kpboost.ensemble._boosting.OutsideRegions.regions`.
    nearest : ndarray of shape (n_test,)
        Place of the point nearest to each test point.
    """

    regions: NDArray[np.uint8]
    nearest: IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class TrialProblem:
    """What the candidates of one C and one scale of regions share of a two-class problem.

    Attributes
    ----------
    dual : DualProblem
        On a DenseGram; the target +1 is the positive class.
    first : DualSolution
        Round 1, the plain SVM.
    weight : ndarray of shape (n_own,)
        Sample weights.
    rows : ndarray of shape (n_own,)
        Where the points stand among the training points; ascending.
    influence : RegionsOfInfluence or None
        None is KPBoost, where every correctly classified point loses resolution.
    """

    dual: DualProblem
    first: DualSolution
    weight: FloatArray
    rows: IndexArray
    influence: RegionsOfInfluence | None


@dataclass(frozen=True, slots=True, eq=False)
class TriedStep:
    """The rounds of a candidate at the test points.

    Attributes
    ----------
    values : ndarray of shape (n_test, n_problems, n_rounds)
        Decision values, positive for the positive class.
    weights : ndarray of shape (n_problems, n_rounds)
        alpha; zero for the rounds that were not kept.
    n_without_voters : int
        Number of problems in which no round met the conditions for voting.
    """

    values: FloatArray
    weights: FloatArray
    n_without_voters: int


class BoostingTrials:
    """All two-class problems of a fold, ready for candidates that differ in their step.

    Parameters
    ----------
    problems : sequence of TrialProblem
    test_kernel : ndarray of shape (n_test, n_train)
        K^0 between test and training points.
    as_new : bool
        Whether rounds are judged by what training points get as new points.
    n_rounds : int
    tol : float
    """

    def __init__(
        self,
        problems: Sequence[TrialProblem],
        test_kernel: FloatArray,
        *,
        as_new: bool,
        n_rounds: int,
        tol: float,
    ) -> None:
        self.tol = tol
        self._compiled = _core.BoostingTrials(test_kernel, as_new, n_rounds, tol, DEFAULT_MAX_ITER)
        for each in problems:
            self._add(each)

    def _add(self, problem: TrialProblem) -> None:
        first = problem.first
        self._compiled.add(
            problem.dual.gram,
            problem.dual.target,
            problem.dual.bound,
            problem.weight,
            first.dual_coef,
            first.decision,
            first.intercept,
            first.gap,
            first.rounding,
            first.n_iter,
            problem.rows,
            None if problem.influence is None else problem.influence.regions,
            None if problem.influence is None else problem.influence.nearest,
        )

    def run(self, step: float, stop: StopFlag) -> TriedStep:
        """Boost all problems with one perturbation step; may be called from several threads."""
        if stop.is_set():  # short rounds never look at it
            raise KeyboardInterrupt
        tpr, tnr, sums, inherited, intercept, failed = self._compiled.run(step, stop)
        for status, n_iter, gap in failed:
            warn_of_gap(status, n_iter, gap, self.tol)
        selection = select_rounds(ClassRates(tpr, tnr).error, tpr)
        return TriedStep(
            sums + intercept if inherited is None else perturbed_values(sums, intercept, inherited),
            selection.weights,
            int((selection.rule == "best_only").sum()),
        )
