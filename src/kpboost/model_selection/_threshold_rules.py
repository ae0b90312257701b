"""Rules that turn scores into labels, and how each is chosen on scores with known labels.

Two classes need one threshold. Every threshold between the same two neighbouring scores does the
same, so there are as many choices as distinct scores and one more; all of them are counted at once,
in whole numbers, and the best is exact. Several classes need an offset for each.
"""

from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray, IndexArray

from ._folds import LEAST_PROBABILITY
from ._score_calibration import ScoreCalibration, mean_one

# Below this number of samples of the rarest class a tuned threshold may follow accidents. It is a
# matter of caution: docs/operating_points.md has what was measured.
FEWEST_TO_TUNE = 40
# Rounds over all classes in which offsets are improved; some three are taken.
MOST_ROUNDS = 50
# 0.3 * 10 is a hair above 3, and must not become 4.
DIGITS = 9

TUNED_RULES = ("balanced_accuracy", "gmean")

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Decision:
    """From scores to numbers of classes.

    Attributes
    ----------
    n_classes : int
    pos : int
        Number of the class that a threshold among several classes is about.
    probabilities : bool
        Whether the scores are probabilities.
    threshold : float or None
        Two classes: class 1 is predicted where its score is at least this. Several: class ``pos``
        is predicted where its score is at least this, and the highest of the others elsewhere.
    offsets : tuple of float or None
        Added to the scores of each class, or to the logarithms of probabilities; the highest sum
        is predicted.
    calibration : ScoreCalibration or None
        Several classes without offsets: the highest log-odds under equal shares are predicted.
    costs : tuple of tuples or None
        What was to be made lowest. With a calibration the lowest expected cost is predicted.
    """

    n_classes: int
    pos: int
    probabilities: bool
    threshold: float | None = None
    offsets: tuple[float, ...] | None = None
    calibration: ScoreCalibration | None = None
    costs: Matrix | None = None

    def codes(self, scores: FloatArray) -> IndexArray:
        """Numbers of the predicted classes."""
        if self.n_classes == 2 and self.threshold is not None:
            return np.asarray(scores >= self.threshold, dtype=np.intp)
        return np.asarray(self.margins(scores).argmax(axis=1))

    def margins(self, scores: FloatArray) -> FloatArray:
        """Scores around 0 for two classes; one column per class, the highest wins, for several."""
        if self.threshold is not None:
            return self._around(scores, self.threshold)
        if self.calibration is None:
            return np.asarray(_additive(scores, self.probabilities) + np.array(self.offsets))
        if self.costs is None:
            return self.calibration.log_odds(scores)
        return np.asarray(-self.calibration.probabilities(scores) @ np.array(self.costs))

    def _around(self, scores: FloatArray, threshold: float) -> FloatArray:
        if self.n_classes == 2:
            return _shifted(scores, threshold)
        others: FloatArray = np.delete(scores, self.pos, axis=1).max(axis=1, keepdims=True)
        margins = scores - others
        margins[:, self.pos] = _shifted(scores[:, self.pos], threshold)
        return margins


