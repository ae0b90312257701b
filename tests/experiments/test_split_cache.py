import numpy as np
import pytest

from kpboost.datasets import features_of
from kpboost.experiments import _splits as split_cache
from kpboost.experiments._splits import PreparedDataset, cached_split
from kpboost.methods import METHODS

SVM, TREE = METHODS["svm"], METHODS["c45_ib1"]


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(split_cache, "_splits", type(split_cache._splits)())


def points(fingerprint="a", n=12):
    X = np.random.RandomState(0).normal(size=(n, 2))
    rows = np.arange(n)
    return PreparedDataset(
        "set", features_of(X), rows % 2, ("a", "b"), fingerprint, rows % 2, rows[:2], ()
    )


TRAIN, TEST = np.arange(8), np.arange(8, 12)


def test_the_same_split_is_prepared_once():
    first = cached_split(points(), TRAIN, TEST, method=SVM)
    assert cached_split(points(), TRAIN, TEST, method=SVM) is first
    assert first.squared is first.squared


def test_other_rows_data_or_protocols_are_other_splits():
    first = cached_split(points(), TRAIN, TEST, method=SVM)
    assert cached_split(points(), TRAIN[1:], TEST, method=SVM) is not first
    assert cached_split(points(), TRAIN, TEST[1:], method=SVM) is not first
    assert cached_split(points("b"), TRAIN, TEST, method=SVM) is not first
    assert cached_split(points(), TRAIN, TEST) is not first
    assert cached_split(points(), TRAIN, TEST, TREE) is not first
    assert cached_split(points(), TRAIN, TEST, SVM, np.ones(2)) is not first
    assert cached_split(points(), TRAIN, TEST, METHODS["kpboost"]) is first


def test_room_is_made_for_new_ones(monkeypatch):
    monkeypatch.setattr(split_cache, "MOST_SPLITS", 2)
    for name in "abc":
        cached_split(points(name), TRAIN, TEST, method=SVM)
    assert [key[0] for key in split_cache._splits] == ["b", "c"]
    monkeypatch.setattr(split_cache, "MOST_BYTES", 1)
    cached_split(points("d"), TRAIN, TEST, method=SVM)
    assert [key[0] for key in split_cache._splits] == ["d"]


def test_leak_free_splits_are_standardised_by_their_training_part():
    split = cached_split(points(), TRAIN, TEST, method=SVM)
    np.testing.assert_allclose(split.train[0].mean(axis=0), 0.0, atol=1e-12)
    leaky = cached_split(points(), TRAIN, TEST)
    np.testing.assert_allclose(leaky.X.mean(axis=0), 0.0, atol=1e-12)
    assert not np.allclose(leaky.train[0].mean(axis=0), 0.0, atol=1e-3)
