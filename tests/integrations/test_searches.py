import numpy as np
import optuna
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from kpboost import (
    AsymmetricKernelScalingSVCCV,
    KPBoostSVC,
    KPBoostSVCCV,
    NystroemKPBoostSVCCV,
)
from kpboost.methods import MethodClassifier
from support.planted_data import planted

GRID = {"C": [1.0, 10.0, 100.0], "perturbation_step": [0.01, 0.3]}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def data():
    X, y, _ = planted(n_common=120)
    return X, y


def test_optuna_and_both_grid_searches_choose_the_same(data):
    def balanced_accuracy(trial):
        values = {name: trial.suggest_categorical(name, options) for name, options in GRID.items()}
        return cross_val_score(
            KPBoostSVC(**values), *data, scoring="balanced_accuracy", cv=FOLDS
        ).mean()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.GridSampler(GRID, seed=0)
    )
    study.optimize(balanced_accuracy, n_trials=6)
    search = GridSearchCV(KPBoostSVC(), GRID, scoring="balanced_accuracy", cv=FOLDS).fit(*data)
    shared = KPBoostSVCCV(
        Cs=GRID["C"],
        perturbation_steps=GRID["perturbation_step"],
        scoring="balanced_accuracy",
        cv=FOLDS,
    ).fit(*data)
    assert study.best_value == pytest.approx(search.best_score_)
    scores = search.cv_results_["mean_test_score"]
    assert np.sort(scores)[-1] > np.sort(scores)[-2]  # no tie, so there is one right answer
    assert study.best_params == search.best_params_
    assert {name: getattr(shared.best_estimator_, name) for name in GRID} == search.best_params_


def test_methods_are_searched_over_as_they_are(data):
    X, y = data
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(side=np.where(X[:, 0] > 0, "right", "left"))
    grid = {"method": ["svm", "svm_balanced"]}
    search = GridSearchCV(
        MethodClassifier(), grid, scoring="balanced_accuracy", cv=FOLDS, error_score="raise"
    ).fit(frame, y)
    assert search.best_params_ == {"method": "svm_balanced"}


@pytest.mark.parametrize(
    "search",
    [
        KPBoostSVCCV(Cs=[1.0], gammas=[0.1], perturbation_steps=[0.1], cv=3),
        NystroemKPBoostSVCCV(Cs=[1.0], gammas=[0.1], n_landmarks=10, cv=3, random_state=0),
        AsymmetricKernelScalingSVCCV(
            Cs=[1.0], gammas=[0.1], decays_pos=[0.1], decays_neg=[0.2], cv=3
        ),
    ],
    ids=lambda search: type(search).__name__,
)
def test_a_search_has_what_a_grid_search_has(data, search):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b"])
    usual = GridSearchCV(KPBoostSVC(), {"C": [1.0]}, cv=3).fit(frame, y)
    ours = search.fit(frame, y)
    expected = {name for name in dir(usual) if name.endswith("_") and not name.startswith("_")}
    assert "best_params_" in expected
    assert expected - {"multimetric_", "scorer_"} <= set(dir(ours))
    assert ours.n_splits_ == 3
    assert ours.refit_time_ > 0
    chosen = ours.best_estimator_.get_params()
    assert {name: chosen[name] for name in ours.best_params_} == ours.best_params_
    assert ours.feature_names_in_.tolist() == ["a", "b"]
