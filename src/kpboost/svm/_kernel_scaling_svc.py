"""Kernel scaling (KS): one factor that falls with the decision value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost.problems import TrainingSet

from ._perturbation import BaseKernel, PerturbationPlan, Problem, Stage
from ._perturbed_classifier import PerturbedClassifier

# Values on the margins are known up to the solver's tolerance; up to this difference they tie.
SAME_VALUE = 1e-5


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


class KernelScalingSVC(PerturbedClassifier):
    """Support vector machine trained again on a kernel scaled by its own decision values (KS).

    The first machine's f gives the factor D(x) = exp(-k f(x)^2): 1 on the boundary, exp(-k) on the
    margins. The second machine has the kernel D(x) K(x, z) D(z), with relatively more resolution
    near the boundary; a new point has D from its own f. After Williams and others, 2005, as the
    KPBoost paper describes it; iterating is our option.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    decay : float, default=0.01
        How fast the factor falls. The KPBoost paper takes 1e-4 to 1. k
    n_iterations : int, default=1
        How many times the kernel is scaled and the machine trained again, each time with the last
        machine's f.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with a kernel of its own. OVO /
        OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The positive class, which gets the points with f = 0. None takes the rarer
        class, or the first on a tie. With more than two classes it must be None: the rarer side
        of every two-class problem is positive. +1
    tol : float, default=1e-6
        Largest violation of the optimality conditions at which the solver stops, in units of the
        decision function.
    max_iter : int or None, default=None
        Limit of the solver's iterations per solve; None is the solver's own, finite limit.
    cache_size : float, default=1000
        Memory for kernel values in MB. Rows that do not fit are computed again.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    pos_label_ : label
        The positive class; only for two classes.
    gamma_ : float
        Width parameter in use.
    support_ : ndarray of shape (n_SV,)
        Rows of the training set that support any machine, those before the last one included, class
        by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Those rows.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_machines, n_SV)
        Signed dual coefficients of the last machines. lambda y
    intercept_ : ndarray of shape (n_machines,)
        Offsets of their decision functions. b
    log_scale_ : ndarray of shape (n_problems, n_samples)
        Logarithm of the product of each training point's factors D; 0 outside of a problem.
    n_perturbations_ : ndarray of shape (n_problems,)
        How many times the kernel was changed.
    training_errors_ : ndarray of shape (n_problems, n_stages)
        Share of wrong predictions on the training points, from the plain machine on; NaN after the
        end.
    n_iter_ : ndarray of shape (n_problems,)
        Iterations of all solves.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    AsymmetricKernelScalingSVC : A decay for each class.
    ConformalSVC : Perturbs around the support vectors.

    Notes
    -----
    Two classes make one problem; one-vs-one makes one per pair in the order (0, 1), (0, 2), ...,
    (1, 2), ..., positive for the later class; one-vs-rest one per class. Sample
    weights are exact: weight 2 is the sample twice.

    References
    ----------
    P. Williams, S. Li, J. Feng, S. Wu, "Scaling the kernel function to improve performance of the
    support vector machine", Advances in Neural Networks (ISNN), 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import KernelScalingSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KernelScalingSVC(decay=0.1).fit(scale(X), y)
    >>> model.n_perturbations_
    array([1])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        decay: float = 0.01,
        n_iterations: int = 1,
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        cache_size: float = 1000,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.decay = decay
        self.n_iterations = n_iterations
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    def _check_own_parameters(self) -> None:
        parameters.check_positive("decay", self.decay)

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        return PerturbationPlan(
            rule=SideDecay(self.decay, self.decay), n_iterations=self.n_iterations
        )
