import numpy as np
import pytest

from kpboost.svm import BoundaryAlignmentSVC
from support.reference.perturbed_kernels import boundary_alignment
from support.transcribed import NAMES, assert_transcribed, halves


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_transcription(load, name, C):
    model = BoundaryAlignmentSVC(C)
    assert_transcribed(load, name, model, boundary_alignment(), n_iterations=10, theta=0.0)


@pytest.mark.parametrize("pairs", ["nearest", "all"])
@pytest.mark.parametrize("beta", ["log_loss", "ratio", 0.5, 0.8, 1.0])
def test_every_switch_equals_the_transcription(load, pairs, beta):
    model = BoundaryAlignmentSVC(100.0, pairs=pairs, beta=beta, n_iterations=2)
    model.set_params(min_improvement=None)
    factor = boundary_alignment(pairs, beta)
    assert_transcribed(load, "thyroid1", model, factor, n_iterations=2)


@pytest.mark.parametrize("pairs", ["nearest", "all"])
@pytest.mark.parametrize("beta", ["log_loss", 0.5, 1.0])
def test_widths_by_other_boundary_points_equal_the_transcription(load, pairs, beta):
    model = BoundaryAlignmentSVC(100.0, pairs=pairs, beta=beta, width_scope="boundary")
    model.set_params(n_iterations=2, min_improvement=None)
    factor = boundary_alignment(pairs, beta, "boundary")
    assert_transcribed(load, "thyroid1", model, factor, n_iterations=2)


def test_the_scopes_can_be_told_apart(load):
    model, factor = BoundaryAlignmentSVC(100.0, width_scope="boundary"), boundary_alignment()
    with pytest.raises(AssertionError):
        assert_transcribed(load, "thyroid1", model, factor, n_iterations=10, theta=0.0)


def test_the_switches_can_be_told_apart(load):
    model, factor = BoundaryAlignmentSVC(100.0, beta=0.5), boundary_alignment(beta=0.9)
    with pytest.raises(AssertionError):
        assert_transcribed(load, "thyroid1", model, factor, n_iterations=10, theta=0.0)


def test_two_points_by_hand():
    """The boundary point is half-way, and its width the squared distance of both: D = 1/e."""
    model = BoundaryAlignmentSVC(beta=0.5, n_iterations=1, gamma=0.7).fit([[0.0], [1.0]], [0, 1])
    assert np.allclose(model.log_scale_, -1.0)
    # At x = 1/2, |Phi(x) - Phi(x_b)|^2 = 1 - 2 K(x,p) + (1 + K(p,q)) / 2.
    (step,) = model._machines.chains[0].steps
    near, apart = np.exp(-0.7 / 4), np.exp(-0.7)
    expected = -(1.0 - 2.0 * near + (1.0 + apart) / 2.0) / ((1.0 - apart) / 2.0)
    log_factor = step(np.array([[0.5]]), np.zeros((1, 1)), np.zeros(1))
    assert np.allclose(log_factor, expected)
    assert log_factor > -1.0  # magnified more than at the points themselves


def test_all_pairs_of_many_support_vectors_in_bounded_memory(load, monkeypatch):
    X, y, new = halves(load, "pima")
    model = BoundaryAlignmentSVC(pairs="all", n_iterations=1).fit(X, y)
    whole = model.decision_function(new)
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 2**16)
    blocks = BoundaryAlignmentSVC(pairs="all", n_iterations=1).fit(X, y).decision_function(new)
    assert np.allclose(whole, blocks, atol=1e-9)
