"""Rules that look at the decision value alone: D(x) = exp(-k f(x)^2).

D is 1 on the boundary and falls with the distance from it. What distinguishes the rules is k: one
number (KS), one for each predicted side (AKS), one for each predicted class (AKS-chi2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .perturbation import Problem, Stage

FloatArray = NDArray[np.float64]

# Values on the margins are known up to the solver's tolerance; up to this difference they tie.
SAME_VALUE = 1e-5

# Classes whose chi-square is below this share of n are balanced but for rounding: their parts of it
# would be noise over noise.
SAME_SIZE = 1e-12

# From the weights of the classes in a training set, or of what is predicted for it, to their k.
ClassDecays = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Decay:
    """D of one step.

    Attributes
    ----------
    decays : ndarray of shape (n_outcomes,)
        k: for the negative and the positive side of a single machine, or for every class of
        several. Where classes tie, the smallest of their decays counts.
    """

    decays: FloatArray

    @property
    def n_anchors(self) -> int:
        """Numbers per point."""
        return self.decays.size

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D; where a point lies, and its scale, play no part."""
        value = decision.max(axis=1)  # of the winner; a single machine has one
        k = np.where(winners(decision), self.decays, np.inf).min(axis=1)
        with np.errstate(over="ignore"):  # D is then 0 in any case
            return np.asarray(-k * value**2)


def winners(decision: FloatArray) -> NDArray[np.bool_]:
    """Mark the predicted outcome of each point: its side, or the class with the largest value.

    Ties between classes are common: points that all machines reject lie on the margin, f = -1, of
    several. All of them are marked.

    Parameters
    ----------
    decision : ndarray of shape (n, n_machines)

    Returns
    -------
    ndarray of bool of shape (n, n_outcomes)
        For a single machine the negative and the positive side, zero being positive.
    """
    if decision.shape[1] == 1:
        return np.column_stack([decision < 0, decision >= 0])
    return np.asarray(decision >= decision.max(axis=1, keepdims=True) - SAME_VALUE)


@dataclass(frozen=True, slots=True)
class SideDecay:
    """KS and AKS: k for predicted positive and negative points.

    Attributes
    ----------
    decay_pos, decay_neg : float
        k+ and k-; equal in KS.
    """

    decay_pos: float
    decay_neg: float

    def __call__(self, problem: Problem, stage: Stage) -> Decay:
        """Return the factor; it depends on the machine through f alone."""
        return Decay(np.array([self.decay_neg, self.decay_pos]))


@dataclass(frozen=True, slots=True)
class ClassDecay:
    """AKS-chi2: k for every predicted class.

    Attributes
    ----------
    decays : callable
        From the total weights of the classes to their k.
    from_predictions : bool
        Whether the weights are those of the predicted classes rather than of the true ones.
    """

    decays: ClassDecays
    from_predictions: bool = False

    def __call__(self, problem: Problem, stage: Stage) -> Decay:
        """Return the factor."""
        won = winners(stage.decision if self.from_predictions else problem.target)
        totals = problem.weight @ (won / won.sum(axis=1, keepdims=True))
        return Decay(self.decays(totals))


def chi_square_decays(totals: FloatArray) -> FloatArray:
    """k_c = (n_c / n) chi2_c / chi2: a class's share times its part of the statistic.

    chi2_c = (n_c - E)^2 / E with the expected E = n / n_classes. All are 0 for balanced classes.

    Parameters
    ----------
    totals : ndarray of shape (n_classes,)
        n_c, or the classes' total weights.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    parts = _chi_square_parts(totals)
    total = parts.sum()
    if total <= SAME_SIZE * totals.sum():
        return np.zeros(totals.size)
    return np.asarray(totals / totals.sum() * parts / total)


def phi_decays(totals: FloatArray) -> FloatArray:
    """k_c = (n_c / n) chi2 / n: a class's share times the squared phi coefficient.

    Parameters and result are those of :func:`chi_square_decays`.
    """
    n = totals.sum()
    return np.asarray(totals / n * _chi_square_parts(totals).sum() / n)


def _chi_square_parts(totals: FloatArray) -> FloatArray:
    expected = totals.sum() / totals.size
    return np.asarray((totals - expected) ** 2 / expected)