@dataclass(frozen=True)
class Wish:
    """What is wanted of an operating point: exactly one of a rule, costs and a target.

    Attributes
    ----------
    pos : int
        Number of the class that targets are about, and that wins between equal choices.
    rule : str or None
    costs : tuple of tuples or None
        Rows are true classes, columns predicted ones.
    recall, alarms : float or None
        Recall to reach, and largest share of samples that may be called ``pos``.
    min_to_tune : int
        Samples of the rarest class from which on scores are followed freely.
    """

    pos: int
    rule: str | None = None
    costs: Matrix | None = None
    recall: float | None = None
    alarms: float | None = None
    min_to_tune: int = FEWEST_TO_TUNE

    @property
    def is_target(self) -> bool:
        """Whether a recall or a share of alarms is wanted."""
        return self.recall is not None or self.alarms is not None

    def is_tuned(self, sizes: IndexArray) -> bool:
        """Tell whether the choice follows the scores of classes of these sizes freely."""
        by_costs = self.costs is not None and sizes.size == 2
        return bool(sizes.min() >= self.min_to_tune) and (
            by_costs or self.is_target or self.rule in TUNED_RULES
        )

    def decide(
        self,
        scores: FloatArray,
        codes: IndexArray,
        weight: FloatArray | None = None,
        *,
        tune: bool,
        probabilities: bool,
    ) -> Decision:
        """Choose on scores.

        Parameters
        ----------
        scores : ndarray of shape (n,) or (n, n_classes)
            Finite; of two classes those of class 1.
        codes : ndarray of shape (n,)
            Numbers of the classes; each has a sample.
        weight : ndarray of shape (n,), optional
            Positive weights of the samples, for shares of classes, costs and alarms; in a recall
            every sample counts once.
        tune : bool
            Whether the choice follows the scores freely.
        probabilities : bool
            Whether the scores are probabilities.

        Returns
        -------
        Decision
        """
        n_classes = 2 if scores.ndim == 1 else scores.shape[1]
        weight = mean_one(weight, codes.size)
        if self.is_target:
            chosen = self._target(scores, codes, weight, tune)
        elif self.rule == "prior":
            chosen = _prior(np.bincount(codes, weight, n_classes) / weight.sum())
        elif tune:
            chosen = self._tuned(scores, codes, weight, probabilities)
        else:
            chosen = self._calibrated(scores, codes, weight, probabilities)
        return Decision(n_classes, self.pos, probabilities, costs=self.costs, **chosen)

    def _target(
        self, scores: FloatArray, codes: IndexArray, weight: FloatArray, tune: bool
    ) -> dict[str, Any]:
        """Threshold that reaches a recall, or stays within a budget of alarms.

        A new score falls with equal probability between any two of the n that are there. So the k
        highest promise k of n + 1; with few samples that one more matters.
        """
        one_more = 0 if tune else 1
        if self.recall is not None:
            cuts = Cuts.of(scores, codes, self.pos)
            wanted = self.recall * (cuts.n_positives + one_more)
            cut = cuts.reaching(ceil(round(wanted, DIGITS)))
        else:
            cuts = Cuts.of(scores, codes, self.pos, weight)
            allowed = float(self.alarms or 0.0) * (codes.size + one_more)
            cut = cuts.within(round(allowed, DIGITS) - one_more)
        return {"threshold": cuts.threshold(cut)}

    def _tuned(
        self, scores: FloatArray, codes: IndexArray, weight: FloatArray, probabilities: bool
    ) -> dict[str, Any]:
        if scores.ndim == 1:
            cuts = Cuts.of(scores, codes, self.pos, None if self.costs is None else weight)
            # of equal ones the first: it calls most samples positive
            return {"threshold": cuts.threshold(int(self._merits(cuts).argmax()))}
        values = _additive(scores, probabilities)
        return {"offsets": best_offsets(values, codes, gmean=self.rule == "gmean")}

    def _merits(self, cuts: "Cuts") -> NDArray[Any]:
        """Return what is made largest, for every cut: in whole numbers, but for costs."""
        hits, passes = cuts.positives, cuts.n_negatives - cuts.negatives
        if self.costs is not None:
            own, rest = self.costs[self.pos], self.costs[1 - self.pos]
            of_own = own[self.pos] * hits + own[1 - self.pos] * (cuts.n_positives - hits)
            of_rest = rest[1 - self.pos] * passes + rest[self.pos] * cuts.negatives
            return np.asarray(-(of_own + of_rest))
        if self.rule == "gmean":
            return hits * passes
        return hits * cuts.n_negatives + passes * cuts.n_positives

    def _calibrated(
        self, scores: FloatArray, codes: IndexArray, weight: FloatArray, probabilities: bool
    ) -> dict[str, Any]:
        calibration = ScoreCalibration.fit(scores, codes, weight, probabilities=probabilities)
        if scores.ndim == 2:
            return {"calibration": calibration}
        line = calibration.lines[0]
        if self.costs is None:
            silent = line.slope == 0.0  # such scores leave the choice to the wish
            end = inf if self.pos == 0 else -inf
            return {"threshold": end if silent else line.score_at(0.0)}
        (passed, alarm), (miss, hit) = self.costs
        odds = float(np.log((alarm - passed) / (miss - hit)))
        return {"threshold": line.score_at_own_odds(odds)}


@dataclass(frozen=True, eq=False)
class Cuts:
    """All that thresholds on the scores of one class can do; cut 0 calls every sample positive.

    Attributes
    ----------
    distinct : ndarray of shape (m,)
        Scores, ascending.
    positives, negatives : ndarray of shape (m + 1,)
        Samples of the class, and others, that each cut calls positive; or their weights.
    is_upper : bool
        Whether high scores are called positive.
    """

    distinct: FloatArray
    positives: IndexArray | FloatArray
    negatives: IndexArray | FloatArray
    is_upper: bool

    @classmethod
    def of(
        cls, scores: FloatArray, codes: IndexArray, pos: int, weight: FloatArray | None = None
    ) -> Self:
        """Count for one class against the rest; scores of two classes are those of class 1."""
        is_upper = scores.ndim == 2 or pos == 1
        distinct, ranks = np.unique(
            scores if scores.ndim == 1 else scores[:, pos], return_inverse=True
        )
        if not is_upper:
            ranks = distinct.size - 1 - ranks
        counts = [
            np.bincount(ranks[side], own, distinct.size + 1)[::-1].cumsum()[::-1]
            for side in (codes == pos, codes != pos)
            for own in [None if weight is None else weight[side]]
        ]
        return cls(distinct, counts[0], counts[1], is_upper)

    @property
    def n_positives(self) -> float:
        """Number of samples of the class, or their weight."""
        total: float = self.positives[0].item()
        return total

    @property
    def n_negatives(self) -> float:
        """Number of other samples, or their weight."""
        total: float = self.negatives[0].item()
        return total

    def reaching(self, n_hits: int) -> int:
        """Return the cut with fewest alarms that hits so many positives; 0 if there are fewer."""
        return max(int(np.sum(self.positives >= n_hits)) - 1, 0)

    def within(self, n_alarms: float) -> int:
        """Return the first cut that calls at most so many samples positive."""
        called = np.round(self.positives + self.negatives, DIGITS)
        return int(np.sum(called > max(n_alarms, 0.0)))

    def threshold(self, cut: int) -> float:
        """Return the threshold in the middle between the scores on both sides of a cut."""
        place = cut if self.is_upper else self.distinct.size - cut
        if place == 0:
            return -inf
        if place == self.distinct.size:
            return inf
        below, above = self.distinct[place - 1 : place + 1].tolist()
        middle = below / 2 + above / 2
        return float(middle if below < middle <= above else above)


