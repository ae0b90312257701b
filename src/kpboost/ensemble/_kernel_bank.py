"""A bank of small balanced SVMs in a metric of weighted ranks.

Distances are D(x, x') = sum_j w_j |R_j(x) - R_j(x')|, where R_j is the standardised mid-rank of a
value among the training values of its column and w_j grows with the column's importance to a
forest. Each machine is trained on a bag with about as many samples of every class, on the kernel
exp(-s D). The answer is the mean of the machines' decision values, cut to [-1, 1].
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from scipy.spatial.distance import pdist, squareform

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.kernels import laplacian_decision, rbf_decision
from kpboost.solvers import DenseGram, StopFlag, solve_dual

from ._ensembles import run_in_threads
from ._landmark_machines import BankMachine, landmark_machines

# Weight of a column that the forest never used, beside 1 for one of mean importance.
LEAST_WEIGHT = 0.1
# A bag leaves out at least a fifth of every class: its out-of-bag samples.
LARGEST_SHARE = 0.8
# Fewest samples of a class in a bag, where it has as many.
FEWEST_PER_CLASS = 2
# Violations cost this over the bag's size, but not less than 1 nor more than C.
PRICE_TIMES_SIZE = 600
# Decision values far from +-1 say nothing more about the class.
CLIP = 1.0
SOLVER_TOLERANCE = 1e-3
LAPLACIAN, GAUSSIAN = "laplacian", "gaussian"


class RankMetric:
    """Columns as weighted, standardised mid-ranks, so that distances are city-block distances.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Training samples; NaN is missing, and lies in the middle.
    importances : ndarray of shape (d,)
        Of the columns, not negative.
    """

    def __init__(self, X: FloatArray, importances: FloatArray) -> None:
        self.values, self.shares = [], []
        for column in X.T:
            known = column[~np.isnan(column)]
            values, counts = np.unique(known, return_counts=True)
            self.values.append(values)
            self.shares.append(np.concatenate([[0.0], np.cumsum(counts) / max(known.size, 1)]))
        mean = importances.mean()
        relative = importances / mean if mean > 0 else np.ones_like(importances)
        self.weight = (relative + LEAST_WEIGHT) / (1.0 + LEAST_WEIGHT)
        ranks = self._ranks(X)
        known = ~np.isnan(ranks)
        some = known.any(axis=0)
        self.mean = np.where(some, np.mean(ranks, axis=0, where=known | ~some), 0.0)
        spread = np.where(some, np.std(ranks, axis=0, where=known | ~some), 0.0)
        # a constant column has no spread, and all its ranks become 0
        self.factor = np.divide(self.weight, spread, out=np.zeros_like(spread), where=spread > 0)

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the coordinates of samples in the metric, an array of shape (n, d)."""
        coordinates = (self._ranks(X) - self.mean) * self.factor
        return np.nan_to_num(coordinates, nan=0.0)

    def _ranks(self, X: FloatArray) -> FloatArray:
        """Mean of the shares of training values below, and not above, each value."""
        ranks = np.full(X.shape, np.nan)
        for j, (values, shares) in enumerate(zip(self.values, self.shares, strict=True)):
            known = ~np.isnan(X[:, j])
            below = shares[np.searchsorted(values, X[known, j], side="left")]
            upto = shares[np.searchsorted(values, X[known, j], side="right")]
            ranks[known, j] = (below + upto) / 2
        return ranks


def deal(
    rows: IndexArray, size: int, n_bags: int, random: np.random.RandomState
) -> Iterator[IndexArray]:
    """Bags of rows without replacement, from shuffled decks: all rows are used about as often.

    Parameters
    ----------
    rows : ndarray of int
        What is dealt.
    size : int
        Rows of a bag, at most all.
    n_bags : int
        Number of bags.
    random : RandomState
        Source of the shuffling.
    """
    deck = rows[:0]
    for _ in range(n_bags):
        if deck.size < size:  # what is left goes first, and is not dealt again in this bag
            rest = random.permutation(rows)
            deck = np.concatenate([deck, rest[~np.isin(rest, deck)], rest[np.isin(rest, deck)]])
        yield deck[:size]
        deck = deck[size:]


