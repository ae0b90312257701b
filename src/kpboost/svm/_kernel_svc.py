"""The plain kernel machine for two or more classes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kpboost import _validation as parameters
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    BinaryProblem,
    DecisionClassifier,
    GramSource,
    Kernel,
    TrainingSet,
    binary_problems,
    bounds_of,
    gamma_of,
    gram_source,
    kernel_sums,
    one_vs_one_scores,
    over_support,
    points_to_predict,
    remember_support,
    training_set,
)
from kpboost.solvers import DualSolution, several_threads, solve_dual

ONE_VS_ONE, ONE_VS_REST = "one_vs_one", "one_vs_rest"


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """Machines over the union of their support vectors; one row or entry per machine.

    Attributes
    ----------
    support : ndarray of shape (n_SV,)
        Rows that support any machine, class by class, ascending within a class.
    dual_coef : ndarray of shape (n_machines, n_SV)
        Signed dual coefficients, zero where a row is not in a machine's problem.
    intercept : ndarray of shape (n_machines,)
        Offsets of the decision functions.
    n_iter : ndarray of shape (n_machines,)
        Iterations of the solver.
    """

    support: IndexArray
    dual_coef: FloatArray
    intercept: FloatArray
    n_iter: IndexArray


def train_machines(
    problems: Iterable[BinaryProblem],
    gram: GramSource,
    bounds: FloatArray,
    codes: IndexArray,
    starts: Iterable[FloatArray | None],
    *,
    tol: float,
    max_iter: int | None,
) -> Machines:
    """Solve each problem on its Gram matrix.

    Parameters
    ----------
    problems : iterable of BinaryProblem
        Rows and targets of the problems.
    gram : callable
        From row indices to the Gram matrix of those rows.
    bounds : ndarray of shape (n,)
        Upper bounds of the dual coefficients.
    codes : ndarray of shape (n,)
        Number of each row's class, which orders the support vectors.
    starts : iterable of ndarray of shape (n,) or None
        Where each solve starts, at least as many as problems; None is a cold start.
    tol, max_iter : float, int or None
        Of the solver.

    Returns
    -------
    Machines
    """
    rows, solutions = [], []
    for problem, start in zip(problems, starts, strict=False):
        rows.append(problem.rows)
        solutions.append(
            solve_dual(
                gram(problem.rows),
                problem.target,
                bounds[problem.rows],
                start=None if start is None else start[problem.rows],
                tol=tol,
                max_iter=max_iter,
            )
        )
    return _gather(rows, solutions, codes)


def spread_rows(dual_coef: FloatArray, support: IndexArray, n: int) -> Iterator[FloatArray]:
    """Undo the gathering: each machine's coefficients with one entry per training point."""
    for coefficients in dual_coef:
        full = np.zeros(n)
        full[support] = coefficients
        yield full


def class_scores(values: FloatArray, n_classes: int, splitting: str) -> FloatArray:
    """Decision values of the machines as scores of the classes, in scikit-learn's form.

    Parameters
    ----------
    values : ndarray of shape (n, n_machines)
    n_classes : int
    splitting : str
        Into what more than two classes were split; but for "one_vs_one" every class has a machine
        of its own.

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        For two classes the values of their one machine, positive for the second class.
    """
    if n_classes == 2:
        return np.asarray(values[:, 0])
    return one_vs_one_scores(values, n_classes) if splitting == ONE_VS_ONE else values


def _gather(
    rows: Sequence[IndexArray], solutions: Sequence[DualSolution], codes: IndexArray
) -> Machines:
    """Collect the solutions in one matrix over the union of their support vectors."""
    support, dual_coef = over_support([each.dual_coef for each in solutions], rows, codes)
    return Machines(
        support=support,
        dual_coef=np.array(dual_coef),
        intercept=np.array([solution.intercept for solution in solutions]),
        n_iter=np.array([solution.n_iter for solution in solutions], dtype=np.intp),
    )


