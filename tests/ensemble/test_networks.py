"""The three versions: what they draw, and what reaches the network."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

from kpboost.ensemble import networks
from kpboost.ensemble.networks import NetworkDesign, check_version, train_network

DESIGN = NetworkDesign(hidden_units=4, learning_rate_init=0.01, alpha=1e-4)
needs_weights = pytest.mark.skipif(
    not has_fit_parameter(MLPClassifier, "sample_weight"), reason="needs scikit-learn 1.7"
)


class Recorder:
    """Stands for a network and remembers what it is given."""

    def __init__(self):
        self.calls = []

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.calls.append((X[:, 0].astype(int), y, classes, sample_weight))


@pytest.fixture
def calls(monkeypatch):
    """Train a recorder on 30 numbered points, of which ten have all the weight."""

    def run(version, n_epochs=5):
        monkeypatch.setattr(networks, "_new_network", lambda *_: Recorder())
        X = np.arange(30.0)[:, None]
        codes = np.arange(30) % 3
        weight = np.where(np.arange(30) < 10, 0.1, 0.0)
        rng = np.random.RandomState(0)
        return train_network(DESIGN, X, codes, weight, rng, version, n_epochs).calls

    return run


def test_r_trains_on_one_resample(calls):
    rows = [call[0] for call in calls("R")]
    assert len(rows) == 5
    for each in rows[1:]:
        assert_array_equal(each, rows[0])
    assert rows[0].max() < 10
    assert rows[0].size == 30


def test_e_draws_for_every_epoch(calls):
    rows = [tuple(call[0]) for call in calls("E")]
    assert len(set(rows)) == 5
    assert max(map(max, rows)) < 10


def test_w_weighs_every_point(calls):
    for rows, labels, classes, weight in calls("W"):
        assert_array_equal(rows, np.arange(30))
        assert_array_equal(labels, np.arange(30) % 3)
        assert_array_equal(classes, [0, 1, 2])
        assert_allclose(weight, np.where(np.arange(30) < 10, 3.0, 0.0))


def test_a_class_missing_from_the_draw_is_known(calls):
    for _, _, classes, _ in calls("E"):
        assert_array_equal(classes, [0, 1, 2])


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
