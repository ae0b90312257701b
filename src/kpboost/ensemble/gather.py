"""What is kept of several boosted problems: arrays over shared support vectors.

Traces speak of the positive class of their problem; here everything is turned so that a positive
value speaks for the later class of a pair, or for the one class against the rest, as
scikit-learn has it. Values by training row are in the compact form of
:mod:`kpboost.problems.slots`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kpboost.problems.slots import put
from kpboost.problems.support import union_of_support

from .boosting import BoostingTrace

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

# Numbers of a trace that come once per round, and what stands for a round that was not done.
PER_ROUND = {
    "intercept": 0.0,
    "tpr": np.nan,
    "tnr": np.nan,
    "errors": np.nan,
    "weights": 0.0,
    "kept": 0.0,
    "n_iter": 0.0,
}


@dataclass(frozen=True, slots=True, eq=False)
class ProblemRecord:
    """What is kept of one problem's trace while the others are boosted.

    Attributes
    ----------
    rows : ndarray of shape (n_own,)
        Training rows of the problem.
    used : ndarray of shape (n_own_SV,)
        Which of them, by their place in ``rows``, support any round.
    dual_coef : ndarray of shape (n_rounds, n_own_SV)
        Their coefficients.
    log_scale : ndarray of shape (n_rounds, n_own)
    perturbation : ndarray of shape (n_rounds, n_own) or None
        None where new points do not inherit it.
    per_round : dict from str to ndarray of shape (n_rounds,)
        The entries of PER_ROUND.
    rule : str
        Which rule chose the rounds.
    vote_tpr, vote_tnr : float
        Rates of correct answers of the vote on the training points.
    interrupted : bool
    """

    rows: IndexArray
    used: IndexArray
    dual_coef: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray | None
    per_round: dict[str, FloatArray]
    rule: str
    vote_tpr: float
    vote_tnr: float
    interrupted: bool

    @property
    def n_rounds(self) -> int:
        """Number of rounds that were done."""
        return len(self.log_scale)


def record_of(
    trace: BoostingTrace, rows: IndexArray, *, with_perturbation: bool = False
) -> ProblemRecord:
    """Take from a trace what is kept; the rest of it can then be freed."""
    used = np.flatnonzero((trace.dual_coef != 0).any(axis=0))
    return ProblemRecord(
        rows=rows,
        used=used,
        dual_coef=trace.dual_coef[:, used],
        log_scale=trace.log_scale,
        perturbation=trace.perturbation if with_perturbation else None,
        per_round={name: np.asarray(getattr(trace, name), dtype=np.float64) for name in PER_ROUND},
        rule=trace.rule,
        vote_tpr=trace.vote_tpr,
        vote_tnr=trace.vote_tnr,
        interrupted=trace.interrupted,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Ensembles:
    """Rounds of all problems.

    Rounds that an interruption left out have weight 0, error NaN and coefficients 0.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Rows that support any round of any problem, class by class.
    dual_coef : ndarray of shape (n_slots, n_rounds, n_SV)
    log_scale : ndarray of shape (n_slots, n_rounds, n)
    perturbation : ndarray of shape (n_slots, n_rounds, n) or None
    intercept, tpr, tnr, errors, weights : ndarray of shape (n_problems, n_rounds)
    kept : ndarray of shape (n_problems, n_rounds)
    n_iter : ndarray of shape (n_problems, n_rounds)
    """

    support: IndexArray
    dual_coef: FloatArray
    log_scale: FloatArray
    perturbation: FloatArray | None
    intercept: FloatArray
    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    kept: BoolArray
    n_iter: IndexArray


def gather(
    records: Sequence[ProblemRecord], signs: FloatArray, codes: IndexArray, table: IndexArray
) -> Ensembles:
    """Put the problems side by side.

    Parameters
    ----------
    records : sequence of ProblemRecord
    signs : ndarray of shape (n_problems,)
        +1 where the positive class of the problem is the one a positive value shall speak for.
    codes : ndarray of shape (n,)
        Number of each row's class.
    table : ndarray of shape (n_problems, n_classes)
        Slots, see :func:`~kpboost.problems.slots.slot_table`.

    Returns
    -------
    Ensembles
    """
    shape = (int(table.max()) + 1, max(each.n_rounds for each in records))
    support = union_of_support([each.rows[each.used] for each in records], codes)
    column = np.empty(codes.size, dtype=np.intp)
    column[support] = np.arange(support.size)
    inherits = records[0].perturbation is not None
    dual_coef = np.zeros((*shape, support.size))
    log_scale = np.zeros((*shape, codes.size))
    perturbation = np.zeros((*shape, codes.size)) if inherits else None
    for each, sign, slots in zip(records, signs, table, strict=True):
        own = slots[codes[each.rows]]
        put(dual_coef, sign * each.dual_coef, own[each.used], column[each.rows[each.used]])
        put(log_scale, each.log_scale, own, each.rows)
        if perturbation is not None and each.perturbation is not None:
            put(perturbation, each.perturbation, own, each.rows)
    per_round = {name: _padded(records, name, shape[1]) for name in PER_ROUND}
    return Ensembles(
        support=support,
        dual_coef=dual_coef,
        log_scale=log_scale,
        perturbation=perturbation,
        intercept=signs[:, None] * per_round["intercept"],
        tpr=per_round["tpr"],
        tnr=per_round["tnr"],
        errors=per_round["errors"],
        weights=per_round["weights"],
        kept=per_round["kept"].astype(bool),
        n_iter=per_round["n_iter"].astype(np.intp),
    )


def _padded(records: Sequence[ProblemRecord], name: str, n_rounds: int) -> FloatArray:
    """One line per problem, with what stands for the rounds that were not done at its end."""
    lines = np.full((len(records), n_rounds), PER_ROUND[name])
    for line, each in zip(lines, records, strict=True):
        line[: each.n_rounds] = each.per_round[name]
    return lines