class KernelSVC(DecisionClassifier):
    """Support vector classification on an exact, warm-starting dual solver.

    Each two-class problem minimises 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)) through its dual
    (see :mod:`kpboost.solvers.optimality`). Weights are exact: a sample of weight 2 is the same as
    the sample twice, and one of weight 0 is as good as absent; so is a class without any weight.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients. C_r
    kernel : {"rbf", "precomputed"} or callable, default="rbf"
        Kernel: exp(-gamma |x - x'|^2), a Gram matrix given as ``X``, or a function that takes two
        sets of rows and returns their kernel values. K
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2). "scale" is 1 / (n_features * variance of X), with
        the sample weights in the variance; "auto" is 1 / n_features. sigma
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    tol : float, default=1e-6
        Largest violation of the optimality conditions at which the solver stops, in units of the
        decision function.
    max_iter : int or None, default=None
        Limit of the solver's iterations per problem; None is the solver's own, finite limit.
    cache_size : float, default=1000
        Memory for kernel values in MB. Large problems compute them row by row, when first needed;
        rows that do not fit are computed again.
    warm_start : bool, default=False
        Whether ``fit`` starts from the previous solution where the labels are the same as then, in
        the same order. ``C``, ``gamma``, weights and features may have changed. The solution is
        the same, within ``tol``.
    n_jobs : int or None, default=None
        Number of threads that share the work of a fit to some thousand samples; -1 uses all
        processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    support_ : ndarray of shape (n_SV,)
        Rows of the training set that support any of the problems, class by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Those rows; absent for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Signed dual coefficients, one row per problem. lambda y
    intercept_ : ndarray of shape (n_problems,)
        Offsets of the decision functions. b
    gamma_ : float
        Width parameter in use; absent for other kernels than "rbf".
    n_iter_ : ndarray of shape (n_problems,)
        Iterations of each solve.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    sklearn.svm.SVC : The same machine by libsvm.
    kpboost.KPBoostSVC : Boosts it by kernel perturbation.

    Notes
    -----
    Two classes make one problem, and a positive decision means ``classes_[1]``. One-vs-rest makes
    one problem per class, positive for that class. One-vs-one makes one problem per pair in the
    order (0, 1), (0, 2), ..., (1, 2), ..., positive for the later class of the pair.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kpboost.svm import KernelSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelSVC(C=10.0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    support_: IndexArray
    n_support_: IndexArray
    support_vectors_: Any
    gamma_: float

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Kernel = "rbf",
        gamma: float | str = "scale",
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        cache_size: float = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points; with a precomputed kernel their Gram matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of ``C``, one per sample; 0 or more.

        Returns
        -------
        self : KernelSVC
        """
        parameters.check_shared(self)
        parameters.check_kernel("kernel", self.kernel)
        parameters.check_flag("warm_start", self.warm_start)
        data = training_set(self, X, y, sample_weight)
        gamma = gamma_of(self.kernel, self.gamma, data)
        with several_threads(self.n_jobs):
            machines = train_machines(
                binary_problems(data.codes, data.classes.size, self.multi_class),
                gram_source(self.kernel, data.points, gamma=gamma, cache_size=self.cache_size),
                bounds_of(self.C, self.class_weight, data),
                data.codes,
                self._starts(data),
                tol=self.tol,
                max_iter=self.max_iter,
            )
        self._remember(machines, data, gamma)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; with a precomputed kernel their values against all training points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the decision value f, positive for ``classes_[1]``. For more, the values
            of the one-vs-rest machines, or the one-vs-one votes with ties ordered by confidence.
        """
        return class_scores(self._problem_values(X), self.classes_.size, self.multi_class)

    def _starts(self, data: TrainingSet) -> Iterator[FloatArray | None]:
        """Dual coefficients to start from, problem by problem; None, for ever, where cold."""
        if self.warm_start and self._same_labels(data):
            for start in spread_rows(self.dual_coef_, self.support_, data.all_codes.size):
                yield start[data.rows]
        yield from repeat(None)

    def _same_labels(self, data: TrainingSet) -> bool:
        return (
            hasattr(self, "_codes")
            and np.array_equal(self.classes_, data.classes)
            and np.array_equal(self._codes, data.all_codes)
        )

    def _remember(self, machines: Machines, data: TrainingSet, gamma: float | None) -> None:
        remember_support(self, data, machines.support, gamma)
        self.dual_coef_ = machines.dual_coef
        self.intercept_ = machines.intercept
        self.n_iter_ = machines.n_iter
        self._codes = data.all_codes  # tells a warm start whether the labels are the same

    def _problem_values(self, X: Any) -> FloatArray:
        """Decision values of all machines, one column each, in one pass over the kernel."""
        points = points_to_predict(self, X)
        return kernel_sums(
            self.kernel,
            points,
            self.support_,
            getattr(self, "support_vectors_", None),
            gamma=getattr(self, "gamma_", None),
            coef=self.dual_coef_,
            intercept=self.intercept_,
        )
