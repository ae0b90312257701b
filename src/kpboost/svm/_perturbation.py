"""The loop of all kernel-perturbation machines: train, let a rule say D(x), rescale, train again.

A step replaces the kernel by K'(x, z) = D(x) K(x, z) D(z). The products telescope: after t steps

    K_t(x, z) = s_t(x) K_0(x, z) s_t(z),     log s_t(x) = log D_1(x) + ... + log D_t(x),

for training points and new points alike. So the cross kernel and the diagonal of any batch of
points follow from K_0 and one number per point, every solve reads the first Gram matrix between two
diagonals, and nothing n x n is copied. Logarithms are kept because the products underflow.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances

from kpboost import kernels
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.problems import GramSource, gram_source, kernel_sums
from kpboost.solvers import DualProblem, DualSolution, rescaled_start

# No factor is smaller than this: a point that no rule knows anything about keeps a trace of its
# kernel, and the logarithm stays finite.
LOG_SMALLEST_FACTOR = log(1e-150)
# The solver refuses decision values beyond 1e25; a kernel on the way there is not perturbed again.
LOG_LARGEST_DECISION = log(1e24)
# A coefficient below this share of its bound is zero but for rounding, and supports nothing.
SUPPORT_SHARE = 1e-8
# Points meet a rule's anchors in blocks of at most this many bytes.
BLOCK_BYTES = 8 * 2**20


class Factor(Protocol):
    """D of one step as a function of the point; what a rule has read off a machine.

    It gets points, their decision values (n, n_machines) and log s before the step, and returns
    log D.
    """

    @property
    def n_anchors(self) -> int:
        """Numbers that are handled per point."""

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One or several machines on the same rows, with one kernel for all of them.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n, d)
    target : ndarray of shape (n, n_machines)
        -1 and +1; of a single machine, +1 is the positive class.
    bounds : ndarray of shape (n,)
        Upper bounds of the dual coefficients.
    weight : ndarray of shape (n,)
        Sample weights, for the training error.
    """

    points: Any
    target: FloatArray
    bounds: FloatArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """log D(x), floored, and lowered by a constant where D is normalised."""

    factor: Factor
    offset: float = 0.0

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D at points with these decision values and scales."""
        parts = [
            self.factor(points[part], decision[part], log_scale[part])
            for part in row_blocks(decision.shape[0], self.factor.n_anchors)
        ]
        return np.maximum(np.concatenate(parts), LOG_SMALLEST_FACTOR) - self.offset


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The machines after some steps.

    Attributes
    ----------
    dual_coef : ndarray of shape (n_machines, n)
        Signed dual coefficients, lambda_i y_i.
    intercept : ndarray of shape (n_machines,)
        b.
    decision : ndarray of shape (n, n_machines)
        f at the training points, in the kernel of this stage.
    log_scale : ndarray of shape (n,)
        log s at the training points.
    error : float
        Weighted share of the training points that are classified wrongly.
    n_iter : int
        Iterations of the solver.
    converged : bool
        Whether all machines were trained to the tolerance.
    step : Step or None
        What led here from the stage before; None for the plain machine.
    """

    dual_coef: FloatArray
    intercept: FloatArray
    decision: FloatArray
    log_scale: FloatArray
    error: float
    n_iter: int
    converged: bool
    step: Step | None


# Reads D off the machines of a stage; None where it has nothing to go by, such as support vectors
# on one side only.
Rule = Callable[[Problem, Stage], Factor | None]
# Where machines start, None for a cold start; and from a scale and starts to their solutions.
Starts = Sequence[FloatArray | None]
Train = Callable[[FloatArray | None, Starts], list[DualSolution]]


@dataclass(frozen=True, slots=True)
class PerturbationPlan:
    """What to do.

    Attributes
    ----------
    rule : callable
        From a problem and the last stage to the next factor, or None to stop.
    n_iterations : int
        Most steps to take.
    retrain : bool
        Whether machines are trained on the new kernel, or keep their coefficients.
    normalize : bool
        Whether D is divided by its largest value at the training points.
    min_improvement : float or None
        Stop when the training error has not fallen by more than this; None never does.
    keep_best : bool
        Whether the first stage with the smallest training error is the last one kept.
    """

    rule: Rule
    n_iterations: int
    retrain: bool = True
    normalize: bool = False
    min_improvement: float | None = None
    keep_best: bool = False


