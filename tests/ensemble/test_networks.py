"""The three versions: what they draw, and what reaches the network."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

from kpboost.ensemble import _adaboost_mlp as networks
from kpboost.ensemble._adaboost_mlp import NetworkDesign, check_version, train_network

DESIGN = NetworkDesign(hidden_units=4, learning_rate_init=0.01, alpha=1e-4)
needs_weights = pytest.mark.skipif(
    not has_fit_parameter(MLPClassifier, "sample_weight"), reason="needs scikit-learn 1.7"
)


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
