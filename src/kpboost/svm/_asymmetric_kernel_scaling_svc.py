"""Asymmetric kernel scaling (AKS): one machine, and a factor for each predicted side."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from kpboost import _validation as parameters
from kpboost._typing import FloatArray
from kpboost.problems import TrainingSet, one_vs_one_scores, points_to_predict

from ._kernel_scaling_svc import SideDecay
from ._kernel_svc import ONE_VS_ONE
from ._perturbation import BaseKernel, PerturbationPlan
from ._perturbed_classifier import TIE, PerturbedClassifier


class AsymmetricKernelScalingSVC(PerturbedClassifier):
    """Support vector machine under a kernel scaled differently on its two sides (AKS).

    One machine is trained. Its f gives the factor D(x) = exp(-k+ f(x)^2) where f(x) >= 0 and
    exp(-k- f(x)^2) elsewhere, by the predicted side for training and new points alike, and

        f'(x) = D(x) sum_i lambda_i y_i D(x_i) K(x_i, x) + b

    predicts with the old coefficients: the intercept gains weight far from the boundary, more so
    on the side with the larger decay. After Maratea, Petrosino and Manzo, 2014, as the KPBoost
    paper describes it, without training again. Whether the original trains again could not be
    checked; ``retrain`` does.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    decay_pos : float, default=0.001
        How fast the factor falls on the positive side. Meant to be below ``decay_neg``; this is
        not enforced, as the KPBoost paper varies both over the same values. k+
    decay_neg : float, default=0.01
        How fast the factor falls on the negative side. k-
    retrain : bool, default=False
        Whether the machine is trained again on the scaled kernel; our option.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems, each with a kernel of its own. OVO /
        OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    pos_label : label or None, default=None
        The positive class, whose side has ``decay_pos``. None takes the rarer
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
        end, and where a machine was not trained again.
    n_iter_ : ndarray of shape (n_problems,)
        Iterations of all solves.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    kpboost.AsymmetricKernelScalingSVCCV : Chooses both decays by cross-validation.
    KernelScalingSVC : One decay for both classes.

    Notes
    -----
    Two classes make one problem; one-vs-one makes one per pair in the order (0, 1), (0, 2), ...,
    (1, 2), ..., positive for the later class; one-vs-rest one per class. Sample
    weights are exact: weight 2 is the sample twice. To choose the decays, see
    :class:`~kpboost.model_selection.AsymmetricKernelScalingSVCCV`.

    References
    ----------
    A. Maratea, A. Petrosino, M. Manzo, "Adjusted F-measure and kernel scaling for imbalanced data
    learning", Information Sciences 257, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import AsymmetricKernelScalingSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AsymmetricKernelScalingSVC(decay_neg=0.1).fit(scale(X), y)
    >>> int(model.pos_label_), model.n_perturbations_
    (0, array([1]))
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        decay_pos: float = 0.001,
        decay_neg: float = 0.01,
        retrain: bool = False,
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        cache_size: float = 1000,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.decay_pos = decay_pos
        self.decay_neg = decay_neg
        self.retrain = retrain
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    def _check_own_parameters(self) -> None:
        parameters.check_positive("decay_pos", self.decay_pos)
        parameters.check_positive("decay_neg", self.decay_neg)
        parameters.check_flag("retrain", self.retrain)

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        rule = SideDecay(self.decay_pos, self.decay_neg)
        return PerturbationPlan(rule=rule, n_iterations=1, retrain=self.retrain)


# At the points asked about: from coefficients (n_machines, n) to sums (n_points, n_machines).
KernelSums = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class PairSums:
    """What all pairs of decays share at some points; one entry per two-class problem.

    Attributes
    ----------
    plain : ndarray of shape (n_problems, n_points)
        f_0, positive for the positive side.
    pos, neg : ndarray of shape (n_problems, n_points, n_decays)
        G+ and G-.
    intercept : ndarray of shape (n_problems,)
    signs : ndarray of shape (n_problems,)
        Which class of a problem is the positive side.
    decays_pos, decays_neg : ndarray of shape (n_decays,)
    n_classes : int
    multi_class : {"one_vs_one", "one_vs_rest"}
    """

    plain: FloatArray
    pos: FloatArray
    neg: FloatArray
    intercept: FloatArray
    signs: FloatArray
    decays_pos: FloatArray
    decays_neg: FloatArray
    n_classes: int
    multi_class: str

    def scores(self) -> Iterator[FloatArray]:
        """Yield the scores of all pairs, one value of decay_pos at a time.

        Yields
        ------
        ndarray of shape (n_decays_neg, n_points) or (n_decays_neg, n_points, n_classes)
            As AsymmetricKernelScalingSVC.decision_function has them.
        """
        for place in range(self.decays_pos.size):
            problems = range(self.signs.size)
            values = np.stack([self._values(problem, place) for problem in problems], axis=-1)
            yield self._combined(values)

    def _values(self, problem: int, place: int) -> FloatArray:
        """Values of one problem and one decay_pos, (n_decays_neg, n_points); never zero."""
        plain = self.plain[problem]
        sums = (self.pos[problem][:, place, None] + self.neg[problem]).T
        k = np.where(plain >= 0, self.decays_pos[place], self.decays_neg[:, None])
        with np.errstate(over="ignore"):  # D is then 0 in any case
            factor = np.exp(-k * plain**2)
        values = factor * sums + self.intercept[problem]
        return np.asarray(self.signs[problem] * np.where(values == 0.0, TIE, values))

    def _combined(self, values: FloatArray) -> FloatArray:
        if self.n_classes == 2:
            return np.asarray(values[..., 0])
        if self.multi_class == ONE_VS_ONE:
            flat = one_vs_one_scores(values.reshape(-1, self.signs.size), self.n_classes)
            return flat.reshape(*values.shape[:2], self.n_classes)
        return values


