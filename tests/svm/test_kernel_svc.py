"""The machine next to scikit-learn's SVC, then its promises: weights, warm starts, input kinds."""

import pickle
from itertools import repeat

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.kernels import rbf_kernel
from kpboost.problems._gram import dense_source
from kpboost.problems._multiclass import binary_problems
from kpboost.solvers import DenseGram, solve_dual
from kpboost.svm import KernelSVC
from kpboost.svm._kernel_svc import class_scores, spread_rows, train_machines
from support.solver_checks import check_solved

# SVC keeps its matrix in single precision: about 1e-7 of the coefficients' total.
SVC_PRECISION = 1e-5
# Two solves of one problem at TIGHT agree this well in their decision values.
TIGHT, SAME = 1e-10, 1e-8
# MB: below 200 rows of doubles, so that the kernel's rows are computed on demand.
TINY_CACHE = 0.05

TWO_CLASSES = ["breast_cancer", "pima", "vehicle0", "glass0", "ecoli3", "thyroid1"]
MANY_CLASSES = ["iris", "wine", "digits", "ecoli", "hayes", "new-thyroid"]


def reference(C, gamma="scale", **options):
    return SVC(C=C, gamma=gamma, tol=1e-10, break_ties=True, **options)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("name", [*TWO_CLASSES, "iris", "wine", "digits"])
def test_two_classes_equal_svc(load, name, C):
    X, y = load(name, n_classes=2)
    ours, theirs = KernelSVC(C=C).fit(X, y), reference(C).fit(X, y)
    assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=SVC_PRECISION * max(C, 10)
    )
    assert_allclose(ours.intercept_, theirs.intercept_, atol=SVC_PRECISION * max(C, 10))
    assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize("n_features", [3, 8, 13])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_row_gets_the_answer_that_it_gets_among_others(n_classes, n_features):
    X, y = make_blobs(90, n_features, centers=n_classes, cluster_std=4.0, random_state=0)
    fitted = KernelSVC(C=10.0).fit(X, y)
    together = fitted.decision_function(X)
    assert_array_equal(together, fitted.decision_function(X.tolist()))
    assert_array_equal(together, fitted.decision_function(np.asfortranarray(X)))
    for n in (1, 2, 3):
        alone = [fitted.decision_function(X[i : i + n]) for i in range(0, 90, n)]
        assert_array_equal(np.concatenate(alone), together)
    assert_array_equal(fitted.predict(X[:1]), fitted.predict(X)[:1])


@pytest.mark.parametrize("name", MANY_CLASSES)
def test_one_vs_one_equals_svc(load, name):
    X, y = load(name)
    ours, theirs = KernelSVC(C=10.0).fit(X, y), reference(10.0).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)
    theirs.set_params(decision_function_shape="ovo", break_ties=False)
    assert_allclose(ours.intercept_, -theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("name", MANY_CLASSES)
def test_one_vs_rest_equals_one_svc_per_class(load, name):
    X, y = load(name)
    ours = KernelSVC(C=10.0, multi_class="one_vs_rest").fit(X, y)
    theirs = OneVsRestClassifier(reference(10.0)).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_the_comparison_can_fail(load):
    X, y = load("breast_cancer")
    ours, theirs = KernelSVC(C=1.01).fit(X, y), reference(1.0).fit(X, y)
    difference = np.abs(ours.decision_function(X) - theirs.decision_function(X)).max()
    assert difference > 10 * SVC_PRECISION * 10


@pytest.mark.parametrize("class_weight", ["balanced", {"positive": 5.0}])
def test_class_weights_equal_svc(load, class_weight):
    X, y = load("pima")
    ours = KernelSVC(class_weight=class_weight).fit(X, y)
    theirs = reference(1.0, class_weight=class_weight).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weight_is_repetition_and_zero_is_absence(load, multi_class, class_weight):
    X, y = load("wine")
    weight = np.random.default_rng(0).integers(0, 4, size=y.size)
    machine = KernelSVC(C=2.0, multi_class=multi_class, class_weight=class_weight, tol=TIGHT)
    weighted = clone(machine).fit(X, y, sample_weight=weight)
    repeated = clone(machine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.gamma_, repeated.gamma_, rtol=1e-12)
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=SAME)
    assert not np.any(weight[weighted.support_] == 0)


