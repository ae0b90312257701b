"""Kernel boundary alignment (KBA): the kernel is magnified around a shifted boundary."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from kpboost import _validation as parameters
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.problems import TrainingSet

from ._perturbation import (
    BaseKernel,
    PerturbationPlan,
    Problem,
    Stage,
    SupportSamples,
    log_sum_exp,
    mean_of_near,
    middle_of,
    positive_widths,
    row_blocks,
    squared_feature_distances,
    support_samples,
)
from ._perturbed_classifier import PerturbedClassifier

# From some boundary points to squared distances from all candidates, and which of these count.
Neighbours = Callable[[slice], tuple[FloatArray, BoolArray]]

SUPPORT_VECTORS, BOUNDARY = "support_vectors", "boundary"


def squared_boundary_distances(
    cross: FloatArray,
    diagonal: FloatArray,
    first: IndexArray,
    second: IndexArray,
    beta: float,
    squared_norms: FloatArray,
) -> FloatArray:
    """delta2(x, x_b) from kernel values.

    Parameters
    ----------
    cross : ndarray of shape (n, n_vectors)
        K(x, v) for the support vectors v.
    diagonal : ndarray of shape (n,)
        K(x, x).
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)

    Returns
    -------
    ndarray of shape (n, n_boundary)
    """
    inner = (1.0 - beta) * cross[:, first] + beta * cross[:, second]
    return np.asarray(np.maximum(diagonal[:, None] - 2.0 * inner + squared_norms, 0.0))


def boundary_widths(
    kernel: FloatArray,
    first: IndexArray,
    second: IndexArray,
    beta: float,
    squared_norms: FloatArray,
    scope: str,
) -> FloatArray:
    """tau_b^2 of all boundary points, in blocks of bounded memory.

    Parameters
    ----------
    kernel : ndarray of shape (n_vectors, n_vectors)
        K between the support vectors.
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)
    scope : {"support_vectors", "boundary"}
        What is near. A single boundary point has no others, and is measured by support vectors.

    Returns
    -------
    ndarray of shape (n_boundary,)
        Some may be 0, where points coincide.
    """

    def to_vectors(part: slice) -> tuple[FloatArray, BoolArray]:
        squared = squared_boundary_distances(
            kernel, kernel.diagonal(), first[part], second[part], beta, squared_norms[part]
        ).T
        return squared, np.ones(squared.shape, dtype=bool)

    def to_others(part: slice) -> tuple[FloatArray, BoolArray]:
        cross = (1.0 - beta) * kernel[first[part]] + beta * kernel[second[part]]
        squared = squared_boundary_distances(
            cross, squared_norms[part], first, second, beta, squared_norms
        )
        return squared, np.arange(first.size)[part, None] != np.arange(first.size)

    if scope == BOUNDARY and first.size > 1:
        return _near_means(to_others, first.size, first.size)
    return _near_means(to_vectors, first.size, len(kernel))


def _near_means(neighbours: Neighbours, n_boundary: int, n_candidates: int) -> FloatArray:
    widths = np.empty(n_boundary)
    for part in row_blocks(n_boundary, n_candidates):
        squared, candidates = neighbours(part)
        widths[part] = mean_of_near(squared, candidates, middle_of(squared, candidates))
    return widths


NEAREST, ALL = "nearest", "all"
LOG_LOSS, RATIO = "log_loss", "ratio"

# Where beta is looked for: 0.50, 0.52, ..., 1.00. Steps of 0.02 are finer than the loss is known.
BETAS = np.round(np.linspace(0.5, 1.0, 26), 2)


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryBumps:
    """D of one step: the mean of bumps around boundary points.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    vectors : ndarray or CSR matrix of shape (n_vectors, d)
        Support vectors.
    scale : ndarray of shape (n_vectors,)
        s at the support vectors.
    first, second : ndarray of shape (n_boundary,)
        Rows of p and q among them.
    beta : float
    squared_norms : ndarray of shape (n_boundary,)
        |Phi(x_b)|^2.
    widths : ndarray of shape (n_boundary,)
        tau_b^2.
    """

    kernel: BaseKernel
    vectors: Any
    scale: FloatArray
    first: IndexArray
    second: IndexArray
    beta: float
    squared_norms: FloatArray
    widths: FloatArray

    @property
    def n_anchors(self) -> int:
        """Number of boundary points, or of support vectors if there are more."""
        return max(self.first.size, self.scale.size)

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D; decision values play no part."""
        own = np.exp(log_scale)
        cross = own[:, None] * self.kernel(points, self.vectors) * self.scale
        squared = squared_boundary_distances(
            cross, own**2, self.first, self.second, self.beta, self.squared_norms
        )
        with np.errstate(over="ignore"):  # a width next to nothing: the bump is gone
            exponents = -squared / self.widths
        return log_sum_exp(exponents) - log(self.first.size)


