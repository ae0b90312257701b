import warnings

import numpy as np
import pytest
from sklearn.base import clone

from kpboost.recipes import RECIPES, available_recipes, build
from kpboost.recipes._recipes import sample_remark

QUICK = ["svm", "svm_tuned", "svm_balanced", "kpboost", "kpboost_roi", "kpboost_balanced"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [60, 25, 15])
    X = rng.normal(size=(100, 3)) + 3 * np.eye(3)[np.searchsorted(["a", "b", "c"], y)]
    X[:, 2] = rng.integers(0, 3, size=100)
    X[::9, 0] = np.nan
    X[::13, 2] = np.nan
    return X, y


@pytest.mark.parametrize("name", QUICK)
def test_recipes_take_missing_values_and_codes(name, table):
    X, y = table
    model = clone(build(name, nominal=[False, False, True])).fit(X, y)
    strange = np.array([[np.nan, np.nan, np.nan], [0.0, 0.0, 99.0]])
    assert set(model.predict(strange)) <= set("abc")
    assert (model.predict(X) == y).mean() > 0.6


@pytest.mark.parametrize("name", [name for name, each in RECIPES.items() if each.available])
def test_every_available_recipe_is_built(name):
    assert hasattr(build(name, nominal=[True], tune=RECIPES[name].tunable), "fit")


@pytest.mark.parametrize("name", [name for name, each in RECIPES.items() if each.available])
def test_recipes_with_nothing_to_choose_say_so(name):
    if RECIPES[name].tunable:
        plain, fine = (str(build(name, nominal=[True], tune=tune)) for tune in (False, True))
        assert plain != fine
        return
    with pytest.raises(ValueError, match="has no parameters to choose"):
        build(name, nominal=[True], tune=True)


def test_the_finer_grid_is_finer():
    plain, fine = (build("kpboost", nominal=[False], tune=tune)[-1].estimator for tune in (0, 1))
    assert set(plain.Cs) < set(fine.Cs)
    assert set(plain.perturbation_steps) < set(fine.perturbation_steps)


def test_balanced_weights_raise_the_recall_of_a_rare_class():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [180, 20])
    X = rng.normal(size=(200, 2)) + np.where(y[:, None] == 1, 1.2, 0.0)
    plain, balanced = (
        (build(name, nominal=[False, False]).fit(X, y).predict(X)[y == 1] == 1).mean()
        for name in ("svm", "svm_balanced")
    )
    assert balanced > plain


def test_an_unknown_recipe_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'forest' is not known; it must be one of hgb"):
        build("forest", nominal=[False])


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("kpboost.recipes._recipes.find_spec", lambda name: None)
    assert "rusboost" not in available_recipes()
    with pytest.raises(ValueError, match="needs imbalanced-learn"):
        build("rusboost", nominal=[False])


@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("name", [*QUICK, "hgb", "hgb_balanced"])
def test_a_class_with_one_row_left_is_learnt(name, tune):
    """Out of fold, a class of two rows has one to learn from."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [30, 12, 1])
    X = rng.normal(size=(43, 2)) + np.repeat([0, 4, 9], [30, 12, 1])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # nothing is to be said of such a class
        model = build(name, nominal=[False, False], tune=tune).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert (model.predict(X) == y).mean() > 0.6  # trees need more rows for more


def test_kernel_machines_say_that_they_learn_from_a_sample():
    assert {name for name, each in RECIPES.items() if each.max_rows} == {*QUICK}
    assert sample_remark(RECIPES, RECIPES["svm"].max_rows) == ""
    remark = sample_remark(["hgb", "svm", "a stranger"], 9999)
    assert remark.startswith("Trained on samples of at most 2,500 rows")
    assert remark.endswith("too long on all: plain SVM.")