def test_a_class_without_weight_is_absent(load):
    X, y = load("iris")
    weight = (y != 1).astype(float)
    weighted = KernelSVC().fit(X, y, sample_weight=weight)
    without = KernelSVC().fit(X[y != 1], y[y != 1])
    assert weighted.classes_.tolist() == [0, 2]
    assert_allclose(weighted.decision_function(X), without.decision_function(X), atol=1e-5)


def test_weights_that_cannot_be_used_are_refused(load):
    X, y = load("iris")
    with pytest.raises(ValueError, match="at least 2 classes"):
        KernelSVC().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="negative"):
        KernelSVC().fit(X, y, sample_weight=-np.ones(y.size))


def test_precomputed_equals_rbf(load):
    X, y = load("wine")
    train, test = np.arange(0, y.size, 2), np.arange(1, y.size, 2)
    rbf = KernelSVC(gamma=0.1, tol=TIGHT).fit(X[train], y[train])
    gram = rbf_kernel(X, gamma=0.1)
    given = KernelSVC(kernel="precomputed", tol=TIGHT).fit(gram[np.ix_(train, train)], y[train])
    assert_allclose(
        given.decision_function(gram[np.ix_(test, train)]),
        rbf.decision_function(X[test]),
        atol=SAME,
    )
    assert not hasattr(given, "support_vectors_")
    weight = np.arange(train.size) % 3
    rbf.fit(X[train], y[train], sample_weight=weight)
    given.fit(gram[np.ix_(train, train)], y[train], sample_weight=weight)
    assert_allclose(
        given.decision_function(gram[np.ix_(test, train)]),
        rbf.decision_function(X[test]),
        atol=SAME,
    )


def test_precomputed_must_be_square_and_symmetric():
    with pytest.raises(ValueError, match="square"):
        KernelSVC(kernel="precomputed").fit(np.ones((4, 3)), [0, 1, 0, 1])
    gram = np.eye(4)
    gram[0, 1] = 0.5
    with pytest.raises(ValueError, match="symmetric"):
        KernelSVC(kernel="precomputed").fit(gram, [0, 1, 0, 1])


def test_refitting_with_another_kernel_leaves_nothing_behind(load):
    X, y = load("iris")
    machine = KernelSVC(gamma=0.5).fit(X, y)
    machine.set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    assert not hasattr(machine, "support_vectors_")
    assert not hasattr(machine, "gamma_")


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
def test_rows_on_demand_give_the_same_machine(load, name, multi_class):
    X, y = load(name)
    machine = KernelSVC(C=10.0, multi_class=multi_class, tol=TIGHT)
    whole = clone(machine).fit(X, y)
    rows = clone(machine).set_params(cache_size=TINY_CACHE).fit(X, y)
    assert_allclose(rows.decision_function(X), whole.decision_function(X), atol=SAME)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_equals_dense(load, container):
    X, y = load("digits", n_classes=4)
    X = np.where(X > 0.5, X, 0.0)
    dense = KernelSVC(tol=TIGHT).fit(X, y)
    thin = KernelSVC(tol=TIGHT).fit(container(X), y)
    assert sparse.issparse(thin.support_vectors_)
    assert_allclose(thin.gamma_, dense.gamma_, rtol=1e-12)
    expected = dense.decision_function(X)
    for fitted, points in [(thin, container(X)), (thin, X), (dense, container(X))]:
        assert_allclose(fitted.decision_function(points), expected, atol=SAME)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [2.0, 7.0]])
def test_labels_of_any_kind(load, labels):
    X, y = load("breast_cancer")
    plain = KernelSVC().fit(X, y)
    named = KernelSVC().fit(X, np.array(labels)[y])
    assert named.classes_.tolist() == labels
    assert_array_equal(named.decision_function(X), plain.decision_function(X))
    assert_array_equal(named.predict(X), np.array(labels)[plain.predict(X)])


def test_frames_and_their_column_names(load):
    X, y = load("iris")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    machine = KernelSVC().fit(frame, pd.Series(y))
    assert machine.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert_array_equal(machine.predict(frame), KernelSVC().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame.rename(columns={"a": "z"}))


