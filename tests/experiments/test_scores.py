"""Scores of many answers are those of kpboost.metrics, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kpboost import metrics
from kpboost.experiments._scores import score_all


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4), n=st.integers(4, 40))
def test_scores_are_those_of_the_metrics(seed, n_classes, n):
    random = np.random.RandomState(seed)
    truth = random.randint(0, n_classes, n)
    truth[:2] = [0, n_classes - 1]
    disjuncts = truth * 3 + random.randint(0, 3, n)
    sizes = random.randint(1, 900, 3 * n_classes)
    answers = random.randint(0, n_classes, (5, n))
    answers[0], answers[1] = truth, 0
    scores = score_all(
        truth, answers, n_classes=n_classes, disjuncts=disjuncts, disjunct_sizes=sizes
    )
    labels = np.arange(n_classes)
    for place, answer in enumerate(answers):
        expected = metrics.class_recalls(truth, answer, labels=labels)
        np.testing.assert_allclose(scores.recalls[place], expected)
        assert scores.gmean[place] == pytest.approx(metrics.geometric_mean_score(truth, answer))
        assert scores.auc[place] == pytest.approx(metrics.hard_auc_score(truth, answer))
        gsdi = metrics.gsdi_score(truth, answer, disjuncts=disjuncts, disjunct_sizes=sizes)
        assert scores.gsdi[place] == pytest.approx(gsdi)
    assert (scores.gmean[0], scores.auc[0], scores.gsdi[0]) == (1.0, 1.0, 1.0)


def test_a_candidate_that_failed_has_no_scores():
    truth = np.array([0, 1, 1])
    scores = score_all(
        truth,
        np.array([[-1, -1, -1], [0, 1, 1]]),
        n_classes=2,
        disjuncts=truth,
        disjunct_sizes=np.array([1, 2]),
    )
    assert np.isnan(scores.recalls[0]).all()
    assert np.isnan([scores.gmean[0], scores.auc[0], scores.gsdi[0]]).all()
    assert scores.gmean[1] == 1.0


def test_one_class_alone_has_no_auc():
    truth = np.zeros(3, dtype=int)
    scores = score_all(
        truth, truth[None], n_classes=2, disjuncts=truth, disjunct_sizes=np.array([3])
    )
    assert np.isnan(scores.auc).all()
    assert np.isnan(scores.recalls[0, 1])
    assert scores.gmean == 1.0
