"""AdaBoostMLPClassifier: the loop it runs, its three versions, weights and bad input."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

from kpboost.ensemble import AdaBoostMLPClassifier
from support.degenerate_data import on_degenerate_data
from support.reference.adaboost_m2 import adaboost_m2

needs_weights = pytest.mark.skipif(
    not has_fit_parameter(MLPClassifier, "sample_weight"), reason="needs scikit-learn 1.7"
)
VERSIONS = ["E", "R", pytest.param("W", marks=needs_weights)]


def small(**parameters):
    return AdaBoostMLPClassifier(
        **{"hidden_units": 4, "n_estimators": 4, "n_epochs": 15, "random_state": 0, **parameters}
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["new-thyroid", "glass0"])
def test_errors_votes_and_answers_are_the_transcriptions(load, name, version):
    """Whatever the networks learned, boosting must have judged them as AdaBoost.M2 does."""
    X, y = load(name)
    model = small(version=version).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    hypotheses = np.array([network.predict_proba(X) for network in model.estimators_])
    theirs = adaboost_m2(codes, model.classes_.size, hypotheses)
    assert_allclose(model.estimator_errors_, theirs.errors, rtol=1e-9)
    assert_allclose(model.estimator_weights_, theirs.votes, rtol=1e-9)
    assert_array_equal(model.predict(X), model.classes_[theirs.H])


@pytest.mark.parametrize("version", VERSIONS)
def test_learns(load, version):
    X, y = load("wine")
    assert small(version=version).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_boosting_beats_its_first_network_on_the_training_points(load):
    X, y = load("glass0")
    model = small(n_estimators=8, n_epochs=40).fit(X, y)
    stages = [np.mean(answers == y) for answers in model.staged_predict(X)]
    assert len(stages) == len(model.estimators_)
    assert stages[-1] > stages[0]


def test_the_seed_decides(load):
    X, y = load("iris")
    first, again, other = (
        small(random_state=seed).fit(X, y).predict_proba(X) for seed in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-6


def test_a_point_without_weight_is_absent(load):
    X, y = load("iris")
    weight = np.arange(y.size) % 3 > 0
    weighted = small().fit(X, y, sample_weight=weight)
    absent = small().fit(X[weight], y[weight])
    assert_array_equal(weighted.predict_proba(X), absent.predict_proba(X))


def test_heavy_points_are_learned(load):
    """Weight on the rare class draws the answers towards it."""
    X, y = load("ecoli3")
    labels, sizes = np.unique(y, return_counts=True)
    rare = labels[sizes.argmin()]
    weight = np.where(y == rare, 20.0, 1.0)
    plain, heavy = small(n_estimators=1).fit(X, y), small(n_estimators=1).fit(X, y, weight)
    assert np.sum(heavy.predict(X) == rare) > np.sum(plain.predict(X) == rare)


def test_no_flood_of_warnings(load):
    X, y = load("iris")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(n_epochs=10).fit(X, y)


def test_probabilities_and_scores(load):
    X, y = load("breast_cancer")
    model = small().fit(X, y)
    probability = model.predict_proba(X)
    assert_allclose(probability.sum(axis=1), 1.0)
    assert_array_equal(model.decision_function(X) > 0, probability[:, 1] > probability[:, 0])


def test_sparse_points(load):
    X, y = load("iris")
    dense = small().fit(X, y).predict_proba(X)
    thin = small().fit(sparse.csr_array(X), y).predict_proba(sparse.csr_array(X))
    assert_allclose(thin, dense, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:No learner was better than chance:UserWarning")
@on_degenerate_data
@pytest.mark.parametrize("version", VERSIONS)
def test_degenerate_data_are_answered(X, y, version):
    assert np.isin(small(version=version).fit(X, y).predict(X), y).all()


def test_one_network_of_chance_says_so():
    with pytest.warns(UserWarning, match="No learner was better than chance .* Standardise"):
        model = small(n_epochs=1).fit(np.ones((40, 2)), np.tile([0, 1], 20))
    assert len(model.estimators_) == 1
    assert model.estimator_weights_[0] == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hidden_units": 0}, "hidden_units=0"),
        ({"n_estimators": 1.5}, r"n_estimators=1\.5"),
        ({"version": "e"}, "version='e'"),
        ({"n_epochs": 0}, "n_epochs=0"),
        ({"learning_rate_init": 0}, "learning_rate_init=0"),
        ({"alpha": -1}, "alpha=-1"),
    ],
)
def test_bad_parameters_are_refused_in_words(load, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(**parameters).fit(*load("iris"))


def test_pickle_and_clone(load):
    X, y = load("iris")
    model = small().fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()
