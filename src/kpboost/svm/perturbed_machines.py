"""Perturbed machines of all two-class problems over shared support vectors, ready to predict.

A point passes the stages of a problem in order: with g_t(x) = sum_i lambda_i y_i s_t,i K_0(x_i, x),

    f_t(x) = s_t(x) g_t(x) + b_t,     log s_(t+1)(x) = log s_t(x) + log D_(t+1)(x),

where the step D_(t+1) may read f_t(x), s_t(x) and x itself. One pass over the kernel gives the sums
g_t of all stages and problems.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.support import union_of_support

from .base_kernel import BaseKernel
from .perturbation import Stage, Step, row_blocks

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# f = 0 counts as positive: it becomes the smallest normal number on that side, so that the sign of
# a decision always is the prediction.
TIE = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The stages of one problem.

    Attributes
    ----------
    coef : ndarray of shape (n_stages, n_machines, n_SV)
        What multiplies the kernel values, lambda_i y_i s_t,i.
    intercept : ndarray of shape (n_stages, n_machines)
    steps : tuple of Step
        From each stage to the next, n_stages - 1 of them.
    """

    coef: FloatArray
    intercept: FloatArray
    steps: tuple[Step, ...]

    def values(self, points: Any, sums: FloatArray) -> FloatArray:
        """Decision values of the last stage.

        Parameters
        ----------
        points : ndarray or CSR matrix of shape (n, d)
        sums : ndarray of shape (n, n_stages, n_machines)
            g.

        Returns
        -------
        ndarray of shape (n, n_machines)
        """
        log_scale = np.zeros(sums.shape[0])
        decision = sums[:, 0] + self.intercept[0]
        for t, step in enumerate(self.steps, start=1):
            log_scale = log_scale + step(points, decision, log_scale)
            decision = np.exp(log_scale)[:, None] * sums[:, t] + self.intercept[t]
        return np.asarray(decision)


@dataclass(frozen=True, slots=True, eq=False)
class PerturbedMachines:
    """All problems of a classification.

    Attributes
    ----------
    kernel : BaseKernel
        K_0.
    support : ndarray of shape (n_SV,)
        Training rows that support any stage of any problem, class by class.
    support_vectors : ndarray or CSR matrix of shape (n_SV, d)
    chains : tuple of Chain
    signs : ndarray of shape (n_values,)
        For every machine, +1 where its positive side is the one a positive value shall speak for.
    """

    kernel: BaseKernel
    support: IndexArray
    support_vectors: Any
    chains: tuple[Chain, ...]
    signs: FloatArray

    def values(self, X: Any) -> FloatArray:
        """Decision values of the last stages' machines, in blocks of bounded memory.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, n_values)
            Never zero.
        """
        coef = np.vstack([chain.coef.reshape(chain.intercept.size, -1) for chain in self.chains])
        parts = row_blocks(X.shape[0], max(coef.shape))
        values = np.concatenate([self._block(X[part], coef) for part in parts])
        return np.asarray(self.signs * np.where(values == 0.0, TIE, values))

    def sums(self, X: Any, coef: FloatArray) -> FloatArray:
        """Kernel sums over the support vectors, (n, n_machines), for given coefficients."""
        if self.support.size == 0:  # a tolerance so coarse that nothing was learned
            return np.zeros((X.shape[0], coef.shape[0]))
        return self.kernel.sums(X, self.support_vectors, coef)

    def _block(self, X: Any, coef: FloatArray) -> FloatArray:
        own = zip(self.chains, self._split(self.sums(X, coef)), strict=True)
        return np.column_stack([chain.values(X, part) for chain, part in own])

    def _split(self, sums: FloatArray) -> Iterator[FloatArray]:
        start = 0
        for chain in self.chains:
            stop = start + chain.intercept.size
            yield sums[:, start:stop].reshape(-1, *chain.intercept.shape)
            start = stop


def gather_chains(
    stages: Sequence[Sequence[Stage]],
    rows: Sequence[IndexArray],
    points: Any,
    codes: IndexArray,
    kernel: BaseKernel,
    signs: FloatArray,
) -> PerturbedMachines:
    """Put the stages of all problems side by side.

    Parameters
    ----------
    stages : sequence of sequences of Stage
        By problem.
    rows : sequence of ndarray
        Training rows of each problem.
    points : ndarray or CSR matrix of shape (n, d)
        All training points.
    codes : ndarray of shape (n,)
        Number of each row's class, which orders the support vectors.
    kernel : BaseKernel
    signs : ndarray of shape (n_values,)

    Returns
    -------
    PerturbedMachines
    """
    supports = [
        own[np.any([(stage.dual_coef != 0).any(axis=0) for stage in chain], axis=0)]
        for chain, own in zip(stages, rows, strict=True)
    ]
    support = union_of_support(supports, codes)
    chains = tuple(
        _chain(chain, own, support, codes.size) for chain, own in zip(stages, rows, strict=True)
    )
    return PerturbedMachines(kernel, support, points[support], chains, signs)


def _chain(stages: Sequence[Stage], rows: IndexArray, support: IndexArray, n: int) -> Chain:
    coef = [stage.dual_coef * np.exp(stage.log_scale) for stage in stages]
    return Chain(
        coef=np.array([spread(each, rows, n)[:, support] for each in coef]),
        intercept=np.array([stage.intercept for stage in stages]),
        steps=tuple(stage.step for stage in stages if stage.step is not None),
    )


def spread(values: FloatArray, rows: IndexArray, n: int) -> FloatArray:
    """Values of some rows as columns over all n rows; 0 elsewhere."""
    full = np.zeros((values.shape[0], n))
    full[:, rows] = values
    return full
