"""Sparse matrices whose indices point outside: compiled code would follow them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import kpboost
from kpboost import kernels, svm
from kpboost._validation import well_formed
from kpboost.methods import MethodClassifier

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 6)) * (RNG.random((40, 6)) < 0.5)
LABELS = np.repeat([0, 1], 20)


def good():
    return sparse.csr_matrix(POINTS)


def column_beyond(matrix):
    matrix.indices[3] = 10**8
    return matrix


def negative_column(matrix):
    matrix.indices[3] = -(10**8)
    return matrix


def pointer_beyond(matrix):
    matrix.indptr[5] = 10**8
    return matrix


def falling_pointers(matrix):
    matrix.indptr[[3, 4]] = matrix.indptr[[4, 3]]
    return matrix


def short_values(matrix):
    matrix.data = matrix.data[:4]
    return matrix


def as_coo(matrix):
    matrix = matrix.tocoo()
    matrix.row[2] = 10**8
    return matrix


def as_csc(matrix):
    matrix = matrix.tocsc()
    matrix.indices[2] = 10**8
    return matrix


FORGED = [column_beyond, negative_column, pointer_beyond, falling_pointers, short_values]
FORGED += [as_coo, as_csc]
MODELS = [
    kpboost.svm.KernelSVC(),
    kpboost.KPBoostSVC(n_estimators=2),
    kpboost.KPBoostSVCCV(Cs=(1.0,), perturbation_steps=(0.1,), cv=2),
    kpboost.AdaBoostSVC(),
    svm.ConformalSVC(),
    svm.DissimilaritySVC(),
    svm.KernelScalingSVC(),
    kpboost.RUSBoostM2Classifier(DecisionTreeClassifier(max_depth=1), n_estimators=2),
    MethodClassifier("svm"),
]
REFUSED = pytest.raises(ValueError, match=r"X is a sparse matrix with indices out of range: .*\.$")


@pytest.mark.parametrize("forge", FORGED)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_estimators_refuse_indices_out_of_range(model, forge):
    with REFUSED:
        model.fit(forge(good()), LABELS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_fitted_estimators_refuse_them_too(model):
    if not get_tags(model).input_tags.sparse:
        pytest.skip("its learner takes no sparse points in this version of scikit-learn")
    model.fit(good(), LABELS)
    assert model.predict(good()).shape == (40,)
    for forge in FORGED:
        with REFUSED:
            model.predict(forge(good()))


@pytest.mark.parametrize("forge", FORGED)
def test_disjuncts_and_kernels_refuse_them(forge):
    finder = kpboost.DisjunctFinder().fit(good(), LABELS)
    calls = [
        lambda X: kpboost.DisjunctFinder().fit(X, LABELS),
        lambda X: finder.predict(X, LABELS),
        kernels.squared_distances,
        lambda X: kernels.squared_distances(POINTS, X),
        lambda X: kernels.rbf_kernel(X, gamma=1.0),
        lambda X: kernels.resolve_gamma("scale", X),
        lambda X: kernels.rbf_decision(
            X, POINTS, gamma=1.0, coef=np.ones((1, 40)), intercept=np.zeros(1)
        ),
    ]
    for call in calls:
        with REFUSED:
            call(forge(good()))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_good_matrices_pass_as_they_are(kind):
    matrix = good().asformat(kind)
    assert well_formed(matrix) is matrix
    assert well_formed(POINTS) is POINTS


@pytest.mark.skipif(not hasattr(sparse.coo_array((2, 2)), "coords"), reason="needs scipy 1.13")
@pytest.mark.parametrize("shape", [(6,), (2, 3, 4)])
def test_other_dimensions_are_left_to_scikit_learn(shape):
    try:
        array = sparse.coo_array(np.ones(shape))
    except (TypeError, ValueError):
        pytest.skip(f"this scipy has no sparse arrays of {len(shape)} dimensions")
    with pytest.raises((ValueError, TypeError)) as refused:
        svm.KernelSVC().fit(array, np.repeat([0, 1], shape[0] // 2))
    assert "out of range" not in str(refused.value)


def test_a_check_leaves_the_matrix_alone():
    matrix = good()
    matrix.data = np.append(matrix.data, 7.0)  # room that no pointer leads to
    matrix.indices = np.append(matrix.indices, 0).astype(np.int32)
    well_formed(matrix)
    assert matrix.data.size == good().nnz + 1
