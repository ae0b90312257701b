from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from kpboost import KernelSVC
from kpboost.model_selection._grids import PERTURBATION_STEPS
from kpboost.svm import AsymmetricKernelScalingSVC, KernelScalingSVC, decay_pair_predictions
from support.reference.perturbed_kernels import kernel_scaling
from support.transcribed import NAMES, assert_transcribed, halves


@pytest.mark.parametrize("retrain", [False, True])
@pytest.mark.parametrize(("C", "decays"), [(1.0, (0.001, 0.1)), (100.0, (0.05, 0.01))])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_transcription(load, name, C, decays, retrain):
    pos, neg = decays
    model = AsymmetricKernelScalingSVC(C, decay_pos=pos, decay_neg=neg, retrain=retrain)
    factor = kernel_scaling(pos, neg)
    assert_transcribed(load, name, model, factor, n_iterations=1, retrain=retrain)


def test_the_sides_can_be_told_apart(load):
    model = AsymmetricKernelScalingSVC(decay_pos=0.01, decay_neg=0.2)
    factor = kernel_scaling(0.2, 0.01)
    with pytest.raises(AssertionError):
        assert_transcribed(load, "pima", model, factor, n_iterations=1, retrain=False)


def test_without_training_again_the_machine_is_the_plain_one(load):
    X, y, _ = halves(load, "pima")
    plain = KernelSVC(3.0).fit(X, y)
    model = AsymmetricKernelScalingSVC(3.0, decay_neg=0.5).fit(X, y)
    assert_allclose(model.dual_coef_, plain.dual_coef_)
    assert_allclose(model.intercept_, plain.intercept_)
    assert np.isnan(model.training_errors_[0, 1])


def test_equal_decays_and_training_again_are_kernel_scaling(load):
    X, y, new = halves(load, "pima")
    both = AsymmetricKernelScalingSVC(decay_pos=0.1, decay_neg=0.1, retrain=True).fit(X, y)
    one = KernelScalingSVC(decay=0.1).fit(X, y)
    assert_allclose(both.decision_function(new), one.decision_function(new), atol=1e-12)


def test_a_large_decay_leaves_the_intercept(load):
    """Where D is next to 0 the intercept alone is left: that is how a side loses its points."""
    X, y, new = halves(load, "pima")
    model = AsymmetricKernelScalingSVC(100.0, decay_pos=1e-6, decay_neg=1e6).fit(X, y)
    plain = KernelSVC(100.0).fit(X, y)
    side = 1 if model.classes_[1] == model.pos_label_ else -1
    far = side * plain.decision_function(new) < -0.1
    assert far.any()
    assert_allclose(model.decision_function(new)[far], model.intercept_[0])


@pytest.mark.parametrize("given", ["first", "others"])
def test_the_positive_class_has_the_positive_decay(load, given):
    X, y, _ = halves(load, "wine")
    model = AsymmetricKernelScalingSVC(decay_pos=0.2, decay_neg=0.001, pos_label=given).fit(X, y)
    assert model.pos_label_ == given
    first = KernelSVC().fit(X, y).predict(X)
    factor = -model.log_scale_[0]
    assert factor[first == given].mean() > 20 * factor[first != given].mean()


def test_one_branch_may_stay_unused(load):
    """A machine that answers one class everywhere: D is by one decay, and nothing breaks."""
    X, y, new = halves(load, "ecoli3")
    model = AsymmetricKernelScalingSVC(1e-4, decay_pos=0.1, decay_neg=0.2).fit(X, y)
    assert np.unique(KernelSVC(1e-4).fit(X, y).predict(X)).size == 1
    assert np.all(np.isfinite(model.decision_function(new)))


