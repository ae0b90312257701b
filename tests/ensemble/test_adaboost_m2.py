"""The loop next to plain loops over mislabels; next to AdaBoost on labels; and as a theorem."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from kpboost.ensemble._adaboost_m2 import (
    boost_m2,
    first_mislabels,
    next_mislabels,
    pseudo_loss,
    round_votes,
    summed_votes,
)
from support.reference.adaboost_m2 import adaboost_m2


def known(hypotheses, seen=None):
    """Weak learners that were trained before; `seen` collects the weights they are given."""
    rounds = iter(hypotheses)

    def train(weight):
        if seen is not None:
            seen.append(weight)
        confidence = next(rounds)
        return confidence, confidence

    return train


def guesses(seed, n=30, n_classes=3, n_rounds=4, skill=0.3):
    """Labels, and confidences that lean towards them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    hypotheses = rng.dirichlet(np.ones(n_classes), size=(n_rounds, n))
    return y, (1 - skill) * hypotheses + skill * np.eye(n_classes)[y]


def run(y, n_classes, train, n_rounds, weight=None, stop_early=False):
    weight = np.ones(y.size) if weight is None else weight
    return boost_m2(y, n_classes, weight, train, n_rounds=n_rounds, stop_early=stop_early)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_transcription(seed, n_classes):
    y, hypotheses = guesses(seed, n_classes=n_classes)
    seen = []
    trace = run(y, n_classes, known(hypotheses, seen), 4)
    theirs = adaboost_m2(y, n_classes, hypotheses)
    assert_allclose(trace.errors, theirs.errors, rtol=1e-12)
    assert_allclose(trace.weights, theirs.votes, rtol=1e-10)
    assert_allclose(seen, theirs.marginals, rtol=1e-10)
    assert_array_equal(summed_votes(hypotheses, trace.weights).argmax(axis=1), theirs.H)


def test_the_comparison_can_fail():
    y, hypotheses = guesses(0)
    theirs = adaboost_m2(y, 3, hypotheses[::-1])
    trace = run(y, 3, known(hypotheses), 4)
    assert np.abs(trace.errors - theirs.errors).max() > 1e-4


def test_crisp_confidences_of_two_classes_are_scikit_learns_adaboost(load):
    """SAMME of two classes is discrete AdaBoost, with votes twice alpha, as ours."""
    X, labels = load("breast_cancer")
    y = np.unique(labels, return_inverse=True)[1]
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    theirs = AdaBoostClassifier(stump, n_estimators=6, random_state=0).fit(X, y)

    def train(weight):
        learner = DecisionTreeClassifier(max_depth=1, random_state=0)
        answers = learner.fit(X, y, sample_weight=weight).predict(X)
        return learner, np.eye(2)[answers]

    trace = run(y, 2, train, 6)
    assert_allclose(trace.errors, theirs.estimator_errors_, rtol=1e-9)
    assert_allclose(trace.weights, theirs.estimator_weights_, rtol=1e-9)


def test_weights_equal_repetition():
    y, hypotheses = guesses(1)
    weight = np.random.default_rng(2).integers(1, 4, size=y.size)
    twice = np.repeat(np.arange(y.size), weight)
    weighted = run(y, 3, known(hypotheses), 4, weight.astype(float))
    repeated = run(y[twice], 3, known(hypotheses[:, twice]), 4)
    assert_allclose(weighted.errors, repeated.errors, rtol=1e-12)
    assert_allclose(weighted.weights, repeated.weights, rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_the_last_learner_looks_like_chance_at_least_for_crisp_answers(data):
    """After the update a learner of answers 0 and 1 has pseudo-loss 1/2 exactly (two classes)."""
    n = data.draw(st.integers(2, 12))
    y = data.draw(hnp.arrays(np.intp, n, elements=st.integers(0, 1)))
    answers = data.draw(hnp.arrays(np.intp, n, elements=st.integers(0, 1)))
    confidence = np.eye(2)[answers]
    mislabels = first_mislabels(y, 2, np.ones(n))
    error = pseudo_loss(mislabels, confidence, y)
    if 0 < error < 0.5:
        after = next_mislabels(mislabels, confidence, y, error)
        assert pseudo_loss(after, confidence, y) == pytest.approx(0.5)
        assert after.sum() == pytest.approx(1.0)
        assert np.all(after[np.arange(n), y] == 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_training_error_obeys_freund_and_schapires_bound(seed):
    """The ensemble errs on at most (K - 1) prod_t 2 sqrt(eps_t (1 - eps_t)) of the points."""
    y, hypotheses = guesses(seed, n=60, n_rounds=12, skill=0.4)
    trace = run(y, 3, known(hypotheses), 12)
    answers = summed_votes(hypotheses, trace.weights).argmax(axis=1)
    bound = 2 * np.prod(2 * np.sqrt(trace.errors * (1 - trace.errors)))
    assert bound < 1
    assert np.mean(answers != y) <= bound


def test_a_round_of_chance_does_not_vote_and_changes_nothing():
    y, hypotheses = guesses(3)
    useless = np.full((1, *hypotheses.shape[1:]), 1 / 3)
    seen = []
    trace = run(y, 3, known(np.concatenate([hypotheses[:1], useless, hypotheses[1:2]]), seen), 3)
    assert trace.errors[1] == pytest.approx(0.5)
    assert trace.weights[1] == 0.0
    assert_array_equal(seen[1], seen[2])


def test_stopping_early():
    y, hypotheses = guesses(3)
    useless = np.full(hypotheses.shape[1:], 1 / 3)
    perfect = np.eye(3)[y]
    at_chance = run(y, 3, known([hypotheses[0], useless, hypotheses[1]]), 3, stop_early=True)
    assert len(at_chance.learners) == 2
    assert at_chance.weights[0] > 0 == at_chance.weights[1]
    without_loss = run(y, 3, known([perfect, hypotheses[1]]), 2, stop_early=True)
    assert len(without_loss.learners) == 1
    assert without_loss.weights[0] == pytest.approx(np.log(1e10), abs=1e-6)


def test_if_all_are_worse_than_chance_the_best_decides():
    y, hypotheses = guesses(4, n_classes=2, skill=0.6)
    trace = run(y, 2, known(1 - hypotheses), 4)
    assert not trace.better_than_chance
    assert np.count_nonzero(trace.weights) == 1
    assert trace.weights[trace.errors.argmin()] == 1.0


def test_votes_fall_with_the_error():
    votes = round_votes(np.array([0.0, 1e-3, 0.2, 0.4999, 0.5, 0.9]))
    assert np.all(np.diff(votes[:5]) < 0)
    assert_array_equal(votes[4:], 0.0)
    assert np.isfinite(votes).all()
