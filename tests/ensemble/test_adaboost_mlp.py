"""AdaBoostMLPClassifier: the loop it runs, its three versions, weights and bad input."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from kpboost.ensemble import AdaBoostMLPClassifier, _adaboost_mlp as networks
from kpboost.ensemble._adaboost_mlp import NetworkDesign, check_version, train_network
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


# scikit-learn's own checks of an estimator.


# The versions differ in what a network is given, not in how the estimator behaves.
CONFIGURATIONS = [AdaBoostMLPClassifier(n_estimators=2, n_epochs=12)]
DRAWS = (
    "weights are probabilities of a resample, and points drawn by weight are not the points drawn "
    "from repetitions; in the mean they are"
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": DRAWS,
    "check_sample_weight_equivalence_on_sparse_data": DRAWS,
}


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No learner was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# The three versions: what they draw, and what reaches the network.


DESIGN = NetworkDesign(hidden_units=4, learning_rate_init=0.01, alpha=1e-4)


class Recorder:
    """Stands for a network and remembers the epochs that it is given."""

    def __init__(self):
        self.calls = []
        self.n_calls = 0

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.n_calls += 1
        numbers = X[:, 0].astype(int)
        weight = np.full(y.size, np.nan) if sample_weight is None else sample_weight
        for start in range(0, y.size, 30):
            epoch = slice(start, start + 30)
            self.calls.append((numbers[epoch], y[epoch], classes, weight[epoch]))


@pytest.fixture
def train(monkeypatch):
    """Train a recorder on 30 numbered points, of which ten have all the weight."""

    def run(version, n_epochs=5):
        monkeypatch.setattr(networks, "_new_network", lambda *_: Recorder())
        X = np.arange(30.0)[:, None]
        codes = np.arange(30) % 3
        weight = np.where(np.arange(30) < 10, 0.1, 0.0)
        rng = np.random.RandomState(0)
        return train_network(DESIGN, X, codes, weight, rng, version, n_epochs)

    return run


def test_r_trains_on_one_resample(train):
    rows = [call[0] for call in train("R").calls]
    assert len(rows) == 5
    for each in rows[1:]:
        assert_array_equal(np.sort(each), np.sort(rows[0]))
        assert not np.array_equal(each, rows[0])  # in another order
    assert rows[0].max() < 10
    assert rows[0].size == 30


def test_e_draws_for_every_epoch(train):
    rows = [tuple(np.sort(call[0])) for call in train("E").calls]
    assert len(set(rows)) == 5
    assert max(map(max, rows)) < 10


def test_w_weighs_every_point(train):
    for rows, labels, classes, weight in train("W").calls:
        assert_array_equal(np.sort(rows), np.arange(30))
        assert_array_equal(labels, rows % 3)
        assert_array_equal(classes, [0, 1, 2])
        assert_allclose(weight, np.where(rows < 10, 3.0, 0.0))


def test_a_class_missing_from_the_draw_is_known(train):
    for _, _, classes, _ in train("E").calls:
        assert_array_equal(classes, [0, 1, 2])


def test_epochs_come_in_blocks(train, monkeypatch):
    assert train("E", 7).n_calls == 1
    monkeypatch.setattr(networks, "BLOCK_ENTRIES", 2 * 30)
    network = train("E", 7)
    assert network.n_calls == 4  # 2 + 2 + 2 + 1
    assert len(network.calls) == 7
    monkeypatch.setattr(networks, "BLOCK_ENTRIES", 1)
    assert train("E", 7).n_calls == 7


def test_a_block_of_epochs_is_those_epochs_one_by_one(load, monkeypatch):
    """Where batches fill the epochs."""
    X, y = load("digits")
    X, y = X[:256], y[:256]  # eight steps of 32
    weight = np.full(y.size, 1 / y.size)
    monkeypatch.setattr(networks, "BLOCK_ENTRIES", 1)
    single = train_network(DESIGN, X, y, weight, np.random.RandomState(0), "E", 5)
    monkeypatch.undo()
    block = train_network(DESIGN, X, y, weight, np.random.RandomState(0), "E", 5)
    assert_allclose(block.predict_proba(X), single.predict_proba(X), rtol=1e-9)


def test_ctrl_c_is_not_swallowed(load, monkeypatch):
    X, y = load("iris")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(MLPClassifier, "_backprop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train_network(DESIGN, X, y, np.ones(y.size), np.random.RandomState(0), "E", 5)


@pytest.mark.parametrize("version", ["E", "R", pytest.param("W", marks=needs_weights)])
def test_networks_learn(load, version):
    X, y = load("iris")
    weight = np.full(y.size, 1 / y.size)
    network = train_network(DESIGN, X, y, weight, np.random.RandomState(0), version, 60)
    assert network.score(X, y) > 0.93
    assert network.hidden_layer_sizes == (4,)
    assert network.activation == "tanh"


def test_unknown_version():
    with pytest.raises(ValueError, match="version='X' is not allowed"):
        check_version("X")


def test_old_scikit_learn_is_named(monkeypatch):
    monkeypatch.setattr(networks, "has_fit_parameter", lambda *_: False)
    check_version("E")
    with pytest.raises(ValueError, match=r"scikit-learn 1\.7 or newer"):
        check_version("W")
