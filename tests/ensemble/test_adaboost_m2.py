"""The loop next to plain loops over mislabels; next to AdaBoost on labels; and as a theorem."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from kpboost.ensemble import AdaBoostMLPClassifier, RUSBoostM2Classifier
from kpboost.ensemble._adaboost_m2 import (
    boost_m2,
    class_votes,
    confidence,
    first_mislabels,
    fit_weighted,
    fresh_learner,
    next_mislabels,
    pseudo_loss,
    resample,
    round_votes,
    scores,
    shares,
    staged_class_votes,
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


# One promise, two keepers: what both classifiers over AdaBoost.M2 answer with.


BOTH = [
    RUSBoostM2Classifier(n_estimators=4, random_state=0),
    AdaBoostMLPClassifier(hidden_units=4, n_estimators=4, n_epochs=8, random_state=0),
]
both = pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)
sets = pytest.mark.parametrize("name", ["breast_cancer", "iris"])


@both
@sets
def test_scores_are_summed_votes_and_labels_the_largest(load, model, name):
    X, y = load(name)
    fitted = clone(model).fit(X, y)
    votes = sum(
        weight * learner.predict_proba(X)
        for weight, learner in zip(fitted.estimator_weights_, fitted.estimators_, strict=True)
    )
    scores = votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes
    assert_allclose(fitted.decision_function(X), scores, atol=1e-12)
    assert_array_equal(fitted.predict(X), fitted.classes_[votes.argmax(axis=1)])
    assert_allclose(fitted.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))


@both
@sets
def test_stages_are_shorter_runs(load, model, name):
    X, y = load(name)
    fitted = clone(model).fit(X, y)
    stages = list(fitted.staged_decision_function(X))
    assert len(stages) == len(fitted.estimators_)
    shorter = clone(model).set_params(n_estimators=2).fit(X, y)
    assert_allclose(stages[1], shorter.decision_function(X))
    assert_allclose(stages[-1], fitted.decision_function(X))
    assert_array_equal(list(fitted.staged_predict(X))[-1], fitted.predict(X))


@both
def test_nothing_is_answered_before_a_fit(model):
    for ask in (model.predict, model.predict_proba, model.staged_predict):
        with pytest.raises(NotFittedError):
            ask(np.zeros((1, 2)))


# Weak learners of any kind: seeds, weights or resamples, confidences of all classes.


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


# Votes as sums, stages and shares.


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


def test_stages_are_shorter_runs_of_confidence_votes(learners):
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
