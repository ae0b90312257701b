"""The rounds at new points: their decision values, and the ensemble's hard or soft vote.

A hard vote is the sum of alpha_t sign(f_t), a soft one the mean of the f_t, weighted by alpha_t.
Values have the shape (n, n_problems, n_rounds). Values and votes of a problem are positive for
one of its two classes. ``signs`` tells which of the two is the positive (usually rarer) class of
the boosting: it gets the points with f = 0, and tied votes. What belongs to training rows is in
slots, (n_slots, n_rounds, n_rows), see :func:`~kpboost.problems._multiclass.slot_table`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from kpboost import _core, kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    NO_SLOT,
    Kernel,
    is_precomputed,
    kernel_sums,
    one_vs_one_scores,
    problems_of_class,
    spread,
)

# A tied vote becomes the smallest normal number on the side of the positive class, so that the
# sign of a decision always is the prediction.
TIE = float(np.finfo(np.float64).tiny)

# Sums of the same weights in another order differ by rounding, some 1e-16 of their total. Below
# this share of it a vote is tied, so that no prediction depends on the order of summation.
TIED_SHARE = 1e-12

# How rounds vote: by the signs of their decision values, or by the values.
HARD, SOFT = "hard", "soft"

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
    votes, _ = _weighted_sums(values, weights, signs)
    return _untied(votes, weights.sum(axis=1), signs)


def mean_margin(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Sum of alpha_t f_t over the rounds, divided by the sum of alpha_t, problem by problem.

    Parameters and shape are those of :func:`weighted_vote`; never zero either. The margin of every
    machine is 1, and means that are as good as 0 in this unit are tied.
    """
    _, sums = _weighted_sums(values, weights, signs)
    return _untied(sums / weights.sum(axis=1), 1.0, signs)


def confidence(values: FloatArray, weights: FloatArray, signs: FloatArray) -> FloatArray:
    """Vote as a share of the total weight, between -1 and 1, with equal shares told apart.

    Parameters and result are those of :func:`weighted_vote`, and so is the sign.
    """
    total = weights.sum(axis=1)
    votes, sums = _weighted_sums(values, weights, signs)
    share, mean = _untied(votes, total, signs) / total, sums / total
    told_apart = share + CONFIDENCE_SIZE * mean / (1.0 + np.abs(mean))
    return np.asarray(np.where(np.sign(told_apart) == np.sign(share), told_apart, share))


