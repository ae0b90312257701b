"""Traces of several two-class problems as arrays over shared support vectors.

Traces speak of the positive class of their problem; here everything is turned so that a positive
value speaks for the later class of a pair, or for the one class against the rest, as
scikit-learn has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.support import union_of_support

from .boosting import BoostingTrace

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ensembles:
    """Rounds of all problems. The first axis is the problem, the second the round.

    Rounds that an interruption left out have weight 0, error NaN and coefficients 0.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Rows that support any round of any problem, class by class.
    dual_coef : ndarray of shape (n_problems, n_rounds, n_SV)
    intercept : ndarray of shape (n_problems, n_rounds)
    log_scale, perturbation : ndarray of shape (n_problems, n_rounds, n)
        At all training rows; 0 at rows that are not in the problem.
    tpr, tnr, errors, weights : ndarray of shape (n_problems, n_rounds)
    kept : ndarray of shape (n_problems, n_rounds)
    n_iter : ndarray of shape (n_problems, n_rounds)
    """

    support: IndexArray
    dual_coef: FloatArray
    intercept: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray
    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    n_iter: IndexArray


def gather(
    traces: Sequence[BoostingTrace],
    rows: Sequence[IndexArray],
    signs: FloatArray,
    codes: IndexArray,
) -> Ensembles:
    """Put the traces side by side.

    Parameters
    ----------
    traces : sequence of BoostingTrace
    rows : sequence of ndarray
        Training rows of each problem.
    signs : ndarray of shape (n_problems,)
        +1 where the positive class of the problem is the one a positive value shall speak for.
    codes : ndarray of shape (n,)
        Number of each row's class.

    Returns
    -------
    Ensembles
    """
    n_rounds = max(trace.errors.size for trace in traces)

    def stacked(name: str, missing: float = 0.0) -> FloatArray:
        columns = [np.asarray(getattr(trace, name), dtype=np.float64) for trace in traces]
        padding = [np.full(n_rounds - column.size, missing) for column in columns]
        return np.array([np.r_[pair] for pair in zip(columns, padding, strict=True)])

    def spread(name: str) -> FloatArray:
        full = np.zeros((len(traces), n_rounds, codes.size))
        for problem, (trace, own) in enumerate(zip(traces, rows, strict=True)):
            values = getattr(trace, name)
            full[problem, : len(values), own] = values.T
        return full

    side = signs[:, None]
    support = union_of_support(
        [own[(trace.dual_coef != 0).any(axis=0)] for trace, own in zip(traces, rows, strict=True)],
        codes,
    )
    return Ensembles(
        support=support,
        dual_coef=side[:, :, None] * spread("dual_coef")[:, :, support],
        intercept=side * stacked("intercept"),
        log_scale=spread("log_scale"),
        perturbation=spread("perturbation"),
        tpr=stacked("tpr", np.nan),
        tnr=stacked("tnr", np.nan),
        errors=stacked("errors", np.nan),
        weights=stacked("weights"),
        kept=stacked("kept").astype(bool),
        n_iter=stacked("n_iter").astype(np.intp),
    )