def perturb(
    gram: Any, problem: Problem, plan: PerturbationPlan, *, tol: float, max_iter: int | None = None
) -> list[Stage]:
    """Train, perturb and train again, until the plan or the solver is at its end.

    A machine that could not be trained to the tolerance, of which the solver warns, is the last
    one to be trained: what is read off it would be worth little.

    Parameters
    ----------
    gram : DenseGram, RBFRows or array of shape (n, n)
        K_0 at the training points.
    problem : Problem
    plan : PerturbationPlan
    tol, max_iter : float, int or None
        Of every solve.

    Returns
    -------
    list of Stage
        The plain machine first, the one to predict with last.
    """
    duals = [DualProblem(gram, y, problem.bounds) for y in problem.target.T]
    zero = np.zeros(problem.bounds.size)

    def train(scale: FloatArray | None, starts: Starts) -> list[DualSolution]:
        return [
            dual.solve(scale=scale, start=start, tol=tol, max_iter=max_iter)
            for dual, start in zip(duals, starts, strict=True)
        ]

    stages = [_stage(problem, train(None, [None] * len(duals)), zero, None)]
    while len(stages) <= plan.n_iterations and (stages[-1].converged or not plan.retrain):
        found = _next_step(problem, stages[-1], plan)
        if found is None:
            break
        stages.append(_after(problem, stages[-1], found, train if plan.retrain else None))
        if _is_done(stages, plan.min_improvement):
            break
    if plan.keep_best:
        stages = stages[: int(np.argmin([stage.error for stage in stages])) + 1]
    return stages


def supports(problem: Problem, stage: Stage) -> BoolArray:
    """Tell which points support any machine of a stage."""
    size = np.abs(stage.dual_coef)
    return np.asarray((size > SUPPORT_SHARE * problem.bounds).any(axis=0))


