"""Fused prediction next to SVC.decision_function and to the product with a whole kernel block."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kpboost.kernels import rbf_decision
from support.patience import CtrlC, worked

SIZES = st.integers(1, 13) | st.sampled_from([63, 64, 65, 511, 512, 513])


def machine(n_sv, d, n_machines, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "support_vectors": rng.normal(size=(n_sv, d)),
        "gamma": 0.3,
        "coef": rng.normal(size=(n_machines, n_sv)),
        "intercept": rng.normal(size=n_machines),
    }


def points(n, d, seed=9):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("as_input", [np.asarray, sparse.csr_matrix])
def test_agrees_with_svc(as_input):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    svc = SVC(C=10, gamma=0.02).fit(X, y)
    decision = rbf_decision(
        as_input(X),
        as_input(svc.support_vectors_),
        gamma=0.02,
        coef=svc.dual_coef_,
        intercept=svc.intercept_,
    )
    np.testing.assert_allclose(decision[:, 0], svc.decision_function(X), atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(SIZES, SIZES, st.integers(1, 9) | st.just(130), st.integers(1, 5) | st.integers(22, 60))
def test_agrees_with_the_whole_block_for_all_shapes(n, n_sv, d, n_machines):
    X, parts = points(n, d), machine(n_sv, d, n_machines)
    block = sklearn_rbf_kernel(X, parts["support_vectors"], parts["gamma"])
    expected = block @ parts["coef"].T + parts["intercept"]
    np.testing.assert_allclose(rbf_decision(X, **parts), expected, atol=1e-11)


@pytest.mark.parametrize("n_machines", [3, 41])
def test_a_row_does_not_depend_on_its_company(n_machines):
    X, parts = points(71, 5), machine(777, 5, n_machines)
    together = rbf_decision(X, **parts)
    alone = np.vstack([rbf_decision(x[None], **parts) for x in X])
    assert np.array_equal(together, alone)


def test_a_machine_does_not_depend_on_its_company():
    X, parts = points(6, 5), machine(100, 5, 3)
    together = rbf_decision(X, **parts)
    for t in range(3):
        own = {"coef": parts["coef"][t : t + 1], "intercept": parts["intercept"][t : t + 1]}
        assert np.array_equal(rbf_decision(X, **(parts | own))[:, 0], together[:, t])


def test_nor_does_one_of_many_machines_on_the_others():
    X, parts = points(6, 5), machine(100, 5, 90)
    together = rbf_decision(X, **parts)
    for some in (slice(0, 24), slice(7, 40), slice(61, 90)):
        own = {"coef": parts["coef"][some], "intercept": parts["intercept"][some]}
        assert np.array_equal(rbf_decision(X, **(parts | own)), together[:, some])


def test_no_machine_gives_no_column():
    assert rbf_decision(points(4, 2), **machine(5, 2, 0)).shape == (4, 0)


@pytest.mark.parametrize("mixed", ["X", "support_vectors"])
def test_mixed_sparse_and_dense(mixed):
    inputs = {"X": points(23, 6), **machine(17, 6, 2)}
    expected = rbf_decision(**inputs)
    inputs[mixed] = sparse.csc_matrix(inputs[mixed])
    np.testing.assert_allclose(rbf_decision(**inputs), expected, atol=1e-11)


REFUSED = [
    ({"coef": np.ones((2, 4))}, r"coef has shape \(2, 4\); it must be \(T, 5\)"),
    ({"coef": np.ones(5)}, r"coef has shape \(5,\)"),
    ({"coef": np.full((2, 5), np.nan)}, "coef contains NaN"),
    ({"intercept": np.ones(3)}, r"intercept has shape \(3,\); it must be \(2,\)"),
    ({"intercept": 0.0}, "intercept has shape"),
    ({"X": np.ones((2, 4))}, "X and support_vectors have 4 and 3 features"),
    ({"support_vectors": np.ones((0, 3))}, "support_vectors has shape"),
    ({"gamma": 0.0}, "gamma is 0.0"),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED)
def test_bad_input_gets_a_sentence(change, sentence):
    inputs = {"X": points(2, 3), **machine(5, 3, 2)} | change
    with pytest.raises(ValueError, match=sentence):
        rbf_decision(**inputs)


MEMORY = """
import resource, sys
import numpy as np
from scipy import sparse
from kpboost.kernels import rbf_decision
n, n_sv, as_input = {n}, {n_sv}, {as_input}
rng = np.random.default_rng(0)
X = as_input(rng.normal(size=(n, 2)) * (rng.uniform(size=(n, 2)) < 0.5))
parts = dict(gamma=1.0, coef=np.ones((2, n_sv)), intercept=np.zeros(2))
rbf_decision(X[:8], X[:n_sv], **parts)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rbf_decision(X, X[:n_sv], **parts)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from the resource module")
@pytest.mark.parametrize(
    ("n", "n_sv", "as_input", "limit_mb"),
    [(150_000, 1000, "np.asarray", 20), (20_000, 2500, "sparse.csr_array", 250)],
)
def test_memory_does_not_grow_with_the_block(n, n_sv, as_input, limit_mb):
    script = MEMORY.format(n=n, n_sv=n_sv, as_input=as_input)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 8 * n * n_sv > 1.5 * limit_mb * 2**20  # the block would break the limit
    assert int(run.stdout) < limit_mb * 2**20


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill cannot send SIGINT there")
def test_ctrl_c_stops_a_long_prediction():
    X, parts = points(200_000, 5), machine(20_000, 5, 1)
    press = CtrlC(worked(0.2))
    with pytest.raises(KeyboardInterrupt), press:
        rbf_decision(X, **parts)
    assert press.work_after < 1.0
    assert rbf_decision(X[:1], **parts).shape == (1, 1)