def best_offsets(values: FloatArray, codes: IndexArray, *, gmean: bool) -> tuple[float, ...]:
    """Offsets under which the highest of several values is right in every class.

    Makes the product of the recalls largest, or their sum, by one offset after another. Along one
    offset the optimum is exact; together they may be a local one, so that there are two starts.
    Between equal products the sum decides.

    Parameters
    ----------
    values : ndarray of shape (n, n_classes)
        What the offsets are added to.
    codes : ndarray of shape (n,)
        Numbers of the true classes.
    gmean : bool
        Whether the product counts rather than the sum.

    Returns
    -------
    tuple of float
    """
    search = _OffsetSearch(values, codes, gmean)
    # as the classifier itself decides, and where every class's mean score on the others is the same
    level = [values[codes != k, k].mean() for k in range(values.shape[1])]
    ends = [search.ascend(np.zeros(values.shape[1])), search.ascend(-np.array(level))]
    return tuple(max(ends, key=lambda end: end[0])[1].tolist())


class _OffsetSearch:
    """Coordinate ascent; a merit is a pair of numbers that are compared one after the other."""

    def __init__(self, values: FloatArray, codes: IndexArray, gmean: bool) -> None:
        self.values = values
        self.codes = codes
        self.gmean = gmean
        self.sizes = np.bincount(codes, minlength=values.shape[1])

    def ascend(self, offsets: FloatArray) -> tuple[tuple[float, float], FloatArray]:
        """Merit and offsets where no offset alone can be bettered."""
        predicted = (self.values + offsets).argmax(axis=1)
        reached = self._best(self._right(predicted)[None])[0]
        for _ in range(MOST_ROUNDS):
            before = reached
            for k in range(offsets.size):
                found, offset = self._along(offsets, k)
                if found > reached:
                    reached, offsets[k] = found, offset
            if reached == before:
                break
        return reached, offsets

    def _along(self, offsets: FloatArray, k: int) -> tuple[tuple[float, float], float]:
        """Best merit along one offset, and the middle of the first interval that has it."""
        shifted = self.values + offsets
        shifted[:, k] = -inf
        rivals = shifted.argmax(axis=1)
        needed = shifted.max(axis=1) - self.values[:, k]  # class k wins above this offset
        order = np.argsort(needed, kind="stable")
        rivals, truth, needed = rivals[order], self.codes[order], needed[order]
        changes = np.zeros((truth.size + 1, offsets.size), dtype=np.intp)
        changes[0] = self._right(shifted.argmax(axis=1))
        changes[1:, k] = truth == k
        lost = np.flatnonzero(truth == rivals)
        changes[lost + 1, rivals[lost]] = -1
        ends = np.concatenate([[needed[0] - 2.0], needed, [needed[-1] + 2.0]])
        open_intervals = np.flatnonzero(ends[:-1] < ends[1:])
        merit, place = self._best(changes.cumsum(axis=0)[open_intervals])
        chosen = open_intervals[place]
        return merit, float(ends[chosen] / 2 + ends[chosen + 1] / 2)

    def _right(self, predicted: IndexArray) -> IndexArray:
        """Correct samples of each class."""
        return np.bincount(self.codes[predicted == self.codes], minlength=self.sizes.size)

    def _best(self, right: IndexArray) -> tuple[tuple[float, float], int]:
        """Best merit of several rows of correct samples, and the first row that has it."""
        recalls = right / self.sizes
        total = recalls.sum(axis=1)
        first = recalls.prod(axis=1) if self.gmean else total
        place = int(np.lexsort((-total, -first))[0])
        return (float(first[place]), float(total[place])), place


def _prior(shares: FloatArray) -> dict[str, Any]:
    """Where the probability of a class passes its share, relative to the others'."""
    if shares.size == 2:
        return {"threshold": float(shares[1])}
    return {"offsets": tuple((-np.log(shares)).tolist())}


def _additive(scores: FloatArray, probabilities: bool) -> FloatArray:
    """Scores to which offsets are added."""
    return np.log(np.maximum(scores, LEAST_PROBABILITY)) if probabilities else scores


def _shifted(scores: FloatArray, threshold: float) -> FloatArray:
    """Scores minus a threshold; of an infinite one, finite numbers of its sign in their order."""
    if threshold == -inf:
        return np.asarray(np.logaddexp(0.0, scores))
    if threshold == inf:
        return np.asarray(-np.logaddexp(0.0, -scores))
    return scores - threshold