def bag_sizes(sizes: IndexArray, *, max_per_class: int, min_majority: int) -> IndexArray:
    """Return the number of samples of each class in a bag.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Samples of each class.
    max_per_class, min_majority : int
        The rarest class gives four fifths of its samples, but at most ``max_per_class``; the others
        as many, but at least ``min_majority`` where they have them.
    """
    most = np.floor(LARGEST_SHARE * sizes).astype(np.intp)
    room = min(max_per_class, max(int(most.min()), min_majority))
    return np.asarray(np.minimum(sizes, np.maximum(FEWEST_PER_CLASS, np.minimum(most, room))))


def dealt_bags(
    codes: IndexArray,
    n_bags: int,
    random: np.random.RandomState,
    *,
    max_per_class: int,
    min_majority: int,
) -> list[IndexArray]:
    """Deal bags with about as many samples of every class; see :func:`bag_sizes`."""
    wanted = bag_sizes(np.bincount(codes), max_per_class=max_per_class, min_majority=min_majority)
    decks = [
        deal(np.flatnonzero(codes == code), int(size), n_bags, random)
        for code, size in enumerate(wanted)
    ]
    return [np.concatenate(hands) for hands in zip(*decks, strict=True)]


class KernelBank:
    """Balanced SVMs of one against the rest, on bags.

    Parameters
    ----------
    kernel : {"laplacian", "gaussian"}
        Of the city-block distance, or of the Euclidean one.
    machines : sequence of (vectors, coef, scale, intercept)
        One of each bag.

    Attributes
    ----------
    kernel : str
        As given.
    vectors, coef : ndarray of shape (n_vectors, d) and (n_vectors, n_problems)
        Support vectors of all bags, one bag after the other, and their dual coefficients.
    starts : ndarray of shape (n_bags + 1,)
        Where the bags begin.
    scale : ndarray of shape (n_bags,)
        s of each bag.
    intercept : ndarray of shape (n_bags, n_problems)
        Offsets.
    """

    def __init__(self, kernel: str, machines: Sequence[BankMachine]) -> None:
        self.kernel = kernel
        vectors, coefs, scales, intercepts = zip(*machines, strict=True)
        self.vectors, self.coef = np.concatenate(vectors), np.concatenate(coefs)
        self.starts = np.cumsum([0, *map(len, vectors)])
        self.scale, self.intercept = np.array(scales), np.array(intercepts)

    def values(self, points: FloatArray) -> FloatArray:
        """Mean decision values, an array of shape (n, n_problems)."""
        total = np.zeros((len(points), self.coef.shape[1]))
        for bag in range(self.scale.size):
            total += self.bag_values(bag, points)
        return total / self.scale.size

    def bag_values(self, bag: int, points: FloatArray) -> FloatArray:
        """Cut decision values of the machines of one bag, of shape (n, n_problems)."""
        own = slice(self.starts[bag], self.starts[bag + 1])
        decide = laplacian_decision if self.kernel == LAPLACIAN else rbf_decision
        values = decide(
            points,
            self.vectors[own],
            gamma=self.scale[bag],
            coef=np.ascontiguousarray(self.coef[own].T),
            intercept=self.intercept[bag],
        )
        return np.clip(values, -CLIP, CLIP, out=values)

    def out_of_bag(self, points: FloatArray, bags: Sequence[IndexArray]) -> FloatArray:
        """Mean decision values of the training samples over the bags that lack them.

        Parameters
        ----------
        points : ndarray of shape (n, d)
            All training samples.
        bags : sequence of ndarray
            As trained.

        Returns
        -------
        ndarray of shape (n, n_problems)
            NaN for a sample that is in every bag.
        """
        total = np.zeros((len(points), self.coef.shape[1]))
        n_bags = np.zeros(len(points))
        for number, bag in enumerate(bags):
            out = np.ones(len(points), dtype=np.bool_)
            out[bag] = False
            total[out] += self.bag_values(number, points[out])
            n_bags[out] += 1
        with np.errstate(invalid="ignore"):
            return np.asarray(total / n_bags[:, np.newaxis])


