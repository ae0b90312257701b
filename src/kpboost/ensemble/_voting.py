"""From the rounds' decision values to the ensemble's vote.

Values and votes of a problem are positive for one of its two classes. ``signs`` tells which of
the two is the positive (usually rarer) class of the boosting: it gets the points with f = 0, and
tied votes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kpboost import kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    NO_SLOT,
    Kernel,
    is_precomputed,
    kernel_sums,
    one_vs_one_scores,
    problems_of_class,
)

# A tied vote becomes the smallest normal number on the side of the positive class, so that the
# sign of a decision always is the prediction.
TIE = float(np.finfo(np.float64).tiny)

# Sums of the same weights in another order differ by rounding, some 1e-16 of their total. Below
# this share of it a vote is tied, so that no prediction depends on the order of summation.
TIED_SHARE = 1e-12

# Votes of several problems are compared by their share of the total weight. Where shares are
# equal the rounds' mean decision value decides, squeezed to this size.
CONFIDENCE_SIZE = 1e-6


def weighted_vote(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Sum of alpha_t h_t over the rounds, problem by problem.

    Parameters
    ----------
    values : ndarray of shape (n, n_problems, n_rounds)
        Decision values f_t.
    weights : ndarray of shape (n_problems, n_rounds)
        alpha_t.
    signs : ndarray of shape (n_problems,)
        Side of the positive class, -1 or +1.

    Returns
    -------
    ndarray of shape (n, n_problems)
        Never zero.
    """
    if not values.all():
        values = np.where(values == 0.0, signs[:, None], values)
    votes = np.einsum("npt,pt->np", np.copysign(1.0, values), weights)
    tied = np.abs(votes) <= TIED_SHARE * weights.sum(axis=1)
    return np.where(tied, TIE * signs, votes)


def confidence(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Vote as a share of the total weight, between -1 and 1, with equal shares told apart.

    Parameters and result are those of :func:`weighted_vote`, and so is the sign.
    """
    total = weights.sum(axis=1)
    share = weighted_vote(values, weights, signs) / total
    mean = np.einsum("npt,pt->np", values, weights) / total
    told_apart = share + CONFIDENCE_SIZE * mean / (1.0 + np.abs(mean))
    return np.asarray(np.where(np.sign(told_apart) == np.sign(share), told_apart, share))


def class_scores(
    values: FloatArray, weights: FloatArray, signs: FloatArray, n_classes: int, multi_class: str
) -> FloatArray:
    """Weighted votes as scores of the classes, in scikit-learn's form.

    Parameters
    ----------
    values, weights, signs : ndarray
        As for :func:`weighted_vote`.
    n_classes : int
    multi_class : {"one_vs_one", "one_vs_rest"}
        What the problems of more than two classes are.

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        For two classes the vote, positive for the second one. For more, the shares of the votes
        of the one-vs-rest ensembles, or the one-vs-one votes with ties ordered by those shares.
    """
    if n_classes == 2:
        return weighted_vote(values, weights, signs)[:, 0]
    shares = confidence(values, weights, signs)
    return shares if multi_class == "one_vs_rest" else one_vs_one_scores(shares, n_classes)


# Distances to the training points are looked at in blocks of at most this many bytes, which stay in
# the processor's cache: several times as fast as blocks that do not.
DISTANCE_BYTES = 2 * 2**20


def perturbed_values(
    sums: FloatArray, intercept: FloatArray, perturbation: FloatArray
) -> FloatArray:
    """Decision values of all rounds from the kernel sums, elementwise over the points.

    Parameters
    ----------
    sums : ndarray of shape (n, n_problems, n_rounds)
        g_t, without intercept.
    intercept : ndarray of shape (n_problems, n_rounds)
        b_t.
    perturbation : ndarray of shape (n, n_problems, n_rounds)
        k of each point's nearest training point.

    Returns
    -------
    ndarray of shape (n, n_problems, n_rounds)
    """
    values = np.empty_like(sums)
    log_scale = np.zeros(sums.shape[:2])
    before = np.zeros(sums.shape[:2])
    for t in range(sums.shape[2]):
        log_scale -= perturbation[:, :, t] * before**2
        before = np.exp(log_scale) * sums[:, :, t] + intercept[:, t]
        values[:, :, t] = before
    return values


def nearest_training_rows(
    squared_distances: Callable[[slice], FloatArray], n_points: int, rows: Sequence[IndexArray]
) -> IndexArray:
    """Nearest training row of every point, among the rows of each problem.

    Parameters
    ----------
    squared_distances : callable
        From a slice of the points to their squared distances from all training points, up to a
        constant per point.
    n_points : int
    rows : sequence of ndarray
        Training rows of each problem.

    Returns
    -------
    ndarray of shape (n_points, n_problems)
    """
    nearest = np.empty((n_points, len(rows)), dtype=np.intp)
    n_training = max(int(own.max()) for own in rows) + 1
    step = max(1, DISTANCE_BYTES // (8 * n_training))
    for start in range(0, n_points, step):
        part = slice(start, min(start + step, n_points))
        squared = squared_distances(part)
        for problem, own in enumerate(rows):
            among = squared if own.size == squared.shape[1] else squared[:, own]
            nearest[part, problem] = own[among.argmin(axis=1)]
    return nearest


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
        Slots, see :func:`~kpboost.problems._multiclass.slot_table`.

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
