"""One warning per fit, of a category that a search can silence."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

from kpboost import KPBoostSVC
from kpboost.ensemble import _kpboost_svc as messages
from kpboost.ensemble._boosting import boost
from kpboost.ensemble._kpboost_svc import LongFitWarning, NoVotingRoundWarning, warn_of
from kpboost.problems._training_set import training_set


@pytest.fixture
def good():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    return boost(np.eye(4), y, np.ones(4), step=0.1, n_rounds=2)


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


@pytest.fixture
def few_are_many(monkeypatch):
    """Sizes at which a fit is warned of, in miniature."""
    monkeypatch.setattr(messages, "MANY_ROWS", 300)
    monkeypatch.setattr(messages, "TRIAL_ROWS", (50, 100, 200))


@pytest.mark.usefixtures("few_are_many")
def test_a_long_fit_is_announced_once_with_an_estimate():
    X, y = make_blobs([300, 20, 5], random_state=0)
    named = y.astype(str)
    words = r"325 rows may take roughly \d+ (s|min|hours)"
    with pytest.warns(LongFitWarning, match=words) as caught:
        KPBoostSVC(class_weight={"0": 1, "1": 2, "2": 3}).fit(X, named)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", LongFitWarning)
        KPBoostSVC().fit(X[:300], y[:300])
        KPBoostSVC(kernel="precomputed").fit(X @ X.T, named)


@pytest.mark.usefixtures("few_are_many")
def test_ctrl_c_in_a_trial_is_meant_for_the_fit(monkeypatch):
    X, y = make_blobs([300, 20], random_state=0)

    def interrupted(self, X, y, sample_weight):
        self.estimator_errors_ = np.zeros(1)
        return self

    data = training_set(KPBoostSVC(), X, y, None)
    monkeypatch.setattr(KPBoostSVC, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        messages.warn_of_time(KPBoostSVC(), data)


def test_trial_rows_keep_every_class():
    codes = np.repeat([0, 1, 2], [5_000, 3, 1])
    rows = messages._spread_rows(codes, 100)
    assert set(codes[rows]) == {0, 1, 2}
    assert rows.size <= 103


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59, "59 s"), (90, "2 min"), (7000, "117 min"), (36000, "10 hours")],
)
def test_a_duration_is_told_in_a_sensible_unit(seconds, words):
    assert messages._duration(seconds) == words