@dataclass(frozen=True, slots=True)
class BoundaryAlignment:
    """The rule.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    pairs : {"nearest", "all"}
        Which (p, q) make a boundary point: every support vector with its nearest one of the
        other class, or all.
    beta : {"log_loss", "ratio"} or float
        A number, the share of the negative class, or what minimises the loss of
        :func:`best_beta`.
    width_scope : {"support_vectors", "boundary"}
        The points whose nearness sets tau_b.
    """

    kernel: BaseKernel
    pairs: str = NEAREST
    beta: str | float = LOG_LOSS
    width_scope: str = SUPPORT_VECTORS

    def __call__(self, problem: Problem, stage: Stage) -> BoundaryBumps | None:
        """Return the bumps; None where one side has no support vectors, or all coincide."""
        places = support_samples(problem, stage)
        if not places.has_both_sides:
            return None
        scale = np.exp(places.log_scale)
        kernel = scale[:, None] * self.kernel(places.points, places.points) * scale
        first, second = self._pairs(places)
        beta = self._beta(problem, places)
        norms = _squared_norms(kernel, first, second, beta)
        found = boundary_widths(kernel, first, second, beta, norms, self.width_scope)
        widths = positive_widths(found)
        if widths is None:
            return None
        return BoundaryBumps(self.kernel, places.points, scale, first, second, beta, norms, widths)

    def _pairs(self, places: SupportSamples) -> tuple[IndexArray, IndexArray]:
        up, down = np.flatnonzero(places.positive), np.flatnonzero(~places.positive)
        if self.pairs == ALL:
            return np.repeat(up, down.size), np.tile(down, up.size)
        squared = squared_feature_distances(
            self.kernel(places.points, places.points), np.exp(places.log_scale)
        )[np.ix_(up, down)]
        forth = np.column_stack([up, down[squared.argmin(axis=1)]])
        back = np.column_stack([up[squared.argmin(axis=0)], down])
        first, second = np.unique(np.vstack([forth, back]), axis=0).T
        return first, second

    def _beta(self, problem: Problem, places: SupportSamples) -> float:
        if not isinstance(self.beta, str):
            return float(self.beta)
        positive = problem.target[:, 0] > 0
        up = float(problem.weight[positive].sum())
        down = float(problem.weight[~positive].sum())
        if self.beta == RATIO:
            return max(0.5, down / (up + down))
        return best_beta(places, down / up)


def best_beta(places: SupportSamples, imbalance: float) -> float:
    """Return the beta that minimises a log-loss of the shifted boundary over the support vectors.

    f(p) is about 1 and f(q) about -1, so that f(x_b) is about 1 - 2 beta, and the classifier with
    x_b on its boundary is g = f + 2 beta - 1. Its loss is the mean of log(1 + exp(-g)) over the
    positive support vectors times the imbalance, plus the mean of log(1 + exp(g)) over the
    negative ones.
    """
    shift = 2.0 * BETAS[:, None] - 1.0
    up = np.logaddexp(0.0, -(places.decision[places.positive] + shift)).mean(axis=1)
    down = np.logaddexp(0.0, places.decision[~places.positive] + shift).mean(axis=1)
    return float(BETAS[np.argmin(imbalance * up + down)])


def _squared_norms(
    kernel: FloatArray, first: IndexArray, second: IndexArray, beta: float
) -> FloatArray:
    diagonal = kernel.diagonal()
    own = (1.0 - beta) ** 2 * diagonal[first] + beta**2 * diagonal[second]
    return np.asarray(own + 2.0 * beta * (1.0 - beta) * kernel[first, second])