def test_fitted_attributes_describe_the_machine(load):
    X, y = load("wine")
    machine = KernelSVC(C=5.0).fit(X, y)
    n_support = machine.support_.size
    assert machine.dual_coef_.shape == (3, n_support)
    assert machine.intercept_.shape == machine.n_iter_.shape == (3,)
    assert_array_equal(machine.support_vectors_, X[machine.support_])
    assert_array_equal(machine.n_support_, np.bincount(y[machine.support_]))
    assert_allclose(machine.dual_coef_.sum(axis=1), 0.0, atol=1e-9)
    assert np.all(np.abs(machine.dual_coef_) <= 5.0)
    # In a pair's row the later class has positive coefficients, and third classes none.
    for row, (first, second) in zip(machine.dual_coef_, [(0, 1), (0, 2), (1, 2)], strict=True):
        sides = y[machine.support_]
        assert np.all(row[sides == second] >= 0)
        assert np.all(row[sides == first] <= 0)
        assert not np.any(row[(sides != first) & (sides != second)])


def solutions_along(machine, X, y, changes):
    """Refit through a series of changes; the decision values and iterations of the last fit."""
    for change in changes:
        weight = change.pop("sample_weight", None)
        machine.set_params(**change).fit(X, y, sample_weight=weight)
    return machine.decision_function(X), machine.n_iter_.sum()


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
@pytest.mark.parametrize("change", ["C", "gamma", "sample_weight"])
def test_warm_start_gives_the_same_machine(load, name, multi_class, change):
    X, y = load(name)
    weights = np.random.default_rng(1).integers(0, 3, size=(2, y.size))
    ends = {"C": (9.0, 10.0), "gamma": (0.05, 0.052), "sample_weight": weights}[change]
    settings = {"C": 10.0, "multi_class": multi_class, "tol": TIGHT}
    cold = KernelSVC(**settings)
    warm = KernelSVC(**settings, warm_start=True)
    expected, _ = solutions_along(cold, X, y, [{change: ends[1]}])
    found, _ = solutions_along(warm, X, y, [{change: ends[0]}, {change: ends[1]}])
    assert_allclose(found, expected, atol=SAME)


def test_warm_start_saves_iterations(load):
    X, y = load("breast_cancer")
    _, cold = solutions_along(KernelSVC(C=100.0), X, y, [{"C": 100.0}])
    warm = KernelSVC(C=100.0, warm_start=True)
    _, again = solutions_along(warm, X, y, [{"C": 100.0}, {"C": 100.0}])
    _, nearby = solutions_along(warm, X, y, [{"C": 100.0}, {"C": 101.0}])
    assert again < cold / 2
    assert nearby < cold


def test_warm_start_finds_its_points_among_those_without_weight(load):
    X, y = load("breast_cancer")
    weight = (np.arange(y.size) % 3).astype(float)
    machine = KernelSVC(C=100.0, warm_start=True).fit(X, y, sample_weight=weight)
    cold = machine.n_iter_.sum()
    assert machine.fit(X, y, sample_weight=weight).n_iter_.sum() < cold / 2


def test_warm_start_is_cold_on_other_labels(load):
    X, y = load("wine")
    warm = KernelSVC(warm_start=True)
    others = [(X[::2], y[::2]), (X, y[::-1]), (X, np.array(["r", "s", "t"])[y]), (X[:, :3], y)]
    for points, labels in [(X, y), *others]:
        warm.fit(points, labels)
        cold = KernelSVC().fit(points, labels)
        assert_allclose(warm.decision_function(points), cold.decision_function(points), atol=1e-5)


def test_parameters_are_never_rewritten(load):
    X, y = load("iris")
    parameters = {"C": 2, "gamma": "scale", "class_weight": {0: 2, 1: 1, 2: 1}, "max_iter": 10**6}
    machine = KernelSVC(**parameters).fit(X, y)
    assert {name: machine.get_params()[name] for name in parameters} == parameters
    assert isinstance(machine.C, int)


def test_clone_and_pickle(load):
    X, y = load("wine")
    machine = KernelSVC(C=3.0, multi_class="one_vs_rest").fit(X, y)
    copy = pickle.loads(pickle.dumps(machine))
    assert_array_equal(copy.decision_function(X), machine.decision_function(X))
    with pytest.raises(NotFittedError):
        clone(machine).predict(X)


def test_sample_weight_is_routed(load):
    X, y = load("breast_cancer")
    weight = (np.arange(y.size) % 2).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        machine = KernelSVC().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, machine).fit(X, y, sample_weight=weight)
    assert np.all(pipeline[-1].support_ % 2 == 1)