def test_a_rough_machine_is_scaled_as_all_pairs_are(load):
    """Nothing is trained on the new kernel, so that a solve without an end is no obstacle."""
    X, y, new = halves(load, "pima")
    model = AsymmetricKernelScalingSVC(100.0, decay_pos=0.02, decay_neg=1.0, max_iter=5)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert_array_equal(model.n_perturbations_, 1)
    pairs = decay_pair_predictions(model, new, [0.02], [1.0])
    assert_array_equal(model.predict(new), pairs[0, 0])


# CPU seconds for one machine and all 1,369 pairs on one core at n = 1,000; measured: 0.2.
MOST_SECONDS = 2.0


def some_pairs(n_pos, n_neg, count=25, seed=0):
    draw = np.random.default_rng(seed)
    return zip(draw.integers(n_pos, size=count), draw.integers(n_neg, size=count), strict=True)


def assert_pairs(model, X, y, new, decays_pos, decays_neg):
    table = decay_pair_predictions(model.fit(X, y), new, decays_pos, decays_neg)
    assert table.shape == (len(decays_pos), len(decays_neg), len(new))
    for i, j in some_pairs(len(decays_pos), len(decays_neg)):
        model.set_params(decay_pos=decays_pos[i], decay_neg=decays_neg[j])
        assert_array_equal(table[i, j], model.fit(X, y).predict(new))
    return table


@pytest.mark.parametrize("name", ["pima", "glass0", "ecoli3", "breast_cancer"])
def test_every_pair_is_what_its_own_model_predicts(load, name):
    X, y, new = halves(load, name)
    table = assert_pairs(
        AsymmetricKernelScalingSVC(100.0), X, y, new, PERTURBATION_STEPS, PERTURBATION_STEPS
    )
    assert np.unique(table.reshape(-1, len(new)), axis=0).shape[0] > 10


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_pairs_of_many_classes(load, multi_class):
    X, y = load("digits")
    model = AsymmetricKernelScalingSVC(10.0, multi_class=multi_class, class_weight="balanced")
    table = assert_pairs(model, X[::2], y[::2], X[1::2], (0.001, 0.1, 1.0), (0.01, 0.3))
    assert np.any(table[0, 0] != table[2, 1])


def test_a_given_positive_class_and_sparse_points(load):
    from scipy import sparse

    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC(10.0, pos_label="others")
    dense = assert_pairs(model, X, y, new, (0.01, 0.5), (0.01, 0.5, 1.0))
    model.fit(sparse.csr_array(X), y)
    again = decay_pair_predictions(model, sparse.csr_array(new), (0.01, 0.5), (0.01, 0.5, 1.0))
    assert_array_equal(dense, again)


def test_no_decay_at_all_is_the_plain_machine(load):
    from kpboost import KernelSVC

    X, y, new = halves(load, "pima")
    table = decay_pair_predictions(AsymmetricKernelScalingSVC().fit(X, y), new, [0.0], [0.0])
    assert_array_equal(table[0, 0], KernelSVC().fit(X, y).predict(new))


def test_all_pairs_take_no_longer_than_a_few_fits():
    X, y = make_classification(1250, 10, flip_y=0.1, weights=[0.9], random_state=0)
    begun = process_time()
    model = AsymmetricKernelScalingSVC(100.0).fit(X[:1000], y[:1000])
    decay_pair_predictions(model, X[1000:], PERTURBATION_STEPS, PERTURBATION_STEPS)
    assert process_time() - begun < MOST_SECONDS


@pytest.mark.parametrize("bad", [[], [[0.1]], [0.1, np.nan], [-0.1], 0.1])
def test_bad_decays_are_named(load, bad):
    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC().fit(X, y)
    with pytest.raises(ValueError, match="decays_neg"):
        decay_pair_predictions(model, new, [0.1], bad)


def test_a_machine_that_is_trained_again_has_no_pairs(load):
    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC(retrain=True).fit(X, y)
    with pytest.raises(ValueError, match="retrain=True"):
        decay_pair_predictions(model, new, [0.1], [0.1])
    assert not hasattr(KernelScalingSVC(), "retrain")
