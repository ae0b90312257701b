"""The search inside of the sample: against the obvious way, and what it takes and gives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import NystroemKPBoostSVC, NystroemKPBoostSVCCV
from kpboost.ensemble import _low_rank_trials as trials
from kpboost.model_selection import tradeoff_score

pytestmark = pytest.mark.filterwarnings("ignore::kpboost.ensemble.NoVotingRoundWarning")


def rings(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (np.hypot(X[:, 0], X[:, 1]) < 0.5).astype(int)
    return X, np.where(rng.random(n) < 0.05, 1 - y, y)


def search(**parameters):
    given = {"Cs": (0.1, 10.0), "gammas": (0.02, 0.5), "random_state": 0, "n_estimators": 3}
    return NystroemKPBoostSVCCV(**{**given, **parameters})


EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "splits by rows are refused: the folds are "
    "those of a sample"
}


@parametrize_with_checks(
    [NystroemKPBoostSVCCV(Cs=(0.1, 1.0), gammas=("scale", 0.5))],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_machines_fitted_to_the_folds(n_classes, multi_class):
    X, y = rings(300)
    y = np.where((X[:, 2] > 0.8) & (n_classes == 3), 2, y)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    # all points are landmarks, so that the folds' own landmarks span nearly the same space
    shared = {"n_landmarks": 300, "loss_width": 0.1, "tol": 1e-6, "multi_class": multi_class}
    tried = search(cv=folds, max_iter=100, **shared).fit(X, y)
    table = tried.cv_results_
    for place, candidate in enumerate(table["params"]):
        for split, (train, test) in enumerate(folds.split(X, y)):
            factors = {c: y.size / (n_classes * np.sum(y == c)) for c in range(n_classes)}
            model = NystroemKPBoostSVC(n_estimators=1, class_weight=factors, **shared, **candidate)
            predicted = model.fit(X[train], y[train]).predict(X[test])
            recalls = [np.mean(predicted[y[test] == c] == c) for c in range(n_classes)]
            score = table[f"split{split}_test_score"][place]
            assert_allclose(score, np.mean(recalls), atol=0.06)
    assert table["mean_test_score"].max() == tried.best_score_


def test_the_choice_is_refitted_to_all_rows():
    X, y = rings()
    tried = search(n_landmarks=60).fit(X, y)
    plain = NystroemKPBoostSVC(**tried.best_params_, n_landmarks=60, n_estimators=3, random_state=0)
    seed = tried.best_estimator_.random_state
    assert_array_equal(plain.set_params(random_state=seed).fit(X, y).coef_,
                       tried.best_estimator_.coef_)  # fmt: skip
    assert_array_equal(tried.predict(X), tried.best_estimator_.predict(X))
    assert (tried.C_, tried.gamma_) == tuple(tried.best_params_.values())
    assert_array_equal(search(n_landmarks=60).fit(X, y).decision_function(X),
                       tried.decision_function(X))  # fmt: skip


def test_a_wrong_width_is_not_chosen():
    X, y = rings(1500)
    tried = NystroemKPBoostSVCCV(gammas=(1e-6, 0.5, 1e4), random_state=0, n_landmarks=100)
    assert tried.fit(X, y).gamma_ == 0.5
    around = NystroemKPBoostSVCCV(random_state=0, n_landmarks=100).fit(X, y)
    scale = NystroemKPBoostSVC(n_landmarks=50, random_state=0).fit(X, y).gamma_
    widths = np.unique(around.cv_results_["param_gamma"].data)
    assert_allclose(widths, scale * np.array([1 / 16, 1 / 4, 1, 4, 16]))
    assert len(around.cv_results_["params"]) == 25


def test_the_tradeoff_chooses_by_mu():
    X, y = rings()
    tried = search(scoring="tradeoff", n_landmarks=60).fit(X, y)
    table = tried.cv_results_
    recalls = np.column_stack([table[f"mean_test_class_recall_{c}"] for c in (0, 1)])
    assert tried.best_index_ == np.argmax(tradeoff_score(recalls))


def test_the_search_uses_a_part_of_the_sample():
    X, y = rings(5000)
    tried = search(n_landmarks=40, search_samples=1500).fit(X, y)
    assert tried.n_samples_searched_ == pytest.approx(1500, abs=150)
    assert tried.best_estimator_.n_samples_seen_ == 5000
    whole = search(n_landmarks=40).fit(X, y)
    assert_allclose(tried.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"],
                    atol=0.04)  # fmt: skip


def test_blocks():
    X, y = rings()
    blocks = [(X[s : s + 100], y[s : s + 100]) for s in range(0, 600, 100)]
    one = search(n_landmarks=40, batch_size=100).fit(X, y)
    other = search(n_landmarks=40, batch_size=100).fit(blocks)
    assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_ctrl_c_chooses_among_complete_widths(monkeypatch):
    original, calls = trials._recalls_of_fold, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(trials, "_recalls_of_fold", interrupted)
    with pytest.warns(UserWarning, match="among 1 of 2 kernel widths"):
        tried = search(n_landmarks=40).fit(*rings())
    assert tried.gamma_ == 0.02
    calls[:] = [1] * 4
    with pytest.raises(KeyboardInterrupt):
        search(n_landmarks=40).fit(*rings())


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"Cs": ()}, "at least one value"),
        ({"Cs": (0.0,)}, r"Cs\[0\]=0.0"),
        ({"gammas": "wide"}, "gammas='wide' is not allowed; it must be 'around_scale'"),
        ({"gammas": (-1.0,)}, r"gammas\[0\]=-1.0"),
        ({"scoring": "accuracy"}, "scoring='accuracy'"),
        ({"cv": [([0], [1])]}, "a number of folds or a splitter"),
        ({"cv": 1}, "cv=1"),
        ({"search_samples": 0}, "search_samples=0"),
        ({"n_landmarks": 0}, "n_landmarks=0"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        search(**parameters).fit(*rings(100))
