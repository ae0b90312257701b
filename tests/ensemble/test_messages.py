"""One warning per fit, of a category that a search can silence."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

from kpboost import KPBoostSVC
from kpboost.ensemble.boosting import boost
from kpboost.ensemble.gather import record_of
from kpboost.ensemble.messages import NoVotingRoundWarning, warn_of


@pytest.fixture
def good():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    trace = boost(np.eye(4), y, np.ones(4), step=0.1, n_rounds=2)
    return record_of(trace, np.arange(4))


def test_nothing_is_said_of_good_rounds(good):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of([good, good])


def test_problems_without_voters_are_counted(good):
    poor = replace(good, rule="best_only", vote_tpr=0.25)
    poorer = replace(poor, vote_tpr=0.0)
    with pytest.warns(NoVotingRoundWarning, match="in 2 of 3 two-class") as caught:
        warn_of([poor, good, poorer])
    worst = "with tpr 0.00 and tnr 1.00 on the training points in the worst of them; another C"
    assert worst in str(caught[0].message)


def test_rounds_that_outvote_each_other_are_told(good):
    """Each may find another third of the positive points; together they find none."""
    poor = replace(good, rule="strict", vote_tpr=0.0)
    with pytest.warns(NoVotingRoundWarning, match=r"outvote each other in 1 of 2.* tpr 0\.00 and"):
        warn_of([good, poor])


def test_an_interruption_tells_the_fewest_rounds(good):
    cut = replace(good, interrupted=True, log_scale=good.log_scale[:1])
    with pytest.warns(UserWarning, match="at least 1 of every problem"):
        warn_of([good, cut])


def majority_only():
    X, y = make_blobs([200, 4, 4], centers=[[0, 0], [0.1, 0], [0, 0.1]], random_state=0)
    return X, y


def test_a_fit_warns_once_and_a_search_can_be_silent():
    X, y = majority_only()
    with pytest.warns(NoVotingRoundWarning) as caught:
        KPBoostSVC(1e-3).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NoVotingRoundWarning)
        GridSearchCV(KPBoostSVC(1e-3), {"gamma": [0.1, 1.0]}, cv=2).fit(X, y)
