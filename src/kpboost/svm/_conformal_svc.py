"""Conformal transformation of the kernel around support vectors: Amari-Wu, Wu-Amari, ACT."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost.kernels import gamma_to_length_scale
from kpboost.problems import TrainingSet

from ._perturbation import (
    L1,
    LAPLACIAN,
    RBF,
    SQUARED_EUCLIDEAN,
    BaseKernel,
    Bumps,
    PerturbationPlan,
    Problem,
    Rule,
    Stage,
    SupportSamples,
    distances,
    mean_of_near,
    middle_of,
    positive_widths,
    squared_feature_distances,
    support_samples,
    supports,
)
from ._perturbed_classifier import PerturbedClassifier


@dataclass(frozen=True, slots=True)
class AmariWu:
    """The rule of 1999.

    Attributes
    ----------
    length_scale : float
        tau.
    """

    length_scale: float

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return bumps at the support vectors, as high as their coefficients."""
        rows = np.flatnonzero(supports(problem, stage))
        if rows.size == 0:
            return None
        return Bumps(
            anchors=problem.points[rows],
            log_heights=np.log(np.abs(stage.dual_coef[0, rows])),
            widths=np.full(rows.size, 2.0 * self.length_scale**2),
            distance=SQUARED_EUCLIDEAN,
        )


