"""Weak learners of any kind: seeds, weights or resamples, confidences of all classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from kpboost.ensemble._adaboost_m2 import confidence, fit_weighted, fresh_learner, resample


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def blobs(n=40):
    codes = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, 2)) + codes[:, None], codes


def test_every_random_state_gets_a_seed_and_the_prototype_none(rng):
    prototype = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    seeds = {
        fresh_learner(prototype, rng).get_params()["decisiontreeclassifier__random_state"]
        for _ in range(3)
    }
    assert len(seeds) == 3
    assert prototype[-1].random_state is None


def test_weights_reach_a_learner_that_takes_them(rng):
    X, codes = blobs()
    weight = np.linspace(1, 3, codes.size)
    ours = fit_weighted(GaussianNB(), X, codes, weight, rng)
    theirs = GaussianNB().fit(X, codes, sample_weight=weight * codes.size / weight.sum())
    assert_allclose(ours.theta_, theirs.theta_)
    assert_allclose(ours.class_count_.sum(), codes.size)


def test_others_get_a_resample_by_weight(rng):
    X, codes = blobs()
    weight = np.where(np.arange(codes.size) < 4, 1.0, 0.0)
    learner = fit_weighted(KNeighborsClassifier(1), X, codes, weight, rng)
    points = {tuple(row) for row in X[:4]}
    assert {tuple(row) for row in learner._fit_X} <= points


def test_resample_follows_the_shares():
    share = np.array([0.5, 0.3, 0.2])
    codes = np.array([0, 1, 1])
    rng = np.random.RandomState(0)
    drawn = np.concatenate([resample(codes, share, rng)[:3] for _ in range(4000)])
    assert_allclose(np.bincount(drawn) / drawn.size, share, atol=0.02)


def test_no_class_is_lost_in_a_resample():
    share = np.array([0.5, 0.5 - 3e-9, 1e-9, 2e-9])
    codes = np.array([0, 0, 1, 1])
    drawn = resample(codes, share, np.random.RandomState(0))
    assert drawn[-1] == 3  # the heavier point of the class that was missed
    assert drawn.size == 5


def test_confidence_has_a_column_for_every_class():
    X, codes = blobs()
    learner = GaussianNB().fit(X, codes * 2)  # classes 0 and 2 of four
    answer = confidence(learner, X, 4)
    assert_array_equal(answer[:, [1, 3]], 0.0)
    assert_allclose(answer[:, [0, 2]], learner.predict_proba(X))


def test_labels_are_certain():
    X, codes = blobs()
    learner = LinearSVC().fit(X, codes)
    assert_array_equal(confidence(learner, X, 3).argmax(axis=1), learner.predict(X))
    assert_array_equal(np.unique(confidence(learner, X, 3)), [0.0, 1.0])
