"""DissimilaritySVC next to scikit-learn's pieces put together; weights, edges and bad input."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import DissimilaritySVC, _dissimilarity_svc as dissimilarity_svc
from kpboost.svm._dissimilarity_svc import Dissimilarities, dissimilarity_gamma
from support.degenerate_data import on_degenerate_data
from support.solver_checks import check_solved

NAMES = ["breast_cancer", "glass015vs2", "ecoli3", "new-thyroid", "wine"]


def scikit_learns(X, y, new, kernel, *, scaled):
    """Return decision values of D-SVM from scikit-learn alone."""
    svm = SVC(kernel=kernel, C=1.0, tol=1e-8)
    model = make_pipeline(StandardScaler(), svm) if scaled else svm
    model.fit(pairwise_distances(X), y)
    return model.decision_function(pairwise_distances(new, X))


@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "scaled"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("name", NAMES)
def test_equals_scikit_learns_pieces(load, name, kernel, scaled):
    X, y = load(name)
    train, new = slice(None, None, 2), slice(1, None, 2)
    model = DissimilaritySVC(kernel=kernel, scale_dissimilarities=scaled)
    ours = model.fit(X[train], y[train]).decision_function(X[new])
    theirs = scikit_learns(X[train], y[train], X[new], kernel, scaled=scaled)
    assert_allclose(ours, theirs, atol=2e-3)


def test_the_comparison_can_fail(load):
    X, y = load("ecoli3")
    ours = DissimilaritySVC(C=2.0).fit(X, y).decision_function(X)
    assert np.abs(ours - scikit_learns(X, y, X, "linear", scaled=False)).max() > 0.01


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_equal_repetition(load, kernel):
    X, y = load("glass0")
    weight = np.random.default_rng(0).integers(0, 3, size=y.size)
    rows = np.repeat(np.arange(y.size), weight)
    weighted = DissimilaritySVC(kernel=kernel, tol=1e-9).fit(X, y, sample_weight=weight)
    repeated = DissimilaritySVC(kernel=kernel, tol=1e-9).fit(X[rows], y[rows])
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_distances_do_not_know_directions(load):
    """Rotating and shifting the points changes nothing."""
    X, y = load("glass0")
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(X.shape[1], X.shape[1])))[0]
    plain = DissimilaritySVC().fit(X, y).decision_function(X)
    moved = X @ rotation + 3.0
    assert_allclose(DissimilaritySVC().fit(moved, y).decision_function(moved), plain, atol=1e-4)


def test_linear_coefficients(load):
    X, y = load("ecoli3")
    model = DissimilaritySVC().fit(X, y)
    expected = pairwise_distances(X) @ model.coef_[0] + model.intercept_[0]
    assert_allclose(model.decision_function(X), expected, atol=1e-8)
    assert not hasattr(model, "gamma_")
    model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.gamma_ > 0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_points_and_blocks_change_nothing(load, kernel, monkeypatch):
    X, y = load("new-thyroid")
    plain = DissimilaritySVC(kernel=kernel).fit(X, y).decision_function(X)
    thin = DissimilaritySVC(kernel=kernel).fit(sparse.csr_array(X), y)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), plain, atol=1e-4)
    monkeypatch.setattr(dissimilarity_svc, "BLOCK_BYTES", 8 * len(y) * 13)
    assert_allclose(DissimilaritySVC(kernel=kernel).fit(X, y).decision_function(X), plain)


def test_one_vs_rest_and_class_weights(load):
    X, y = load("new-thyroid")
    model = DissimilaritySVC(multi_class="one_vs_rest", class_weight="balanced").fit(X, y)
    assert model.decision_function(X).shape == (y.size, 3)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@on_degenerate_data
def test_degenerate_data_are_answered(X, y, kernel):
    for scaled in (False, True):
        model = DissimilaritySVC(kernel=kernel, scale_dissimilarities=scaled).fit(X, y)
        assert np.isin(model.predict(X), y).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1}, "C=-1"),
        ({"kernel": "poly"}, "kernel='poly'"),
        ({"gamma": "wide"}, "gamma='wide'"),
        ({"scale_dissimilarities": 1}, "scale_dissimilarities=1"),
        ({"multi_class": "ovr"}, "multi_class='ovr'"),
        ({"max_iter": 0}, "max_iter=0"),
    ],
)
def test_bad_parameters_are_refused_in_words(load, parameters, message):
    with pytest.raises(ValueError, match=message):
        DissimilaritySVC(**parameters).fit(*load("iris"))


def test_pickle_and_clone(load):
    X, y = load("iris")
    model = DissimilaritySVC(kernel="rbf").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()


# scikit-learn's own checks of an estimator; none is expected to fail.


CONFIGURATIONS = [
    DissimilaritySVC(),
    DissimilaritySVC(
        kernel="rbf",
        scale_dissimilarities=True,
        multi_class="one_vs_rest",
        class_weight="balanced",
    ),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


# Distances next to scikit-learn's; weights as repeated points; widths.


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(30, 4))


def test_distances_are_scikit_learns(points):
    space = Dissimilarities.to(points, np.ones(30), standardise=False)
    new = points[:7] + 0.1
    assert_allclose(space.vectors(new), pairwise_distances(new, points))
    assert_array_equal(np.diag(space.vectors(points)), 0.0)
    thin = Dissimilarities.to(sparse.csr_array(points), np.ones(30), standardise=False)
    assert_allclose(thin.vectors(sparse.csr_array(new)), pairwise_distances(new, points))


def test_standardised_columns_are_scikit_learns(points):
    distances = pairwise_distances(points)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=30)
    space = Dissimilarities.to(points, weight, standardise=True)
    expected = StandardScaler().fit(distances, sample_weight=weight).transform(distances)
    assert_allclose(space.vectors(points), expected, atol=1e-12)


def test_a_constant_column_stays_finite():
    space = Dissimilarities.to(np.array([[-1.0], [1.0], [1.0]]), np.ones(3), standardise=True)
    same = Dissimilarities.to(np.ones((3, 2)), np.ones(3), standardise=True)
    assert np.isfinite(space.vectors(space.points)).all()
    assert_array_equal(same.vectors(same.points), 0.0)


@pytest.mark.parametrize("standardise", [False, True])
def test_weights_are_repeated_points(points, standardise):
    weight = np.random.default_rng(1).integers(1, 4, size=30)
    repeated = np.repeat(points, weight, axis=0)
    ours = Dissimilarities.to(points, weight.astype(float), standardise=standardise)
    theirs = Dissimilarities.to(repeated, np.ones(len(repeated)), standardise=standardise)
    few, many = ours.vectors(points), theirs.vectors(points)
    assert_allclose(ours.repeated(few) @ ours.repeated(few).T, many @ many.T)
    for gamma in ("scale", "auto"):
        assert_allclose(
            dissimilarity_gamma(gamma, few, weight.astype(float)),
            dissimilarity_gamma(gamma, theirs.vectors(repeated), np.ones(len(repeated))),
        )


def test_width_is_scikit_learns(points):
    vectors = pairwise_distances(points)
    model = SVC(gamma="scale").fit(vectors, np.arange(30) % 2)
    assert dissimilarity_gamma("scale", vectors, np.ones(30)) == pytest.approx(model._gamma)
    assert dissimilarity_gamma("auto", vectors, np.ones(30)) == pytest.approx(1 / 30)
    assert dissimilarity_gamma(0.3, vectors, np.ones(30)) == 0.3
    assert dissimilarity_gamma("scale", np.zeros((3, 3)), np.ones(3)) == 1.0
