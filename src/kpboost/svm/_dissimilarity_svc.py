"""D-SVM: a support vector machine on distances to the training points."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kpboost import _validation as parameters, kernels
from kpboost._typing import FloatArray, IndexArray
from kpboost.problems import (
    DecisionClassifier,
    GramSource,
    TrainingSet,
    binary_problems,
    bounds_of,
    dense_source,
    points_to_predict,
    training_set,
)
from kpboost.solvers import DenseGram

from ._kernel_svc import Machines, class_scores, train_machines


@dataclass(frozen=True, slots=True, eq=False)
class Dissimilarities:
    """The map from x to r(x), shifted and scaled column by column.

    Attributes
    ----------
    points : ndarray or CSR matrix of shape (n, n_features)
        Training points, the representation set.
    center : ndarray of shape (n,)
        What is taken from each column.
    factor : ndarray of shape (n,)
        What each column is then multiplied by; the root of the point's weight aside.
    weight : ndarray of shape (n,)
        Sample weights, positive.
    """

    points: Any
    center: FloatArray
    factor: FloatArray
    weight: FloatArray

    @classmethod
    def to(cls, points: Any, weight: FloatArray, *, standardise: bool) -> Self:
        """Make the map for a training set.

        Parameters
        ----------
        points : ndarray or CSR matrix of shape (n, n_features)
        weight : ndarray of shape (n,)
            Sample weights, positive.
        standardise : bool
            Whether every column gets a mean of 0 and a variance of 1 over the training points, or
            of 0 where it is constant.

        Returns
        -------
        Dissimilarities
        """
        plain = cls(points, np.zeros(weight.size), np.ones(weight.size), weight)
        if not standardise:
            return plain
        columns = plain.vectors(points)
        center = np.average(columns, axis=0, weights=weight)
        spread = np.sqrt(np.average((columns - center) ** 2, axis=0, weights=weight))
        return cls(points, center, 1.0 / np.where(spread > 0.0, spread, 1.0), weight)

    def vectors(self, X: Any) -> FloatArray:
        """Return r(x) for the rows of X, one column per training point."""
        distances = np.sqrt(kernels.squared_distances(X, None if X is self.points else self.points))
        distances -= self.center
        distances *= self.factor
        return distances

    def repeated(self, vectors: FloatArray) -> FloatArray:
        """Return the vectors with columns multiplied as if points were repeated by weight."""
        return np.asarray(vectors * np.sqrt(self.weight))


def dissimilarity_gamma(gamma: float | str, vectors: FloatArray, weight: FloatArray) -> float:
    """Return the number that gamma stands for on vectors r(x), with weights as repetitions.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float
        "scale" is 1 / (n times the variance of all entries), "auto" is 1 / n, where n is the total
        weight.
    vectors : ndarray of shape (n, n)
        r(x) of the training points.
    weight : ndarray of shape (n,)

    Returns
    -------
    float
    """
    if not isinstance(gamma, str):
        return float(gamma)
    total = float(weight.sum())
    if gamma == "auto":
        return 1.0 / total
    share = weight / total
    mean = float(share @ vectors @ share)
    variance = float(share @ (vectors - mean) ** 2 @ share)
    return 1.0 / (total * variance) if variance > 0.0 else 1.0


# New points become vectors of n distances in blocks of at most this size.
BLOCK_BYTES = 32 * 2**20


class DissimilaritySVC(DecisionClassifier):
    """Support vector classification in the space of distances to the training points.

    A point x is represented by its Euclidean distances to all n training points, r(x) =
    (|x - x_1|, ..., |x - x_n|), and an SVM with a linear or RBF kernel is trained on these vectors.
    A small disjunct has columns of its own there, in which its points stand out.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation, the upper bound of the dual coefficients.
    kernel : {"linear", "rbf"}, default="linear"
        Kernel between vectors of distances.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, 1 / (2 sigma^2), between vectors of distances: "scale" is
        1 / (n * variance of their entries), "auto" is 1 / n. sigma
    scale_dissimilarities : bool, default=False
        Whether every distance is standardised over the training points. The article mentions no
        scaling. Vectors of n distances lie farther apart the larger n is, like sqrt(n), so that an
        RBF kernel of a fixed gamma tells nothing alike; "scale" takes care of that.
    multi_class : {"one_vs_one", "one_vs_rest"}, default="one_vs_one"
        How more than two classes become two-class problems. OVO / OVA
    class_weight : dict, "balanced" or None, default=None
        Factor of ``C`` per class: by label, or inversely proportional to the classes' total weight.
    tol : float, default=1e-6
        Largest violation of the optimality conditions at which the solver stops, in units of the
        decision function.
    max_iter : int or None, default=None
        Limit of the solver's iterations per problem; None is the solver's own, finite limit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    representation_ : ndarray or CSR matrix of shape (n, n_features)
        Training points of positive weight, to which distances are measured.
    coef_ : ndarray of shape (n_problems, n)
        Weights of the distances; only for the linear kernel.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Signed dual coefficients. lambda y
    intercept_ : ndarray of shape (n_problems,)
        Offsets of the decision functions. b
    support_ : ndarray of shape (n_SV,)
        Rows of the training set that support any of the problems, class by class.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    gamma_ : float
        Width parameter in use; only for the RBF kernel.
    n_iter_ : ndarray of shape (n_problems,)
        Iterations of each solve.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    KernelSVC : The SVM on the samples themselves.

    Notes
    -----
    Training takes memory for several n x n matrices and time like n^3; a fitted machine with an
    RBF kernel keeps n_SV x n distances, one with a linear kernel n numbers per problem.
    Weights are exact, also as columns of the representation: weight 2 equals the sample twice.

    Details beyond "distances to all training points, linear and RBF kernel" are our reading of
    the article.

    References
    ----------
    V. Garcia, J. S. Sanchez, H. J. Ochoa Dominguez, L. Cleofas-Sanchez, "Dissimilarity-based
    learning from imbalanced data with small disjuncts and noise", IbPRIA 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kpboost.svm import DissimilaritySVC
    >>> X, y = load_iris(return_X_y=True)
    >>> DissimilaritySVC().fit(X, y).predict(X[:2])
    array([0, 0])
    """

    support_: IndexArray
    n_support_: IndexArray

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "linear",
        gamma: float | str = "scale",
        scale_dissimilarities: bool = False,
        multi_class: str = "one_vs_one",
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.scale_dissimilarities = scale_dissimilarities
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machine.

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
        self : DissimilaritySVC
        """
        parameters.check_shared(self)
        parameters.check_choice("kernel", self.kernel, ("linear", "rbf"))
        parameters.check_flag("scale_dissimilarities", self.scale_dissimilarities)
        data = training_set(self, X, y, sample_weight)
        space = Dissimilarities.to(data.points, data.weight, standardise=self.scale_dissimilarities)
        vectors = space.vectors(data.points)
        gamma = None
        if self.kernel == "rbf":
            gamma = dissimilarity_gamma(self.gamma, vectors, data.weight)
        vectors = space.repeated(vectors)
        machines = train_machines(
            binary_problems(data.codes, data.classes.size, self.multi_class),
            _gram_source(vectors, gamma),
            bounds_of(self.C, self.class_weight, data),
            data.codes,
            repeat(None),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._remember(machines, data)
        self._remember_space(machines, space, vectors, gamma)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the decision value f, positive for ``classes_[1]``. For more, the values
            of the one-vs-rest machines, or the one-vs-one votes with ties ordered by confidence.
        """
        values = self._problem_values(points_to_predict(self, X))
        return class_scores(values, self.classes_.size, self.multi_class)

    def _remember(self, machines: Machines, data: TrainingSet) -> None:
        self.classes_ = data.classes
        self.representation_ = data.points
        self.support_ = data.rows[machines.support]
        self.n_support_ = np.bincount(data.codes[machines.support], minlength=data.classes.size)
        self.dual_coef_ = machines.dual_coef
        self.intercept_ = machines.intercept
        self.n_iter_ = machines.n_iter

    def _remember_space(
        self, machines: Machines, space: Dissimilarities, vectors: FloatArray, gamma: float | None
    ) -> None:
        for name in ("coef_", "gamma_", "_support_dissimilarities"):  # of another kernel
            self.__dict__.pop(name, None)
        self._space = space
        if gamma is None:
            self.coef_ = machines.dual_coef @ vectors[machines.support]
        else:
            self.gamma_ = gamma
            self._support_dissimilarities = vectors[machines.support]

    def _problem_values(self, X: Any) -> FloatArray:
        """Decision values of all machines, one column each, block by block."""
        step = max(1, BLOCK_BYTES // (8 * self.representation_.shape[0]))
        values = np.empty((X.shape[0], self.intercept_.size))
        for start in range(0, X.shape[0], step):
            part = X[start : start + step]
            vectors = self._space.repeated(self._space.vectors(part))
            values[start : start + step] = self._machine_values(vectors)
        return values

    def _machine_values(self, vectors: FloatArray) -> FloatArray:
        if hasattr(self, "coef_"):
            return np.asarray(vectors @ self.coef_.T + self.intercept_)
        if self.support_.size == 0:  # a tolerance so coarse that nothing was learned
            return np.tile(self.intercept_, (vectors.shape[0], 1))
        return kernels.rbf_decision(
            vectors,
            self._support_dissimilarities,
            gamma=self.gamma_,
            coef=self.dual_coef_,
            intercept=self.intercept_,
        )


def _gram_source(vectors: FloatArray, gamma: float | None) -> GramSource:
    """Gram matrices of the vectors, held whole: the vectors take as much memory themselves."""
    if gamma is None:
        return dense_source(DenseGram(vectors @ vectors.T))
    return dense_source(DenseGram(kernels.rbf_kernel(vectors, gamma=gamma), check=False))