def row_blocks(n: int, numbers_per_row: int) -> Iterator[slice]:
    """Slices of at most BLOCK_BYTES each, for so many numbers per row; one where n is 0."""
    step = max(1, BLOCK_BYTES // (8 * max(1, numbers_per_row)))
    for start in range(0, max(n, 1), step):
        yield slice(start, min(start + step, n))


def _next_step(
    problem: Problem, stage: Stage, plan: PerturbationPlan
) -> tuple[Step, FloatArray] | None:
    """Return the next step and its log D; None where there is none, or it would end in nothing."""
    factor = plan.rule(problem, stage)
    if factor is None:
        return None
    log_factor = Step(factor)(problem.points, stage.decision, stage.log_scale)
    largest = float(log_factor.max())
    if largest <= LOG_SMALLEST_FACTOR:
        return None
    if plan.normalize:
        return Step(factor, largest), log_factor - largest
    if _outgrows(stage.log_scale + log_factor, problem.bounds):
        warnings.warn(
            "The perturbed kernel has grown beyond what a solver can use, and was perturbed no "
            "further; normalize=True keeps its size, and fewer iterations or a smaller C help.",
            stacklevel=2,
        )
        return None
    return Step(factor), log_factor


def _outgrows(log_scale: FloatArray, bounds: FloatArray) -> bool:
    return 2.0 * float(log_scale.max()) + log(bounds.sum()) > LOG_LARGEST_DECISION


def _after(
    problem: Problem, last: Stage, found: tuple[Step, FloatArray], train: Train | None
) -> Stage:
    """Return the stage after a step: trained again, or with the coefficients as they were."""
    step, log_factor = found
    log_scale = last.log_scale + log_factor
    if train is None:  # the training error under the new kernel is not worked out
        return replace(last, log_scale=log_scale, error=float("nan"), n_iter=0, step=step)
    solutions = train(np.exp(log_scale), list(rescaled_start(last.dual_coef, log_factor)))
    return _stage(problem, solutions, log_scale, step)


def _stage(
    problem: Problem, solutions: list[DualSolution], log_scale: FloatArray, step: Step | None
) -> Stage:
    decision = np.column_stack([each.decision for each in solutions])
    return Stage(
        dual_coef=np.array([each.dual_coef for each in solutions]),
        intercept=np.array([each.intercept for each in solutions]),
        decision=decision,
        log_scale=log_scale,
        error=training_error(problem, decision),
        n_iter=sum(each.n_iter for each in solutions),
        converged=all(each.status == "converged" for each in solutions),
        step=step,
    )


def _is_done(stages: list[Stage], min_improvement: float | None) -> bool:
    if min_improvement is None:
        return False
    return not stages[-2].error - stages[-1].error > min_improvement


def training_error(problem: Problem, decision: FloatArray) -> float:
    """Weighted share of wrong answers: by sign, zero being positive, or by the largest value."""
    if decision.shape[1] == 1:
        wrong = (decision[:, 0] >= 0) != (problem.target[:, 0] > 0)
    else:
        wrong = decision.argmax(axis=1) != problem.target.argmax(axis=1)
    return float(problem.weight @ wrong / problem.weight.sum())


RBF, LAPLACIAN = "rbf", "laplacian"
SQUARED_EUCLIDEAN, L1 = "sqeuclidean", "l1"


def distances(X: Any, Y: Any, kind: str) -> FloatArray:
    """Squared Euclidean or L1 distances between the rows of X and the rows of Y."""
    if kind == SQUARED_EUCLIDEAN:
        return kernels.squared_distances(X, Y)
    return np.asarray(manhattan_distances(_narrow(X), _narrow(Y)))


def _narrow(X: Any) -> Any:
    """Return sparse points with 32-bit indices, the only ones that scikit-learn's L1 reads."""
    if not sparse.issparse(X):
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(parts, shape=X.shape)


@dataclass(frozen=True, slots=True)
class BaseKernel:
    """exp(-gamma |x - x'|^2), or for "laplacian" exp(-gamma |x - x'|_1).

    Attributes
    ----------
    name : {"rbf", "laplacian"}
    gamma : float
    """

    name: str
    gamma: float

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        """Kernel values between the rows of X and the rows of Y."""
        if self.name == RBF:
            return kernels.rbf_kernel(X, Y, gamma=self.gamma)
        return np.exp(-self.gamma * distances(X, Y, L1))

    def grams(self, points: Any, cache_size: float) -> GramSource:
        """Return the Gram matrices of subsets of the points; a Laplacian one is held whole."""
        if self.name == RBF:
            return gram_source(RBF, points, gamma=self.gamma, cache_size=cache_size)
        return gram_source(self, points, gamma=None, cache_size=cache_size)

    def sums(self, X: Any, vectors: Any, coef: FloatArray) -> FloatArray:
        """Kernel sums of several machines over shared vectors, (n, n_machines).

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)
        vectors : ndarray or CSR matrix of shape (n_SV, d)
        coef : ndarray of shape (n_machines, n_SV)

        Returns
        -------
        ndarray of shape (n, n_machines)
        """
        is_rbf = self.name == RBF
        return kernel_sums(
            RBF if is_rbf else self,
            X,
            np.arange(vectors.shape[0]),
            vectors,
            gamma=self.gamma if is_rbf else None,
            coef=np.ascontiguousarray(coef),
            intercept=np.zeros(coef.shape[0]),
        )


def squared_feature_distances(kernel: FloatArray, scale: FloatArray) -> FloatArray:
    """Squared distances between the images of some points.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
        K_0 between them.
    scale : ndarray of shape (n,)
        s.

    Returns
    -------
    ndarray of shape (n, n)
    """
    squares = scale**2
    cross = scale[:, None] * kernel * scale
    return np.asarray(np.maximum(squares[:, None] + squares - 2.0 * cross, 0.0))


def mean_of_near(squared: FloatArray, candidates: BoolArray, middle: FloatArray) -> FloatArray:
    """Mean over the candidates nearer than a middle, row by row; the nearest where none is.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
    candidates : ndarray of bool of shape (n, m)
        At least one in every row.
    middle : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
    """
    near = candidates & (squared < middle[:, None])
    count = near.sum(axis=1)
    nearest = np.where(candidates, squared, np.inf).min(axis=1)
    total = np.where(near, squared, 0.0).sum(axis=1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), nearest))


