import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost import KernelSVC
from kpboost.svm import KernelScalingSVC
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
