import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from kpboost.svm._perturbation import BaseKernel, distances

draw = np.random.default_rng(0)
X, Z = draw.normal(size=(9, 3)), draw.normal(size=(5, 3))
PEERS = {"rbf": rbf_kernel, "laplacian": laplacian_kernel}


@pytest.mark.parametrize("name", PEERS)
def test_values_are_scikit_learns(name):
    kernel = BaseKernel(name, 0.3)
    assert_allclose(kernel(X, Z), PEERS[name](X, Z, gamma=0.3), rtol=1e-10)
    coef = draw.normal(size=(2, 5))
    assert_allclose(kernel.sums(X, Z, coef), PEERS[name](X, Z, gamma=0.3) @ coef.T, rtol=1e-10)


@pytest.mark.parametrize("name", PEERS)
def test_gram_matrices_of_some_rows(name):
    rows = np.array([0, 2, 3, 7])
    gram = BaseKernel(name, 0.3).grams(X, 100.0)(rows)
    assert_allclose(gram.array, PEERS[name](X[rows], gamma=0.3), rtol=1e-10)


@pytest.mark.parametrize(("kind", "peer"), [("sqeuclidean", "sqeuclidean"), ("l1", "cityblock")])
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_distances_are_scipys(kind, peer, index_type):
    expected = cdist(X, Z, peer)
    assert_allclose(distances(X, Z, kind), expected, atol=1e-12)
    thin = sparse.csr_array(X)
    thin.indices, thin.indptr = thin.indices.astype(index_type), thin.indptr.astype(index_type)
    assert_allclose(distances(thin, sparse.csr_array(Z), kind), expected, atol=1e-12)
