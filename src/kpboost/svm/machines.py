"""The machines of one classification: trained, gathered over shared support vectors, and heard."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.binary_problems import BinaryProblem
from kpboost.problems.gram_blocks import GramSource
from kpboost.problems.support import union_of_support
from kpboost.problems.votes import one_vs_one_scores
from kpboost.solvers import DualSolution, solve_dual

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

ONE_VS_ONE, ONE_VS_REST = "one_vs_one", "one_vs_rest"


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """Machines over the union of their support vectors; one row or entry per machine.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Rows that support any machine, class by class, ascending within a class.
    dual_coef : ndarray of shape (n_machines, n_SV)
        Signed dual coefficients, zero where a row is not in a machine's problem.
    intercept : ndarray of shape (n_machines,)
        Offsets of the decision functions.
    n_iter : ndarray of shape (n_machines,)
        Iterations of the solver.
    """

    support: IndexArray
    dual_coef: FloatArray
    intercept: FloatArray
    n_iter: IndexArray


def train_machines(
    problems: Iterable[BinaryProblem],
    gram: GramSource,
    bounds: FloatArray,
    codes: IndexArray,
    starts: Iterable[FloatArray | None],
    *,
    tol: float,
    max_iter: int | None,
) -> Machines:
    """Solve each problem on its Gram matrix.

    Parameters
    ----------
    problems : iterable of BinaryProblem
        Rows and targets of the problems.
    gram : callable
        From row indices to the Gram matrix of those rows.
    bounds : ndarray of shape (n,)
        Upper bounds of the dual coefficients.
    codes : ndarray of shape (n,)
        Number of each row's class, which orders the support vectors.
    starts : iterable of ndarray of shape (n,) or None
        Where each solve starts, at least as many as problems; None is a cold start.
    tol, max_iter : float, int or None
        Of the solver.

    Returns
    -------
    Machines
    """
    rows, solutions = [], []
    for problem, start in zip(problems, starts, strict=False):
        rows.append(problem.rows)
        solutions.append(
            solve_dual(
                gram(problem.rows),
                problem.target,
                bounds[problem.rows],
                start=None if start is None else start[problem.rows],
                tol=tol,
                max_iter=max_iter,
            )
        )
    return _gather(rows, solutions, codes)


def spread_rows(dual_coef: FloatArray, support: IndexArray, n: int) -> Iterator[FloatArray]:
    """Undo the gathering: each machine's coefficients with one entry per training point."""
    for coefficients in dual_coef:
        full = np.zeros(n)
        full[support] = coefficients
        yield full


def class_scores(values: FloatArray, n_classes: int, splitting: str) -> FloatArray:
    """Decision values of the machines as scores of the classes, in scikit-learn's form.

    Parameters
    ----------
    values : ndarray of shape (n, n_machines)
    n_classes : int
    splitting : str
        Into what more than two classes were split; but for "one_vs_one" every class has a machine
        of its own.

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        For two classes the values of their one machine, positive for the second class.
    """
    if n_classes == 2:
        return np.asarray(values[:, 0])
    return one_vs_one_scores(values, n_classes) if splitting == ONE_VS_ONE else values


def _gather(
    rows: Sequence[IndexArray], solutions: Sequence[DualSolution], codes: IndexArray
) -> Machines:
    """Collect the solutions in one matrix over the union of their support vectors."""
    supports = [each[solution.support] for each, solution in zip(rows, solutions, strict=True)]
    union = union_of_support(supports, codes)
    column = np.empty(codes.size, dtype=np.intp)
    column[union] = np.arange(union.size)
    dual_coef = np.zeros((len(solutions), union.size))
    for machine, (support, solution) in enumerate(zip(supports, solutions, strict=True)):
        dual_coef[machine, column[support]] = solution.dual_coef[solution.support]
    return Machines(
        support=union,
        dual_coef=dual_coef,
        intercept=np.array([solution.intercept for solution in solutions]),
        n_iter=np.array([solution.n_iter for solution in solutions], dtype=np.intp),
    )
