"""Candidates for C and gamma on folds of a sample, with everything shared that can be.

Landmarks do not depend on C or gamma. Squared distances to them are computed once; a width takes
one exponential over them and one product, for all folds; each C begins where the last one ended.
A candidate is the machine of round 1 alone: later rounds begin from it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kpboost import kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.lowrank import (
    Features,
    LocalBlocks,
    Machine,
    Sample,
    Single,
    half_inverse,
    posed,
    solve,
)
from kpboost.problems import predicted_codes

from ._voting import class_scores

Fold = tuple[IndexArray, IndexArray]


@dataclass(frozen=True, slots=True, eq=False)
class TrialSetup:
    """What all candidates have alike.

    Attributes
    ----------
    sample : Sample
    landmarks : ndarray of shape (m, d)
    folds : sequence of (training rows, test rows)
    sides : ndarray of shape (n_problems, n_classes)
        -1, 0 or +1; +1 is the positive side.
    signs : ndarray of shape (n_problems,)
        Side of the positive class in the order of the classes.
    factors : ndarray of shape (n_classes,)
        Class weights.
    multi_class : {"one_vs_rest", "one_vs_one"}
    delta, tol, max_iter
        Of :func:`~kpboost.lowrank._machine.solve`.
    batch_size : int
    """

    sample: Sample
    landmarks: FloatArray
    folds: Sequence[Fold]
    sides: FloatArray
    signs: FloatArray
    factors: FloatArray
    multi_class: str
    delta: float
    tol: float
    max_iter: int
    batch_size: int


def try_widths(
    setup: TrialSetup, Cs: Sequence[float], gammas: Sequence[float], on_fold: Callable[[], None]
) -> Iterator[FloatArray]:
    """Yield what all values of C reach with each kernel width.

    Parameters
    ----------
    setup : TrialSetup
    Cs, gammas : sequence of float
    on_fold : callable
        Called after every fold of every width.

    Yields
    ------
    ndarray of shape (n_Cs, n_folds, n_classes)
        Recalls of the classes, NaN where a fold does not test one.
    """
    squared = kernels.squared_distances(setup.sample.X, setup.landmarks)
    between = kernels.squared_distances(setup.landmarks)
    for gamma in gammas:
        Z = _features(squared, between, gamma, setup.batch_size)
        by_fold = []
        for fold in setup.folds:
            by_fold.append(_recalls_of_fold(setup, Z, fold, Cs))
            on_fold()
        yield np.stack(by_fold, axis=1)


def _features(squared: FloatArray, between: FloatArray, gamma: float, batch_size: int) -> Single:
    """Features of all rows for one width, in slices that pass through a small block."""
    transform = half_inverse(kernels.rbf_from_squared_distances(between, gamma)).astype(np.float32)
    Z = np.empty((len(squared), transform.shape[1]), dtype=np.float32)
    for start in range(0, len(squared), batch_size):
        rows = slice(start, start + batch_size)
        block = kernels.rbf_from_squared_distances(squared[rows], gamma)
        np.matmul(block.astype(np.float32), transform, out=Z[rows])
    return Z


def _recalls_of_fold(setup: TrialSetup, Z: Single, fold: Fold, Cs: Sequence[float]) -> FloatArray:
    """Recalls of all values of C on one fold: (n_Cs, n_classes)."""
    train, test = fold
    values = np.empty((len(Cs), test.size, len(setup.sides)))
    features = _in_slices(setup, Z, train)
    for problem, (sides, sign) in enumerate(zip(setup.sides, setup.signs, strict=True)):
        for place, machine in _machines(setup, features, Z.shape[1], sides, Cs):
            own = Z[test] @ machine.v.astype(np.float32) + machine.b
            values[place, :, problem] = sign * own
    codes, weight = setup.sample.codes[test], setup.sample.weight[test]
    return np.array([_recalls(setup, own, codes, weight) for own in values])


def _in_slices(setup: TrialSetup, Z: Single, rows: IndexArray) -> LocalBlocks:
    cuts = [*range(0, rows.size, setup.batch_size), rows.size]
    parts = [rows[start:stop] for start, stop in pairwise(cuts)]
    codes, weight = setup.sample.codes, setup.sample.weight
    return LocalBlocks([Features(Z[part], codes[part], weight[part]) for part in parts])


def _machines(
    setup: TrialSetup,
    features: LocalBlocks,
    n_components: int,
    sides: FloatArray,
    Cs: Sequence[float],
) -> Iterator[tuple[int, Machine]]:
    """Yield the places of the values of C, smallest first, and their machines."""
    start = np.zeros(n_components), 0.0
    for place in np.argsort(Cs, kind="stable").tolist():
        problem = features.each(posed, sides, Cs[place] * setup.factors)
        machine, _ = solve(
            features,
            problem,
            problem.each(_full_scale),
            start=start,
            delta=setup.delta,
            tol=setup.tol,
            max_iter=setup.max_iter,
        )
        start = machine.v, machine.b
        yield place, machine


def _full_scale(problem: tuple[FloatArray, ...]) -> FloatArray:
    return np.zeros(problem[0].size)


def _recalls(
    setup: TrialSetup, values: FloatArray, codes: IndexArray, weight: FloatArray
) -> FloatArray:
    """Weighted recalls of the classes, from the values of all problems at the test rows."""
    n_problems, n_classes = setup.sides.shape
    one_round = values[:, :, None], np.ones((n_problems, 1)), setup.signs
    scores = class_scores(*one_round, n_classes, setup.multi_class, "soft")
    right = predicted_codes(scores) == codes
    total = np.bincount(codes, weight, n_classes)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(codes, weight * right, n_classes) / total)
