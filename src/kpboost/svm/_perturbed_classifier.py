"""What the kernel-perturbation classifiers share: from labelled data to machines, and to labels."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _validation as parameters, kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost._validation import well_formed
from kpboost.problems import (
    BinaryProblem,
    TrainingSet,
    binary_problems,
    bounds_of,
    one_vs_rest,
    positive_sides,
    predicted_codes,
    training_set,
    union_of_support,
)

from ._kernel_svc import class_scores
from ._perturbation import BaseKernel, Plan, Problem, Stage, Step, perturb, row_blocks

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


# From kernel, data and the signs of the machines' positive sides.
MakePlan = Callable[[BaseKernel, TrainingSet, FloatArray], Plan]

# All classes on one kernel, one machine each, perturbed together.
JOINT = "joint"


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Machines that share rows and a kernel; signs turn the positive class to +1."""

    rows: IndexArray
    target: FloatArray
    signs: FloatArray


class PerturbedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Training and prediction for an estimator with these parameters, and a plan of its own.

    C, gamma, class_weight, tol, max_iter and cache_size are attributes of the estimator.
    """

    C: float
    gamma: float | str
    class_weight: Any
    tol: float
    max_iter: int | None
    cache_size: float

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
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, well_formed(X), reset=False, accept_sparse="csr", dtype=np.float64)
        return class_scores(self._machines.values(X), self.classes_.size, self._splitting)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the highest scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = predicted_codes(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_machine_parameters(self) -> None:
        """Refuse bad values of the parameters that all these classifiers have."""
        parameters.check_positive("C", self.C)
        parameters.check_gamma(self.gamma)
        parameters.check_class_weight(self.class_weight)
        parameters.check_positive("tol", self.tol)
        parameters.check_max_iter(self.max_iter)
        parameters.check_positive("cache_size", self.cache_size)

    def _fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        make_plan: MakePlan,
        *,
        splitting: str,
        pos_label: Any = None,
        kernel: str = "rbf",
    ) -> Self:
        """Train by a plan, which may depend on the kernel width and on the data."""
        data = training_set(self, X, y, sample_weight, "rbf")
        groups = _groups(data, splitting, pos_label)
        weight = data.weight if data.is_weighted else None
        gamma = kernels.resolve_gamma(self.gamma, data.points, sample_weight=weight)
        base = BaseKernel(kernel, gamma)
        plan = make_plan(base, data, np.concatenate([own.signs for own in groups]))
        grams = base.grams(data.points, self.cache_size)
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
        self._remember(stages, groups, data, base)
        self._splitting = splitting
        return self

    def _remember(
        self,
        stages: Sequence[Sequence[Stage]],
        groups: Sequence[_Group],
        data: TrainingSet,
        kernel: BaseKernel,
    ) -> None:
        rows, n = [own.rows for own in groups], data.codes.size
        signs = np.concatenate([own.signs for own in groups])
        machines = gather_chains(stages, rows, data.points, data.codes, kernel, signs)
        last = [chain[-1] for chain in stages]
        coef = np.vstack(
            [spread(each.dual_coef, own, n) for each, own in zip(last, rows, strict=True)]
        )
        scale = np.vstack(
            [spread(each.log_scale[None], own, n) for each, own in zip(last, rows, strict=True)]
        )
        self._machines = machines
        self.classes_ = data.classes
        self.gamma_ = kernel.gamma
        self.support_ = data.rows[machines.support]
        self.support_vectors_ = machines.support_vectors
        self.n_support_ = np.bincount(data.codes[machines.support], minlength=data.classes.size)
        self.dual_coef_ = signs[:, None] * coef[:, machines.support]
        self.intercept_ = signs * np.concatenate([each.intercept for each in last])
        self.log_scale_ = np.zeros((len(groups), data.all_codes.size))
        self.log_scale_[:, data.rows] = scale
        self.n_perturbations_ = np.array([len(chain) - 1 for chain in stages])
        self.training_errors_ = _padded([[each.error for each in chain] for chain in stages])
        self.n_iter_ = np.array([sum(each.n_iter for each in chain) for chain in stages])
        self.__dict__.pop("pos_label_", None)
        if data.classes.size == 2:
            self.pos_label_ = data.classes[1 if signs[0] > 0 else 0]


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