class BoundaryAlignmentSVC(PerturbedClassifier):
    """Support vector machine on a kernel magnified around an ideal boundary (KBA, our reading).

    Points of that boundary lie, in feature space, between support vectors p and q of the two
    classes, Phi(x_b) = (1 - beta) Phi(p) + beta Phi(q), nearer to the majority for beta above 1/2.
    The kernel is multiplied by D(x) D(z), with D the mean of exp(-|Phi(x) - Phi(x_b)|^2 / tau_b^2),
    and the machine trained again, until the training error stops falling. The formula of D is
    Wu and Chang's, 2004 and 2005, as the KPBoost paper states it; pairs, beta and tau_b are our
    reading.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    n_iterations : int, default=10
        Most times that the kernel is changed and the machine trained again.
    pairs : {"nearest", "all"}, default="nearest"
        Which pairs (p, q) make a boundary point: every support vector with its nearest one of the
        other class, each pair once, or all pairs. The article's choice is not recalled. chi_b
    beta : {"log_loss", "ratio"} or float in [0.5, 1], default="log_loss"
        Where between p and q the boundary point lies: where a log-loss of the shifted boundary,
        with the imbalance as cost, is smallest over the support vectors; the share of the
        negative class; or a given number. beta
    width_scope : {"support_vectors", "boundary"}, default="support_vectors"
        Whose nearness to a boundary point sets the width of its bump: the support vectors, as we
        recall the article, or the other boundary points, as the KPBoost paper has it. tau_b
    min_improvement : float or None, default=0.0
        Iterations end when the training error has not fallen by more than this; None never ends
        them early. The rule is recalled from the article, its value is not. theta
    keep_best : bool, default=True
        Whether the first machine with the smallest training error is used: a step that did not
        lower the error is not kept. False is the literal reading, the last machine, which the
        step that ended the iterations has trained.
    normalize : bool, default=False
        Whether D is divided by its largest value at the training points. A factor c in D acts like
        a factor c^2 in C, so this changes the machine.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with a kernel of its own. OVO /
        OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The positive class, away from which the boundary moves. None takes the rarer
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
    ConformalSVC : Other rules for the same kind of perturbation.
    kpboost.KPBoostSVC : Boosts over perturbed kernels.

    Notes
    -----
    Two classes make one problem; one-vs-one makes one per pair in the order (0, 1), (0, 2), ...,
    (1, 2), ..., positive for the later class; one-vs-rest one per class. Support
    vectors that share place and class count once, so that weight 2 is the sample twice. Where one
    class has no support vectors, the machine is left as it is.

    References
    ----------
    G. Wu, E. Y. Chang, "KBA: kernel boundary alignment considering imbalanced data distribution",
    IEEE Transactions on Knowledge and Data Engineering 17(6), 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import BoundaryAlignmentSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoundaryAlignmentSVC(C=0.1).fit(scale(X), y)
    >>> int(model.pos_label_)
    0
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_iterations: int = 10,
        pairs: str = "nearest",
        beta: str | float = "log_loss",
        width_scope: str = "support_vectors",
        min_improvement: float | None = 0.0,
        keep_best: bool = True,
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
        self.n_iterations = n_iterations
        self.pairs = pairs
        self.beta = beta
        self.width_scope = width_scope
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
        parameters.check_choice("pairs", self.pairs, (NEAREST, ALL))
        parameters.check_flag("keep_best", self.keep_best)
        _check_beta(self.beta)
        parameters.check_choice("width_scope", self.width_scope, (SUPPORT_VECTORS, BOUNDARY))

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        return PerturbationPlan(
            rule=BoundaryAlignment(kernel, self.pairs, self.beta, self.width_scope),
            n_iterations=self.n_iterations,
            normalize=self.normalize,
            min_improvement=self.min_improvement,
            keep_best=self.keep_best,
        )


def _check_beta(value: Any) -> None:
    """Refuse anything but the two words or a number from 0.5 to 1."""
    is_word = isinstance(value, str) and value in (LOG_LOSS, RATIO)
    if not is_word and not (parameters.is_not_negative(value) and 0.5 <= value <= 1.0):
        allowed = f"{LOG_LOSS!r}, {RATIO!r} or a number from 0.5 to 1"
        raise parameters.refusal("beta", value, allowed)