def test_grid_search_slices_a_precomputed_kernel(load):
    X, y = load("iris")
    grid = {"C": [1.0, 10.0]}
    rbf = GridSearchCV(KernelSVC(gamma=0.2), grid, cv=3).fit(X, y)
    given = GridSearchCV(KernelSVC(kernel="precomputed"), grid, cv=3)
    given.fit(rbf_kernel(X, gamma=0.2), y)
    assert_array_equal(given.cv_results_["mean_test_score"], rbf.cv_results_["mean_test_score"])


def test_an_unlucky_fit_leaves_the_last_machine_usable(load):
    X, y = load("iris")
    machine = KernelSVC().fit(X, y)
    before = machine.decision_function(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        machine.fit(X, np.zeros(y.size, dtype=int))
    assert_array_equal(machine.decision_function(X), before)


def test_many_classes_in_one_pass():
    X, y = make_blobs(n_samples=300, centers=12, n_features=4, random_state=0)
    machine = KernelSVC(C=10.0).fit(X, y)
    assert machine.dual_coef_.shape[0] == 66
    assert machine.decision_function(X).shape == (300, 12)
    assert machine.score(X, y) == reference(10.0).fit(X, y).score(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_function_serves_as_kernel(load, n_classes):
    X, y = load("wine", n_classes)
    ours = KernelSVC(kernel=polynomial_kernel).fit(X, y)
    theirs = SVC(kernel=polynomial_kernel, tol=1e-8).fit(X, y)
    assert not hasattr(ours, "gamma_")
    if n_classes == 2:
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_fit_that_failed_leaves_nothing_fitted(load):
    X, y = load("wine", 2)

    def broken(A, B):
        raise KeyboardInterrupt

    machine = KernelSVC(kernel=broken)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y)
    with pytest.raises(NotFittedError):
        machine.predict(X)


def test_without_support_vectors_the_intercept_decides(load):
    X, y = load("wine", 2)
    machine = KernelSVC(tol=5.0).fit(X, y)
    assert machine.support_.size == 0
    assert_array_equal(machine.decision_function(X), np.full(len(X), machine.intercept_[0]))


# scikit-learn's own checks of an estimator, one configuration per code path.
#
# No check is expected to fail. SVC fails the equivalence of sample weights with repetition.


CONFIGURATIONS = [
    KernelSVC(),
    KernelSVC(multi_class="one_vs_rest", class_weight="balanced", gamma="auto"),
    # cache_size in MB: more than 36 points read rows on demand
    KernelSVC(warm_start=True, cache_size=0.01),
    KernelSVC(kernel="precomputed"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


def test_gathering_keeps_every_solution(load):
    X, y = load("wine")
    gram, bounds = rbf_kernel(X, gamma=0.1), np.full(y.size, 3.0)
    problems = list(binary_problems(y, 3, "one_vs_one"))
    machines = train_machines(
        problems, dense_source(DenseGram(gram)), bounds, y, repeat(None), tol=1e-6, max_iter=None
    )
    spread = list(spread_rows(machines.dual_coef, machines.support, y.size))
    for problem, full, intercept in zip(problems, spread, machines.intercept, strict=True):
        block = np.ascontiguousarray(gram[np.ix_(problem.rows, problem.rows)])
        alone = solve_dual(block, problem.target, 3.0)
        assert_array_equal(full[problem.rows], alone.dual_coef)
        assert intercept == alone.intercept
        assert_allclose(gram[problem.rows] @ full + intercept, alone.decision, atol=1e-9)
    # Class by class, ascending within a class, and no column without a coefficient.
    order = np.lexsort((machines.support, y[machines.support]))
    assert_array_equal(order, np.arange(machines.support.size))
    assert np.all(np.any(machines.dual_coef != 0, axis=0))


def test_scores_of_classes():
    values = np.random.default_rng(0).standard_normal((5, 3))
    assert_array_equal(class_scores(values[:, :1], 2, "one_vs_one"), values[:, 0])
    assert_array_equal(class_scores(values[:, :1], 2, "one_vs_rest"), values[:, 0])
    assert_array_equal(class_scores(values, 3, "one_vs_rest"), values)
    # Pairs (0, 1), (0, 2), (1, 2): a positive value means the later class.
    winners = np.where(values > 0, [1, 2, 2], [0, 0, 1])
    votes = np.array([np.bincount(row, minlength=3) for row in winners])
    assert_array_equal(np.rint(class_scores(values, 3, "one_vs_one")), votes)