def small_bank(
    points: FloatArray,
    codes: IndexArray,
    problems: Sequence[int],
    bags: Sequence[IndexArray],
    *,
    widths: Sequence[float],
    C: float,
    n_threads: int,
) -> KernelBank:
    """Train one machine per bag and problem on small bags.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Training samples as coordinates of the metric.
    codes : ndarray of shape (n,)
        Their classes.
    problems : sequence of int
        Classes that are told from the rest, one machine per bag for each.
    bags : sequence of ndarray
        Rows of each bag.
    widths : sequence of float
        Kernel widths, used by turns: s = width / median distance in the bag.
    C : float
        Penalty of a margin violation, at most.
    n_threads : int
        Bags that are trained at the same time.

    Returns
    -------
    KernelBank
    """
    tasks = [
        partial(_train, points[rows], codes[rows], problems, widths[number % len(widths)], C)
        for number, rows in enumerate(bags)
    ]
    return KernelBank(LAPLACIAN, run_in_threads(tasks, n_threads))


def landmark_bank(
    points: FloatArray,
    codes: IndexArray,
    problems: Sequence[int],
    halves: Sequence[IndexArray],
    *,
    widths: Sequence[float],
    C: float,
    seed: int,
    n_threads: int,
) -> KernelBank:
    """Train machines on landmarks, on halves of many samples.

    Parameters
    ----------
    points, codes, problems, C, n_threads
        As for :func:`small_bank`.
    halves : sequence of ndarray
        Rows of each half.
    widths : sequence of float
        Kernel widths; each half has one machine of each.
    seed : int
        Of the landmarks.

    Returns
    -------
    KernelBank
        With the machines of the first half, of all widths, first.
    """
    tasks = [
        partial(
            landmark_machines, points[rows], codes[rows], problems, widths,
            price_of(rows.size, C), seed + number,
        )
        for number, rows in enumerate(halves)
    ]  # fmt: skip
    machines = run_in_threads(tasks, n_threads)
    return KernelBank(GAUSSIAN, [machine for own in machines for machine in own])


def halves_of(codes: IndexArray, random: np.random.RandomState) -> list[IndexArray]:
    """Deal the samples of every class into two halves; a single one is in both."""
    halves: list[list[IndexArray]] = [[], []]
    for code in range(int(codes.max()) + 1):
        rows = random.permutation(np.flatnonzero(codes == code))
        middle = rows.size // 2
        halves[0].append(rows[:middle] if middle else rows)
        halves[1].append(rows[middle:])
    return [np.sort(np.concatenate(half)) for half in halves]


def price_of(n_samples: int, C: float) -> float:
    """Return the penalty of a margin violation in a bag of so many samples."""
    return float(np.clip(PRICE_TIMES_SIZE / n_samples, 1.0, C)) if C > 1 else C


def _train(
    points: FloatArray,
    codes: IndexArray,
    problems: Sequence[int],
    width: float,
    C: float,
    stop: StopFlag,
) -> BankMachine:
    """Support vectors, coefficients, scale and offsets of one bag's machines."""
    distances = pdist(points, "cityblock")
    median = float(np.median(distances))
    scale = width / median if median > 0 else width  # all samples alike: any scale will do
    gram = DenseGram(squareform(np.exp(-scale * distances)) + np.eye(len(points)), check=False)
    price = price_of(codes.size, C)
    solutions = [
        solve_dual(gram, *_balanced(codes == code, price), tol=SOLVER_TOLERANCE, stop=stop)
        for code in problems
    ]
    coef = np.stack([solution.dual_coef for solution in solutions], axis=1)
    support = np.flatnonzero(coef.any(axis=1))
    offsets = np.array([solution.intercept for solution in solutions])
    return points[support], coef[support], scale, offsets


def _balanced(is_positive: BoolArray, price: float) -> tuple[FloatArray, FloatArray]:
    """Labels, and bounds of which both sides have the same total."""
    n_own = np.where(is_positive, is_positive.sum(), (~is_positive).sum())
    return np.where(is_positive, 1.0, -1.0), price * is_positive.size / (2.0 * n_own)
