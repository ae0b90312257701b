"""Answers in the form that scorers expect, and scorers that are tried before the work."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import get_scorer

from kpboost.model_selection._boosting_grid import CandidateResult
from kpboost.model_selection._search import Answers, check_scorer, check_scoring, named_scorer

CLASSES = np.array(["a", "b", "c"])


def answers_of(truth, predicted, weight=None, present=(0, 1, 2)):
    """One candidate's answers on one fold, as scores that elect the wanted labels."""
    scores = np.eye(len(present))[np.searchsorted(CLASSES[list(present)], predicted)]
    if len(present) == 2:
        scores = scores[:, 1] - scores[:, 0]
    result = CandidateResult(scores, np.array(present), 0.5, 0.25)
    return Answers(CLASSES, result, np.zeros((len(truth), 1)), np.array(truth), weight)


def mean_accuracy(estimator, X, y):
    return np.mean(estimator.predict(X) == y)


def test_weights_count_in_recalls_and_scores():
    weight = np.array([1.0, 3.0, 2.0, 0.5])
    answer = answers_of(["a", "a", "b", "c"], ["a", "b", "b", "a"], weight)
    assert_allclose(answer.recalls(), [0.25, 1.0, 0.0])
    assert answer.score_by(get_scorer("accuracy")) == pytest.approx(3.0 / 6.5)
    assert answer.score_by(mean_accuracy) == 0.5  # a function that knows no weights


def test_a_class_that_training_lacks_has_no_recall():
    answer = answers_of(["a", "b", "c"], ["a", "a", "c"], present=(0, 2))
    assert_array_equal(answer.classes_, ["a", "c"])
    assert_array_equal(answer.predict(answer.points), ["a", "a", "c"])
    assert_array_equal(answer.recalls(), [1.0, 0.0, 1.0])


def test_answers_are_about_the_test_points_alone():
    answer = answers_of(["a", "b"], ["a", "b"])
    with pytest.raises(ValueError, match="test points of a fold only"):
        answer.predict(np.zeros((2, 1)))
    assert answer.score(answer.points, answer.y_true) == 1.0


@pytest.mark.parametrize("scoring", ["tradeoff", "accuracy", "roc_auc", mean_accuracy])
def test_scoring_that_is_allowed(scoring):
    check_scoring(scoring)
    assert (named_scorer(scoring) is None) == (scoring == "tradeoff")


def test_a_scorer_that_cannot_work_is_named_with_its_reason():
    answer = answers_of(["a", "b"], ["a", "b"], present=(0, 1))
    check_scorer("accuracy", get_scorer("accuracy"), [answer])
    with pytest.raises(ValueError, match=r"^scoring='f1' does not work here \(.*pos_label"):
        check_scorer("f1", get_scorer("f1"), [answer])


def test_a_metric_without_weights_is_refused_where_there_are_some():
    """Scores that ignore weights would not be those of the repeated samples."""
    answer = answers_of(["a", "b"], ["a", "b"], np.array([1.0, 2.0]))
    rand = get_scorer("rand_score")
    with pytest.raises(ValueError, match="sample_weight"):
        check_scorer("rand_score", rand, [answer])
