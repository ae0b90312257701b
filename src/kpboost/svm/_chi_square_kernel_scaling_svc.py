"""Kernel scaling for any number of classes, with decays from a chi-square statistic (AKS-chi2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost.problems import TrainingSet

from ._kernel_scaling_svc import Decay, winners
from ._perturbation import BaseKernel, PerturbationPlan, Problem, Stage
from ._perturbed_classifier import PerturbedClassifier

# Classes whose chi-square is below this share of n are balanced but for rounding: their parts of it
# would be noise over noise.
SAME_SIZE = 1e-12

# From the weights of the classes in a training set, or of what is predicted for it, to their k.
ClassDecays = Callable[[FloatArray], FloatArray]


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


NAMED_DECAYS: dict[str, ClassDecays] = {"chi2": chi_square_decays, "phi": phi_decays}


class ChiSquareKernelScalingSVC(PerturbedClassifier):
    """Machines of all classes on one kernel, scaled by the predicted class (AKS-chi2).

    One machine per class against the rest, or a single one for two classes, gives the predicted
    class c and the winner's value f. The kernel of all machines is scaled by D(x) = exp(-k_c
    f(x)^2), and they are trained again; this is repeated. k_c grows with the class: with n_c
    points of n, the expected E = n / n_classes and chi2_c = (n_c - E)^2 / E,

        k_c = (n_c / n) chi2_c / sum_c' chi2_c'.

    Balanced classes leave the kernel alone. The method is that of Zhang, Fu, Liu and Chen, 2014;
    the exact formula of k_c in the article was not at hand, and all of this is our reading of its
    abstract and of the KPBoost paper's summary.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    n_iterations : int, default=3
        How many times the kernel is scaled and the machines trained again. The KPBoost paper takes
        2, 3 and 5.
    decay_rule : {"chi2", "phi"} or dict, default="chi2"
        Where k_c comes from: "chi2" as above; "phi" is (n_c / n) (chi2 / n); a dict has a number of
        at least 0 for every label. k_c
    counts : {"true", "predicted"}, default="true"
        Whether n_c counts the labels of the training points, or their predictions by the current
        machines; it is not known which the article means.
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
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
    decays_ : ndarray of shape (n_classes,)
        Decays of the classes in the first iteration; 0 where the kernel was left alone. k_c
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
    AsymmetricKernelScalingSVC : Decays that are given, not computed.

    Notes
    -----
    Where the values of several classes tie, up to 1e-5, the smallest of their decays counts: such
    ties are common on the margins. Sample weights are exact, in the counts too: weight 2 is the
    sample twice. With two classes k+ < k-, as the sides' decays in AKS.

    References
    ----------
    Y. Zhang, P. Fu, W. Liu, G. Chen, "Imbalanced data classification based on scaling kernel-based
    support vector machine", Neural Computing and Applications 25, 2014,
    doi:10.1007/s00521-014-1584-2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import ChiSquareKernelScalingSVC
    >>> X, y = load_wine(return_X_y=True)
    >>> ChiSquareKernelScalingSVC().fit(scale(X), y).decays_.round(3)
    array([0.   , 0.205, 0.131])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_iterations: int = 3,
        decay_rule: str | Mapping[Any, float] = "chi2",
        counts: str = "true",
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        cache_size: float = 1000,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.n_iterations = n_iterations
        self.decay_rule = decay_rule
        self.counts = counts
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machine, and train it again on the perturbed kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of ``C``, one per sample; 0 or more.

        Returns
        -------
        self : ChiSquareKernelScalingSVC
        """
        super().fit(X, y, sample_weight)
        self.decays_ = self._first_decays()
        return self

    def _check_own_parameters(self) -> None:
        parameters.check_choice("counts", self.counts, ("true", "predicted"))
        _check_decay_rule(self.decay_rule)

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        rule = ClassDecay(self._decays(data, signs), self.counts == "predicted")
        return PerturbationPlan(rule=rule, n_iterations=self.n_iterations)

    def _first_decays(self) -> FloatArray:
        steps = self._machines.chains[0].steps
        if not steps:  # such as after a solve that did not converge
            return np.zeros(self.classes_.size)
        return _by_class(cast(Decay, steps[0].factor).decays, self._machines.signs)

    def _decays(self, data: TrainingSet, signs: FloatArray) -> ClassDecays:
        if not isinstance(self.decay_rule, Mapping):
            return NAMED_DECAYS[self.decay_rule]
        given = _by_class(_named_decays(self.decay_rule, data), signs)
        return lambda totals: given


def _check_decay_rule(value: Any) -> None:
    """Refuse anything but one of the words or a mapping; its labels and numbers come later."""
    is_word = isinstance(value, str) and value in NAMED_DECAYS
    if not is_word and not isinstance(value, Mapping):
        words = ", ".join(map(repr, NAMED_DECAYS))
        raise parameters.refusal("decay_rule", value, f"{words} or a dict from label to number")


def _by_class(decays: FloatArray, signs: FloatArray) -> FloatArray:
    """Turn negative and positive side into first and second class, or back; more classes stay."""
    return decays[::-1] if signs[0] < 0 else decays


def _named_decays(decay_rule: Mapping[Any, float], data: TrainingSet) -> FloatArray:
    """Return the numbers of a mapping in the order of the classes."""
    labels = data.classes.tolist()
    missing = [label for label in labels if label not in decay_rule]
    if missing:
        raise ValueError(f"decay_rule has no number for the class(es) {missing}.")
    if not all(parameters.is_not_negative(decay_rule[label]) for label in labels):
        raise ValueError(f"decay_rule={dict(decay_rule)!r}: decays must be numbers of at least 0.")
    return np.array([float(decay_rule[label]) for label in labels])
