"""Votes as sums, stages and shares."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from kpboost.ensemble._adaboost_m2 import (
    class_votes,
    round_votes,
    scores,
    shares,
    staged_class_votes,
)


@pytest.fixture
def learners(load):
    X, y = load("iris")
    thirds = [slice(part, None, 3) for part in range(3)]
    return X, [GaussianNB().fit(X[third], y[third]) for third in thirds]


def test_sum_of_the_confidences(learners):
    X, models = learners
    weights = np.array([0.3, 0.0, 2.0])
    expected = 0.3 * models[0].predict_proba(X) + 2.0 * models[2].predict_proba(X)
    assert_allclose(class_votes(models, weights, X, 3), expected)


def test_learners_without_a_vote_are_not_asked(learners):
    X, models = learners
    class_votes([models[0], None, models[2]], np.array([1.0, 0.0, 1.0]), X, 3)


def test_stages_are_shorter_runs(learners):
    X, models = learners
    errors = np.array([0.6, 0.2, 0.7])  # the first stage has nothing better than its first learner
    stages = list(staged_class_votes(models, errors, X, 3))
    for t, stage in enumerate(stages, start=1):
        assert_allclose(stage, class_votes(models[:t], round_votes(errors[:t]), X, 3))


def test_shares_are_probabilities(learners):
    X, models = learners
    answer = shares(class_votes(models, np.array([1.0, 2.0, 0.5]), X, 3))
    assert_allclose(answer.sum(axis=1), 1.0)
    assert answer.min() >= 0.0


def test_two_classes_have_one_score():
    votes = np.array([[0.2, 0.5], [0.9, 0.1]])
    assert_allclose(scores(votes), [0.3, -0.8])
    assert scores(np.ones((4, 3))).shape == (4, 3)
