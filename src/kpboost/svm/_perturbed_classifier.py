"""What the kernel-perturbation classifiers share: from labelled data to machines, and to labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    BinaryProblem,
    DecisionClassifier,
    TrainingSet,
    binary_problems,
    bounds_of,
    one_vs_rest,
    over_support,
    points_to_predict,
    positive_sides,
    remember_support,
    training_set,
    width_of,
)

from ._kernel_svc import class_scores
from ._perturbation import (
    RBF,
    BaseKernel,
    PerturbationPlan,
    Problem,
    Stage,
    Step,
    perturb,
    row_blocks,
)

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
) -> tuple[PerturbedMachines, FloatArray]:
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
    machines : PerturbedMachines
    dual_coef : ndarray of shape (n_values, n_SV)
        Signed dual coefficients of the last stages.
    """
    dual = [np.array([stage.dual_coef for stage in chain]) for chain in stages]
    support, dual = over_support(dual, rows, codes)
    chains = []
    for chain, own, coef in zip(stages, rows, dual, strict=True):
        log_scale = np.zeros((len(chain), codes.size))
        log_scale[:, own] = [stage.log_scale for stage in chain]
        chains.append(
            Chain(
                coef=coef * np.exp(log_scale[:, None, support]),
                intercept=np.array([stage.intercept for stage in chain]),
                steps=tuple(stage.step for stage in chain if stage.step is not None),
            )
        )
    machines = PerturbedMachines(kernel, support, points[support], tuple(chains), signs)
    return machines, signs[:, None] * np.vstack([each[-1] for each in dual])


# All classes on one kernel, one machine each, perturbed together.
JOINT = "joint"


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Machines that share rows and a kernel; signs turn the positive class to +1."""

    rows: IndexArray
    target: FloatArray
    signs: FloatArray


class PerturbedClassifier(DecisionClassifier):
    """Training and prediction for an estimator with these parameters, and a plan of its own.

    Its parameters are attributes; without ``multi_class`` all classes share one kernel.
    """

    support_: IndexArray
    n_support_: IndexArray
    support_vectors_: Any
    gamma_: float
    pos_label_: Any

    C: float
    gamma: float | str
    class_weight: Any
    tol: float
    max_iter: int | None
    cache_size: float

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machine, perturb its kernel, and train it again on that.

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
        self
            The fitted estimator.
        """
        parameters.check_shared(self)
        self._check_own_parameters()
        data = training_set(self, X, y, sample_weight)
        self._splitting = getattr(self, "multi_class", JOINT)
        groups = _groups(data, self._splitting, getattr(self, "pos_label", None))
        kernel = BaseKernel(getattr(self, "kernel", RBF), width_of(self.gamma, data))
        plan = self._plan(kernel, data, np.concatenate([own.signs for own in groups]))
        grams = kernel.grams(data.points, self.cache_size)
        bounds = bounds_of(self.C, self.class_weight, data)
        stages = [
            perturb(
                grams(own.rows),
                _problem(own, data, bounds),
                plan,
                tol=self.tol,
                max_iter=self.max_iter,
            )
            for own in groups
        ]
        self._remember(stages, groups, data, kernel)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the decision value f, positive for ``classes_[1]`` and never zero. For
            more, the values of the machines of the classes, or the one-vs-one votes with ties
            ordered by confidence.
        """
        points = points_to_predict(self, X)
        return class_scores(self._machines.values(points), self.classes_.size, self._splitting)

    def _check_own_parameters(self) -> None:
        """Refuse bad values of the parameters that other estimators do not have."""
        raise NotImplementedError

    def _plan(self, kernel: BaseKernel, data: TrainingSet, signs: FloatArray) -> PerturbationPlan:
        """Return what to do, which may depend on the kernel, the data and the positive sides."""
        raise NotImplementedError

    def _remember(
        self,
        stages: Sequence[Sequence[Stage]],
        groups: Sequence[_Group],
        data: TrainingSet,
        kernel: BaseKernel,
    ) -> None:
        rows, signs = [own.rows for own in groups], np.concatenate([own.signs for own in groups])
        machines, dual_coef = gather_chains(stages, rows, data.points, data.codes, kernel, signs)
        last = [chain[-1] for chain in stages]
        remember_support(self, data, machines.support, kernel.gamma, signs)
        self._machines = machines
        self.dual_coef_ = dual_coef
        self.intercept_ = signs * np.concatenate([each.intercept for each in last])
        self.log_scale_ = np.zeros((len(groups), data.all_codes.size))
        for own, values, stage in zip(rows, self.log_scale_, last, strict=True):
            values[data.rows[own]] = stage.log_scale
        self.n_perturbations_ = np.array([len(chain) - 1 for chain in stages])
        self.training_errors_ = _padded([[each.error for each in chain] for chain in stages])
        self.n_iter_ = np.array([sum(each.n_iter for each in chain) for chain in stages])


def _groups(data: TrainingSet, splitting: str, pos_label: Any) -> list[_Group]:
    """Machines with a kernel of their own each, or all on one."""
    n_classes = data.classes.size
    if splitting == JOINT and n_classes > 2:
        target = np.column_stack([each.target for each in one_vs_rest(data.codes, n_classes)])
        return [_Group(np.arange(data.codes.size), target, np.ones(n_classes))]
    problems = list(binary_problems(data.codes, n_classes, splitting))
    signs = positive_sides(problems, data.weight, data.classes, pos_label)
    return [_single(problem, sign) for problem, sign in zip(problems, signs, strict=True)]


def _single(problem: BinaryProblem, sign: float) -> _Group:
    return _Group(problem.rows, sign * problem.target[:, None], np.array([sign]))


def _problem(group: _Group, data: TrainingSet, bounds: FloatArray) -> Problem:
    everything = group.rows.size == data.codes.size
    return Problem(
        points=data.points if everything else data.points[group.rows],
        target=group.target,
        bounds=bounds[group.rows],
        weight=data.weight[group.rows],
    )


def _padded(rows: Sequence[Sequence[float]]) -> FloatArray:
    """Return lists of different lengths as one array, NaN where a list has ended."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
