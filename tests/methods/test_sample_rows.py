import numpy as np
import pytest

from kpboost.methods import METHODS, MethodClassifier
from kpboost.methods._preparation import sample_rows
from kpboost.methods._registry import Method


@pytest.mark.parametrize("room", [None, 100, 500])
def test_below_the_cap_all_rows_are_taken(room):
    rows, factors = sample_rows(np.arange(100) % 3, room, 0)
    np.testing.assert_array_equal(rows, np.arange(100))
    assert factors is None


@pytest.mark.parametrize("room", [3, 10, 50, 99])
def test_rare_classes_keep_their_rows_and_weights_restore_the_shares(room):
    codes = np.repeat([0, 1, 2], [80, 16, 4])
    rows, factors = sample_rows(codes, room, 0)
    assert rows.size == room
    assert np.unique(rows).size == rows.size
    weight = factors[codes[rows]]
    assert weight.mean() == pytest.approx(1.0)
    shares = np.bincount(codes[rows], weights=weight) / room
    np.testing.assert_allclose(shares, [0.80, 0.16, 0.04])
    kept = np.bincount(codes[rows])
    assert kept[2] == min(4, room // 3)


def test_every_class_keeps_a_row_even_without_room():
    rows, _ = sample_rows(np.arange(10).repeat(3), 4, 0)
    assert rows.size == 10


KERNEL_MACHINES = [name for name, method in METHODS.items() if method.max_rows]


@pytest.mark.filterwarnings("ignore")  # what is chosen in a minute need not converge
@pytest.mark.parametrize("name", KERNEL_MACHINES)
def test_weights_reach_the_estimator(name, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 30])
    X = rng.normal(size=(330, 1)) + y[:, None]
    seen = []
    fit = METHODS[name].estimator_class().fit

    def watched(self, X, y, sample_weight=None):
        seen.append(sample_weight)
        return fit(self, X, y, sample_weight)

    capped = {"max_rows": 60, "grids": {"quick": METHODS[name].grids["quick"][-1:]}}
    monkeypatch.setitem(METHODS, name, with_values(METHODS[name], capped))
    monkeypatch.setitem(METHODS, "svm", with_values(METHODS["svm"], {"max_rows": 60}))
    monkeypatch.setattr(METHODS[name].estimator_class(), "fit", watched)
    model = MethodClassifier(name).fit(X, y)
    assert model.n_rows_ == 60
    assert all(weight is not None for weight in seen)
    assert np.unique(seen[-1]).round(3).tolist() == [0.182, 1.818]
    # 30 and 30 rows without weights would answer "rare" for half of them
    assert name != "svm" or (model.predict(X) == 1).mean() < 0.2


def with_values(method, values):
    known = {name: getattr(method, name) for name in Method.__slots__}
    return Method(**{**known, **values})
