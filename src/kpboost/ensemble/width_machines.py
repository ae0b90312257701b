"""Machines of several widths and problems as arrays, and their values at new points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost import kernels
from kpboost.problems.support import union_of_support

from .width_boosting import WidthTrace

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class WidthMachines:
    """Machines of all problems; the first axis is the problem, the second the round.

    Positive values speak for the target +1 of a problem. Where a problem has fewer rounds than
    others the rest have weight 0, coefficients 0, and NaN for error and width.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Training rows that support any machine, class by class.
    dual_coef : ndarray of shape (n_problems, n_rounds, n_SV)
    intercept, length_scales, errors, weights : ndarray of shape (n_problems, n_rounds)
    """

    support: IndexArray
    dual_coef: FloatArray
    intercept: FloatArray
    length_scales: FloatArray
    errors: FloatArray
    weights: FloatArray


def gather_machines(
    traces: Sequence[WidthTrace], rows: Sequence[IndexArray], signs: FloatArray, codes: IndexArray
) -> WidthMachines:
    """Put the traces of all problems side by side.

    Parameters
    ----------
    traces : sequence of WidthTrace
    rows : sequence of ndarray
        Training rows of each problem.
    signs : ndarray of shape (n_problems,)
        +1 where the trace's positive class is the target +1 of the problem, else -1.
    codes : ndarray of shape (n,)
        Number of each row's class.

    Returns
    -------
    WidthMachines
    """
    n_rounds = max(trace.errors.size for trace in traces)

    def padded(name: str, missing: float) -> FloatArray:
        full = np.full((len(traces), n_rounds), missing)
        for problem, trace in enumerate(traces):
            full[problem, : trace.errors.size] = getattr(trace, name)
        return full

    used = [own[trace.dual_coef.any(axis=0)] for trace, own in zip(traces, rows, strict=True)]
    support = union_of_support(used, codes)
    dual_coef = np.zeros((len(traces), n_rounds, support.size))
    for problem, (trace, own) in enumerate(zip(traces, rows, strict=True)):
        full = np.zeros((trace.errors.size, codes.size))
        full[:, own] = signs[problem] * trace.dual_coef
        dual_coef[problem, : trace.errors.size] = full[:, support]
    return WidthMachines(
        support=support,
        dual_coef=dual_coef,
        intercept=signs[:, None] * padded("intercept", 0.0),
        length_scales=padded("length_scales", np.nan),
        errors=padded("errors", np.nan),
        weights=padded("weights", 0.0),
    )


def machine_values(
    X: Any,
    support_vectors: Any,
    dual_coef: FloatArray,
    intercept: FloatArray,
    length_scales: FloatArray,
) -> FloatArray:
    """Decision values of all machines; those of one problem and width share a pass.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    support_vectors : ndarray or CSR matrix of shape (n_SV, n_features)
    dual_coef : ndarray of shape (n_problems, n_rounds, n_SV)
    intercept, length_scales : ndarray of shape (n_problems, n_rounds)
        A width of NaN stands for a machine that is not there; its values are 0.

    Returns
    -------
    ndarray of shape (n, n_problems, n_rounds)
    """
    values = np.zeros((X.shape[0], *intercept.shape))
    for problem, rounds, width in _passes(length_scales):
        coef = dual_coef[problem, rounds]
        used = np.flatnonzero(coef.any(axis=0))
        if used.size == 0:  # one side so light that nothing was learned
            values[:, problem, rounds] = intercept[problem, rounds]
            continue
        values[:, problem, rounds] = kernels.rbf_decision(
            X,
            support_vectors[used],
            gamma=kernels.length_scale_to_gamma(width),
            coef=coef[:, used],
            intercept=intercept[problem, rounds],
        )
    return values


def _passes(length_scales: FloatArray) -> Iterator[tuple[int, IndexArray, float]]:
    """Yield problem, rounds and width of all machines that share both."""
    for problem, widths in enumerate(length_scales):
        for width in np.unique(widths[np.isfinite(widths)]):
            yield problem, np.flatnonzero(widths == width), float(width)
