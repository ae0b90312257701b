"""Tell a missed disjunct from what chance produces.

Disjuncts are found with the very labels that the model fails to predict. A few unlucky rows beyond
the border form a fragment that is missed altogether, and no test that takes the fragment as
given can tell it from a sub-concept. So chance gets the same freedom. The null hypothesis is that
the model's answers are the best possible ones: its errors are unavoidable, with probabilities
under which each of its answers is the likeliest class. Labels are drawn from these
probabilities again and again; each time disjuncts are found anew, and the most striking missed one
is noted. A real disjunct is flagged if it is more striking than that in 95 % of the draws. The
chance of any false flag in the data is then at most 5 %, however many disjuncts there are.

How striking a disjunct is: among its rows and their nearest neighbours, O of n have its class
where E were expected. The scan statistic (a log-likelihood ratio)

    O log(O / E) + (n - O) log((n - O) / (n - E))      if O > E, otherwise 0

is high for a tight group of the class and low for a fragment between rows of other classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from kpboost.disjuncts.neighbors import Rows

from .parts import Parts, parts_of

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Counts = FloatArray | NDArray[np.float32]

# Fewer rows could be a handful of wrong labels, and no interval says much about them.
LEAST_SIZE = 5
# A disjunct is missed if no more than this share of its rows is recognised.
MOST_RECALL = 0.5
# Neighbours of each row that count as around a disjunct: half of those that make it up.
AROUND = 5
# The smallest p-value is 1 / (1 + N_DRAWS).
N_DRAWS = 199
LEVEL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Neighbours of the rows, predicted classes, and the probabilities to draw labels from."""

    neighbours: Rows
    predicted: IndexArray
    probabilities: FloatArray


def missed_p_values(
    answers: Answers, codes: IndexArray, parts: Parts, *, seed: int, n_draws: int = N_DRAWS
) -> FloatArray:
    """p-value of each disjunct, corrected for all of them.

    Parameters
    ----------
    answers : Answers
        The model's answers and the probabilities of the null hypothesis.
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    parts : Parts
        Disjuncts of these classes.
    seed : int
        Seed of the draws.
    n_draws : int, default=199
        Number of draws.

    Returns
    -------
    ndarray of shape (n_parts,)
        1 where a disjunct is too small, or most of it is recognised.
    """
    own = scan_statistics(answers, codes, parts)
    if not own.any():
        return np.ones(own.size)
    random = np.random.default_rng(seed)
    highest = np.array([_highest(answers, random) for _ in range(n_draws)])
    return np.where(own > 0, p_values(own, highest), 1.0)


def p_values(own: FloatArray, highest: FloatArray) -> FloatArray:
    """How often chance is as striking: shares of the draws, the data themselves counted as one.

    Parameters
    ----------
    own : ndarray
        Statistics of the data.
    highest : ndarray of shape (n_draws,)
        The highest statistic of each draw.

    Returns
    -------
    ndarray
        Of the shape of `own`.
    """
    as_high = np.greater_equal.outer(highest, own).sum(axis=0)
    return np.asarray((1 + as_high) / (1 + highest.size))


def scan_statistics(answers: Answers, codes: IndexArray, parts: Parts) -> FloatArray:
    """How striking each disjunct is; 0 for those that are too small or mostly recognised."""
    right = np.bincount(parts.labels, weights=answers.predicted == codes)
    candidate = (parts.sizes >= LEAST_SIZE) & (right <= MOST_RECALL * parts.sizes)
    if not candidate.any():
        return np.zeros(parts.sizes.size)
    part, row = _around(answers.neighbours, parts, candidate)
    owner = parts.owners[part]

    def total(values: FloatArray | NDArray[np.bool_] | None) -> FloatArray:
        return np.bincount(part, weights=values, minlength=candidate.size).astype(np.float64)

    n, observed = total(None), total(codes[row] == owner)
    expected = total(answers.probabilities[row, owner])
    striking = np.zeros(candidate.size)
    above = candidate & (observed > expected)
    striking[above] = scan_statistic(observed[above], expected[above], n[above])
    return striking


def scan_statistic(observed: Counts, expected: Counts, n: Counts) -> FloatArray:
    """Compare observed counts with lower expected ones, out of n: the formula above."""
    observed, expected, n = (np.asarray(v, dtype=np.float64) for v in (observed, expected, n))
    other, least = n - observed, np.finfo(np.float64).tiny
    ratio = xlogy(observed, observed / np.maximum(expected, least))
    return np.asarray(ratio + xlogy(other, other / np.maximum(n - expected, least)))


def drawn_labels(probabilities: FloatArray, random: np.random.Generator) -> IndexArray:
    """Draw a class for each row."""
    steps = np.cumsum(probabilities, axis=1)[:, :-1]
    return np.asarray((random.random((steps.shape[0], 1)) > steps).sum(axis=1))


def _highest(answers: Answers, random: np.random.Generator) -> float:
    """Highest statistic under labels drawn from the probabilities."""
    codes = drawn_labels(answers.probabilities, random)
    return float(scan_statistics(answers, codes, parts_of(answers.neighbours, codes)).max())


def _around(
    neighbours: Rows, parts: Parts, candidate: NDArray[np.bool_]
) -> tuple[IndexArray, IndexArray]:
    """Pairs of a candidate and a row in it or among the neighbours of its rows, each once."""
    n_rows = parts.labels.size
    members = np.flatnonzero(candidate[parts.labels])
    near = np.column_stack([members, neighbours[members, :AROUND]])
    owner = np.repeat(parts.labels[members], near.shape[1])
    key = np.unique(owner.astype(np.int64) * n_rows + near.ravel())
    return key // n_rows, key % n_rows
