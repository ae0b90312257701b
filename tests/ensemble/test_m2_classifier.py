"""One promise, two keepers: what both classifiers over AdaBoost.M2 answer with."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kpboost.ensemble import AdaBoostMLPClassifier, RUSBoostM2Classifier

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