def middle_of(squared: FloatArray, candidates: BoolArray) -> FloatArray:
    """Return the mean of the smallest and the largest value among the candidates of each row."""
    smallest = np.where(candidates, squared, np.inf).min(axis=1)
    largest = np.where(candidates, squared, -np.inf).max(axis=1)
    return np.asarray(0.5 * (smallest + largest))


def positive_widths(widths: FloatArray) -> FloatArray | None:
    """Replace widths of zero by the smallest positive one; None where there is none.

    Points that coincide leave a width of zero, which is no width.
    """
    positive = widths[widths > 0]
    if positive.size == 0:
        return None
    return np.where(widths > 0, widths, positive.min())


@dataclass(frozen=True, slots=True, eq=False)
class Bumps:
    """D(x) = sum_s height_s exp(-d(x, s) / width_s).

    Attributes
    ----------
    anchors : ndarray or CSR matrix of shape (n_anchors, d)
        s.
    log_heights : ndarray of shape (n_anchors,)
    widths : ndarray of shape (n_anchors,)
        In the units of d; all positive.
    distance : {"sqeuclidean", "l1"}
        d.
    """

    anchors: Any
    log_heights: FloatArray
    widths: FloatArray
    distance: str

    @property
    def n_anchors(self) -> int:
        """Number of bumps."""
        return self.widths.size

    def __call__(self, points: Any, decision: FloatArray, log_scale: FloatArray) -> FloatArray:
        """Return log D; decision values and scales play no part."""
        with np.errstate(over="ignore"):  # a width next to nothing: the bump is gone
            exponents = self.log_heights - distances(points, self.anchors, self.distance) / (
                self.widths
            )
        return log_sum_exp(exponents)


def log_sum_exp(exponents: FloatArray) -> FloatArray:
    """Logarithm of the sum of exponentials, row by row, without overflow or underflow.

    Parameters
    ----------
    exponents : ndarray of shape (n, m)
        None NaN or +inf.

    Returns
    -------
    ndarray of shape (n,)
        -inf where a row has nothing else.
    """
    largest = exponents.max(axis=1)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(exponents - shift[:, None]).sum(axis=1)))


@dataclass(frozen=True, slots=True, eq=False)
class SupportSamples:
    """What rules read at the support vectors of a single machine.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n_places, d)
    positive : ndarray of bool of shape (n_places,)
        Whether the place belongs to the positive class.
    decision, log_scale : ndarray of shape (n_places,)
        f and log s there.
    """

    points: Any
    positive: BoolArray
    decision: FloatArray
    log_scale: FloatArray

    @property
    def has_both_sides(self) -> bool:
        """Whether there are support vectors of both classes."""
        return bool(self.positive.any() and not self.positive.all())


def support_samples(problem: Problem, stage: Stage) -> SupportSamples:
    """Return the places of the support vectors, in the order of their first rows.

    Parameters
    ----------
    problem : Problem
        With a single machine.
    stage : Stage

    Returns
    -------
    SupportSamples
    """
    rows = np.flatnonzero(supports(problem, stage))
    positive = problem.target[rows, 0] > 0
    kept = _first_of_each(problem.points[rows], positive)
    rows = rows[kept]
    return SupportSamples(
        points=problem.points[rows],
        positive=positive[kept],
        decision=stage.decision[rows, 0],
        log_scale=stage.log_scale[rows],
    )


def _first_of_each(points: Any, positive: BoolArray) -> IndexArray:
    """Return the first row of every distinct pair of point and class."""
    if sparse.issparse(points):
        return _first_of_each_sparse(points, positive)
    if positive.size == 0:
        return np.zeros(0, dtype=np.intp)
    _, first = np.unique(np.column_stack([points, positive]), axis=0, return_index=True)
    return np.sort(first)


def _first_of_each_sparse(points: Any, positive: BoolArray) -> IndexArray:
    found: dict[tuple[bool, bytes, bytes], int] = {}
    clean = sparse.csr_array(points)
    clean.sum_duplicates()
    clean.eliminate_zeros()
    for row, (start, stop) in enumerate(zip(clean.indptr[:-1], clean.indptr[1:], strict=True)):
        part = slice(start, stop)
        key = (bool(positive[row]), clean.indices[part].tobytes(), clean.data[part].tobytes())
        found.setdefault(key, row)
    return np.fromiter(found.values(), dtype=np.intp, count=len(found))
