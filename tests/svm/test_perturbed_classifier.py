"""What all machines of the family promise: many classes, weights, input, state, odd data."""

import inspect
import pickle
import tracemalloc
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import special_ortho_group
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.kernels import rbf_kernel
from kpboost.problems._multiclass import one_vs_one_scores
from kpboost.solvers import optimality
from kpboost.svm import (
    AsymmetricKernelScalingSVC,
    BoundaryAlignmentSVC,
    ChiSquareKernelScalingSVC,
    ConformalSVC,
    KernelScalingSVC,
)
from kpboost.svm._perturbation import BaseKernel, Stage, Step
from kpboost.svm._perturbed_classifier import gather_chains
from support.solver_checks import check_solved

TIGHT, SAME = 1e-10, 1e-6
FAMILY = [
    ConformalSVC(factor_length_scale=1.0),
    ConformalSVC(rule="wu_amari", n_iterations=2, min_improvement=None),
    ConformalSVC(rule="act", n_iterations=2, min_improvement=None),
    BoundaryAlignmentSVC(n_iterations=2, min_improvement=None),
    KernelScalingSVC(decay=0.1, n_iterations=3),
    AsymmetricKernelScalingSVC(decay_neg=0.1),
    AsymmetricKernelScalingSVC(decay_neg=0.1, retrain=True),
    ChiSquareKernelScalingSVC(),
]
LAPLACIAN = ConformalSVC(rule="act", kernel="laplacian")
SPLIT = [model for model in FAMILY if hasattr(model, "multi_class")]


def name_of(model):
    return f"{type(model).__name__}-{getattr(model, 'rule', '')}{getattr(model, 'retrain', '')}"


family = pytest.mark.parametrize("model", FAMILY, ids=name_of)
with_laplacian = pytest.mark.parametrize("model", [*FAMILY, LAPLACIAN], ids=name_of)
by_pairs = pytest.mark.parametrize("model", SPLIT, ids=name_of)
classes = pytest.mark.parametrize("n_classes", [2, 3])


def blobs(n_classes=2, n=90, seed=0):
    X, y = make_blobs(n, centers=n_classes, cluster_std=3.0, random_state=seed)
    kept = (y > 0) | (np.arange(n) % 2 == 0)
    return X[kept], y[kept]


def tight(model, **options):
    return clone(model).set_params(tol=TIGHT, **options)


@family
def test_the_last_machine_solves_its_perturbed_dual(model):
    """The optimality gap on diag(s) K diag(s), written out, is the assertion."""
    X, y = blobs()
    fitted = tight(model, gamma=0.2).fit(X, y)
    target, full = np.where(y == fitted.classes_[1], 1.0, -1.0), np.zeros(y.size)
    full[fitted.support_] = fitted.dual_coef_[0]
    scale = np.exp(fitted.log_scale_[0])
    gram = scale[:, None] * rbf_kernel(X, gamma=0.2) * scale
    if not getattr(model, "retrain", True):
        gram = rbf_kernel(X, gamma=0.2)
    field = gram @ full
    assert optimality.violation_gap(field, target, 1.0, full) < SAME
    if getattr(model, "retrain", True):
        assert_allclose(field + fitted.intercept_[0], fitted.decision_function(X), atol=SAME)


@by_pairs
def test_one_vs_one_is_a_machine_per_pair(model):
    X, y = blobs(3)
    together = tight(model, gamma=0.2).fit(X, y)
    values = []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        own = (y == first) | (y == second)
        values.append(tight(model, gamma=0.2).fit(X[own], y[own]).decision_function(X))
    expected = one_vs_one_scores(np.column_stack(values), 3)
    assert_allclose(together.decision_function(X), expected, atol=SAME)
    assert_array_equal(together.predict(X), expected.argmax(axis=1))


@by_pairs
def test_one_vs_rest_is_a_machine_per_class(model):
    X, y = blobs(3)
    together = tight(model, gamma=0.2, multi_class="one_vs_rest").fit(X, y)
    values = [tight(model, gamma=0.2).fit(X, y == k).decision_function(X) for k in range(3)]
    assert_allclose(together.decision_function(X), np.column_stack(values), atol=SAME)


