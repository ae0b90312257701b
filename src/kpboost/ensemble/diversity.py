"""How much the machines of an ensemble disagree, and whether one more disagrees enough."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class DiversityGate:
    """Admit machines that keep the ensemble diverse.

    The diversity of round t is the share of points where its machine contradicts the ensemble of
    the rounds before; that of the first round counts as 0. The mean over all rounds, with the
    candidate's, must not fall below a fraction of the largest mean so far.

    Parameters
    ----------
    fraction : float or None
        eta; None admits every machine.
    share : ndarray of shape (n,)
        Weights of the points, with a sum of 1.
    """

    def __init__(self, fraction: float | None, share: FloatArray) -> None:
        self.fraction = fraction
        self.share = share
        self.votes = np.zeros(share.size)
        self.n_rounds = 0
        self.total = 0.0
        self.largest = 0.0

    def admits(self, answers: FloatArray) -> bool:
        """Tell whether a machine with these answers, -1 or +1, is diverse enough."""
        if self.fraction is None or self.n_rounds == 0:
            return True
        return self._mean_with(answers) >= self.fraction * self.largest

    def add(self, answers: FloatArray, vote: float) -> None:
        """Take a machine into the ensemble."""
        self.largest = max(self.largest, self._mean_with(answers))
        self.total += self._disagreement(answers)
        self.n_rounds += 1
        self.votes = self.votes + vote * answers

    def _mean_with(self, answers: FloatArray) -> float:
        return (self.total + self._disagreement(answers)) / (self.n_rounds + 1)

    def _disagreement(self, answers: FloatArray) -> float:
        if self.n_rounds == 0:
            return 0.0
        ensemble = np.where(self.votes >= 0.0, 1.0, -1.0)
        return float(self.share @ (answers != ensemble))