def pair_sums(
    kernel_sums: KernelSums,
    dual_coef: FloatArray,
    decision: FloatArray,
    intercept: FloatArray,
    signs: FloatArray,
    decays_pos: FloatArray,
    decays_neg: FloatArray,
    *,
    n_classes: int,
    multi_class: str,
) -> PairSums:
    """Sum for all pairs of decays in one pass over the kernel.

    Parameters
    ----------
    kernel_sums : callable
        From coefficients (n_machines, n) to sums (n_points, n_machines).
    dual_coef, decision : ndarray of shape (n_problems, n)
        Coefficients of the plain machines, and their f_0 where those are not zero.
    intercept, signs : ndarray of shape (n_problems,)
    decays_pos, decays_neg : ndarray
    n_classes : int
    multi_class : {"one_vs_one", "one_vs_rest"}

    Returns
    -------
    PairSums
    """
    own = [
        np.vstack(
            (coef, _decayed(coef, f, f >= 0, decays_pos), _decayed(coef, f, f < 0, decays_neg))
        )
        for coef, f in zip(dual_coef, decision, strict=True)
    ]
    sums = kernel_sums(np.vstack(own))
    by_problem = sums.reshape(sums.shape[0], len(own), -1).transpose(1, 0, 2)
    return PairSums(
        plain=by_problem[:, :, 0] + intercept[:, None],
        pos=by_problem[:, :, 1 : 1 + decays_pos.size],
        neg=by_problem[:, :, 1 + decays_pos.size :],
        intercept=intercept,
        signs=signs,
        decays_pos=decays_pos,
        decays_neg=decays_neg,
        n_classes=n_classes,
        multi_class=multi_class,
    )


def _decayed(
    coef: FloatArray, decision: FloatArray, side: NDArray[np.bool_], decays: FloatArray
) -> FloatArray:
    """Coefficients times D for every decay, on one side; (n_decays, n)."""
    with np.errstate(over="ignore"):
        factor = np.exp(-decays[:, None] * decision**2)
    return np.asarray(np.where(side, coef, 0.0) * factor)


def decay_pair_predictions(
    model: AsymmetricKernelScalingSVC, X: Any, decays_pos: ArrayLike, decays_neg: ArrayLike
) -> NDArray[Any]:
    """Predict for all pairs of decays from the one machine of a fitted model.

    Parameters
    ----------
    model : AsymmetricKernelScalingSVC
        Fitted with ``retrain=False``; its own decays do not matter.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    decays_pos, decays_neg : array-like of shape (n_decays_pos,), (n_decays_neg,)
        k+ and k-.

    Returns
    -------
    ndarray of shape (n_decays_pos, n_decays_neg, n_samples)
        Labels: entry (i, j) is what a model with ``decays_pos[i]`` and ``decays_neg[j]`` predicts.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.svm import AsymmetricKernelScalingSVC, decay_pair_predictions
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AsymmetricKernelScalingSVC().fit(scale(X), y)
    >>> decay_pair_predictions(model, scale(X), [0.001, 0.01, 0.1], [0.01, 0.1]).shape
    (3, 2, 569)
    """
    every = decay_pair_scores(model, X, decays_pos, decays_neg)
    if model.classes_.size == 2:
        codes = [(scores > 0).astype(np.intp) for scores in every]
    else:
        codes = [scores.argmax(axis=-1) for scores in every]
    return np.asarray(model.classes_[np.stack(codes)])


def decay_pair_scores(
    model: AsymmetricKernelScalingSVC, X: Any, decays_pos: ArrayLike, decays_neg: ArrayLike
) -> Iterator[FloatArray]:
    """Return the scores behind :func:`decay_pair_predictions`, one decay_pos at a time."""
    k_pos, k_neg = _decays("decays_pos", decays_pos), _decays("decays_neg", decays_neg)
    return _sums_of_model(model, X, k_pos, k_neg).scores()


def _sums_of_model(
    model: AsymmetricKernelScalingSVC, X: Any, decays_pos: FloatArray, decays_neg: FloatArray
) -> PairSums:
    check_is_fitted(model)
    if model.retrain:
        raise ValueError("model has retrain=True; pairs share a machine with retrain=False only.")
    points, machines = points_to_predict(model, X), model._machines
    coef = np.array([chain.coef[0, 0] for chain in machines.chains])
    intercept = np.array([chain.intercept[0, 0] for chain in machines.chains])

    def sums_at(points: Any) -> KernelSums:
        return lambda rows: machines.sums(points, rows)

    return pair_sums(
        sums_at(points),
        coef,
        (sums_at(machines.support_vectors)(coef) + intercept).T,
        intercept,
        machines.signs,
        decays_pos,
        decays_neg,
        n_classes=model.classes_.size,
        multi_class=model.multi_class,
    )


def _decays(name: str, values: ArrayLike) -> FloatArray:
    decays = np.asarray(values, dtype=np.float64)
    if decays.ndim != 1 or decays.size == 0:
        raise ValueError(f"{name} has shape {decays.shape}; a list of decays is needed.")
    if not np.all(np.isfinite(decays)) or decays.min() < 0:
        raise ValueError(f"{name} must hold finite numbers of at least 0.")
    return decays