@with_laplacian
@classes
def test_weight_is_repetition_and_zero_is_absence(model, n_classes):
    X, y = blobs(n_classes)
    weight = np.random.default_rng(0).integers(0, 3, y.size)
    twice = np.repeat(np.arange(y.size), weight)
    weighted = tight(model).fit(X, y, weight)
    repeated = tight(model).fit(X[twice], y[twice])
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-5)
    assert np.all(weight[weighted.support_] > 0)
    assert_array_equal(weighted.log_scale_[:, weight == 0], 0.0)


@family
def test_class_weights_are_sample_weights(model):
    X, y = blobs()
    named = tight(model, class_weight={0: 2.0, 1: 0.5}, gamma=0.2).fit(X, y)
    if isinstance(model, ChiSquareKernelScalingSVC):  # sample weights count in its statistic
        assert np.abs(named.dual_coef_[:, y[named.support_] == 1]).max() <= 0.5
        return
    weighted = tight(model, gamma=0.2).fit(X, y, np.where(y == 0, 2.0, 0.5))
    if isinstance(model, BoundaryAlignmentSVC):  # and in the share of the negative class
        assert np.abs(named.dual_coef_[:, y[named.support_] == 1]).max() <= 0.5
        return
    weighted.set_params(pos_label=named.pos_label_).fit(X, y, np.where(y == 0, 2.0, 0.5))
    assert_allclose(named.decision_function(X), weighted.decision_function(X), atol=1e-5)


@family
@classes
def test_rotation_and_order_do_not_matter(model, n_classes):
    X, y = blobs(n_classes)
    X = np.c_[X, X[:, 0] * X[:, 1] / 10]
    turned = X @ special_ortho_group.rvs(3, random_state=0) + 5.0
    order = np.random.default_rng(0).permutation(y.size)
    first = tight(model, gamma=0.1).fit(X, y).decision_function(X)
    again = tight(model, gamma=0.1).fit(turned[order], y[order]).decision_function(turned)
    assert_allclose(first, again, atol=1e-5)


@with_laplacian
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_equals_dense(model, container):
    X, y = blobs(3)
    X = np.where(X > 0, X, 0.0)
    dense, thin = tight(model).fit(X, y), tight(model).fit(container(X), y)
    assert sparse.issparse(thin.support_vectors_)
    for fitted, points in ((thin, container(X)), (thin, X), (dense, container(X))):
        assert_allclose(fitted.decision_function(points), dense.decision_function(X), atol=1e-5)


@family
def test_rows_on_demand_give_the_same_machine(model):
    X, y = blobs(2, n=200)
    small = tight(model, cache_size=0.05).fit(X, y)  # MB: below 150 rows of doubles
    assert_allclose(
        small.decision_function(X), tight(model).fit(X, y).decision_function(X), atol=1e-5
    )


@with_laplacian
@classes
def test_blocks_of_rows_do_not_change_the_answers(model, n_classes, monkeypatch):
    X, y = blobs(n_classes)
    whole = tight(model).fit(X, y).decision_function(X)
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 5000)
    assert_allclose(tight(model).fit(X, y).decision_function(X), whole, atol=SAME)


@with_laplacian
def test_memory_of_a_prediction_is_bounded(model, monkeypatch):
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 2**17)
    X, y = blobs()
    fitted = clone(model).fit(X, y)
    peaks = []
    for n in (10_000, 20_000):
        rows = np.random.default_rng(0).normal(size=(n, 2))
        tracemalloc.start()
        fitted.predict(rows)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 10_000 * 8 * 4 + 2**17


@with_laplacian
@classes
def test_clone_and_pickle(model, n_classes):
    X, y = blobs(n_classes)
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    assert not hasattr(clone(fitted), "classes_")


@family
@pytest.mark.parametrize("labels", [["rare", "common", "odd"], [-1, 1, 5], [False, True]])
def test_labels_of_any_kind(model, labels):
    n_classes = len(labels)
    X, y = blobs(n_classes)
    names = np.array(labels)
    fitted = tight(model).fit(X, names[y])
    expected = tight(model).fit(X, y).predict(X)
    assert_array_equal(fitted.predict(X), names[expected])
    assert_array_equal(fitted.classes_, np.unique(names))


@family
def test_frames_and_their_column_names(model):
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["width", "height"])
    fitted = clone(model).fit(frame, y)
    assert_array_equal(fitted.feature_names_in_, ["width", "height"])
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["height", "width"]])


