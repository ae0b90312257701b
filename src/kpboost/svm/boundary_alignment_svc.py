"""Kernel boundary alignment (KBA): the kernel is magnified around a shifted boundary."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kpboost import _parameters as parameters
from kpboost.problems.training_set import TrainingSet

from .base_kernel import BaseKernel
from .boundary_rule import ALL, LOG_LOSS, NEAREST, RATIO, BoundaryAlignment
from .boundary_widths import BOUNDARY, SUPPORT_VECTORS
from .machines import ONE_VS_ONE, ONE_VS_REST
from .perturbation import Plan
from .perturbed_classifier import PerturbedClassifier

FloatArray = NDArray[np.float64]


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
        Price of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the RBF kernel, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
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
    keep_best : bool, default=False
        Whether the first machine with the smallest training error is used instead of the last
        one; our reading of what is safer.
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
        Violation gap at which a solve ends, in the units of the decision function.
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
        Share of wrong answers on the training points, from the plain machine on; NaN after the
        end.
    n_iter_ : ndarray of shape (n_problems,)
        Iterations of all solves.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

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
        keep_best: bool = False,
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
        self : BoundaryAlignmentSVC
        """
        self._check_machine_parameters()
        self._check_own_parameters()
        return self._fit(
            X, y, sample_weight, self._plan, splitting=self.multi_class, pos_label=self.pos_label
        )

    def _check_own_parameters(self) -> None:
        parameters.check_count("n_iterations", self.n_iterations)
        parameters.check_choice("pairs", self.pairs, (NEAREST, ALL))
        _check_beta(self.beta)
        parameters.check_choice("width_scope", self.width_scope, (SUPPORT_VECTORS, BOUNDARY))
        parameters.check_not_negative_or_none("min_improvement", self.min_improvement)
        parameters.check_flag("keep_best", self.keep_best)
        parameters.check_flag("normalize", self.normalize)
        parameters.check_choice("multi_class", self.multi_class, (ONE_VS_ONE, ONE_VS_REST))

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> Plan:
        return Plan(
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
