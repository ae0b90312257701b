"""Decision values of the rounds at new points: one kernel pass answers all of them.

The sum over a problem's support vectors is made class by class. The support vectors of a class
meet the coefficients of the problems that the class takes part in and no others, so that each
product of a kernel value and a coefficient is one that counts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels
from kpboost.problems.kernel_use import Kernel, is_precomputed, kernel_sums
from kpboost.problems.slots import NO_SLOT, problems_of_class

from .regions import nearest_training_rows, perturbed_values

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Rows are answered in blocks whose decision values, over all problems and rounds, take at most this
# many bytes, so that they stay in the processor's cache while the votes are counted,
BLOCK_BYTES = 2**20
# but not in fewer rows than this, which bear the cost of preparing the coefficients.
LEAST_ROWS = 128


@dataclass(frozen=True, slots=True, eq=False)
class ClassMachines:
    """Support vectors of one class and their coefficients.

    Attributes
    ----------
    support : ndarray of shape (n_own,)
        Training rows; used with a precomputed kernel.
    vectors : ndarray or CSR matrix of shape (n_own, d) or None
        Those rows; used with the other kernels.
    coef : ndarray of shape (n_slots * n_rounds, n_own)
        lambda_i y_i s_t,i.
    problems : ndarray of shape (n_slots,)
        The problems that the slots belong to.
    """

    support: IndexArray
    vectors: Any
    coef: FloatArray
    problems: IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class Inheritance:
    """What new points take over from their nearest training point, with regions of influence.

    Attributes
    ----------
    perturbation : ndarray of shape (n_slots, n_rounds, n)
        k of the training points.
    points : ndarray or CSR matrix of shape (n, d), or ndarray of shape (n,)
        The training points; with a precomputed kernel the diagonal of their Gram matrix.
    columns : ndarray of shape (n,)
        Where they stand in what the user gave, for a precomputed kernel.
    slots : ndarray of shape (n_problems, n)
        Slot of each problem at each training point.
    """

    perturbation: FloatArray
    points: Any
    columns: IndexArray
    slots: IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class RoundMachines:
    """Machines of some rounds of all problems.

    Attributes
    ----------
    kernel : {"rbf", "precomputed"} or callable
    gamma : float or None
        Width of the RBF kernel.
    classes : tuple of ClassMachines
        Those classes that have support vectors.
    intercept : ndarray of shape (n_problems, n_rounds)
        b_t.
    inheritance : Inheritance or None
        None where new points have full resolution.
    """

    kernel: Kernel
    gamma: float | None
    classes: tuple[ClassMachines, ...]
    intercept: FloatArray
    inheritance: Inheritance | None


def class_machines(
    coef: FloatArray,
    n_support: IndexArray,
    support: IndexArray,
    support_vectors: Any,
    table: IndexArray,
) -> tuple[ClassMachines, ...]:
    """Split coefficients and support vectors, which stand class by class.

    Parameters
    ----------
    coef : ndarray of shape (n_slots, n_rounds, n_SV)
    n_support : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    support : ndarray of shape (n_SV,)
    support_vectors : ndarray or CSR matrix of shape (n_SV, d) or None
    table : ndarray of shape (n_problems, n_classes)
        Slots, see :func:`~kpboost.problems.slots.slot_table`.

    Returns
    -------
    tuple of ClassMachines
    """
    stops = np.cumsum(n_support)
    found = []
    for code, (start, stop) in enumerate(zip(stops - n_support, stops, strict=True)):
        if start < stop:
            own = np.ascontiguousarray(coef[:, :, start:stop]).reshape(-1, stop - start)
            vectors = None if support_vectors is None else support_vectors[start:stop]
            problems = problems_of_class(table, code)
            found.append(ClassMachines(support[start:stop], vectors, own, problems))
    return tuple(found)


def values_by_blocks(machines: RoundMachines, X: Any) -> Iterator[tuple[slice, FloatArray]]:
    """Yield rows and their values (n_rows, n_problems, n_rounds), in memory that X does not rule.

    Parameters
    ----------
    machines : RoundMachines
    X : ndarray or CSR matrix of shape (n, d)
        Points; with a precomputed kernel their values against all training points.

    Yields
    ------
    rows : slice
    values : ndarray
    """
    step = max(LEAST_ROWS, BLOCK_BYTES // (8 * machines.intercept.size))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        yield rows, round_values(machines, X[rows])


def round_values(machines: RoundMachines, X: Any) -> FloatArray:
    """Decision values f_t of all problems and rounds, (n, n_problems, n_rounds)."""
    sums = np.zeros((X.shape[0], *machines.intercept.shape))
    for own in machines.classes:
        kernels.add_runs(_class_sums(machines, own, X), own.problems, sums)
    if machines.inheritance is None:
        sums += machines.intercept
        return sums
    inherited = _inherited(machines.kernel, machines.inheritance, X, machines.intercept.shape[1])
    return perturbed_values(sums, machines.intercept, inherited)


def _class_sums(machines: RoundMachines, own: ClassMachines, X: Any) -> FloatArray:
    """Return sums over the support vectors of one class: (n, n_slots, n_rounds)."""
    n_machines = own.coef.shape[0]
    sums = kernel_sums(
        machines.kernel,
        X,
        own.support,
        own.vectors,
        gamma=machines.gamma,
        coef=own.coef,
        intercept=np.zeros(n_machines),
    )
    return sums.reshape(X.shape[0], own.problems.size, -1)


def _inherited(kernel: Kernel, source: Inheritance, X: Any, n_rounds: int) -> FloatArray:
    """Perturbation of each point's nearest training point: (n, n_problems, n_rounds)."""
    rows = [np.flatnonzero(own != NO_SLOT) for own in source.slots]
    nearest = nearest_training_rows(_distances(kernel, source, X), X.shape[0], rows)
    inherited = np.empty((X.shape[0], len(rows), n_rounds))
    for problem, (slot, near) in enumerate(zip(source.slots, nearest.T, strict=True)):
        inherited[:, problem] = source.perturbation[slot[near], :n_rounds, near]
    return inherited


def _distances(kernel: Kernel, source: Inheritance, X: Any) -> Callable[[slice], FloatArray]:
    """Squared distances from parts of X to the training points, up to a constant each."""
    if is_precomputed(kernel):
        return lambda part: np.asarray(source.points - 2.0 * X[part][:, source.columns])
    return lambda part: kernels.squared_distances(X[part], source.points)
