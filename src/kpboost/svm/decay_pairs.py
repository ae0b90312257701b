"""Asymmetric kernel scaling for all pairs of decays at once, from one trained machine.

AKS does not train again, so that for a grid of decays everything but a few sums is shared. With the
support vectors split by the sign of their own f_0,

    f(x) = D(x) [ G+(x; k+) + G-(x; k-) ] + b,    G+(x; k) = sum_(i: f_0(x_i) >= 0) lambda_i y_i
                                                            exp(-k f_0(x_i)^2) K(x_i, x),

and D(x) depends on one of the two decays. So a + b kernel sums per point answer a * b pairs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost._sparse import well_formed
from kpboost.problems.votes import one_vs_one_scores

from .asymmetric_kernel_scaling_svc import AsymmetricKernelScalingSVC
from .machines import ONE_VS_ONE
from .perturbed_machines import TIE

FloatArray = NDArray[np.float64]

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
    k_pos, k_neg = _decays("decays_pos", decays_pos), _decays("decays_neg", decays_neg)
    sums = _sums_of_model(model, X, k_pos, k_neg)
    if sums.n_classes == 2:
        codes = [(scores > 0).astype(np.intp) for scores in sums.scores()]
    else:
        codes = [scores.argmax(axis=-1) for scores in sums.scores()]
    return np.asarray(model.classes_[np.stack(codes)])


def _sums_of_model(
    model: AsymmetricKernelScalingSVC, X: Any, decays_pos: FloatArray, decays_neg: FloatArray
) -> PairSums:
    check_is_fitted(model, "dual_coef_")
    if model.retrain:
        raise ValueError("model has retrain=True; pairs share a machine with retrain=False only.")
    X = validate_data(model, well_formed(X), reset=False, accept_sparse="csr", dtype=np.float64)
    machines = model._machines
    coef = np.array([chain.coef[0, 0] for chain in machines.chains])
    intercept = np.array([chain.intercept[0, 0] for chain in machines.chains])

    def sums_at(points: Any) -> KernelSums:
        return lambda rows: machines.sums(points, rows)

    return pair_sums(
        sums_at(X),
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