@family
@classes
def test_fitted_attributes_describe_the_machines(model, n_classes):
    X, y = blobs(n_classes)
    fitted = clone(model).fit(X, y)
    joint = isinstance(model, ChiSquareKernelScalingSVC)
    n_machines = 1 if n_classes == 2 else 3
    n_problems = 1 if joint else n_machines
    assert fitted.dual_coef_.shape == (n_machines, fitted.support_.size)
    assert fitted.intercept_.shape == (n_machines,)
    assert fitted.log_scale_.shape == (n_problems, y.size)
    assert fitted.n_perturbations_.shape == fitted.n_iter_.shape == (n_problems,)
    assert fitted.training_errors_.shape == (n_problems, fitted.n_perturbations_.max() + 1)
    assert_array_equal(fitted.support_vectors_, X[fitted.support_])
    assert_array_equal(fitted.n_support_, np.bincount(y[fitted.support_]))
    assert fitted.n_features_in_ == 2
    assert hasattr(fitted, "pos_label_") == (n_classes == 2)
    if n_classes == 2:
        assert fitted.pos_label_ == 0


@family
def test_refitting_leaves_nothing_behind(model):
    refitted = clone(model).fit(*blobs(2)).fit(*blobs(3))
    fresh = clone(model).fit(*blobs(3))
    assert vars(refitted).keys() == vars(fresh).keys()


@family
def test_an_unlucky_fit_leaves_the_last_machine_usable(model):
    X, y = blobs()
    fitted = clone(model).fit(X, y)
    before = fitted.decision_function(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        fitted.fit(X, np.zeros(y.size))
    assert_array_equal(fitted.decision_function(X), before)


@by_pairs
def test_the_positive_class_may_be_given(model):
    X, y = blobs()
    assert clone(model).set_params(pos_label=1).fit(X, y).pos_label_ == 1
    with pytest.raises(ValueError, match="pos_label=7"):
        clone(model).set_params(pos_label=7).fit(X, y)
    with pytest.raises(ValueError, match="pos_label=1 is for two classes"):
        clone(model).set_params(pos_label=1).fit(*blobs(3))


@family
def test_a_decision_of_zero_is_positive(model):
    """Two classes on the same points: nothing to tell them apart, and f = 0 everywhere."""
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), np.tile([0, 1], 4)
    fitted = clone(model).fit(X, y)
    assert np.all(fitted.decision_function(X) != 0)
    assert np.all(np.isfinite(fitted.decision_function(X)))


def odd_data():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(30, 2))
    few = np.r_[0, np.ones(29, dtype=int)]
    pair = np.r_[0, 0, np.ones(28, dtype=int)]
    half = np.arange(30) % 2
    return {
        "a class of one": (X, few),
        "a class of two": (X, pair),
        "one of each": (X[:2], np.array([0, 1])),
        "a constant column": (np.c_[X, np.ones(30)], half),
        "nothing but constants": (np.ones((30, 2)), half),
        "all rows alike but one": (np.r_[np.ones((29, 2)), [[2.0, 2.0]]], few[::-1]),
        "duplicates in both classes": (np.repeat(X[:3], 10, axis=0), half),
        "every row ten times": (np.repeat(X[:6], 10, axis=0), np.repeat([0, 1], 30)),
        "far apart": (X * 1e8, half),
        "close together": (X * 1e-8, half),
        "three classes, one of one": (X, np.r_[0, np.arange(29) % 2 + 1]),
    }