def _weighted_sums(
    values: FloatArray, weights: FloatArray, signs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of alpha_t sign(f_t) and of alpha_t f_t, from one compiled pass."""
    return _core.weighted_sums(*map(np.ascontiguousarray, (values, weights, signs)))


def _untied(votes: FloatArray, unit: FloatArray | float, signs: FloatArray) -> FloatArray:
    """Give votes that are as good as 0 in their unit to the positive class."""
    return np.where(np.abs(votes) <= TIED_SHARE * unit, TIE * signs, votes)


def class_scores(
    values: FloatArray,
    weights: FloatArray,
    signs: FloatArray,
    n_classes: int,
    multi_class: str,
    voting: str = HARD,
) -> FloatArray:
    """Weighted votes as scores of the classes, in scikit-learn's form.

    Parameters
    ----------
    values, weights, signs : ndarray
        As for :func:`weighted_vote`.
    n_classes : int
    multi_class : {"one_vs_one", "one_vs_rest"}
        What the problems of more than two classes are.
    voting : {"hard", "soft"}, default="hard"

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        For two classes the vote, positive for the second one. For more, what the one-vs-rest
        ensembles say, the share of a hard vote or a soft vote itself; or the one-vs-one votes
        of the ensembles, with ties ordered by what they say.
    """
    if n_classes == 2:
        decide = mean_margin if voting == SOFT else weighted_vote
        return decide(values, weights, signs)[:, 0]
    compare = mean_margin if voting == SOFT else confidence
    said = compare(values, weights, signs)
    return said if multi_class == "one_vs_rest" else one_vs_one_scores(said, n_classes)


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


def row_blocks(n_rows: int, n_values: int) -> Iterator[slice]:
    """Yield blocks of rows that have so many decision values each."""
    step = max(LEAST_ROWS, BLOCK_BYTES // (8 * n_values))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


@dataclass(frozen=True, slots=True, eq=False)
class Inheritance:
    """What new points take over from their nearest training point, with regions of influence.

    Attributes
    ----------
    perturbation : ndarray of shape (n_slots, n_rounds, n)
        k of the training points.
    slots : ndarray of shape (n_problems, n)
        Slot of each problem at each training point.
    nearest : callable
        From points and a slice of them to their nearest training rows among those of each problem,
        (n_part, n_problems).
    """

    perturbation: FloatArray
    slots: IndexArray
    nearest: Callable[[Any, slice], IndexArray]

    def at(self, X: Any, part: slice, n_rounds: int) -> FloatArray:
        """Perturbation that some of the points inherit: (n_part, n_problems, n_rounds)."""
        nearest = self.nearest(X, part)
        inherited = np.empty((*nearest.shape, n_rounds))
        for problem, (slot, near) in enumerate(zip(self.slots, nearest.T, strict=True)):
            inherited[:, problem] = self.perturbation[slot[near], :n_rounds, near]
        return inherited


@dataclass(frozen=True, slots=True, eq=False)
class RoundPredictor:
    """The rounds of all two-class problems, ready for new points.

    `predict` and the export read it: it is made from what a fit leaves.

    Attributes
    ----------
    kernel : {"rbf", "precomputed"} or callable
    gamma : float or None
        Coefficient of the RBF kernel.
    support : ndarray of shape (n_SV,)
        Training rows, class by class: the columns of a precomputed kernel.
    vectors : ndarray or CSR matrix of shape (n_SV, d) or None
        Those rows; None for a precomputed kernel.
    n_support : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    coef : ndarray of shape (n_slots, n_rounds, n_SV)
        What multiplies the kernel, lambda_i y_i s_t,i.
    intercept, weights : ndarray of shape (n_problems, n_rounds)
        b_t and alpha_t.
    signs : ndarray of shape (n_problems,)
    table : ndarray of shape (n_problems, n_classes)
        Slots, see :func:`~kpboost.problems._multiclass.slot_table`.
    multi_class : {"one_vs_one", "one_vs_rest"}
    inheritance : Inheritance or None
        None where new points have full resolution.
    """

    kernel: Kernel
    gamma: float | None
    support: IndexArray
    vectors: Any
    n_support: IndexArray
    coef: FloatArray
    intercept: FloatArray
    weights: FloatArray
    signs: FloatArray
    table: IndexArray
    multi_class: str
    inheritance: Inheritance | None

    def voters(self) -> Self:
        """Return the rounds that the vote needs; with an inheritance later ones need all before."""
        rounds = np.flatnonzero(self.weights.any(axis=0))
        if self.inheritance is not None:
            rounds = np.arange(rounds[-1] + 1)
        if rounds.size == self.coef.shape[1]:
            return self
        return replace(
            self,
            coef=self.coef.take(rounds, axis=1),
            intercept=self.intercept[:, rounds],
            weights=self.weights[:, rounds],
        )

    def scores(self, X: Any, voting: str = HARD) -> FloatArray:
        """Return the scores of the classes at new points, as :func:`class_scores` has them."""
        voters = self.voters()
        return next(voters.staged_scores(X, [voters.weights], voting))

    def staged_scores(
        self, X: Any, stages: Sequence[FloatArray], voting: str = HARD
    ) -> Iterator[FloatArray]:
        """Return the scores of several votes, each over so many rounds as it has weights for."""
        parts = [
            [self._scores(values[:, :, : own.shape[1]], own, voting) for own in stages]
            for _, values in self.blocks(X)
        ]
        return map(np.concatenate, zip(*parts, strict=True))

    def values(self, X: Any) -> FloatArray:
        """Return the decision values f_t of all problems and rounds, (n, n_problems, n_rounds)."""
        values = np.empty((X.shape[0], *self.intercept.shape))
        for rows, part in self.blocks(X):
            values[rows] = part
        return values

    def blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Yield rows and their decision values, in memory that X does not rule.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)
            Points; with a precomputed kernel their values against all training points.

        Yields
        ------
        rows : slice
        values : ndarray of shape (n_rows, n_problems, n_rounds)
        """
        classes = list(self._classes())
        for rows in row_blocks(X.shape[0], self.intercept.size):
            sums = self._sums(X[rows], classes)
            if self.inheritance is None:
                sums += self.intercept
                yield rows, sums
            else:
                inherited = self.inheritance.at(X, rows, self.intercept.shape[1])
                yield rows, perturbed_values(sums, self.intercept, inherited)

    def coef_by_problem(self) -> FloatArray:
        """Return the coefficients without slots: (n_problems, n_rounds, n_SV)."""
        codes = np.repeat(np.arange(self.n_support.size), self.n_support)
        return spread(self.coef, self.table, codes)

    def _classes(self) -> Iterator[tuple[slice, IndexArray, FloatArray]]:
        """Yield vectors of one class, its problems, and their coef (n_slots * n_rounds, n_own)."""
        if len(self.table) == 1:  # two classes share their only problem, and one pass
            yield slice(None), np.zeros(1, dtype=np.intp), self.coef[0]
            return
        stops = np.cumsum(self.n_support).tolist()
        for code, (start, stop) in enumerate(pairwise([0, *stops])):
            if start < stop:
                own = slice(start, stop)
                flat = np.ascontiguousarray(self.coef[:, :, own]).reshape(-1, stop - start)
                yield own, problems_of_class(self.table, code), flat

    def _sums(self, X: Any, classes: Sequence[tuple[slice, IndexArray, FloatArray]]) -> FloatArray:
        """Return the kernel sums of all problems and rounds, from those of the classes."""
        if len(self.table) == 1:  # nothing to add up
            own, _, coef = classes[0]
            return self._class_sums(X, own, coef)
        sums = np.zeros((X.shape[0], *self.intercept.shape))
        for own, problems, coef in classes:
            kernels.add_runs(self._class_sums(X, own, coef), problems, sums)
        return sums

    def _class_sums(self, X: Any, own: slice, coef: FloatArray) -> FloatArray:
        """Return sums over the support vectors of one class: (n, n_slots, n_rounds)."""
        sums = kernel_sums(
            self.kernel,
            X,
            self.support[own],
            None if self.vectors is None else self.vectors[own],
            gamma=self.gamma,
            coef=coef,
            intercept=np.zeros(len(coef)),
        )
        return sums.reshape(X.shape[0], -1, self.intercept.shape[1])

    def _scores(self, values: FloatArray, weights: FloatArray, voting: str) -> FloatArray:
        n_classes = self.n_support.size
        return class_scores(values, weights, self.signs, n_classes, self.multi_class, voting)


def nearest_in_training(
    kernel: Kernel, points: Any, columns: IndexArray, slots: IndexArray
) -> Callable[[Any, slice], IndexArray]:
    """Return what finds the nearest training rows, for :class:`Inheritance`.

    Parameters
    ----------
    kernel : {"rbf", "precomputed"} or callable
    points : ndarray or CSR matrix of shape (n, d), or ndarray of shape (n,)
        The training points; with a precomputed kernel the diagonal of their Gram matrix.
    columns : ndarray of shape (n,)
        Where they stand in what the user gave, for a precomputed kernel.
    slots : ndarray of shape (n_problems, n)
        Slot of each problem at each training point, or NO_SLOT.

    Returns
    -------
    callable
    """
    rows = [np.flatnonzero(own != NO_SLOT) for own in slots]

    def nearest(X: Any, part: slice) -> IndexArray:
        own = X[part]

        def squared(rows_of_part: slice) -> FloatArray:
            if is_precomputed(kernel):
                return np.asarray(points - 2.0 * own[rows_of_part][:, columns])
            return kernels.squared_distances(own[rows_of_part], points)

        return nearest_training_rows(squared, own.shape[0], rows)

    return nearest
