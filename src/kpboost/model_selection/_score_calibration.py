"""From the scores of any classifier to log-odds and probabilities, however few samples there are.

Two lines, each fitted by the shrunken logit to scores that the classifier gave to samples it had
not seen. The first leads to log-odds under equal class shares: z = slope u + intercept, where u is
the score in units that need no knowledge of the classifier. The second leads from z to log-odds
under the shares of the data. Two classes are one problem, that of the second class; several
classes are one problem each, against the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit

from kpboost._calibration import (
    FIRST_GUESS,
    balancing_weights,
    corrected_share,
    shrunken_logit,
    summing_to_one,
)
from kpboost._typing import BoolArray, FloatArray, IndexArray

# Weight of the guesses, in samples.
SHRINKAGE = 1.0
# Sums of probabilities may be off by rounding, also in single precision.
ROUNDING = 1e-6
# The share of either class for a classifier that was trained with class weights.
EQUAL = 0.5


@dataclass(frozen=True)
class ScoreLine:
    """The two lines of one problem.

    Attributes
    ----------
    reference : float or None
        Of probabilities the class share q that they are about: p counts as
        (p (1 - q) - q (1 - p)) / (p (1 - q) + q (1 - p)), from -1 to 1. None for other scores,
        which count as they are.
    centre, width : float
        Of other scores the mean and standard deviation, with both sides weighing the same; they
        are 0 and a unit of u. Probabilities are in units already: 0 and 1.
    slope, intercept : float
        From units to log-odds under equal shares.
    share_slope, share_intercept : float
        From there to log-odds under the shares of the data.
    """

    reference: float | None
    centre: float
    width: float
    slope: float
    intercept: float
    share_slope: float = 1.0
    share_intercept: float = 0.0

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Log-odds under equal shares."""
        units = (_counted(scores, self.reference) - self.centre) / self.width
        return np.asarray(units * self.slope + self.intercept)

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities under the shares of the data."""
        return np.asarray(expit(self.log_odds(scores) * self.share_slope + self.share_intercept))

    def score_at(self, log_odds: float) -> float:
        """Return the least score whose log-odds under equal shares reach a value.

        Infinite where no score, or every score, reaches it.
        """
        missing = log_odds - self.intercept
        if self.slope == 0.0 or not np.isfinite(missing):
            return -np.inf if missing <= 0.0 else np.inf
        counted = self.centre + self.width * (missing / self.slope)
        return counted if self.reference is None else _uncounted(counted, self.reference)

    def score_at_own_odds(self, log_odds: float) -> float:
        """Return the same for log-odds under the shares of the data."""
        missing = log_odds - self.share_intercept
        if self.share_slope == 0.0:
            return -np.inf if missing <= 0.0 else np.inf
        return self.score_at(missing / self.share_slope)


@dataclass(frozen=True)
class ScoreCalibration:
    """Lines from scores to log-odds and probabilities, one pair per problem.

    Attributes
    ----------
    lines : tuple of ScoreLine
    """

    lines: tuple[ScoreLine, ...]

    @classmethod
    def fit(
        cls,
        scores: FloatArray,
        codes: IndexArray,
        weight: FloatArray | None = None,
        *,
        probabilities: bool,
    ) -> Self:
        """Fit both lines of every problem.

        Parameters
        ----------
        scores : ndarray of shape (n,) or (n, n_classes)
            Finite; of two classes those of class 1.
        codes : ndarray of shape (n,)
            Numbers of the classes; each has a sample.
        weight : ndarray of shape (n,), optional
            Positive weights of the samples; the shares of the classes are theirs.
        probabilities : bool
            Whether the scores are probabilities.

        Returns
        -------
        ScoreCalibration
        """
        weight = mean_one(weight, codes.size)
        columns = [(1, scores)] if scores.ndim == 1 else enumerate(scores.T)
        return cls(
            tuple(_fit_problem(own, codes == k, weight, probabilities) for k, own in columns)
        )

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Log-odds under equal shares, in the shape of the scores."""
        if scores.ndim == 1:
            return self.lines[0].log_odds(scores)
        pairs = zip(self.lines, scores.T, strict=True)
        return np.column_stack([line.log_odds(own) for line, own in pairs])

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities under the shares of the data, of shape (n, n_classes)."""
        if scores.ndim == 1:
            second = self.lines[0].probabilities(scores)
            return np.column_stack([1.0 - second, second])
        pairs = zip(self.lines, scores.T, strict=True)
        own = np.column_stack([line.probabilities(column) for line, column in pairs])
        return summing_to_one(own)

    def as_list(self) -> list[dict[str, float | None]]:
        """Return all numbers as plain data."""
        return [asdict(line) for line in self.lines]

    @classmethod
    def from_list(cls, data: Sequence[Mapping[str, Any]]) -> Self:
        """Return what :meth:`as_list` wrote; numbers that no fit leaves are refused."""
        return cls(tuple(_checked_line(ScoreLine(**dict(each))) for each in data))


def _checked_line(line: ScoreLine) -> ScoreLine:
    """Return a line whose numbers can be those of a fit."""
    numbers = astuple(line)[1 if line.reference is None else 0 :]
    fits = all(isinstance(each, float) and np.isfinite(each) for each in numbers)
    fits = fits and (line.reference is None or 0.0 < line.reference < 1.0)
    # a slope that falls would turn the scores around
    if not fits or line.width <= 0.0 or line.slope < 0.0 or line.share_slope < 0.0:
        raise ValueError("its calibration has numbers that no fit leaves")
    return line


def are_probabilities(scores: FloatArray) -> bool:
    """Tell whether all scores lie from 0 to 1 and, with a column per class, sum to 1."""
    if scores.min() < -ROUNDING or scores.max() > 1.0 + ROUNDING:
        return False
    return scores.ndim == 1 or bool(np.all(np.abs(scores.sum(axis=1) - 1.0) <= ROUNDING))


def mean_one(weight: FloatArray | None, n_samples: int) -> FloatArray:
    """Return weights whose mean is 1, so that their unit has no influence; ones for None."""
    return np.ones(n_samples) if weight is None else np.asarray(weight / weight.mean())


def _fit_problem(
    scores: FloatArray, is_own: BoolArray, weight: FloatArray, probabilities: bool
) -> ScoreLine:
    """Fit one class against the rest.

    Probabilities may be about the shares of the data or, after training with class weights, about
    equal ones: the lower minimum of the shrunken logit decides.
    """
    share = float(weight[is_own].sum() / weight.sum())
    references = (share, EQUAL) if probabilities else (None,)
    fits = [_balanced_line(scores, is_own, weight, reference) for reference in references]
    line = min(fits, key=lambda fit: fit[0])[1]
    odds = line.log_odds(scores)
    slope, intercept = shrunken_logit(
        odds,
        is_own,
        weight,
        centre=(1.0, float(logit(share))),
        shrinkage=SHRINKAGE,
    )
    return replace(line, share_slope=slope, share_intercept=intercept)


def _balanced_line(
    scores: FloatArray, is_own: BoolArray, weight: FloatArray, reference: float | None
) -> tuple[float, ScoreLine]:
    """Return what was minimised, and the line; both sides weigh the same."""
    weight = balancing_weights(is_own, weight)
    counted = _counted(scores, reference)
    centre, width = _units(counted, weight) if reference is None else (0.0, 1.0)
    units = (counted - centre) / width
    slope, intercept = shrunken_logit(
        units, is_own, weight, centre=FIRST_GUESS, shrinkage=SHRINKAGE
    )
    margins = np.where(is_own, 1.0, -1.0) * (units * slope + intercept)
    away = np.array([slope, intercept]) - FIRST_GUESS
    loss = float(weight @ np.logaddexp(0.0, -margins) + SHRINKAGE / 2 * (away @ away))
    return loss, ScoreLine(reference, centre, width, slope, intercept)


def _units(scores: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Weighted mean and standard deviation."""
    centre = float(np.average(scores, weights=weight))
    width = float(np.sqrt(np.average((scores - centre) ** 2, weights=weight)))
    # a spread of rounding says nothing
    return centre, width if width > np.finfo(np.float64).eps * abs(centre) else 1.0


def _counted(scores: FloatArray, reference: float | None) -> FloatArray:
    if reference is None:
        return scores
    return corrected_share(np.clip(scores, 0.0, 1.0), reference)


def _uncounted(value: float, reference: float) -> float:
    """Return the probability that counts as a value; infinite where there is none."""
    if abs(value) > 1.0:
        return -np.inf if value < 0.0 else np.inf
    towards, against = reference * (1.0 + value), (1.0 - reference) * (1.0 - value)
    return towards / (towards + against)