@with_laplacian
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", odd_data())
def test_odd_data_get_an_answer(model, C, kind):
    X, y = odd_data()[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = clone(model).set_params(C=C).fit(X, y)
        scores = fitted.decision_function(X)
    assert np.all(np.isfinite(scores))
    assert set(fitted.predict(X)) <= set(y)


def test_support_vectors_on_one_side_only_leave_the_machine_alone():
    """A tolerance above the margin learns nothing: no support vectors, and no rule can go on."""
    X, y = blobs()
    for model in (ConformalSVC(), ConformalSVC(rule="act"), BoundaryAlignmentSVC()):
        fitted = model.set_params(tol=10.0).fit(X, y)
        assert fitted.support_.size == 0
        assert_array_equal(fitted.n_perturbations_, 0)
        assert np.unique(fitted.decision_function(X)).size == 1


def test_a_point_beyond_all_bumps_gets_the_intercept():
    X, y = blobs()
    fitted = ConformalSVC(rule="wu_amari").fit(X, y)
    far = fitted.decision_function([[1e6, 1e6], [-1e150, 1e150]])
    assert_allclose(far, fitted.intercept_[0])


BAD = {
    "C": [0, -1.0, np.inf, np.nan, "1", None, True],
    "gamma": [0.0, -1, "wide", None],
    "class_weight": ["even", 3],
    "tol": [0, None],
    "max_iter": [0, 2.5, "many"],
    "cache_size": [0, "1 GB"],
    "multi_class": ["ovo", None],
    "n_iterations": [0, 2.5, None, True],
    "min_improvement": [-0.1, "small", np.nan, True],
    "keep_best": [1, "yes", None],
    "normalize": [0, "no"],
    "decay": [0, -1, None, "fast"],
    "decay_pos": [0, np.inf, True],
    "decay_neg": [-0.1, "fast"],
    "retrain": [1, None],
    "decay_rule": ["chi", None, 0.1],
    "counts": ["false", None],
    "pairs": ["some", 2],
    "beta": ["half", 0.4, 1.1, None, True],
    "rule": ["amari", None],
    "kernel": ["linear", None],
    "factor_length_scale": [0, "wide", None],
    "n_neighbors": [0, 1.5, "auto"],
    "distance": ["l2", None],
    "width_scope": ["any", None],
    "width_skew": ["strong", (1.0,), (1.0, -1.0), 2.0, None],
}
ESTIMATORS = sorted({type(model) for model in FAMILY}, key=lambda kind: kind.__name__)


class Untouchable:
    """Data that complain when somebody looks at them."""

    def __array__(self, *args, **options):
        raise AssertionError("the data were looked at")


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_bad_parameter_is_named_before_any_work(kind):
    names = set(inspect.signature(kind).parameters) - {"pos_label"}  # checked with the labels
    assert names <= set(BAD)
    for name in names:
        for value in BAD[name]:
            with pytest.raises(ValueError, match=r"is not allowed; it must be \S+") as caught:
                kind(**{name: value}).fit(Untouchable(), Untouchable())
            assert str(caught.value).startswith(name)


@pytest.mark.parametrize(
    ("model", "allowed"),
    [
        (ConformalSVC(factor_length_scale="wide"), "'auto' or a positive, finite number"),
        (ConformalSVC(width_skew="strong"), "'ratio', 'mild' or a pair of positive"),
        (ConformalSVC(width_skew=(1.0, -1.0)), "'ratio', 'mild' or a pair of positive"),
        (ChiSquareKernelScalingSVC(decay_rule="chi"), "'chi2', 'phi' or a dict from label"),
        (ChiSquareKernelScalingSVC(decay_rule=0.1), "'chi2', 'phi' or a dict from label"),
    ],
)
def test_a_refusal_names_words_and_numbers_alike(model, allowed):
    with pytest.raises(ValueError, match=f"it must be {allowed}"):
        model.fit(Untouchable(), Untouchable())


def test_the_laplacian_kernel_is_for_act():
    with pytest.raises(ValueError, match="rule='act'"):
        ConformalSVC(kernel="laplacian").fit(Untouchable(), Untouchable())


@with_laplacian
def test_skops_needs_trust_in_our_own_types_only(model):
    skops = pytest.importorskip("skops.io")
    X, y = blobs()
    fitted = clone(model).fit(X, y)
    data = skops.dumps(fitted)
    types = skops.get_untrusted_types(data=data)
    assert all(name.startswith("kpboost.") for name in types)
    again = skops.loads(data, trusted=types)
    assert_array_equal(again.decision_function(X), fitted.decision_function(X))


# scikit-learn's own checks of an estimator, one configuration per code path.
#
# No check is expected to fail.


CONFIGURATIONS = [
    ConformalSVC(),
    ConformalSVC(rule="wu_amari", multi_class="one_vs_rest", class_weight="balanced"),
    ConformalSVC(rule="act", kernel="laplacian", normalize=True, keep_best=True),
    BoundaryAlignmentSVC(),
    BoundaryAlignmentSVC(pairs="all", beta=0.6, n_iterations=2, min_improvement=None),
    KernelScalingSVC(decay=0.1, cache_size=0.01),  # MB: more than 36 points read rows on demand
    AsymmetricKernelScalingSVC(),
    ChiSquareKernelScalingSVC(),
    ChiSquareKernelScalingSVC(decay_rule="phi", counts="predicted", gamma="auto"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


# Chains of made-up stages, evaluated step by step beside the matrix written out.


draw = np.random.default_rng(0)
X, NEW = draw.normal(size=(12, 2)), draw.normal(size=(7, 2))
CODES = np.repeat([1, 0, 1], 4)
KERNEL = BaseKernel("rbf", 0.4)


@dataclass
class ByValue:
    """A factor that reads everything it may read."""

    rate: float
    n_anchors: int = 1

    def __call__(self, points, decision, log_scale):
        return -self.rate * decision[:, 0] ** 2 + 0.1 * points[:, 1] + 0.2 * log_scale


def made_up(rows, rates):
    """Stages with random coefficients; scales follow from the factors."""
    n, log_scale, stages, step = rows.size, np.zeros(rows.size), [], None
    for rate in (*rates, None):
        coef = draw.normal(size=(1, n)) * (draw.random(n) < 0.7)
        scale, intercept = np.exp(log_scale), draw.normal(size=1)
        gram = scale[:, None] * rbf_kernel(X[rows], gamma=0.4) * scale
        decision = (gram @ coef[0] + intercept)[:, None]
        stages.append(Stage(coef, intercept, decision, log_scale, 0.0, 1, True, step))
        if rate is not None:
            step = Step(ByValue(rate))
            log_scale = log_scale + step(X[rows], decision, log_scale)
    return stages


def literal(stages, rows, new):
    cross, log_scale = rbf_kernel(new, X[rows], gamma=0.4), np.zeros(len(new))
    for stage in stages:
        if stage.step is not None:
            log_scale = log_scale + stage.step(new, value[:, None], log_scale)  # noqa: F821
        here = np.exp(log_scale)[:, None] * cross * np.exp(stage.log_scale)
        value = here @ stage.dual_coef[0] + stage.intercept[0]
    return value


def test_new_points_pass_the_stages_in_order():
    all_rows = [np.arange(12), np.array([1, 4, 5, 9, 11])]
    stages = [made_up(all_rows[0], (0.1, 0.3)), made_up(all_rows[1], (0.2,))]
    signs = np.array([1.0, -1.0])
    machines, dual_coef = gather_chains(stages, all_rows, X, CODES, KERNEL, signs)
    values = machines.values(NEW)
    assert_allclose(values[:, 0], literal(stages[0], all_rows[0], NEW))
    assert_allclose(values[:, 1], -literal(stages[1], all_rows[1], NEW))
    for sign, rows, chain, coef in zip(signs, all_rows, stages, dual_coef, strict=True):
        full = np.zeros(12)
        full[rows] = sign * chain[-1].dual_coef[0]
        assert_array_equal(coef, full[machines.support])
    # Training points are where they were.
    assert_allclose(machines.values(X)[:, 0], stages[0][-1].decision[:, 0])


def test_support_vectors_are_those_of_all_stages_class_by_class():
    rows = np.arange(12)
    stages = [made_up(rows, (0.1, 0.3))]
    machines, _ = gather_chains(stages, [rows], X, CODES, KERNEL, np.ones(1))
    any_stage = np.any([stage.dual_coef[0] != 0 for stage in stages[0]], axis=0)
    assert_array_equal(np.sort(machines.support), rows[any_stage])
    order = np.lexsort((machines.support, CODES[machines.support]))
    assert_array_equal(order, np.arange(machines.support.size))


def test_a_value_of_zero_speaks_for_the_positive_side():
    stage = Stage(
        np.zeros((1, 12)), np.zeros(1), np.zeros((12, 1)), np.zeros(12), 0.0, 1, True, None
    )
    for sign in (1.0, -1.0):
        machines, _ = gather_chains([[stage]], [np.arange(12)], X, CODES, KERNEL, np.array([sign]))
        assert np.all(np.sign(machines.values(NEW)) == sign)
