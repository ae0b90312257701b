import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from kpboost import KernelSVC
from kpboost.svm import AsymmetricKernelScalingSVC, ChiSquareKernelScalingSVC
from support.reference.perturbed_kernels import chi_square, kernel_scaling
from support.transcribed import NAMES, assert_transcribed, gamma_of, halves


def many(load, name):
    X, y = load(name)
    return X[::2], y[::2], X[1::2]


@pytest.mark.parametrize("counts", ["true", "predicted"])
@pytest.mark.parametrize("rule", ["chi2", "phi"])
@pytest.mark.parametrize("name", ["wine", "digits", "new-thyroid", "balance"])
def test_many_classes_equal_the_transcription(load, name, rule, counts):
    X, y, new = many(load, name)
    gamma = gamma_of(X)
    model = ChiSquareKernelScalingSVC(10.0, gamma=gamma, decay_rule=rule, counts=counts, tol=1e-9)
    ours = model.fit(X, y).decision_function(new)
    K, K_new = rbf_kernel(X, gamma=gamma), rbf_kernel(new, X, gamma=gamma)
    codes = np.searchsorted(model.classes_, y)
    theirs = chi_square(K, K_new, codes, C=10.0, n_iterations=3, rule=rule, counts=counts)
    assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_two_classes_equal_the_transcription(load, name):
    """Two classes share chi2 equally: k_c = n_c / (2 n), by the predicted side."""
    _, y, _ = halves(load, name)
    share = np.unique(y, return_counts=True)[1] / y.size
    factor = kernel_scaling(share.min() / 2, share.max() / 2)
    model = ChiSquareKernelScalingSVC(10.0, n_iterations=2)
    assert_transcribed(load, name, model, factor, n_iterations=2)
    assert_allclose(np.sort(model.decays_), np.sort(share) / 2)
    assert model.decays_[model.classes_ == model.pos_label_] == model.decays_.min()


def test_one_pass_by_given_decays_is_asymmetric_scaling(load):
    X, y, new = halves(load, "pima")
    labels = np.unique(y)
    for pos, neg in (labels, labels[::-1]):
        asymmetric = AsymmetricKernelScalingSVC(decay_pos=0.02, decay_neg=0.3, retrain=True)
        asymmetric.fit(X, y)
        if asymmetric.pos_label_ != pos:
            continue
        rule = {pos: 0.02, neg: 0.3}
        given = ChiSquareKernelScalingSVC(n_iterations=1, decay_rule=rule).fit(X, y)
        assert_allclose(given.decision_function(new), asymmetric.decision_function(new))
        assert_array_equal(given.decays_, [rule[label] for label in given.classes_])


def test_balanced_classes_leave_the_kernel_alone(load):
    X, y, new = many(load, "iris")
    model = ChiSquareKernelScalingSVC(tol=1e-9).fit(X, y)
    assert_array_equal(model.decays_, 0.0)
    plain = KernelSVC(multi_class="one_vs_rest", tol=1e-9).fit(X, y)
    assert_allclose(model.decision_function(new), plain.decision_function(new), atol=1e-6)


def test_balance_by_weights_counts(load):
    X, y, _ = many(load, "wine")
    weight = 1.0 / np.bincount(y)[y]
    model = ChiSquareKernelScalingSVC(C=50.0).fit(X, y, weight)
    assert_array_equal(model.decays_, 0.0)


def test_decays_do_not_grow_with_the_data(load):
    """Raw chi2 would: twice the data doubles it."""
    X, y, _ = many(load, "wine")
    for rule in ("chi2", "phi"):
        once = ChiSquareKernelScalingSVC(decay_rule=rule).fit(X, y)
        twice = ChiSquareKernelScalingSVC(decay_rule=rule).fit(np.r_[X, X], np.r_[y, y])
        assert_allclose(once.decays_, twice.decays_)


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ({0: 0.1, 1: 0.1}, r"no number for the class\(es\) \[2\]"),
        ({0: 0.1, 1: -0.1, 2: 0.1}, "at least 0"),
        ({0: 0.1, 1: "much", 2: 0.1}, "at least 0"),
    ],
)
def test_a_mapping_names_every_class(load, rule, complaint):
    X, y, _ = many(load, "wine")
    with pytest.raises(ValueError, match=complaint):
        ChiSquareKernelScalingSVC(decay_rule=rule).fit(X, y)


@pytest.mark.parametrize("name", ["wine", "pima"])
def test_a_solve_that_does_not_converge_leaves_the_kernel_alone(load, name):
    X, y, new = many(load, name)
    with pytest.warns(ConvergenceWarning):
        model = ChiSquareKernelScalingSVC(max_iter=1).fit(X, y)
    assert_array_equal(model.n_perturbations_, 0)
    assert_array_equal(model.decays_, np.zeros(model.classes_.size))
    assert set(model.predict(new)) <= set(model.classes_)