@dataclass(frozen=True, slots=True)
class WuAmari:
    """The rule of 2002.

    Attributes
    ----------
    n_neighbors : int
        M, support vectors that set a width.
    """

    n_neighbors: int

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return bumps at the support vectors, as wide as these are apart."""
        places = support_samples(problem, stage)
        if places.positive.size < 2:
            return None
        squared = distances(places.points, places.points, SQUARED_EUCLIDEAN)
        widths = positive_widths(_mean_of_nearest(squared, self.n_neighbors))
        if widths is None:
            return None
        return Bumps(places.points, np.zeros(widths.size), widths, SQUARED_EUCLIDEAN)


def _mean_of_nearest(squared: FloatArray, n_neighbors: int) -> FloatArray:
    """Mean of the smallest values of each row, its own place left out."""
    others = squared.copy()
    np.fill_diagonal(others, np.inf)
    count = min(n_neighbors, len(squared) - 1)
    return np.asarray(np.partition(others, count - 1, axis=1)[:, :count].mean(axis=1))


OPPOSITE, ALL = "opposite", "all"
RATIO, MILD = "ratio", "mild"


@dataclass(frozen=True, slots=True)
class AdaptiveConformal:
    """The rule.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    distance : {"sqeuclidean", "l1"}
        d, in the input space.
    width_scope : {"opposite", "all"}
        Support vectors among which the nearest and the farthest are taken for M_s.
    width_skew : {"ratio", "mild"} or pair of float
        (eta_p, eta_n), or how they follow from the numbers of support vectors.
    """

    kernel: BaseKernel
    distance: str
    width_scope: str = OPPOSITE
    width_skew: str | tuple[float, float] = RATIO

    def __call__(self, problem: Problem, stage: Stage) -> Bumps | None:
        """Return the bumps; None where one side has no support vectors, or all coincide."""
        places = support_samples(problem, stage)
        if not places.has_both_sides:
            return None
        widths = positive_widths(self._widths(places))
        if widths is None:
            return None
        eta_p, eta_n = stretch(places, self.width_skew)
        widths = widths * np.where(places.positive, eta_p, eta_n)
        return Bumps(places.points, np.zeros(widths.size), widths, self.distance)

    def _widths(self, places: SupportSamples) -> FloatArray:
        """Return tau_s^2 before it is stretched."""
        squared = squared_feature_distances(
            self.kernel(places.points, places.points), np.exp(places.log_scale)
        )
        opposite = places.positive[:, None] != places.positive
        scope = opposite
        if self.width_scope == ALL:
            scope = ~np.eye(places.positive.size, dtype=bool)
        return mean_of_near(squared, opposite, middle_of(squared, scope))


def stretch(places: SupportSamples, skew: str | tuple[float, float]) -> tuple[float, float]:
    """Return eta_p and eta_n.

    The ratio of the numbers of support vectors, negative to positive, and its inverse; "mild" has
    1 and the inverse. Where the positive ones are the more numerous both are 1, so that eta_p is
    never the smaller.
    """
    if not isinstance(skew, str):
        return float(skew[0]), float(skew[1])
    n_positive = int(places.positive.sum())
    ratio = max((places.positive.size - n_positive) / n_positive, 1.0)
    return (ratio if skew == RATIO else 1.0), 1.0 / ratio


class ConformalSVC(PerturbedClassifier):
    """Support vector machine on a kernel magnified around its support vectors.

    A first machine is trained; its support vectors give a factor D, and the machine is trained
    again on the kernel D(x) K(x, z) D(z). Three rules:

    * "amari_wu" (1999): D(x) = sum_i lambda_i exp(-|x - x_i|^2 / (2 tau^2)), one tau for all;
    * "wu_amari" (2002): D(x) = sum_i exp(-|x - x_i|^2 / tau_i^2), tau_i^2 the mean squared
      distance from x_i to the nearest other support vectors;
    * "act" (Wu and Chang 2003, in our reading): D(x) = sum_i exp(-d(x, x_i) / tau_i^2), tau_i^2
      the mean squared distance in feature space to the near support vectors of the other class,
      larger for the rarer class.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    rule : {"amari_wu", "wu_amari", "act"}, default="amari_wu"
        What D is. D
    n_iterations : int, default=1
        Most times that the kernel is changed and the machine trained again. The KPBoost paper lets
        ACT take up to 10.
    kernel : {"rbf", "laplacian"}, default="rbf"
        exp(-gamma |x - z|^2), or for "act" also exp(-gamma |x - z|_1), which the article has used
        as we recall it. K
    factor_length_scale : "auto" or float, default="auto"
        Width of the bumps of "amari_wu"; "auto" is sigma / sqrt(n_features). tau
    n_neighbors : int, default=3
        Support vectors that set a width in "wu_amari"; the article leaves it free. M
    distance : {"auto", "sqeuclidean", "l1"}, default="auto"
        Distance in the bumps of "act": squared Euclidean as in the KPBoost paper, or L1, which
        goes with the Laplacian kernel; "auto" is the one that fits the kernel. d
    width_scope : {"opposite", "all"}, default="opposite"
        Support vectors among which "act" takes the nearest and the farthest, whose middle tells
        near from far: those of the other class, or all others. M_s
    width_skew : {"ratio", "mild"} or pair of float, default="ratio"
        Factors of the widths in "act", for positive and for negative support vectors. "ratio" is
        their numbers' ratio, negative to positive, and its inverse; "mild" is 1 and the inverse; a
        pair is used as it is. The words give 1 and 1 where positive ones are the more numerous.
        eta_p, eta_n
    min_improvement : float or None, default=0.0
        Iterations end when the training error has not fallen by more than this; None never ends
        them early. The rule is recalled from the article, its value is not. theta
    keep_best : bool or "auto", default="auto"
        Whether the first machine with the smallest training error is used: a step that did not
        lower the error is not kept. "auto" does so for "act", whose iterations end by that error;
        False is its literal reading, the last machine. The other rules keep their step.
    normalize : bool, default=False
        Whether D is divided by its largest value at the training points. A factor c in D acts like
        a factor c^2 in C, so this changes the machine.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with a kernel of its own. OVO /
        OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The positive class, whose bumps "act" makes wider. None takes the rarer
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
    KernelScalingSVC : Perturbs by the decision function.
    BoundaryAlignmentSVC : Perturbs along the boundary.

    Notes
    -----
    Two classes make one problem; one-vs-one makes one per pair in the order (0, 1), (0, 2), ...,
    (1, 2), ..., positive for the later class; one-vs-rest one per class. Support
    vectors that share place and class count once in "wu_amari" and "act", so that weight 2 is the
    sample twice. Where support vectors are missing on a side that a rule needs, or all coincide,
    the machine is left as it is.

    References
    ----------
    S. Amari, S. Wu, "Improving support vector machine classifiers by modifying kernel functions",
    Neural Networks 12, 1999. S. Wu, S. Amari, "Conformal transformation of kernel functions: a
    data-dependent way to improve support vector machine classifiers", Neural Processing Letters
    15, 2002. G. Wu, E. Y. Chang, "Adaptive feature-space conformal transformation for
    imbalanced-data learning", ICML 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import ConformalSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ConformalSVC(rule="act", n_iterations=10).fit(scale(X), y)
    >>> model.n_perturbations_.shape
    (1,)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        rule: str = "amari_wu",
        n_iterations: int = 1,
        kernel: str = "rbf",
        factor_length_scale: float | str = "auto",
        n_neighbors: int = 3,
        distance: str = "auto",
        width_scope: str = "opposite",
        width_skew: str | tuple[float, float] = "ratio",
        min_improvement: float | None = 0.0,
        keep_best: bool | str = "auto",
        normalize: bool = False,
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        cache_size: float = 1000,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.rule = rule
        self.n_iterations = n_iterations
        self.kernel = kernel
        self.factor_length_scale = factor_length_scale
        self.n_neighbors = n_neighbors
        self.distance = distance
        self.width_scope = width_scope
        self.width_skew = width_skew
        self.min_improvement = min_improvement
        self.keep_best = keep_best
        self.normalize = normalize
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    def _check_own_parameters(self) -> None:
        parameters.check_choice("rule", self.rule, ("amari_wu", "wu_amari", "act"))
        parameters.check_choice("kernel", self.kernel, (RBF, LAPLACIAN))
        if self.kernel == LAPLACIAN and self.rule != "act":
            raise ValueError(f"kernel={LAPLACIAN!r} is for rule='act'; rule is {self.rule!r}.")
        parameters.check_positive_or_word(
            "factor_length_scale", self.factor_length_scale, ("auto",)
        )
        parameters.check_count("n_neighbors", self.n_neighbors)
        parameters.check_choice("distance", self.distance, ("auto", SQUARED_EUCLIDEAN, L1))
        parameters.check_choice("width_scope", self.width_scope, (OPPOSITE, ALL))
        _check_skew(self.width_skew)
        if self.keep_best != "auto":
            parameters.check_flag("keep_best", self.keep_best)

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        return PerturbationPlan(
            rule=self._rule(kernel, data.points.shape[1]),
            n_iterations=self.n_iterations,
            normalize=self.normalize,
            min_improvement=self.min_improvement,
            keep_best=self.rule == "act" if self.keep_best == "auto" else bool(self.keep_best),
        )

    def _rule(self, kernel: BaseKernel, n_features: int) -> Rule:
        if self.rule == "wu_amari":
            return WuAmari(self.n_neighbors)
        if self.rule == "amari_wu":
            if isinstance(self.factor_length_scale, str):  # "auto"
                return AmariWu(gamma_to_length_scale(kernel.gamma) / sqrt(n_features))
            return AmariWu(float(self.factor_length_scale))
        distance = self.distance
        if distance == "auto":
            distance = L1 if self.kernel == LAPLACIAN else SQUARED_EUCLIDEAN
        return AdaptiveConformal(kernel, distance, self.width_scope, self.width_skew)


def _check_skew(value: Any) -> None:
    """Refuse anything but the two words or a pair of positive numbers."""
    is_word = isinstance(value, str) and value in (RATIO, MILD)
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    if not is_word and not (is_pair and all(map(parameters.is_positive, value))):
        allowed = f"{RATIO!r}, {MILD!r} or a pair of positive, finite numbers"
        raise parameters.refusal("width_skew", value, allowed)
