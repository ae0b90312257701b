import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from kpboost import KernelSVC
from kpboost.svm import KernelScalingSVC
from kpboost.svm._chi_square_kernel_scaling_svc import ClassDecay, chi_square_decays, phi_decays
from kpboost.svm._kernel_scaling_svc import Decay, SideDecay, winners
from kpboost.svm._perturbation import Problem, Stage
from support.reference.perturbed_kernels import kernel_scaling
from support.transcribed import NAMES, assert_transcribed, halves


@pytest.mark.parametrize("n_iterations", [1, 3])
@pytest.mark.parametrize(("C", "decay"), [(1.0, 0.1), (100.0, 0.02)])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_transcription(load, name, C, decay, n_iterations):
    model = KernelScalingSVC(C, decay=decay, n_iterations=n_iterations)
    assert_transcribed(load, name, model, kernel_scaling(decay, decay), n_iterations=n_iterations)


def test_the_comparison_can_fail(load):
    model = KernelScalingSVC(1.0, decay=0.1)
    with pytest.raises(AssertionError):
        assert_transcribed(load, "pima", model, kernel_scaling(0.2, 0.2), n_iterations=1)


def test_a_tiny_decay_leaves_the_plain_machine(load):
    X, y, new = halves(load, "pima")
    plain = KernelSVC(5.0).fit(X, y).decision_function(new)
    scaled = KernelScalingSVC(5.0, decay=1e-12).fit(X, y).decision_function(new)
    assert_allclose(scaled, plain, atol=1e-4)


def test_the_factor_is_read_off_the_first_machine(load):
    X, y, _ = halves(load, "pima")
    first = KernelSVC(5.0, tol=1e-9).fit(X, y).decision_function(X)
    model = KernelScalingSVC(5.0, decay=0.3, tol=1e-9).fit(X, y)
    assert_allclose(model.log_scale_[0], -0.3 * first**2, atol=1e-6)


def test_training_points_are_where_they_were(load):
    """A training point met again has the value that it was trained with."""
    X, y, _ = halves(load, "pima")
    model = KernelScalingSVC(decay=0.2, n_iterations=4).fit(X, y)
    wrong = np.mean(model.predict(X) != y)
    assert wrong == model.training_errors_[0, -1]
    assert_array_equal(model.n_perturbations_, [4])


counts = st.lists(st.integers(1, 1000), min_size=2, max_size=8).map(lambda c: np.array(c, float))


@given(counts)
def test_the_statistic_is_scipys(totals):
    statistic = chisquare(totals).statistic
    share = totals / totals.sum()
    assert_allclose(phi_decays(totals), share * statistic / totals.sum(), atol=1e-12)
    if statistic > 0:
        expected = totals.sum() / totals.size
        parts = (totals - expected) ** 2 / expected
        assert_allclose(chi_square_decays(totals), share * parts / statistic, atol=1e-12)
    else:
        assert_array_equal(chi_square_decays(totals), 0.0)


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_two_classes_have_half_their_share(rare, common):
    totals = np.array([rare, common], float)
    if rare != common:
        assert_allclose(chi_square_decays(totals), totals / totals.sum() / 2)


@given(counts, st.floats(0.01, 100))
def test_only_shares_count(totals, factor):
    for rule in (chi_square_decays, phi_decays):
        assert_allclose(rule(factor * totals), rule(totals), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rule", [chi_square_decays, phi_decays])
def test_balance_leaves_no_decay(rule):
    assert_allclose(rule(np.full(7, 0.1)), 0.0, atol=1e-15)


def test_a_class_that_is_never_predicted_has_no_decay():
    assert chi_square_decays(np.array([0.0, 10.0, 5.0]))[0] == 0.0


def test_sides_by_the_sign_with_zero_positive():
    rule = SideDecay(decay_pos=0.5, decay_neg=2.0)
    factor = rule(None, None)
    decision = np.array([[3.0], [0.0], [-2.0]])
    assert_allclose(factor(None, decision, None), [-0.5 * 9, 0.0, -2.0 * 4])
    assert_array_equal(winners(decision), [[False, True], [False, True], [True, False]])


def test_classes_by_the_largest_value_and_ties_by_the_smallest_decay():
    factor = Decay(np.array([1.0, 2.0, 3.0]))
    decision = np.array([[0.5, -1.0, -1.0], [-2.0, -1.0, -1.0 + 1e-9], [-3.0, -3.0, 4.0]])
    assert_allclose(factor(None, decision, None), [-0.25, -2.0, -48.0])


@pytest.mark.filterwarnings("error")
def test_a_decay_beyond_all_numbers_leaves_nothing():
    factor = SideDecay(1e300, 1e300)(None, None)
    assert_array_equal(factor(None, np.array([[0.0], [1e10]]), None), [0.0, -np.inf])


def test_weights_of_classes_true_and_predicted():
    target = np.array([[1.0, -1.0, -1.0]] * 3 + [[-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    decision = np.array([[0.0, 1.0, -1.0]] * 4 + [[-1.0, -1.0, -2.0]])
    problem = Problem(None, target, np.ones(5), np.array([1.0, 1.0, 2.0, 3.0, 4.0]))
    stage = Stage(None, None, decision, None, 0.0, 0, True, None)
    assert_array_equal(ClassDecay(lambda totals: totals)(problem, stage).decays, [4, 3, 4])
    predicted = ClassDecay(lambda totals: totals, from_predictions=True)(problem, stage)
    assert_array_equal(predicted.decays, [2, 9, 0])  # the last point ties two classes
