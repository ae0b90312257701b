"""Tell missed parts of classes from what chance produces.

Disjuncts are found with the very labels that the model fails to predict. A few unlucky rows beyond
the border form a fragment that is missed altogether, and no test that takes the fragment as
given can tell it from a missed part. So chance gets the same freedom. The null hypothesis is that
the model's predictions are the best possible ones: its errors are unavoidable, with probabilities
under which each prediction is the likeliest class. Labels are drawn from these probabilities again
and again; each time disjuncts are found anew, and the most striking missed one is noted. A real
disjunct is flagged if it is more striking than that in 95 % of the draws. The chance of any false
flag in the data is then at most 5 %, however many disjuncts there are.

How striking a disjunct is: among the rows at its places and around them, O of n have its class
where E were expected. The scan statistic (a log-likelihood ratio)

    O log(O / E) + (n - O) log((n - O) / (n - E))      if O > E, otherwise 0

is high for a tight group of the class and low for a fragment between rows of other classes.

Parts are looked for by more than one search (see `_boxes`). All searches go through the same draws,
and in each draw the smallest of their p-values is noted. A finding is as unlikely as its own
p-value is among these: so the searches share the 5 %, and one in which chance finds nothing costs
nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from kpboost._typing import FloatArray, IndexArray
from kpboost.disjuncts import NOBODY

from ._null import NullHypothesis
from ._parts import Parts, Places, parts_of

Counts = FloatArray | NDArray[np.float32]

# Fewer rows could be a handful of wrong labels, and no interval says much about them.
LEAST_SIZE = 5
# A disjunct is missed if no more than this share of its rows is recognised.
MOST_RECALL = 0.5
# The smallest p-value is 1 / (1 + N_DRAWS).
N_DRAWS = 199
LEVEL = 0.05


Search = Callable[[IndexArray], float]


@dataclass(frozen=True, slots=True, eq=False)
class Chance:
    """The most striking parts that searches find in the data, and under drawn labels.

    Attributes
    ----------
    data : ndarray of shape (n_searches,)
        The highest statistic of each search in the data.
    draws : ndarray of shape (n_draws, n_searches)
        The same in every draw.
    """

    data: FloatArray
    draws: FloatArray

    def p_values(self, search: int, statistics: FloatArray) -> FloatArray:
        """p-values of statistics of one search, corrected for all parts and all searches.

        Parameters
        ----------
        search : int
            Number of the search.
        statistics : ndarray
            Statistics of parts; 0 is no candidate.

        Returns
        -------
        ndarray
            Of the same shape; 1 where the statistic is 0.
        """
        alone = shares(statistics, self.draws[:, search])
        corrected = shares(-alone, -self._smallest())
        return np.where(statistics > 0, corrected, 1.0)

    def _smallest(self) -> FloatArray:
        """Return the smallest p-value of each draw, among all other draws and the data."""
        together = np.vstack([self.draws, self.data])
        as_high = [(column >= column[:-1, None]).mean(axis=1) for column in together.T]
        return np.asarray(np.min(as_high, axis=0))


def chance_of(
    searches: Sequence[Search],
    null: NullHypothesis,
    codes: IndexArray,
    *,
    seed: int,
    n_draws: int = N_DRAWS,
) -> Chance:
    """Let searches go through the data and through labels drawn under the null hypothesis.

    Parameters
    ----------
    searches : sequence of callables
        From numbers of classes to the highest statistic.
    null : NullHypothesis
    codes : ndarray of shape (n_rows,)
        Numbers of the true classes.
    seed : int
        Seed of the draws.
    n_draws : int, default=199
        Number of draws; there are none where the data have no candidate.
    """
    data = np.array([search(codes) for search in searches])
    random = np.random.default_rng(seed)
    draws = np.zeros((n_draws if data.any() else 0, len(searches)))
    for highest in draws:
        drawn = drawn_labels(null.probabilities, random)
        highest[:] = [search(drawn) for search in searches]
    return Chance(data, draws)


def shares(own: FloatArray, highest: FloatArray) -> FloatArray:
    """How often chance is as high: shares of the draws, the data themselves counted as one.

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


def highest_of_parts(null: NullHypothesis, codes: IndexArray) -> float:
    """Return the statistic of the most striking disjunct under given labels."""
    return float(scan_statistics(null, codes, parts_of(null.places, codes)).max())


def scan_statistics(
    null: NullHypothesis, codes: IndexArray, parts: Parts, left: NDArray[np.bool_] | None = None
) -> FloatArray:
    """How striking each disjunct is; 0 for those that are too small or mostly recognised.

    Parameters
    ----------
    null : NullHypothesis
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    parts : Parts
        Disjuncts of these classes.
    left : ndarray of shape (n_rows,), optional
        Rows that count; all by default. Others are to be expected, but not observed.
    """
    counted = np.ones(codes.size) if left is None else left.astype(np.float64)
    sizes = np.bincount(parts.labels, weights=counted)
    right = np.bincount(parts.labels, weights=counted * (null.predicted == codes))
    candidate = (sizes >= LEAST_SIZE) & (right <= MOST_RECALL * sizes)
    if not candidate.any():
        return np.zeros(parts.sizes.size)
    part, place = _around(null.places, parts, candidate)
    owner = parts.owners[part]

    def total(values: FloatArray | IndexArray) -> FloatArray:
        return np.bincount(part, weights=values, minlength=candidate.size).astype(np.float64)

    counts = null.places.counts(codes, null.probabilities.shape[1], counted)
    n, observed = total(null.places.weights[place]), total(counts[place, owner])
    expected = total(null.expected[place, owner])
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


def _around(
    places: Places, parts: Parts, candidate: NDArray[np.bool_]
) -> tuple[IndexArray, IndexArray]:
    """Pairs of a candidate and a place that it has rows at or that is near one, each once."""
    n_places = places.weights.size
    members = np.flatnonzero(candidate[parts.labels])
    own = np.unique(parts.labels[members] * n_places + places.numbers[members])
    part, place = np.divmod(own, n_places)
    near = np.column_stack([place, places.around[place]])
    keys = part[:, None] * n_places + near
    return np.divmod(np.unique(keys[near != NOBODY]), n_places)
